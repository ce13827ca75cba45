//! Dense output: the state at any time inside a step.
//!
//! Displacements are the cubic Hermite interpolant of the displacements and velocities at both ends, velocities its
//! derivative. The order is three for any method.

use crate::State;

/// Interpolates the state at time `t` between `from` and `to` into `out`.
pub fn interpolate(from: &State, to: &State, t: f64, out: &mut State) {
    let h = to.t - from.t;
    let x = ((t - from.t) / h).clamp(0.0, 1.0);
    out.copy_from(to);
    if x == 1.0 || h <= 0.0 {
        return;
    }
    out.t = t;
    let values = [
        (1.0 + 2.0 * x) * (1.0 - x).powi(2),
        x * (1.0 - x).powi(2) * h,
        x * x * (3.0 - 2.0 * x),
        x * x * (x - 1.0) * h,
    ];
    let slopes = [
        6.0 * x * (x - 1.0) / h,
        (1.0 - x) * (1.0 - 3.0 * x),
        6.0 * x * (1.0 - x) / h,
        x * (3.0 * x - 2.0),
    ];
    for i in 0..to.u.len() {
        let ends = [from.u[i], from.v[i], to.u[i], to.v[i]];
        let blend = |w: &[f64; 4]| (0..4).map(|k| w[k] * ends[k]).sum();
        out.u[i] = blend(&values);
        out.v[i] = blend(&slopes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cubic(t: f64) -> State {
        State {
            t,
            u: vec![1.0 - 2.0 * t + 3.0 * t * t - 0.5 * t * t * t],
            v: vec![-2.0 + 6.0 * t - 1.5 * t * t],
        }
    }

    #[test]
    fn cubic_motions_are_interpolated_exactly() {
        let (from, to) = (cubic(0.5), cubic(2.0));
        let mut out = State::default();
        for t in [0.5, 0.9, 1.7, 2.0] {
            interpolate(&from, &to, t, &mut out);
            let truth = cubic(t);
            assert_eq!(out.t, t);
            assert!((out.u[0] - truth.u[0]).abs() < 1e-14, "{t}");
            assert!((out.v[0] - truth.v[0]).abs() < 1e-14, "{t}");
        }
    }
}
