//! Same bytes for any number of threads, after resume, and with forced rejections.

use super::same_bytes::compare_all;
use super::session;

/// A cube that lands on a moving roller and a ledge, and another that lands on it.
const PILE: &str = r#"
[time]
method = "METHOD"
step = 0.004
until = 0.1
fps = 70.0
[[body]]
name = "lower"
mesh = { box = { size = [0.3, 0.3, 0.3], cells = [3, 3, 3], element = "tet4" } }
place = { translate = [0, 0.31, 0] }
material = { young = 1e5, poisson = 0.4, density = 1000 }
velocity = { linear = [0, -1, 0], angular = [0, 0, 1] }
[[body]]
name = "upper"
mesh = { box = { size = [0.3, 0.3, 0.3], cells = [3, 3, 3] } }
place = { translate = [0.05, 0.63, 0.02], rotate-deg = [3, 20, 2] }
material = { young = 1e5, poisson = 0.4, density = 1000 }
velocity = { linear = [0, -1.5, 0] }
[[obstacle]]
name = "roller"
capsule = { a = [0.1, 0.0, -1], b = [0.1, 0.0, 1], radius = 0.28 }
motion = { keys = [{ t = 0 }, { t = 0.1, translate = [0, 0.01, 0], rotate-deg = [0, 5, 0] }] }
[[obstacle]]
box = { min = [0.25, 0, -0.5], max = [1, 0.25, 0.5], rotate-deg = [0, 0, -5] }
[contact]
kind = "barrier"
"#;

/// The pile with more keys of `[contact]`; steps of a method that extrapolates end by closing minimisations.
fn pile(method: &str, contact: &str) -> String {
    let text = PILE.replace("METHOD", method) + contact;
    match method {
        "implicit-midpoint" => text.replace("fps", "control = { kind = \"fixed\" }\nfps"),
        _ => text,
    }
}

#[test]
fn threads_resume_and_rejections_do_not_change_the_files() {
    let lagged = "friction = 0.5\nfriction-mode = \"lagged\"\n";
    let (threads, stops): (&[usize], &[u64]) = (&[1, 2, 4], &[9, 1, 16]);
    for (method, contact, threads, stops) in [
        ("sdirk2", "friction = 0.4\n", threads, stops),
        ("backward-euler", lagged, &[], &[9]),
        ("implicit-midpoint", "", &[], &[9]),
    ] {
        let text = pile(method, contact);
        let files = compare_all(|| session(&text), method, threads, stops);
        let rows = String::from_utf8_lossy(&files["contacts.csv"])
            .lines()
            .count();
        assert!(rows > 5, "{method}: {rows} rows");
        assert!(files.contains_key("obstacles.json"));
    }
}
