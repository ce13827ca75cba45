//! Prescribed motion of boundary nodes: displacement and its first three time derivatives in closed form.
//!
//! Between two keyframes every component goes from its value at the first to its value at the second by an ease s(τ),
//! 0 ≤ τ ≤ 1 [`Ease`]. The quintic s(τ) = 10τ³ − 15τ⁴ + 6τ⁵ is the default: velocity and acceleration vanish at every
//! keyframe and are continuous everywhere. The motion rests before the first and after the last keyframe. Rotation is about a
//! pivot, by angles about x, then y, then z. At a keyframe the derivatives are those of the interval that begins there.
//!
//! ```
//! use motion::{Ease, Keyframe, Motion};
//!
//! let key = |t: f64, x: f64| Keyframe { t, translate: [x, 0.0, 0.0], rotate: [0.0; 3] };
//! let motion = Motion::Keyframes { keys: vec![key(0.0, 0.0), key(2.0, 1.0)], pivot: [0.0; 3], ease: Ease::Quintic };
//! let [displacement, velocity, ..] = motion.at(1.0, [0.0; 3]);
//! assert_eq!(displacement, [0.5, 0.0, 0.0]);
//! assert_eq!(velocity[0], 15.0 / 16.0); // m/s: s′(½) = 15/8 over 2 s
//! ```

mod samples;
mod time_course;

pub use samples::Samples;
pub use time_course::TimeCourse;

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

/// How the components of a motion go from one keyframe to the next, as a function of τ, the fraction of the interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ease {
    /// 10τ³ − 15τ⁴ + 6τ⁵: velocity and acceleration are zero at the keyframes and continuous.
    #[default]
    Quintic,
    /// 3τ² − 2τ³: the velocity is zero at the keyframes and continuous, the acceleration jumps there.
    Cubic,
    /// τ: constant velocity between the keyframes, which jumps there.
    Linear,
}

impl Ease {
    /// Returns s and its first three derivatives with respect to time at τ = x, in an interval of length 1/`rate`.
    fn at(self, x: f64, rate: f64) -> [f64; 4] {
        match self {
            Ease::Quintic => [
                x * x * x * (10.0 + x * (6.0 * x - 15.0)),
                rate * 30.0 * x * x * (1.0 - x) * (1.0 - x),
                rate * rate * 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x),
                rate * rate * rate * 60.0 * (1.0 - 6.0 * x + 6.0 * x * x),
            ],
            Ease::Cubic => [
                x * x * (3.0 - 2.0 * x),
                rate * 6.0 * x * (1.0 - x),
                rate * rate * 6.0 * (1.0 - 2.0 * x),
                rate * rate * rate * -12.0,
            ],
            Ease::Linear => [x, rate, 0.0, 0.0],
        }
    }
}

/// The interval that determines the derivatives at a keyframe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// The interval that ends there.
    Before,
    /// The interval that begins there.
    After,
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
        /// How the keyframes are joined.
        ease: Ease,
    },
    /// Constant velocity and constant rates of the three angles at all times; no displacement at t = 0.
    Steady {
        /// Velocity of the pivot, m/s.
        translate: [f64; 3],
        /// Rates of the angles about x, then y, then z, rad/s.
        rotate: [f64; 3],
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
    /// Displacements at given times, as a hand or a camera recorded them, joined by cubic polynomials.
    Samples(Samples),
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
            Motion::Keyframes { keys, pivot, ease } => {
                keyframed_displacement(keys, *pivot, *ease, (t, Side::After), rest)
            }
            Motion::Steady {
                translate,
                rotate,
                pivot,
            } => {
                let linear = |rate: &f64| Jet([rate * t, *rate, 0.0, 0.0]);
                let [shift, angles] = [translate, rotate].map(|r| r.each_ref().map(linear));
                rigid_displacement(shift, angles, *pivot, rest)
            }
            Motion::Samples(samples) => return samples.at(t),
        };
        [0, 1, 2, 3].map(|order| [0, 1, 2].map(|axis| jets[axis].0[order]))
    }

    /// Returns the sum of the jumps of the velocity of a node at keyframes after `from` and up to `to`, m/s. Only linear
    /// ease has such jumps.
    pub fn velocity_jump(&self, from: f64, to: f64, rest: [f64; 3]) -> [f64; 3] {
        let mut jump = [0.0; 3];
        let Motion::Keyframes {
            keys,
            pivot,
            ease: Ease::Linear,
        } = self
        else {
            return jump;
        };
        for key in keys.iter().filter(|key| from < key.t && key.t <= to) {
            let [before, after] = [Side::Before, Side::After].map(|side| {
                keyframed_displacement(keys, *pivot, Ease::Linear, (key.t, side), rest)
            });
            (0..3).for_each(|k| jump[k] += after[k].0[1] - before[k].0[1]);
        }
        jump
    }

    /// Returns `true` if the velocity jumps at keyframes.
    pub fn has_velocity_jumps(&self) -> bool {
        let linear = |ease: &Ease| *ease == Ease::Linear;
        matches!(self, Motion::Keyframes { ease, .. } if linear(ease)) && self.moves()
    }

    /// Returns the time of the first keyframe after `t`, where a derivative jumps (the third with quintic ease, the second
    /// with cubic, the first with linear), s; infinity if there is none.
    pub fn next_kink(&self, t: f64) -> f64 {
        match self {
            Motion::Still | Motion::Shake { .. } | Motion::Steady { .. } => f64::INFINITY,
            Motion::Keyframes { keys, .. } => {
                let next = keys.partition_point(|key| key.t <= t);
                keys.get(next).map_or(f64::INFINITY, |key| key.t)
            }
            Motion::Samples(samples) => samples.next_kink(t),
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
            Motion::Steady {
                translate, rotate, ..
            } => *translate != [0.0; 3] || *rotate != [0.0; 3],
            Motion::Samples(samples) => samples.moves(),
        }
    }
}

/// Displacement of a node under keyframed translation and rotation.
fn keyframed_displacement(
    keys: &[Keyframe],
    pivot: [f64; 3],
    ease: Ease,
    at: (f64, Side),
    rest: [f64; 3],
) -> [Jet; 3] {
    let pose = |pick: fn(&Keyframe) -> [f64; 3]| {
        [0, 1, 2].map(|k| interpolate(keys, ease, at, |key| pick(key)[k]))
    };
    rigid_displacement(pose(|k| k.translate), pose(|k| k.rotate), pivot, rest)
}

/// Displacement of a node that is rotated about a pivot by angles about x, then y, then z, and then shifted.
fn rigid_displacement(
    shift: [Jet; 3],
    angles: [Jet; 3],
    pivot: [f64; 3],
    rest: [f64; 3],
) -> [Jet; 3] {
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
fn interpolate(
    keys: &[Keyframe],
    ease: Ease,
    (t, side): (f64, Side),
    value: impl Fn(&Keyframe) -> f64,
) -> Jet {
    let after = keys.partition_point(|key| match side {
        Side::After => key.t <= t,
        Side::Before => key.t < t,
    });
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
    Jet(ease.at(x, rate))
        .scaled(value(to) - value(from))
        .plus(Jet::constant(value(from)))
}

#[cfg(test)]
mod tests;
