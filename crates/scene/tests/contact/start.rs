//! Starts with overlaps that are relaxed, and what `supple check` says about contact.

use super::{ball, refusal, run, session};
use scene::capsule::Capsule;
use scene::check::check;
use scene::run::{CAPSULE, FailureCause, RunError, RunOptions};
use scene::session::Session;

fn untangled(text: &str) -> Session {
    session(&text.replace("kind = \"barrier\"", "kind = \"barrier\"\nuntangle = true"))
}

fn centre(x: &[[f64; 3]]) -> [f64; 3] {
    let n = x.len() as f64;
    [0, 1, 2].map(|k| x.iter().map(|x| x[k]).sum::<f64>() / n)
}

/// A ball with a radius of 0.5 m and its centre at 0.4 m is lifted until its lowest vertex is as high as the reach.
#[test]
fn a_free_body_is_moved_out_of_an_obstacle_as_a_whole() {
    let mut ball = untangled(&ball("sdirk2", 0.4, "").replace("until = 1.2", "until = 0.05"));
    let contact = ball.contact.as_ref().unwrap();
    let (reach, moved) = (
        contact.settings().barrier.reach(),
        contact.untangled.unwrap(),
    );
    assert_eq!(moved.nodes, ball.positions().len());
    assert!((moved.largest - (0.1 + reach)).abs() < 1e-5, "{moved:?}");
    assert!(ball.energies().strain < 1e-9, "{:?}", ball.energies());
    assert_eq!(ball.energies().contact, 0.0);
    let said = ball
        .notices
        .iter()
        .any(|n| n.contains("overlaps at the start were relaxed"));
    assert!(said, "{:?}", ball.notices);
    run(&mut ball, |s| {
        assert!(s.positions().iter().all(|x| x[1] > 0.0))
    });
    // A start that is free is not touched.
    assert_eq!(
        untangled(&super::ball("sdirk2", 0.6, ""))
            .contact
            .unwrap()
            .untangled,
        None
    );
}

/// Two free bodies share the translation by their masses, so their common centre of mass stays.
#[test]
fn two_bodies_are_separated_about_their_centre_of_mass() {
    let text = r#"
gravity = [0, 0, 0]
[time]
step = 0.01
until = 0.02
[[body]]
name = "heavy"
mesh = { box = { size = [1, 1, 1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 3000 }
[[body]]
name = "light"
mesh = { box = { size = [1, 1, 1], cells = [2, 2, 2] } }
place = { translate = [0.9, 0.2, 0.1] }
material = { young = 1e5, poisson = 0.3, density = 1000 }
[contact]
kind = "barrier"
reach = 0.01
"#;
    assert!(refusal(text).contains("contact.untangle = true pushes them apart"));
    let mut bodies = untangled(text);
    let x = bodies.positions();
    let [heavy, light] = [centre(&x[..27]), centre(&x[27..])];
    // 0.1 m deep along x, and the reach: three quarters of it for the light one.
    let moved = [heavy[0] - 0.5, light[0] - 1.4];
    assert!((moved[1] - moved[0] - 0.11).abs() < 1e-4, "{moved:?}");
    assert!((3.0 * moved[0] + moved[1]).abs() < 1e-9, "{moved:?}");
    assert!((light[1] - 0.7).abs() < 1e-12 && (light[2] - 0.6).abs() < 1e-12);
}

/// A held body is deformed until its free nodes are outside; its held nodes stay.
#[test]
fn a_held_body_gives_way_to_an_obstacle() {
    let text = r#"
[time]
step = 0.005
until = 0.02
[[body]]
name = "bar"
mesh = { box = { size = [1, 0.2, 0.2], cells = [10, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
[[body.fix]]
where = { x = 0 }
[[obstacle]]
name = "ball"
sphere = { center = [0.9, -0.1, 0.1], radius = 0.15 }
[contact]
kind = "barrier"
reach = 0.005
"#;
    let mut bar = untangled(text);
    let moved = bar.contact.as_ref().unwrap().untangled.unwrap();
    assert!(moved.largest > 0.04 && moved.largest < 0.2, "{moved:?}");
    assert!(bar.energies().strain > 0.0);
    let positions = bar.positions();
    assert!(positions.iter().filter(|x| x[0] == 0.0).count() >= 9);
    assert!(
        bar.contact
            .as_ref()
            .unwrap()
            .overlaps(&positions, bar.t())
            .is_empty()
    );
    run(&mut bar, |_| {});
}

#[test]
fn a_start_that_cannot_be_freed_is_refused_with_pairs_and_depth() {
    let text = ball("sdirk2", 0.5, "").replace(
        "[contact]\nkind = \"barrier\"",
        "[[obstacle]]\nname = \"ceiling\"\nplane = { point = [0, -0.1, 0], normal = [0, -1, 0] }\n[contact]\nkind = \"barrier\"\nuntangle = true",
    );
    let refused = refusal(&text);
    for words in [
        "overlaps obstacle",
        "m deep",
        "contact.untangle could not free it",
    ] {
        assert!(refused.contains(words), "{refused}");
    }
}

#[test]
fn check_reports_gaps_contact_time_and_bounces_that_gain_energy() {
    let mut falling = session(&ball("sdirk2", 3.5, ""));
    let found = check(&mut falling).unwrap();
    let contact = found.contact.unwrap();
    assert_eq!(contact.gaps.len(), 1);
    assert!(
        (contact.gaps[0].gap - 3.0).abs() < 1e-9,
        "{:?}",
        contact.gaps
    );
    // A wave passes the ball twice in 2 · 1 m √(ρ/E) = 81.6 ms.
    let time = contact.contact_time.unwrap();
    assert!(
        (time - 2.0 * (1000.0f64 / 6e5).sqrt()).abs() < 1e-6,
        "{time}"
    );
    let gains = |s: &mut Session| {
        let found = check(s).unwrap();
        found.warnings.iter().any(|w| w.contains("can gain energy"))
    };
    assert!(!gains(&mut falling));
    for (method, warned) in [
        ("sdirk2", true),
        ("newmark", true),
        ("backward-euler", false),
    ] {
        let text = ball(method, 3.5, "").replace("step = 0.005", "step = 0.1");
        assert_eq!(gains(&mut session(&text)), warned, "{method}");
    }
}

/// Two boxes that close on a body.
const CLOSING: &str = r#"
gravity = [0, 0, 0]
[time]
step = 0.01
until = 1.0
[time.control]
kind = "retreat"
min = 0.005
[[body]]
name = "cube"
mesh = { box = { size = [0.2, 0.2, 0.2], cells = [1, 1, 1] } }
place = { translate = [-0.1, -0.1, -0.1] }
material = { law = "neo-hookean", young = 1e5, poisson = 0.3, density = 1000 }
[[obstacle]]
name = "anvil"
box = { min = [-1, -1, -1], max = [1, -0.11, 1] }
[[obstacle]]
name = "press"
box = { min = [-0.9, 0.11, -0.9], max = [0.9, 1.1, 0.9] }
motion = { speed = { translate = [0, -1, 0] } }
[contact]
kind = "barrier"
"#;

/// `check` warns, the run ends with the pair, its distance and the time of impact, and its capsule fails in the same way.
#[test]
fn obstacles_that_close_on_a_body() {
    assert!(warns_of_closing(CLOSING));
    let mut cube = session(CLOSING);
    let out = tempfile::tempdir().unwrap();
    let options = RunOptions {
        out: out.path().into(),
        resume: None,
    };
    let failure = scene::run::run(&mut cube, &options, &mut |_| scene::run::Flow::On);
    let failure = failure.unwrap_err();
    let RunError::Step { cause, .. } = &failure else {
        panic!("{failure}");
    };
    assert_eq!(*cause, FailureCause::Contact);
    let sentence = failure.to_string();
    let named = ["press", "anvil"].map(|o| format!("cube would pass through {o}, "));
    assert!(named.iter().any(|n| sentence.contains(n)), "{sentence}");
    for words in [" m apart at the start of the path", "(t = 0."] {
        assert!(sentence.contains(words), "{sentence}");
    }
    let capsule = Capsule::read(&out.path().join(CAPSULE)).unwrap();
    assert_eq!((capsule.cause, capsule.state()), (*cause, cube.state()));
    let replay = capsule.replay().unwrap();
    assert!(replay.same && replay.error.is_some(), "{:?}", replay.error);
}

fn warns_of_closing(text: &str) -> bool {
    let found = check(&mut session(text)).unwrap();
    let words = "\"anvil\" and \"press\" pass through each other";
    found.warnings.iter().any(|w| w.contains(words))
}

/// Planes close on a body too, and a box that starts inside a plane or stands on it does not.
#[test]
fn planes_that_close_on_a_body() {
    let anvil = "box = { min = [-1, -1, -1], max = [1, -0.11, 1] }";
    let press = "box = { min = [-0.9, 0.11, -0.9], max = [0.9, 1.1, 0.9] }";
    let [floor, lid] = [(-0.11, 1), (0.11, -1)]
        .map(|(y, up)| format!("plane = {{ point = [0, {y:?}, 0], normal = [0, {up}, 0] }}"));
    let on_floor = CLOSING.replace(anvil, &floor);
    assert!(warns_of_closing(&on_floor));
    assert!(warns_of_closing(&on_floor.replace(press, &lid)));
    assert!(warns_of_closing(&CLOSING.replace(press, &lid)));
    // It rises, slides along a wall, or stands in the floor.
    assert!(!warns_of_closing(
        &on_floor.replace("[0, -1, 0] } }", "[0, 1, 0] } }")
    ));
    let wall = "plane = { point = [-1.2, 0, 0], normal = [1, 0, 0] }";
    assert!(!warns_of_closing(&CLOSING.replace(anvil, wall)));
    let standing = "box = { min = [0.3, -0.2, -0.9], max = [0.9, 1.1, 0.9] }";
    assert!(!warns_of_closing(&on_floor.replace(press, standing)));
}
