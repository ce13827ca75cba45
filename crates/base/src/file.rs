//! Atomic file writes: a file is written under a temporary name in the same folder and then renamed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Size of the write buffer, bytes.
const BUFFER: usize = 1 << 16;

/// Returns the temporary name of a file: `name.part`.
pub fn part_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// File that is written under a temporary name. [`PartFile::commit`] gives it its final name; dropping it without that
/// removes it.
#[derive(Debug)]
pub struct PartFile {
    out: BufWriter<File>,
    path: PathBuf,
    part: PathBuf,
    committed: bool,
}

impl PartFile {
    /// Creates the file under its temporary name.
    pub fn create(path: &Path) -> io::Result<PartFile> {
        let part = part_name(path);
        Ok(PartFile {
            out: BufWriter::with_capacity(BUFFER, File::create(&part)?),
            path: path.to_path_buf(),
            part,
            committed: false,
        })
    }

    /// Flushes the buffer and waits until the data are on disk.
    pub fn sync(&mut self) -> io::Result<()> {
        self.out.flush()?;
        self.out.get_ref().sync_all()
    }

    /// Flushes the buffer and renames the file to its final name.
    pub fn commit(mut self) -> io::Result<()> {
        self.out.flush()?;
        fs::rename(&self.part, &self.path)?;
        self.committed = true;
        Ok(())
    }
}

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if !self.committed {
            // The error that led here is the one to report; a failed clean-up adds nothing to it.
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// Writes bytes to a file atomically.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut out = PartFile::create(path)?;
    out.write_all(bytes)?;
    out.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |e: io::Result<fs::DirEntry>| e.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_appears_when_it_is_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "before").unwrap();
        let mut out = PartFile::create(&path).unwrap();
        out.write_all(b"after").unwrap();
        out.sync().unwrap();
        assert_eq!(names(folder.path()), ["a.txt", "a.txt.part"]);
        assert_eq!(fs::read(&path).unwrap(), b"before");
        out.commit().unwrap();
        assert_eq!(names(folder.path()), ["a.txt"]);
        assert_eq!(fs::read(&path).unwrap(), b"after");
    }

    #[test]
    fn a_file_that_is_dropped_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        drop(PartFile::create(&path).unwrap());
        assert!(names(folder.path()).is_empty());
        // A folder in its place: the rename fails.
        fs::create_dir(&path).unwrap();
        assert!(write(&path, b"text").is_err());
        assert_eq!(names(folder.path()), ["a.txt"]);
    }
}
