//! Files of a run: written whole or not at all, with errors that name them.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use base::file::PartFile;

use super::fault::RecordError;

/// Makes a folder and those above it.
pub fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path).map_err(RecordError::io("make the folder", path))
}

/// Writes `path` so that it is seen either whole or as it was before; nothing is left behind on failure.
pub fn write_whole(
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

/// Removes `NNNNN.extension` numbered above `last`: what an earlier, longer run left, which a viewer that opens the
/// whole folder would take for part of this one.
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
