//! What is refused, and the sentences.

use super::refusal;

fn body(mesh: &str, bonds: &str, more: &str) -> String {
    format!("[time]\nstep = 1e-3\nuntil = 1e-2\n[[body]]\nmesh = {mesh}\nbonds = {bonds}\n{more}\n")
}

const BLOCK: &str = "{ box = { size = [1, 1, 1], cells = [4, 4, 4] } }";
const SOUND: &str = "{ horizon = 0.6, young = 1e6, critical-stretch = 0.1 }";

#[track_caller]
fn assert_refused(text: &str, words: &[&str]) {
    let sentence = refusal(text);
    for word in words {
        assert!(sentence.contains(word), "{word:?} is not in {sentence:?}");
    }
}

#[test]
fn impossible_bonds_are_refused() {
    let with = |bonds: &str| body(BLOCK, bonds, "");
    assert_refused(
        &with("{ horizon = 0.2, young = 1e6 }"),
        &[
            "bonds.horizon",
            "below the spacing",
            "2.500e-1 m",
            "7.500e-1 m",
        ],
    );
    assert_refused(
        &with("{ horizon = 0.6, young = 1e6, critical-stretch = 0 }"),
        &["critical-stretch", "greater than 0"],
    );
    assert_refused(
        &with("{ horizon = 0.6, young = 1e6, critical-stretch = 0.1, fracture-energy = 3 }"),
        &["bonds.fracture-energy", "keep one of the two"],
    );
    assert_refused(
        &with("{ horizon = 0.6, young = 1e6, micromodulus = 3 }"),
        &["micromodulus"],
    );
    assert_refused(
        &with("{ horizon = 0.6, young = 1e6, strength-scatter = 0.1 }"),
        &["strength-scatter", "never break"],
    );
    assert_refused(
        &with("{ horizon = 0.6, young = 1e6, critical-stretch = 0.1, seed = 4 }"),
        &["bonds.seed", "strength-scatter"],
    );
    // Cells that bonds do not hold together: one long cell, short edges within the horizon.
    let long = "{ box = { size = [3, 1, 1], cells = [1, 2, 2] } }";
    assert_refused(
        &body(long, SOUND, ""),
        &[
            "bonds.horizon",
            "too short to hold the cells",
            "3.000e0 m long",
        ],
    );
    let sheet = "{ sheet = { size = [1, 1], cells = [4, 4] } }";
    assert_refused(&body(sheet, SOUND, ""), &["no solid cells"]);
}

#[test]
fn a_horizon_beyond_the_body_is_reported() {
    let warnings = |horizon: f64| {
        let bonds = SOUND.replace("0.6", &format!("{horizon:?}"));
        super::session(&body(BLOCK, &bonds, "")).warnings
    };
    assert!(warnings(0.51).is_empty(), "{:?}", warnings(0.51));
    let found = warnings(3.0);
    assert!(found[0].contains("% too soft"), "{found:?}");
}

#[test]
fn a_crack_without_bonds_is_refused_and_one_outside_the_body_is_reported() {
    let crack = |place: &str| format!("[[body.crack]]\n{place}");
    let outside = crack("plane = { point = [9, 0, 0], normal = [1, 0, 0] }");
    let warnings = super::session(&body(BLOCK, SOUND, &outside)).warnings;
    assert!(
        warnings[0].contains("crack[0] cuts no bond"),
        "{warnings:?}"
    );
    let flat = crack("plane = { point = [0.5, 0, 0], normal = [0, 0, 0] }");
    assert_refused(
        &body(BLOCK, SOUND, &flat),
        &["crack[0].plane.normal", "length 0"],
    );
    let both = crack(
        "plane = { point = [0.5, 0, 0], normal = [1, 0, 0] }\ndisc = { center = [0, 0, 0], normal = [1, 0, 0], radius = 1 }",
    );
    assert_refused(&body(BLOCK, SOUND, &both), &["crack[0]", "disc"]);
    let plane = crack("plane = { point = [0.5, 0, 0], normal = [1, 0, 0] }");
    let elastic = body(BLOCK, SOUND, &plane).replace(
        &format!("bonds = {SOUND}"),
        "material = { young = 1e5, poisson = 0.3, density = 1000 }",
    );
    assert_refused(&elastic, &["body[0].crack", "has none"]);
}

#[test]
fn controllers_that_a_method_cannot_support_are_refused() {
    let control = |method: &str, lines: &str| {
        let time = format!("until = 1e-2\nmethod = \"{method}\"\n[time.control]\n{lines}");
        body(BLOCK, SOUND, "").replace("until = 1e-2", &time)
    };
    assert_refused(
        &control("central-difference", "kind = \"force-error\""),
        &["time.control.kind", "explicit"],
    );
    assert_refused(
        &control("newmark", "kind = \"fixed\"\nbreak-limit = 3"),
        &["time.control.break-limit", "does not use"],
    );
    let never = control("newmark", "kind = \"retreat\"\nbreak-limit = 3")
        .replace(", critical-stretch = 0.1", "");
    assert_refused(
        &never,
        &["time.control.break-limit", "no body has bonds that break"],
    );
    let local = body(BLOCK, SOUND, "[solver]\nnewton = \"local-global\"");
    assert_refused(&local, &["solver.newton"]);
}
