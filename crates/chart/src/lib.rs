//! Line charts as SVG text: [`Chart::svg`] is a document, [`Chart::inline`] an element of an HTML page, and
//! [`chart_column()`] stacks charts under a heading.
//!
//! Ticks are 1-2-5 on a linear axis and decades on a logarithmic one. Points that an axis cannot show (not finite, or
//! not positive on a logarithmic axis) leave gaps. The same chart gives the same bytes.
//!
//! ```
//! use chart::{Axis, Chart, Series};
//! let chart = Chart {
//!     title: "Free fall".into(),
//!     x: Axis::linear("time, s"),
//!     y: Axis::linear("height, m"),
//!     series: vec![Series::line("exact", vec![(0.0, 1.0), (0.1, 0.951), (0.2, 0.804)])],
//! };
//! assert!(chart.svg().starts_with("<svg"));
//! ```

mod axis;
mod decimate;
mod layout;
mod legend;
mod series;
mod text;
mod ticks;

use std::fmt::{self, Write};

use crate::layout::Layout;

pub use crate::axis::{Axis, AxisScale};
pub use crate::series::{Dash, DrawnSeries, PALETTE, Series, SeriesStyle};
pub use crate::text::Escaped;

/// The width of a chart in pixels.
pub const WIDTH: f64 = 640.0;
/// The height of a chart in pixels.
pub const HEIGHT: f64 = 400.0;
/// The height of the heading and note above a column of charts, in pixels.
const HEADING_HEIGHT: f64 = 56.0;

/// The colour of text.
pub(crate) const TEXT_COLOUR: &str = "#22262b";
/// The colour of tick labels, notes and the plot's border.
pub(crate) const SECONDARY_COLOUR: &str = "#5d656f";
/// The colour of grid lines.
pub(crate) const GRID_COLOUR: &str = "#e4e7eb";

/// A chart of several series over one pair of axes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chart {
    /// The title above the plot; may be empty.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The series, drawn in this order.
    pub series: Vec<Series>,
}

impl Chart {
    /// Returns the chart as an SVG document of 640 × 400 pixels.
    pub fn svg(&self) -> String {
        document(HEIGHT, |out| self.draw(out))
    }

    /// Returns the chart as an SVG element for an HTML page, without XML namespace and scalable by the page.
    pub fn inline(&self) -> String {
        let mut out = format!(
            r#"<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{}" {FONT}>"#,
            Escaped(&self.title)
        );
        // Writing to a String cannot fail.
        let _ = self.draw(&mut out);
        out.push_str("</svg>");
        out
    }

    /// Returns the series for a program that draws them itself, with as many points as the image has.
    pub fn drawn_series(&self) -> Vec<DrawnSeries<'_>> {
        let layout = Layout::new(self);
        let series = self.series.iter().enumerate();
        series.map(|(k, s)| series::drawn(s, k, &layout)).collect()
    }

    fn draw(&self, out: &mut String) -> fmt::Result {
        let layout = Layout::new(self);
        layout.draw(out, self)?;
        // A nested svg element clips curves at the axes without needing an id.
        let area = &layout.area;
        writeln!(
            out,
            r#"<svg x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}">"#,
            area.left, area.top, area.width, area.height
        )?;
        for (index, series) in self.series.iter().enumerate() {
            series::draw(out, series, index, &layout)?;
        }
        writeln!(out, "</svg>")?;
        legend::draw(out, self, &layout)
    }
}

/// Returns charts stacked below a heading and a note, as one SVG document.
pub fn chart_column(heading: &str, note: &str, charts: &[Chart]) -> String {
    document(HEADING_HEIGHT + HEIGHT * charts.len() as f64, |out| {
        writeln!(
            out,
            r#"<text x="16" y="28" font-size="19" font-weight="bold">{}</text>"#,
            Escaped(heading)
        )?;
        writeln!(
            out,
            r#"<text x="16" y="47" fill="{SECONDARY_COLOUR}">{}</text>"#,
            Escaped(note)
        )?;
        for (row, chart) in charts.iter().enumerate() {
            let top = HEADING_HEIGHT + HEIGHT * row as f64;
            writeln!(out, r#"<g transform="translate(0 {top})">"#)?;
            chart.draw(out)?;
            writeln!(out, "</g>")?;
        }
        Ok(())
    })
}

const FONT: &str =
    r##"font-family="Helvetica, Arial, DejaVu Sans, sans-serif" font-size="13" fill="#22262b""##;

fn document(height: f64, draw: impl FnOnce(&mut String) -> fmt::Result) -> String {
    let mut out = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" {FONT}>
<rect width="{WIDTH}" height="{height}" fill="white"/>
"#
    );
    // Writing to a String cannot fail.
    let _ = draw(&mut out);
    out.push_str("</svg>\n");
    out
}
