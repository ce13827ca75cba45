//! Temporary file of surface frames for formats that can only be written when all frames are known.
//!
//! `NAME.frames` holds a header (magic, number of vertices, hash of the mesh) and a record per frame with its number, time
//! and positions as f32. It remains after the run: a resumed run then writes the same file as an uninterrupted one. It may
//! be deleted if the run will not be resumed. If it is missing, a resumed recording starts at the resumed frame.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::Frame;
use super::error::RecordError;
use super::skin::Skin;

const MAGIC: &[u8; 8] = b"supskin1";
const HEAD: u64 = 24;

/// Log of surface frames on disk.
pub(crate) struct FrameLog {
    path: PathBuf,
    open: Option<Open>,
    bytes: Vec<u8>,
}

struct Open {
    file: File,
    vertices: usize,
    frames: u64,
}

/// Number and time of a frame in the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameStamp {
    pub(crate) index: u64,
    pub(crate) t: f64,
}

impl FrameLog {
    pub(crate) fn new(path: PathBuf) -> FrameLog {
        FrameLog {
            path,
            open: None,
            bytes: Vec::new(),
        }
    }

    /// Returns the number of vertices, or `None` before the first frame.
    pub(crate) fn vertices(&self) -> Option<usize> {
        self.open.as_ref().map(|o| o.vertices)
    }

    /// Returns the number of frames.
    pub(crate) fn frames(&self) -> u64 {
        self.open.as_ref().map_or(0, |o| o.frames)
    }

    /// Appends a frame.
    pub(crate) fn add(&mut self, frame: &Frame, skin: &Skin) -> io::Result<()> {
        skin.check_vertex_count(frame, self.vertices())?;
        let mut open = match self.open.take() {
            Some(open) => open,
            None => self.begin(frame, skin)?,
        };
        self.bytes.clear();
        self.bytes.extend((frame.index as u64).to_le_bytes());
        self.bytes.extend(frame.t.to_le_bytes());
        self.bytes.extend(
            frame
                .skin
                .iter()
                .flatten()
                .flat_map(|&x| (x as f32).to_le_bytes()),
        );
        let at = HEAD + open.frames * self.bytes.len() as u64;
        let written = open
            .file
            .seek(SeekFrom::Start(at))
            .and_then(|_| open.file.write_all(&self.bytes));
        written.map_err(RecordError::io("write", &self.path))?;
        open.frames += 1;
        self.open = Some(open);
        Ok(())
    }

    /// Reads frame number `k` of the log.
    pub(crate) fn read(&mut self, k: u64, positions: &mut Vec<[f64; 3]>) -> io::Result<FrameStamp> {
        positions.clear();
        let Some(open) = &mut self.open else {
            return Ok(FrameStamp { index: 0, t: 0.0 });
        };
        let length = record(open.vertices);
        self.bytes.resize(length as usize, 0);
        let read = open
            .file
            .seek(SeekFrom::Start(HEAD + k * length))
            .and_then(|_| open.file.read_exact(&mut self.bytes));
        read.map_err(RecordError::io("read", &self.path))?;
        let (mark, rest) = self.bytes.split_at(16);
        let number = |b: &[u8]| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        positions.extend(
            rest.chunks_exact(12)
                .map(|b| [number(b), number(&b[4..]), number(&b[8..])]),
        );
        Ok(mark_of(mark))
    }

    fn begin(&self, frame: &Frame, skin: &Skin) -> io::Result<Open> {
        let vertices = frame.skin.len();
        let mut head = MAGIC.to_vec();
        head.extend((vertices as u64).to_le_bytes());
        head.extend(skin.stamp().to_le_bytes());
        if frame.index > 0 {
            match OpenOptions::new().read(true).write(true).open(&self.path) {
                Ok(file) => return self.continued(file, frame, &head),
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => return Err(RecordError::io("open", &self.path)(e)),
            }
        }
        let options = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&self.path);
        let mut file = options.map_err(RecordError::io("make", &self.path))?;
        file.write_all(&head)
            .map_err(RecordError::io("write", &self.path))?;
        Ok(Open {
            file,
            vertices,
            frames: 0,
        })
    }

    /// Continues the log of an earlier run: keeps the frames before `frame`.
    fn continued(&self, mut file: File, frame: &Frame, head: &[u8]) -> io::Result<Open> {
        let vertices = frame.skin.len();
        let mut found = vec![0; HEAD as usize];
        let read = file.read_exact(&mut found);
        read.map_err(RecordError::io("read", &self.path))?;
        if found != head {
            let why = "it was recorded with another mesh".to_string();
            return Err(RecordError::Foreign {
                path: self.path.clone(),
                why,
            }
            .into());
        }
        let length = record(vertices);
        let size = file
            .metadata()
            .map_err(RecordError::io("read", &self.path))?
            .len();
        // An incomplete record at the end, left by a crash, is ignored.
        let mut frames = size.saturating_sub(HEAD) / length;
        while frames > 0 {
            let mut mark = [0; 16];
            let read = file
                .seek(SeekFrom::Start(HEAD + (frames - 1) * length))
                .and_then(|_| file.read_exact(&mut mark));
            read.map_err(RecordError::io("read", &self.path))?;
            if mark_of(&mark).index < frame.index as u64 {
                break;
            }
            frames -= 1;
        }
        file.set_len(HEAD + frames * length)
            .map_err(RecordError::io("shorten", &self.path))?;
        Ok(Open {
            file,
            vertices,
            frames,
        })
    }
}

/// Returns the number of bytes of a frame.
fn record(vertices: usize) -> u64 {
    16 + 12 * vertices as u64
}

fn mark_of(bytes: &[u8]) -> FrameStamp {
    let word = |at: usize| std::array::from_fn(|i| bytes[at + i]);
    FrameStamp {
        index: u64::from_le_bytes(word(0)),
        t: f64::from_le_bytes(word(8)),
    }
}
