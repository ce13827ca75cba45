//! Events and handles of scene files: the times of steps, energies, snapshots, refusals.

use scene::build::build;
use scene::session::Session;
use scene::spec::{Event, parse};

const CUBE: &str = r#"
gravity = [0, 0, 0]
[time]
method = "implicit-midpoint"
step = 0.01
until = 1
[[body]]
name = "cube"
mesh = { box = { size = [1, 1, 1], cells = [2, 2, 2], element = "tet4" } }
material = { young = 1e4, poisson = 0.3, density = 1000 }
"#;

fn open(text: &str) -> Session {
    let (scene, source) = parse("events.toml", text).unwrap_or_else(|e| panic!("{e}"));
    build(scene, &source).unwrap_or_else(|e| panic!("{e}"))
}

fn refusal(text: &str) -> String {
    match parse("events.toml", text) {
        Err(errors) => errors.to_string(),
        Ok((scene, source)) => match build(scene, &source) {
            Err(errors) => errors.to_string(),
            Ok(_) => panic!("accepted:\n{text}"),
        },
    }
}

fn run(session: &mut Session, until: f64) {
    while session.step_towards(until).unwrap() {}
}

fn bits(session: &Session) -> Vec<u64> {
    let state = session.state();
    let all = [state.t].into_iter().chain(state.u.iter().copied());
    all.chain(state.v.iter().copied())
        .map(f64::to_bits)
        .collect()
}

/// Change of the total energy minus the sum of the channels that explain it.
fn open_balance(session: &Session, start: f64) -> f64 {
    let ledger = &session.totals().ledger;
    (session.energies().total() - start - ledger.change).abs()
        + (ledger.damping
            + ledger.friction
            + ledger.contact
            + ledger.numerical
            + ledger.residual
            + ledger.work
            - ledger.change)
            .abs()
}

#[test]
fn gravity_changes_at_its_time_and_a_step_ends_there() {
    let falls = "[[particle]]\nposition = [0, 10, 0]\nmass = 2\n";
    let text = format!(
        "[time]\nmethod = \"implicit-midpoint\"\nstep = 0.1\nuntil = 1\n{falls}[[event]]\nt = 0.25\nset = {{ gravity = [0, 0, 0] }}\n"
    );
    let mut session = open(&text);
    let mut times = Vec::new();
    while session.step_towards(1.0).unwrap() {
        times.push(session.t());
    }
    assert!(times.contains(&0.25), "{times:?}");
    // Free fall for 0.25 s, then constant speed; the midpoint rule is exact for constant forces.
    let speed = -9.81 * 0.25;
    let height = 10.0 - 0.5 * 9.81 * 0.0625 + 0.75 * speed;
    assert!((session.positions()[0][1] - height).abs() < 1e-12);
    assert!((session.velocities()[0][1] - speed).abs() < 1e-12);
    // Without gravity the potential energy is zero: its change is booked as work.
    assert!(open_balance(&session, 2.0 * 9.81 * 10.0) < 1e-10);
}

#[test]
fn drag_set_by_an_event_decays_velocities_from_then_on() {
    let text = format!(
        "{CUBE}velocity = {{ linear = [3, 0, 0] }}\n[[event]]\nt = 0.5\nset = {{ damping = {{ drag = 2 }} }}\n"
    );
    let mut session = open(&text);
    run(&mut session, 0.5);
    assert!((session.velocities()[0][0] - 3.0).abs() < 1e-9);
    run(&mut session, 1.0);
    let wanted = 3.0 * (-1.0f64).exp();
    assert!((session.velocities()[0][0] - wanted).abs() < 1e-9);
    assert!(session.totals().ledger.damping < -100.0);
}

#[test]
fn stiffness_is_a_factor_of_what_the_scene_gives_and_its_energy_is_work() {
    let text = format!(
        "{CUBE}stretch = [1.2, 1, 1]\n[[event]]\nt = 0.02\nbody = \"cube\"\nset = {{ stiffness = 2 }}\n\
         [[event]]\nt = 0.05\nset = {{ stiffness = 1 }}\n"
    );
    let mut plain = open(&format!("{CUBE}stretch = [1.2, 1, 1]\n"));
    let mut session = open(&text);
    let start = session.energies().total();
    run(&mut plain, 0.02);
    run(&mut session, 0.02);
    assert_eq!(
        bits(&plain),
        bits(&session),
        "the event has not happened yet"
    );
    let soft = session.energies().strain;
    // The event is due before the next step.
    session.step_towards(1.0).unwrap();
    let work = session.row().entry.work;
    assert!((work - soft).abs() < 1e-9 * soft, "{work} {soft}");
    run(&mut session, 0.2);
    assert!(open_balance(&session, start) < 1e-9 * start);
    let by_hand = 1.0 / plain.energies().strain * soft;
    assert!((by_hand - 1.0).abs() < 1e-12);
}

#[test]
fn a_method_of_an_event_continues_from_the_state() {
    let text = format!(
        "{CUBE}velocity = {{ angular = [0, 4, 1] }}\n[[event]]\nt = 0.3\nset = {{ method = \"backward-euler\", step = 0.02 }}\n"
    );
    let mut session = open(&text);
    run(&mut session, 0.3);
    let before = session.energies().total();
    run(&mut session, 1.0);
    assert_eq!(session.row().h, 0.02);
    assert_eq!(session.method.name(), "backward-euler");
    let lost = 1.0 - session.energies().total() / before;
    assert!(lost > 0.02, "backward Euler damps a rotation: {lost}");
    // The same by hand.
    let mut other = open(&format!("{CUBE}velocity = {{ angular = [0, 4, 1] }}\n"));
    run(&mut other, 0.3);
    let event: Event = toml_event("set = { method = \"backward-euler\", step = 0.02 }");
    other.apply(&event).unwrap();
    run(&mut other, 1.0);
    assert_eq!(bits(&session), bits(&other));
}

fn toml_event(set: &str) -> Event {
    let text = format!("{CUBE}[[event]]\nt = 0\n{set}\n");
    parse("events.toml", &text).unwrap().0.event.remove(0)
}

const HANDLE: &str = "[[handle]]\nnode = 3\nstiffness = 500\nrelease = 0.4\n\
    motion = { samples = [[0.1, 1.0, 1.0, 0.0], [0.15, 1.3, 1.2, 0.0], [0.2, 1.6, 1.1, 0.1]] }\n";

#[test]
fn a_handle_of_the_scene_pulls_as_one_that_a_program_holds() {
    let mut written = open(&format!("{CUBE}{HANDLE}"));
    let start = written.energies().total();
    run(&mut written, 0.6);
    assert!(written.totals().ledger.work > 1.0);
    assert!(open_balance(&written, start) < 1e-9 * written.totals().ledger.work);
    let mut held = open(CUBE);
    run(&mut held, 0.1);
    let handle = held.grab_at(3, 500.0, [1.0, 1.0, 0.0]).unwrap();
    run(&mut held, 0.15);
    held.move_handle(handle, [1.3, 1.2, 0.0]).unwrap();
    run(&mut held, 0.2);
    held.move_handle(handle, [1.6, 1.1, 0.1]).unwrap();
    run(&mut held, 0.4);
    held.release(handle).unwrap();
    run(&mut held, 0.6);
    assert_eq!(bits(&written), bits(&held));
}

#[test]
fn snapshots_hold_events_and_handles() {
    let events = "[[event]]\nt = 0.12\nset = { stiffness = 3, method = \"bdf2\" }\n[[event]]\nt = 0.3\nset = { gravity = [0, 1, 0] }\n";
    let text = format!("{CUBE}{HANDLE}{events}");
    let mut whole = open(&text);
    run(&mut whole, 0.25);
    let saved = whole.save();
    run(&mut whole, 0.6);
    let mut resumed = open(&text);
    resumed.restore(&saved).unwrap();
    assert_eq!(resumed.method.name(), "bdf2");
    run(&mut resumed, 0.6);
    assert_eq!(bits(&whole), bits(&resumed));
    assert_eq!(whole.totals().ledger, resumed.totals().ledger);
    // Back to a time before the first event.
    let first = open(&text).save();
    resumed.restore(&first).unwrap();
    run(&mut resumed, 0.6);
    assert_eq!(bits(&whole), bits(&resumed));
}

#[test]
fn what_a_scene_cannot_change_is_refused_with_a_sentence() {
    let event = |text: &str| format!("{CUBE}[[event]]\nt = 0.1\n{text}\n");
    for (text, wanted) in [
        (event("set = { friction = 0.3 }"), "no [contact]"),
        (
            event("body = \"cub\"\nset = { stiffness = 2 }"),
            "did you mean \"cube\"?",
        ),
        (
            event("body = \"cube\"\nset = { step = 0.1 }"),
            "belong to a body",
        ),
        (event("set = { method = \"bdf3\" }"), "unknown method"),
        (event("set = { density = 3 }"), "density"),
        (event("set = { stiffness = -1 }"), "stiffness"),
        (
            event("set = { step = 0.1 }").replace("step = 0.01", "step = 0.01\ncontrol = {}"),
            "time.control chooses the steps",
        ),
        (
            format!("{CUBE}{}", HANDLE.replace("node = 3", "node = 300")),
            "nodes 0 to 26",
        ),
        (
            format!("{CUBE}{}", HANDLE.replace("release = 0.4", "release = 0.1")),
            "before the last sample",
        ),
        (
            format!("{CUBE}{}", HANDLE.replace("0.15, 1.3", "0.05, 1.3")),
            "must not descend",
        ),
        (
            event("")
                .replace("implicit-midpoint", "static")
                .replace("step = 0.01", ""),
            "there is no time",
        ),
    ] {
        let sentence = refusal(&text);
        assert!(sentence.contains(wanted), "{wanted}:\n{sentence}");
    }
    let mut session = open(CUBE);
    let refused = session.apply(&toml_event("set = { method = \"rk4\" }"));
    assert!(
        refused.is_ok(),
        "an explicit method suits a scene without contact: {refused:?}"
    );
}

#[test]
fn samples_move_held_nodes_through_their_positions() {
    let text = format!(
        "{CUBE}[[body.fix]]\nwhere = {{ x = 0 }}\nmotion = {{ samples = [[0, 0, 0, 0], [0.2, 0.1, 0, 0], [0.5, 0.1, 0.2, 0]] }}\n"
    );
    let mut session = open(&text);
    run(&mut session, 0.2);
    assert_eq!(session.positions()[0], [0.1, 0.0, 0.0]);
    run(&mut session, 0.7);
    assert_eq!(session.positions()[0], [0.1, 0.2, 0.0]);
    assert_eq!(session.velocities()[0], [0.0; 3]);
}
