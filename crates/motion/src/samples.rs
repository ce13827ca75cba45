//! Recorded displacements, joined by cubic Hermite polynomials.
//!
//! The velocity at a sample is that of the parabola through it and its two neighbours (the tangents of Catmull and Rom 1974,
//! for unequal intervals h₀ and h₁ with slopes s₀ and s₁: v = (h₁ s₀ + h₀ s₁)/(h₀ + h₁)), and zero at the first and the last
//! sample, where the motion starts and ends at rest. Position and velocity are continuous; the acceleration jumps at samples.

use crate::Kinematics;

/// Displacements at given times; constant before the first and after the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// Times, s, ascending.
    times: Vec<f64>,
    /// Displacement (m) and velocity (m/s) at each time.
    states: Vec<[[f64; 3]; 2]>,
}

impl Samples {
    /// Creates a motion through displacements (m) at ascending times (s).
    pub fn new(samples: &[(f64, [f64; 3])]) -> Samples {
        let slope =
            |a: &(f64, [f64; 3]), b: &(f64, [f64; 3]), k: usize| (b.1[k] - a.1[k]) / (b.0 - a.0);
        let velocity = |i: usize| {
            let (Some(before), Some(after)) = (i.checked_sub(1), samples.get(i + 1)) else {
                return [0.0; 3];
            };
            let (before, now) = (&samples[before], &samples[i]);
            let (h0, h1) = (now.0 - before.0, after.0 - now.0);
            [0, 1, 2].map(|k| (h1 * slope(before, now, k) + h0 * slope(now, after, k)) / (h0 + h1))
        };
        Samples {
            times: samples.iter().map(|s| s.0).collect(),
            states: (0..samples.len())
                .map(|i| [samples[i].1, velocity(i)])
                .collect(),
        }
    }

    /// Returns the displacement and its first three time derivatives.
    pub(crate) fn at(&self, t: f64) -> Kinematics {
        let after = self.times.partition_point(|time| *time <= t);
        let rest = |[x, _]: [[f64; 3]; 2]| [x, [0.0; 3], [0.0; 3], [0.0; 3]];
        match (
            self.states.get(after.wrapping_sub(1)),
            self.states.get(after),
        ) {
            (Some(from), Some(to)) => {
                let (start, h) = (
                    self.times[after - 1],
                    self.times[after] - self.times[after - 1],
                );
                hermite(*from, *to, (t - start) / h, 1.0 / h)
            }
            (Some(only), None) | (None, Some(only)) => rest(*only),
            (None, None) => [[0.0; 3]; 4],
        }
    }

    /// Returns the time of the first sample after `t`, s; infinity if there is none.
    pub(crate) fn next_kink(&self, t: f64) -> f64 {
        let next = self.times.partition_point(|time| *time <= t);
        self.times.get(next).copied().unwrap_or(f64::INFINITY)
    }

    /// Returns `false` if the displacement is zero at all times.
    pub(crate) fn moves(&self) -> bool {
        self.states.iter().any(|[x, _]| *x != [0.0; 3])
    }
}

/// The cubic polynomial with given ends and slopes at x, the fraction of an interval of length 1/`rate`, with its derivatives.
fn hermite(from: [[f64; 3]; 2], to: [[f64; 3]; 2], x: f64, rate: f64) -> Kinematics {
    let component = |k: usize| {
        let (a, b) = (from[0][k], from[1][k] / rate);
        let rise = to[0][k] - a;
        let (c, d) = (
            3.0 * rise - 2.0 * b - to[1][k] / rate,
            b + to[1][k] / rate - 2.0 * rise,
        );
        [
            a + x * (b + x * (c + x * d)),
            rate * (b + x * (2.0 * c + 3.0 * x * d)),
            rate * rate * (2.0 * c + 6.0 * x * d),
            rate * rate * rate * 6.0 * d,
        ]
    };
    let columns = [0, 1, 2].map(component);
    [0, 1, 2, 3].map(|order| columns.map(|column| column[order]))
}
