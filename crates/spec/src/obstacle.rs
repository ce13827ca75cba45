//! Rigid obstacles: `[[obstacle]]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Motion, Placement, Sphere, Vec3};

/// A rigid obstacle: its shape and its motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "ObstacleKeys", into = "ObstacleKeys")]
pub struct Obstacle {
    /// Name; empty if left out.
    pub name: String,
    /// Shape.
    pub shape: ObstacleShape,
    /// Prescribed motion; at rest if left out.
    pub motion: Option<Motion>,
    /// Coefficient of friction; that of `[contact]` if left out.
    pub friction: Option<f64>,
}

impl Obstacle {
    /// Returns the name of the obstacle, or `obstacle-0`, `obstacle-1`, … by its number if it has none.
    pub fn name_or_number(&self, number: usize) -> String {
        match self.name.as_str() {
            "" => format!("obstacle-{number}"),
            name => name.into(),
        }
    }
}

/// Shapes of obstacles.
#[derive(Clone, Debug, PartialEq)]
pub enum ObstacleShape {
    /// Half-space behind a plane.
    Plane(Plane),
    /// A sphere.
    Sphere(Sphere),
    /// A box.
    Box(BoxBounds),
    /// A capsule.
    Capsule(Capsule),
    /// A surface from a file.
    File {
        /// Path, relative to the scene file.
        path: String,
        /// Placement of the surface.
        place: Placement,
    },
    /// A surface of heights above a grid.
    HeightField(HeightField),
}

/// A rigid obstacle: exactly one of `plane`, `sphere`, `box`, `capsule`, `file`, `height-field`.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend("dependentRequired" = {"place": ["file"]}, "x-needs" = "give the shape",
    "x-groups" = [["plane"], ["sphere"], ["box"], ["capsule"], ["file", "place"], ["height-field"]]))]
struct ObstacleKeys {
    /// Unique name; `obstacle-0`, `obstacle-1` … in the order of the file if left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("minLength" = 1))]
    name: String,
    /// Half-space behind a plane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plane: Option<Plane>,
    /// A sphere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sphere: Option<Sphere>,
    /// A box.
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    cuboid: Option<BoxBounds>,
    /// A capsule: all points within a radius of a segment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    capsule: Option<Capsule>,
    /// File of a surface or solid mesh, relative to the scene file. An open surface is a thin shell that touches on both sides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    file: Option<String>,
    /// Placement of the surface of `file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<Placement>,
    /// Heights along y above a grid in x and z, such as a terrain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    height_field: Option<HeightField>,
    /// Prescribed motion; at rest if left out. Rotations are about the centre of the obstacle unless `about` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    motion: Option<Motion>,
    /// Coefficient of friction; that of the body or of `[contact]` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    friction: Option<f64>,
}

impl TryFrom<ObstacleKeys> for Obstacle {
    type Error = &'static str;

    fn try_from(keys: ObstacleKeys) -> Result<Self, Self::Error> {
        if keys.place.is_some() && keys.file.is_none() {
            return Err("`place` goes with `file`");
        }
        let mut found = Vec::new();
        found.extend(keys.plane.map(ObstacleShape::Plane));
        found.extend(keys.sphere.map(ObstacleShape::Sphere));
        found.extend(keys.cuboid.map(ObstacleShape::Box));
        found.extend(keys.capsule.map(ObstacleShape::Capsule));
        let place = keys.place.unwrap_or_default();
        found.extend(keys.file.map(|path| ObstacleShape::File { path, place }));
        found.extend(keys.height_field.map(ObstacleShape::HeightField));
        match (found.pop(), found.is_empty()) {
            (Some(shape), true) => Ok(Obstacle {
                name: keys.name,
                shape,
                motion: keys.motion,
                friction: keys.friction,
            }),
            _ => Err(
                "needs exactly one of `plane`, `sphere`, `box`, `capsule`, `file`, `height-field`",
            ),
        }
    }
}

impl From<Obstacle> for ObstacleKeys {
    fn from(obstacle: Obstacle) -> Self {
        let mut keys = ObstacleKeys {
            name: obstacle.name,
            motion: obstacle.motion,
            friction: obstacle.friction,
            ..ObstacleKeys::default()
        };
        match obstacle.shape {
            ObstacleShape::Plane(p) => keys.plane = Some(p),
            ObstacleShape::Sphere(s) => keys.sphere = Some(s),
            ObstacleShape::Box(b) => keys.cuboid = Some(b),
            ObstacleShape::Capsule(c) => keys.capsule = Some(c),
            ObstacleShape::File { path, place } => {
                (keys.file, keys.place) = (Some(path), Some(place));
            }
            ObstacleShape::HeightField(h) => keys.height_field = Some(h),
        }
        keys
    }
}

/// A plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Plane {
    /// A point on it (m).
    pub point: Vec3,
    /// Outward normal of the obstacle, of any length.
    pub normal: Vec3,
}

/// A box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BoxBounds {
    /// Lower corner before the rotation (m).
    pub min: Vec3,
    /// Upper corner before the rotation (m).
    pub max: Vec3,
    /// Rotation about its centre by angles about x, then y, then z (degrees).
    #[serde(default)]
    pub rotate_deg: Vec3,
}

/// A capsule: all points within a radius of a segment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Capsule {
    /// One end of the segment (m).
    pub a: Vec3,
    /// The other end of the segment (m).
    pub b: Vec3,
    /// Radius (m).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
}

/// Heights along y above a rectangular grid in x and z, one corner of which is at the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend("x-groups" = [["heights"], ["file"]], "x-needs" = "give the heights"))]
pub struct HeightField {
    /// Extents of the grid along x and z (m).
    pub size: [f64; 2],
    /// Rows of heights (m): each along x, one after another along z; at least two rows of two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heights: Option<Vec<Vec<f64>>>,
    /// Text file with a row of heights in each line, separated by spaces or commas, relative to the scene file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub file: Option<String>,
    /// Placement.
    #[serde(default)]
    pub place: Placement,
}
