//! The legend: in a corner that no curve enters, or else next to the plot.

use std::fmt::{self, Write};

use crate::layout::Layout;
use crate::series::{self, SeriesStyle};
use crate::text::{Escaped, width};
use crate::{Chart, GRID_COLOUR, TEXT_COLOUR};

/// The height of an entry in pixels.
const ROW_HEIGHT: f64 = 18.0;
/// The font size in pixels.
const FONT_SIZE: f64 = 12.0;
/// The length of the line sample in pixels.
const STROKE_LENGTH: f64 = 24.0;
/// The gap between line sample and name in pixels.
const STROKE_GAP: f64 = 7.0;
/// The space inside the border in pixels.
const PADDING: f64 = 8.0;
/// The space around the legend in pixels.
const MARGIN: f64 = 9.0;

/// The position of the legend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum LegendPosition {
    /// No series has a name, so there is no legend.
    None,
    /// Inside the plot, at this offset from its upper left corner in pixels.
    Within(f64, f64),
    /// To the right of the plot.
    Beside,
}

/// Returns the width and height of the legend in pixels.
pub(crate) fn size(chart: &Chart) -> (f64, f64) {
    let named = chart.series.iter().filter(|s| !s.name.is_empty());
    let (mut widest, mut rows) = (0.0_f64, 0.0);
    for series in named {
        widest = widest.max(width(&series.name, FONT_SIZE));
        rows += 1.0;
    }
    (
        2.0 * PADDING + STROKE_LENGTH + STROKE_GAP + widest,
        2.0 * PADDING + ROW_HEIGHT * rows,
    )
}

/// Chooses the first free corner, clockwise from the upper right, or else the side of the plot.
pub(crate) fn choose_position(chart: &Chart, layout: &Layout) -> LegendPosition {
    if chart.series.iter().all(|s| s.name.is_empty()) {
        return LegendPosition::None;
    }
    let (wide, high) = size(chart);
    let area = &layout.area;
    if high > 0.6 * area.height || wide > 0.6 * area.width {
        return LegendPosition::Beside;
    }
    let (right, low) = (area.width - wide - MARGIN, area.height - high - MARGIN);
    let corners = [
        (right, MARGIN),
        (right, low),
        (MARGIN, low),
        (MARGIN, MARGIN),
    ];
    let runs: Vec<(bool, Vec<(f64, f64)>)> = chart
        .series
        .iter()
        .flat_map(|s| {
            series::runs(s, layout)
                .into_iter()
                .map(|r| (s.style != SeriesStyle::Markers, r))
        })
        .collect();
    let free = corners.into_iter().find(|(x, y)| {
        let clear = [x - 5.0, y - 5.0, x + wide + 5.0, y + high + 5.0];
        !runs.iter().any(|(joined, run)| enters(run, *joined, clear))
    });
    free.map_or(LegendPosition::Beside, |(x, y)| {
        LegendPosition::Within(x, y)
    })
}

/// Returns whether a run of points, or the polyline through them, enters a box.
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

/// Draws the legend.
pub(crate) fn draw(out: &mut String, chart: &Chart, layout: &Layout) -> fmt::Result {
    let area = &layout.area;
    let (left, top) = match layout.legend {
        LegendPosition::None => return Ok(()),
        LegendPosition::Within(x, y) => (area.left + x, area.top + y),
        LegendPosition::Beside => (area.right() + 4.0, area.top - PADDING),
    };
    if layout.legend != LegendPosition::Beside {
        let (wide, high) = size(chart);
        writeln!(
            out,
            r#"<rect x="{left:.1}" y="{top:.1}" width="{wide:.1}" height="{high:.1}" rx="3" fill="white" fill-opacity="0.9" stroke="{GRID_COLOUR}"/>"#
        )?;
    }
    let named = chart.series.iter().enumerate();
    for (row, (index, series)) in named.filter(|(_, s)| !s.name.is_empty()).enumerate() {
        let from = left + PADDING;
        let y = top + PADDING + ROW_HEIGHT * (row as f64 + 0.5);
        let colour_code = series.colour_code(index);
        if series.style != SeriesStyle::Markers {
            writeln!(
                out,
                r#"<path d="M{from:.1} {y:.1}h{STROKE_LENGTH}" stroke="{colour_code}" stroke-width="1.8"{}/>"#,
                series.dash_pattern(index).attribute()
            )?;
        }
        if series.style != SeriesStyle::Line {
            let shape = series.colour.unwrap_or(index);
            series::marker(out, (from + 0.5 * STROKE_LENGTH, y), shape, colour_code)?;
        }
        writeln!(
            out,
            r#"<text x="{:.1}" y="{:.1}" font-size="{FONT_SIZE}" fill="{TEXT_COLOUR}">{}</text>"#,
            from + STROKE_LENGTH + STROKE_GAP,
            y + 4.2,
            Escaped(&series.name)
        )?;
    }
    Ok(())
}
