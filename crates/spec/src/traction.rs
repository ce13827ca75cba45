//! `[[body.traction]]`: a load on faces of the surface of a solid body.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NodeSelection, Vec3};

/// A load on faces of the surface of a solid, shared among their nodes by the shape functions: a pressure that follows the
/// deformed faces, or a force per area of the undeformed ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend("x-groups" = [["pressure"], ["force-per-area"]], "x-needs" = "give the load"))]
pub struct Traction {
    /// Which faces: those all of whose nodes, mid-edge nodes included, are selected.
    #[serde(rename = "where")]
    pub nodes: NodeSelection,
    /// Pressure on the deformed faces (Pa); positive pushes into the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure: Option<f64>,
    /// Force per area of the undeformed faces, with a fixed direction (N/m²).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force_per_area: Option<Vec3>,
    /// Time at which the load begins (s).
    #[serde(default)]
    pub from: f64,
    /// Time at which the load ends (s); never if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
    /// Duration of its linear rise from zero (s); it begins at once if left out.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub ramp: f64,
}
