//! The only loop that takes steps: propose, attempt, judge, commit, book the energy.
//!
//! An attempt that is rejected leaves no trace: state, history of the method, history of the system, energy budget and
//! the factors that later steps would have used are as before. One that fails drops those factors as well, as they may be
//! why it failed; if it began with factors of an earlier step it is made again without them before the controller judges.

mod chosen_steps;
mod saved;

pub use saved::{StateMismatch, TimeLoopState};

use crate::control::{Controller, FixedSteps, MeasuredError, Proposal, Verdict};
use crate::ledger::{Energy, LedgerEntry, sum_powers};
use crate::{
    Counts, MethodMemory, Options, StageSolver, State, StepContext, StepError, StepReport, Stepper,
    System,
};

/// Asked about every successful attempt before the controller sees it; `true` rejects the attempt, which is then made
/// again.
pub type Veto = dyn FnMut(&StepReport) -> bool + Send;

/// A method on its way through time, with its solver, its controller and its energy ledger.
pub struct TimeLoop<'s> {
    stepper: Box<dyn Stepper + 's>,
    solver: StageSolver,
    controller: Box<dyn Controller>,
    state: State,
    /// State at the start of the last step.
    previous: State,
    /// Room for an attempt.
    next: State,
    /// Energy of the state; `None` if no ledger is kept.
    energy: Option<Energy>,
    /// Work done from outside since the last step, J.
    outside_work: f64,
    veto: Option<Box<Veto>>,
    /// Whether the system knows the state that the next step starts from.
    started: bool,
    /// The attempts that the controller judged for the last step.
    decisions: Vec<Decision>,
}

/// An attempt and what became of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Time at its start, s.
    pub t: f64,
    /// Its length, s.
    pub h: f64,
    /// The errors that were measured, the one that ruled first.
    pub measured: [Option<MeasuredError>; 2],
    /// Whether it was accepted.
    pub accepted: bool,
    /// Why, in words.
    pub reason: &'static str,
}

/// A step that was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AcceptedStep {
    /// Its length, s.
    pub h: f64,
    /// What its attempt reported.
    pub report: StepReport,
    /// Where its change of energy went.
    pub entry: LedgerEntry,
    /// Attempts that were rejected before it.
    pub rejected: u64,
    /// Their work, and that of making factors again which they had replaced.
    pub rejected_work: Counts,
}

/// Why no step could be taken. State and history are as before.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{why}")]
pub struct StepFailure {
    /// Why the last attempt failed.
    pub why: StepError,
    /// Its length, s.
    pub h: f64,
    /// Attempts that were rejected, the last one included.
    pub rejected: u64,
    /// Their work.
    pub rejected_work: Box<Counts>,
}

impl<'s> TimeLoop<'s> {
    /// A loop that starts from this state.
    pub fn new(
        stepper: Box<dyn Stepper + 's>,
        solver: StageSolver,
        controller: Box<dyn Controller>,
        start: State,
    ) -> TimeLoop<'s> {
        TimeLoop {
            stepper,
            solver,
            controller,
            previous: start.clone(),
            next: start.clone(),
            state: start,
            energy: None,
            outside_work: 0.0,
            veto: None,
            started: false,
            decisions: Vec::new(),
        }
    }

    /// Steps of one length from this state, without a ledger.
    pub fn fixed(
        stepper: Box<dyn Stepper + 's>,
        options: Options,
        start: State,
        h: f64,
    ) -> TimeLoop<'s> {
        let controller = Box::new(FixedSteps::from(start.t, h));
        TimeLoop::new(stepper, StageSolver::new(options), controller, start)
    }

    /// Keeps a ledger of the energy from here on.
    pub fn keep_ledger(&mut self, system: &mut dyn System) {
        self.start(system);
        self.energy = Some(system.energy_at(self.state.at()));
    }

    /// Shows the state that the next step starts from to the system.
    fn start(&mut self, system: &mut dyn System) {
        system.commit(self.state.at());
        self.solver.forget_other_patterns(system);
        self.started = true;
    }

    /// Keeps no ledger from here on: steps are taken without measuring their energy.
    pub fn drop_ledger(&mut self) {
        self.energy = None;
    }

    /// The state now.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The state at the start of the last step; the state now before the first.
    pub fn previous(&self) -> &State {
        &self.previous
    }

    /// Energy of the state; `None` if no ledger is kept.
    pub fn energy(&self) -> Option<Energy> {
        self.energy
    }

    /// The solver of the stages.
    pub fn solver(&self) -> &StageSolver {
        &self.solver
    }

    /// The history of the method.
    pub fn method_memory(&self) -> MethodMemory {
        self.stepper.memory()
    }

    /// Begins anew from another state: the history of the method is dropped, and nothing is booked. A backward-Euler
    /// start that is over stays over.
    pub fn start_from(&mut self, system: &mut dyn System, state: &State) {
        self.state.copy_from(state);
        self.previous.copy_from(state);
        self.stepper.restart();
        self.outside_work = 0.0;
        self.start(system);
        if self.energy.is_some() {
            self.keep_ledger(system);
        }
    }

    /// The state or the system was changed from outside: the change of energy is booked as work in the next step, and
    /// the history of the method is dropped.
    pub fn book_disturbance(&mut self, system: &mut dyn System) {
        self.start(system);
        if let Some(before) = self.energy {
            let now = system.energy_at(self.state.at());
            self.outside_work += now.total() - before.total();
            self.energy = Some(now);
        }
        self.stepper.restart();
    }

    /// The system has other matrices from here on: no factors made so far are used again.
    pub fn discard_factors(&mut self) {
        self.solver.discard_all_factors();
    }

    /// Drops the history of the method.
    pub fn restart(&mut self) {
        self.stepper.restart();
    }

    /// Another method from here on.
    pub fn set_method(&mut self, stepper: Box<dyn Stepper + 's>, options: Options) {
        self.stepper = stepper;
        self.set_options(options);
    }

    /// Other settings of the solver from here on; factors made so far are dropped.
    pub fn set_options(&mut self, options: Options) {
        if options != *self.solver.options() {
            self.solver = StageSolver::new(options);
        } else {
            self.solver.discard_factors();
        }
    }

    /// Another controller from here on.
    pub fn set_controller(&mut self, controller: Box<dyn Controller>) {
        self.controller = controller;
    }

    /// Another step length from here on.
    pub fn set_step(&mut self, h: f64) {
        self.controller.set_step(self.state.t, h);
    }

    /// Lets a function reject attempts before the controller sees them: to prove that a rejected attempt leaves no
    /// trace.
    pub fn set_veto(&mut self, veto: Option<Box<Veto>>) {
        self.veto = veto;
    }

    /// Takes the next step towards `until`; returns `None` if that is reached.
    pub fn step(
        &mut self,
        system: &mut dyn System,
        until: f64,
    ) -> Result<Option<AcceptedStep>, StepFailure> {
        if self.state.t >= until {
            return Ok(None);
        }
        if !self.started {
            self.start(system);
        }
        let mut step = AcceptedStep::default();
        self.estimate_first_step(system, until, &mut step)?;
        let kink = match self.controller.stops_at_kinks() {
            true => system.next_kink(self.state.t).min(until),
            false => until,
        };
        let Some(mut proposal) = self.controller.propose(self.state.t, kink) else {
            return Ok(None);
        };
        self.decisions.clear();
        loop {
            let carried = self.solver.begin_attempt();
            let result = self.attempt(system, &proposal, proposal.end == kink && kink < until);
            let verdict = match &result {
                Ok(report) => {
                    if self.veto.as_mut().is_some_and(|veto| veto(report)) {
                        self.reject(&mut step);
                        continue;
                    }
                    self.controller.judge(&proposal, Ok(report))
                }
                // What failed may be the factors of an earlier step, and a capsule of the failure has none.
                Err(_) if carried => {
                    step.rejected_work.add(&self.solver.reject_attempt());
                    self.solver.discard_factors();
                    continue;
                }
                Err(why) => self.controller.judge(&proposal, Err(why)),
            };
            self.note(&proposal, verdict, result.is_ok());
            if let (Verdict::Accept, Ok(report)) = (verdict, &result) {
                (step.h, step.report) = (proposal.h, *report);
                break;
            }
            self.reject(&mut step);
            if result.is_err() {
                self.solver.discard_factors();
            }
            let next = match verdict {
                Verdict::GiveUp => None,
                _ => self.controller.propose(self.state.t, kink),
            };
            match (next, result) {
                (Some(next), _) => proposal = next,
                (None, result) => return Err(failure(result, proposal, &step)),
            }
        }
        step.rejected_work.add(&self.solver.commit_attempt());
        self.commit(system, &mut step);
        if proposal.end == kink && kink < until {
            self.pass_kink(kink);
        }
        Ok(Some(step))
    }

    /// Steps to `until`, or until `watch` returns `false`; `watch` sees every step.
    pub fn run(
        &mut self,
        system: &mut dyn System,
        until: f64,
        watch: &mut dyn FnMut(&TimeLoop, &AcceptedStep) -> bool,
    ) -> Result<(), StepFailure> {
        while let Some(step) = self.step(system, until)? {
            if !watch(self, &step) {
                break;
            }
        }
        Ok(())
    }

    fn attempt(
        &mut self,
        system: &mut dyn System,
        proposal: &Proposal,
        to_kink: bool,
    ) -> Result<StepReport, StepError> {
        let estimates = self.controller.required_estimates();
        self.solver.watch_force_error(estimates.force);
        // Forces at a kink are those after it: the last stage before it stays a rounding short of it.
        let h = match to_kink {
            true => proposal.h - 4.0 * f64::EPSILON * proposal.end.abs().max(proposal.h),
            false => proposal.h,
        };
        let mut cx = StepContext::new(system, &mut self.solver, estimates);
        let report = self
            .stepper
            .attempt(&mut cx, &self.state, h, &mut self.next)?;
        self.solver.finish_force_error(system, self.next.t)?;
        if !to_kink {
            // t = k h, not a sum of k roundings.
            self.next.t = proposal.end;
        }
        let (from, to) = (self.state.at(), self.next.at());
        Ok(StepReport {
            counts: self.solver.attempt_counts(),
            force_error: self.solver.force_error(),
            local_global_residual: self.solver.local_global_residual(),
            stretch: estimates.stretch.then(|| system.max_stretch(from, to)),
            speed: estimates.speed.then(|| system.max_speed(to)),
            ..report
        })
    }

    /// Notes a decision of the controller.
    fn note(&mut self, proposal: &Proposal, verdict: Verdict, done: bool) {
        let measured = self.controller.measured_errors();
        self.decisions.push(Decision {
            t: self.state.t,
            h: proposal.h,
            measured,
            accepted: verdict == Verdict::Accept,
            reason: match (verdict, done) {
                (Verdict::Accept, _) => self.controller.acceptance_reason(),
                (Verdict::Retry, true) => {
                    "the error is above the tolerance: a shorter step is tried"
                }
                (Verdict::Retry, false) => "the step failed: a shorter one is tried",
                (Verdict::GiveUp, true) => "the error is above the tolerance at the shortest step",
                (Verdict::GiveUp, false) => "the step failed and no shorter one is allowed",
            },
        });
    }

    /// The attempts that the controller judged for the last step, in order.
    pub fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    fn reject(&mut self, step: &mut AcceptedStep) {
        step.rejected += 1;
        step.rejected_work.add(&self.solver.reject_attempt());
    }

    /// Makes the attempt history and books its energy.
    fn commit(&mut self, system: &mut dyn System, step: &mut AcceptedStep) {
        if self.energy.is_some() {
            step.entry = sum_powers(self.stepper.as_mut(), system, &self.state, &self.next);
        }
        self.stepper.commit();
        std::mem::swap(&mut self.previous, &mut self.state);
        std::mem::swap(&mut self.state, &mut self.next);
        if let Some(change) = system.apply_velocity_damping(step.h, &mut self.state) {
            step.entry.damping += change;
            self.stepper.restart();
        }
        system.commit(self.state.at());
        self.solver.forget_other_patterns(system);
        if let Some(before) = self.energy {
            let now = system.energy_at(self.state.at());
            let outside = std::mem::take(&mut self.outside_work);
            step.entry.work += outside;
            step.entry.close(now.total() - (before.total() - outside));
            self.energy = Some(now);
        }
    }
}

/// The failure of the last attempt; one that succeeded but was given up by the controller failed its judgement.
fn failure(
    result: Result<StepReport, StepError>,
    proposal: Proposal,
    step: &AcceptedStep,
) -> StepFailure {
    StepFailure {
        why: match result {
            Err(why) => why,
            Ok(_) => StepError::NoAcceptedStep { h: proposal.h },
        },
        h: proposal.h,
        rejected: step.rejected,
        rejected_work: Box::new(step.rejected_work),
    }
}
