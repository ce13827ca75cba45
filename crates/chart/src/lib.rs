//! Curves over axes as SVG text, fit for a paper: [`Chart::svg`] stands alone, [`Chart::inline`] goes into a page,
//! [`column`] puts charts of one subject below each other.
//!
//! Ticks are 1-2-5 on a linear axis and decades on a logarithmic one. Points that an axis cannot show (not finite, or
//! not positive on a logarithmic axis) are gaps. The same chart gives the same bytes.
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
mod frame;
mod legend;
mod marks;
mod text;
mod thin;
mod ticks;

use std::fmt::{self, Write};

use crate::frame::Frame;
use crate::text::Escaped;

pub use crate::axis::{Axis, Scale};
pub use crate::marks::{Dash, Mark, PALETTE, Series};

/// Width of a chart, px.
pub const WIDTH: f64 = 640.0;
/// Height of a chart, px.
pub const HEIGHT: f64 = 400.0;
/// Room a heading and its note take above a column of charts, px.
const HEADING: f64 = 56.0;

pub(crate) const INK: &str = "#22262b";
pub(crate) const SOFT: &str = "#5d656f";
pub(crate) const GRID: &str = "#e4e7eb";

/// Curves over one pair of axes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chart {
    /// What stands above the plot; may be empty.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, the first lowest.
    pub series: Vec<Series>,
}

impl Chart {
    /// The chart as an SVG document of 640 × 400 px.
    pub fn svg(&self) -> String {
        document(HEIGHT, |out| self.draw(out))
    }

    /// The same as an element for an HTML page, which needs no name space and may be scaled by the page.
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

    fn draw(&self, out: &mut String) -> fmt::Result {
        let frame = Frame::of(self);
        frame.draw(out, self)?;
        // A nested svg clips what lies outside the axes, and needs no identifier to do so.
        let area = &frame.area;
        writeln!(
            out,
            r#"<svg x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}">"#,
            area.left, area.top, area.width, area.height
        )?;
        for (index, series) in self.series.iter().enumerate() {
            marks::draw(out, series, index, &frame)?;
        }
        writeln!(out, "</svg>")?;
        legend::draw(out, self, &frame)
    }
}

/// Charts of one subject below each other, under a heading and a note, as one SVG document.
pub fn column(heading: &str, note: &str, charts: &[Chart]) -> String {
    document(HEADING + HEIGHT * charts.len() as f64, |out| {
        writeln!(
            out,
            r#"<text x="16" y="28" font-size="19" font-weight="bold">{}</text>"#,
            Escaped(heading)
        )?;
        writeln!(
            out,
            r#"<text x="16" y="47" fill="{SOFT}">{}</text>"#,
            Escaped(note)
        )?;
        for (row, chart) in charts.iter().enumerate() {
            let top = HEADING + HEIGHT * row as f64;
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
