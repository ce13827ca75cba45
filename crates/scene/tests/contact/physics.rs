//! Motion with contact: no penetration, energy, impulses, work of moving obstacles.

use super::{ball, run, session};

/// Runs the dropped ball; returns its largest total energy less the final one, relative to the drop.
fn loss(method: &str) -> f64 {
    let mut ball = session(&ball(method, 3.5, ""));
    let start = ball.energies().total();
    let mut least = f64::INFINITY;
    run(&mut ball, |s| {
        let low = s
            .positions()
            .iter()
            .map(|x| x[1])
            .fold(f64::INFINITY, f64::min);
        assert!(low > 0.0, "{method}: a vertex is at {low} m at {} s", s.t());
        least = least.min(low);
    });
    let totals = ball.totals();
    assert!(
        least < 0.01,
        "{method}: the ball stays {least} m above the floor"
    );
    // All vertices touch the floor only by their distance from it.
    let gap = totals.contact.least_gap.unwrap();
    assert!(
        (gap - least).abs() < 1e-12,
        "{method}: {gap} against {least}"
    );
    assert!(totals.contact.paths > 0);
    (start - totals.energy.last) / start
}

#[test]
fn a_dropped_ball_never_enters_the_floor_and_sdirk2_keeps_more_energy() {
    let [euler, sdirk] = ["backward-euler", "sdirk2"].map(loss);
    assert!(sdirk < 0.5 * euler, "{sdirk} against {euler}");
    assert!(sdirk > -1e-3 && euler < 0.9, "{sdirk}, {euler}");
}

/// A particle falls on a plane and rests where stiffness · 1 m² · (−B′) is its weight: at half the reach, if the stiffness
/// is its weight over 1 m².
#[test]
fn a_particle_rests_at_half_the_reach() {
    let text = "[time]\nmethod = \"backward-euler\"\nstep = 0.01\nuntil = 2.0\n\
        [[particle]]\nposition = [0, 0.011, 0]\nmass = 0.5\n\
        [[obstacle]]\nplane = { point = [0, 0, 0], normal = [0, 2, 0] }\n\
        [contact]\nkind = \"barrier\"\nreach = 0.01\nstiffness = 4.905\n";
    for shape in ["", "shape = \"log\"\n", "shape = \"cubic\"\n"] {
        let mut particle = session(&format!("{text}{shape}"));
        run(&mut particle, |s| assert!(s.positions()[0][1] > 0.0));
        let y = particle.positions()[0][1];
        assert!((y - 0.005).abs() < 1e-6, "{shape} rests at {y} m");
        let [_, pairs] = particle.contacts();
        assert_eq!(pairs.len(), 1);
        assert!((pairs[0].normal_force - 4.905).abs() < 1e-4);
        assert!((pairs[0].area - 1.0).abs() < 1e-15);
    }
}

/// The impulses in `contacts.csv` sum to the change of momentum, without gravity: to the tolerance of Newton's method, and
/// nearly so where the iteration ends early.
#[test]
fn impulses_are_the_change_of_momentum() {
    impulses_sum_to_the_change_of_momentum("[solver]\naccuracy = 1e-12\n", 1e-7);
    impulses_sum_to_the_change_of_momentum("", 5e-4);
}

fn impulses_sum_to_the_change_of_momentum(solver: &str, tolerance: f64) {
    let text = "gravity = [0, 0, 0]\n".to_string()
        + &ball("backward-euler", 0.55, "")
            .replace("until = 1.2", "until = 0.4")
            .replace(
                "poisson = 0.48, density = 1000 }",
                "poisson = 0.4, density = 1000 }\nvelocity = { linear = [0, -2, 0] }",
            )
        + solver;
    let dir = tempfile::tempdir().unwrap();
    let options = scene::run::RunOptions {
        out: dir.path().into(),
        resume: None,
    };
    let mut ball = session(&text);
    let before = ball.row().momentum.linear[1];
    let report = scene::run::run(&mut ball, &options, &mut |_| scene::run::Flow::On).unwrap();
    let change = ball.row().momentum.linear[1] - before;
    assert!(change > 1.2 * before.abs(), "{change} N s of {before}");
    let table = std::fs::read_to_string(dir.path().join("contacts.csv")).unwrap();
    let mut lines = table.lines();
    assert_eq!(
        lines.next().unwrap(),
        "t,a,b,normal_force,friction_force,area,gap,impulse,slip"
    );
    let (mut sum, mut rows) = (0.0, 0);
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!([cells[1], cells[2], cells[4]], ["ball", "floor", "0.0"]);
        sum += cells[7].parse::<f64>().unwrap();
        rows += 1;
    }
    assert!(rows > 2);
    assert!(
        (sum - change).abs() < tolerance * change,
        "{sum} against {change}"
    );
    let contact = report.contact.unwrap();
    let share = contact.least_gap_over_reach.unwrap();
    assert!(share > 0.0 && share < 1.0);
    // The share is rounded.
    let gap = contact.least_gap.unwrap();
    assert!((gap - share * contact.reach).abs() <= f64::EPSILON * gap);
    // Frames carry the forces on the nodes; their sum is the normal force of the pair.
    let row: Vec<&str> = table.lines().nth(2).unwrap().split(',').collect();
    let (t, force): (f64, f64) = (row[0].parse().unwrap(), row[3].parse().unwrap());
    let results = scene::results::Results::open(dir.path()).unwrap();
    let i = results
        .frames
        .iter()
        .position(|(at, _)| (at - t).abs() < 1e-9)
        .unwrap();
    let frame = results.frame(i).unwrap();
    let sizes = results.field(i, &frame, "contact-force").unwrap();
    let total: f64 = sizes.iter().sum();
    assert!(
        (total - force).abs() < 1e-9 * force,
        "{total} against {force}"
    );
}

/// Each row of the ledger closes with a moving floor, whose work is booked.
#[test]
fn the_ledger_closes_with_a_moving_floor() {
    let motion = "motion = { shake = { axis = \"y\", amplitude = 0.03, frequency = 4 } }";
    for method in ["sdirk2", "backward-euler", "tr-bdf2"] {
        let text = ball(method, 0.54, motion).replace("until = 1.2", "until = 0.4");
        let mut ball = session(&text);
        let (mut before, mut worked) = (ball.energies().total(), 0.0);
        run(&mut ball, |s| {
            let row = *s.row();
            let e = row.entry;
            let booked = e.damping + e.friction + e.contact + e.numerical + e.residual + e.work;
            let size = 5000.0;
            let change = row.energies.total() - before;
            assert!((e.change - change).abs() < 1e-10 * size, "{method}: {e:?}");
            assert!((booked - change).abs() < 1e-10 * size, "{method}: {e:?}");
            assert!(e.residual.abs() < 1e-4 * size, "{method}: {e:?}");
            before = row.energies.total();
            worked += e.work.abs();
        });
        assert!(worked > 10.0, "{method}: the floor works {worked} J");
    }
}

/// A box pressed between a fixed and a moving plane carries the force of its own strain.
#[test]
fn a_pressed_box_carries_the_force_of_its_strain() {
    let text = r#"
gravity = [0, 0, 0]
[time]
method = "backward-euler"
step = 0.01
until = 2.0
[[body]]
name = "box"
mesh = { box = { size = [1, 1, 1], cells = [2, 2, 2] } }
place = { translate = [0, 0.006, 0] }
material = { law = "linear", young = 1e5, poisson = 0.0, density = 1000 }
[[obstacle]]
name = "floor"
plane = { point = [0, 0, 0], normal = [0, 1, 0] }
[[obstacle]]
name = "press"
plane = { point = [0, 1.012, 0], normal = [0, -1, 0] }
motion = { keys = [{ t = 0 }, { t = 1, translate = [0, -0.02, 0] }] }
[contact]
kind = "barrier"
reach = 0.005
"#;
    let mut pressed = session(text);
    run(&mut pressed, |_| {});
    let x = pressed.positions();
    let (low, high) = x.iter().fold((f64::INFINITY, 0.0f64), |(l, h), x| {
        (l.min(x[1]), h.max(x[1]))
    });
    let strain = 1.0 - (high - low);
    assert!(strain > 0.01 && strain < 0.018, "strain {strain}");
    let [_, pairs] = pressed.contacts();
    assert_eq!(pairs.len(), 2);
    for pair in pairs {
        let share = pair.normal_force / (1e5 * strain);
        assert!(
            (share - 1.0).abs() < 0.03,
            "{share} of the force of the strain"
        );
        assert!((pair.area - 1.0).abs() < 1e-9, "area {}", pair.area);
    }
}
