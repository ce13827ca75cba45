//! The recorded surface as numbers a page can play: positions in 16 bits, so many frames as fit.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::results::{Results, ResultsError};

/// Bytes of positions a page holds at most; in base64 a third more.
const ROOM: usize = 3 << 20;

/// What the player plays. Positions are `low + (high − low) · n / 65535` for the 16-bit numbers of `frames`, frame by
/// frame, vertex by vertex, x y z; integers are little-endian and in base64.
#[derive(Debug, Serialize)]
pub struct Film {
    /// Times of the frames, s.
    times: Vec<f64>,
    /// Least and greatest x, y, z, m.
    low: [f64; 3],
    high: [f64; 3],
    /// Vertices a frame.
    vertices: usize,
    /// Three 32-bit vertex numbers for each triangle.
    triangles: String,
    /// Body of each triangle, 8 bits.
    bodies: String,
    /// Two 32-bit vertex numbers for each spring.
    lines: String,
    /// A 32-bit vertex number for each particle.
    particles: String,
    /// Positions.
    frames: String,
}

/// One frame: positions of the vertices, whose numbers stay the same.
struct Shape {
    triangles: Vec<[u32; 3]>,
    bodies: Vec<u8>,
    lines: Vec<[u32; 2]>,
    particles: Vec<u32>,
    /// Nodes of the mesh that are seen; empty where a carried surface is.
    nodes: Vec<u32>,
}

/// Reads the frames of a run, every so many of them that the page stays small; nothing where even two are too large.
pub fn film(results: &Results) -> Result<Option<Film>, ResultsError> {
    let shape = Shape::of(results)?;
    let count = results.frames.len();
    let size = 6 * positions(results, 0, &shape)?.len();
    if size == 0 || 2 * size > ROOM {
        return Ok(None);
    }
    let stride = (size * count).div_ceil(ROOM).max(1);
    let mut kept = Vec::new();
    for i in (0..count).step_by(stride) {
        kept.push((results.frames[i].0, positions(results, i, &shape)?));
    }
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for p in kept.iter().flat_map(|(_, points)| points) {
        for k in 0..3 {
            if p[k].is_finite() {
                (low[k], high[k]) = (low[k].min(p[k]), high[k].max(p[k]));
            }
        }
    }
    let short = |x: f64, k: usize| {
        let part = (x - low[k]) / (high[k] - low[k]).max(f64::MIN_POSITIVE);
        // What is not a number becomes 0.
        (65535.0 * part).round() as u16
    };
    let bytes: Vec<u8> = kept
        .iter()
        .flat_map(|(_, points)| points)
        .flat_map(|p| (0..3).flat_map(move |k| short(p[k], k).to_le_bytes()))
        .collect();
    let words = |list: &[u32]| -> String {
        let bytes: Vec<u8> = list.iter().flat_map(|n| n.to_le_bytes()).collect();
        STANDARD.encode(bytes)
    };
    Ok(Some(Film {
        times: kept.iter().map(|(t, _)| *t).collect(),
        low,
        high,
        vertices: size / 6,
        triangles: words(shape.triangles.as_flattened()),
        bodies: STANDARD.encode(&shape.bodies),
        lines: words(shape.lines.as_flattened()),
        particles: words(&shape.particles),
        frames: STANDARD.encode(bytes),
    }))
}

impl Shape {
    fn of(results: &Results) -> Result<Shape, ResultsError> {
        let seen = results.frame(0)?;
        if let Some(skin) = results.carried(0) {
            return Ok(Shape {
                bodies: vec![0; skin.triangles.len()],
                triangles: skin.triangles,
                lines: Vec::new(),
                particles: Vec::new(),
                nodes: Vec::new(),
            });
        }
        let corners = seen.triangles.as_flattened().iter();
        let ends = seen.lines.as_flattened().iter();
        let mut nodes: Vec<u32> = corners
            .chain(ends)
            .chain(&seen.particles)
            .copied()
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        let new = |n: u32| nodes.binary_search(&n).unwrap_or(0) as u32;
        Ok(Shape {
            triangles: seen.triangles.iter().map(|t| t.map(new)).collect(),
            bodies: seen.bodies().iter().map(|b| *b as u8).collect(),
            lines: seen.lines.iter().map(|l| l.map(new)).collect(),
            particles: seen.particles.iter().map(|n| new(*n)).collect(),
            nodes,
        })
    }
}

fn positions(results: &Results, i: usize, shape: &Shape) -> Result<Vec<[f64; 3]>, ResultsError> {
    if shape.nodes.is_empty() {
        return Ok(results.carried(i).map_or(Vec::new(), |skin| skin.positions));
    }
    let points = crate::import::read(&results.frames[i].1)?.mesh.points;
    let of = |&n: &u32| points.get(n as usize).copied().unwrap_or_default();
    Ok(shape.nodes.iter().map(of).collect())
}
