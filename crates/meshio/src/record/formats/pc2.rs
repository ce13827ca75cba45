//! PC2 point cache and its mesh: `skin.pc2` and `skin.obj`.
//!
//! Blender: import `skin.obj`, add a Mesh Cache modifier, choose `skin.pc2`; the axes need no change. Houdini and Maya read
//! it too. The file is a header (`POINTCACHE2\0`, version 1, points, first frame, frames per sample, samples) and f32
//! positions, frame after frame in the order of the OBJ's vertices. The number of samples is updated after every frame: an
//! interrupted run can be opened up to its last frame.
//!
//! After a resume, frames overwrite those of the same number. If `skin.pc2` no longer exists, a new one starts at the
//! resumed frame, whose number is in its header.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::obj::{Split, write_obj};
use crate::record::error::RecordError;
use crate::record::file::{create_folder, write_atomically};
use crate::record::skin::Skin;
use crate::record::{Frame, OutputMesh, Recorder};

const MAGIC: &[u8; 12] = b"POINTCACHE2\0";
const HEAD: u64 = 32;

/// Recorder that writes the point cache `skin.pc2` and its mesh `skin.obj` into a folder.
pub struct PointCache {
    folder: PathBuf,
    path: PathBuf,
    skin: Skin,
    open: Option<Open>,
    bytes: Vec<u8>,
}

struct Open {
    file: File,
    vertices: usize,
    first: usize,
}

impl PointCache {
    /// Creates the folder; files are created with the first frame.
    pub fn new(dir: &Path, output_mesh: &OutputMesh) -> io::Result<PointCache> {
        let skin = Skin::new(output_mesh)?;
        create_folder(dir)?;
        let (folder, path) = (dir.to_path_buf(), dir.join("skin.pc2"));
        Ok(PointCache {
            folder,
            path,
            skin,
            open: None,
            bytes: Vec::new(),
        })
    }

    fn begin(&self, frame: &Frame) -> io::Result<Open> {
        let vertices = frame.skin.len();
        if i32::try_from(vertices).is_err() {
            let (what, most) = ("vertices", i32::MAX as u64);
            return Err(RecordError::TooLarge {
                path: self.path.clone(),
                what,
                most,
                found: vertices as u64,
            }
            .into());
        }
        if frame.index > 0 {
            match OpenOptions::new().read(true).write(true).open(&self.path) {
                Ok(file) => return self.continued(file, frame),
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => return Err(RecordError::io("open", &self.path)(e)),
            }
        }
        let mut normals = Vec::new();
        self.skin.normals(frame.skin, &mut normals);
        write_atomically(&self.folder.join("skin.obj"), |out| {
            write_obj(
                out,
                &self.skin,
                Split::Groups,
                frame.skin,
                &normals,
                "mesh of skin.pc2",
            )
        })?;
        let mut head = MAGIC.to_vec();
        head.extend(1i32.to_le_bytes());
        head.extend((vertices as i32).to_le_bytes());
        head.extend((frame.index as f32).to_le_bytes());
        head.extend(1f32.to_le_bytes());
        head.extend(0i32.to_le_bytes());
        let mut file = File::create(&self.path).map_err(RecordError::io("make", &self.path))?;
        file.write_all(&head)
            .map_err(RecordError::io("write", &self.path))?;
        Ok(Open {
            file,
            vertices,
            first: frame.index,
        })
    }

    fn continued(&self, mut file: File, frame: &Frame) -> io::Result<Open> {
        let foreign = |why: String| RecordError::Foreign {
            path: self.path.clone(),
            why,
        };
        let mut head = [0; HEAD as usize];
        file.read_exact(&mut head)
            .map_err(RecordError::io("read", &self.path))?;
        let word = |at: usize| [head[at], head[at + 1], head[at + 2], head[at + 3]];
        let vertices = i32::from_le_bytes(word(16)) as usize;
        let (first, samples) = (
            f32::from_le_bytes(word(20)) as usize,
            i32::from_le_bytes(word(28)) as usize,
        );
        if &head[..12] != MAGIC {
            return Err(foreign("it is not a point cache".into()).into());
        }
        if vertices != frame.skin.len() {
            return Err(foreign(format!(
                "it has {vertices} points, the skin has {}",
                frame.skin.len()
            ))
            .into());
        }
        if frame.index < first || frame.index > first + samples {
            let end = first + samples;
            let why = format!(
                "it holds frames {first} up to {end}, and frame {} does not follow",
                frame.index
            );
            return Err(foreign(why).into());
        }
        Ok(Open {
            file,
            vertices,
            first,
        })
    }
}

impl Recorder for PointCache {
    fn frame(&mut self, frame: &Frame) -> io::Result<()> {
        self.skin
            .check_vertex_count(frame, self.open.as_ref().map(|o| o.vertices))?;
        let mut open = match self.open.take() {
            Some(open) => open,
            None => self.begin(frame)?,
        };
        let sample = (frame.index - open.first) as u64;
        self.bytes.clear();
        self.bytes.extend(
            frame
                .skin
                .iter()
                .flatten()
                .flat_map(|&x| (x as f32).to_le_bytes()),
        );
        let count = i32::try_from(sample + 1).map_err(|_| RecordError::TooLarge {
            path: self.path.clone(),
            what: "samples",
            most: i32::MAX as u64,
            found: sample + 1,
        })?;
        let at = HEAD + sample * self.bytes.len() as u64;
        let written = open
            .file
            .seek(SeekFrom::Start(at))
            .and_then(|_| open.file.write_all(&self.bytes))
            // Frames of an earlier, longer run after this one are removed.
            .and_then(|()| open.file.set_len(at + self.bytes.len() as u64))
            .and_then(|()| open.file.seek(SeekFrom::Start(28)))
            .and_then(|_| open.file.write_all(&count.to_le_bytes()));
        written.map_err(RecordError::io("write", &self.path))?;
        self.open = Some(open);
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}
