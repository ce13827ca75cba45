//! Shared parts of the tests of the time loop: every method, alone and wrapped; runs recorded with every digit; random
//! numbers.
#![allow(dead_code)] // each test file uses its own part

pub mod case;
pub mod elastoplastic;
pub mod history_check;

pub use base::random::Random;
use march::control::{ControlMemory, Proposal, Verdict};
use march::families::startup::RannacherStartup;
use march::methods::{Family, MethodChoice, names};
use march::{
    AcceptedStep, Controller, Corrected, EnergyMomentumProjection, EnergyMultiplier,
    EnergyTracking, FixedSteps, Newton, Parameters, StepError, StepReport, Stepper, System,
    TimeLoop, TimeLoopState, VelocityProjection, find,
};

/// Tolerance of corrections, relative to kinetic plus strain energy.
pub const TOLERANCE: f64 = 1e-9;

/// Returns every method of the registry except tableaux of scene files.
pub fn choices() -> Vec<MethodChoice> {
    let own = |c: &MethodChoice| {
        matches!(
            c.method.family,
            Family::UserRungeKutta | Family::UserRosenbrock
        )
    };
    names()
        .iter()
        .map(|name| find(name).unwrap())
        .filter(|c| !own(c))
        .collect()
}

/// Stepper around a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapper {
    /// No wrapper.
    Plain,
    /// [`Corrected`] with [`EnergyTracking`].
    EnergyTracking,
    /// [`Corrected`] with [`VelocityProjection`].
    VelocityProjection,
    /// [`Corrected`] with [`EnergyMomentumProjection`].
    EnergyMomentumProjection,
    /// [`Corrected`] with [`EnergyMultiplier`].
    EnergyMultiplier,
    /// [`RannacherStartup`].
    Startup,
}

/// All wrappers.
pub const WRAPPERS: [Wrapper; 6] = [
    Wrapper::Plain,
    Wrapper::EnergyTracking,
    Wrapper::VelocityProjection,
    Wrapper::EnergyMomentumProjection,
    Wrapper::EnergyMultiplier,
    Wrapper::Startup,
];

/// Wrappers that correct the energy.
pub const CORRECTIONS: [Wrapper; 4] = [
    Wrapper::EnergyTracking,
    Wrapper::VelocityProjection,
    Wrapper::EnergyMomentumProjection,
    Wrapper::EnergyMultiplier,
];

impl Wrapper {
    /// Creates the stepper of a method in this wrapper.
    pub fn stepper(self, choice: &MethodChoice, newton: Newton) -> Box<dyn Stepper> {
        let base = choice.stepper(&Parameters::default(), newton).unwrap();
        match self {
            Wrapper::Plain => base,
            Wrapper::EnergyTracking => {
                let tracking = EnergyTracking::new(newton.for_near_start(), TOLERANCE);
                Box::new(Corrected::new(base, tracking))
            }
            Wrapper::VelocityProjection => {
                Box::new(Corrected::new(base, VelocityProjection::new(TOLERANCE)))
            }
            Wrapper::EnergyMomentumProjection => Box::new(Corrected::new(
                base,
                EnergyMomentumProjection::new(TOLERANCE),
            )),
            Wrapper::EnergyMultiplier => Box::new(Corrected::new(
                base,
                EnergyMultiplier::new(newton, TOLERANCE),
            )),
            Wrapper::Startup => Box::new(RannacherStartup::new(base)),
        }
    }
}

/// Accepted step and everything that the next one depends on.
#[derive(Clone, Debug)]
pub struct Record {
    pub step: AcceptedStep,
    /// Whether the step began with factors of an earlier one.
    pub began_with_factors: bool,
    pub after: TimeLoopState,
}

impl Record {
    /// Returns every digit of everything that a rejected attempt must not change; the debug format of a float is exact
    /// and distinguishes −0 from 0.
    pub fn digits(&self) -> String {
        let AcceptedStep {
            h, report, entry, ..
        } = self.step;
        let begin = self.began_with_factors;
        format!("{h:?} {report:?} {entry:?} {begin} {:?}", self.after)
    }
}

/// Takes the next step.
pub fn take_step(time: &mut TimeLoop, system: &mut dyn System, until: f64) -> Option<Record> {
    let began_with_factors = time.solver().keeps_factors();
    let step = time.step(system, until).unwrap()?;
    Some(Record {
        step,
        began_with_factors,
        after: time.save(system),
    })
}

/// Takes steps until a time and returns a record of each.
pub fn take_steps(time: &mut TimeLoop, system: &mut dyn System, until: f64) -> Vec<Record> {
    std::iter::from_fn(|| take_step(time, system, until)).collect()
}

/// Asserts that two runs are the same to the bit.
pub fn assert_same(plain: &[Record], other: &[Record], which: &dyn std::fmt::Display) {
    assert_eq!(plain.len(), other.len(), "{which}");
    for (k, (a, b)) in plain.iter().zip(other).enumerate() {
        let (a, b) = (a.digits(), b.digits());
        assert!(a == b, "{which}, step {}:\n{a}\n{b}", k + 1);
    }
}

/// Fixed steps; before some of them, steps of other lengths are attempted and rejected.
pub struct RejectedTrials {
    steps: FixedSteps,
    random: Random,
    /// Lengths of the rejected attempts relative to that of a step, used in turn.
    factors: [f64; 3],
    /// Whether the current attempt is one of them.
    trying: bool,
}

impl RejectedTrials {
    /// Steps of length `h` from `origin`.
    pub fn new(origin: f64, h: f64) -> RejectedTrials {
        RejectedTrials {
            steps: FixedSteps::from(origin, h),
            random: Random::new(7),
            // The last exceeds the largest step ratio of BDF2.
            factors: [0.4, 1.7, 2.6],
            trying: false,
        }
    }
}

impl Controller for RejectedTrials {
    fn propose(&mut self, now: f64, until: f64) -> Option<Proposal> {
        let step = self.steps.propose(now, until)?;
        self.trying = self.random.coin();
        if !self.trying {
            return Some(step);
        }
        self.factors.rotate_left(1);
        let h = self.factors[0] * step.h;
        Some(Proposal { h, end: now + h })
    }

    fn judge(&mut self, _step: &Proposal, result: Result<&StepReport, &StepError>) -> Verdict {
        assert!(result.is_ok(), "{result:?}");
        match self.trying {
            true => Verdict::Retry,
            false => Verdict::Accept,
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
