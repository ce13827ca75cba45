//! Results that a page plays: surfaces, frames and curves, read from their folders.

mod curves;

use std::path::{Path, PathBuf};

use scene::drawn_mesh::DrawnMesh;
use scene::results::{PointValues, Results, ResultsError};
use serde_json::{Value, json};

use crate::packet::Packet;
use crate::skin_values::SkinValues;

/// Largest number of results on one page.
pub const MAX_RESULTS: usize = 4;

/// Error while results are opened.
#[derive(Debug, thiserror::Error)]
pub enum PlaybackError {
    /// A folder has no results.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// More results than a page shows.
    #[error("{0} results: a page shows up to {MAX_RESULTS}; name fewer folders")]
    TooMany(usize),
    /// The tables of a run cannot be read.
    #[error(transparent)]
    Table(#[from] scene::table::TableError),
}

/// One to four results on a page.
#[derive(Debug)]
pub struct Playback {
    results: Vec<PlayedResult>,
}

/// A result and what is drawn of it.
#[derive(Debug)]
pub struct PlayedResult {
    results: Results,
    drawn: DrawnMesh,
    /// Values of fields on an embedded surface.
    skin_values: Option<SkinValues>,
    /// JSON for the page: name, method, times, fields and curves.
    about: String,
}

impl Playback {
    /// Opens result folders.
    pub fn open(folders: &[PathBuf]) -> Result<Playback, PlaybackError> {
        if folders.len() > MAX_RESULTS {
            return Err(PlaybackError::TooMany(folders.len()));
        }
        let open = |folder: &PathBuf| PlayedResult::open(folder);
        let results = folders.iter().map(open).collect::<Result<_, _>>()?;
        Ok(Playback { results })
    }

    /// Returns a result by its number.
    pub fn result(&self, k: usize) -> Option<&PlayedResult> {
        self.results.get(k)
    }

    /// Returns what the page starts with: the folders.
    pub fn about(&self) -> Value {
        let folder = |r: &PlayedResult| r.results.folder.display().to_string();
        let folders: Vec<String> = self.results.iter().map(folder).collect();
        json!({ "mode": "playback", "results": folders })
    }
}

impl PlayedResult {
    fn open(folder: &Path) -> Result<PlayedResult, PlaybackError> {
        let results = Results::open(folder)?;
        let first = results.frame(0)?;
        let mut fields = results.known_fields(&first);
        let (drawn, skin_values) = match results.embedded_surface(0) {
            Some(surface) => {
                let drawn = DrawnMesh {
                    triangles: surface.triangles,
                    bodies: surface.bodies,
                    ..DrawnMesh::default()
                };
                let values = SkinValues::new(&surface.positions, &first.mesh.points);
                if values.is_none() {
                    fields.retain(|f| f.0 == "displacement");
                }
                (drawn, values)
            }
            None => (first.drawn_mesh(), None),
        };
        let report = std::fs::read_to_string(folder.join("report.json")).unwrap_or_default();
        let report: Value = serde_json::from_str(&report).unwrap_or_default();
        let name = report["scene"].as_str().map(String::from);
        let name = name.unwrap_or_else(|| {
            let last = folder.file_name().unwrap_or_default();
            last.to_string_lossy().into_owned()
        });
        let field = |(name, _, label): &(&str, &str, &str)| json!({ "name": name, "label": label });
        let about = json!({
            "name": name,
            "method": report["method"].as_str().unwrap_or_default(),
            "status": report["status"],
            "times": results.frames.iter().map(|f| f.0).collect::<Vec<_>>(),
            "fields": fields.iter().map(field).collect::<Vec<_>>(),
            "curves": curves::read(folder)?,
            "report": folder.join("report.html").exists(),
        });
        Ok(PlayedResult {
            drawn,
            skin_values,
            about: about.to_string(),
            results,
        })
    }

    /// Returns the result's folder.
    pub fn folder(&self) -> &Path {
        &self.results.folder
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.results.frames.len()
    }

    /// Returns name, method, times, fields and curves as JSON.
    pub fn about(&self) -> &str {
        &self.about
    }

    fn vertices(&self) -> usize {
        match self.results.embedded_surface(0) {
            Some(surface) => surface.positions.len(),
            None => self.drawn.nodes.len(),
        }
    }

    /// Returns the surfaces of bodies and obstacles as a binary message.
    pub fn topology(&self) -> Vec<u8> {
        topology(&self.drawn, self.vertices(), &self.results.obstacles, &[])
    }

    /// Returns the positions and a field at the drawn vertices of a frame as a binary message.
    pub fn frame(&self, i: usize, field: Option<&str>) -> Result<Vec<u8>, ResultsError> {
        let t = self.results.frames[i].0;
        let mut packet = Packet::new().with("t", t);
        if let Some(surface) = self.results.embedded_surface(i) {
            packet = packet.points("positions", surface.positions.iter());
            let values = match (field, &self.skin_values) {
                (None, _) => None,
                (Some(field), Some(skin)) if field != "displacement" => {
                    let nodal = self.results.positions_and_field(i, Some(field))?.values;
                    nodal.map(|values| skin.interpolate(&values))
                }
                _ => Some(surface.displacement.iter().map(|x| *x as f32).collect()),
            };
            if let Some(values) = values {
                packet = packet.floats("field", values.into_iter());
            }
        } else {
            let PointValues { points, values } = self.results.positions_and_field(i, field)?;
            let nodes = || self.drawn.nodes.iter().map(|n| *n as usize);
            packet = packet.points("positions", nodes().filter_map(|n| points.get(n)));
            if let Some(values) = values {
                let of = |n: usize| values.get(n).map_or(f32::NAN, |x| *x as f32);
                packet = packet.floats("field", nodes().map(of));
            }
        }
        Ok(with_obstacles(packet, &self.results.obstacles, t).into_bytes())
    }
}

/// Returns the surfaces of bodies and obstacles as a binary message, with the positions at the start if they are given.
pub fn topology(
    drawn: &DrawnMesh,
    vertices: usize,
    obstacles: &[scene::build::ObstacleSurface],
    start: &[f32],
) -> Vec<u8> {
    let about = |o: &scene::build::ObstacleSurface| {
        json!({
            "name": o.name, "floor": o.floor, "plane": o.plane, "points": o.points.len(), "triangles": o.triangles.len(),
        })
    };
    let listed: Vec<Value> = obstacles.iter().map(about).collect();
    let flat = |list: &[[u32; 3]]| list.as_flattened().to_vec().into_iter();
    let points = obstacles.iter().flat_map(|o| &o.points);
    let triangles = obstacles.iter().flat_map(|o| flat(&o.triangles));
    let packet = match start {
        [] => Packet::new(),
        start => Packet::new().floats("rest", start.iter().copied()),
    };
    packet
        .with("vertices", vertices)
        .with("obstacles", listed)
        .integers("triangles", flat(&drawn.triangles))
        .octets("bodies", drawn.bodies.iter().map(|b| *b as u8))
        .integers("lines", drawn.lines.as_flattened().iter().copied())
        .integers("particles", drawn.particles.iter().copied())
        .points("obstacle_points", points)
        .integers("obstacle_triangles", triangles)
        .into_bytes()
}

/// Adds the positions of the obstacles at a time if any of them moved.
pub fn with_obstacles(
    packet: Packet,
    obstacles: &[scene::build::ObstacleSurface],
    t: f64,
) -> Packet {
    let mut now = Vec::new();
    obstacles.iter().for_each(|o| o.positions(t, &mut now));
    let rest = obstacles.iter().flat_map(|o| &o.points);
    match now.iter().eq(rest) {
        true => packet,
        false => packet.points("obstacles", now.iter()),
    }
}
