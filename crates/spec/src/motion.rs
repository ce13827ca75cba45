//! Prescribed motions: `motion` with `keys`, `speed`, `shake` or `samples`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Direction, Vec3};

/// A prescribed motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "MotionKeys", into = "MotionKeys")]
pub enum Motion {
    /// Poses at given times, joined by an ease.
    Keys {
        /// Poses in ascending order of time; at least one.
        keys: Vec<MotionKey>,
        /// Point about which the poses rotate (m); the centroid of the nodes if left out.
        about: Option<Vec3>,
        /// How the poses are joined.
        ease: Ease,
    },
    /// Constant speed.
    Speed(Speed),
    /// A sinusoidal motion along an axis.
    Shake(Shake),
    /// Recorded displacements: time (s), then x, y, z (m).
    Samples(Vec<[f64; 4]>),
}

/// How a motion goes from one key to the next, as a function of the fraction τ of the time between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ease {
    /// 10τ³ − 15τ⁴ + 6τ⁵: speed and acceleration are zero at every key and continuous.
    #[default]
    Quintic,
    /// 3τ² − 2τ³: the speed is zero at every key and continuous, the acceleration jumps there.
    Cubic,
    /// τ: constant speed between keys, which jumps at every key.
    Linear,
}

/// Motion at constant speed at all times, with no displacement at t = 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Speed {
    /// Velocity (m/s).
    pub translate: Vec3,
    /// Rates of the angles about x, then y, then z (degrees/s).
    pub rotate_deg: Vec3,
    /// Point about which the nodes rotate (m); their centroid if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<Vec3>,
}

/// A prescribed motion: poses at given times (`keys`), constant speed (`speed`), a sine (`shake`) or a recording (`samples`).
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend("x-groups" = [["keys", "about", "ease"], ["speed"], ["shake"], ["samples"]],
    "dependentRequired" = {"about": ["keys"], "ease": ["keys"]}))]
struct MotionKeys {
    /// Poses in ascending order of time; constant before the first and after the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    keys: Option<Vec<MotionKey>>,
    /// Point about which `keys` rotate (m); the centroid of the nodes if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    about: Option<Vec3>,
    /// How `keys` are joined; `quintic` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ease: Option<Ease>,
    /// Constant speed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    speed: Option<Speed>,
    /// A sinusoidal motion along an axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shake: Option<Shake>,
    /// Displacements in ascending order of time, `[t, x, y, z]` (s, m, m, m), joined smoothly; constant before the first and
    /// after the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    samples: Option<Vec<[f64; 4]>>,
}

impl TryFrom<MotionKeys> for Motion {
    type Error = &'static str;

    fn try_from(words: MotionKeys) -> Result<Self, Self::Error> {
        let of_keys = words.about.is_some() || words.ease.is_some();
        match (words.keys, words.speed, words.shake, words.samples) {
            (Some(keys), None, None, None) => Ok(Motion::Keys {
                keys,
                about: words.about,
                ease: words.ease.unwrap_or_default(),
            }),
            (None, Some(speed), None, None) if !of_keys => Ok(Motion::Speed(speed)),
            (None, None, Some(shake), None) if !of_keys => Ok(Motion::Shake(shake)),
            (None, None, None, Some(samples)) if !of_keys => Ok(Motion::Samples(samples)),
            _ => Err(
                "needs one of `keys`, `speed`, `shake`, `samples`; `about` and `ease` go with `keys`",
            ),
        }
    }
}

impl From<Motion> for MotionKeys {
    fn from(motion: Motion) -> Self {
        match motion {
            Motion::Keys { keys, about, ease } => MotionKeys {
                keys: Some(keys),
                about,
                // Left out if it is the default: the fingerprint of older scenes stays.
                ease: (ease != Ease::default()).then_some(ease),
                ..MotionKeys::default()
            },
            Motion::Speed(speed) => MotionKeys {
                speed: Some(speed),
                ..MotionKeys::default()
            },
            Motion::Shake(shake) => MotionKeys {
                shake: Some(shake),
                ..MotionKeys::default()
            },
            Motion::Samples(samples) => MotionKeys {
                samples: Some(samples),
                ..MotionKeys::default()
            },
        }
    }
}

/// Translation and rotation at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MotionKey {
    /// Time (s).
    pub t: f64,
    /// Displacement from the rest position (m).
    #[serde(default)]
    pub translate: Vec3,
    /// Angles about x, then y, then z (degrees); more than a turn is allowed.
    #[serde(default)]
    pub rotate_deg: Vec3,
}

/// Sinusoidal motion: displacement `amplitude · sin(2π frequency t)` along an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Shake {
    /// Direction: `"x"`, `"y"`, `"z"` or a vector.
    pub axis: Direction,
    /// Largest displacement (m).
    pub amplitude: f64,
    /// Frequency (1/s).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub frequency: f64,
}
