//! Node selections, placements, directions and velocities: `where`, `place`, `velocity`, `axes`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Vec3;

/// Nodes of a body, selected by position, number or group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "SelectionSyntax", into = "SelectionSyntax")]
pub enum NodeSelection {
    /// Every node.
    All,
    /// The corners of the body's bounding box.
    Corners,
    /// Nodes that lie on all given planes (m).
    Planes {
        /// Plane of constant x (m).
        x: Option<f64>,
        /// Plane of constant y (m).
        y: Option<f64>,
        /// Plane of constant z (m).
        z: Option<f64>,
    },
    /// Nodes inside an axis-aligned box (m).
    Box {
        /// Lower corner (m).
        min: Vec3,
        /// Upper corner (m).
        max: Vec3,
    },
    /// The node nearest to a point (m).
    Near(Vec3),
    /// Nodes inside a sphere (m).
    Sphere(Sphere),
    /// Nodes by number, from 0.
    Nodes(Vec<usize>),
    /// A named group of the mesh file.
    Group(String),
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum SelectionSyntax {
    /// A named selection.
    Name(SelectionName),
    /// Nodes by position, number or group.
    Keys(Box<SelectionKeys>),
}

/// Named selections.
#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum SelectionName {
    /// Every node.
    All,
    /// The corners of the body's bounding box.
    Corners,
}

/// Nodes by position, number or group: planes (`x`, `y`, `z`, alone or together), a box (`min` and `max`), or one of the others.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend("dependentRequired" = {"min": ["max"], "max": ["min"]},
    "x-groups" = [["x", "y", "z"], ["min", "max"], ["near"], ["sphere"], ["nodes"], ["group"]]))]
struct SelectionKeys {
    /// Nodes on the plane of this x (m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    x: Option<f64>,
    /// Nodes on the plane of this y (m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    y: Option<f64>,
    /// Nodes on the plane of this z (m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    z: Option<f64>,
    /// Lower corner of a box (m); goes with `max`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    min: Option<Vec3>,
    /// Upper corner of a box (m); goes with `min`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max: Option<Vec3>,
    /// The node nearest to this point (m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    near: Option<Vec3>,
    /// Nodes inside a sphere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sphere: Option<Sphere>,
    /// Nodes by number, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    nodes: Option<Vec<usize>>,
    /// A named group of the mesh file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    group: Option<String>,
}

impl TryFrom<SelectionSyntax> for NodeSelection {
    type Error = &'static str;

    fn try_from(words: SelectionSyntax) -> Result<Self, Self::Error> {
        let keys = match words {
            SelectionSyntax::Name(SelectionName::All) => return Ok(NodeSelection::All),
            SelectionSyntax::Name(SelectionName::Corners) => return Ok(NodeSelection::Corners),
            SelectionSyntax::Keys(keys) => *keys,
        };
        let mut found = Vec::new();
        if keys.x.or(keys.y).or(keys.z).is_some() {
            found.push(NodeSelection::Planes {
                x: keys.x,
                y: keys.y,
                z: keys.z,
            });
        }
        match (keys.min, keys.max) {
            (Some(min), Some(max)) => found.push(NodeSelection::Box { min, max }),
            (None, None) => {}
            _ => return Err("`min` and `max` go together"),
        }
        found.extend(keys.near.map(NodeSelection::Near));
        found.extend(keys.sphere.map(NodeSelection::Sphere));
        found.extend(keys.nodes.map(NodeSelection::Nodes));
        found.extend(keys.group.map(NodeSelection::Group));
        match (found.pop(), found.is_empty()) {
            (Some(one), true) => Ok(one),
            (None, _) => Err("selects no nodes"),
            _ => Err("has more than one kind of selection"),
        }
    }
}

impl From<NodeSelection> for SelectionSyntax {
    fn from(place: NodeSelection) -> Self {
        let keys = SelectionKeys::default();
        SelectionSyntax::Keys(Box::new(match place {
            NodeSelection::All => return SelectionSyntax::Name(SelectionName::All),
            NodeSelection::Corners => return SelectionSyntax::Name(SelectionName::Corners),
            NodeSelection::Planes { x, y, z } => SelectionKeys { x, y, z, ..keys },
            NodeSelection::Box { min, max } => SelectionKeys {
                min: Some(min),
                max: Some(max),
                ..keys
            },
            NodeSelection::Near(p) => SelectionKeys {
                near: Some(p),
                ..keys
            },
            NodeSelection::Sphere(s) => SelectionKeys {
                sphere: Some(s),
                ..keys
            },
            NodeSelection::Nodes(n) => SelectionKeys {
                nodes: Some(n),
                ..keys
            },
            NodeSelection::Group(g) => SelectionKeys {
                group: Some(g),
                ..keys
            },
        }))
    }
}

/// A sphere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Sphere {
    /// Centre (m).
    pub center: Vec3,
    /// Radius (m).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
}

/// A direction: an axis by its letter, or a nonzero vector of any length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Direction {
    /// A coordinate axis.
    Axis(Axis),
    /// A nonzero vector of any length.
    Vector(Vec3),
}

impl Direction {
    /// Returns the direction as a unit vector. Returns zero for a zero vector, which validation refuses.
    pub fn unit(&self) -> Vec3 {
        match self {
            Direction::Axis(Axis::X) => [1.0, 0.0, 0.0],
            Direction::Axis(Axis::Y) => [0.0, 1.0, 0.0],
            Direction::Axis(Axis::Z) => [0.0, 0.0, 1.0],
            Direction::Vector(v) => {
                let largest = v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
                if largest == 0.0 {
                    return [0.0; 3];
                }
                // Scaled first: the squares of huge and tiny components would overflow or underflow.
                let w = v.map(|x| x / largest);
                let length = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt();
                w.map(|x| x / length)
            }
        }
    }
}

/// A coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// x
    X,
    /// y
    Y,
    /// z
    Z,
}

/// A set of coordinate axes, written as letters: `"xyz"`, `"y"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Axes(pub [bool; 3]);

impl Default for Axes {
    fn default() -> Self {
        Axes([true; 3])
    }
}

impl TryFrom<String> for Axes {
    type Error = &'static str;

    fn try_from(letters: String) -> Result<Self, Self::Error> {
        let mut axes = [false; 3];
        for letter in letters.chars() {
            match "xyz".find(letter) {
                Some(i) if !axes[i] => axes[i] = true,
                _ => return Err("must be some of the letters \"xyz\", each once"),
            }
        }
        if axes == [false; 3] {
            Err("must name an axis")
        } else {
            Ok(Axes(axes))
        }
    }
}

impl From<Axes> for String {
    fn from(axes: Axes) -> Self {
        "xyz"
            .chars()
            .zip(axes.0)
            .filter(|(_, on)| *on)
            .map(|(c, _)| c)
            .collect()
    }
}

impl JsonSchema for Axes {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Axes".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Some of the letters x, y, z, each once.",
            "type": "string",
            "x-words": "some of the letters \"xyz\", each once",
            "enum": ["x", "y", "z", "xy", "yx", "xz", "zx", "yz", "zy", "xyz", "xzy", "yxz", "yzx", "zxy", "zyx"],
        })
    }
}

/// Placement of a shape: scaled, then rotated, then translated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Placement {
    /// Translation (m), applied last.
    pub translate: Vec3,
    /// Angles about x, then y, then z through the origin (degrees).
    pub rotate_deg: Vec3,
    /// Scale factor, applied first.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scale: f64,
}

impl Default for Placement {
    fn default() -> Self {
        Placement {
            translate: [0.0; 3],
            rotate_deg: [0.0; 3],
            scale: 1.0,
        }
    }
}

/// Initial velocity, an affine field: linear + angular × (x − c) + gradient (x − c) at the starting position x, where c is
/// the centre of mass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Velocity {
    /// Velocity of the centre of mass (m/s).
    pub linear: Vec3,
    /// Angular velocity about the centre of mass (rad/s).
    pub angular: Vec3,
    /// Velocity gradient, row by row (1/s): row i, column j is the change of velocity i along axis j.
    #[serde(skip_serializing_if = "is_zero")]
    pub gradient: [Vec3; 3],
}

fn is_zero(gradient: &[Vec3; 3]) -> bool {
    *gradient == [[0.0; 3]; 3]
}
