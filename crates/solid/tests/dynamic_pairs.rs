//! Potentials whose stencils change inside Newton iterations: same results as a dense pattern, few analyses, bounded storage,
//! and no effect of threads, rejected attempts or resumption.

mod common;
#[path = "common/repulsion.rs"]
mod repulsion;
#[path = "../../problems/tests/common/mod.rs"]
mod time_loops;

use common::{Body, clamp, frozen};
use march::{
    Controller, FixedSteps, Newton, Options, Parameters, StageSolver, State, TimeLoop,
    TimeLoopState, find,
};
use mesh::CellKind;
use repulsion::{Bonds, Coupling, Repulsion};
use solid::blocks::MAX_STORED_TO_ACTIVE;
use solid::mass::MassKind;
use solid::material::Law;
use solid::model::{Model, ModelDescription};
use solid::motion::Motion;
use solid::potential::{DampingRate, Potential, StiffnessDamping, Tethers};
use time_loops::case::coin_veto;
use time_loops::{Random, Record, RejectedTrials, Wrapper, assert_same, take_step};

const METHODS: [&str; 6] = [
    "backward-euler",
    "sdirk2",
    "bdf2",
    "tr-bdf2",
    "generalized-alpha",
    "rodas4",
];

/// A block that slides over another one, which is fixed.
fn sliding(coupling: Coupling, damping: StiffnessDamping) -> (Model, State) {
    let lower = Body::block(CellKind::Hex8, [3, 1, 3], [0.75, 0.3, 0.75]);
    let upper = Body::shaped(CellKind::Hex8, [3, 1, 3], |x| {
        [0.75 * x[0] + 0.11, 0.3 * x[1] + 0.42, 0.75 * x[2] + 0.07]
    });
    let shift = lower.rest.len() as u32;
    let body = Body {
        kind: CellKind::Hex8,
        rest: [lower.rest.clone(), upper.rest].concat(),
        nodes: (lower.nodes.iter().copied())
            .chain(upper.nodes.iter().map(|i| i + shift))
            .collect(),
    };
    let law = Law::new("stable-neo-hookean", 3e4, 0.3).unwrap();
    let mut parts = body.parts(law, 1000.0, MassKind::Consistent);
    parts
        .prescribed
        .push(clamp(body.nodes_where(|x| x[1] == 0.0)));
    parts.gravity = [0.0, -9.81, 0.0];
    let top = body.nodes_where(|x| (x[1] - 0.3).abs() < 1e-9);
    let bottom = body.nodes_where(|x| (x[1] - 0.42).abs() < 1e-9);
    let repulsion = Repulsion::new([top, bottom], 0.27, 6e3, coupling).damped(damping);
    parts.potentials.push(Box::new(repulsion));
    let model = Model::new(parts).unwrap();
    let velocity = |x: &[f64; 3]| {
        if x[1] > 0.41 {
            [1.6, -0.8, 0.5 * x[0]]
        } else {
            [0.0; 3]
        }
    };
    let v = model.restrict(&body.rest.iter().map(velocity).collect::<Vec<_>>());
    let u = vec![0.0; v.len()];
    (model, State { t: 0.0, u, v })
}

/// Particles that move through each other on soft tethers: nearly all blocks are dynamic.
fn cloud(coupling: Coupling) -> (Model, State) {
    damped_cloud(coupling, frozen(0.0))
}

/// The same particles with stiffness damping of the repulsion.
fn damped_cloud(coupling: Coupling, damping: StiffnessDamping) -> (Model, State) {
    particles(|nodes| {
        let repulsion = Repulsion::new([nodes.clone(), nodes], 1.25, 20.0, coupling);
        Box::new(repulsion.damped(damping))
    })
}

/// Particles that bond when they are close: all forces are linear during a step.
fn bonding() -> (Model, State) {
    particles(|nodes| Box::new(Bonds::new(nodes, 0.7, 3e3)))
}

fn particles(force: impl Fn(Vec<u32>) -> Box<dyn Potential>) -> (Model, State) {
    let mut random = Random::new(11);
    let mut number = || {
        let bits: u32 = (0..20).map(|k| u32::from(random.coin()) << k).sum();
        f64::from(bits) / f64::from(1 << 19) - 1.0
    };
    let places = (0..64).map(|i| [i % 4, i / 4 % 4, i / 16]);
    let rest: Vec<[f64; 3]> = places
        .map(|p| p.map(|x| f64::from(x) + 0.2 * number()))
        .collect();
    let nodes: Vec<u32> = (0..rest.len() as u32).collect();
    let parts = ModelDescription {
        masses: nodes.iter().map(|&i| (i, i, 1.0)).collect(),
        potentials: vec![
            Box::new(Tethers::new(nodes.clone(), 2.0, Motion::Still)),
            force(nodes),
        ],
        rest,
        ..ModelDescription::default()
    };
    let model = Model::new(parts).unwrap();
    let v = (0..model.unknowns()).map(|_| 1.5 * number()).collect();
    let u = vec![0.0; model.unknowns()];
    (model, State { t: 0.0, u, v })
}

/// Stages are solved to rounding; the counted iterations do not depend on it.
fn options() -> Options {
    Options {
        tolerance: 1e-9,
        to_roundoff: true,
        ..Options::default()
    }
}

fn time_loop(method: &str, options: Options, start: State, h: f64) -> TimeLoop<'static> {
    let choice = find(method).unwrap();
    let stepper = choice
        .stepper(&Parameters::default(), Newton::Minimise)
        .unwrap();
    TimeLoop::fixed(stepper, options, start, h)
}

/// A scene with its step length and number of steps.
#[derive(Clone, Copy)]
struct Scene {
    name: &'static str,
    make: fn(Coupling) -> (Model, State),
    h: f64,
    steps: u32,
}

const SCENES: [Scene; 4] = [
    Scene {
        name: "sliding",
        make: |c| sliding(c, frozen(0.0)),
        h: 0.01,
        steps: 25,
    },
    Scene {
        name: "sliding, damped by the stiffness of the stage",
        make: |c| {
            let rate = DampingRate::Implicit;
            sliding(c, StiffnessDamping { factor: 2e-3, rate })
        },
        h: 0.01,
        steps: 12,
    },
    Scene {
        name: "cloud, damped by the stiffness at the start",
        make: |c| damped_cloud(c, frozen(0.02)),
        h: 0.02,
        steps: 20,
    },
    Scene {
        name: "cloud",
        make: cloud,
        h: 0.02,
        steps: 40,
    },
];

/// The state and the Newton iterations of every step.
fn states(method: &str, (model, start): &mut (Model, State), scene: &Scene) -> Vec<(State, u64)> {
    let mut time = time_loop(method, options(), start.clone(), scene.h);
    let end = f64::from(scene.steps) * scene.h;
    let step = |_| {
        let step = time.step(model, end).unwrap().unwrap();
        (time.state().clone(), step.report.counts.newton)
    };
    (0..scene.steps).map(step).collect()
}

/// Largest difference relative to the largest number.
fn max_relative_difference(x: &[f64], y: &[f64]) -> f64 {
    let difference = x.iter().zip(y).map(|(x, y)| (x - y).abs());
    difference.fold(0.0, f64::max) / y.iter().fold(0.0, |m: f64, y| m.max(y.abs()))
}

#[test]
fn results_are_those_of_a_dense_pattern() {
    for (method, scene) in METHODS
        .iter()
        .flat_map(|m| SCENES.iter().map(move |s| (m, s)))
    {
        let mut changing = (scene.make)(Coupling::Changing);
        let mut dense = (scene.make)(Coupling::Dense);
        let one = states(method, &mut changing, scene);
        let other = states(method, &mut dense, scene);
        let what = format!("{method}, {}", scene.name);
        for (k, ((s, newton), (d, wanted))) in one.iter().zip(&other).enumerate() {
            let worst =
                max_relative_difference(&s.u, &d.u).max(max_relative_difference(&s.v, &d.v));
            // Rosenbrock methods differentiate damping by differences, with a step that depends on the static couplings.
            let differences = *method == "rodas4" && scene.name.ends_with("of the stage");
            assert!(
                worst < if differences { 1e-10 } else { 1e-12 },
                "{what}: {worst:e} apart after step {}",
                k + 1
            );
            // With another matrix the same result would take another number of iterations. Iterations go on to
            // round-off, where the order of a sum decides whether the last one is made.
            assert!(
                newton.abs_diff(*wanted) <= 1,
                "{what}: {newton} iterations of step {}, {wanted} wanted",
                k + 1
            );
        }
        let total = |states: &[(State, u64)]| states.iter().map(|s| s.1).sum::<u64>();
        let [all, wanted] = [&one, &other].map(|states| total(states));
        assert!(
            20 * all.abs_diff(wanted) <= wanted,
            "{what}: {all} iterations, {wanted} wanted"
        );
        let pattern_stats = changing.0.pattern_stats().unwrap();
        assert!(
            pattern_stats.changes > u64::from(scene.steps) / 2,
            "{what}: {pattern_stats:?}"
        );
        assert!(pattern_stats.patterns > 0, "{what}: {pattern_stats:?}");
        assert!(dense.0.pattern_stats().is_none());
    }
}

#[test]
fn storage_is_bounded_and_analyses_are_rare() {
    for method in METHODS {
        let (mut model, start) = cloud(Coupling::Changing);
        let mut time = time_loop(method, Options::default(), start, 0.005);
        let mut off_pattern = 0;
        for _ in 0..240 {
            time.step(&mut model, 1e9).unwrap().unwrap();
            let s = model.pattern_stats().unwrap();
            assert!(
                s.stored_blocks as f64 <= MAX_STORED_TO_ACTIVE * s.active_blocks as f64,
                "{method}: {s:?}"
            );
            off_pattern += s.off_pattern_pairs;
        }
        let s = model.pattern_stats().unwrap();
        let (analyses, orderings) = (time.solver().analyses(), time.solver().orderings());
        assert!(s.changes > 100 && off_pattern > 0, "{method}: {s:?}");
        assert!(10 * analyses < s.changes, "{method}: {analyses}, {s:?}");
        assert!(10 * s.patterns < s.changes, "{method}: {s:?}");
        assert!(orderings < analyses, "{method}: {orderings} of {analyses}");
    }
}

/// A run to repeat.
struct Run {
    method: &'static str,
    wrapper: Wrapper,
    scene: &'static Scene,
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{} {:?}, {}", self.method, self.wrapper, self.scene.name)
    }
}

impl Run {
    fn all() -> impl Iterator<Item = Run> {
        let run = |wrapper| {
            move |method| {
                SCENES.iter().map(move |scene| Run {
                    method,
                    wrapper,
                    scene,
                })
            }
        };
        let plain = METHODS.into_iter().flat_map(run(Wrapper::Plain));
        let tracked = ["sdirk2", "bdf2"].into_iter();
        plain.chain(tracked.flat_map(run(Wrapper::EnergyTracking)))
    }

    /// A new time loop with a ledger.
    fn begin(&self, controller: Box<dyn Controller>) -> (Model, TimeLoop<'static>) {
        let (mut model, start) = (self.scene.make)(Coupling::Changing);
        let choice = find(self.method).unwrap();
        let stepper = self.wrapper.stepper(&choice, Newton::Minimise);
        let solver = StageSolver::new(Options::default());
        let mut time = TimeLoop::new(stepper, solver, controller, start);
        time.keep_ledger(&mut model);
        (model, time)
    }

    fn fixed(&self) -> (Model, TimeLoop<'static>) {
        self.begin(Box::new(FixedSteps::new(self.scene.h)))
    }

    /// Takes the steps from step `from` on. Returns the state before each step and the step's record.
    fn steps(
        &self,
        (mut model, mut time): (Model, TimeLoop),
        from: u32,
    ) -> (Vec<TimeLoopState>, Vec<Record>) {
        let end = f64::from(self.scene.steps) * self.scene.h;
        let step = |_| {
            let before = time.save(&model);
            Some((before, take_step(&mut time, &mut model, end)?))
        };
        (from..self.scene.steps).map_while(step).unzip()
    }
}

#[test]
fn rejected_attempts_leave_no_trace_and_resumed_runs_are_equal_to_the_bit() {
    for run in Run::all() {
        let (saved, plain) = run.steps(run.fixed(), 0);
        assert_eq!(plain.len(), run.scene.steps as usize, "{run}");

        let (model, mut time) = run.fixed();
        time.set_veto(Some(coin_veto()));
        let (_, vetoed) = run.steps((model, time), 0);
        assert_same(&plain, &vetoed, &run);

        let trials = run.begin(Box::new(RejectedTrials::new(0.0, run.scene.h)));
        let (_, after_trials) = run.steps(trials, 0);
        assert_same(&plain, &after_trials, &run);

        for k in (2..run.scene.steps).step_by(9) {
            let (mut model, mut time) = run.fixed();
            time.restore(&mut model, &saved[k as usize]).unwrap();
            let (_, resumed) = run.steps((model, time), k);
            let which = format!("{run} from step {k}");
            assert_same(&plain[k as usize..], &resumed, &which);
        }
    }
}

#[test]
fn threads_change_no_bit() {
    for run in Run::all().filter(|r| r.wrapper == Wrapper::Plain) {
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().unwrap();
            pool.install(|| run.steps(run.fixed(), 0).1)
        };
        let one = on(1);
        for threads in [2, 4] {
            assert_same(&one, &on(threads), &format!("{run} on {threads} threads"));
        }
    }
}

#[test]
fn pairs_of_another_model_are_refused() {
    let (mut model, start) = cloud(Coupling::Changing);
    let mut time = time_loop("backward-euler", Options::default(), start, 0.02);
    for _ in 0..10 {
        time.step(&mut model, 1.0).unwrap().unwrap();
    }
    let saved = time.save(&model);
    let (mut same, start) = cloud(Coupling::Changing);
    let mut again = time_loop("backward-euler", Options::default(), start, 0.02);
    assert!(again.restore(&mut same, &saved).is_ok());
    let (mut dense, start) = cloud(Coupling::Dense);
    let mut other = time_loop("backward-euler", Options::default(), start, 0.02);
    let refused = other.restore(&mut dense, &saved).unwrap_err();
    assert_eq!(refused.part, "history of the system");
}

#[test]
fn local_global_iterations_follow_the_pairs() {
    let (h, steps) = (0.02, 60);
    let run = |newton: Newton| {
        let (mut model, start) = bonding();
        let choice = find("backward-euler").unwrap();
        let stepper = choice.stepper(&Parameters::default(), newton).unwrap();
        let options = Options {
            newton,
            tolerance: 1e-12,
            ..Options::default()
        };
        let mut time = TimeLoop::fixed(stepper, options, start, h);
        let mut states = Vec::new();
        for _ in 0..steps {
            time.step(&mut model, 2.0).unwrap().unwrap();
            states.push(time.state().clone());
        }
        let changes = model.pattern_stats().unwrap().changes;
        (states, time.solver().prefactorizations(), changes)
    };
    let (exact, _, _) = run(Newton::Minimise);
    let (found, factors, changes) = run(Newton::LocalGlobal { iterations: 200 });
    for (k, (s, e)) in found.iter().zip(&exact).enumerate() {
        let worst = max_relative_difference(&s.u, &e.u);
        assert!(worst < 1e-8, "{worst:e} apart after step {}", k + 1);
    }
    assert!(changes >= 3, "{changes}");
    assert!(
        factors >= 3 && factors <= changes + 1,
        "{factors} factors for {changes} changes"
    );
}
