//! Same bytes for any number of threads, after resume, and with forced rejections; refusals.

use scene::build::build;
use scene::spec::parse;

use super::same_bytes::compare_all;
use super::session;

/// A cube that lands on a moving roller and a ledge, and a ball that lands on it.
const PILE: &str = r#"
[time]
method = "METHOD"
step = 0.004
until = 0.12
fps = 70.0
[[body]]
name = "lower"
mesh = { box = { size = [0.3, 0.3, 0.3], cells = [3, 3, 3], element = "tet4" } }
place = { translate = [0, 0.31, 0] }
material = { young = 1e5, poisson = 0.4, density = 1000 }
velocity = { linear = [0, -1, 0], angular = [0, 0, 1] }
[[body]]
name = "upper"
mesh = { ball = { radius = 0.15, cells = 4, element = "tet4" } }
place = { translate = [0.15, 0.79, 0.13] }
material = { young = 1e5, poisson = 0.4, density = 1000 }
velocity = { linear = [0, -2.5, 0] }
[[obstacle]]
name = "roller"
capsule = { a = [0.1, 0.0, -1], b = [0.1, 0.0, 1], radius = 0.28 }
motion = { keys = [{ t = 0 }, { t = 0.2, translate = [0, 0.01, 0], rotate-deg = [0, 5, 0] }] }
[[obstacle]]
box = { min = [0.25, 0, -0.5], max = [1, 0.25, 0.5], rotate-deg = [0, 0, -5] }
[contact]
kind = "corrector"
KEYS
"#;

#[test]
fn threads_resume_and_rejections_do_not_change_the_files() {
    for (method, keys) in [
        ("sdirk2", "friction = 0.4"),
        ("bdf2", "rows = \"velocity\""),
        ("newmark", "iterations = 4"),
    ] {
        let text = PILE.replace("METHOD", method).replace("KEYS", keys);
        let files = compare_all(|| session(&text), method, &[2, 4], &[21]);
        let contacts = String::from_utf8(files["contacts.csv"].clone()).unwrap();
        assert!(contacts.lines().count() > 3, "{method} {keys}: {contacts}");
        assert!(
            contacts.contains("lower,upper,"),
            "{method} {keys}: {contacts}"
        );
    }
}

#[test]
fn keys_without_effect_and_impossible_combinations_are_refused() {
    let refusal = |text: &str| match parse("scene.toml", text) {
        Err(errors) => errors.to_string(),
        Ok((scene, source)) => match build(scene, &source) {
            Err(errors) => errors.to_string(),
            Ok(_) => panic!("the scene should be refused:\n{text}"),
        },
    };
    let with = |keys: &str| PILE.replace("METHOD", "sdirk2").replace("KEYS", keys);
    for (text, words) in [
        (with("reach = 0.01"), ["contact.reach", "barrier"]),
        (with("stiffness = 1e5"), ["contact.stiffness", "barrier"]),
        (with("self = true"), ["contact.self", "barrier"]),
        (with("slip-speed = 0.01"), ["contact.slip-speed", "Coulomb"]),
        (with("friction = -0.1"), ["contact.friction", "0"]),
        (with("iterations = 0"), ["contact.iterations", "1"]),
        (with("rows = \"sideways\""), ["contact.rows", "position"]),
        (
            with("[[contact.pair]]\na = \"lower\"\nb = \"nobody\""),
            ["contact.pair[0].b", "nobody"],
        ),
        (
            with("[time.stabilise]\nkind = \"blend\""),
            ["time.stabilise", "corrector"],
        ),
        (
            with("rows = \"velocity\"\niterations = 4"),
            ["contact.iterations", "position"],
        ),
        (
            with("rows = \"velocity\"").replace("\"corrector\"", "\"barrier\""),
            ["contact.rows", "corrector"],
        ),
        (
            with("").replace(
                "translate = [0.15, 0.79, 0.13]",
                "translate = [0.15, 0.65, 0.13]",
            ),
            ["overlaps", "body[0]"],
        ),
    ] {
        let found = refusal(&text);
        for word in words {
            assert!(found.contains(word), "{word} in: {found}");
        }
    }
}
