//! Where frames go.

mod error;
mod file;
pub mod formats;
mod frame_log;
mod pvd;
mod skin;
mod zlib_blocks;

use std::io;

pub use error::RecordError;
pub use file::{make_folder, write_atomically};
pub use formats::{MultiRecorder, OUTPUT_FORMATS, OutputFormat, find_format};
use mesh::Mesh;

/// What stays the same from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct OutputMesh {
    /// All bodies in one mesh, in scene order, at rest.
    pub mesh: Mesh,
    /// Which body each cell belongs to.
    pub cell_body: Vec<u32>,
    /// Names of the bodies.
    pub bodies: Vec<String>,
    /// The triangles people look at: the boundary of solids, or the surface a body carries along. They index
    /// [`Frame::skin`].
    pub triangles: Vec<[u32; 3]>,
    /// Which body each triangle belongs to.
    pub triangle_body: Vec<u32>,
}

/// One picture of the motion.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// 0, 1, 2, … at the scene's `fps`.
    pub index: usize,
    /// Time, s.
    pub t: f64,
    /// Current position of each point of the mesh, m.
    pub positions: &'a [[f64; 3]],
    /// Velocity of each point of the mesh, m/s.
    pub velocities: &'a [[f64; 3]],
    /// Current position of each vertex of the skin, m.
    pub skin: &'a [[f64; 3]],
    /// Named numbers, one for each cell of the mesh.
    pub cell_fields: &'a [(&'a str, &'a [f64])],
}

/// Something that keeps frames.
pub trait Recorder: Send {
    /// Takes one frame. Frames come in order of `index`; after a resume the first may be greater than 0.
    fn frame(&mut self, frame: &Frame) -> io::Result<()>;
    /// Called once after the last frame.
    fn finish(&mut self) -> io::Result<()>;
}
