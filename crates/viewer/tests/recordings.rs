//! Recordings of live sessions repeat them to the bit: hands, pins and changes, contact with friction, bonds that break, bodies
//! that appear.

mod served;

use std::path::Path;

use scene::run::{RunOptions, run};
use scene::session::Flow;
use scene::spec::Source;
use serde_json::{Value, json};
use served::page::Page;
use viewer::RECORDED_SCENE;

const CUBE: &str = r#"
[time]
method = "implicit-midpoint"
step = 0.01
until = 1
[[body]]
name = "cube"
mesh = { box = { size = [1, 1, 1], cells = [3, 3, 3], element = "tet4" } }
material = { young = 2e4, poisson = 0.3, density = 1000 }
[[body.fix]]
where = { y = 0 }
"#;

/// A jelly falls on a step, with a barrier and friction.
const STAIRS: &str = r#"
[time]
method = "sdirk2"
step = 0.01
until = 1
[contact]
kind = "barrier"
friction = 0.3
[[body]]
name = "jelly"
mesh = { mould = { radius = 0.12, height = 0.14, cells = 4, flutes = 0 } }
place = { translate = [-0.05, 0.31, 0.0] }
material = { law = "stable-neo-hookean", young = 3e4, poisson = 0.4, density = 1000 }
damping = { stiffness = 0.002 }
velocity = { linear = [0.6, -0.5, 0.0] }
[[obstacle]]
box = { min = [-0.3, 0.0, -0.3], max = [0.0, 0.3, 0.3] }
[[obstacle]]
plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }
"#;

/// A plate of glass with a notch is pulled apart.
const NOTCH: &str = r#"
gravity = [0, 0, 0]
[time]
method = "newmark"
step = 4e-7
until = 32e-6
fps = 8e5
[[body]]
name = "plate"
mesh = { box = { size = [0.1, 0.04, 0.00154], cells = [24, 10, 1] } }
bonds = { horizon = 0.0125, young = 65e9, density = 2235, fracture-energy = 204 }
[[body.crack]]
plane = { point = [0, 0.02077, 0], normal = [0, 1, 0], max = [0.05, 1, 1] }
[[body.traction]]
where = { min = [0.006, 0.0399, -1], max = [0.094, 0.0401, 1] }
force-per-area = [0, 60e6, 0]
[[body.traction]]
where = { min = [0.006, -0.0001, -1], max = [0.094, 0.0001, 1] }
force-per-area = [0, -60e6, 0]
"#;

/// Balls appear one after another and fall on the floor.
const SHOWER: &str = r#"
[time]
method = "backward-euler"
step = 0.01
until = 1
[contact]
kind = "penalty"
reach = 0.01
stiffness = 2e4
friction = 0.3
[[emit]]
every = 0.1
count = 3
velocity = { linear = [0.3, -3.0, 0.1] }
place = { translate = [-0.2, 0.6, 0.0] }
[emit.body]
name = "ball"
mesh = { ball = { radius = 0.1, cells = 2, element = "tet4" } }
material = { young = 5e4, poisson = 0.4, density = 1000 }
[[obstacle]]
plane = { point = [0, 0, 0], normal = [0, 1, 0] }
"#;

/// Ends the page and checks that the recordings of its sessions give the same tables. Returns the ledger of the first.
fn check_recordings(page: Page, folders: &[&str], steps: usize) -> String {
    let (folder, out) = page.end();
    for name in folders {
        let live = out.join(name);
        let again = folder.path().join(format!("again-{name}"));
        repeat(&live.join(RECORDED_SCENE), &again);
        for table in ["steps.csv", "ledger.csv"] {
            let [kept, repeated] =
                [&live, &again].map(|f| std::fs::read_to_string(f.join(table)).unwrap());
            assert!(kept.lines().count() > steps, "{name} {table}");
            assert_eq!(kept, repeated, "{name} {table}");
        }
    }
    std::fs::read_to_string(out.join(folders[0]).join("ledger.csv")).unwrap()
}

fn repeat(file: &Path, out: &Path) {
    let source = Source::read(file).unwrap_or_else(|e| panic!("{e}"));
    let scene = source.scene().unwrap_or_else(|e| panic!("{e}"));
    let mut session = scene::build::build(scene, &source).unwrap_or_else(|e| panic!("{e}"));
    let options = RunOptions {
        out: out.into(),
        resume: None,
    };
    run(&mut session, &options, &mut |_| Flow::On).unwrap();
}

/// Sum of the magnitudes in a column of a table.
fn total(table: &str, column: &str) -> f64 {
    let mut lines = table.lines();
    let names = lines.next().unwrap();
    let at = names.split(',').position(|name| name == column).unwrap();
    let value = |line: &str| line.split(',').nth(at).unwrap().parse::<f64>().unwrap();
    lines.map(|line| value(line).abs()).sum()
}

fn set(set: Value) -> Value {
    json!({ "type": "set", "set": set })
}

#[test]
fn hands_pins_and_changes() {
    let mut page = Page::open(CUBE, &["sdirk2", "backward-euler"], true);
    page.steps(4);
    page.send(json!({ "type": "pin", "vertex": 40 }));
    page.send(json!({ "type": "grab", "vertex": 55, "grip": 0.7 }));
    for k in 0..12 {
        let k = f64::from(k);
        let to = [1.0 + 0.04 * k, 1.0 + 0.011 * k, 1.0 - 0.02 * k];
        page.send(json!({ "type": "drag", "to": to }));
        page.steps(1);
    }
    page.send(set(json!({ "stiffness": 0.5 })));
    page.send(set(
        json!({ "damping": { "stiffness": 0.003, "drag": 0.2 } }),
    ));
    page.steps(3);
    page.send(json!({ "type": "set", "session": 0, "set": { "method": "bdf2" } }));
    page.send(set(json!({ "gravity": [1.0, -3.0, 0.0] })));
    page.steps(3);
    page.send(json!({ "type": "release" }));
    page.send(set(json!({ "step": 0.007 })));
    page.steps(5);
    page.send(json!({ "type": "unpin", "vertex": 40 }));
    // One session with a shorter step is cut at the end of the step of the other.
    page.send(json!({ "type": "set", "session": 1, "set": { "step": 0.003 } }));
    page.steps(6);
    let ledger = check_recordings(page, &["sdirk2", "backward-euler"], 30);
    assert!(total(&ledger, "work") > 1.0);
}

#[test]
fn local_global_iterations_with_a_hand() {
    let scene = CUBE.replace("material = {", "material = { law = \"arap\",")
        + "[solver]\nnewton = \"local-global\"\n";
    let mut page = Page::open(&scene, &["implicit-midpoint", "backward-euler"], true);
    page.steps(3);
    page.send(json!({ "type": "pin", "vertex": 40 }));
    page.send(json!({ "type": "grab", "vertex": 55 }));
    for k in 0..10 {
        page.send(json!({ "type": "drag", "to": [1.0 + 0.03 * f64::from(k), 1.1, 1.0] }));
        page.steps(1);
    }
    page.send(json!({ "type": "release" }));
    page.steps(5);
    check_recordings(page, &["implicit-midpoint", "backward-euler"], 18);
}

#[test]
fn contact_with_friction() {
    let mut page = Page::open(STAIRS, &["sdirk2", "backward-euler"], true);
    page.steps(6);
    // What a page shows does not change what is computed.
    page.send(json!({ "type": "show", "field": "contact" }));
    page.send(json!({ "type": "grab", "vertex": 7 }));
    for k in 0..6 {
        page.send(json!({ "type": "drag", "to": [0.02 * f64::from(k), 0.36, 0.05] }));
        page.steps(1);
    }
    page.send(set(json!({ "friction": 0.05 })));
    page.steps(4);
    page.send(json!({ "type": "show", "field": "stress" }));
    page.send(json!({ "type": "release" }));
    page.send(set(json!({ "gravity": [2.0, -12.0, 0.0] })));
    page.steps(8);
    let ledger = check_recordings(page, &["sdirk2", "backward-euler"], 24);
    assert!(total(&ledger, "friction") > 1e-3, "the jelly slides");
    assert!(total(&ledger, "work") > 1e-3, "the hand pulls");
}

#[test]
fn bonds_that_break() {
    let mut page = Page::open(NOTCH, &[], true);
    page.send(json!({ "type": "show", "field": "damage" }));
    page.steps(30);
    page.send(json!({ "type": "grab", "vertex": 30 }));
    page.send(json!({ "type": "drag", "to": [0.11, 0.02, 0.001] }));
    page.steps(20);
    page.send(json!({ "type": "release" }));
    page.send(set(json!({ "step": 3e-7 })));
    page.steps(20);
    let ledger = check_recordings(page, &[""], 70);
    assert!(total(&ledger, "fracture") > 1e-4, "bonds break");
}

#[test]
fn bodies_that_appear() {
    let mut page = Page::open(SHOWER, &[], true);
    page.steps(5);
    // A vertex of the first ball.
    page.send(json!({ "type": "grab", "vertex": 3 }));
    page.send(json!({ "type": "drag", "to": [-0.1, 0.3, 0.0] }));
    page.steps(10);
    page.send(json!({ "type": "release" }));
    page.send(json!({ "type": "set", "session": 0, "set": { "method": "sdirk2" } }));
    page.steps(15);
    let ledger = check_recordings(page, &[""], 30);
    assert!(total(&ledger, "work") > 1.0, "balls bring energy");
}
