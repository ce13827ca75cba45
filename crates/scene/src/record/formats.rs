//! The formats a scene can ask for: the one list of them, which `[output] formats`, the schema and listings read.

pub mod gltf;
pub mod obj;
pub mod pc2;
pub mod ply;
pub mod usd;
pub mod vtu;

use std::io;
use std::path::Path;

use crate::record::fault::RecordError;
use crate::record::{Frame, Recorder, Subject};
use gltf::Gltf;
use obj::ObjSequence;
use pc2::PointCache;
use ply::PlySequence;
use usd::Usd;
use vtu::VtuSeries;

/// A format frames can be kept in.
#[derive(Clone, Copy)]
pub struct Record {
    /// The name in `[output] formats`.
    pub name: &'static str,
    /// What it writes, for listings.
    pub description: &'static str,
    /// Opens it in a folder, for a subject shown at so many frames a second.
    pub open: fn(&Path, &Subject, f64) -> io::Result<Box<dyn Recorder>>,
}

/// Every format, in the order of listings.
pub const RECORDS: &[Record] = &[
    Record {
        name: "vtu",
        description: "frames/NNNNN.vtu and series.pvd: positions, displacement, velocity and cell fields (ParaView)",
        open: |dir, subject, _| Ok(Box::new(VtuSeries::new(dir, subject)?)),
    },
    Record {
        name: "obj",
        description: "obj/NNNNN.obj: the skin, a text file a frame",
        open: |dir, subject, _| Ok(Box::new(ObjSequence::new(dir, subject)?)),
    },
    Record {
        name: "ply",
        description: "ply/NNNNN.ply: the skin, a binary file a frame",
        open: |dir, subject, _| Ok(Box::new(PlySequence::new(dir, subject)?)),
    },
    Record {
        name: "gltf",
        description: "skin.glb: the skin as one animated glTF 2.0 file (Blender, web pages)",
        open: |dir, subject, _| Ok(Box::new(Gltf::new(dir, subject)?)),
    },
    Record {
        name: "usd",
        description: "skin.usda: the skin as one animated USD file (Blender, Houdini)",
        open: |dir, subject, fps| Ok(Box::new(Usd::new(dir, subject, fps)?)),
    },
    Record {
        name: "pc2",
        description: "skin.pc2 and skin.obj: the skin as point cache and mesh (Blender's Mesh Cache, Houdini, Maya)",
        open: |dir, subject, _| Ok(Box::new(PointCache::new(dir, subject)?)),
    },
];

/// Several recorders as one.
pub struct Several(Vec<Box<dyn Recorder>>);

impl Several {
    /// Opens the formats named.
    pub fn open(
        names: &[impl AsRef<str>],
        dir: &Path,
        subject: &Subject,
        fps: f64,
    ) -> io::Result<Several> {
        let opened: io::Result<Vec<_>> = names
            .iter()
            .map(|name| (named(name.as_ref())?.open)(dir, subject, fps))
            .collect();
        Ok(Several(opened?))
    }
}

impl Recorder for Several {
    fn frame(&mut self, frame: &Frame) -> io::Result<()> {
        self.0
            .iter_mut()
            .try_for_each(|recorder| recorder.frame(frame))
    }

    /// Finishes every one, also after one has failed; the first error is told.
    fn finish(&mut self) -> io::Result<()> {
        let ends: Vec<io::Result<()>> = self
            .0
            .iter_mut()
            .map(|recorder| recorder.finish())
            .collect();
        ends.into_iter().collect()
    }
}

/// The format of that name.
pub fn named(name: &str) -> Result<&'static Record, RecordError> {
    RECORDS
        .iter()
        .find(|record| record.name == name)
        .ok_or_else(|| RecordError::Unknown {
            name: name.to_string(),
            known: RECORDS
                .iter()
                .map(|record| record.name)
                .collect::<Vec<_>>()
                .join(", "),
        })
}
