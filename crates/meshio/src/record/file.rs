//! Atomic writing of the files of a run, with errors that name the file.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use base::file::PartFile;

use super::error::RecordError;

/// Creates a folder and its parents.
pub fn create_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path).map_err(RecordError::io("make the folder", path))
}

/// Writes a file atomically: other programs see the complete new file or the old one. A failure leaves no partial file.
pub fn write_atomically(
    path: &Path,
    fill: impl FnOnce(&mut PartFile) -> io::Result<()>,
) -> io::Result<()> {
    let named = |error: io::Error| match error.get_ref().is_some_and(|e| e.is::<RecordError>()) {
        true => error,
        false => RecordError::io("write", path)(error),
    };
    let mut out = PartFile::create(path).map_err(named)?;
    fill(&mut out).and_then(|()| out.flush()).map_err(named)?;
    out.commit().map_err(RecordError::io("put in place", path))
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
