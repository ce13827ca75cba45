//! No accepted state has an edge inside a triangle, by exact arithmetic.

use contact::CollisionSurface;
use contact::intersect::intersections;
use march::{Newton, Options, Parameters, StageSolver, State, StepHalving, TimeLoop, find};
use mesh::CellKind;
use solid::material::Law;
use solid::model::{Model, PrescribedNodes};
use solid::motion::{Ease, Keyframe, Motion};

use crate::bodies::{Part, assemble, settings, surfaces};
use crate::common::Body;

/// Number of intersections at a state.
pub fn count_intersections(model: &mut Model, s: &State, surface: &CollisionSurface) -> usize {
    let rest = model.rest().to_vec();
    let (u, _) = model.expand(s.t, &s.u, &s.v);
    let x: Vec<[f64; 3]> = (rest.iter().zip(u))
        .map(|(x, u)| [0, 1, 2].map(|k| x[k] + u[k]))
        .collect();
    intersections(&surface.primitives, &x, |_, _| true).len()
}

/// Runs a model and checks every accepted step.
pub fn run_checked(
    name: &str,
    model: &mut Model,
    surface: &CollisionSurface,
    v: Vec<f64>,
    h: f64,
    until: f64,
) -> State {
    let start = State {
        t: 0.0,
        u: vec![0.0; v.len()],
        v,
    };
    let stepper = find(name).unwrap();
    let stepper = stepper.stepper(&Parameters::default(), Newton::Minimise);
    let solver = StageSolver::new(Options::default());
    let controller = Box::new(StepHalving::new(h, None));
    let mut time = TimeLoop::new(stepper.unwrap(), solver, controller, start);
    let (mut newton, mut steps, mut rejected) = (0, 0, 0);
    loop {
        let step = time
            .step(model, until)
            .unwrap_or_else(|why| panic!("{name} at {}: {why}", time.state().t));
        let Some(step) = step else { break };
        newton += step.report.counts.newton;
        rejected += step.rejected;
        steps += 1;
        let state = time.state().clone();
        let found = count_intersections(model, &state, surface);
        assert_eq!(found, 0, "{name}: intersections at t = {}", state.t);
    }
    let counts = model.contact_counts().map(|c| c.1);
    println!("{counts:?}");
    let analyses = time.solver().analyses();
    println!(
        "{name}: {steps} steps, {rejected} rejected, {newton} Newton iterations, {analyses} analyses"
    );
    time.state().clone()
}

#[test]
fn a_twisted_mat_never_intersects_itself() {
    let body = Body::block(CellKind::Hex8, [24, 6, 1], [1.2, 0.3, 0.02]);
    let end = |x: f64| body.nodes_where(|p| (p[0] - x).abs() < 1e-9);
    let turn = |angle: f64| Motion::Keyframes {
        keys: vec![
            Keyframe {
                t: 0.0,
                translate: [0.0; 3],
                rotate: [0.0; 3],
            },
            Keyframe {
                t: 2.0,
                translate: [0.0; 3],
                rotate: [angle, 0.0, 0.0],
            },
        ],
        pivot: [0.6, 0.15, 0.01],
        ease: Ease::default(),
    };
    let prescribed = [(0.0, 0.5), (1.2, -0.5)].map(|(x, side)| PrescribedNodes {
        nodes: end(x),
        axes: [true; 3],
        motion: turn(side * 2.0 * std::f64::consts::TAU),
    });
    for name in ["backward-euler", "sdirk2", "tr-bdf2"] {
        let part = Part {
            body: Body::block(CellKind::Hex8, [24, 6, 1], [1.2, 0.3, 0.02]),
            law: Law::new("stable-neo-hookean", 2e4, 0.4).unwrap(),
            density: 1000.0,
            damping: 0.0,
        };
        let parts = [part];
        let surface = surfaces(&parts);
        let mut all = assemble(&parts, Vec::new(), settings(0.004, 2e3, true));
        all.prescribed = prescribed.to_vec();
        let mut model = Model::new(all).unwrap();
        let n = model.unknowns();
        run_checked(name, &mut model, &surface, vec![0.0; n], 0.04, 2.0);
    }
}

#[test]
fn a_bullet_does_not_pass_a_thin_sheet() {
    let sheet = || Part {
        body: Body::block(CellKind::Hex8, [10, 10, 1], [1.0, 1.0, 0.01]),
        law: Law::new("stable-neo-hookean", 1e6, 0.4).unwrap(),
        density: 1000.0,
        damping: 0.0,
    };
    let bullet = || {
        let mut body = Body::block(CellKind::Hex8, [3, 3, 3], [0.1, 0.1, 0.1]);
        body.rest
            .iter_mut()
            .for_each(|p| *p = [p[0] + 0.43, p[1] + 0.47, p[2] + 0.5]);
        Part {
            body,
            law: Law::new("stable-neo-hookean", 1e7, 0.4).unwrap(),
            density: 1000.0,
            damping: 0.0,
        }
    };
    for name in ["backward-euler", "sdirk2", "tr-bdf2"] {
        let parts = [sheet(), bullet()];
        let surface = surfaces(&parts);
        let rim = parts[0]
            .body
            .nodes_where(|p| p[0] * (1.0 - p[0]) * p[1] * (1.0 - p[1]) < 1e-9);
        let nodes = parts[0].body.rest.len();
        let mut all = assemble(&parts, Vec::new(), settings(0.004, 1e6, false));
        all.prescribed = vec![crate::common::clamp(rim)];
        let mut model = Model::new(all).unwrap();
        let v: Vec<[f64; 3]> = (0..model.nodes())
            .map(|i| [0.0, 0.0, if i < nodes { 0.0 } else { -100.0 }])
            .collect();
        let v = model.restrict(&v);
        let end = run_checked(name, &mut model, &surface, v, 0.033, 0.33);
        let (u, _) = model.expand(end.t, &end.u, &end.v);
        let low = u[nodes..].iter().map(|u| u[2]).fold(f64::MAX, f64::min);
        println!("bullet moved by {low:.2}");
    }
}

#[test]
fn extrapolating_methods_shorten_steps_near_contact() {
    for name in [
        "implicit-midpoint",
        "sdirk-ncs23",
        "sdirk-nc34",
        "sdirk-3345",
        "sdirk-4347",
        "ilddirk22",
        "hht-alpha",
        "generalized-alpha",
    ] {
        for h in [0.005, 0.02] {
            let parts = [crate::block([3, 3, 3], [0.5; 3], [0.0, 0.1, 0.0], 1e5, 0.3)];
            let surface = surfaces(&parts);
            let mut all = assemble(&parts, vec![crate::floor()], settings(0.01, 1e4, false));
            all.gravity = [0.0, -9.81, 0.0];
            let mut model = Model::new(all).unwrap();
            let n = model.unknowns();
            run_checked(name, &mut model, &surface, vec![0.0; n], h, 1.2);
        }
    }
}
