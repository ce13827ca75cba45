//! `bonds` and `crack` of a body: a peridynamic solid and the cracks it starts with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Body, Vec3};

/// Peridynamic bonds between the nodes of a solid mesh, which are its particles. Poisson's ratio is ¼.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend("x-groups" = [["micromodulus"], ["young"]], "x-needs" = "give the stiffness"))]
pub struct Bonds {
    /// Distance up to which nodes are bonded (m); about three spacings of the mesh.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub horizon: f64,
    /// Micromodulus: bond force per volume squared and stretch (N/m⁶).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub micromodulus: Option<f64>,
    /// Young's modulus (Pa), instead of `micromodulus`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub young: Option<f64>,
    /// Stretch at which a bond breaks; bonds never break if neither this nor `fracture-energy` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub critical_stretch: Option<f64>,
    /// Energy that separating the body along a plane needs (J/m²), instead of `critical-stretch`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub fracture_energy: Option<f64>,
    /// Largest random deviation of a bond's critical stretch, as a fraction of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 1))]
    pub strength_scatter: Option<f64>,
    /// Seed of `strength-scatter`; the scene's if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 9_223_372_036_854_775_807u64))]
    pub seed: Option<u64>,
    /// How the stiffness of a bond depends on its length.
    #[serde(default)]
    pub influence: Influence,
    /// Whether bonds are corrected such that sums over the particles have the stiffness and the fracture energy of the continuum.
    #[serde(default = "calibrated", skip_serializing_if = "is_calibrated")]
    pub calibrate: bool,
    /// Mass per volume (kg/m³).
    #[serde(default = "density_of_water")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub density: f64,
}

impl Bonds {
    /// Returns whether the bonds can break.
    pub fn can_break(&self) -> bool {
        self.critical_stretch.is_some() || self.fracture_energy.is_some()
    }
}

fn density_of_water() -> f64 {
    1000.0
}

fn calibrated() -> bool {
    true
}

fn is_calibrated(calibrate: &bool) -> bool {
    *calibrate
}

/// Influence functions of bonds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Influence {
    /// The same micromodulus up to the horizon.
    #[default]
    Constant,
    /// Falling linearly to zero at the horizon.
    Linear,
}

/// A crack that a body with bonds starts with: a plane or a disc.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend("x-groups" = [["plane"], ["disc"]], "x-needs" = "say where the crack is"))]
pub struct Crack {
    /// A plane, whole or within a box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plane: Option<CrackPlane>,
    /// A disc.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disc: Option<CrackDisc>,
}

/// A plane along which bonds are broken from the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CrackPlane {
    /// A point of the plane (m).
    pub point: Vec3,
    /// Normal of the plane.
    pub normal: Vec3,
    /// Lowest corner of the box that bounds the crack (m); unbounded if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Vec3>,
    /// Highest corner of the box that bounds the crack (m); unbounded if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Vec3>,
}

/// A disc along which bonds are broken from the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CrackDisc {
    /// Centre of the disc (m).
    pub center: Vec3,
    /// Normal of the disc.
    pub normal: Vec3,
    /// Radius of the disc (m).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
}

/// Returns the keys of bonds and cracks of a body that contradict each other or have no effect, with a sentence each.
pub(super) fn find_contradictions(body: &Body) -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    let mut refuse = |key: &str, sentence| found.push((key.to_string(), sentence));
    let Some(bonds) = &body.bonds else {
        if !body.crack.is_empty() {
            refuse(
                "crack",
                "cuts bonds, but the body has none; give the body \"bonds\" instead of \"material\" or \"springs\"",
            );
        }
        return found;
    };
    if bonds.critical_stretch.is_some() && bonds.fracture_energy.is_some() {
        refuse(
            "bonds.fracture-energy",
            "cannot be combined with \"critical-stretch\"; keep one of the two",
        );
    }
    if bonds.strength_scatter.is_some() && !bonds.can_break() {
        refuse(
            "bonds.strength-scatter",
            "has no effect on bonds that never break; give \"critical-stretch\" or \"fracture-energy\"",
        );
    }
    if bonds.seed.is_some() && !bonds.strength_scatter.is_some_and(|s| s > 0.0) {
        refuse(
            "bonds.seed",
            "has no effect without \"strength-scatter\"; give one above 0 or leave \"seed\" out",
        );
    }
    for (i, crack) in body.crack.iter().enumerate() {
        let plane = crack.plane.as_ref().map(|p| ("plane", p.normal));
        let disc = crack.disc.as_ref().map(|d| ("disc", d.normal));
        if let Some((shape, [0.0, 0.0, 0.0])) = plane.or(disc) {
            refuse(
                &format!("crack[{i}].{shape}.normal"),
                "has length 0; give a direction such as [0, 1, 0]",
            );
        }
    }
    found
}
