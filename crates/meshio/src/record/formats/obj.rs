//! Wavefront OBJ, one file per frame: `obj/NNNNN.obj`, with an object per body and smooth normals.
//!
//! Positions are written with as many digits as f64 needs, y up, metres. Frames are independent: a resumed run adds files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::record::file::{create_folder, remove_after, write_atomically};
use crate::record::skin::Skin;
use crate::record::{Frame, OutputMesh, Recorder};

/// Recorder that writes the surface to `obj/NNNNN.obj` in a folder.
pub struct ObjSequence {
    folder: PathBuf,
    skin: Skin,
    normals: Vec<[f32; 3]>,
    last: Option<usize>,
}

impl ObjSequence {
    /// Creates `dir/obj`.
    pub fn new(dir: &Path, output_mesh: &OutputMesh) -> io::Result<ObjSequence> {
        let folder = dir.join("obj");
        let skin = Skin::new(output_mesh)?;
        create_folder(&folder)?;
        Ok(ObjSequence {
            folder,
            skin,
            normals: Vec::new(),
            last: None,
        })
    }
}

impl Recorder for ObjSequence {
    fn frame(&mut self, frame: &Frame) -> io::Result<()> {
        self.skin.check_vertex_count(frame, None)?;
        self.skin.normals(frame.skin, &mut self.normals);
        write_atomically(
            &self.folder.join(format!("{:05}.obj", frame.index)),
            |out| {
                write_obj(
                    out,
                    &self.skin,
                    Split::Objects,
                    frame.skin,
                    &self.normals,
                    &format!("t = {} s", frame.t),
                )
            },
        )?;
        self.last = Some(frame.index);
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.last
            .map_or(Ok(()), |last| remove_after(&self.folder, "obj", last))
    }
}

/// Representation of a body in an OBJ file.
#[derive(Clone, Copy)]
pub(crate) enum Split {
    /// `o`: a separate object.
    Objects,
    /// `g`: a group of a single object, whose vertices readers keep in order.
    Groups,
}

/// Writes an OBJ file: all vertices in the order of the surface, then the triangles of each body.
pub(crate) fn write_obj(
    out: &mut impl Write,
    skin: &Skin,
    split: Split,
    positions: &[[f64; 3]],
    normals: &[[f32; 3]],
    remark: &str,
) -> io::Result<()> {
    writeln!(out, "# {remark}")?;
    for [x, y, z] in positions {
        writeln!(out, "v {x} {y} {z}")?;
    }
    for [x, y, z] in normals {
        writeln!(out, "vn {x:.5} {y:.5} {z:.5}")?;
    }
    for part in &skin.parts {
        let name: String = part
            .name
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let word = match split {
            Split::Objects => "o",
            Split::Groups => "g",
        };
        writeln!(out, "{word} {name}\ns 1")?;
        for &t in &part.numbers {
            let [a, b, c] = skin.triangles[t as usize].map(|v| v + 1);
            writeln!(out, "f {a}//{a} {b}//{b} {c}//{c}")?;
        }
    }
    Ok(())
}
