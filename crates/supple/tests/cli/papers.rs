//! Paths and commands named in README.md and ARCHITECTURE.md exist.

use super::repository;

fn page(name: &str) -> String {
    std::fs::read_to_string(repository().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Returns the words in backticks outside of code blocks.
fn quoted(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            found.extend(line.split('`').skip(1).step_by(2));
        }
    }
    found
}

/// Returns whether a word in backticks is a path in the repository.
fn is_path(word: &str) -> bool {
    let letters = word
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
    let ends = [".rs", ".toml", ".md"].iter().any(|e| word.ends_with(e));
    // Results of a run are not in the repository.
    letters
        && (word.contains('/') || ends)
        && !word.starts_with("out/")
        && !word.starts_with("frames/")
}

#[test]
fn every_path_on_the_map_exists() {
    let text = page("ARCHITECTURE.md");
    let paths: Vec<&str> = quoted(&text).into_iter().filter(|w| is_path(w)).collect();
    assert!(
        paths.len() > 10,
        "ARCHITECTURE.md names {} paths only",
        paths.len()
    );
    let lost: Vec<&str> = paths
        .into_iter()
        .filter(|p| !repository().join(p).exists())
        .collect();
    assert!(
        lost.is_empty(),
        "ARCHITECTURE.md names what is not there: {lost:?}"
    );
}

/// The other documents for developers may shorten names, but not those that begin at the root.
#[test]
fn every_source_that_documents_name_exists() {
    for name in ["CONTRIBUTING.md", "docs/trade-offs.md"] {
        let text = page(name);
        let from_root = |w: &&str| is_path(w) && w.starts_with("crates/");
        let paths: Vec<&str> = quoted(&text).into_iter().filter(from_root).collect();
        assert!(paths.len() > 5, "{name} names {} paths only", paths.len());
        let lost = paths.iter().filter(|p| !repository().join(p).exists());
        let lost: Vec<&&str> = lost.collect();
        assert!(lost.is_empty(), "{name} names what is not there: {lost:?}");
    }
}

#[test]
fn the_readme_s_commands_are_there() {
    let text = page("README.md");
    assert!(
        text.contains("cargo run --release -- run scenes/jello.toml"),
        "README.md lacks the command that runs"
    );
    assert!(repository().join("scenes/jello.toml").exists());
    let ci = page(".ci/run");
    let test = ci
        .lines()
        .rev()
        .find(|l| l.contains("tools/") || l.contains("cargo"))
        .unwrap_or_default();
    let command = test.trim_start_matches("exec ").trim();
    assert!(
        !command.is_empty() && text.contains(command),
        "README.md lacks the test command {command:?}"
    );
}

#[test]
fn paths_are_distinguished_from_other_words() {
    let text = "`crates/march/src/lib.rs`, `cargo test -p x`, `Stage`, `README.md`\n```\n`hidden/file.rs`\n```\n`out/jello`";
    let found: Vec<&str> = quoted(text).into_iter().filter(|w| is_path(w)).collect();
    assert_eq!(found, ["crates/march/src/lib.rs", "README.md"]);
}
