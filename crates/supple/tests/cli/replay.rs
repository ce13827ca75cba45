//! `supple replay`: what a failed run leaves, looked at again.

use super::{BAR, Desk};

#[test]
fn a_failed_run_leaves_a_capsule_that_fails_again() {
    // Neo-Hookean matter forbids inverted elements, and this start has them.
    let text = BAR.replace("stable-neo-hookean", "neo-hookean").replace(
        "[[body.fix]]",
        "disturb = { scatter = 0.5, seed = 1 }\n[[body.fix]]",
    );
    let desk = Desk::new();
    desk.write("bar.toml", &text);
    let said = desk.supple(&["run", "bar.toml", "-o", "out"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    for words in ["folded", "supple replay out/capsule.supple"] {
        assert!(said.err.contains(words), "{words}: {said:?}");
    }
    let out = desk.supple(&["replay", "out/capsule.supple"]).fine();
    for words in ["folded", "worst element", "to the bit"] {
        assert!(out.contains(words), "{words}: {out}");
    }
}

#[test]
fn what_is_no_capsule_is_refused() {
    let desk = Desk::new();
    let said = desk.supple(&["replay", "bar.toml"]);
    said.refuses(2, &["bar.toml", "not a capsule"]);
}
