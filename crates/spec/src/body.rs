//! `[[body]]`: a deformable body with its material, damping, initial state, constraints and loads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use solid::load::Load;

use super::{Axes, Bonds, Crack, Mesh, Motion, NodeSelection, Placement, Traction, Vec3, Velocity};

/// A deformable body: a mesh and exactly one of `material`, `springs`, `bonds`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend("x-groups" = [["material"], ["springs"], ["bonds"]], "x-needs" = "say what the body is made of"))]
pub struct Body {
    /// Unique name; `body-0`, `body-1` … in the order of the file if left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(min = 1))]
    pub name: String,
    /// Shape.
    pub mesh: Mesh,
    /// Placement of the shape.
    #[serde(default)]
    pub place: Placement,
    /// Elastic solid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<Material>,
    /// Springs on the mesh's edges instead of a solid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub springs: Option<Springs>,
    /// Peridynamic bonds instead of elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bonds: Option<Bonds>,
    /// Cracks that a body with bonds starts with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub crack: Vec<Crack>,
    /// Mass matrix of elements; that of springs and bonds is lumped.
    #[serde(default)]
    pub mass: Mass,
    /// Damping.
    #[serde(default)]
    pub damping: Damping,
    /// Coefficient of friction; that of an obstacle wins, and the larger one of two bodies. That of `[contact]` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub friction: Option<f64>,
    /// Initial velocity.
    #[serde(default)]
    pub velocity: Velocity,
    /// Factors by which the starting shape is stretched along x, y, z about the centre of mass; the rest shape stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stretch: Option<Vec3>,
    /// Deformation gradient of the starting shape, row by row, about the centre of mass; the rest shape stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deform: Option<[Vec3; 3]>,
    /// Random initial displacement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturb: Option<Disturb>,
    /// Nodes with prescribed motion (Dirichlet conditions).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fix: Vec<Fix>,
    /// Nodes attached to their rest positions by springs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tether: Vec<Tether>,
    /// Forces on nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub push: Vec<Push>,
    /// Pressures and tractions on faces of a solid.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traction: Vec<Traction>,
}

/// What a body is made of: an elastic solid, a mass–spring network or peridynamic bonds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Matter<'a> {
    /// An elastic solid.
    Solid(&'a Material),
    /// Springs on the edges of the mesh.
    Springs(&'a Springs),
    /// Peridynamic bonds.
    Bonds(&'a Bonds),
}

/// A load on selected nodes of a body.
pub struct NodeLoad<'a> {
    /// Key of the load in its body.
    pub key: String,
    /// Which nodes it acts on.
    pub nodes: &'a NodeSelection,
    /// Builds the load for the numbers of these nodes.
    pub build: Box<dyn FnOnce(Vec<u32>) -> Box<dyn Load>>,
}

impl Body {
    /// Returns the loads on nodes of the body. A load is listed here once.
    pub fn loads(&self) -> Vec<NodeLoad<'_>> {
        let push = |(i, push): (usize, &'_ Push)| {
            let Push {
                force, from, to, ..
            } = *push;
            NodeLoad {
                key: format!("push[{i}]"),
                nodes: &self.push[i].nodes,
                build: Box::new(move |nodes| {
                    let to = to.unwrap_or(f64::INFINITY);
                    Box::new(solid::load::Push {
                        nodes,
                        force,
                        from,
                        to,
                    })
                }),
            }
        };
        self.push.iter().enumerate().map(push).collect()
    }

    /// Returns the deformation gradient of the starting shape and the key that gives it. Returns `None` if it starts at rest.
    pub fn initial_deformation(&self) -> Option<(&'static str, [Vec3; 3])> {
        let stretch = self.stretch.map(|s| {
            let mut f = [[0.0; 3]; 3];
            (0..3).for_each(|k| f[k][k] = s[k]);
            ("stretch", f)
        });
        stretch.or(self.deform.map(|f| ("deform", f)))
    }

    /// Returns the name of the body, or `body-0`, `body-1`, … by its number if it has none.
    pub fn name_or_number(&self, number: usize) -> String {
        match self.name.as_str() {
            "" => format!("body-{number}"),
            name => name.into(),
        }
    }

    /// Returns what the body is made of. Returns `None` only for a body that was not parsed: the parser requires exactly
    /// one of `material`, `springs`, `bonds`.
    pub fn matter(&self) -> Option<Matter<'_>> {
        let solid = self.material.as_ref().map(Matter::Solid);
        let springs = self.springs.as_ref().map(Matter::Springs);
        solid.or(springs).or(self.bonds.as_ref().map(Matter::Bonds))
    }
}

/// An elastic material: a law, its moduli and the density.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "MaterialKeys", into = "MaterialKeys")]
pub struct Material {
    /// Name in the registry of laws.
    pub law: String,
    /// Mass per volume at rest (kg/m³).
    pub density: f64,
    /// Moduli.
    pub moduli: Moduli,
    /// Kelvin–Voigt viscosity.
    pub viscosity: Option<Viscosity>,
}

/// Kelvin–Voigt viscosity: stress proportional to the strain rate; zero for rigid motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Viscosity {
    /// Shear viscosity (Pa s).
    #[schemars(range(min = 0))]
    pub shear: f64,
    /// Bulk viscosity (Pa s).
    #[schemars(range(min = 0))]
    pub bulk: f64,
}

/// Moduli of a material: Young's modulus and Poisson's ratio, or Mooney–Rivlin coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moduli {
    /// Young's modulus (Pa) and Poisson's ratio.
    Young {
        /// Young's modulus (Pa).
        young: f64,
        /// Poisson's ratio.
        poisson: f64,
    },
    /// Mooney–Rivlin coefficients (Pa).
    Rivlin {
        /// Coefficient of the first invariant (Pa).
        c10: f64,
        /// Coefficient of the second invariant (Pa).
        c01: f64,
        /// Bulk modulus (Pa).
        kappa: f64,
    },
}

/// An elastic material: `young` and `poisson`, or for `mooney-rivlin` also `c10`, `c01` and `kappa`.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend("x-groups" = [["young", "poisson"], ["c10", "c01", "kappa"]], "x-needs" = "give the moduli", "dependentRequired" = {
    "young": ["poisson"], "poisson": ["young"], "c10": ["c01", "kappa"], "c01": ["c10", "kappa"], "kappa": ["c10", "c01"]}))]
struct MaterialKeys {
    /// Elastic law (`supple list materials`).
    #[serde(default = "law")]
    law: String,
    /// Young's modulus (Pa).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    young: Option<f64>,
    /// Poisson's ratio, above −1 and below 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = -1, "exclusiveMaximum" = 0.5, "x-hint" = "rubber is about 0.49, jelly 0.45, steel 0.3"))]
    poisson: Option<f64>,
    /// Mass per volume at rest (kg/m³).
    #[schemars(extend("exclusiveMinimum" = 0))]
    density: f64,
    /// Coefficient of the first invariant in `mooney-rivlin` (Pa).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    c10: Option<f64>,
    /// Coefficient of the second invariant in `mooney-rivlin` (Pa).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    c01: Option<f64>,
    /// Bulk modulus in `mooney-rivlin` (Pa).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    kappa: Option<f64>,
    /// Viscosity; none if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    viscosity: Option<Viscosity>,
}

fn law() -> String {
    "stable-neo-hookean".into()
}

impl TryFrom<MaterialKeys> for Material {
    type Error = &'static str;

    fn try_from(keys: MaterialKeys) -> Result<Self, Self::Error> {
        let young = keys.young.zip(keys.poisson);
        let rivlin = keys.c10.zip(keys.c01).zip(keys.kappa);
        let moduli = match (young, rivlin) {
            (Some((young, poisson)), None) => Moduli::Young { young, poisson },
            (None, Some(((c10, c01), kappa))) => Moduli::Rivlin { c10, c01, kappa },
            _ => return Err("needs `young` and `poisson`, or `c10`, `c01` and `kappa`"),
        };
        Ok(Material {
            law: keys.law,
            density: keys.density,
            moduli,
            viscosity: keys.viscosity,
        })
    }
}

impl From<Material> for MaterialKeys {
    fn from(m: Material) -> Self {
        let keys = MaterialKeys {
            law: m.law,
            density: m.density,
            viscosity: m.viscosity,
            ..MaterialKeys::default()
        };
        match m.moduli {
            Moduli::Young { young, poisson } => MaterialKeys {
                young: Some(young),
                poisson: Some(poisson),
                ..keys
            },
            Moduli::Rivlin { c10, c01, kappa } => MaterialKeys {
                c10: Some(c10),
                c01: Some(c01),
                kappa: Some(kappa),
                ..keys
            },
        }
    }
}

/// Mass–spring network: springs on the edges of a body's mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Springs {
    /// Stiffness of an edge (N/m for `hooke`; see `law` of a spring).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness: f64,
    /// Law of the springs.
    #[serde(default)]
    pub law: SpringLaw,
    /// Damping along an edge (N s/m).
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub damping: f64,
    /// Stiffness of bending springs between nodes two edges apart (N/m).
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub bend: f64,
    /// Mass per volume, or per area of a surface (kg/m³, kg/m²); 1000 if neither this nor `mass` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub density: Option<f64>,
    /// Mass of the whole body (kg), instead of `density`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mass: Option<f64>,
}

/// Energy or force of a spring as a function of its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpringLaw {
    /// Energy k/2 (|x| − rest)²; k in N/m.
    #[default]
    Hooke,
    /// Energy k/2 (|x|² − rest²)²; k in N/m³.
    Squared,
    /// Force −k (x + |x|² x); k in N/m.
    Cubic,
}

/// Mass matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mass {
    /// Consistent: exact integrals of the shape functions.
    #[default]
    Consistent,
    /// Lumped: diagonal.
    Lumped,
}

/// Damping of a body: Rayleigh forces (`mass`, `stiffness`), and decay of velocities after each step (`drag`, `rigid-free`,
/// `modal`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Damping {
    /// Rayleigh coefficient of the mass matrix (1/s).
    #[schemars(range(min = 0))]
    pub mass: f64,
    /// Rayleigh coefficient of the stiffness matrix (s).
    #[schemars(range(min = 0))]
    pub stiffness: f64,
    /// Positions at which that stiffness matrix is evaluated; `implicit` if left out, `frozen` for scattered bodies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<DampingRate>,
    /// Drag: rate at which all velocities decay, applied after each step (1/s).
    #[schemars(range(min = 0))]
    pub drag: f64,
    /// Rate at which velocities other than rigid motion decay, applied after each step (1/s).
    #[schemars(range(min = 0))]
    pub rigid_free: f64,
    /// Bands of frequencies whose modes decay with a given half-life, applied after each step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modal: Vec<ModalBand>,
}

/// Band of frequencies with the half-life of its modes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ModalBand {
    /// Lowest frequency of the modes (Hz).
    #[schemars(range(min = 0))]
    pub from_hz: f64,
    /// Highest frequency of the modes (Hz).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub to_hz: f64,
    /// Time in which the amplitude of such a mode halves (s), in addition to any other damping.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub half_life: f64,
}

/// Positions at which the matrix of Rayleigh stiffness damping is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DampingRate {
    /// Positions of each stage: the method keeps its order.
    #[default]
    Implicit,
    /// Positions at the start of the step: first-order accurate with any method.
    Frozen,
}

/// Random initial displacement of free nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Disturb {
    /// Largest displacement along each axis, as a fraction of the body's largest extent.
    #[schemars(range(min = 0))]
    pub scatter: f64,
    /// Seed; the scene's if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 9_223_372_036_854_775_807u64))]
    pub seed: Option<u64>,
}

/// Nodes with prescribed motion (Dirichlet conditions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Fix {
    /// Which nodes.
    #[serde(rename = "where")]
    pub nodes: NodeSelection,
    /// Axes along which the motion is prescribed.
    #[serde(default)]
    pub axes: Axes,
    /// Prescribed motion; at rest if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
}

/// Nodes attached to their rest positions by springs of zero rest length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Tether {
    /// Which nodes.
    #[serde(rename = "where")]
    pub nodes: NodeSelection,
    /// Stiffness at each node (N/m).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness: f64,
    /// Motion of the anchor points; at rest if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
}

/// A force on nodes, shared equally among them whatever the mesh; `traction` is a surface load that is consistent with the
/// elements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Push {
    /// Which nodes.
    #[serde(rename = "where")]
    pub nodes: NodeSelection,
    /// Total force, distributed equally over the nodes (N).
    pub force: Vec3,
    /// Time at which the force begins (s).
    #[serde(default)]
    pub from: f64,
    /// Time at which the force ends (s); never if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
}
