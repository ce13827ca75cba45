//! `[[event]]` and `[[handle]]`: changes at given times, and hands that pull single nodes. `supple view --record` writes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Damping, Method, Vec3};

/// Changes of the scene at a time. A step ends there; the change of energy that they cause is booked as external work.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Event {
    /// Time (s).
    #[schemars(range(min = 0))]
    pub t: f64,
    /// Name of the body to which `damping` and `stiffness` apply; all bodies if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub body: Option<String>,
    /// What changes; nothing if it is empty.
    #[serde(default)]
    pub set: Changes,
}

/// What an event can change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Changes {
    /// Acceleration of gravity (m/s²).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gravity: Option<Vec3>,
    /// Integration method; it starts anew from the current state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// Time step (s).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub step: Option<f64>,
    /// Coefficient of friction of `[contact]`, for pairs without one of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub friction: Option<f64>,
    /// Damping, instead of that of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<Damping>,
    /// Factor of the moduli or spring stiffnesses that the scene gives the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness: Option<f64>,
}

impl Changes {
    /// Returns whether nothing is changed.
    pub fn is_empty(&self) -> bool {
        *self == Changes::default()
    }

    /// Returns whether the bodies or their contact change, so that the model must be built again.
    pub fn changes_model(&self) -> bool {
        self.friction.is_some() || self.damping.is_some() || self.stiffness.is_some()
    }
}

/// A hand: a spring of zero rest length from a node to a point that moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Handle {
    /// Number of the node, from 0: the nodes of the bodies in the order of the file, then the particles.
    pub node: u32,
    /// Stiffness (N/m).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness: f64,
    /// Where the other end is; the node is grabbed at the first time.
    pub motion: HandleMotion,
    /// Time at which the node is released (s); never if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub release: Option<f64>,
}

/// Recorded motion of the end of a handle. It rests between two samples, and steps end at their times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HandleMotion {
    /// Positions in the order of time, `[t, x, y, z]` (s, m, m, m).
    #[schemars(length(min = 1))]
    pub samples: Vec<[f64; 4]>,
}
