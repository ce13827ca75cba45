//! A law that forbids inversion is never evaluated at an inverted state, by any method at any step length: every evaluated
//! state is reached by straight paths on which det F > 0. The tests check this during the runs.

#[path = "../common/mod.rs"]
mod common;
mod guard;

use common::marching::choices;
use common::{Body, KINDS, clamp};
use guard::Guard;
use march::methods::{Family, MethodChoice, Stability};
use march::{
    AdmissiblePaths, Blocker, Controller, Corrected, EnergyTracking, FixedSteps, Newton, Options,
    Parameters, Positions, Prefix, StageSolver, State, StepError, StepHalving, Stepper, System,
    TimeLoop, find,
};
use mesh::CellKind;
use solid::mass::MassKind;
use solid::material::{LAWS, Law};
use solid::model::{Model, PrescribedNodes};
use solid::motion::{Keyframe, Motion};

/// A plate that moves along x by the distance `way` within `time`.
fn plate(body: &Body, at: f64, way: f64, time: f64) -> PrescribedNodes {
    let key = |t: f64, x: f64| Keyframe {
        t,
        translate: [x, 0.0, 0.0],
        rotate: [0.0; 3],
    };
    PrescribedNodes {
        nodes: body.nodes_where(|x| x[0] == at),
        axes: [true; 3],
        motion: Motion::Keyframes {
            keys: vec![key(0.0, 0.0), key(time, way)],
            pivot: [0.0; 3],
            ease: Default::default(),
        },
    }
}

fn rubber(name: &str) -> Law {
    Law::new(name, 2e4, 0.3).unwrap()
}

/// A bar of 0.4 m between a wall and a plate that moves by `way` within 0.1 s, thrown against the wall at `speed`.
fn pressed(law: &str, kind: CellKind, way: f64, speed: f64) -> (Guard, State) {
    let body = Body::block(kind, [3, 1, 1], [0.4, 0.1, 0.1]);
    let prescribed = vec![
        clamp(body.nodes_where(|x| x[0] == 0.0)),
        plate(&body, 0.4, way, 0.1),
    ];
    thrown(law, &body, prescribed, speed)
}

fn thrown(law: &str, body: &Body, prescribed: Vec<PrescribedNodes>, speed: f64) -> (Guard, State) {
    let mut parts = body.parts(rubber(law), 1000.0, MassKind::Consistent);
    parts.prescribed = prescribed.clone();
    let model = Model::new(parts).unwrap();
    let velocity = |x: &[f64; 3]| [-speed * x[0] / 0.4, 0.3 * speed * x[2], 0.0];
    let v = model.restrict(&body.rest.iter().map(velocity).collect::<Vec<_>>());
    let u = vec![0.0; v.len()];
    (Guard::new(model, body, prescribed), State { t: 0.0, u, v })
}

fn stepper(choice: &MethodChoice, newton: Newton) -> Box<dyn Stepper> {
    choice.stepper(&Parameters::default(), newton).unwrap()
}

fn run(
    stepper: Box<dyn Stepper>,
    controller: Box<dyn Controller>,
    (guard, start): (&mut Guard, State),
    until: f64,
) -> (State, Result<(), StepError>) {
    let solver = StageSolver::new(Options::default());
    let mut time = TimeLoop::new(stepper, solver, controller, start);
    let done = time.run(guard, until, &mut |_, _| true);
    (time.state().clone(), done.map_err(|failure| failure.why))
}

fn implicit() -> Vec<MethodChoice> {
    let all = choices().into_iter();
    all.filter(|c| c.method.stability != Stability::Conditional)
        .collect()
}

/// Returns `true` if a method iterates with a line search and can avoid forbidden states.
fn iterates(choice: &MethodChoice) -> bool {
    let method = choice.method;
    // Methods with modes do not move the boundary in parts; they return an error.
    let modal = matches!(method.family, Family::Additive(..));
    choice.prefix == Prefix::Full && method.is_implicit() && !method.has_linear_stages() && !modal
}

const CASES: [(f64, f64); 3] = [(-0.2, 0.0), (0.0, 8.0), (-0.1, 4.0)];

#[test]
fn no_method_evaluates_an_inverted_state_at_any_step() {
    let mut blocked = 0;
    // Methods with modes evaluate predicted states that may be inverted; their steps then fail and are halved.
    let without_modes = |c: &MethodChoice| !c.method.parameters.contains(&"modes");
    for choice in implicit().into_iter().filter(without_modes) {
        for h in [0.1, 0.03, 0.01] {
            for (way, speed) in CASES {
                let (mut guard, start) = pressed("neo-hookean", CellKind::Tet4, way, speed);
                let halving = Box::new(StepHalving::new(h, Some(h / 64.0)));
                let method = stepper(&choice, Newton::Minimise);
                let (_, done) = run(method, halving, (&mut guard, start), 0.1);
                let case = format!("{} {h} {way} {speed}", choice.name());
                assert!(guard.least > 0.0 && guard.states > 0, "{case}");
                // Linearised methods may need still shorter steps; they return an error.
                if iterates(&choice) {
                    done.unwrap_or_else(|why| panic!("{case}: {why}"));
                }
                blocked += guard.blocked;
            }
        }
    }
    assert!(blocked > 500, "{blocked} paths were blocked");
}

#[test]
fn every_element_law_and_merit_function_stays_on_admissible_paths() {
    let mut blocked = 0;
    for kind in KINDS {
        for law in ["neo-hookean", "mooney-rivlin"] {
            for newton in [Newton::Minimise, Newton::Residual, Newton::LeastSquares] {
                for name in ["backward-euler", "implicit-midpoint", "s-sdirk2", "ros3pl"] {
                    let (mut guard, start) = pressed(law, kind, -0.15, 3.0);
                    let halving = Box::new(StepHalving::new(0.05, Some(0.05 / 64.0)));
                    let method = stepper(&find(name).unwrap(), newton);
                    let (end, done) = run(method, halving, (&mut guard, start), 0.1);
                    let case = format!("{kind:?} {law} {newton:?} {name}");
                    assert!(guard.least > 0.0, "{case}");
                    if newton == Newton::Minimise && name == "backward-euler" {
                        done.unwrap_or_else(|why| panic!("{case} at {}: {why}", end.t));
                    }
                    blocked += guard.blocked;
                }
            }
        }
    }
    assert!(blocked > 100, "{blocked} paths were blocked");
}

#[test]
fn blends_of_energy_tracking_stay_on_admissible_paths() {
    let (mut blocked, mut blended) = (0, 0);
    for choice in implicit().iter().filter(|c| iterates(c)) {
        for (way, speed) in CASES {
            let (mut guard, start) = pressed("neo-hookean", CellKind::Tet4, way, speed);
            let tracking = EnergyTracking::new(Newton::Minimise, 1e-6);
            let method = Corrected::new(stepper(choice, Newton::Minimise), tracking);
            let halving = Box::new(StepHalving::new(0.02, Some(0.02 / 64.0)));
            let solver = StageSolver::new(Options::default());
            let mut time = TimeLoop::new(Box::new(method), solver, halving, start);
            let done = time.run(&mut guard, 0.1, &mut |_, step| {
                blended += u32::from(step.report.blend != 0.0);
                true
            });
            done.unwrap_or_else(|why| panic!("{} {way} {speed}: {why}", choice.name()));
            assert!(guard.least > 0.0, "{}", choice.name());
            blocked += guard.blocked;
        }
    }
    assert!(blocked > 100, "{blocked} paths were blocked");
    assert!(blended > 50, "{blended} steps were blended");
}

/// Methods whose step ends at the last stage, without extrapolation.
const END_ON_STAGE: [&str; 8] = [
    "backward-euler",
    "trapezoid",
    "newmark",
    "bdf2",
    "sdirk2",
    "sdirk3",
    "tr-bdf2",
    "tr-bdf2-bathe",
];

/// One step of 100 ms in which the plate moves half way to the wall, past the elements in front of it.
#[test]
fn a_boundary_that_halves_the_body_in_one_step() {
    for choice in implicit().iter().filter(|c| iterates(c)) {
        for kind in [CellKind::Tet4, CellKind::Hex8, CellKind::Tet10] {
            let (mut guard, start) = pressed("neo-hookean", kind, -0.2, 0.0);
            let jump = [0.0, 0.1].map(|t| Positions::new(t, &start.u));
            assert!(guard.model.max_step(jump[0], jump[1]) < 0.8);
            let fixed = Box::new(FixedSteps::new(0.1));
            let solver = StageSolver::new(Options::default());
            let method = stepper(choice, Newton::Minimise);
            let mut time = TimeLoop::new(method, solver, fixed, start);
            let done = time.run(&mut guard, 0.1, &mut |_, _| true);
            let case = format!("{} {kind:?}", choice.name());
            assert!(guard.least > 0.0, "{case}");
            match done.map_err(|failure| failure.why) {
                Ok(()) => assert_eq!(time.state().t, 0.1),
                Err(StepError::ForbiddenEnd { .. })
                    if !END_ON_STAGE.contains(&choice.method.name) => {}
                Err(why) => panic!("{case}: {why}"),
            }
            if choice.method.name == "backward-euler" {
                let moves = time.solver().boundary_moves();
                assert!((1..20).contains(&moves), "{case}: {moves} partial moves");
            }
        }
    }
}

/// A bar without lateral motion, compressed by a plate that moves through the wall.
#[test]
fn a_boundary_that_leaves_no_volume_is_refused_with_a_message() {
    let body = Body::block(CellKind::Hex8, [3, 1, 1], [0.4, 0.1, 0.1]);
    let prescribed = vec![
        PrescribedNodes {
            axes: [false, true, true],
            ..clamp(body.nodes_where(|_| true))
        },
        clamp(body.nodes_where(|x| x[0] == 0.0)),
        plate(&body, 0.4, -0.5, 0.1),
    ];
    let (mut guard, start) = thrown("neo-hookean", &body, prescribed, 0.0);
    let fixed = Box::new(FixedSteps::new(0.1));
    let method = stepper(&find("backward-euler").unwrap(), Newton::Minimise);
    let (_, done) = run(method, fixed, (&mut guard, start), 0.1);
    let why = done.unwrap_err();
    let StepError::BlockedBoundary {
        t,
        moves,
        done,
        ref blocker,
    } = why
    else {
        panic!("{why}");
    };
    assert_eq!(t, 0.1);
    assert!(moves > 3 && done > 0.3 && done < 1.0, "{why}");
    assert!(
        matches!(blocker, Some(Blocker::Element(e)) if *e < 3),
        "{why}"
    );
    let words = ["t = 0.100000 s", "partial moves", "element", "smaller step"];
    let sentence = why.to_string();
    assert!(words.iter().all(|w| sentence.contains(w)), "{sentence}");
}

/// Results with and without path checks are the same to the bit if no path is blocked.
#[test]
fn path_checks_change_no_step_if_no_path_is_blocked() {
    for choice in choices() {
        for (h, speed) in [(0.004, 0.5), (0.02, 0.1)] {
            let explicit = choice.method.stability == Stability::Conditional;
            if explicit && h > 0.01 {
                continue;
            }
            let h = if explicit { 0.1 * h } else { h };
            let ends = [true, false].map(|reports_paths| {
                let (mut guard, start) = pressed("neo-hookean", CellKind::Tet4, -0.02, speed);
                guard.reports_paths = reports_paths;
                let method = stepper(&choice, Newton::Minimise);
                let fixed = Box::new(FixedSteps::new(h));
                let (end, done) = run(method, fixed, (&mut guard, start), 0.08);
                done.unwrap_or_else(|why| panic!("{} {h}: {why}", choice.name()));
                assert_eq!(guard.blocked, 0, "{} {h}", choice.name());
                assert_eq!(guard.paths > 0, reports_paths, "{} {h}", choice.name());
                format!("{end:?}")
            });
            assert!(ends[0] == ends[1], "{} {h}", choice.name());
        }
    }
}

/// Paths between random states, checked by the guard; the reported element is the one that inverts.
#[test]
fn the_first_inversion_of_random_paths() {
    let mut random = 1u64;
    let mut unit = || {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (random >> 11) as f64 / (1u64 << 53) as f64
    };
    for kind in KINDS {
        let (mut guard, start) = pressed("neo-hookean", kind, -0.1, 0.0);
        guard.connected = false;
        let mut named = 0;
        for k in 0..400 {
            let size = [0.003, 0.01, 0.03, 0.1][k % 4];
            let [from, to]: [Vec<f64>; 2] =
                [0.003, size].map(|s| start.u.iter().map(|_| s * (2.0 * unit() - 1.0)).collect());
            let (from, to) = (Positions::new(0.0, &from), Positions::new(0.05, &to));
            let free = guard.max_step(from, to);
            let element = guard.blocker(from, to);
            assert_eq!(element.is_some(), free < 1.0, "{kind:?}");
            if let Some(element) = element.filter(|_| free > 0.0) {
                let (least, found) = guard.least_on_path(from, to, free + 1e-9);
                assert!(least < 1e-6);
                assert_eq!(element, Blocker::Element(found), "{kind:?}");
                named += 1;
            }
        }
        assert!(named > 50 && guard.paths > guard.blocked + 50, "{kind:?}");
    }
}

#[test]
fn laws_forbid_inversion_as_they_are_listed() {
    for info in LAWS {
        let law = rubber(info.name);
        assert_eq!(
            law.forbids_inversion(),
            !info.survives_inversion,
            "{}",
            info.name
        );
        let (mut guard, mut start) = pressed(info.name, CellKind::Hex8, 0.0, 0.0);
        assert_eq!(
            guard.admissible_paths().is_some(),
            !info.survives_inversion,
            "{}",
            info.name
        );
        // All free nodes move beyond the second plate.
        start.u.chunks_exact_mut(3).for_each(|u| u[0] = 0.5);
        let energy = guard.model.potential(0.0, &start.u).unwrap();
        assert_eq!(energy.is_finite(), info.survives_inversion, "{}", info.name);
    }
}
