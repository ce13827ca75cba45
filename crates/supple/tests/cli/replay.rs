//! `supple replay`: the capsule of a failed run repeats its failure.

use super::{BAR, Workspace};

#[test]
fn a_failed_run_leaves_a_capsule_that_fails_again() {
    // Neo-Hookean matter forbids inverted elements, and this start has them.
    let text = BAR.replace("stable-neo-hookean", "neo-hookean").replace(
        "[[body.fix]]",
        "disturb = { scatter = 0.5, seed = 1 }\n[[body.fix]]",
    );
    let workspace = Workspace::new();
    workspace.write("bar.toml", &text);
    let output = workspace.supple(&["run", "bar.toml", "-o", "out"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    for words in ["folded", "supple replay out/capsule.supple"] {
        assert!(output.err.contains(words), "{words}: {output:?}");
    }
    let out = workspace
        .supple(&["replay", "out/capsule.supple"])
        .success();
    for words in ["folded", "worst element", "bit for bit"] {
        assert!(out.contains(words), "{words}: {out}");
    }
}

#[test]
fn a_file_that_is_not_a_capsule_is_refused() {
    let workspace = Workspace::new();
    let output = workspace.supple(&["replay", "bar.toml"]);
    output.refuses(2, &["bar.toml", "not a capsule"]);
}
