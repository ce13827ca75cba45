//! Stanford PLY, one binary little-endian file per frame: `ply/NNNNN.ply`, positions and smooth normals as f32.
//!
//! Triangles are in the order of the output surface, which identifies their bodies. Frames are independent: a resumed run
//! adds files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::record::file::{create_folder, remove_after, write_atomically};
use crate::record::skin::Skin;
use crate::record::{Frame, OutputMesh, Recorder};

/// Recorder that writes the surface to `ply/NNNNN.ply` in a folder.
pub struct PlySequence {
    folder: PathBuf,
    skin: Skin,
    normals: Vec<[f32; 3]>,
    last: Option<usize>,
    faces: Vec<u8>,
}

impl PlySequence {
    /// Creates `dir/ply`.
    pub fn new(dir: &Path, output_mesh: &OutputMesh) -> io::Result<PlySequence> {
        let folder = dir.join("ply");
        let skin = Skin::new(output_mesh)?;
        create_folder(&folder)?;
        let mut faces = Vec::with_capacity(13 * skin.triangles.len());
        for triangle in &skin.triangles {
            faces.push(3);
            faces.extend(triangle.iter().flat_map(|&v| v.cast_signed().to_le_bytes()));
        }
        Ok(PlySequence {
            folder,
            skin,
            normals: Vec::new(),
            last: None,
            faces,
        })
    }
}

impl Recorder for PlySequence {
    fn frame(&mut self, frame: &Frame) -> io::Result<()> {
        self.skin.check_vertex_count(frame, None)?;
        self.skin.normals(frame.skin, &mut self.normals);
        write_atomically(
            &self.folder.join(format!("{:05}.ply", frame.index)),
            |out| {
                write!(
                    out,
                    "ply\nformat binary_little_endian 1.0\ncomment t = {} s\nelement vertex {}\n\
                 property float x\nproperty float y\nproperty float z\n\
                 property float nx\nproperty float ny\nproperty float nz\n\
                 element face {}\nproperty list uchar int vertex_indices\nend_header\n",
                    frame.t,
                    frame.skin.len(),
                    self.skin.triangles.len()
                )?;
                for (position, normal) in frame.skin.iter().zip(&self.normals) {
                    for x in position.map(|x| x as f32).iter().chain(normal) {
                        out.write_all(&x.to_le_bytes())?;
                    }
                }
                out.write_all(&self.faces)
            },
        )?;
        self.last = Some(frame.index);
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.last
            .map_or(Ok(()), |last| remove_after(&self.folder, "ply", last))
    }
}
