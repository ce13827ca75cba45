//! Embedded error estimates: the difference between a step with the weights of a table and one with its embedded
//! weights.

mod common;

use std::sync::{Arc, Mutex};

use common::{CORRECTIONS, Wrapper, choices};
use march::control::{
    ControlMemory, Criterion, ErrorControl, ErrorSettings, Estimate, Proposal, StepLimits,
    StepRule, Verdict,
};
use march::methods::{Family, MethodChoice};
use march::tables::runge_kutta as rk;
use march::vector::max_abs;
use march::{
    AcceptedStep, Controller, ErrorEstimate, FixedSteps, Newton, Options, Parameters, StageSolver,
    State, StepError, StepReport, Stepper, TimeLoop, find,
};
use problems::Chain;

/// Length of the steps, s: long enough that estimates are far above round-off.
const H: f64 = 0.1;

/// Times at which steps are compared, s.
const STARTS: [f64; 3] = [0.0, 0.9, 2.3];

/// Fixed steps that request error estimates and record them.
struct EstimateRecorder {
    steps: FixedSteps,
    estimates: Arc<Mutex<Vec<Option<ErrorEstimate>>>>,
}

impl Controller for EstimateRecorder {
    fn propose(&mut self, now: f64, until: f64) -> Option<Proposal> {
        self.steps.propose(now, until)
    }

    fn judge(&mut self, step: &Proposal, result: Result<&StepReport, &StepError>) -> Verdict {
        let error = result.ok().and_then(|report| report.error);
        self.estimates.lock().unwrap().push(error);
        self.steps.judge(step, result)
    }

    fn required_estimates(&self) -> march::EstimateRequest {
        march::EstimateRequest {
            embedded: true,
            ..march::EstimateRequest::default()
        }
    }

    fn set_step(&mut self, now: f64, h: f64) {
        self.steps.set_step(now, h);
    }

    fn memory(&self) -> ControlMemory {
        self.steps.memory()
    }

    fn restore(&mut self, memory: &ControlMemory) -> bool {
        self.steps.restore(memory)
    }
}

/// Takes steps from the exact state of the forced chain; returns each with the state after it.
fn estimated(stepper: Box<dyn Stepper>, start: f64, steps: u32) -> Vec<(AcceptedStep, State)> {
    let mut chain = Chain::forced();
    let estimates = Arc::default();
    let controller = EstimateRecorder {
        steps: FixedSteps::from(start, H),
        estimates: Arc::clone(&estimates),
    };
    let solver = StageSolver::new(Options::default());
    let mut time = TimeLoop::new(stepper, solver, Box::new(controller), chain.exact(start));
    let mut taken = Vec::new();
    let end = start + f64::from(steps) * H;
    time.run(&mut chain, end, &mut |time, step| {
        taken.push((*step, time.state().clone()));
        true
    })
    .unwrap();
    let reported: Vec<_> = taken.iter().map(|(step, _)| step.report.error).collect();
    assert_eq!(*estimates.lock().unwrap(), reported);
    taken
}

/// Returns the error estimate of one step, and its end.
fn first_step(stepper: Box<dyn Stepper>, start: f64) -> (Option<ErrorEstimate>, State) {
    let (step, end) = estimated(stepper, start, 1).remove(0);
    (step.report.error, end)
}

fn registered(choice: &MethodChoice) -> Box<dyn Stepper> {
    choice
        .stepper(&Parameters::default(), Newton::Minimise)
        .unwrap()
}

fn largest_difference(x: &[f64], y: &[f64]) -> f64 {
    let difference: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
    max_abs(&difference)
}

/// The force error of a step of one iteration compares the force at its end with the linear force that the step was solved
/// with, M a, and needs no second matrix [Linearized Force Error, eqs. 7, 13].
#[test]
fn a_linearised_step_measures_its_own_force() {
    for (name, share) in [("s-backward-euler", 1.0), ("s-newmark", 0.25)] {
        for start in STARTS {
            let mut chain = Chain::forced();
            let from = chain.exact(start);
            let criterion = Criterion {
                estimate: Estimate::Force,
                exponent: 1.0 / 3.0,
            };
            let settings = ErrorSettings {
                criteria: [Some(criterion), None],
                tolerance: 1e3,
                per_unit_step: false,
                safety: 0.5,
                rule: StepRule::Plain,
                limits: StepLimits { min: H, max: H },
                estimates_need_history: false,
            };
            let control = Box::new(ErrorControl::new(Some(H), settings));
            let solver = StageSolver::new(Options::default());
            let stepper = registered(&find(name).unwrap());
            let mut time = TimeLoop::new(stepper, solver, control, from.clone());
            let step = time.step(&mut chain, start + H).unwrap().unwrap();
            let mut solver = StageSolver::new(Options::default());
            let mut acceleration = |chain: &mut Chain, state: &State| {
                let mut a = vec![0.0; state.u.len()];
                solver.acceleration(chain, state.at(), &mut a).unwrap();
                a
            };
            let (before, end) = (acceleration(&mut chain, &from), time.state().clone());
            let mut worst: f64 = 0.0;
            for (i, a) in acceleration(&mut chain, &end).into_iter().enumerate() {
                let mean = (end.v[i] - from.v[i]) / H;
                let solved = match name {
                    "s-newmark" => 2.0 * mean - before[i],
                    _ => mean,
                };
                worst = worst.max(share * H * H * (a - solved).abs());
            }
            let found = step.report.force_error.unwrap();
            assert!(
                (found / worst - 1.0).abs() < 1e-9,
                "{name}: {found} {worst}"
            );
            assert_eq!(step.report.counts.assemblies, 1, "{name}");
        }
    }
}

/// Both steps start without a history, so their stages are the same.
#[test]
fn an_estimate_is_the_difference_from_the_embedded_method() {
    let mut least = f64::INFINITY;
    for choice in choices().iter().filter(|c| c.embedded().is_some()) {
        let name = choice.name();
        for start in STARTS {
            let (estimate, end) = first_step(registered(choice), start);
            let (_, other) = first_step(choice.embedded_stepper().unwrap(), start);
            let estimate = estimate.unwrap_or_else(|| panic!("{name} has no estimate"));
            for (found, x, y) in [
                (estimate.displacement, &end.u, &other.u),
                (estimate.velocity, &end.v, &other.v),
            ] {
                let wanted = largest_difference(x, y);
                let round_off = 16.0 * f64::EPSILON * max_abs(x);
                assert!(
                    (found - wanted).abs() <= round_off,
                    "{name} from {start}: {found:e}, not {wanted:e}"
                );
                least = least.min(found / round_off);
            }
        }
    }
    assert!(least > 1e6, "an estimate is only {least} times round-off");
}

#[test]
fn every_table_with_embedded_weights_has_an_estimate_and_no_other_method() {
    for choice in choices() {
        let has_weights = match choice.method.family {
            Family::RungeKutta(table) => table.embedded.is_some(),
            Family::Rosenbrock(_) => true,
            _ => false,
        };
        assert_eq!(choice.embedded().is_some(), has_weights);
        // BDF2 begins with a step of TR-BDF2 and its estimate.
        let starting = usize::from(matches!(choice.method.family, Family::Bdf2));
        for (step, _) in &estimated(registered(&choice), 0.0, 4)[starting..] {
            assert_eq!(
                step.report.error.is_some(),
                has_weights,
                "{}",
                choice.name()
            );
        }
    }
}

#[test]
fn no_estimate_is_made_unless_asked_for_and_none_changes_the_step() {
    for choice in choices() {
        let mut chain = Chain::forced();
        let start = chain.exact(0.0);
        let mut time = TimeLoop::fixed(registered(&choice), Options::default(), start, H);
        for (asked, end) in estimated(registered(&choice), 0.0, 4) {
            let step = time.step(&mut chain, 4.0 * H).unwrap().unwrap();
            assert_eq!(step.report.error, None);
            assert_eq!(step.report.counts, asked.report.counts);
            assert_eq!(*time.state(), end, "{}", choice.name());
        }
    }
}

/// A correction passes on the estimate of its method; a backward-Euler start-up has none.
#[test]
fn wrapped_methods_have_the_estimates_of_their_methods() {
    for choice in choices().iter().filter(|c| c.embedded().is_some()) {
        let (plain, _) = first_step(registered(choice), 0.0);
        for wrapper in CORRECTIONS {
            let stepper = wrapper.stepper(choice, Newton::Minimise);
            assert_eq!(first_step(stepper, 0.0).0, plain, "{}", choice.name());
        }
        let stepper = Wrapper::Startup.stepper(choice, Newton::Minimise);
        let steps = estimated(stepper, 0.0, 20);
        let estimates: Vec<bool> = steps.iter().map(|s| s.0.report.error.is_some()).collect();
        assert!(!estimates[0] && estimates[19], "{}", choice.name());
        assert!(estimates.is_sorted(), "{}: {estimates:?}", choice.name());
    }
}

/// Parameters of a Runge–Kutta tableau of a scene file.
fn own_runge_kutta(table: &rk::RungeKuttaTable, b_hat: &[f64]) -> Parameters {
    Parameters {
        a: Some(table.a.iter().map(|row| row.to_vec()).collect()),
        b: Some(table.b.to_vec()),
        b_hat: Some(b_hat.to_vec()),
        ..Parameters::default()
    }
}

/// ROS3P [Lang & Verwer 2001]: γ = ½ + √3/6 and b̂ = (⅓, ⅓, ⅓).
fn own_ros3p(b_hat: &[f64]) -> Parameters {
    let g = 0.5 + 3.0_f64.sqrt() / 6.0;
    let rows = |rows: [&[f64]; 3]| Some(rows.map(<[f64]>::to_vec).to_vec());
    Parameters {
        alpha: rows([&[], &[1.0], &[1.0, 0.0]]),
        gamma_matrix: rows([&[g], &[-1.0, g], &[-g, 0.5 - 2.0 * g, g]]),
        b: Some(vec![2.0 / 3.0, 0.0, 1.0 / 3.0]),
        b_hat: Some(b_hat.to_vec()),
        ..Parameters::default()
    }
}

#[test]
fn tableaux_of_a_scene_have_the_estimates_of_the_registry() {
    let own = |table: &rk::RungeKuttaTable| own_runge_kutta(table, table.embedded.unwrap());
    let cases = [
        ("dirk", "sdirk2", own(&rk::SDIRK2)),
        ("s-dirk", "s-sdirk2", own(&rk::SDIRK2)),
        ("dirk", "sdirk3", own(&rk::SDIRK3)),
        ("dirk", "tr-bdf2", own(&rk::TR_BDF2)),
        ("dirk", "explicit-midpoint", own(&rk::EXPLICIT_MIDPOINT)),
        ("rosenbrock", "ros3p", own_ros3p(&[1.0 / 3.0; 3])),
    ];
    for (mine, theirs, p) in cases {
        let estimates = |name: &str, p: &Parameters| {
            let stepper = find(name).unwrap().stepper(p, Newton::Minimise).unwrap();
            estimated(stepper, 0.0, 4).into_iter().map(|(step, end)| {
                let estimate = step.report.error.unwrap();
                (estimate, max_abs(&end.u).max(max_abs(&end.v)))
            })
        };
        let pairs = estimates(mine, &p).zip(estimates(theirs, &Parameters::default()));
        for ((found, scale), (wanted, _)) in pairs {
            let difference = (found.displacement - wanted.displacement)
                .abs()
                .max((found.velocity - wanted.velocity).abs());
            assert!(
                difference < 1e-13 * scale,
                "{theirs}: {found:?}, not {wanted:?}"
            );
        }
        let without = Parameters { b_hat: None, ..p };
        let stepper = find(mine).unwrap().stepper(&without, Newton::Minimise);
        assert_eq!(first_step(stepper.unwrap(), 0.0).0, None, "{mine}");
    }
}

#[test]
fn bad_embedded_weights_are_refused_with_the_reason() {
    let refused =
        |name: &str, p: &Parameters| match find(name).unwrap().stepper(p, Newton::Minimise) {
            Ok(_) => panic!("{name} accepts {:?}", p.b_hat),
            Err(why) => why.to_string(),
        };
    let cases: [(&[f64], &str); 4] = [
        (&[1.0], "b-hat has 1 entries for"),
        (&[0.25; 4], "b-hat has 4 entries for"),
        (
            &[0.5, 0.4, 0.0],
            "the weights b-hat sum to 0.9, not to 1, so the method has order 0",
        ),
        (&[f64::NAN, 1.0, 0.0], "entry 1 of b-hat is NaN"),
    ];
    for (b_hat, reason) in cases {
        let sdirk3 = own_runge_kutta(&rk::SDIRK3, b_hat);
        for (name, p) in [("dirk", sdirk3), ("rosenbrock", own_ros3p(b_hat))] {
            let message = refused(name, &p);
            let table = format!("the table of method \"{name}\" is not usable: {reason}");
            assert!(message.starts_with(&table), "{message}");
        }
    }
    let unknown_key = Parameters {
        b_hat: Some(vec![0.5, 0.5]),
        ..Parameters::default()
    };
    let message = refused("sdirk2", &unknown_key);
    assert!(message.contains("takes no key \"b-hat\""), "{message}");
}
