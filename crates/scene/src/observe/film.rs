//! Records the surface animation of a report page: vertex positions in 16 bits, thinned to a maximum size.

use std::io;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use march::State;
use serde::Serialize;

use super::{FrameClock, Observer};
use crate::build::ObstacleSurface;
use crate::drawn_mesh::DrawnMesh;
use crate::results::Results;
use crate::session::{Session, node_positions};

/// Largest size of the positions on a page in bytes; base64 adds a third.
const MAX_BYTES: usize = 3 << 20;
/// Body number of the triangles of obstacles, which are grey in the player.
const OBSTACLE_BODY: u8 = 255;
/// Number of bytes of a vertex in a frame.
const VERTEX_BYTES: usize = 6;

/// Surface animation embedded in a report page, with quantised positions.
///
/// Positions are `low + (high − low) · n / 65535` for the 16-bit numbers n of `frames`, frame by frame, vertex by vertex,
/// x y z. Integers are little-endian and in base64.
#[derive(Debug, Serialize)]
pub struct Film {
    /// Times of the frames, s.
    times: Vec<f64>,
    /// Lower and upper corner of all positions, m.
    low: [f64; 3],
    high: [f64; 3],
    /// Number of vertices.
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

/// Triangles, springs and particles of a scene, by numbers of the animation's vertices.
#[derive(Debug, Default)]
struct Topology {
    triangles: Vec<[u32; 3]>,
    bodies: Vec<u8>,
    lines: Vec<[u32; 2]>,
    particles: Vec<u32>,
    /// Node of each vertex; empty if an embedded surface is shown instead.
    nodes: Vec<u32>,
    /// Obstacles; their vertices follow the others.
    obstacles: Vec<ObstacleSurface>,
}

impl Topology {
    /// Topology of the bodies and obstacles of a session.
    fn of(session: &Session) -> Topology {
        let mut topology = Topology::of_bodies(session);
        let mut first = match topology.nodes.is_empty() {
            true => session.skin.vertices() as u32,
            false => topology.nodes.len() as u32,
        };
        for obstacle in &session.obstacles {
            let shifted = obstacle.triangles.iter().map(|t| t.map(|v| v + first));
            topology.triangles.extend(shifted);
            topology
                .bodies
                .resize(topology.triangles.len(), OBSTACLE_BODY);
            first += obstacle.points.len() as u32;
        }
        topology.obstacles = session.obstacles.clone();
        topology
    }

    fn of_bodies(session: &Session) -> Topology {
        let DrawnMesh {
            triangles,
            bodies,
            lines,
            particles,
            nodes,
        } = DrawnMesh::of_session(session);
        Topology {
            triangles,
            bodies: bodies.into_iter().map(|b| b as u8).collect(),
            lines,
            particles,
            nodes,
            obstacles: Vec::new(),
        }
    }
}

/// Observer that records a [`Film`]: every frame at first, then every second, fourth … to limit its size.
#[derive(Debug)]
pub struct FilmRecorder {
    clock: FrameClock,
    topology: Topology,
    /// Only every `stride`-th frame is kept.
    stride: u64,
    /// Times and positions of the kept frames, in single precision, as the film has 16 bits.
    kept: Vec<(f64, Vec<[f32; 3]>)>,
    state: State,
    positions: Vec<[f64; 3]>,
    skin: Vec<[f64; 3]>,
}

impl FilmRecorder {
    /// Creates a recorder without frames.
    pub fn new(session: &Session) -> FilmRecorder {
        FilmRecorder {
            clock: FrameClock::new(session, 0),
            topology: Topology::of(session),
            stride: 1,
            kept: Vec::new(),
            state: State::default(),
            positions: Vec::new(),
            skin: Vec::new(),
        }
    }

    /// Creates the recorder of a resumed run, with the first `count` frames from its files. Returns `None` if they cannot
    /// be read.
    pub fn resume(session: &Session, results: &Results, count: u64) -> Option<FilmRecorder> {
        let mut film = FilmRecorder::new(session);
        for i in 0..count {
            if !i.is_multiple_of(film.stride) {
                film.clock.advance();
                continue;
            }
            let (t, _) = results.frames.get(i as usize)?;
            film.skin = match film.topology.nodes.is_empty() {
                true => results.embedded_surface(i as usize)?.positions,
                false => results.points(i as usize).ok()?,
            };
            film.keep(*t);
        }
        Some(film)
    }

    /// Creates a recorder with frames that are in memory: times and positions of all nodes. At most `count` are kept.
    pub fn of_frames(
        session: &Session,
        frames: &[(f64, Vec<[f64; 3]>)],
        count: usize,
    ) -> FilmRecorder {
        let mut film = FilmRecorder::new(session);
        let stride = frames.len().div_ceil(count.max(1)).max(1);
        for (t, positions) in frames.iter().step_by(stride) {
            match film.topology.nodes.is_empty() {
                true => session
                    .skin
                    .positions(&session.model, positions, &mut film.skin),
                false => film.skin.clone_from(positions),
            }
            film.keep(*t);
        }
        film
    }

    fn frame(&mut self, session: &mut Session) {
        if self.clock.count().is_multiple_of(self.stride) {
            node_positions(&mut session.model, &self.state, &mut self.positions);
            session
                .model
                .hide_waiting(self.state.t, &mut self.positions);
            match self.topology.nodes.is_empty() {
                true => session
                    .skin
                    .positions(&session.model, &self.positions, &mut self.skin),
                false => self.skin.clone_from(&self.positions),
            }
            self.keep(self.state.t);
        } else {
            self.clock.advance();
        }
    }

    /// Appends the positions of the embedded surface, or of the visible nodes, as the next frame.
    fn keep(&mut self, t: f64) {
        let single = |x: [f64; 3]| x.map(|x| x as f32);
        let mut vertices: Vec<[f32; 3]> = match self.topology.nodes.is_empty() {
            true => self.skin.iter().map(|x| single(*x)).collect(),
            false => {
                let nodes = self.topology.nodes.iter();
                nodes.map(|&n| single(self.skin[n as usize])).collect()
            }
        };
        let mut points = Vec::new();
        for obstacle in &self.topology.obstacles {
            obstacle.positions(t, &mut points);
        }
        vertices.extend(points.into_iter().map(single));
        let size = VERTEX_BYTES * vertices.len();
        self.kept.push((t, vertices));
        self.clock.advance();
        while self.kept.len() > 2 && size * self.kept.len() > MAX_BYTES {
            self.stride *= 2;
            let mut index = 0;
            self.kept.retain(|_| {
                index += 1;
                index % 2 == 1
            });
        }
    }

    /// Encodes the recorded frames. Returns `None` if even two frames are too large for a page.
    pub fn film(&self) -> Option<Film> {
        let vertices = self.kept.first()?.1.len();
        if vertices == 0 || 2 * VERTEX_BYTES * vertices > MAX_BYTES {
            return None;
        }
        let points = || self.kept.iter().flat_map(|(_, points)| points);
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for p in points() {
            for k in 0..3 {
                let x = f64::from(p[k]);
                if x.is_finite() {
                    (low[k], high[k]) = (low[k].min(x), high[k].max(x));
                }
            }
        }
        let short = |x: f32, k: usize| {
            let part = (f64::from(x) - low[k]) / (high[k] - low[k]).max(f64::MIN_POSITIVE);
            // NaN becomes 0.
            (65535.0 * part).round() as u16
        };
        let bytes: Vec<u8> = points()
            .flat_map(|p| (0..3).flat_map(move |k| short(p[k], k).to_le_bytes()))
            .collect();
        let words = |list: &[u32]| -> String {
            let bytes: Vec<u8> = list.iter().flat_map(|n| n.to_le_bytes()).collect();
            STANDARD.encode(bytes)
        };
        let topology = &self.topology;
        Some(Film {
            times: self.kept.iter().map(|(t, _)| *t).collect(),
            low,
            high,
            vertices,
            triangles: words(topology.triangles.as_flattened()),
            bodies: STANDARD.encode(&topology.bodies),
            lines: words(topology.lines.as_flattened()),
            particles: words(&topology.particles),
            frames: STANDARD.encode(bytes),
        })
    }
}

impl Observer for FilmRecorder {
    fn begin(&mut self, session: &mut Session) -> io::Result<()> {
        if self.clock.count() == 0 {
            self.state.copy_from(session.state());
            self.frame(session);
        }
        Ok(())
    }

    fn step(&mut self, session: &mut Session) -> io::Result<()> {
        while self.clock.next(session, &mut self.state) {
            self.frame(session);
        }
        Ok(())
    }
}
