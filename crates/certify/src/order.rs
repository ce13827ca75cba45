//! Measured order of convergence: p in error ≈ C hᵖ, from runs with repeatedly halved steps.

use march::methods::{MethodChoice, Refresh};
use march::vector::max_abs;
use march::{Newton, Options, Parameters, State, StepError, Stepper, System, TimeLoop};
use problems::Chain;

/// Problem of a convergence study: a system, its start and its reference solution.
pub struct ConvergenceProblem<'a> {
    /// System to integrate.
    pub system: &'a mut dyn System,
    /// Initial state.
    pub start: &'a State,
    /// Reference state at the end, exact or from a much finer run; its time is the end of the runs.
    pub truth: &'a State,
    /// Solver settings; the tolerance must lie well below the errors to be measured.
    pub options: Options,
}

/// Numbers of steps of a convergence study: from `first`, doubled up to `last`.
#[derive(Clone, Copy, Debug)]
pub struct Refinement {
    /// Number of steps of the coarsest run.
    pub first: u32,
    /// Largest number of steps of a run.
    pub last: u32,
    /// Relative error below which errors are round-off or solver tolerance; the study ends there.
    pub floor: f64,
}

/// Errors over the step length and the order of convergence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Convergence {
    /// Step length (s) and relative error of each finished run, coarsest first.
    pub points: Vec<(f64, f64)>,
    /// Slope between the two finest runs whose errors are above round-off; infinite if the first
    /// error is not, and `None` if there is only one.
    pub order: Option<f64>,
}

/// Tolerance of Newton's method, too small to influence the measured errors.
pub(super) const NEWTON_TOLERANCE: f64 = 1e-13;

/// Returns the larger of the relative errors of displacements and velocities after `steps` equal steps.
pub fn relative_error(
    stepper: &mut dyn Stepper,
    run: &mut ConvergenceProblem,
    steps: u32,
) -> Result<f64, StepError> {
    let span = run.truth.t - run.start.t;
    stepper.restart();
    let h = span / f64::from(steps);
    let mut time = TimeLoop::fixed(Box::new(stepper), run.options, run.start.clone(), h);
    time.run(run.system, run.truth.t, &mut |_, _| true)
        .map_err(|failure| failure.why)?;
    let s = time.state();
    let relative = |x: &[f64], truth: &[f64]| {
        let worst = x
            .iter()
            .zip(truth)
            .map(|(x, y)| (x - y).abs())
            .fold(0.0, f64::max);
        worst / max_abs(truth).max(f64::MIN_POSITIVE)
    };
    Ok(relative(&s.u, &run.truth.u).max(relative(&s.v, &run.truth.v)))
}

/// Returns the parameters of a method with modes for measurements of its order: with the modes of the start. `None` if the
/// method has no modes or the parameters say when they are computed.
///
/// Modes that are computed again at some step make the error jump with the step length, by a factor that does not depend on
/// it: the error is still at most C hᵖ, but no slope can be measured. The order does not depend on the age of the modes.
pub fn with_modes_of_the_start(choice: &MethodChoice, p: &Parameters) -> Option<Parameters> {
    let fixed = Parameters {
        refresh: Some(Refresh::Once),
        ..p.clone()
    };
    let has_modes = choice.stepper(&fixed, Newton::Minimise).is_ok();
    (has_modes && p.refresh.is_none()).then_some(fixed)
}

/// Measures the order of a method on any system.
///
/// Runs that blow up are left out, because explicit methods may converge at small steps only.
pub fn measure_order(
    stepper: &mut dyn Stepper,
    run: &mut ConvergenceProblem,
    refinement: Refinement,
) -> Result<Convergence, StepError> {
    let span = run.truth.t - run.start.t;
    refine(refinement, span, |steps| {
        relative_error(stepper, run, steps)
    })
}

/// Refines the step until the errors reach round-off.
fn refine(
    refinement: Refinement,
    span: f64,
    mut error: impl FnMut(u32) -> Result<f64, StepError>,
) -> Result<Convergence, StepError> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut steps = refinement.first.max(1);
    while steps <= refinement.last {
        match error(steps) {
            // A method that is exact on the problem has any order.
            Ok(e) if e < refinement.floor && points.is_empty() => {
                let order = Some(f64::INFINITY);
                return Ok(Convergence { points, order });
            }
            Ok(e) if e < refinement.floor => break,
            Ok(e) => points.push((span / f64::from(steps), e)),
            Err(why) if why.blew_up() => points.clear(),
            Err(other) => return Err(other),
        }
        steps *= 2;
    }
    Ok(Convergence {
        order: slope(&points),
        points,
    })
}

/// Returns the slope of the two finest runs; an error above 10 counts as no convergence.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    match points {
        [.., (h, e), (finer, less)] if *e < 10.0 => Some((e / less).ln() / (h / finer).ln()),
        _ => None,
    }
}

/// Measures the order on the oscillator q̈ + q = 0.
pub fn linear(stepper: &mut dyn Stepper) -> Result<Convergence, StepError> {
    let end: f64 = 2.0;
    let start = State {
        t: 0.0,
        u: vec![1.0],
        v: vec![0.0],
    };
    let truth = State {
        t: end,
        u: vec![end.cos()],
        v: vec![-end.sin()],
    };
    let refinement = Refinement {
        first: 40,
        last: 2560,
        floor: 1e-11,
    };
    measure_order(
        stepper,
        &mut ConvergenceProblem {
            system: &mut Chain::oscillator(1.0),
            start: &start,
            truth: &truth,
            options: tight_options(),
        },
        refinement,
    )
}

/// Measures the order on a forced, damped, nonlinear system with coupled masses ([`Chain::mild`]). The error is the
/// larger of two runs, because the errors of one may cancel by chance.
pub fn nonlinear(stepper: &mut dyn Stepper) -> Result<Convergence, StepError> {
    let hard = Chain::mild();
    let soft = hard.clone().cubic(1.0, 0.05);
    let end = 2.2;
    let refinement = Refinement {
        first: 80,
        last: 2560,
        floor: 3e-12,
    };
    refine(refinement, end, |steps| {
        let mut worst = 0.0_f64;
        for chain in [&hard, &soft] {
            worst = worst.max(on_chain(stepper, chain, end, |stepper, run| {
                relative_error(stepper, run, steps)
            })?);
        }
        Ok(worst)
    })
}

/// Measures the order on the mechanical Prothero–Robinson problem ([`Chain::stiff`]) at steps far above its periods, hω
/// > 1000 for every mode. Order reduction shows here: to the stage order and below.
pub fn stiff(stepper: &mut dyn Stepper) -> Result<Convergence, StepError> {
    let refinement = Refinement {
        first: 10,
        last: 160,
        floor: 1e-11,
    };
    on_chain(stepper, &Chain::stiff(1e12), 1.5, |stepper, run| {
        measure_order(stepper, run, refinement)
    })
}

fn on_chain<T>(
    stepper: &mut dyn Stepper,
    chain: &Chain,
    end: f64,
    measure: impl Fn(&mut dyn Stepper, &mut ConvergenceProblem) -> Result<T, StepError>,
) -> Result<T, StepError> {
    let (start, truth) = (chain.exact(0.0), chain.exact(end));
    let mut system = chain.clone();
    measure(
        stepper,
        &mut ConvergenceProblem {
            system: &mut system,
            start: &start,
            truth: &truth,
            options: tight_options(),
        },
    )
}

fn tight_options() -> Options {
    Options {
        tolerance: NEWTON_TOLERANCE,
        ..Options::default()
    }
}
