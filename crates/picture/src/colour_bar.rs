//! The colour bar at the right edge of a picture.

use crate::picture::Picture;
use crate::render::Style;
use crate::text::{Pen, Text, blend};
use crate::view::ColourBar;

/// Returns the rectangle of the colour bar in a picture: left, top, right, bottom in pixels.
pub fn rectangle(width: usize, height: usize) -> [usize; 4] {
    let thick = (height / 36).max(6);
    let right = width.saturating_sub(height / 8 + thick / 2);
    [
        right.saturating_sub(thick),
        height * 30 / 100,
        right,
        height * 82 / 100,
    ]
}

/// Returns how far, in pixels, the subject is moved to the left to make room for the colour bar; less than the margin
/// of a framed subject, which therefore stays in the picture.
pub fn horizontal_shift(width: usize, height: usize) -> f64 {
    let [left, ..] = rectangle(width, height);
    (0.5 * (width - left) as f64).min(0.07 * width as f64)
}

/// Draws the colour bar with its ticks and label.
pub(crate) fn draw(picture: &mut Picture, bar: &ColourBar, style: &Style) {
    let [left, top, right, bottom] = rectangle(style.width, style.height);
    let length = (bottom - top) as f64;
    for y in top..bottom {
        let s = 1.0 - (y as f64 + 0.5 - top as f64) / length;
        let colour = bar.scale.map.at(s);
        for x in left..right {
            blend(picture, x, y, colour, 1.0);
        }
    }
    for y in top..bottom {
        for x in [left.wrapping_sub(1), right] {
            blend(picture, x, y, style.text_colour, 0.6);
        }
    }
    for x in left.saturating_sub(1)..=right {
        for y in [top.wrapping_sub(1), bottom] {
            blend(picture, x, y, style.text_colour, 0.6);
        }
    }
    let size = (style.height as f64 / 42.0).max(6.0);
    let pen = Pen::ink(style.text_colour);
    let (ticks, decimals) = tick_values(bar.scale.from, bar.scale.to);
    for tick in ticks {
        let s = (tick - bar.scale.from) / (bar.scale.to - bar.scale.from);
        let y = bottom as f64 - s * length;
        for x in right..right + (size * 0.5) as usize {
            blend(picture, x, y.floor() as usize, style.text_colour, 0.8);
        }
        let available = (style.width.saturating_sub(right) as f64 - 1.2 * size).max(1.0);
        let text = Text::fitted(&format_tick(tick, decimals), size, available);
        text.draw(picture, [right as f64 + 0.9 * size, y + 0.5 * size], pen);
    }
    let text = Text::fitted(&bar.label, size, 0.4 * style.width as f64);
    let x = (0.5 * (left + right) as f64 - 0.5 * text.width())
        .min(style.width as f64 - text.width() - size)
        .max(0.0);
    text.draw(picture, [x, top as f64 - 1.3 * size], pen);
}

/// Returns about five round numbers between `from` and `to` and the decimals they need; −1 decimals means scientific
/// notation.
fn tick_values(from: f64, to: f64) -> (Vec<f64>, i32) {
    let span = to - from;
    if !(span > 0.0 && span.is_finite()) {
        return (Vec::new(), 0);
    }
    let rough = span / 5.0;
    let power = rough.log10().floor();
    let unit = 10f64.powf(power);
    let step = [1.0, 2.0, 5.0, 10.0]
        .iter()
        .map(|m| m * unit)
        .find(|s| *s >= 0.999 * rough)
        .unwrap_or(unit);
    let (first, last) = (
        (from / step - 1e-6).ceil() as i64,
        (to / step + 1e-6).floor() as i64,
    );
    let decimals = (-(step * 1.0001).log10().floor()) as i32;
    let largest = from.abs().max(to.abs());
    let decimals = if !(1e-3..1e5).contains(&largest) {
        -1
    } else {
        decimals.max(0)
    };
    ((first..=last).map(|i| i as f64 * step).collect(), decimals)
}

/// Formats a tick label.
fn format_tick(x: f64, decimals: i32) -> String {
    let text = match usize::try_from(decimals) {
        _ if x == 0.0 => "0".to_string(),
        Ok(decimals) => format!("{x:.decimals$}"),
        Err(_) => {
            let power = x.abs().log10().floor();
            let lead = (x / 10f64.powf(power) * 100.0).round() / 100.0;
            format!("{lead}e{power}")
        }
    };
    text.replace('-', "\u{2212}")
}
