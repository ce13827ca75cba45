//! Prescribed motion of boundary nodes: displacement and its first three time derivatives in closed form.
//!
//! Keyframes are interpolated by the quintic s(τ) = 10τ³ − 15τ⁴ + 6τ⁵: velocity and acceleration vanish at every keyframe
//! and are continuous everywhere. The motion rests before the first and after the last keyframe. Rotation is about a pivot,
//! by angles about x, then y, then z.

/// A scalar function of time: its value and first three derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Jet([f64; 4]);

impl Jet {
    fn constant(x: f64) -> Jet {
        Jet([x, 0.0, 0.0, 0.0])
    }

    fn plus(self, b: Jet) -> Jet {
        Jet([0, 1, 2, 3].map(|k| self.0[k] + b.0[k]))
    }

    fn scaled(self, s: f64) -> Jet {
        Jet(self.0.map(|x| s * x))
    }

    fn times(self, b: Jet) -> Jet {
        let (a, b) = (self.0, b.0);
        Jet([
            a[0] * b[0],
            a[1] * b[0] + a[0] * b[1],
            a[2] * b[0] + 2.0 * a[1] * b[1] + a[0] * b[2],
            a[3] * b[0] + 3.0 * a[2] * b[1] + 3.0 * a[1] * b[2] + a[0] * b[3],
        ])
    }

    /// Sine and cosine.
    fn sin_cos(self) -> (Jet, Jet) {
        let [x, d, dd, ddd] = self.0;
        let (s, c) = x.sin_cos();
        let sine = [
            s,
            c * d,
            c * dd - s * d * d,
            c * ddd - 3.0 * s * d * dd - c * d * d * d,
        ];
        let cosine = [
            c,
            -s * d,
            -s * dd - c * d * d,
            -s * ddd - 3.0 * c * d * dd + s * d * d * d,
        ];
        (Jet(sine), Jet(cosine))
    }
}

/// Translation and rotation of a motion at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    /// Time, s.
    pub t: f64,
    /// Translation, m.
    pub translate: [f64; 3],
    /// Rotation about x, then y, then z, radians.
    pub rotate: [f64; 3],
}

/// Prescribed motion of boundary nodes or anchors.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Motion {
    /// No motion.
    #[default]
    Still,
    /// Interpolation between keyframes.
    Keyframes {
        /// The keyframes, ascending in time.
        keys: Vec<Keyframe>,
        /// Centre of rotation, m.
        pivot: [f64; 3],
    },
    /// Harmonic motion, amplitude · axis · sin(2π frequency t).
    Shake {
        /// Direction, a unit vector.
        axis: [f64; 3],
        /// Amplitude, m.
        amplitude: f64,
        /// Frequency, Hz.
        frequency: f64,
    },
}

/// Displacement, velocity, acceleration and jerk of a node, in SI units.
pub type Kinematics = [[f64; 3]; 4];

impl Motion {
    /// Returns the displacement of a node with this rest position and its first three time derivatives.
    pub fn at(&self, t: f64, rest: [f64; 3]) -> Kinematics {
        let jets = match self {
            Motion::Still => return [[0.0; 3]; 4],
            Motion::Shake {
                axis,
                amplitude,
                frequency,
            } => {
                let w = std::f64::consts::TAU * frequency;
                let (wave, _) = Jet([w * t, w, 0.0, 0.0]).sin_cos();
                axis.map(|n| wave.scaled(n * amplitude))
            }
            Motion::Keyframes { keys, pivot } => keyframed_displacement(keys, *pivot, t, rest),
        };
        [0, 1, 2, 3].map(|order| [0, 1, 2].map(|axis| jets[axis].0[order]))
    }

    /// Returns the time of the first keyframe after `t`, where the third derivative jumps, s; infinity if there is none.
    pub fn next_kink(&self, t: f64) -> f64 {
        match self {
            Motion::Still | Motion::Shake { .. } => f64::INFINITY,
            Motion::Keyframes { keys, .. } => {
                let next = keys.partition_point(|key| key.t <= t);
                keys.get(next).map_or(f64::INFINITY, |key| key.t)
            }
        }
    }

    /// Returns `false` if the displacement is zero at all times.
    pub fn moves(&self) -> bool {
        match self {
            Motion::Still => false,
            Motion::Shake {
                amplitude,
                frequency,
                ..
            } => *amplitude != 0.0 && *frequency != 0.0,
            Motion::Keyframes { keys, .. } => keys
                .iter()
                .any(|k| k.translate != [0.0; 3] || k.rotate != [0.0; 3]),
        }
    }
}

/// Displacement of a node under keyframed translation and rotation.
fn keyframed_displacement(keys: &[Keyframe], pivot: [f64; 3], t: f64, rest: [f64; 3]) -> [Jet; 3] {
    let pose = |pick: fn(&Keyframe) -> [f64; 3]| {
        [0, 1, 2].map(|k| interpolate(keys, t, |key| pick(key)[k]))
    };
    let (shift, angles) = (pose(|k| k.translate), pose(|k| k.rotate));
    let arm = [0, 1, 2].map(|k| Jet::constant(rest[k] - pivot[k]));
    let mut p = arm;
    for axis in 0..3 {
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        let (s, c) = angles[axis].sin_cos();
        (p[i], p[j]) = (
            c.times(p[i]).plus(s.times(p[j]).scaled(-1.0)),
            s.times(p[i]).plus(c.times(p[j])),
        );
    }
    [0, 1, 2].map(|k| p[k].plus(arm[k].scaled(-1.0)).plus(shift[k]))
}

/// Interpolates one component of the keyframes at time t.
fn interpolate(keys: &[Keyframe], t: f64, value: impl Fn(&Keyframe) -> f64) -> Jet {
    let after = keys.partition_point(|key| key.t <= t);
    if after == 0 || after == keys.len() {
        let key = if after == 0 {
            keys.first()
        } else {
            keys.last()
        };
        return Jet::constant(key.map_or(0.0, &value));
    }
    let (from, to) = (&keys[after - 1], &keys[after]);
    let rate = 1.0 / (to.t - from.t);
    let x = (t - from.t) * rate;
    let ease = [
        x * x * x * (10.0 + x * (6.0 * x - 15.0)),
        rate * 30.0 * x * x * (1.0 - x) * (1.0 - x),
        rate * rate * 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x),
        rate * rate * rate * 60.0 * (1.0 - 6.0 * x + 6.0 * x * x),
    ];
    Jet(ease)
        .scaled(value(to) - value(from))
        .plus(Jet::constant(value(from)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motions() -> Vec<Motion> {
        let keys = vec![
            Keyframe {
                t: 0.5,
                translate: [0.0; 3],
                rotate: [0.0; 3],
            },
            Keyframe {
                t: 1.5,
                translate: [0.1, -0.3, 0.2],
                rotate: [0.4, -0.2, 1.1],
            },
            Keyframe {
                t: 2.0,
                translate: [0.0, 0.3, 0.2],
                rotate: [0.0, 2.0, 0.3],
            },
        ];
        let shake = Motion::Shake {
            axis: [0.6, 0.0, 0.8],
            amplitude: 0.2,
            frequency: 1.3,
        };
        vec![
            Motion::Keyframes {
                keys,
                pivot: [0.1, 0.2, 0.3],
            },
            shake,
            Motion::Still,
        ]
    }

    #[test]
    fn derivatives_match_differences() {
        let (rest, eps) = ([0.7, -0.4, 1.2], 1e-5);
        for motion in motions() {
            for t in [0.2, 0.61, 0.99, 1.37, 1.62, 1.93, 2.4] {
                let [plus, at, minus] = [t + eps, t, t - eps].map(|t| motion.at(t, rest));
                for order in 0..3 {
                    for k in 0..3 {
                        let slope = (plus[order][k] - minus[order][k]) / (2.0 * eps);
                        let tolerance = 1e-7 * 20f64.powi(order as i32 + 1);
                        assert!(
                            (slope - at[order + 1][k]).abs() < tolerance,
                            "{t} {order} {k}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn rotation_keeps_distances_and_turns_x_then_y_then_z() {
        let quarter = std::f64::consts::FRAC_PI_2;
        let end = Keyframe {
            t: 1.0,
            translate: [0.0; 3],
            rotate: [quarter, 0.0, quarter],
        };
        let start = Keyframe {
            t: 0.0,
            rotate: [0.0; 3],
            ..end
        };
        let motion = Motion::Keyframes {
            keys: vec![start, end],
            pivot: [0.0; 3],
        };
        // About x: y → z; about z: z stays.
        let u = motion.at(1.0, [0.0, 1.0, 0.0])[0];
        for (u, want) in u.iter().zip([0.0, -1.0, 1.0]) {
            assert!((u - want).abs() < 1e-15);
        }
        let rest = [0.3, -0.2, 0.9];
        for t in [0.1, 0.45, 0.8] {
            let u = motion.at(t, rest)[0];
            let length: f64 = (0..3).map(|k| (rest[k] + u[k]).powi(2)).sum();
            assert!((length - 0.94).abs() < 1e-14);
        }
    }
}
