//! Reads the frames of a finished run from its output folder.

use std::path::{Path, PathBuf};

use mesh::{CellKind, Group, Mesh, surface};

use crate::build::ObstacleSurface;
use crate::drawn_mesh::DrawnMesh;
use crate::run::OBSTACLES;
use meshio::import::{self, DataArray, ImportError, ImportedMesh};
use meshio::record::OutputMesh;

/// Frames of a run in its output folder, in order of time.
#[derive(Clone, Debug)]
pub struct Results {
    /// Output folder.
    pub folder: PathBuf,
    /// Time (s) and file of each frame.
    pub frames: Vec<(f64, PathBuf)>,
    /// Surfaces and motions of the obstacles.
    pub obstacles: Vec<ObstacleSurface>,
    skin: Option<PointCache>,
}

/// Point cache of an embedded surface: `skin.obj` and `skin.pc2`.
#[derive(Clone, Debug)]
struct PointCache {
    points: usize,
    triangles: Vec<[u32; 3]>,
    /// Number of the body of each triangle.
    bodies: Vec<u32>,
    bytes: Vec<u8>,
    first_frame: usize,
}

impl PointCache {
    const HEADER_BYTES: usize = 32;

    fn open(folder: &Path) -> Option<PointCache> {
        let bytes = std::fs::read(folder.join("skin.pc2")).ok()?;
        let mesh = import::read(&folder.join("skin.obj")).ok()?.mesh;
        let head = bytes.get(..PointCache::HEADER_BYTES)?;
        let points = i32::from_le_bytes(head[16..20].try_into().ok()?);
        let first_frame = f32::from_le_bytes(head[20..24].try_into().ok()?);
        let whole = head.starts_with(b"POINTCACHE2\0") && points as usize == mesh.points.len();
        let skin = surface(&mesh);
        let owner = |face: &u32| skin.faces[*face as usize].owner;
        let body = |face: &u32| body_of_triangle(&mesh, owner(face));
        whole.then(|| PointCache {
            bodies: skin.triangle_face.iter().map(body).collect(),
            points: mesh.points.len(),
            triangles: skin.triangles,
            bytes,
            first_frame: first_frame as usize,
        })
    }

    /// Returns the positions in a frame, or `None` if the cache does not contain it.
    fn positions(&self, frame: usize) -> Option<Vec<[f64; 3]>> {
        let size = 12 * self.points;
        let from = PointCache::HEADER_BYTES + size * frame.checked_sub(self.first_frame)?;
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

/// Returns the number of the body of a triangle of `skin.obj`, which has a group for each body, one after the other.
fn body_of_triangle(mesh: &Mesh, triangle: u32) -> u32 {
    let before = |group: &&Group| group.cells.first().is_some_and(|c| *c <= triangle);
    let count = mesh.groups.iter().filter(before).count();
    count.saturating_sub(1) as u32
}

/// Mesh, surface and fields of one frame, for rendering.
#[derive(Clone, Debug)]
pub struct ResultFrame {
    /// Time, s.
    pub t: f64,
    /// Mesh with current positions.
    pub mesh: Mesh,
    /// Triangles of the boundary.
    pub triangles: Vec<[u32; 3]>,
    /// Owner cell of each triangle.
    pub owners: Vec<u32>,
    /// Pairs of nodes connected by springs.
    pub lines: Vec<[u32; 2]>,
    /// Nodes that are particles.
    pub particles: Vec<u32>,
    point_data: Vec<DataArray>,
    cell_data: Vec<DataArray>,
}

/// An embedded surface in one frame.
#[derive(Clone, Debug)]
pub struct EmbeddedSurface {
    /// Current positions of the vertices, m.
    pub positions: Vec<[f64; 3]>,
    /// Triangles by vertex numbers.
    pub triangles: Vec<[u32; 3]>,
    /// Distance of each vertex from its position in the first frame, m.
    pub displacement: Vec<f64>,
    /// Number of the body of each triangle.
    pub bodies: Vec<u32>,
}

/// Fields by which a picture can be coloured: name on the command line, name in VTU files, label.
pub const FIELDS: &[(&str, &str, &str)] = &[
    ("displacement", "displacement", "displacement, m"),
    ("speed", "velocity", "speed, m/s"),
    ("stress", "von-mises", "von Mises stress, Pa"),
    ("energy", "energy-density", "energy density, J/m³"),
    ("contact", "contact-force", "contact force, N"),
    ("friction", "friction-force", "friction force, N"),
    ("damage", "damage", "damage"),
];

/// Error while the results of a run are read.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The folder has no `series.pvd`.
    #[error("{}: no results here: {why}. Give the output folder of `supple run`", folder.display())]
    None {
        /// The folder.
        folder: PathBuf,
        /// Error of the operating system.
        why: std::io::Error,
    },
    /// `series.pvd` lists no frame.
    #[error("{}: series.pvd lists no frame; run the scene again", folder.display())]
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
        /// File of the frame.
        file: String,
        /// Requested field.
        field: String,
        /// Fields of the frame.
        known: String,
    },
}

/// Reads the obstacles of a run; none if it has no file of them.
fn read_obstacles(folder: &Path) -> Vec<ObstacleSurface> {
    let text = std::fs::read_to_string(folder.join(OBSTACLES)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Positions of the points of a frame and a field at them.
#[derive(Clone, Debug, PartialEq)]
pub struct PointValues {
    /// Positions, m.
    pub points: Vec<[f64; 3]>,
    /// Values of the field; `None` if no field was asked for.
    pub values: Option<Vec<f64>>,
}

impl Results {
    /// Reads the list of frames from `series.pvd` in a folder.
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
            obstacles: read_obstacles(folder),
            skin: PointCache::open(folder),
        })
    }

    /// Reads a frame by its index.
    pub fn frame(&self, i: usize) -> Result<ResultFrame, ResultsError> {
        let (t, path) = &self.frames[i];
        let loaded = import::read_frame(path)?;
        let mut frame = ResultFrame::new(*t, loaded.mesh);
        frame.point_data = loaded.point_data;
        frame.cell_data = loaded.cell_data;
        Ok(frame)
    }

    /// Reads the positions of all points in a frame, m.
    pub fn points(&self, i: usize) -> Result<Vec<[f64; 3]>, ResultsError> {
        Ok(import::read_frame(&self.frames[i].1)?.mesh.points)
    }

    /// Returns the embedded surface in a frame, with its displacement since the first. Returns `None` if the run has none.
    pub fn embedded_surface(&self, i: usize) -> Option<EmbeddedSurface> {
        let cache = self.skin.as_ref()?;
        let (now, start) = (cache.positions(i)?, cache.positions(0)?);
        let distance = |(p, q): (&[f64; 3], &[f64; 3])| {
            (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt()
        };
        let displacement = now.iter().zip(&start).map(distance).collect();
        Some(EmbeddedSurface {
            positions: now,
            triangles: cache.triangles.clone(),
            displacement,
            bodies: cache.bodies.clone(),
        })
    }

    /// Returns the values of a field at the nodes of a frame: magnitudes of vectors, cell values averaged over the solid
    /// cells at each node.
    pub fn field(
        &self,
        i: usize,
        frame: &ResultFrame,
        field: &str,
    ) -> Result<Vec<f64>, ResultsError> {
        let (points, cells) = (&frame.point_data, &frame.cell_data);
        self.nodal_values(i, &frame.mesh, [points, cells], field)
    }

    /// Reads the positions of all points in a frame (m) and the values of a field at them, without the surface.
    pub fn positions_and_field(
        &self,
        i: usize,
        field: Option<&str>,
    ) -> Result<PointValues, ResultsError> {
        let ImportedMesh {
            mesh,
            point_data,
            cell_data,
            ..
        } = import::read_frame(&self.frames[i].1)?;
        let values = |name| self.nodal_values(i, &mesh, [&point_data, &cell_data], name);
        let values = field.map(values).transpose()?;
        Ok(PointValues {
            points: mesh.points,
            values,
        })
    }

    /// Returns the fields of [`FIELDS`] that a frame has: its entries there.
    pub fn known_fields(
        &self,
        frame: &ResultFrame,
    ) -> Vec<(&'static str, &'static str, &'static str)> {
        let has = |stored: &str| {
            let mut all = frame.point_data.iter().chain(&frame.cell_data);
            all.any(|d| d.name == stored)
        };
        let known = FIELDS.iter().filter(|(_, stored, _)| has(stored));
        known.copied().collect()
    }

    fn nodal_values(
        &self,
        i: usize,
        mesh: &Mesh,
        [point_data, cell_data]: [&[DataArray]; 2],
        field: &str,
    ) -> Result<Vec<f64>, ResultsError> {
        let stored = FIELDS
            .iter()
            .find(|(name, _, _)| *name == field)
            .map_or(field, |(_, stored, _)| stored);
        if let Some(data) = point_data.iter().find(|d| d.name == stored) {
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
        let scalar = |d: &&DataArray| d.name == stored && d.components == 1;
        if let Some(data) = cell_data.iter().find(scalar) {
            return Ok(average_at_nodes(mesh, &data.values));
        }
        let names = point_data.iter().chain(cell_data).map(|d| d.name.as_str());
        let known = names.collect::<Vec<_>>().join(", ");
        Err(ResultsError::Field {
            file: self.frames[i].1.display().to_string(),
            field: field.into(),
            known,
        })
    }
}

/// Averages the values of the solid cells at each node.
pub fn average_at_nodes(mesh: &Mesh, cells: &[f64]) -> Vec<f64> {
    let mut sums = vec![(0.0, 0u32); mesh.points.len()];
    for ((kind, nodes), x) in mesh.cells().zip(cells) {
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

impl ResultFrame {
    fn new(t: f64, mesh: Mesh) -> ResultFrame {
        let skin = surface(&mesh);
        let owner = |face: &u32| skin.faces[*face as usize].owner;
        let of = |kind: CellKind| {
            mesh.cells()
                .filter(move |(k, _)| *k == kind)
                .map(|(_, nodes)| nodes)
        };
        ResultFrame {
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

    /// Creates a frame of an output mesh with given positions of its points, without fields.
    pub fn from_positions(output_mesh: &OutputMesh, t: f64, positions: &[[f64; 3]]) -> ResultFrame {
        let mut mesh = output_mesh.mesh.clone();
        mesh.points.copy_from_slice(positions);
        let mut frame = ResultFrame::new(t, mesh);
        frame.cell_data.push(DataArray {
            name: "body".into(),
            components: 1,
            values: output_mesh
                .cell_body
                .iter()
                .map(|b| f64::from(*b))
                .collect(),
        });
        frame
    }

    /// Returns what pages draw of the frame.
    pub fn drawn_mesh(&self) -> DrawnMesh {
        let body = self.cell_data.iter().find(|d| d.name == "body");
        DrawnMesh::of_mesh(&self.mesh, |cell| {
            body.map_or(0, |b| b.values[cell as usize] as u32)
        })
    }

    /// Returns the number of the body to which each triangle belongs.
    pub fn bodies(&self) -> Vec<usize> {
        let body = self.cell_data.iter().find(|d| d.name == "body");
        self.owners
            .iter()
            .map(|&cell| body.map_or(0, |b| b.values[cell as usize] as usize))
            .collect()
    }
}
