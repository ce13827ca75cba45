//! Names beside strokes: in a corner no curve enters, or else beside the plot.

use std::fmt::{self, Write};

use crate::frame::Frame;
use crate::marks::{self, Mark};
use crate::text::{Escaped, width};
use crate::{Chart, GRID, INK};

/// Height of an entry and size of its letters, px.
const ROW: f64 = 18.0;
const LETTERS: f64 = 12.0;
/// Length of the stroke and the gap before the name, px.
const STROKE: f64 = 24.0;
const GAP: f64 = 7.0;
/// Clear space inside the legend's edge and around it, px.
const INSIDE: f64 = 8.0;
const AROUND: f64 = 9.0;

/// Where the legend is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Spot {
    /// There is nothing to name.
    None,
    /// At this distance from the plot's upper left corner, px.
    Within(f64, f64),
    /// To the right of the plot.
    Beside,
}

/// Width and height of the legend, px.
pub(crate) fn size(chart: &Chart) -> (f64, f64) {
    let named = chart.series.iter().filter(|s| !s.name.is_empty());
    let (mut widest, mut rows) = (0.0_f64, 0.0);
    for series in named {
        widest = widest.max(width(&series.name, LETTERS));
        rows += 1.0;
    }
    (
        2.0 * INSIDE + STROKE + GAP + widest,
        2.0 * INSIDE + ROW * rows,
    )
}

/// Chooses the place: the first free corner, clockwise from the upper right.
pub(crate) fn spot(chart: &Chart, frame: &Frame) -> Spot {
    if chart.series.iter().all(|s| s.name.is_empty()) {
        return Spot::None;
    }
    let (wide, high) = size(chart);
    let area = &frame.area;
    if high > 0.6 * area.height || wide > 0.6 * area.width {
        return Spot::Beside;
    }
    let (right, low) = (area.width - wide - AROUND, area.height - high - AROUND);
    let corners = [
        (right, AROUND),
        (right, low),
        (AROUND, low),
        (AROUND, AROUND),
    ];
    let runs: Vec<(bool, Vec<(f64, f64)>)> = chart
        .series
        .iter()
        .flat_map(|s| {
            marks::runs(s, frame)
                .into_iter()
                .map(|r| (s.mark != Mark::Dots, r))
        })
        .collect();
    let free = corners.into_iter().find(|(x, y)| {
        let clear = [x - 5.0, y - 5.0, x + wide + 5.0, y + high + 5.0];
        !runs.iter().any(|(joined, run)| enters(run, *joined, clear))
    });
    free.map_or(Spot::Beside, |(x, y)| Spot::Within(x, y))
}

/// Whether a run of points, or the line joining them, enters a box of least and greatest x and y.
fn enters(run: &[(f64, f64)], joined: bool, [left, top, right, bottom]: [f64; 4]) -> bool {
    let inside = |(x, y): (f64, f64)| x >= left && x <= right && y >= top && y <= bottom;
    if run.iter().any(|p| inside(*p)) {
        return true;
    }
    joined
        && run.windows(2).any(|pair| {
            let [a, b] = [pair[0], pair[1]];
            let long = (b.0 - a.0).abs().max((b.1 - a.1).abs());
            let parts = (long / 4.0).ceil().clamp(1.0, 4000.0);
            (1..parts as usize).any(|k| {
                let s = k as f64 / parts;
                inside((a.0 + s * (b.0 - a.0), a.1 + s * (b.1 - a.1)))
            })
        })
}

/// Draws it.
pub(crate) fn draw(out: &mut String, chart: &Chart, frame: &Frame) -> fmt::Result {
    let area = &frame.area;
    let (left, top) = match frame.legend {
        Spot::None => return Ok(()),
        Spot::Within(x, y) => (area.left + x, area.top + y),
        Spot::Beside => (area.right() + 4.0, area.top - INSIDE),
    };
    if frame.legend != Spot::Beside {
        let (wide, high) = size(chart);
        writeln!(
            out,
            r#"<rect x="{left:.1}" y="{top:.1}" width="{wide:.1}" height="{high:.1}" rx="3" fill="white" fill-opacity="0.9" stroke="{GRID}"/>"#
        )?;
    }
    let named = chart.series.iter().enumerate();
    for (row, (index, series)) in named.filter(|(_, s)| !s.name.is_empty()).enumerate() {
        let from = left + INSIDE;
        let y = top + INSIDE + ROW * (row as f64 + 0.5);
        let ink = series.ink(index);
        if series.mark != Mark::Dots {
            writeln!(
                out,
                r#"<path d="M{from:.1} {y:.1}h{STROKE}" stroke="{ink}" stroke-width="1.8"{}/>"#,
                series.stroke(index).attribute()
            )?;
        }
        if series.mark != Mark::Line {
            let shape = series.colour.unwrap_or(index);
            marks::dot(out, (from + 0.5 * STROKE, y), shape, ink)?;
        }
        writeln!(
            out,
            r#"<text x="{:.1}" y="{:.1}" font-size="{LETTERS}" fill="{INK}">{}</text>"#,
            from + STROKE + GAP,
            y + 4.2,
            Escaped(&series.name)
        )?;
    }
    Ok(())
}
