//! The sum of reactions is the rate of change of momentum less weight, loads and mass damping, and so for moments.
//!
//! The rates come from differences of the momenta along the motion with the acceleration M a = f, which the test solves
//! itself; nothing of the code that computes reactions is used.

use march::{DampingUpdate, State, System};
use scene::session::Session;
use sparse::{Cholesky, LinearSolver};

use super::session;

/// A soft bar of quadratic tetrahedra: its left end is shaken, a part of its right end follows keys in y and z, its middle
/// is tethered to a moving anchor; it is pushed, damped and heavy.
const SHAKEN: &str = r#"
gravity = [0.7, -9.81, 1.3]
[time]
method = "{method}"
step = {step}
until = {until}
[solver]
tolerance = 1e-11
[[body]]
name = "bar"
mesh = { box = { size = [0.4, 0.1, 0.1], cells = [3, 1, 1], element = "tet10" } }
material = { law = "{law}", young = 2e4, poisson = 0.35, density = 900, viscosity = { shear = 2.0, bulk = 1.0 } }
mass = "{mass}"
damping = { mass = 0.7 }
velocity = { linear = [0.0, 0.2, 0.0], angular = [1.0, 0.0, 3.0] }
[[body.fix]]
where = { x = 0.0 }
motion = { shake = { axis = [1, 2, 0], amplitude = 0.01, frequency = 4.0 } }
[[body.fix]]
where = { x = 0.4, y = 0.1 }
axes = "yz"
motion = { keys = [{ t = -0.05 }, { t = 0.13, translate = [0.0, 0.03, -0.02], rotate-deg = [30, 0, 0] }] }
[[body.fix]]
where = { x = 0.0, y = 0.0 }
axes = "z"
[[body.tether]]
where = { x = 0.2 }
stiffness = 60.0
motion = { shake = { axis = "z", amplitude = 0.02, frequency = 6.0 } }
[[body.push]]
where = { x = 0.4, y = 0.0 }
force = [0.3, -0.5, 0.8]
[[body]]
name = "second"
mesh = { box = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
place = { translate = [1.0, 2.0, 3.0] }
material = { young = 2e4, poisson = 0.35, density = 900 }
damping = { mass = 0.7 }
[[body.tether]]
where = { x = 1.1 }
stiffness = 40.0
"#;

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
}

/// Acceleration M⁻¹ f at the current state.
fn acceleration(session: &mut Session) -> Vec<f64> {
    let (model, state) = session.model_and_state();
    let system: &mut dyn System = model;
    let mut a = vec![0.0; system.dofs()];
    system.update_damping(state.at(), DampingUpdate::Whole);
    system.force(state.at(), &mut a);
    let mut cholesky = Cholesky::default();
    cholesky.factor(system.mass()).unwrap();
    cholesky.solve(&mut a).unwrap();
    a
}

/// Rates of linear and angular momentum along u + τ v + τ²/2 a, by differences of fourth order.
fn momentum_rates(session: &mut Session, a: &[f64]) -> [[f64; 3]; 2] {
    let (model, State { t, u, v }) = session.model_and_state();
    let mut at = |tau: f64| {
        let moved = |k: usize| u[k] + tau * v[k] + 0.5 * tau * tau * a[k];
        let u: Vec<f64> = (0..u.len()).map(moved).collect();
        let v: Vec<f64> = (0..u.len()).map(|k| v[k] + tau * a[k]).collect();
        let m = model.momentum(t + tau, &u, &v);
        [m.linear, m.angular]
    };
    let h = 2e-4;
    let [near, far] = [h, 2.0 * h].map(|h| (at(h), at(-h)));
    [0, 1].map(|part| {
        [0, 1, 2].map(|k| {
            let slope = |(p, m): &([[f64; 3]; 2], [[f64; 3]; 2])| p[part][k] - m[part][k];
            (8.0 * slope(&near) - slope(&far)) / (12.0 * h)
        })
    })
}

/// Largest error of the balance of forces and of moments, relative to the largest of the terms.
fn imbalance(session: &mut Session) -> [f64; 2] {
    let reactions = session.reactions().unwrap();
    let a = acceleration(session);
    let rates = momentum_rates(session, &a);
    let x = session.positions();
    let gravity = session.scene.gravity;
    let mut known = [[0.0; 3]; 2];
    let mut add = |at: [f64; 3], f: [f64; 3]| {
        let m = cross(at, f);
        (0..3).for_each(|k| {
            known[0][k] += f[k];
            known[1][k] += m[k];
        });
    };
    for (x, m) in x.iter().zip(session.model.node_mass()) {
        add(*x, gravity.map(|g| m * g));
    }
    let rest = session.model.rest();
    let pushed: Vec<usize> = (0..rest.len())
        .filter(|&i| (rest[i][0] - 0.4).abs() < 1e-9 && rest[i][1].abs() < 1e-9)
        .collect();
    for &i in &pushed {
        add(x[i], [0.3, -0.5, 0.8].map(|f| f / pushed.len() as f64));
    }
    let momentum = session.row().momentum;
    let damped = [momentum.linear, momentum.angular].map(|p| p.map(|p| -0.7 * p));
    let supports: [[f64; 3]; 2] = [
        [0, 1, 2].map(|k| reactions.iter().map(|r| r.force[k]).sum()),
        [0, 1, 2].map(|k| reactions.iter().map(|r| r.moment[k]).sum()),
    ];
    [0, 1].map(|part| {
        let off = |k: usize| rates[part][k] - known[part][k] - damped[part][k] - supports[part][k];
        let size = |k: usize| {
            let sizes = reactions.iter().map(|r| [r.force, r.moment][part][k].abs());
            sizes.fold(known[part][k].abs().max(rates[part][k].abs()), f64::max)
        };
        let scale = (0..3).map(size).fold(0.0, f64::max);
        (0..3).map(|k| off(k).abs()).fold(0.0, f64::max) / scale
    })
}

#[test]
fn reactions_balance_weight_loads_and_inertia_at_every_step() {
    for (method, step, until) in [
        ("backward-euler", 0.005, 0.1),
        ("sdirk2", 0.005, 0.1),
        ("newmark", 0.005, 0.1),
        ("trapezoid", 0.005, 0.1),
        ("generalized-alpha", 0.005, 0.1),
        ("bdf2", 0.005, 0.1),
        ("rodas4", 0.005, 0.1),
        ("rk4", 2e-4, 0.006),
    ] {
        for (law, mass) in [("stable-neo-hookean", "consistent"), ("stvk", "lumped")] {
            let text = SHAKEN
                .replace("{method}", method)
                .replace("{step}", &step.to_string())
                .replace("{until}", &until.to_string())
                .replace("{law}", law)
                .replace("{mass}", mass);
            let mut session = session(&text);
            assert_eq!(
                session.supports,
                [
                    "bar.fix[0]",
                    "bar.fix[1]",
                    "bar.fix[2]",
                    "bar.tether[0]",
                    "second.tether[0]"
                ]
            );
            let mut worst = imbalance(&mut session);
            while session.t() < until - 1e-9 {
                session.step().unwrap();
                let now = imbalance(&mut session);
                worst = [0, 1].map(|k| worst[k].max(now[k]));
            }
            assert!(worst.iter().all(|w| *w < 1e-9), "{method} {law}: {worst:?}");
        }
    }
}

/// A state that was changed after the step, here by drag, has reactions of its own.
#[test]
fn velocity_damping_after_the_step_is_seen() {
    let text = SHAKEN
        .replace("{method}", "sdirk2")
        .replace("{step}", "0.005")
        .replace("{until}", "0.1")
        .replace("{law}", "corotated")
        .replace("{mass}", "consistent")
        .replace(
            "damping = { mass = 0.7 }",
            "damping = { mass = 0.7, drag = 3.0 }",
        );
    let mut session = session(&text);
    for _ in 0..5 {
        session.step().unwrap();
        let worst = imbalance(&mut session);
        assert!(worst.iter().all(|w| *w < 1e-9), "{worst:?}");
    }
}

/// Asking for reactions changes no later step.
#[test]
fn reactions_leave_no_trace() {
    for method in ["sdirk2", "generalized-alpha", "rk4"] {
        let text = SHAKEN
            .replace("{method}", method)
            .replace("{step}", "0.0002")
            .replace("{until}", "0.1")
            .replace("{law}", "stable-neo-hookean")
            .replace("{mass}", "consistent");
        let (mut asked, mut silent) = (session(&text), session(&text));
        for _ in 0..5 {
            asked.step().unwrap();
            silent.step().unwrap();
            asked.reactions().unwrap();
            assert_eq!(asked.save(), silent.save(), "{method}");
        }
    }
}

/// Methods that end on a stage know the reactions after a step from the power of that stage.
#[test]
fn reactions_cost_nothing_where_a_step_ends_on_a_stage() {
    for method in ["backward-euler", "sdirk2", "sdirk3", "tr-bdf2"] {
        for text in [
            SHAKEN.replace("{law}", "stvk"),
            SHAKEN
                .replace("{law}", "stvk")
                .replace("young = 2e4", "young = 2e7"),
        ] {
            let text = text
                .replace("{method}", method)
                .replace("{step}", "0.005")
                .replace("{until}", "0.1")
                .replace("{mass}", "consistent");
            let mut session = session(&text);
            for _ in 0..5 {
                session.step().unwrap();
                let (model, state) = session.model_and_state();
                assert!(
                    model.knows_reactions(state.at()),
                    "{method}, t = {}",
                    state.t
                );
            }
        }
    }
}
