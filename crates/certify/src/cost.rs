//! Measured work per step and energy drift of a method.

use march::{Counts, FactorLifetime, Options, State, StepError, Stepper, TimeLoop};
use problems::Chain;

/// Work per step, averaged over the steps after the first two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepCost {
    /// Factorizations per step on a nonlinear system.
    pub factorizations: f64,
    /// Linear solves per step on a nonlinear system.
    pub solves: f64,
    /// Force evaluations per step on a nonlinear system.
    pub forces: f64,
    /// Factorizations per step on a linear system, which needs the fewest.
    pub least_factorizations: f64,
    /// Linear solves per step on a linear system, which needs the fewest.
    pub least_solves: f64,
}

/// Energy change of an undamped oscillator over many steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyDrift {
    /// Step length times angular frequency, hω.
    pub hw: f64,
    /// Number of steps.
    pub steps: u32,
    /// Relative change of energy at the end; `None` if the run blew up.
    pub end: Option<f64>,
    /// Largest relative change of energy during the run; `None` if the run blew up.
    pub worst: Option<f64>,
}

/// Counts the work of `steps` steps on a chain, after two steps that fill caches. Factors are not reused over steps, so
/// the counts are those of the method itself.
pub fn count_work(
    stepper: &mut dyn Stepper,
    chain: &Chain,
    h: f64,
    steps: u32,
) -> Result<Counts, StepError> {
    let mut chain = chain.clone();
    let options = Options {
        factor_lifetime: FactorLifetime::WithinStep,
        ..Options::default()
    };
    stepper.restart();
    let mut time = TimeLoop::fixed(Box::new(stepper), options, chain.exact(0.0), h);
    let (mut sum, mut taken) = (Counts::default(), 0);
    let end = f64::from(2 + steps) * h;
    time.run(&mut chain, end, &mut |_, step| {
        taken += 1;
        if taken > 2 {
            sum.add(&step.report.counts);
        }
        true
    })
    .map_err(|failure| failure.why)?;
    Ok(sum)
}

/// Measures the work per step on the forced chain, with and without its nonlinear terms.
pub fn step_cost(stepper: &mut dyn Stepper) -> Result<StepCost, StepError> {
    let steps = 30;
    let each = |count: u64| count as f64 / f64::from(steps);
    let nonlinear = count_work(stepper, &Chain::forced(), 0.05, steps)?;
    let linear = Chain::forced().cubic(0.0, 0.0);
    let least = count_work(stepper, &linear, 0.05, steps)?;
    Ok(StepCost {
        factorizations: each(nonlinear.factorizations),
        solves: each(nonlinear.solves),
        forces: each(nonlinear.forces),
        least_factorizations: each(least.factorizations),
        least_solves: each(least.solves),
    })
}

/// Measures the change of the energy ½(q̇² + q²) of the oscillator q̈ + q = 0 over `steps` steps.
pub fn energy_drift(
    stepper: &mut dyn Stepper,
    hw: f64,
    steps: u32,
) -> Result<EnergyDrift, StepError> {
    let mut system = Chain::oscillator(1.0);
    let options = Options {
        tolerance: crate::order::NEWTON_TOLERANCE,
        ..Options::default()
    };
    let start = State {
        t: 0.0,
        u: vec![1.0],
        v: vec![0.0],
    };
    let mut change = EnergyDrift {
        hw,
        steps,
        end: None,
        worst: None,
    };
    let mut worst = 0.0_f64;
    let mut error = 0.0;
    stepper.restart();
    let mut time = TimeLoop::fixed(Box::new(stepper), options, start, hw);
    let run = time.run(&mut system, f64::from(steps) * hw, &mut |time, _| {
        let s = time.state();
        error = s.u[0] * s.u[0] + s.v[0] * s.v[0] - 1.0;
        worst = worst.max(error.abs());
        true
    });
    match run {
        Ok(()) => (change.end, change.worst) = (Some(error), Some(worst)),
        Err(failure) if failure.why.blew_up() => (),
        Err(failure) => return Err(failure.why),
    }
    Ok(change)
}
