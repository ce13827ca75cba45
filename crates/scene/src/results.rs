//! What a run left behind, read again: frames of `series.pvd`.

use std::path::{Path, PathBuf};

use mesh::{CellKind, Mesh, surface};

use crate::record::Subject;
use meshio::import::{self, DataArray, ImportError};

/// Frames of a run, in order.
#[derive(Clone, Debug)]
pub struct Results {
    /// The folder.
    pub folder: PathBuf,
    /// Time and file of each frame.
    pub frames: Vec<(f64, PathBuf)>,
    skin: Option<Cache>,
}

/// A surface carried along: `skin.obj` and `skin.pc2`.
#[derive(Clone, Debug)]
struct Cache {
    mesh: Mesh,
    bytes: Vec<u8>,
    first: usize,
}

impl Cache {
    const HEAD: usize = 32;

    fn open(folder: &Path) -> Option<Cache> {
        let bytes = std::fs::read(folder.join("skin.pc2")).ok()?;
        let mesh = import::read(&folder.join("skin.obj")).ok()?.mesh;
        let head = bytes.get(..Cache::HEAD)?;
        let points = i32::from_le_bytes(head[16..20].try_into().ok()?);
        let first = f32::from_le_bytes(head[20..24].try_into().ok()?);
        let whole = head.starts_with(b"POINTCACHE2\0") && points as usize == mesh.points.len();
        whole.then_some(Cache {
            mesh,
            bytes,
            first: first as usize,
        })
    }

    /// Positions in a frame.
    fn positions(&self, frame: usize) -> Option<Vec<[f64; 3]>> {
        let size = 12 * self.mesh.points.len();
        let from = Cache::HEAD + size * frame.checked_sub(self.first)?;
        let number = |b: &[u8]| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let one = |p: &[u8]| [number(&p[..4]), number(&p[4..8]), number(&p[8..])];
        Some(
            self.bytes
                .get(from..from + size)?
                .chunks_exact(12)
                .map(one)
                .collect(),
        )
    }
}

/// One frame, as far as people look at it.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Time, s.
    pub t: f64,
    /// Points where they are now, and cells.
    pub mesh: Mesh,
    /// Boundary triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Owner cell of each triangle.
    pub owners: Vec<u32>,
    /// Pairs of nodes joined by springs.
    pub lines: Vec<[u32; 2]>,
    /// Nodes that are particles.
    pub particles: Vec<u32>,
    point_data: Vec<DataArray>,
    cell_data: Vec<DataArray>,
}

/// A surface that a body carries along, in a frame.
#[derive(Clone, Debug)]
pub struct CarriedSkin {
    /// Vertices where they are now, m.
    pub positions: Vec<[f64; 3]>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
    /// How far each vertex is from where it was in the first frame, m.
    pub moved: Vec<f64>,
}

/// Fields a picture can be coloured by, and what they are called in frames.
pub const FIELDS: &[(&str, &str, &str)] = &[
    ("displacement", "displacement", "displacement, m"),
    ("speed", "velocity", "speed, m/s"),
    ("stress", "von-mises", "von Mises stress, Pa"),
    ("energy", "energy-density", "energy density, J/m³"),
];

/// Why results cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// There is no series.
    #[error("{}: no results here: {why}. Give the folder that `supple run` wrote", folder.display())]
    None {
        /// The folder.
        folder: PathBuf,
        /// The system's words.
        why: std::io::Error,
    },
    /// The series names no frame.
    #[error("{}: series.pvd names no frame", folder.display())]
    Empty {
        /// The folder.
        folder: PathBuf,
    },
    /// A frame cannot be read.
    #[error(transparent)]
    Frame(#[from] ImportError),
    /// A frame lacks a field.
    #[error("{file} has no field \"{field}\"; it has {known}")]
    Field {
        /// The frame.
        file: String,
        /// What was asked for.
        field: String,
        /// What there is.
        known: String,
    },
}

impl Results {
    /// Finds the frames of a run.
    pub fn open(folder: &Path) -> Result<Results, ResultsError> {
        let text = std::fs::read_to_string(folder.join("series.pvd")).map_err(|why| {
            ResultsError::None {
                folder: folder.to_path_buf(),
                why,
            }
        })?;
        let attribute = |line: &str, name: &str| {
            let (_, rest) = line.split_once(&format!(" {name}=\""))?;
            Some(rest.split_once('"')?.0.to_string())
        };
        let entry = |line: &str| {
            Some((
                attribute(line, "timestep")?.parse().ok()?,
                folder.join(attribute(line, "file")?),
            ))
        };
        let frames: Vec<(f64, PathBuf)> = text.lines().filter_map(entry).collect();
        if frames.is_empty() {
            return Err(ResultsError::Empty {
                folder: folder.to_path_buf(),
            });
        }
        Ok(Results {
            folder: folder.to_path_buf(),
            frames,
            skin: Cache::open(folder),
        })
    }

    /// Reads a frame.
    pub fn frame(&self, i: usize) -> Result<Seen, ResultsError> {
        let (t, path) = &self.frames[i];
        let loaded = import::read(path)?;
        let mut seen = Seen::new(*t, loaded.mesh);
        seen.point_data = loaded.point_data;
        seen.cell_data = loaded.cell_data;
        Ok(seen)
    }

    /// Positions of all points in a frame, m.
    pub fn points(&self, i: usize) -> Result<Vec<[f64; 3]>, ResultsError> {
        Ok(import::read(&self.frames[i].1)?.mesh.points)
    }

    /// The surface carried along in a frame, with its displacement since the first, where a body carries one.
    pub fn carried(&self, i: usize) -> Option<CarriedSkin> {
        let cache = self.skin.as_ref()?;
        let (now, start) = (cache.positions(i)?, cache.positions(0)?);
        let moved = |(p, q): (&[f64; 3], &[f64; 3])| {
            (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt()
        };
        let moved = now.iter().zip(&start).map(moved).collect();
        Some(CarriedSkin {
            positions: now,
            triangles: surface(&cache.mesh).triangles,
            moved,
        })
    }

    /// Values of a field at the corners of the frame's mesh; cell fields are averaged over the cells around a node.
    pub fn field(&self, i: usize, seen: &Seen, field: &str) -> Result<Vec<f64>, ResultsError> {
        let stored = FIELDS
            .iter()
            .find(|(name, _, _)| *name == field)
            .map_or(field, |(_, stored, _)| stored);
        if let Some(data) = seen.point_data.iter().find(|d| d.name == stored) {
            let length = |x: &[f64]| {
                if x.len() == 1 {
                    x[0]
                } else {
                    x.iter().map(|x| x * x).sum::<f64>().sqrt()
                }
            };
            return Ok(data
                .values
                .chunks_exact(data.components.max(1))
                .map(length)
                .collect());
        }
        if let Some(data) = seen
            .cell_data
            .iter()
            .find(|d| d.name == stored && d.components == 1)
        {
            return Ok(seen.at_nodes(&data.values));
        }
        let names = seen
            .point_data
            .iter()
            .chain(&seen.cell_data)
            .map(|d| d.name.as_str());
        let known = names.collect::<Vec<_>>().join(", ");
        Err(ResultsError::Field {
            file: self.frames[i].1.display().to_string(),
            field: field.into(),
            known,
        })
    }
}

impl Seen {
    fn new(t: f64, mesh: Mesh) -> Seen {
        let skin = surface(&mesh);
        let owner = |face: &u32| skin.faces[*face as usize].owner;
        let of = |kind: CellKind| {
            mesh.cells()
                .filter(move |(k, _)| *k == kind)
                .map(|(_, nodes)| nodes)
        };
        Seen {
            t,
            owners: skin.triangle_face.iter().map(owner).collect(),
            lines: of(CellKind::Line2).map(|n| [n[0], n[1]]).collect(),
            particles: of(CellKind::Vertex).map(|n| n[0]).collect(),
            triangles: skin.triangles,
            point_data: Vec::new(),
            cell_data: Vec::new(),
            mesh,
        }
    }

    /// A frame of a session's bodies at these positions, without fields.
    pub fn of(subject: &Subject, t: f64, positions: &[[f64; 3]]) -> Seen {
        let mut mesh = subject.mesh.clone();
        mesh.points.copy_from_slice(positions);
        let mut seen = Seen::new(t, mesh);
        seen.cell_data.push(DataArray {
            name: "body".into(),
            components: 1,
            values: subject.cell_body.iter().map(|b| f64::from(*b)).collect(),
        });
        seen
    }

    fn at_nodes(&self, cells: &[f64]) -> Vec<f64> {
        let mut sums = vec![(0.0, 0u32); self.mesh.points.len()];
        for ((kind, nodes), x) in self.mesh.cells().zip(cells) {
            if kind.dimension() == 3 {
                for &n in nodes {
                    sums[n as usize].0 += x;
                    sums[n as usize].1 += 1;
                }
            }
        }
        sums.iter()
            .map(|(sum, n)| sum / f64::from((*n).max(1)))
            .collect()
    }

    /// Which body each triangle belongs to.
    pub fn bodies(&self) -> Vec<usize> {
        let body = self.cell_data.iter().find(|d| d.name == "body");
        self.owners
            .iter()
            .map(|&cell| body.map_or(0, |b| b.values[cell as usize] as usize))
            .collect()
    }
}
