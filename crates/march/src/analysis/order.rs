//! The order of convergence: p in error ≈ C hᵖ, from runs with ever halved steps.

use crate::problems::Chain;
use crate::vector::max_abs;
use crate::{Options, State, StepError, Stepper, System, TimeLoop};

/// A motion to reproduce.
pub struct ConvergenceProblem<'a> {
    /// What moves.
    pub system: &'a mut dyn System,
    /// Where it starts.
    pub start: &'a State,
    /// Where it ends, exactly or by a much finer run; its time is the end of the run.
    pub truth: &'a State,
    /// Settings of the solvers; the tolerance must lie well below the errors to be seen.
    pub options: Options,
}

/// Which runs to take.
#[derive(Clone, Copy, Debug)]
pub struct Refinement {
    /// Steps of the coarsest run.
    pub first: u32,
    /// Most steps of a run.
    pub last: u32,
    /// Relative errors below this are round-off, or the solver's tolerance.
    pub floor: f64,
}

/// Errors against the step, and the order they show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Convergence {
    /// Step (s) and relative error of each run that came to its end, coarsest first.
    pub points: Vec<(f64, f64)>,
    /// Slope between the two finest runs whose errors are more than round-off; nothing where there are no two.
    pub order: Option<f64>,
}

/// Tight enough that Newton's tolerance never shows.
pub(super) const NEWTON_TOLERANCE: f64 = 1e-13;

/// Largest error of displacements and of velocities, each relative to its own size, after `steps` equal steps.
pub fn error(
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
    let off = |x: &[f64], truth: &[f64]| {
        let worst = x
            .iter()
            .zip(truth)
            .map(|(x, y)| (x - y).abs())
            .fold(0.0, f64::max);
        worst / max_abs(truth).max(f64::MIN_POSITIVE)
    };
    Ok(off(&s.u, &run.truth.u).max(off(&s.v, &run.truth.v)))
}

/// Measures the order of a method on any system.
///
/// Runs that blow up are left out: an explicit method may need small steps to be seen converging.
pub fn measure_order(
    stepper: &mut dyn Stepper,
    run: &mut ConvergenceProblem,
    refinement: Refinement,
) -> Result<Convergence, StepError> {
    let span = run.truth.t - run.start.t;
    refine(refinement, span, |steps| error(stepper, run, steps))
}

/// Errors of ever finer runs until they end in round-off.
fn refine(
    refinement: Refinement,
    span: f64,
    mut error: impl FnMut(u32) -> Result<f64, StepError>,
) -> Result<Convergence, StepError> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut steps = refinement.first.max(1);
    while steps <= refinement.last {
        match error(steps) {
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

/// Slope of the finest pair; errors above 10 are no convergence at all.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    match points {
        [.., (h, e), (finer, less)] if *e < 10.0 => Some((e / less).ln() / (h / finer).ln()),
        _ => None,
    }
}

/// The order on q̈ + q = 0.
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
            options: tight(),
        },
        refinement,
    )
}

/// The order on a forced, damped, nonlinear system with coupled masses ([`Chain::mild`]), from the larger error of
/// two runs, since the errors of one may cancel by chance at one time.
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
                error(stepper, run, steps)
            })?);
        }
        Ok(worst)
    })
}

/// The order on the mechanical Prothero–Robinson problem ([`Chain::stiff`]) at steps far above its periods:
/// hω > 1000 for every mode. Orders drop here, to that of the stages and below.
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
            options: tight(),
        },
    )
}

fn tight() -> Options {
    Options {
        tolerance: NEWTON_TOLERANCE,
        ..Options::default()
    }
}
