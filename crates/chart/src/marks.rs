//! Series and how they are drawn.

use std::fmt::{self, Write};

use crate::frame::Frame;
use crate::thin;

/// Colours that stay apart for colour-blind eyes and in print: Okabe and Ito, *Color Universal Design* (2008), with its
/// yellow, too light on white, replaced by grey.
pub const PALETTE: [&str; 8] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#222222", "#8a8a8a",
];

/// What is drawn of a series.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mark {
    /// A line through the points.
    #[default]
    Line,
    /// The points.
    Dots,
    /// A line and its points.
    Both,
}

/// How a line is broken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dash {
    /// Not at all.
    #[default]
    Solid,
    /// Into long strokes.
    Dashed,
    /// Into short strokes.
    Dotted,
    /// Into long and short strokes in turn.
    DashDot,
}

impl Dash {
    /// All of them, the plainest first.
    pub const ALL: [Dash; 4] = [Dash::Solid, Dash::Dashed, Dash::Dotted, Dash::DashDot];

    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Dash::Solid => "",
            Dash::Dashed => r#" stroke-dasharray="7 4""#,
            Dash::Dotted => r#" stroke-dasharray="2 3""#,
            Dash::DashDot => r#" stroke-dasharray="8 3 2 3""#,
        }
    }
}

/// One curve or cloud of points.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Its name in the legend; none where empty.
    pub name: String,
    /// x and y, in order along the line.
    pub points: Vec<(f64, f64)>,
    /// What is drawn.
    pub mark: Mark,
    /// How the line is broken.
    pub dash: Dash,
    /// Which of [`PALETTE`], counted around; by its place among the series where none is given.
    pub colour: Option<usize>,
}

impl Series {
    /// A line through points.
    pub fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series {
            name: name.into(),
            points,
            ..Series::default()
        }
    }

    /// Points.
    pub fn dots(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series {
            mark: Mark::Dots,
            ..Series::line(name, points)
        }
    }

    /// Points joined by a line.
    pub fn both(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series {
            mark: Mark::Both,
            ..Series::line(name, points)
        }
    }

    /// The same with its line broken.
    pub fn dash(self, dash: Dash) -> Series {
        Series { dash, ..self }
    }

    /// The same in a colour of [`PALETTE`].
    pub fn colour(self, colour: usize) -> Series {
        Series {
            colour: Some(colour),
            ..self
        }
    }

    pub(crate) fn ink(&self, index: usize) -> &'static str {
        PALETTE[self.colour.unwrap_or(index) % PALETTE.len()]
    }

    /// Its own dash; of plain series without a colour of their own, another each time around the palette, so that no two
    /// look alike.
    pub(crate) fn stroke(&self, index: usize) -> Dash {
        match (self.dash, self.colour) {
            (Dash::Solid, None) => Dash::ALL[index / PALETTE.len() % Dash::ALL.len()],
            (own, _) => own,
        }
    }
}

/// The runs of points that both axes can show, in px of the plot.
pub(crate) fn runs(series: &Series, frame: &Frame) -> Vec<Vec<(f64, f64)>> {
    let shown = |p: &(f64, f64)| frame.shows(*p);
    let runs = series.points.chunk_by(|a, b| shown(a) && shown(b));
    runs.filter(|run| shown(&run[0]))
        .map(|run| run.iter().map(|p| frame.place(*p)).collect())
        .collect()
}

/// Draws a series into the clipped plot.
pub(crate) fn draw(out: &mut String, series: &Series, index: usize, frame: &Frame) -> fmt::Result {
    let ink = series.ink(index);
    let shape = series.colour.unwrap_or(index);
    for run in runs(series, frame) {
        if series.mark != Mark::Dots {
            line(out, &run, ink, series.stroke(index))?;
        }
        // A point between two gaps would be a line without length.
        if series.mark != Mark::Line || run.len() == 1 {
            for p in thin::dots(&run) {
                dot(out, p, shape, ink)?;
            }
        }
    }
    Ok(())
}

/// A line in px.
fn line(out: &mut String, run: &[(f64, f64)], ink: &str, dash: Dash) -> fmt::Result {
    if run.len() < 2 {
        return Ok(());
    }
    write!(
        out,
        r#"<polyline fill="none" stroke="{ink}" stroke-width="1.8" stroke-linejoin="round"{} points=""#,
        dash.attribute()
    )?;
    for (k, (x, y)) in thin::line(run).into_iter().enumerate() {
        let space = if k == 0 { "" } else { " " };
        write!(out, "{space}{x:.1},{y:.1}")?;
    }
    writeln!(out, r#""/>"#)
}

/// A dot in px; series of different colours also differ in shape.
pub(crate) fn dot(out: &mut String, (x, y): (f64, f64), shape: usize, ink: &str) -> fmt::Result {
    let path = match shape % 4 {
        0 => {
            return writeln!(
                out,
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.6" fill="{ink}"/>"#
            );
        }
        1 => "m-3.3 -3.3h6.6v6.6h-6.6z",
        2 => "m0 -4.4l4.2 7.3h-8.4z",
        _ => "m0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z",
    };
    writeln!(out, r#"<path d="M{x:.1} {y:.1}{path}" fill="{ink}"/>"#)
}
