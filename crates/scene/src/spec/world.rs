//! What surrounds the bodies: particles, springs, obstacles, contact, wind, probes, output.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;

use crate::record::{self, OUTPUT_FORMATS, OutputFormat};

use super::{Body, Motion, Placement, Sphere, SpringLaw, Vec3, Velocity};

/// A point mass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Particle {
    /// Position at the start (m).
    pub position: Vec3,
    /// Velocity at the start (m/s).
    #[serde(default)]
    pub velocity: Vec3,
    /// Mass (kg).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mass: f64,
}

/// A spring between particles, or a particle and a fixed point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Spring {
    /// One end.
    pub a: SpringEnd,
    /// The other end.
    pub b: SpringEnd,
    /// Law.
    #[serde(default)]
    pub law: SpringLaw,
    /// Stiffness (N/m; N/m³ for `squared`).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness: f64,
    /// Length at rest (m); the length at the start if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub rest: Option<f64>,
    /// Damping (N s/m).
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub damping: f64,
}

/// An end of a spring: the number of a particle (from 0), or a fixed point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SpringEnd {
    /// Number of a particle, from 0.
    Particle(usize),
    /// A fixed point (m).
    Point(Vec3),
}

/// Something rigid that bodies bump into: one shape, and how it moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "ObstacleKeys", into = "ObstacleKeys")]
pub struct Obstacle {
    /// Shape.
    pub shape: ObstacleShape,
    /// Movement; still if left out.
    pub motion: Option<Motion>,
    /// Coefficient of friction; that of `[contact]` if left out.
    pub friction: Option<f64>,
}

/// Shapes of obstacles.
#[derive(Clone, Debug, PartialEq)]
pub enum ObstacleShape {
    /// Everything behind a plane.
    Plane(Plane),
    /// A sphere.
    Sphere(Sphere),
    /// An axis-aligned box.
    Box(BoxBounds),
    /// A closed surface from a file.
    File {
        /// Path, relative to the scene file.
        path: String,
        /// Where it is put.
        place: Placement,
    },
}

/// Something rigid that bodies bump into: exactly one of `plane`, `sphere`, `box`, `file`.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend("dependentRequired" = {"place": ["file"]}, "x-needs" = "give the shape",
    "x-groups" = [["plane"], ["sphere"], ["box"], ["file", "place"]]))]
struct ObstacleKeys {
    /// Everything behind a plane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plane: Option<Plane>,
    /// A sphere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sphere: Option<Sphere>,
    /// An axis-aligned box.
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    cuboid: Option<BoxBounds>,
    /// A closed surface, relative to the scene file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    file: Option<String>,
    /// Where the surface of `file` is put.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<Placement>,
    /// Movement; still if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    motion: Option<Motion>,
    /// Coefficient of friction; that of `[contact]` if left out.
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
        let place = keys.place.unwrap_or_default();
        found.extend(keys.file.map(|path| ObstacleShape::File { path, place }));
        match (found.pop(), found.is_empty()) {
            (Some(shape), true) => Ok(Obstacle {
                shape,
                motion: keys.motion,
                friction: keys.friction,
            }),
            _ => Err("needs exactly one of `plane`, `sphere`, `box`, `file`"),
        }
    }
}

impl From<Obstacle> for ObstacleKeys {
    fn from(obstacle: Obstacle) -> Self {
        let keys = ObstacleKeys {
            motion: obstacle.motion,
            friction: obstacle.friction,
            ..ObstacleKeys::default()
        };
        match obstacle.shape {
            ObstacleShape::Plane(p) => ObstacleKeys {
                plane: Some(p),
                ..keys
            },
            ObstacleShape::Sphere(s) => ObstacleKeys {
                sphere: Some(s),
                ..keys
            },
            ObstacleShape::Box(b) => ObstacleKeys {
                cuboid: Some(b),
                ..keys
            },
            ObstacleShape::File { path, place } => ObstacleKeys {
                file: Some(path),
                place: Some(place),
                ..keys
            },
        }
    }
}

/// A plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Plane {
    /// A point on it (m).
    pub point: Vec3,
    /// Direction that points away from the obstacle; its length does not matter.
    pub normal: Vec3,
}

/// An axis-aligned box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BoxBounds {
    /// Lower corner (m).
    pub min: Vec3,
    /// Upper corner (m).
    pub max: Vec3,
}

/// How touching is treated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Contact {
    /// Which treatment.
    pub kind: ContactKind,
    /// Coefficient of friction.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub friction: f64,
    /// Distance at which contact begins to act (m); chosen from the mesh if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub reach: Option<f64>,
    /// Stiffness (N/m for `penalty`, Pa for `barrier`); chosen from the bodies if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness: Option<f64>,
    /// Whether bodies touch themselves and each other.
    #[serde(default, rename = "self")]
    pub self_contact: bool,
}

/// Treatments of contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContactKind {
    /// Correct each step's end by a quadratic program.
    Corrector,
    /// A barrier that is never crossed.
    Barrier,
    /// Springs that push back.
    Penalty,
}

/// Wind on every surface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Wind {
    /// Velocity of the air (m/s).
    pub velocity: Vec3,
    /// Density of the air times the drag coefficient (kg/m³).
    #[schemars(range(min = 0))]
    pub drag: f64,
    /// How the wind swells and falls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gust: Option<Gust>,
}

/// The wind's velocity times `1 + amplitude · sin(2π frequency t)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Gust {
    /// Part of the velocity that comes and goes.
    #[schemars(range(min = 0))]
    pub amplitude: f64,
    /// Gusts a second (1/s).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub frequency: f64,
}

/// A point whose position is written at every step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "ProbeKeys", into = "ProbeKeys")]
pub struct Probe {
    /// Name of its columns.
    pub name: String,
    /// What it follows.
    pub target: ProbeTarget,
}

/// What a probe follows.
#[derive(Clone, Debug, PartialEq)]
pub enum ProbeTarget {
    /// The node of a body nearest to a point at rest (m).
    Body {
        /// Name of the body.
        body: String,
        /// Point (m).
        near: Vec3,
    },
    /// A particle by number, from 0.
    Particle(usize),
}

/// A point whose position is written at every step: a `body` and `near`, or a `particle`.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend("x-groups" = [["body", "near"], ["particle"]], "x-needs" = "say what to follow",
    "dependentRequired" = {"body": ["near"], "near": ["body"]}))]
struct ProbeKeys {
    /// Name of the columns in `probes.csv`, unlike that of any other probe.
    #[schemars(extend("minLength" = 1))]
    name: String,
    /// Name of the body; goes with `near`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// Point whose nearest node, where placed and at rest, is followed (m); goes with `body`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    near: Option<Vec3>,
    /// Number of the particle, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    particle: Option<usize>,
}

impl TryFrom<ProbeKeys> for Probe {
    type Error = &'static str;

    fn try_from(keys: ProbeKeys) -> Result<Self, Self::Error> {
        let target = match (keys.body, keys.near, keys.particle) {
            (Some(body), Some(near), None) => ProbeTarget::Body { body, near },
            (None, None, Some(particle)) => ProbeTarget::Particle(particle),
            _ => return Err("needs `body` and `near`, or `particle`"),
        };
        Ok(Probe {
            name: keys.name,
            target,
        })
    }
}

impl From<Probe> for ProbeKeys {
    fn from(Probe { name, target }: Probe) -> Self {
        match target {
            ProbeTarget::Body { body, near } => ProbeKeys {
                name,
                body: Some(body),
                near: Some(near),
                particle: None,
            },
            ProbeTarget::Particle(i) => ProbeKeys {
                name,
                body: None,
                near: None,
                particle: Some(i),
            },
        }
    }
}

/// Bodies that appear while the scene runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Emit {
    /// The body that appears, again and again.
    pub body: Body,
    /// Time between two (s).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub every: f64,
    /// How many.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub count: u32,
    /// Velocity with which they appear; that of the body if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<Velocity>,
}

/// What is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Output {
    /// Formats of the frames (`supple list formats`).
    pub formats: Vec<FrameFormat>,
    /// Write each so-many-th frame.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub every_frame: u32,
}

impl Default for Output {
    fn default() -> Self {
        Output {
            formats: vec![FrameFormat::VTU],
            every_frame: 1,
        }
    }
}

/// A format of frames: the name of one of [`OUTPUT_FORMATS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FrameFormat(&'static str);

impl FrameFormat {
    /// The format of scenes that do not choose one.
    pub const VTU: FrameFormat = FrameFormat("vtu");

    /// The name in scene files and in the registry of records.
    pub const fn name(self) -> &'static str {
        self.0
    }
}

impl<'de> Deserialize<'de> for FrameFormat {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        let record = record::find_format(&name).map_err(D::Error::custom)?;
        Ok(FrameFormat(record.name))
    }
}

impl JsonSchema for FrameFormat {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "FrameFormat".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let word = |r: &OutputFormat| json!({ "const": r.name, "description": r.description, "type": "string" });
        schemars::json_schema!({
            "description": "Formats of frames.",
            "oneOf": OUTPUT_FORMATS.iter().map(word).collect::<Vec<_>>(),
        })
    }
}
