//! Checks ARCHITECTURE.md against the crates: dependencies, their direction, package names and sizes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Largest number of source lines of a crate, without tests.
const MAX_LINES: usize = 12_000;

/// Crates by library name, with the workspace crates that they use.
type Graph = BTreeMap<String, BTreeSet<String>>;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Folders of the crates of the workspace.
fn crates() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(repository().join("crates")).unwrap();
    let mut folders: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    folders.retain(|f| f.join("Cargo.toml").exists());
    folders.sort();
    assert!(folders.len() > 10, "{folders:?}");
    folders
}

fn name(folder: &Path) -> String {
    folder.file_name().unwrap().to_str().unwrap().into()
}

fn manifest(path: &Path) -> toml::Table {
    let text = std::fs::read_to_string(path).unwrap();
    text.parse()
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Reads the dependencies from these tables of the `Cargo.toml` files, without the crate of test data.
fn graph(tables: &[&str]) -> Graph {
    let names: BTreeSet<String> = crates().iter().map(|f| name(f)).collect();
    let used = |folder: &PathBuf| {
        let manifest = manifest(&folder.join("Cargo.toml"));
        let keys = tables.iter().filter_map(|t| manifest.get(*t)?.as_table());
        let keys = keys.flat_map(|t| t.keys().cloned());
        let used = keys.filter(|k| names.contains(k) && k != "testdata");
        (name(folder), used.collect())
    };
    let mut graph: Graph = crates().iter().map(used).collect();
    graph.remove("testdata");
    graph
}

/// Reads the table `| crate | uses |` of ARCHITECTURE.md.
fn documented(text: &str) -> Graph {
    let mut lines = text
        .lines()
        .skip_while(|l| !l.starts_with("| crate | uses |"));
    lines.next();
    let rows = lines.skip(1).take_while(|l| l.starts_with('|'));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').collect();
        let words = |cell: &str| -> Vec<String> {
            let words = cell.split('`').skip(1).step_by(2);
            words.map(str::to_string).collect()
        };
        let user = words(cells[1]).into_iter().next().unwrap();
        (user, words(cells[2]).into_iter().collect())
    };
    rows.map(row).collect()
}

/// Returns a crate that depends on itself, directly or indirectly, or `None` if there is none.
fn cycle(graph: &Graph) -> Option<String> {
    let mut left = graph.clone();
    while !left.is_empty() {
        let free = |uses: &BTreeSet<String>| uses.iter().all(|u| !left.contains_key(u));
        let Some((leaf, _)) = left.iter().find(|(_, uses)| free(uses)) else {
            return left.into_keys().next();
        };
        let leaf = leaf.clone();
        left.remove(&leaf);
    }
    None
}

#[test]
fn crates_use_what_the_architecture_says() {
    let text = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let (documented, real) = (
        documented(&text),
        graph(&["dependencies", "build-dependencies"]),
    );
    for (user, uses) in &real {
        assert_eq!(
            documented.get(user),
            Some(uses),
            "{user}: left what ARCHITECTURE.md says, right what Cargo.toml says"
        );
    }
    assert_eq!(
        documented.len(),
        real.len(),
        "ARCHITECTURE.md names other crates"
    );
}

/// ARCHITECTURE.md fits two screens, and has a row for every crate.
#[test]
fn the_map_is_short_and_complete() {
    let text = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let lines = text.lines().count();
    assert!(lines <= 130, "ARCHITECTURE.md has {lines} lines");
    for folder in crates() {
        let word = format!("`crates/{}`", name(&folder));
        let row = |l: &str| l.starts_with('|') && l.contains(&word);
        assert!(
            text.lines().any(row),
            "ARCHITECTURE.md has no row of {word}"
        );
    }
}

#[test]
fn dependencies_have_no_cycle() {
    let all = graph(&["dependencies", "build-dependencies", "dev-dependencies"]);
    assert_eq!(cycle(&all), None);
    let loops: Graph = [("a", "b"), ("b", "c"), ("c", "a")]
        .map(|(user, used)| (user.into(), BTreeSet::from([used.into()])))
        .into();
    assert_eq!(cycle(&loops), Some("a".into()));
}

/// Package names start with `supple-`, as published packages need unique names; library names are short.
#[test]
fn packages_can_be_published() {
    let version = manifest(&repository().join("Cargo.toml"));
    let version = version["workspace"]["package"]["version"].clone();
    let workspace = manifest(&repository().join("Cargo.toml"));
    for folder in crates() {
        let (short, manifest) = (name(&folder), manifest(&folder.join("Cargo.toml")));
        if ["supple", "testdata"].contains(&short.as_str()) {
            continue;
        }
        let package = format!("supple-{short}");
        assert_eq!(manifest["package"]["name"].as_str(), Some(&*package));
        assert_eq!(manifest["lib"]["name"].as_str(), Some(&*short));
        let used = &workspace["workspace"]["dependencies"][&short];
        assert_eq!(used["package"].as_str(), Some(&*package));
        assert_eq!(used["version"], version, "{short} as a dependency");
        for key in ["description", "keywords", "categories"] {
            assert!(manifest["package"].get(key).is_some(), "{short}: no {key}");
        }
        if let Some(readme) = manifest["package"].get("readme") {
            let readme = folder.join(readme.as_str().unwrap());
            assert!(readme.exists(), "{} is missing", readme.display());
        }
        let text = std::fs::read_to_string(folder.join("src/lib.rs")).unwrap();
        let (docs, _) = text.split_once("\n\n").unwrap();
        assert!(
            docs.contains("\n//! ```\n"),
            "{short}: no example in its docs"
        );
    }
}

/// Counts the lines of a source file without its tests.
fn lines(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).unwrap();
    let own = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    own.lines().count()
}

/// Counts the lines of all source files of a folder, without tests.
fn lines_below(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|e| e.unwrap().path());
    let count = |path: PathBuf| match path.file_stem().unwrap().to_str() {
        Some("tests") => 0,
        _ if path.is_dir() => lines_below(&path),
        _ if path.extension().is_some_and(|e| e == "rs") => lines(&path),
        _ => 0,
    };
    paths.map(count).sum()
}

#[test]
fn no_crate_is_too_large() {
    for folder in crates() {
        let lines = lines_below(&folder.join("src"));
        assert!(lines > 50, "{}: {lines} lines were found", name(&folder));
        assert!(
            lines <= MAX_LINES,
            "{} has {lines} lines without tests, more than {MAX_LINES}: split it",
            name(&folder)
        );
    }
}
