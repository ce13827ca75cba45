//! Particles, springs, wind, probes, emitters and output.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;

use meshio::record::{self, OUTPUT_FORMATS, OutputFormat};

use super::{Body, Scene, SpringLaw, Vec3, Velocity};

/// A point mass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Particle {
    /// Initial position (m).
    pub position: Vec3,
    /// Initial velocity (m/s).
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
    /// Force law.
    #[serde(default)]
    pub law: SpringLaw,
    /// Stiffness (N/m; N/m³ for `squared`).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness: f64,
    /// Rest length (m); the initial length if left out.
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

/// Wind on every surface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Wind {
    /// Velocity of the air (m/s).
    pub velocity: Vec3,
    /// Density of the air times the drag coefficient (kg/m³).
    #[schemars(range(min = 0))]
    pub drag: f64,
    /// Gusts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gust: Option<Gust>,
}

/// Gusts: the velocity of the wind is multiplied by `1 + amplitude · sin(2π frequency t)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Gust {
    /// Relative amplitude of the gusts.
    #[schemars(range(min = 0))]
    pub amplitude: f64,
    /// Frequency of the gusts (1/s).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub frequency: f64,
}

/// A point whose position is written at every step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "ProbeKeys", into = "ProbeKeys")]
pub struct Probe {
    /// Name of its columns in `probes.csv`.
    pub name: String,
    /// Node or particle that it follows.
    pub target: ProbeTarget,
}

/// Node or particle that a probe follows.
#[derive(Clone, Debug, PartialEq)]
pub enum ProbeTarget {
    /// The node of a body whose rest position is nearest to a point.
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
    /// Name of the columns in `probes.csv`; unique.
    #[schemars(extend("minLength" = 1))]
    name: String,
    /// Name of the body; goes with `near`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// Point (m); the node whose placed rest position is nearest to it is followed; goes with `body`.
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
    /// The body that is emitted repeatedly.
    pub body: Body,
    /// Time between two emissions (s).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub every: f64,
    /// Number of bodies.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub count: u32,
    /// Initial velocity of emitted bodies; that of `body` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<Velocity>,
    /// Place of emitted bodies; that of `body` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<super::Placement>,
}

impl Emit {
    /// Name from which those of its bodies are made: that of the template, or one with the number of the emitter.
    pub fn name_or_number(&self, number: usize) -> String {
        match self.body.name.is_empty() {
            true => format!("emit-{number}"),
            false => self.body.name.clone(),
        }
    }

    /// Time at which copy `k` appears, s.
    pub fn appears(&self, k: u32) -> f64 {
        f64::from(k) * self.every
    }

    /// Copy `k` of the emitter with this number.
    fn copy(&self, number: usize, k: u32) -> Body {
        let mut body = self.body.clone();
        body.name = format!("{}-{k}", self.name_or_number(number));
        if let Some(velocity) = &self.velocity {
            body.velocity = velocity.clone();
        }
        if let Some(place) = &self.place {
            body.place = place.clone();
        }
        body
    }
}

impl Scene {
    /// Returns the number of the emitter and of the copy of each emitted body, in the order in which
    /// [`Scene::with_emitted_bodies`] appends them.
    pub fn emissions(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let emitters = self.emit.iter().enumerate();
        emitters.flat_map(|(number, emit)| (0..emit.count).map(move |k| (number, k)))
    }

    /// Returns the scene with all emitted bodies after its own.
    pub fn with_emitted_bodies(&self) -> Scene {
        let mut scene = self.clone();
        let copies = self.emissions();
        let copies = copies.map(|(number, k)| self.emit[number].copy(number, k));
        scene.body.extend(copies);
        scene
    }

    /// Returns the names of all bodies, emitted ones included.
    pub fn body_names(&self) -> Vec<String> {
        let own = self.body.iter().enumerate();
        let emitted = self.emissions();
        let emitted = emitted.map(|(i, k)| format!("{}-{k}", self.emit[i].name_or_number(i)));
        own.map(|(i, b)| b.name_or_number(i))
            .chain(emitted)
            .collect()
    }
}

/// Output: formats and rate of the frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Output {
    /// Formats of the frames (`supple list formats`).
    pub formats: Vec<FrameFormat>,
    /// Write every n-th frame.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub every_frame: u32,
    /// Write `reactions.csv`: force and moment of every fix and tether at every step.
    pub reactions: bool,
    /// Write `modes.csv`: the energies of the lowest n modes of the initial state at every step; none if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000))]
    pub modes: Option<u32>,
}

impl Default for Output {
    fn default() -> Self {
        Output {
            formats: vec![FrameFormat::VTU],
            every_frame: 1,
            reactions: true,
            modes: None,
        }
    }
}

/// Name of an output format of frames, one of [`OUTPUT_FORMATS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FrameFormat(&'static str);

impl FrameFormat {
    /// The default format.
    pub const VTU: FrameFormat = FrameFormat("vtu");

    /// Returns the name used in scene files and in [`OUTPUT_FORMATS`].
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
            "description": "File formats of frames.",
            "oneOf": OUTPUT_FORMATS.iter().map(word).collect::<Vec<_>>(),
        })
    }
}
