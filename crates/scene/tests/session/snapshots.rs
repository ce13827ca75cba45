//! Snapshots: a restored session repeats later steps bit for bit.

use march::methods;
use scene::session::{Row, Session};

use super::session;

const BAR: &str = r#"
[time]
method = "{method}"
step = 0.002
until = 1.0
{time}
[[body]]
mesh = { box = { size = [0.3, 0.1, 0.1], cells = [3, 1, 1], element = "hex8" } }
material = { law = "stable-neo-hookean", young = 1e5, poisson = 0.4, density = 1000 }
damping = { mass = 0.5, stiffness = 1e-4{damping} }
velocity = { linear = [0.0, 0.3, 0.0], angular = [0.0, 0.0, 4.0] }
[[body.fix]]
where = { x = 0.0 }
motion = { shake = { axis = "y", amplitude = 0.01, frequency = 9.0 } }
"#;

fn bar(method: &str, time: &str, damping: &str) -> Session {
    let text = BAR.replace("{method}", method);
    session(&text.replace("{time}", time).replace("{damping}", damping))
}

/// Bits of the state and all measurements after a step.
fn bits(session: &Session, row: &Row) -> Vec<u64> {
    let (s, e) = (session.state(), &row.energies);
    let numbers = s.u.iter().chain(&s.v).copied();
    let energies = [s.t, e.kinetic, e.strain, e.gravitational, row.blend];
    let counts = [row.work.newton, row.work.factorizations, row.work.solves];
    let floats = numbers.chain(energies).chain(row.entry.as_array());
    floats.map(f64::to_bits).chain(counts).collect()
}

/// Steps of a session, with a snapshot before each.
const STEPS: usize = 8;

fn assert_snapshots_repeat(mut session: Session, what: &str) {
    let (mut saved, mut rows) = (Vec::new(), Vec::new());
    for _ in 0..STEPS {
        saved.push(session.save());
        let row = *session.step().unwrap();
        rows.push(bits(&session, &row));
    }
    // Restores later and earlier snapshots in one session.
    for k in [6, 0, 3, 7, 1] {
        session.restore(&saved[k]).unwrap();
        assert_eq!(session.save(), saved[k], "{what}: restored before step {k}");
        for (n, wanted) in rows.iter().enumerate().skip(k) {
            let row = *session.step().unwrap();
            assert_eq!(
                &bits(&session, &row),
                wanted,
                "{what}: step {n} after restoring before step {k}"
            );
        }
    }
}

#[test]
fn snapshots_repeat_later_steps_for_every_method() {
    for name in methods::names() {
        if name.ends_with("dirk") || name.ends_with("rosenbrock") {
            continue;
        }
        assert_snapshots_repeat(bar(&name, "", ""), &name);
    }
}

#[test]
fn snapshots_include_energy_budget_and_velocity_damping() {
    let tracked = "[time.stabilise]\ntolerance = 1e-9\n";
    let projected = "[time.stabilise]\nkind = \"project\"\ntolerance = 1e-9\n";
    for method in ["implicit-midpoint", "bdf2", "newmark", "tr-bdf2"] {
        for (time, damping) in [
            (tracked, ""),
            (projected, ""),
            ("", ", drag = 1.0, rigid-free = 2.0"),
            (tracked, ", drag = 1.0"),
        ] {
            assert_snapshots_repeat(bar(method, time, damping), &format!("{method}, {time}"));
        }
    }
}

/// Snapshots include handles, pushes, step and method that were changed during the run.
#[test]
fn snapshots_include_handles_pushes_step_and_method() {
    let mut session = bar("bdf2", "", "");
    session.step().unwrap();
    let before = session.save();
    let handle = session.grab(15, 200.0).unwrap();
    session.move_handle(handle, [0.4, 0.2, 0.0]).unwrap();
    session.push(12, [0.0, 3.0, 0.0]).unwrap();
    session.set_step(0.003).unwrap();
    session.set_method("sdirk3").unwrap();
    session.set_gravity([0.0, 1.0, 0.0]).unwrap();
    session.step().unwrap();
    let after = session.save();
    let run = |session: &mut Session| {
        let row = *session.step().unwrap();
        bits(session, &row)
    };
    let changed = run(&mut session);
    session.restore(&before).unwrap();
    assert_eq!(session.method.name(), "bdf2");
    let plain = run(&mut session);
    let mut untouched = bar("bdf2", "", "");
    untouched.step().unwrap();
    assert_eq!(run(&mut untouched), plain, "nothing is left of the changes");
    session.restore(&after).unwrap();
    assert_eq!(session.method.name(), "sdirk3");
    assert_eq!(run(&mut session), changed);
    session.release(handle).unwrap();
}

#[test]
fn a_snapshot_of_another_scene_is_refused() {
    let mut other = super::particle("bdf2");
    let why = other.restore(&bar("bdf2", "", "").save()).unwrap_err();
    assert!(why.to_string().contains("another scene"), "{why}");
}
