//! The ledger with friction: it closes, and friction never adds energy.

use march::methods::{Family, MethodChoice};
use scene::run::{Report, Status};

use super::{barrier_methods, block, run_until, session, timed, try_session};

/// A block and a ball that land sliding on a turning roller and a belt, against each other.
const CROWD: &str = r#"
[[body]]
name = "block"
mesh = { box = { size = [0.2, 0.1, 0.2], cells = [2, 1, 2] } }
place = { translate = [-0.1, 0.006, -0.1] }
material = { young = 1e5, poisson = 0.3, density = 1000 }
velocity = { linear = [1, -0.2, 0.2] }
[[body]]
name = "upper"
mesh = { box = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1], element = "tet4" } }
place = { translate = [-0.05, 0.115, -0.05] }
material = { young = 1e5, poisson = 0.3, density = 1000 }
velocity = { linear = [-0.5, -0.3, 0] }
[[obstacle]]
name = "belt"
plane = { point = [0, 0, 0], normal = [0, 1, 0] }
motion = { shake = { axis = "x", amplitude = 0.02, frequency = 5 } }
[[obstacle]]
name = "roller"
capsule = { a = [0.205, 0.04, -1], b = [0.205, 0.04, 1], radius = 0.1 }
motion = { speed = { rotate-deg = [0, 0, 1000] } }
[contact]
kind = "barrier"
reach = 0.008
stiffness = 2e4
friction = 0.5
"#;

/// Whether all powers count with weights that are not negative.
fn has_nonnegative_weights(choice: &MethodChoice) -> bool {
    match choice.method.family {
        Family::RungeKutta(table) => table.b.iter().all(|b| *b >= 0.0),
        Family::Newmark | Family::Bdf2 => true,
        _ => false,
    }
}

#[test]
fn the_ledger_closes_and_friction_never_adds_energy() {
    let mut unsigned = 0;
    for choice in barrier_methods() {
        let name = choice.name();
        // A method with a stage outside the step carries no moving obstacles.
        let still: Vec<&str> = (CROWD.lines())
            .filter(|l| !l.starts_with("motion"))
            .collect();
        let mut crowd = try_session(&timed(CROWD, &name, 2e-3, 0.04))
            .or_else(|_| try_session(&timed(&(still.join("\n") + "\n"), &name, 2e-3, 0.04)))
            .unwrap_or_else(|e| panic!("{e}"));
        let size = crowd.energies().kinetic;
        let (mut before, mut friction) = (crowd.energies().total(), 0.0);
        let nonnegative = has_nonnegative_weights(&choice);
        unsigned += usize::from(nonnegative);
        run_until(&mut crowd, 0.04, |s| {
            let e = s.row().entry;
            let booked = e.damping + e.friction + e.contact + e.numerical + e.residual + e.work;
            let change = s.energies().total() - before;
            assert!((e.change - change).abs() < 1e-10 * size, "{name}: {e:?}");
            assert!((booked - change).abs() < 1e-10 * size, "{name}: {e:?}");
            assert!(e.residual.abs() < 1e-6 * size, "{name}: {e:?}");
            assert!(e.friction <= 0.0 || !nonnegative, "{name}: {e:?}");
            before = s.energies().total();
            friction += e.friction;
        });
        assert!(friction < -0.05 * size, "{name}: {friction} J of {size} J");
    }
    assert!(unsigned >= 8);
}

/// What the integrator adds goes to zero with its order, so that friction and the work of the obstacles are complete.
#[test]
fn numerical_energy_vanishes_with_the_step() {
    let smooth = format!("{CROWD}slip-speed = 0.5\n");
    let numerical = |step: f64| {
        let mut crowd = session(&timed(&smooth, "sdirk3", step, 0.02));
        let mut sum = 0.0;
        run_until(&mut crowd, 0.02, |s| sum += s.row().entry.numerical);
        sum.abs()
    };
    let [coarse, fine] = [1e-3, 2.5e-4].map(numerical);
    assert!(fine < 0.1 * coarse);
}

/// A block that is thrown on a floor with a large coefficient tips over within a few steps: normal forces and friction do not
/// stand still in every stage. Such steps are counted and said, friction still takes energy, and the ledger closes.
#[test]
fn friction_that_does_not_converge_is_counted_and_said() {
    let mut counted = 0;
    for (friction, step) in [(4.0, 0.05), (10.0, 0.1)] {
        let contact = format!("friction = {friction:?}");
        let body = "velocity = { linear = [3, -1, 0] }";
        let text = block([0.2, 0.4, 0.2], [2, 4, 2], 3e4, body, &contact);
        let mut thrown = session(&timed(&text, "backward-euler", step, 0.6));
        let (start, mut before) = (thrown.energies().kinetic, thrown.energies().total());
        run_until(&mut thrown, 0.6, |s| {
            let (e, total) = (s.row().entry, s.energies().total());
            assert!(e.friction <= 0.0, "{e:?}");
            assert!((e.change - (total - before)).abs() < 1e-10 * start, "{e:?}");
            before = total;
        });
        let steps = thrown.totals().unconverged_friction;
        let report = Report::new(&mut thrown, 0, Status::Finished);
        let said = report.warnings.iter().any(|w| w.starts_with("friction did not converge"));
        assert_eq!(said, steps > 0, "{:?}", report.warnings);
        let friction = report.contact.and_then(|c| c.friction).unwrap();
        assert_eq!(friction.unconverged_steps, steps);
        counted += steps;
    }
    assert!(counted > 0, "every step converged");
}
