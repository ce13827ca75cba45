//! Atomic writing of files: data are written to a temporary file in the same folder, which is then renamed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::error::RecordError;

/// Returns the name of a file while it is written: `name.part`.
pub(crate) fn part_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// Creates a folder and its parents.
pub fn create_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path).map_err(RecordError::io("make the folder", path))
}

/// Writes a file atomically: other programs see the complete new file or the old one. A failure leaves no partial file.
pub fn write_atomically(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let part = part_name(path);
    let written = File::create(&part).and_then(|file| {
        let mut out = BufWriter::with_capacity(1 << 16, file);
        fill(&mut out)?;
        out.flush()
    });
    match written {
        Ok(()) => fs::rename(&part, path).map_err(RecordError::io("put in place", path)),
        Err(error) => {
            // The first error is reported; an error while cleaning up is ignored.
            let _ = fs::remove_file(&part);
            if error.get_ref().is_some_and(|e| e.is::<RecordError>()) {
                return Err(error);
            }
            Err(RecordError::io("write", path)(error))
        }
    }
}

/// Removes files `NNNNN.extension` numbered above `last`. They belong to an earlier, longer run, and a viewer that opens
/// the folder would show them as part of this one.
pub(crate) fn remove_after(folder: &Path, extension: &str, last: usize) -> io::Result<()> {
    let entries = fs::read_dir(folder).map_err(RecordError::io("list", folder))?;
    for entry in entries {
        let path = entry.map_err(RecordError::io("list", folder))?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let number = name
            .strip_suffix(extension)
            .and_then(|name| name.strip_suffix('.'));
        let number = number.filter(|n| n.len() >= 5 && n.bytes().all(|b| b.is_ascii_digit()));
        if number
            .and_then(|n| n.parse().ok())
            .is_some_and(|n: usize| n > last)
        {
            fs::remove_file(&path).map_err(RecordError::io("remove", &path))?;
        }
    }
    Ok(())
}
