//! What was written: a scene file as words and numbers, with every unknown key refused.
//!
//! The structs here are the one description of scene files: serde reads them, schemars turns them
//! and their comments into the JSON Schema, and [`parse`] walks a file against that schema, so that
//! every mistake is found with its line and column. Nothing here knows a mesh or a method;
//! names of methods and laws stay strings until they are looked up in their registries.

mod body;
mod check;
mod mesh;
mod path;
mod place;
mod schema;
mod schema_query;
mod source;
mod suggestion;
mod time;
mod tree;
mod validate;
mod world;

pub use body::*;
pub use mesh::*;
pub use place::*;
pub use schema::{schema, schema_text};
pub use source::Source;
pub use suggestion::{nearest_name, suggestion};
pub use time::*;
pub(crate) use validate::unsupported;
pub use world::*;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::SceneErrors;

/// Three numbers along x, y, z.
pub type Vec3 = [f64; 3];

/// A scene: everything a file says, defaults filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Scene {
    /// Title, for people.
    #[serde(default)]
    pub title: String,
    /// Acceleration of gravity (m/s²).
    #[serde(default = "gravity")]
    pub gravity: Vec3,
    /// Seed of everything random.
    #[serde(default)]
    #[schemars(range(max = 9_223_372_036_854_775_807u64))]
    pub seed: u64,
    /// How the scene advances in time.
    pub time: Time,
    /// How the equations of a step are solved.
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
    /// Rigid things bodies bump into.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-later" = "obstacles are"))]
    pub obstacle: Vec<Obstacle>,
    /// How touching is treated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-later" = "contact is"))]
    pub contact: Option<Contact>,
    /// Winds; they add up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wind: Vec<Wind>,
    /// Points whose positions are written at every step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probe: Vec<Probe>,
    /// Bodies that appear while the scene runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-later" = "emitters are"))]
    pub emit: Vec<Emit>,
    /// What is written.
    #[serde(default)]
    pub output: Output,
}

fn gravity() -> Vec3 {
    [0.0, -9.81, 0.0]
}

/// Parses a scene; `name` is the file's name as errors show it.
pub fn parse(name: &str, text: &str) -> Result<(Scene, Source), SceneErrors> {
    let source = Source::new(name, text)?;
    Ok((source.scene()?, source))
}
