//! CSV files that grow line by line and can be continued.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::PathBuf;

use meshio::record::RecordError;

/// A CSV file that is written line by line.
pub(super) struct CsvWriter {
    path: PathBuf,
    file: BufWriter<File>,
    line: String,
}

impl CsvWriter {
    /// Opens a table and truncates it to `kept` bytes; with 0 bytes it is created with its header.
    pub fn open(path: PathBuf, header: &str, kept: u64) -> io::Result<CsvWriter> {
        let fresh = kept == 0;
        let open = || -> io::Result<File> {
            if fresh {
                return File::create(&path);
            }
            let lacking = |what: String| {
                let what =
                    format!("{what}; resume a run into the folder in which it was stopped (-o)");
                io::Error::new(io::ErrorKind::InvalidData, what)
            };
            let mut file =
                OpenOptions::new()
                    .write(true)
                    .open(&path)
                    .map_err(|e| match e.kind() {
                        io::ErrorKind::NotFound => lacking(
                            "the file does not exist but the checkpoint continues it".into(),
                        ),
                        _ => e,
                    })?;
            let found = file.metadata()?.len();
            if found < kept {
                return Err(lacking(format!(
                    "the file has {found} bytes, but {kept} at the checkpoint"
                )));
            }
            file.set_len(kept)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().map_err(RecordError::io("open", &path))?;
        let mut table = CsvWriter {
            file: BufWriter::with_capacity(1 << 16, file),
            path,
            line: String::with_capacity(512),
        };
        if fresh {
            table.line.push_str(header);
            table.end()?;
        }
        Ok(table)
    }

    /// Appends a number.
    pub fn number(&mut self, x: f64) {
        use std::fmt::Write;
        if !self.line.is_empty() {
            self.line.push(',');
        }
        // Fewest digits that parse to the same number.
        let _ = write!(self.line, "{x:?}");
    }

    /// Appends an integer.
    pub fn count(&mut self, x: u64) {
        use std::fmt::Write;
        let _ = write!(self.line, ",{x}");
    }

    /// Appends a word, in quotes if it contains a comma or a quote [RFC 4180].
    pub fn word(&mut self, word: &str) {
        self.line.push(',');
        if word.contains([',', '"', '\n']) {
            self.line.push('"');
            self.line.push_str(&word.replace('"', "\"\""));
            self.line.push('"');
        } else {
            self.line.push_str(word);
        }
    }

    /// Writes the line.
    pub fn end(&mut self) -> io::Result<()> {
        if !self.line.ends_with('\n') {
            self.line.push('\n');
        }
        let written = self.file.write_all(self.line.as_bytes());
        self.line.clear();
        written.map_err(RecordError::io("write", &self.path))
    }

    /// Flushes the file and returns its length.
    pub fn flush(&mut self) -> io::Result<u64> {
        let mut flush = || -> io::Result<u64> {
            self.file.flush()?;
            self.file.get_mut().stream_position()
        };
        flush().map_err(RecordError::io("write", &self.path))
    }
}
