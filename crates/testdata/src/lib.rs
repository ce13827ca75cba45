//! Paths of test data.
//!
//! Small reference values are part of the repository: [`reference()`]. Larger meshes and scenes are in a folder `shared`
//! beside the repository: [`shared`]. If that folder is missing, a test that needs it reports that it is skipped, or
//! fails if `SUPPLE_REQUIRE_DATA=1`. `.ci/run` sets this variable if the folder exists.

use std::io::Write;
use std::path::{Path, PathBuf};

/// Environment variable that makes tests fail if data are missing.
pub const REQUIRE: &str = "SUPPLE_REQUIRE_DATA";

/// Returns the root folder of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Reads a JSON file of reference values that is part of the repository.
///
/// # Panics
/// If there is no such file or it is not JSON.
pub fn reference(path: &str) -> serde_json::Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("reference")
        .join(path);
    let read = std::fs::read_to_string(&file).map_err(|e| e.to_string());
    let json = read.and_then(|text| serde_json::from_str(&text).map_err(|e| e.to_string()));
    json.unwrap_or_else(|why| panic!("{}: {why}", file.display()))
}

/// Returns the path of a file or folder of the shared data, or `None` if it is missing; then a message says that the test
/// is skipped.
///
/// # Panics
/// If it is missing and `SUPPLE_REQUIRE_DATA` is 1.
pub fn shared(path: &str) -> Option<PathBuf> {
    let required = std::env::var(REQUIRE).is_ok_and(|value| value == "1");
    match find(&repository().join("../shared"), path, required) {
        Ok(found) => Some(found),
        Err(sentence) => {
            // Not eprintln!, which the test harness shows of failing tests only.
            let _ = writeln!(std::io::stderr(), "{sentence}");
            None
        }
    }
}

fn find(folder: &Path, path: &str, required: bool) -> Result<PathBuf, String> {
    let found = folder.join(path);
    if found.exists() {
        return Ok(found);
    }
    assert!(
        !required,
        "{} is missing, and {REQUIRE}=1 asks for it",
        found.display()
    );
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    Err(format!("skipped: {test} needs {}", found.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_data_skips_by_name() {
        let told = find(Path::new("/nowhere"), "meshes", false).unwrap_err();
        assert!(
            told.starts_with("skipped: tests::missing_data_skips_by_name needs /nowhere/meshes")
        );
        let here = find(&repository(), "Cargo.toml", true).unwrap();
        assert!(here.exists());
    }

    #[test]
    #[should_panic(expected = "SUPPLE_REQUIRE_DATA=1 asks for it")]
    fn missing_data_fails_where_it_is_required() {
        let _ = find(Path::new("/nowhere"), "meshes", true);
    }

    /// Nobody looks for the folder on their own: a test that returned early would pass without having run.
    #[test]
    fn tests_find_the_shared_folder_through_this_crate_only() {
        let mut folders = vec![repository().join("crates")];
        let mut seen = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "rs")
                    && !path.ends_with("testdata/src/lib.rs")
                {
                    seen += 1;
                    let text = std::fs::read_to_string(&path).unwrap();
                    let own = text.contains("../shared");
                    assert!(!own, "{} should use testdata::shared", path.display());
                }
            }
        }
        assert!(seen > 200, "only {seen} files");
    }
}
