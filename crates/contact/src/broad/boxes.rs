//! Bounding boxes in single precision. Rounding is monotonic: boxes that overlap still overlap when they are rounded.

use crate::Point;

/// Lowest and highest corners of a box, relative to the middle of the scene.
pub(super) type Bounds = [[f32; 3]; 2];

/// Boxes of the items of one kind.
pub(super) type Boxes = Vec<Bounds>;

/// Box that overlaps nothing and does not change unions.
pub(super) const EMPTY: Bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];

/// Makes the boxes of primitives over straight paths of their vertices.
pub(super) struct BoxBuilder<'a> {
    start: &'a [Point],
    end: &'a [Point],
    inflation: f64,
    middle: Point,
}

impl<'a> BoxBuilder<'a> {
    pub fn new(start: &'a [Point], end: &'a [Point], inflation: f64) -> BoxBuilder<'a> {
        // Single precision is relative to the middle of the vertices at the start.
        let [low, high] = mesh::bvh::bounding_box(start);
        let middle = [0, 1, 2].map(|k| 0.5 * low[k] + 0.5 * high[k]);
        let largest = |points: &[Point]| {
            points
                .as_flattened()
                .iter()
                .fold(0.0f64, |m, x| m.max(x.abs()))
        };
        // What the sums below lose in double precision.
        let rounding = 4.0 * f64::EPSILON * (largest(start).max(largest(end)) + inflation);
        BoxBuilder {
            start,
            end,
            inflation: inflation + rounding,
            middle: middle.map(|m| if m.is_finite() { m } else { 0.0 }),
        }
    }

    /// Writes the boxes of `count` primitives with the given vertices.
    pub fn fill<const N: usize>(
        &self,
        count: usize,
        vertices: impl Fn(usize) -> [u32; N],
        radius: impl Fn([u32; N]) -> f64,
        out: &mut Boxes,
    ) {
        out.clear();
        let swept = !std::ptr::eq(self.start, self.end);
        out.extend((0..count).map(|i| {
            let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
            let mut include = |x: &Point| {
                for k in 0..3 {
                    low[k] = if x[k] < low[k] { x[k] } else { low[k] };
                    high[k] = if x[k] > high[k] { x[k] } else { high[k] };
                }
            };
            let wide = self.inflation + radius(vertices(i));
            for v in vertices(i) {
                include(&self.start[v as usize]);
                if swept {
                    include(&self.end[v as usize]);
                }
            }
            // A motion that blows up leaves the range of single precision; infinite boxes would overlap empty ones.
            let finite = |x: f64| (x as f32).clamp(f32::MIN, f32::MAX);
            let mut bounds = EMPTY;
            for k in 0..3 {
                bounds[0][k] = finite(low[k] - wide - self.middle[k]);
                bounds[1][k] = finite(high[k] + wide - self.middle[k]);
            }
            bounds
        }));
    }
}

/// Smallest box around two.
#[inline]
pub(super) fn union(a: &Bounds, b: &Bounds) -> Bounds {
    let mut c = *a;
    for k in 0..3 {
        c[0][k] = if b[0][k] < c[0][k] { b[0][k] } else { c[0][k] };
        c[1][k] = if b[1][k] > c[1][k] { b[1][k] } else { c[1][k] };
    }
    c
}
