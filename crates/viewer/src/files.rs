//! Files of a result folder; paths that leave it are refused.

use std::path::{Component, Path, PathBuf};

/// Largest file that is served, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// Returns the file at a path below a folder, or `None` if it does not exist, is too large or lies outside of the folder.
pub fn resolve(folder: &Path, path: &str) -> Option<PathBuf> {
    let plain = |c: Component| matches!(c, Component::Normal(_));
    if path.contains(['\\', '\0']) || !Path::new(path).components().all(plain) {
        return None;
    }
    // Symbolic links are followed before the comparison.
    let folder = folder.canonicalize().ok()?;
    let file = folder.join(path).canonicalize().ok()?;
    let about = file.metadata().ok()?;
    let inside = file.starts_with(&folder) && about.is_file() && about.len() <= MAX_BYTES;
    inside.then_some(file)
}

/// Returns the media type of a file by its extension.
pub fn media_type(path: &Path) -> &'static str {
    match path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default()
    {
        "html" => "text/html; charset=utf-8",
        "json" => "application/json",
        "csv" | "txt" | "toml" | "md" => "text/plain; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "gif" => "image/gif",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn only_files_inside_the_folder_are_found() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("result");
        std::fs::create_dir_all(folder.join("frames")).unwrap();
        std::fs::write(outer.path().join("secret"), "s").unwrap();
        std::fs::write(folder.join("report.json"), "{}").unwrap();
        std::fs::write(folder.join("frames/0.vtu"), "v").unwrap();
        for inside in ["report.json", "frames/0.vtu"] {
            assert!(resolve(&folder, inside).is_some(), "{inside}");
        }
        let outside = [
            "../secret",
            "frames/../../secret",
            "/etc/passwd",
            "..\\secret",
            "frames",
            "",
            ".",
            "none",
        ];
        for path in outside {
            assert_eq!(resolve(&folder, path), None, "{path}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outer.path().join("secret"), folder.join("link")).unwrap();
            assert_eq!(resolve(&folder, "link"), None);
        }
    }
}
