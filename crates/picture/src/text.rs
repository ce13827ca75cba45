//! Text drawn into a picture with a stroke font.

use crate::colour::Rgb;
use crate::font::strokes;
use crate::picture::Picture;

/// The height of a capital on the grid of the font.
const CAPITAL_HEIGHT: f64 = 7.0;
/// The gap after a character on the grid.
const CHARACTER_GAP: f64 = 2.3;
/// The width of a space on the grid.
const SPACE_WIDTH: f64 = 1.4;

/// The colour and stroke width of text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pen {
    colour: Rgb,
    /// The stroke width relative to the height of capitals.
    weight: f64,
}

impl Pen {
    /// Creates a pen of this colour with the usual stroke width.
    pub(crate) fn ink(colour: Rgb) -> Pen {
        Pen {
            colour,
            weight: 0.13,
        }
    }
}

/// A line of text as line segments in pixels, relative to the start of its baseline, y down.
pub(crate) struct Text {
    segments: Vec<[[f64; 2]; 2]>,
    width: f64,
    size: f64,
}

impl Text {
    /// Lays out a line of text whose capitals are `size` pixels high.
    pub(crate) fn new(line: &str, size: f64) -> Text {
        let unit = size / CAPITAL_HEIGHT;
        let mut segments = Vec::new();
        let mut x = 0.0;
        for c in line.chars() {
            let mut right: f64 = if strokes(c).is_empty() {
                SPACE_WIDTH
            } else {
                0.0
            };
            for stroke in strokes(c).split(' ') {
                let curve = flattened(stroke);
                right = curve.iter().fold(right, |r, p| r.max(p[0]));
                let place = |p: [f64; 2]| [unit * (x + p[0]), unit * (2.0 - p[1])];
                segments.extend(curve.windows(2).map(|w| [place(w[0]), place(w[1])]));
            }
            x += right + CHARACTER_GAP;
        }
        Text {
            segments,
            width: unit * (x - CHARACTER_GAP).max(0.0),
            size,
        }
    }

    /// Lays out a line of text, scaled down to at most `most` pixels in width.
    pub(crate) fn fitted(line: &str, size: f64, max_width: f64) -> Text {
        let text = Text::new(line, size);
        if text.width <= max_width {
            text
        } else {
            Text::new(line, size * max_width / text.width)
        }
    }

    /// Returns the width in pixels.
    pub(crate) fn width(&self) -> f64 {
        self.width
    }

    /// Draws the text with its baseline starting at `at`.
    pub(crate) fn draw(&self, picture: &mut Picture, at: [f64; 2], pen: Pen) {
        let radius = 0.5 * (pen.weight * self.size).max(1.1);
        let pad = radius + 1.0;
        let (left, top) = (
            (at[0] - pad).floor(),
            (at[1] - 1.1 * self.size - pad).floor(),
        );
        let columns = (self.width + 2.0 * pad).ceil() as usize + 1;
        let rows = (1.5 * self.size + 2.0 * pad).ceil() as usize + 1;
        // Strokes cross: take the largest coverage, not the sum.
        let mut mask = vec![0.0f32; columns * rows];
        for segment in &self.segments {
            let [a, b] = segment.map(|p| [p[0] + at[0] - left, p[1] + at[1] - top]);
            let low = |i: usize| (a[i].min(b[i]) - pad).max(0.0) as usize;
            let high =
                |i: usize, most: usize| ((a[i].max(b[i]) + pad).ceil().max(0.0) as usize).min(most);
            for y in low(1)..high(1, rows) {
                for x in low(0)..high(0, columns) {
                    let away = distance([x as f64 + 0.5, y as f64 + 0.5], a, b);
                    let cover = (radius - away + 0.5).clamp(0.0, 1.0) as f32;
                    let here = &mut mask[y * columns + x];
                    *here = here.max(cover);
                }
            }
        }
        for y in 0..rows {
            for x in 0..columns {
                let (px, py) = (left + x as f64, top + y as f64);
                if mask[y * columns + x] > 0.0 && px >= 0.0 && py >= 0.0 {
                    blend(
                        picture,
                        px as usize,
                        py as usize,
                        pen.colour,
                        mask[y * columns + x],
                    );
                }
            }
        }
    }
}

/// Blends a colour into a pixel with coverage 0 … 1; ignores pixels outside the picture.
pub(crate) fn blend(picture: &mut Picture, x: usize, y: usize, colour: Rgb, cover: f32) {
    if x >= picture.width || y >= picture.height {
        return;
    }
    let i = 3 * (y * picture.width + x);
    for (byte, c) in picture.rgb[i..i + 3].iter_mut().zip(colour) {
        let old = f32::from(*byte);
        *byte = (old + cover * (255.0 * c - old) + 0.5) as u8;
    }
}

/// Returns points along a stroke.
fn flattened(stroke: &str) -> Vec<[f64; 2]> {
    let digits: Vec<f64> = stroke
        .bytes()
        .filter(u8::is_ascii_digit)
        .map(|b| f64::from(b - b'0'))
        .collect();
    let p: Vec<[f64; 2]> = digits.chunks_exact(2).map(|c| [c[0], c[1]]).collect();
    let middle = |a: [f64; 2], b: [f64; 2]| [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
    let n = p.len();
    let mut out = Vec::new();
    match stroke.bytes().next() {
        Some(b'~') if n > 2 => {
            let mut from = p[0];
            for i in 1..n - 1 {
                let to = if i + 2 == n {
                    p[n - 1]
                } else {
                    middle(p[i], p[i + 1])
                };
                arc(&mut out, from, p[i], to);
                from = to;
            }
        }
        Some(b'o') if n > 2 => {
            for i in 0..n {
                let (before, after) = (p[(i + n - 1) % n], p[(i + 1) % n]);
                arc(&mut out, middle(before, p[i]), p[i], middle(p[i], after));
            }
        }
        _ => out = p,
    }
    out
}

/// Appends a quadratic Bézier curve in eight segments.
fn arc(out: &mut Vec<[f64; 2]>, a: [f64; 2], b: [f64; 2], c: [f64; 2]) {
    for k in 0..=8 {
        let t = f64::from(k) / 8.0;
        let s = 1.0 - t;
        out.push([0, 1].map(|i| s * s * a[i] + 2.0 * s * t * b[i] + t * t * c[i]));
    }
}

/// Returns the distance of a point from a line segment.
fn distance(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let (d, e) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let length = d[0] * d[0] + d[1] * d[1];
    let t = if length > 0.0 {
        ((d[0] * e[0] + d[1] * e[1]) / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (e[0] - t * d[0]).hypot(e[1] - t * d[1])
}
