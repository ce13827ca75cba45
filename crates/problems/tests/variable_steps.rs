//! Steps of random lengths: methods with a history keep their order, and error estimates measure the error.

use base::random::Random;
use march::control::Proposal;
use march::estimate::{StepDoubling, VelocityDifferences};
use march::{
    Controller, FixedSteps, Newton, Options, Parameters, StageSolver, StepReport, Stepper,
    TimeLoop, find,
};
use problems::Chain;

fn options() -> Options {
    Options {
        tolerance: 1e-14,
        ..Options::default()
    }
}

fn stepper(name: &str) -> Box<dyn Stepper> {
    let choice = find(name).unwrap();
    choice
        .stepper(&Parameters::default(), Newton::Minimise)
        .unwrap()
}

/// Returns lengths that change by random ratios in [½, 2] and add up to `end`.
fn lengths(steps: usize, end: f64, random: &mut Random) -> Vec<f64> {
    let mut h = 1.0f64;
    let mut all: Vec<f64> = (0..steps)
        .map(|_| {
            // The random walk returns to 1, so the longest step shrinks as the number of steps grows.
            let ratio = (2.0 * random.unit() - 1.0 - 0.5 * h.log2()).clamp(-1.0, 1.0);
            h *= ratio.exp2();
            h
        })
        .collect();
    let sum: f64 = all.iter().sum();
    all.iter_mut().for_each(|h| *h *= end / sum);
    all
}

/// Returns the error at the end of a run of `steps` steps of random lengths.
fn error(name: &str, steps: usize, seed: u64) -> f64 {
    let mut chain = Chain::forced();
    let end = 1.5;
    let mut time = TimeLoop::fixed(stepper(name), options(), chain.exact(0.0), 1.0);
    let mut random = Random::new(seed);
    for h in lengths(steps, end, &mut random) {
        time.set_step(h);
        let until = time.state().t + h;
        time.step(&mut chain, until).unwrap();
    }
    let (s, exact) = (time.state(), chain.exact(time.state().t));
    let pairs = s.u.iter().zip(&exact.u).chain(s.v.iter().zip(&exact.v));
    pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

#[test]
fn methods_with_a_history_keep_their_order() {
    for (name, order) in [
        ("bdf2", 2.0),
        ("s-bdf2", 2.0),
        ("newmark", 2.0),
        ("trapezoid", 2.0),
        ("tr-bdf2", 2.0),
        ("central-difference", 2.0),
    ] {
        let mean = |steps: usize| -> f64 {
            let logs = (1..=6).map(|seed| error(name, steps, 977 * seed).ln());
            logs.sum::<f64>() / 6.0
        };
        let slope = (mean(300) - mean(1200)) / 4f64.ln();
        assert!(slope > order - 0.2, "{name}: {slope}");
    }
}

/// Wraps a method in an error estimate.
type Wrap = dyn Fn(Box<dyn Stepper>) -> Box<dyn Stepper>;

/// Returns the estimate and the true local error of the fourth step from the exact state, with fixed steps.
fn local(name: &str, wrap: &Wrap, h: f64) -> (f64, f64) {
    let mut chain = Chain::forced();
    let estimate = std::sync::Arc::new(std::sync::Mutex::new(None));
    let recorded = estimate.clone();
    let mut time = TimeLoop::new(
        wrap(stepper(name)),
        StageSolver::new(options()),
        Box::new(FixedSteps::new(h)),
        chain.exact(0.0),
    );
    time.set_veto(Some(Box::new(move |report: &StepReport| {
        let embedded = report.error.map(|e| e.displacement);
        *recorded.lock().unwrap() = report.doubling.or(embedded);
        false
    })));
    // After the first step the error is not local. The local error is the difference of the errors at both ends of the
    // last step, which propagate by the identity up to higher-order terms.
    let distance = |time: &TimeLoop, chain: &Chain| -> Vec<f64> {
        let exact = chain.exact(time.state().t);
        let pairs = time.state().u.iter().zip(&exact.u);
        pairs.map(|(x, y)| x - y).collect()
    };
    let mut before = vec![0.0; chain.exact(0.0).u.len()];
    let mut found = 0.0;
    for _ in 0..4 {
        time.step(&mut chain, 1.0).unwrap();
        let now = distance(&time, &chain);
        let changes = now.iter().zip(&before).map(|(a, b)| (a - b).abs());
        found = changes.fold(0.0, f64::max);
        before = now;
    }
    let estimate = estimate.lock().unwrap().unwrap_or(f64::NAN);
    (estimate, found)
}

/// Estimates have the order of the local error, p + 1, and its magnitude.
#[test]
fn estimates_measure_the_local_error() {
    let cases = [
        ("backward-euler", 1),
        ("implicit-midpoint", 2),
        ("trapezoid", 2),
        ("newmark", 2),
        ("bdf2", 2),
        ("central-difference", 2),
        ("sdirk-ncs23", 3),
    ];
    for (name, order) in cases {
        let choice = find(name).unwrap();
        assert_eq!(choice.order(), order);
        let constant = choice.error_constant(&Parameters::default()).unwrap();
        let differences = move |base| -> Box<dyn Stepper> {
            Box::new(VelocityDifferences::new(base, order, constant))
        };
        let doubled = move |base| -> Box<dyn Stepper> {
            Box::new(StepDoubling::new(base, stepper(name), order))
        };
        let wraps: [(&str, &Wrap); 2] = [("velocities", &differences), ("doubling", &doubled)];
        for (what, wrap) in wraps {
            let h = if order > 2 { 0.01 } else { 0.004 };
            let [(e1, t1), (e2, t2)] = [h, 0.5 * h].map(|h| local(name, wrap, h));
            let slope = (e1 / e2).log2();
            let own = f64::from(order) + 1.0;
            assert!((slope - own).abs() < 0.4, "{what} of {name}: order {slope}");
            let ratio = (e2 / t2).max(e1 / t1);
            assert!(
                (0.05..20.0).contains(&ratio),
                "{what} of {name}: {e1:.2e} {e2:.2e} for errors of {t1:.2e} {t2:.2e}"
            );
        }
    }
}

/// The result of a doubled step is that of two steps of half the length, up to the tolerance of the solver.
#[test]
fn a_doubled_step_is_two_halves() {
    for name in ["bdf2", "newmark", "sdirk2", "rk4"] {
        let run = |doubled: bool| {
            let mut chain = Chain::forced();
            let (stepper, h): (Box<dyn Stepper>, f64) = match doubled {
                true => (
                    Box::new(StepDoubling::new(stepper(name), stepper(name), 2)),
                    0.02,
                ),
                false => (stepper(name), 0.01),
            };
            let options = Options {
                factor_lifetime: march::FactorLifetime::WithinStep,
                ..options()
            };
            let mut time = TimeLoop::fixed(stepper, options, chain.exact(0.0), h);
            time.run(&mut chain, 0.2, &mut |_, _| true).unwrap();
            time.state().clone()
        };
        let (two, one) = (run(true), run(false));
        let differences = two.u.iter().zip(&one.u).map(|(a, b)| (a - b).abs());
        let difference = differences.fold(0.0, f64::max);
        assert!(difference < 1e-11, "{name}: {difference}");
    }
}

#[test]
fn fixed_steps_do_not_stop_at_kinks() {
    let mut steps = FixedSteps::new(0.1);
    assert!(!steps.stops_at_kinks());
    let proposal: Proposal = steps.propose(0.0, 1.0).unwrap();
    assert_eq!(proposal.end, 0.1);
}
