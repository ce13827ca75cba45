//! Scenes with contact that are refused, each with a sentence.

use super::{ball, refusal, session};

fn with(right: &str, wrong: &str) -> String {
    let text = ball("sdirk2", 3.5, "");
    assert!(text.contains(right), "{right}");
    refusal(&text.replacen(right, wrong, 1))
}

fn contact(keys: &str) -> String {
    with("kind = \"barrier\"", &format!("kind = \"barrier\"\n{keys}"))
}

#[track_caller]
fn says(message: &str, words: &[&str]) {
    for word in words {
        assert!(message.contains(word), "\"{word}\" is not in {message}");
    }
}

#[test]
fn reach_and_stiffness_that_cannot_work() {
    says(&contact("reach = 0"), &["contact.reach", "greater than 0"]);
    says(&contact("reach = -1"), &["contact.reach", "greater than 0"]);
    says(&contact("reach = nan"), &["contact.reach", "finite"]);
    says(
        &contact("stiffness = inf"),
        &["contact.stiffness", "finite"],
    );
    says(
        &contact("reach = 2.0"),
        &["contact.reach", "smallest body", "1.0000 m"],
    );
    says(
        &contact("thickness = 1.5"),
        &["contact.thickness", "smallest body"],
    );
    // The largest reach that the sentence names works, and a little more does not.
    let refused = contact("self = true\nreach = 0.4");
    says(
        &refused,
        &["self-contact of body \"ball\"", "apart at rest"],
    );
    let largest: f64 = refused
        .split("largest reach that works is ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .unwrap()
        .parse()
        .unwrap();
    let with_reach = |reach: f64| format!("kind = \"barrier\"\nself = true\nreach = {reach:?}");
    session(&ball("sdirk2", 3.5, "").replace("kind = \"barrier\"", &with_reach(0.999 * largest)));
    says(
        &contact(&format!("self = true\nreach = {:?}", 1.01 * largest)),
        &["largest reach that works"],
    );
}

#[test]
fn particles_alone_need_reach_and_stiffness() {
    let text = "[time]\nstep = 0.01\nuntil = 1\n[[particle]]\nposition = [0, 1, 0]\nmass = 1\n[contact]\nkind = \"barrier\"\n";
    says(&refusal(text), &["contact.reach", "without bodies"]);
    let text = format!("{text}reach = 0.1\n");
    says(&refusal(&text), &["contact.stiffness", "without bodies"]);
    session(&format!("{text}stiffness = 10\n"));
}

#[test]
fn overlapping_starts() {
    says(
        &with("translate = [0.0, 3.5, 0.0]", "translate = [0.0, 0.4, 0.0]"),
        &[
            "body[0]",
            "body \"ball\" overlaps obstacle \"floor\"",
            "1.000e-1 m deep",
        ],
    );
    // Wholly inside a sphere; inside one without a vertex of its own; inside a closed mesh; two bodies.
    let sphere = |center: &str, radius: f64| {
        with(
            "plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }",
            &format!("sphere = {{ center = {center}, radius = {radius:?} }}"),
        )
    };
    says(
        &sphere("[0, 3.5, 0]", 2.0),
        &["overlaps obstacle \"floor\"", "deep"],
    );
    says(
        &sphere("[0, 4.05, 0]", 0.1),
        &["overlaps obstacle \"floor\"", "deep"],
    );
    let twin = r#"
[[body]]
name = "twin"
mesh = { box = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
place = { translate = [PLACE, 3.5, 0.0] }
material = { young = 6e5, poisson = 0.4, density = 1000 }
[[obstacle]]"#;
    for place in ["0.0", "0.42"] {
        says(
            &with("\n[[obstacle]]", &twin.replace("PLACE", place)),
            &["body \"ball\" overlaps body \"twin\"", "m deep"],
        );
    }
    // A pair that is ignored may overlap.
    let text =
        ball("sdirk2", 0.4, "") + "[[contact.pair]]\na = \"ball\"\nb = \"floor\"\nignore = true\n";
    session(&text);
    // The thickness counts.
    let text = ball("sdirk2", 0.55, "")
        .replace("kind = \"barrier\"", "kind = \"barrier\"\nthickness = 0.06");
    says(
        &refusal(&text),
        &["overlaps obstacle \"floor\"", "1.000e-2 m deep"],
    );
}

#[test]
fn names_of_pairs_and_obstacles() {
    says(
        &contact("[[contact.pair]]\na = \"bal\"\nb = \"floor\"\nignore = true"),
        &[
            "contact.pair[0].a",
            "no body or obstacle is named \"bal\"",
            "did you mean \"ball\"",
        ],
    );
    says(
        &contact("[[contact.pair]]\na = \"ball\"\nb = \"ball\"\nignore = true"),
        &["contact.pair[0].b", "contact.self"],
    );
    says(
        &with("name = \"floor\"", "name = \"ball\""),
        &["obstacle[0].name", "already the name of body[0]"],
    );
}

#[test]
fn shapes_of_obstacles() {
    let shape = |keys: &str| {
        with(
            "plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }",
            keys,
        )
    };
    says(
        &shape(""),
        &["obstacle[0]", "give the shape", "\"height-field\""],
    );
    says(
        &shape("plane = { point = [0, 0, 0], normal = [0, 0, 0] }"),
        &["obstacle[0].plane.normal", "is zero"],
    );
    says(
        &shape("box = { min = [0, 0, 0], max = [1, 0, 1] }"),
        &["obstacle[0].box.max[1]", "flat"],
    );
    says(
        &shape("height-field = { size = [1, 1], heights = [[0, 0], [0]] }"),
        &["height-field.heights[1]", "has 1 heights"],
    );
    says(
        &shape("height-field = { size = [1, 1] }"),
        &["height-field", "\"heights\", \"file\""],
    );
    says(
        &shape("file = \"nowhere.obj\""),
        &["obstacle[0].file", "nowhere.obj"],
    );
}

#[test]
fn methods_that_cannot_carry_the_barrier() {
    for (method, why) in [
        ("rk4", "is explicit"),
        ("symplectic-euler", "is explicit"),
        ("s-sdirk2", "one Newton iteration"),
        ("ros3p", "linear stages"),
    ] {
        says(
            &refusal(&ball(method, 3.5, "")),
            &[
                "time.method",
                why,
                "corrector",
                "penalty",
                "backward-euler",
                "implicit-midpoint",
            ],
        );
    }
    let text = ball("sdirk2", 3.5, "")
        .replace("[[body]]", "[solver]\nnewton = \"local-global\"\n[[body]]");
    says(&refusal(&text), &["solver.newton", "minimise"]);
}

#[test]
fn obstacles_without_contact_have_no_effect_and_say_so() {
    let text = ball("sdirk2", 0.4, "").replace("[contact]\nkind = \"barrier\"\n", "");
    let ball = session(&text);
    assert!(
        ball.notices.iter().any(|n| n.contains("no effect")),
        "{:?}",
        ball.notices
    );
    assert_eq!(ball.obstacles.len(), 1);
}
