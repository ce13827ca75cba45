//! The spring of [Dinev et al. 2018, figs. 2 and 3] with both potentials, and the two springs of its Appendix C.

use scene::session::{Session, SessionError};

use crate::oracle::{Particle, V};
use crate::{record_steps, scene_file, simulation};

const H: f64 = 0.033;

fn spring(squared: bool) -> Particle {
    Particle {
        mass: 0.5,
        // k(|x| − 1)² is hooke's k/2 (|x| − 1)² with twice the stiffness (docs/references.md, E15).
        stiffness: if squared { 1e5 } else { 2e5 },
        rest: 1.0,
        squared,
        points: vec![[0.0; 3]],
        keeps_spin: false,
    }
}

fn text(squared: bool) -> String {
    let text = scene_file("spring-004.toml");
    if squared {
        return text;
    }
    text.replace("\"squared\"", "\"hooke\"")
        .replace("stiffness = 1e5", "stiffness = 2e5")
}

/// Position and velocity of the only particle.
fn particle(sim: &mut Session) -> (V, V) {
    let rest = sim.model.rest()[0];
    let s = sim.state().clone();
    let (u, v) = sim.model.expand(s.t, &s.u, &s.v);
    ([0, 1, 2].map(|k| rest[k] + u[0][k]), v[0])
}

fn step(sim: &mut Session) -> Result<(), SessionError> {
    sim.step().map(|_| ())
}

fn distance(a: V, b: V) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f64::max)
}

/// Number of steps for which the simulation and the reference `next` agree to 1e-9 of the size of the motion.
fn agreement(sim: &mut Session, mut next: impl FnMut(V, V) -> (V, V, f64), steps: usize) -> usize {
    let (mut x, mut v) = particle(sim);
    let (mut far, mut fast) = (0.0f64, 0.0f64);
    for n in 0..steps {
        step(sim).unwrap();
        let alpha;
        (x, v, alpha) = next(x, v);
        let (y, w) = particle(sim);
        far = far.max(distance(x, [0.0; 3]));
        fast = fast.max(distance(v, [0.0; 3]));
        let close = distance(x, y) <= 1e-9 * far && distance(v, w) <= 1e-9 * fast;
        if !close || (sim.row().blend - alpha).abs() > 1e-7 {
            return n;
        }
    }
    steps
}

#[test]
fn initial_energies_match_erratum_e15() {
    for (squared, wanted) in [(true, 78_150.0), (false, 25_025.0)] {
        let mut sim = simulation(&text(squared), &[]);
        let s = sim.state().clone();
        let found = sim.model.energies(0.0, &s.u, &s.v).total();
        assert!((found - wanted).abs() < 1e-9 * wanted, "{found}");
    }
}

/// The motion is chaotic and amplifies rounding errors: agreement lasts for dozens of steps.
#[test]
fn midpoint_and_tracking_follow_the_oracle_in_three_dimensions() {
    for squared in [true, false] {
        let oracle = spring(squared);
        let plain = agreement(
            &mut simulation(&text(squared), &[]),
            |x, v| {
                let (x, v) = oracle.midpoint(x, v, H);
                (x, v, 0.0)
            },
            25,
        );
        assert!(plain >= 12, "midpoint, squared {squared}: {plain} steps");
        for (keeps_spin, word) in [(false, "blend"), (true, "keep")] {
            let oracle = Particle {
                keeps_spin,
                ..oracle.clone()
            };
            let set = [
                ("time.stabilise.tolerance", "1e-13"),
                ("time.stabilise.angular-momentum", word),
            ];
            let mut sim = simulation(&text(squared), &set);
            let (x, v) = particle(&mut sim);
            let target = oracle.energy(x, v);
            let close = 1e-13 * target;
            let tracked = agreement(&mut sim, |x, v| oracle.tracked(x, v, H, target, close), 25);
            assert!(tracked >= 8, "{word}, squared {squared}: {tracked} steps");
        }
    }
}

/// Appendix C: a particle on the x axis between two springs of rest length √2.
const TWO_SPRINGS: &str = r#"
gravity = [0.0, 0.0, 0.0]
[time]
method = "implicit-midpoint"
step = 0.033
until = 33.0
[[particle]]
position = [1.7, 0.0, 0.0]
velocity = [-3.0, 0.0, 0.0]
mass = 1.0
[[spring]]
a = 0
b = [0.0, 1.0, 0.0]
stiffness = 40.0
rest = 1.4142135623730951
[[spring]]
a = 0
b = [0.0, -1.0, 0.0]
stiffness = 40.0
rest = 1.4142135623730951
"#;

#[test]
fn tracking_follows_the_oracle_in_one_dimension() {
    let oracle = Particle {
        mass: 1.0,
        stiffness: 40.0,
        rest: std::f64::consts::SQRT_2,
        squared: false,
        points: vec![[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]],
        keeps_spin: false,
    };
    let mut sim = simulation(TWO_SPRINGS, &[("time.stabilise.tolerance", "1e-13")]);
    let (x, v) = particle(&mut sim);
    let target = oracle.energy(x, v);
    let steps = agreement(
        &mut sim,
        |x, v| oracle.tracked(x, v, H, target, 1e-13 * target),
        100,
    );
    assert_eq!(steps, 100);
}

#[test]
fn midpoint_alone_explodes_and_keeps_its_angular_momentum() {
    let rows = record_steps(&mut simulation(&text(true), &[]), 1000);
    assert!((rows[0].energy - 78_150.0).abs() < 1e-6);
    assert!(rows.iter().any(|r| r.energy > 1e9));
    let spin = rows[0].angular[2];
    let drift = rows.iter().map(|r| (r.angular[2] / spin - 1.0).abs());
    assert!(drift.fold(0.0, f64::max) < 1e-9);
}

/// Largest relative change of the angular momentum.
fn turned(set: &[(&str, &str)], squared: bool, steps: u64) -> f64 {
    let long = [("time.until", "400"), ("time.fps", "0.1")];
    let set: Vec<(&str, &str)> = long.iter().chain(set).copied().collect();
    let rows = record_steps(&mut simulation(&text(squared), &set), steps);
    let spin = rows[0].angular[2];
    let change = rows.iter().map(|r| (r.angular[2] / spin - 1.0).abs());
    change.fold(0.0, f64::max)
}

/// Without momentum correction, blending in forward Euler multiplies it by hundreds.
#[test]
fn tracking_keeps_the_angular_momentum_of_the_spring() {
    let tracked = ("time.stabilise.tolerance", "0.01");
    for squared in [true, false] {
        let own = turned(&[tracked], squared, 10_000);
        let printed = turned(
            &[tracked, ("time.stabilise.angular-momentum", "blend")],
            squared,
            1000,
        );
        let others = ["bdf2", "backward-euler"]
            .map(|method| turned(&[("time.method", method)], squared, 1000));
        assert!(own < 1e-9, "squared {squared}: {own}");
        assert!(
            printed > 0.5 && others.iter().all(|o| *o > 0.5),
            "squared {squared}: {printed}, {others:?}"
        );
    }
}

/// Two particles attached to the same point are one free body; attached to two points, angular momentum is not conserved.
#[test]
fn only_particles_attached_to_one_point_keep_angular_momentum() {
    let pair = |second: &str| {
        text(false).replace("[[probe]]", &format!("[[particle]]\nposition = [0.0, 1.2, 0.0]\nvelocity = [5.0, 0.0, 3.0]\nmass = 0.4\n[[spring]]\na = 1\nb = {second}\nstiffness = 1e5\nrest = 1.0\n[[probe]]"))
    };
    let change = |text: &str| {
        let set = [("time.stabilise.tolerance", "0.01"), ("time.fps", "0.1")];
        let rows = record_steps(&mut simulation(text, &set), 300);
        assert!(rows.iter().any(|r| r.blend != 0.0));
        let first = rows[0].angular;
        let off = |r: &crate::StepSample| distance(r.angular, first);
        rows.iter().map(off).fold(0.0, f64::max) / distance(first, [0.0; 3])
    };
    let one = change(&pair("[0.0, 0.0, 0.0]"));
    assert!(one < 1e-9, "{one}");
    let two = change(&pair("[0.0, 0.1, 0.0]"));
    assert!(two > 0.1, "{two}");
}

#[test]
fn tracking_holds_the_spring_with_every_base_method() {
    for (base, steps) in [
        ("implicit-midpoint", 10_000),
        ("sdirk2", 2000),
        ("tr-bdf2", 2000),
        ("trapezoid", 2000),
        ("newmark", 2000),
        ("bdf2", 2000),
        ("s-implicit-midpoint", 2000),
    ] {
        let set = [
            ("time.stabilise.tolerance", "0.01"),
            ("time.until", "400"),
            ("time.fps", "0.1"),
            ("time.method", base),
        ];
        let rows = record_steps(&mut simulation(&text(true), &set), steps);
        assert_eq!(rows.len() as u64, steps + 1);
        let target = rows[0].energy;
        for row in &rows {
            let off = (row.energy / target - 1.0).abs();
            assert!(off <= 0.01 + 1e-12, "{base} at t = {}: {off}", row.t);
            // Only the spring acts: all change of energy is numerical.
            let energy_error = (row.energy - target - row.energy_error).abs();
            // Linearised steps have a large energy error before blending.
            let rounding = f64::EPSILON * row.booked;
            assert!(
                energy_error <= 1e-7 * target + rounding,
                "{base}: {energy_error}"
            );
        }
    }
}
