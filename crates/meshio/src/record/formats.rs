//! The list of output formats, which `[output] formats`, the schema and `supple list formats` use.

pub mod gltf;
pub mod obj;
pub mod pc2;
pub mod ply;
pub mod usd;
pub mod vtu;

use std::io;
use std::path::Path;

use crate::record::error::RecordError;
use crate::record::{Frame, OutputMesh, Recorder};
use gltf::Gltf;
use obj::ObjSequence;
use pc2::PointCache;
use ply::PlySequence;
use usd::Usd;
use vtu::VtuSeries;

/// An output format of frames.
#[derive(Clone, Copy)]
pub struct OutputFormat {
    /// Name in `[output] formats`.
    pub name: &'static str,
    /// Files that it writes, for listings.
    pub description: &'static str,
    /// Creates a recorder in a folder for an output mesh and a number of frames per second.
    pub open: fn(&Path, &OutputMesh, f64) -> io::Result<Box<dyn Recorder>>,
}

/// All output formats, in the order of listings.
pub const OUTPUT_FORMATS: &[OutputFormat] = &[
    OutputFormat {
        name: "vtu",
        description: "frames/NNNNN.vtu and series.pvd: positions, displacement, velocity and cell fields (ParaView)",
        open: |dir, output_mesh, _| Ok(Box::new(VtuSeries::new(dir, output_mesh)?)),
    },
    OutputFormat {
        name: "obj",
        description: "obj/NNNNN.obj: surface, one text file per frame",
        open: |dir, output_mesh, _| Ok(Box::new(ObjSequence::new(dir, output_mesh)?)),
    },
    OutputFormat {
        name: "ply",
        description: "ply/NNNNN.ply: surface, one binary file per frame",
        open: |dir, output_mesh, _| Ok(Box::new(PlySequence::new(dir, output_mesh)?)),
    },
    OutputFormat {
        name: "gltf",
        description: "skin.glb: animated surface as one glTF 2.0 file (Blender, web pages)",
        open: |dir, output_mesh, _| Ok(Box::new(Gltf::new(dir, output_mesh)?)),
    },
    OutputFormat {
        name: "usd",
        description: "skin.usda: animated surface as one USD file (Blender, Houdini)",
        open: |dir, output_mesh, fps| Ok(Box::new(Usd::new(dir, output_mesh, fps)?)),
    },
    OutputFormat {
        name: "pc2",
        description: "skin.pc2 and skin.obj: surface as point cache and mesh (Blender's Mesh Cache, Houdini, Maya)",
        open: |dir, output_mesh, _| Ok(Box::new(PointCache::new(dir, output_mesh)?)),
    },
];

/// A recorder that writes frames in several formats.
pub struct MultiRecorder(Vec<Box<dyn Recorder>>);

impl MultiRecorder {
    /// Opens recorders of the named formats.
    pub fn open(
        names: &[impl AsRef<str>],
        dir: &Path,
        output_mesh: &OutputMesh,
        fps: f64,
    ) -> io::Result<MultiRecorder> {
        let opened: io::Result<Vec<_>> = names
            .iter()
            .map(|name| (find_format(name.as_ref())?.open)(dir, output_mesh, fps))
            .collect();
        Ok(MultiRecorder(opened?))
    }
}

impl Recorder for MultiRecorder {
    fn frame(&mut self, frame: &Frame) -> io::Result<()> {
        self.0
            .iter_mut()
            .try_for_each(|recorder| recorder.frame(frame))
    }

    /// Finishes all recorders, also after one has failed; returns the first error.
    fn finish(&mut self) -> io::Result<()> {
        let ends: Vec<io::Result<()>> = self
            .0
            .iter_mut()
            .map(|recorder| recorder.finish())
            .collect();
        ends.into_iter().collect()
    }
}

/// Finds an output format by name.
pub fn find_format(name: &str) -> Result<&'static OutputFormat, RecordError> {
    OUTPUT_FORMATS
        .iter()
        .find(|record| record.name == name)
        .ok_or_else(|| RecordError::Unknown {
            name: name.to_string(),
            known: OUTPUT_FORMATS
                .iter()
                .map(|record| record.name)
                .collect::<Vec<_>>()
                .join(", "),
        })
}
