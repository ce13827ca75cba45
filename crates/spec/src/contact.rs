//! Contact: `[contact]` and `[[contact.pair]]`.

use contact::BarrierShape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use solid::potential::contact::SmoothedCoulomb;

/// Contact of bodies, particles and obstacles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Contact {
    /// Contact model (`supple list contacts`).
    pub kind: ContactKind,
    /// Distance at which contact forces begin (m); chosen from the bodies if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub reach: Option<f64>,
    /// Pressure at half the reach (Pa); chosen from Young's modulus and weight if left out. A particle has an area of 1 m².
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness: Option<f64>,
    /// Distance that is kept between all surfaces (m).
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub thickness: f64,
    /// Whether bodies touch themselves. Different bodies and obstacles always touch.
    #[serde(default, rename = "self")]
    pub self_contact: bool,
    /// Whether surfaces that overlap at the start are pushed apart before t = 0; otherwise they are refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untangle: bool,
    /// Barrier function of the distance.
    #[serde(default)]
    pub shape: BarrierFunction,
    /// Pairs of bodies and obstacles with rules of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pair: Vec<ContactPair>,
    /// Coefficient of friction of pairs without one of their own; no friction if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub friction: Option<f64>,
    /// When normal forces of friction are evaluated.
    #[serde(default)]
    pub friction_mode: FrictionMode,
    /// Sliding speed below which friction is smoothed (m/s). A sticking body creeps with a part of it.
    #[serde(default = "default_slip_speed")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub slip_speed: f64,
    /// Rows of the corrector; `position` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<CorrectorRows>,
    /// Largest number of predictions and corrections of a step by the corrector (1 if left out).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 50))]
    pub iterations: Option<u32>,
    /// Whether the damping of the bodies is part of the matrix of the corrector; `include` if left out. The method's own step has it
    /// in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<CorrectorDamping>,
    /// Coefficient of restitution of the penalty model: the part of its speed with which a node leaves a surface (0 to 1); 1 if
    /// left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub restitution: Option<f64>,
}

/// Slip speed if left out, m/s.
pub(super) fn default_slip_speed() -> f64 {
    SmoothedCoulomb::default().slip_speed
}

/// Rows of the corrector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CorrectorRows {
    /// Gaps at the end of the step, then velocities of what touches there: nothing sinks in.
    #[default]
    Position,
    /// Velocities of what touches at the start of the step: surfaces sink in by the path of a step and lose less energy.
    Velocity,
}

/// Damping in the corrector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CorrectorDamping {
    /// The corrector measures with M + h D + h² K.
    #[default]
    Include,
    /// The corrector measures with M + h² K [Löschner et al. 2020, sec. 5.5].
    Exclude,
}

/// When normal forces of friction are evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrictionMode {
    /// In every stage, until the friction force stands still: every method keeps its order.
    #[default]
    Implicit,
    /// At the start of each step: cheaper, and first-order accurate with every method.
    Lagged,
}

/// Contact models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContactKind {
    /// Barrier potential that is infinite at contact: no intersection in any accepted step.
    Barrier,
    /// Correct the end of each step with a quadratic program.
    Corrector,
    /// Repulsion springs: surfaces may overlap; for every method and for local/global iterations.
    Penalty,
}

/// A contact model and its description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactModel {
    /// Value of `kind`.
    pub kind: ContactKind,
    /// Name of the value in scene files.
    pub name: &'static str,
    /// Description for listings.
    pub description: &'static str,
}

/// The contact models of this version.
pub static CONTACT_MODELS: &[ContactModel] = &[
    ContactModel {
        kind: ContactKind::Barrier,
        name: "barrier",
        description: "barrier potential that is infinite at contact, with continuous collision detection: no intersection in any accepted step; for implicit methods whose stages are iterated to convergence",
    },
    ContactModel {
        kind: ContactKind::Corrector,
        name: "corrector",
        description: "correct the end of each step with a quadratic program over points of contact, and with Coulomb friction; around any method, explicit and linearly implicit ones included",
    },
    ContactModel {
        kind: ContactKind::Penalty,
        name: "penalty",
        description: "repulsion springs between vertices and surfaces, found once a step; surfaces may overlap; friction and restitution are impulses after the step; for every method and for local/global iterations in real time",
    },
];

/// Barrier functions of the distance d with the reach r.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BarrierFunction {
    /// −(d² − r²)² ln(d²/r²).
    #[default]
    SquaredLog,
    /// −(d − r)² ln(d/r).
    Log,
    /// (r − d)³/d.
    Cubic,
}

impl BarrierFunction {
    /// Returns the shape of the barrier.
    pub fn shape(self) -> BarrierShape {
        match self {
            BarrierFunction::SquaredLog => BarrierShape::SquaredLog,
            BarrierFunction::Log => BarrierShape::Log,
            BarrierFunction::Cubic => BarrierShape::Cubic,
        }
    }
}

/// A pair of bodies and obstacles with rules of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ContactPair {
    /// Name of a body or an obstacle.
    pub a: String,
    /// Name of another body or obstacle.
    pub b: String,
    /// Whether the two pass through each other.
    #[serde(default)]
    pub ignore: bool,
    /// Coefficient of friction between the two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub friction: Option<f64>,
}
