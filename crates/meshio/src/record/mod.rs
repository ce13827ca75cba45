//! Writes frames to files: the recorder trait, the output formats and what they share.

mod error;
mod file;
pub mod formats;
mod frame_log;
mod pvd;
mod skin;
mod zlib_blocks;

use std::io;

pub use error::RecordError;
pub use file::{create_folder, write_atomically};
pub use formats::{MultiRecorder, OUTPUT_FORMATS, OutputFormat, find_format};
use mesh::Mesh;

/// Mesh and surface on which frames are written; the same in all frames.
#[derive(Clone, Debug, Default)]
pub struct OutputMesh {
    /// Mesh of all bodies in the order of the scene, at rest.
    pub mesh: Mesh,
    /// Number of the body of each cell.
    pub cell_body: Vec<u32>,
    /// Names of the bodies.
    pub bodies: Vec<String>,
    /// Triangles of the output surface: the boundary of solids, or an embedded surface. They index [`Frame::skin`].
    pub triangles: Vec<[u32; 3]>,
    /// Number of the body of each triangle.
    pub triangle_body: Vec<u32>,
}

/// Positions, velocities and fields at the time of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Number of the frame: 0, 1, 2, … at the scene's `fps`.
    pub index: usize,
    /// Time, s.
    pub t: f64,
    /// Current position of each point of the mesh, m.
    pub positions: &'a [[f64; 3]],
    /// Velocity of each point of the mesh, m/s.
    pub velocities: &'a [[f64; 3]],
    /// Current position of each vertex of the output surface, m.
    pub skin: &'a [[f64; 3]],
    /// Names and values of cell fields, one value for each cell of the mesh.
    pub cell_fields: &'a [(&'a str, &'a [f64])],
    /// Names and values of vector fields, one vector for each point of the mesh.
    pub point_fields: &'a [(&'a str, &'a [[f64; 3]])],
    /// Names and values of scalar fields, one value for each point of the mesh.
    pub point_scalars: &'a [(&'a str, &'a [f64])],
}

/// A writer of frames in one file format.
pub trait Recorder: Send {
    /// Writes a frame. Frames arrive in the order of `index`; after a resume the first index may be greater than 0.
    fn frame(&mut self, frame: &Frame) -> io::Result<()>;
    /// Completes the files; called once after the last frame.
    fn finish(&mut self) -> io::Result<()>;
}
