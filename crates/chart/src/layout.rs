//! The layout of a chart: margins, grid, tick labels and axis labels.

use std::fmt::{self, Write};

use crate::axis::AxisRange;
use crate::legend::{self, LegendPosition};
use crate::text::{Escaped, width};
use crate::ticks::Ticks;
use crate::{Chart, GRID_COLOUR, HEIGHT, SECONDARY_COLOUR, WIDTH};

/// The font size of tick labels in pixels.
const TICK_FONT_SIZE: f64 = 12.0;

/// A rectangle in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    /// The left edge.
    pub(crate) left: f64,
    /// The upper edge.
    pub(crate) top: f64,
    /// The width.
    pub(crate) width: f64,
    /// The height.
    pub(crate) height: f64,
}

impl Area {
    /// Returns the right edge.
    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    /// Returns the lower edge.
    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// The plot area, axis ranges, ticks and legend position of a chart.
pub(crate) struct Layout {
    /// The plot area.
    pub(crate) area: Area,
    /// The position of the legend.
    pub(crate) legend: LegendPosition,
    x: AxisRange,
    y: AxisRange,
    x_ticks: Ticks,
    y_ticks: Ticks,
}

impl Layout {
    /// Computes the layout of a chart.
    pub(crate) fn new(chart: &Chart) -> Layout {
        // Points that one of the axes cannot show do not affect the ranges.
        let shown = || {
            let points = chart.series.iter().flat_map(|s| &s.points);
            points.filter(|(x, y)| chart.x.can_show(*x) && chart.y.can_show(*y))
        };
        let scattered = chart
            .series
            .iter()
            .any(|s| s.style != crate::SeriesStyle::Line);
        let sideways = if scattered { 0.04 } else { 0.0 };
        let x = chart.x.range_of(shown().map(|p| p.0), sideways);
        let y = chart.y.range_of(shown().map(|p| p.1), 0.05);
        let y_ticks = y.ticks(7);
        let numbers = y_ticks
            .marks
            .iter()
            .map(|t| width(&t.label, TICK_FONT_SIZE));
        let name = if chart.y.label.is_empty() { 0.0 } else { 24.0 };
        let left = (16.0 + name + numbers.fold(0.0, f64::max)).max(36.0);
        let above = if chart.title.is_empty() { 22.0 } else { 46.0 };
        let below = if chart.x.label.is_empty() { 32.0 } else { 54.0 };
        let mut layout = Layout {
            area: Area {
                left,
                top: above,
                width: WIDTH - left - 20.0,
                height: HEIGHT - above - below,
            },
            legend: LegendPosition::None,
            x_ticks: x.ticks(7),
            x,
            y,
            y_ticks,
        };
        layout.legend = legend::choose_position(chart, &layout);
        if layout.legend == LegendPosition::Beside {
            layout.area.width -= legend::size(chart).0 + 10.0;
            layout.x_ticks = layout.x.ticks(5);
        }
        layout
    }

    /// Returns whether both axes can show a point.
    pub(crate) fn can_show(&self, p: (f64, f64)) -> bool {
        self.x.can_show(p.0) && self.y.can_show(p.1)
    }

    /// Returns the position of a point in pixels from the upper left corner of the plot.
    pub(crate) fn position(&self, p: (f64, f64)) -> (f64, f64) {
        (
            self.area.width * self.x.place(p.0),
            self.area.height * (1.0 - self.y.place(p.1)),
        )
    }

    /// Draws axes, grid, border and labels.
    pub(crate) fn draw(&self, out: &mut String, chart: &Chart) -> fmt::Result {
        self.draw_x_axis(out)?;
        self.draw_y_axis(out)?;
        let area = &self.area;
        writeln!(
            out,
            r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" fill="none" stroke="{SECONDARY_COLOUR}"/>"#,
            area.left, area.top, area.width, area.height
        )?;
        let middle = area.left + 0.5 * area.width;
        if !chart.title.is_empty() {
            writeln!(
                out,
                r#"<text x="{:.1}" y="{:.1}" font-weight="bold" font-size="14">{}</text>"#,
                area.left,
                area.top - 22.0,
                Escaped(&chart.title)
            )?;
        }
        if !chart.x.label.is_empty() {
            writeln!(
                out,
                r#"<text x="{middle:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
                area.bottom() + 40.0,
                Escaped(&chart.x.label)
            )?;
        }
        if !chart.y.label.is_empty() {
            let y = area.top + 0.5 * area.height;
            writeln!(
                out,
                r#"<text transform="translate(18 {y:.1}) rotate(-90)" text-anchor="middle">{}</text>"#,
                Escaped(&chart.y.label)
            )?;
        }
        Ok(())
    }

    /// Draws the ticks and labels of the horizontal axis.
    fn draw_x_axis(&self, out: &mut String) -> fmt::Result {
        let area = &self.area;
        let (top, bottom) = (area.top, area.bottom());
        for tick in &self.x_ticks.marks {
            let x = area.left + area.width * self.x.place(tick.at);
            if tick.label.is_empty() {
                let short = bottom - 4.0;
                writeln!(
                    out,
                    r#"<path d="M{x:.1} {bottom:.1}V{short:.1}" stroke="{SECONDARY_COLOUR}"/>"#
                )?;
                continue;
            }
            writeln!(
                out,
                r#"<path d="M{x:.1} {top:.1}V{bottom:.1}" stroke="{GRID_COLOUR}"/>"#
            )?;
            writeln!(
                out,
                r#"<text x="{x:.1}" y="{:.1}" text-anchor="middle" font-size="{TICK_FONT_SIZE}" fill="{SECONDARY_COLOUR}">{}</text>"#,
                bottom + 17.0,
                tick.label
            )?;
        }
        if let Some(factor) = &self.x_ticks.factor {
            writeln!(
                out,
                r#"<text x="{:.1}" y="{:.1}" text-anchor="end" font-size="{TICK_FONT_SIZE}" fill="{SECONDARY_COLOUR}">{factor}</text>"#,
                area.right(),
                bottom + 33.0
            )?;
        }
        Ok(())
    }

    /// Draws the ticks and labels of the vertical axis, and the zero line.
    fn draw_y_axis(&self, out: &mut String) -> fmt::Result {
        let area = &self.area;
        let (left, right) = (area.left, area.right());
        for tick in &self.y_ticks.marks {
            let y = area.top + area.height * (1.0 - self.y.place(tick.at));
            if tick.label.is_empty() {
                let short = left + 4.0;
                writeln!(
                    out,
                    r#"<path d="M{left:.1} {y:.1}H{short:.1}" stroke="{SECONDARY_COLOUR}"/>"#
                )?;
                continue;
            }
            let zero = tick.at == 0.0 && self.y.crosses_zero();
            let stroke = if zero { SECONDARY_COLOUR } else { GRID_COLOUR };
            writeln!(
                out,
                r#"<path d="M{left:.1} {y:.1}H{right:.1}" stroke="{stroke}"/>"#
            )?;
            writeln!(
                out,
                r#"<text x="{:.1}" y="{:.1}" text-anchor="end" font-size="{TICK_FONT_SIZE}" fill="{SECONDARY_COLOUR}">{}</text>"#,
                left - 7.0,
                y + 4.2,
                tick.label
            )?;
        }
        if let Some(factor) = &self.y_ticks.factor {
            writeln!(
                out,
                r#"<text x="{left:.1}" y="{:.1}" font-size="{TICK_FONT_SIZE}" fill="{SECONDARY_COLOUR}">{factor}</text>"#,
                area.top - 5.0
            )?;
        }
        Ok(())
    }
}
