//! Keys of scene files: structs, validation and JSON Schema.
//!
//! The structs are the only description of scene files. Serde reads them, schemars turns them and their doc comments into
//! the JSON Schema, and [`parse`] validates a file against that schema and reports every error with line and column.
//! Names of methods and material laws remain strings here; whoever builds the scene looks them up.
//!
//! ```
//! let text = "[time]\nmethod = \"sdirk2\"\nstep = 0.01\nuntil = 1\n[[particle]]\nposition = [0, 1, 0]\nmass = 2\n";
//! let (scene, _) = spec::parse("drop.toml", text)?;
//! assert_eq!(scene.particle[0].mass, 2.0);
//! let errors = spec::parse("drop.toml", &text.replace("mass", "mas")).unwrap_err();
//! assert!(errors.to_string().contains("did you mean \"mass\"?"));
//! # Ok::<(), spec::error::SceneErrors>(())
//! ```

mod body;
mod bonds;
mod check;
mod check_contact;
mod check_events;
mod contact;
pub mod error;
mod event;
mod mesh;
mod motion;
mod obstacle;
mod path;
mod place;
mod schema;
mod schema_query;
mod source;
mod statics;
mod suggestion;
mod time;
mod traction;
mod tree;
mod validate;
mod world;

pub use body::*;
pub use bonds::*;
pub use check_events::refused_keys;
pub use contact::*;
pub use event::*;
pub use mesh::*;
pub use motion::*;
pub use obstacle::*;
pub use place::*;
pub use schema::{schema, schema_text};
pub use source::Source;
pub use suggestion::{nearest_name, suggestion};
pub use time::*;
pub use traction::*;
pub use world::*;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::SceneErrors;

/// A vector with components along x, y, z.
pub type Vec3 = [f64; 3];

/// Contents of a scene file, with defaults filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Scene {
    /// Title shown in reports.
    #[serde(default)]
    pub title: String,
    /// Acceleration of gravity (m/s²).
    #[serde(default = "gravity")]
    pub gravity: Vec3,
    /// Seed of random numbers.
    #[serde(default)]
    #[schemars(range(max = 9_223_372_036_854_775_807u64))]
    pub seed: u64,
    /// Frame (.vtu, .vtk) or checkpoint of a run with the same nodes, relative to the scene file: its positions and
    /// velocities are the start of this scene, at t = 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub start: Option<String>,
    /// Time integration.
    pub time: Time,
    /// Solution of the nonlinear and linear equations of a step.
    #[serde(default)]
    pub solver: Solver,
    /// Deformable bodies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<Body>,
    /// Point masses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub particle: Vec<Particle>,
    /// Springs between particles and fixed points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spring: Vec<Spring>,
    /// Rigid obstacles; they have an effect where the scene has `[contact]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub obstacle: Vec<Obstacle>,
    /// Contact of bodies, particles and obstacles; without it they pass through each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<Contact>,
    /// Winds; their forces add up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wind: Vec<Wind>,
    /// Points whose positions are written at every step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probe: Vec<Probe>,
    /// Bodies that appear while the scene runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub emit: Vec<Emit>,
    /// Changes while the scene runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub event: Vec<Event>,
    /// Hands that pull nodes while the scene runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handle: Vec<Handle>,
    /// Output.
    #[serde(default)]
    pub output: Output,
}

fn gravity() -> Vec3 {
    [0.0, -9.81, 0.0]
}

/// Parses and validates the text of a scene file; `name` is the file name shown in errors.
pub fn parse(name: &str, text: &str) -> Result<(Scene, Source), SceneErrors> {
    let source = Source::new(name, text)?;
    Ok((source.scene()?, source))
}
