//! Series of points and how they are drawn.

use std::fmt::{self, Write};

use crate::decimate;
use crate::layout::Layout;

/// The colours of series, distinguishable for colour-blind readers and in print: Okabe and Ito, *Color Universal
/// Design* (2008), with yellow, too light on white, replaced by grey.
pub const PALETTE: [&str; 8] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#222222", "#8a8a8a",
];

/// Whether a series is drawn as a line, as markers, or both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SeriesStyle {
    /// A line through the points.
    #[default]
    Line,
    /// A marker at each point.
    Markers,
    /// A line with a marker at each point.
    LineWithMarkers,
}

/// The dash pattern of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dash {
    /// A solid line.
    #[default]
    Solid,
    /// Long dashes.
    Dashed,
    /// Dots.
    Dotted,
    /// Dashes and dots in turn.
    DashDot,
}

impl Dash {
    /// All dash patterns, the solid line first.
    pub const ALL: [Dash; 4] = [Dash::Solid, Dash::Dashed, Dash::Dotted, Dash::DashDot];

    /// Returns the SVG attribute of the dash pattern.
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Dash::Solid => "",
            Dash::Dashed => r#" stroke-dasharray="7 4""#,
            Dash::Dotted => r#" stroke-dasharray="2 3""#,
            Dash::DashDot => r#" stroke-dasharray="8 3 2 3""#,
        }
    }
}

/// A named series of points with its drawing style.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// The name in the legend; an empty name has no entry.
    pub name: String,
    /// The points (x, y) in the order of the line.
    pub points: Vec<(f64, f64)>,
    /// Whether a line, markers, or both are drawn.
    pub style: SeriesStyle,
    /// The dash pattern of the line.
    pub dash: Dash,
    /// The index into [`PALETTE`], modulo its length; `None` takes the index of the series.
    pub colour: Option<usize>,
}

impl Series {
    /// Creates a series drawn as a line.
    pub fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series {
            name: name.into(),
            points,
            ..Series::default()
        }
    }

    /// Creates a series drawn as markers.
    pub fn markers(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series {
            style: SeriesStyle::Markers,
            ..Series::line(name, points)
        }
    }

    /// Creates a series drawn as a line with markers.
    pub fn line_with_markers(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series {
            style: SeriesStyle::LineWithMarkers,
            ..Series::line(name, points)
        }
    }

    /// Returns the series with this dash pattern.
    pub fn dash(self, dash: Dash) -> Series {
        Series { dash, ..self }
    }

    /// Returns the series with this index into [`PALETTE`].
    pub fn colour(self, colour: usize) -> Series {
        Series {
            colour: Some(colour),
            ..self
        }
    }

    /// Returns the colour of the series as an SVG colour code.
    pub(crate) fn colour_code(&self, index: usize) -> &'static str {
        PALETTE[self.colour.unwrap_or(index) % PALETTE.len()]
    }

    /// Returns the dash pattern of the series. Solid series without an explicit colour get another pattern on each pass
    /// through the palette, so that no two look alike.
    pub(crate) fn dash_pattern(&self, index: usize) -> Dash {
        match (self.dash, self.colour) {
            (Dash::Solid, None) => Dash::ALL[index / PALETTE.len() % Dash::ALL.len()],
            (own, _) => own,
        }
    }
}

/// A series as a chart draws it: its colour, and its points as closely as an image can show them.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnSeries<'a> {
    /// The name in the legend.
    pub name: &'a str,
    /// The colour as an SVG colour code.
    pub colour: &'static str,
    /// The dash pattern.
    pub dash: Dash,
    /// Whether a line, markers, or both are drawn.
    pub style: SeriesStyle,
    /// The points; one whose value is NaN is a gap.
    pub points: Vec<(f64, f64)>,
}

/// Returns a series as it is drawn.
pub(crate) fn drawn<'a>(series: &'a Series, index: usize, layout: &Layout) -> DrawnSeries<'a> {
    let shown = |p: &(f64, f64)| layout.can_show(*p);
    let mut points: Vec<(f64, f64)> = Vec::new();
    for run in series.points.chunk_by(|a, b| shown(a) == shown(b)) {
        if !shown(&run[0]) {
            let gap = run.iter().find(|p| p.0.is_finite());
            points.extend(gap.map(|p| (p.0, f64::NAN)));
        } else if series.style == SeriesStyle::Line {
            let pixels: Vec<_> = run.iter().map(|p| layout.position(*p)).collect();
            points.extend(decimate::kept_of_line(&pixels).iter().map(|k| run[*k]));
        } else {
            points.extend_from_slice(run);
        }
    }
    DrawnSeries {
        name: &series.name,
        colour: series.colour_code(index),
        dash: series.dash_pattern(index),
        style: series.style,
        points,
    }
}

/// Returns the maximal runs of points that both axes can show, in pixels of the plot.
pub(crate) fn runs(series: &Series, layout: &Layout) -> Vec<Vec<(f64, f64)>> {
    let shown = |p: &(f64, f64)| layout.can_show(*p);
    let runs = series.points.chunk_by(|a, b| shown(a) && shown(b));
    runs.filter(|run| shown(&run[0]))
        .map(|run| run.iter().map(|p| layout.position(*p)).collect())
        .collect()
}

/// Draws a series into the clipped plot.
pub(crate) fn draw(
    out: &mut String,
    series: &Series,
    index: usize,
    layout: &Layout,
) -> fmt::Result {
    let colour_code = series.colour_code(index);
    let shape = series.colour.unwrap_or(index);
    for run in runs(series, layout) {
        if series.style != SeriesStyle::Markers {
            line(out, &run, colour_code, series.dash_pattern(index))?;
        }
        // A single point between two gaps is drawn as a marker.
        if series.style != SeriesStyle::Line || run.len() == 1 {
            for p in decimate::markers(&run) {
                marker(out, p, shape, colour_code)?;
            }
        }
    }
    Ok(())
}

/// Draws a polyline.
fn line(out: &mut String, run: &[(f64, f64)], colour_code: &str, dash: Dash) -> fmt::Result {
    if run.len() < 2 {
        return Ok(());
    }
    write!(
        out,
        r#"<polyline fill="none" stroke="{colour_code}" stroke-width="1.8" stroke-linejoin="round"{} points=""#,
        dash.attribute()
    )?;
    for (k, (x, y)) in decimate::polyline(run).into_iter().enumerate() {
        let space = if k == 0 { "" } else { " " };
        write!(out, "{space}{x:.1},{y:.1}")?;
    }
    writeln!(out, r#""/>"#)
}

/// Draws a marker; its shape depends on the colour index.
pub(crate) fn marker(
    out: &mut String,
    (x, y): (f64, f64),
    shape: usize,
    colour_code: &str,
) -> fmt::Result {
    let path = match shape % 4 {
        0 => {
            return writeln!(
                out,
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.6" fill="{colour_code}"/>"#
            );
        }
        1 => "m-3.3 -3.3h6.6v6.6h-6.6z",
        2 => "m0 -4.4l4.2 7.3h-8.4z",
        _ => "m0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z",
    };
    writeln!(
        out,
        r#"<path d="M{x:.1} {y:.1}{path}" fill="{colour_code}"/>"#
    )
}
