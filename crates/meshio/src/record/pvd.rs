//! ParaView's collection file (`.pvd`): the files of a series and their times.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use super::error::RecordError;
use super::file::write_atomically;

const HEAD: &str = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
                    <Collection>\n";
const TAIL: &str = "</Collection>\n</VTKFile>\n";

/// A `.pvd` file that is complete after every entry.
pub(crate) struct PvdSeries {
    path: PathBuf,
    entries: String,
    begun: bool,
}

impl PvdSeries {
    /// Creates a series at `path`; the file is not read or written before the first entry.
    pub(crate) fn new(path: PathBuf) -> PvdSeries {
        PvdSeries {
            path,
            entries: String::new(),
            begun: false,
        }
    }

    /// Adds an entry. The first entry of a resumed run keeps the entries of the file with smaller frame numbers.
    pub(crate) fn add(&mut self, index: usize, t: f64, file: &str) -> io::Result<()> {
        if !self.begun {
            self.begun = true;
            if index > 0 {
                self.keep_entries_before(index)?;
            }
        }
        self.entries.push_str(&format!(
            "<DataSet timestep=\"{t}\" part=\"0\" file=\"{file}\"/>\n"
        ));
        self.write()
    }

    /// Writes an empty series if no frame was added and the file does not exist.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        if self.begun || self.path.exists() {
            Ok(())
        } else {
            self.write()
        }
    }

    fn write(&self) -> io::Result<()> {
        write_atomically(&self.path, |out| {
            out.write_all(HEAD.as_bytes())?;
            out.write_all(self.entries.as_bytes())?;
            out.write_all(TAIL.as_bytes())
        })
    }

    fn keep_entries_before(&mut self, first: usize) -> io::Result<()> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(RecordError::io("read", &self.path)(e)),
        };
        for line in text.lines() {
            if frame_number(line).is_some_and(|index| index < first) {
                self.entries.push_str(line);
                self.entries.push('\n');
            }
        }
        Ok(())
    }
}

/// Returns the frame number of an entry: 12 for `… file="frames/00012.vtu"/>`.
fn frame_number(line: &str) -> Option<usize> {
    let (_, rest) = line
        .trim_start()
        .strip_prefix("<DataSet ")?
        .split_once("file=\"")?;
    let (name, _) = rest.split_once('"')?;
    let (stem, _) = name.rsplit('/').next()?.split_once('.')?;
    stem.parse().ok()
}
