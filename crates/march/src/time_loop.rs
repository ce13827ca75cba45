//! Time loop, the only place where steps are taken: propose, attempt, judge, commit, book the energy.
//!
//! A rejected attempt leaves no trace: state, history of the method, history of the system, energy budget and the
//! factors that later steps would have used are unchanged. A failed attempt drops those factors as well, because they
//! may be the cause; if it began with factors of an earlier step, it is repeated without them before the controller
//! judges it.

mod chosen_steps;
mod saved;

pub use saved::{StateMismatch, TimeLoopState};

use crate::control::{Controller, FixedSteps, MeasuredError, Proposal, Verdict};
use crate::ledger::{Energy, LedgerEntry, sum_powers};
use crate::system::sum_impulses;
use crate::{
    Counts, Forces, MethodMemory, Options, StageSolver, State, StepContext, StepError, StepReport,
    Stepper, System,
};

/// Function that may reject successful attempts before the controller judges them; `true` rejects the attempt, which is
/// then repeated.
pub type Veto = dyn FnMut(&StepReport) -> bool + Send;

/// Time integration of one motion: a method with its stage solver, step controller, state and energy ledger.
pub struct TimeLoop<'s> {
    stepper: Box<dyn Stepper + 's>,
    solver: StageSolver,
    controller: Box<dyn Controller>,
    state: State,
    /// State at the start of the last step.
    previous: State,
    /// Buffer of the attempt.
    next: State,
    /// Energy of the state; `None` without a ledger.
    energy: Option<Energy>,
    /// External work since the last step, J.
    external_work: f64,
    veto: Option<Box<Veto>>,
    /// Whether the system knows the state from which the next step starts.
    started: bool,
    /// Attempts that the controller judged for the last step.
    decisions: Vec<Decision>,
}

/// Decision of the controller about one attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Time at the start of the attempt, s.
    pub t: f64,
    /// Length of the step, s.
    pub h: f64,
    /// Errors that were measured, the limiting one first.
    pub measured: [Option<MeasuredError>; 2],
    /// Whether the attempt was accepted.
    pub accepted: bool,
    /// Reason in words.
    pub reason: &'static str,
}

/// Accepted step: its length, report, energy changes and rejected attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AcceptedStep {
    /// Length of the step, s.
    pub h: f64,
    /// Report of its attempt.
    pub report: StepReport,
    /// Energy change of the step, split into channels.
    pub entry: LedgerEntry,
    /// Number of attempts rejected before it.
    pub rejected: u64,
    /// Work of the rejected attempts, and of refactorizations that they caused.
    pub rejected_work: Counts,
}

/// Error of a step that could not be taken. State and history are unchanged.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{why}")]
pub struct StepFailure {
    /// Error of the last attempt.
    pub why: StepError,
    /// Length of the step, s.
    pub h: f64,
    /// Number of rejected attempts, the last one included.
    pub rejected: u64,
    /// Work of the rejected attempts.
    pub rejected_work: Box<Counts>,
}

impl<'s> TimeLoop<'s> {
    /// Creates a time loop that starts from this state.
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
            external_work: 0.0,
            veto: None,
            started: false,
            decisions: Vec::new(),
        }
    }

    /// Creates a time loop with a fixed step and without a ledger.
    pub fn fixed(
        stepper: Box<dyn Stepper + 's>,
        options: Options,
        start: State,
        h: f64,
    ) -> TimeLoop<'s> {
        let controller = Box::new(FixedSteps::from(start.t, h));
        TimeLoop::new(stepper, StageSolver::new(options), controller, start)
    }

    /// Starts an energy ledger at the current state.
    pub fn keep_ledger(&mut self, system: &mut dyn System) {
        self.start(system);
        self.energy = Some(system.energy_at(self.state.at()));
    }

    /// Commits the current state to the system as the start of the next step.
    fn start(&mut self, system: &mut dyn System) {
        system.commit(self.state.at());
        self.solver.discard_other_patterns(system);
        self.started = true;
    }

    /// Ends the energy ledger: energies are no longer measured.
    pub fn drop_ledger(&mut self) {
        self.energy = None;
    }

    /// Returns the current state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the state at the start of the last step; the current state before the first.
    pub fn previous(&self) -> &State {
        &self.previous
    }

    /// Returns the energy of the current state, or `None` without a ledger.
    pub fn energy(&self) -> Option<Energy> {
        self.energy
    }

    /// Returns the stage solver.
    pub fn solver(&self) -> &StageSolver {
        &self.solver
    }

    /// Returns the history of the method.
    pub fn method_memory(&self) -> MethodMemory {
        self.stepper.memory()
    }

    /// Starts again from another state: the history of the method is dropped, and no energy is booked. A finished
    /// backward-Euler start-up is not repeated.
    pub fn start_from(&mut self, system: &mut dyn System, state: &State) {
        self.state.copy_from(state);
        self.previous.copy_from(state);
        self.stepper.restart();
        self.external_work = 0.0;
        self.start(system);
        if self.energy.is_some() {
            self.keep_ledger(system);
        }
    }

    /// Books an external change of the state or the system: the change of energy counts as external work of the next
    /// step, and the history of the method is dropped.
    pub fn book_disturbance(&mut self, system: &mut dyn System) {
        self.start(system);
        if let Some(before) = self.energy {
            let now = system.energy_at(self.state.at());
            self.external_work += now.total() - before.total();
            self.energy = Some(now);
        }
        self.stepper.restart();
    }

    /// Changes the state between steps and books the change as [`TimeLoop::book_disturbance`] does.
    pub fn disturb<S: System>(&mut self, system: &mut S, change: impl FnOnce(&mut S, &mut State)) {
        change(system, &mut self.state);
        self.book_disturbance(system);
    }

    /// Drops all factors of tangents, as after a change of forces. Those of the constant matrix of local/global iterations stay.
    pub fn discard_factors(&mut self) {
        self.solver.discard_factors();
    }

    /// Drops the history of the method.
    pub fn restart(&mut self) {
        self.stepper.restart();
    }

    /// Replaces the method.
    pub fn set_method(&mut self, stepper: Box<dyn Stepper + 's>, options: Options) {
        self.stepper = stepper;
        self.set_options(options);
    }

    /// Replaces method and solver after the system was replaced by another one with the same unknowns.
    pub fn replace_solver(&mut self, stepper: Box<dyn Stepper + 's>, options: Options) {
        self.stepper = stepper;
        self.solver = StageSolver::new(options);
        self.started = false;
    }

    /// Replaces the settings of the solver; all factors are dropped.
    pub fn set_options(&mut self, options: Options) {
        if options != *self.solver.options() {
            self.solver = StageSolver::new(options);
        } else {
            self.solver.discard_factors();
        }
    }

    /// Replaces the controller.
    pub fn set_controller(&mut self, controller: Box<dyn Controller>) {
        self.controller = controller;
    }

    /// Sets the step length.
    pub fn set_step(&mut self, h: f64) {
        self.controller.set_step(self.state.t, h);
    }

    /// Sets a function that rejects attempts before the controller judges them, for tests that a rejected attempt
    /// leaves no trace.
    pub fn set_veto(&mut self, veto: Option<Box<Veto>>) {
        self.veto = veto;
    }

    /// Takes the next step towards `until`; returns `None` if that time is reached.
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
        // Whether an end beyond a barrier is moved out of contact, because no shorter step is allowed.
        let mut closing = false;
        loop {
            let carried = self.solver.begin_attempt();
            let to_kink = proposal.end == kink && kink < until;
            let result = self.attempt(system, &proposal, to_kink, closing);
            let verdict = match &result {
                Ok(report) => {
                    if self.veto.as_mut().is_some_and(|veto| veto(report)) {
                        self.reject(&mut step);
                        continue;
                    }
                    self.controller.judge(&proposal, Ok(report))
                }
                // The cause may be the factors of an earlier step, which a capsule of the failure does not contain.
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
            let forbidden_end = matches!(&result, Err(StepError::ForbiddenEnd { .. }));
            closing = next.is_none() && forbidden_end && !closing && has_barriers(system);
            if closing {
                continue;
            }
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

    /// Steps to `until`, or until `watch` returns `false`; `watch` is called after every step.
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
        closing: bool,
    ) -> Result<StepReport, StepError> {
        let estimates = self.controller.required_estimates();
        self.solver.watch_force_error(estimates.force);
        // Forces at a kink are those after it, so the last stage before it ends one rounding earlier.
        let h = match to_kink {
            true => proposal.h - 4.0 * f64::EPSILON * proposal.end.abs().max(proposal.h),
            false => proposal.h,
        };
        let mut cx = StepContext::new(system, &mut self.solver, estimates);
        cx.closes_end = closing;
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
            breaking: estimates.breaking.then(|| system.breaking_bonds(to)),
            ..report
        })
    }

    /// Records a decision of the controller.
    fn note(&mut self, proposal: &Proposal, verdict: Verdict, done: bool) {
        let measured = self.controller.measured_errors();
        self.decisions.push(Decision {
            t: self.state.t,
            h: proposal.h,
            measured,
            accepted: verdict == Verdict::Accept,
            reason: match (verdict, done) {
                (Verdict::Accept, _) => self.controller.acceptance_reason(),
                (Verdict::Retry, true) => self.controller.rejection_reason(),
                (Verdict::Retry, false) => "the step failed: a shorter one is tried",
                (Verdict::GiveUp, true) => "the error is above the tolerance at the shortest step",
                (Verdict::GiveUp, false) => "the step failed and no shorter one is allowed",
            },
        });
    }

    /// Returns the attempts that the controller judged for the last step, in order.
    pub fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    fn reject(&mut self, step: &mut AcceptedStep) {
        step.rejected += 1;
        step.rejected_work.add(&self.solver.reject_attempt());
    }

    /// Commits the attempt and books its energy.
    fn commit(&mut self, system: &mut dyn System, step: &mut AcceptedStep) {
        if self.energy.is_some() {
            step.entry = sum_powers(self.stepper.as_mut(), system, &self.state, &self.next);
        }
        sum_impulses(self.stepper.as_mut(), system, &self.state, &self.next);
        self.stepper.commit();
        std::mem::swap(&mut self.previous, &mut self.state);
        std::mem::swap(&mut self.state, &mut self.next);
        if let Some(change) = system.apply_velocity_damping(step.h, &mut self.state) {
            step.entry.damping += change;
            self.stepper.restart_motion();
        }
        let impulses = system.contact_impulses();
        if let Some(change) = impulses.and_then(|c| c.apply_impulses(&mut self.state)) {
            step.entry.friction += change.friction;
            step.entry.contact += change.contact;
            step.entry.work += change.work;
            self.stepper.restart_motion();
        }
        system.commit(self.state.at());
        if system.contact_change_at_commit() != 0.0 && system.contact_impulses().is_some() {
            // Springs that were found anew have energy that the history of the method does not know.
            self.stepper.restart_motion();
        }
        self.solver.discard_other_patterns(system);
        if let Some(before) = self.energy {
            let now = system.energy_at(self.state.at());
            let outside = std::mem::take(&mut self.external_work);
            let from = self.previous.t;
            let impulses = system.state_measures();
            let impulses = impulses.map(|m| m.impulse_work(from, self.state.at()));
            step.entry.work += outside + impulses.unwrap_or(0.0);
            let corrected = step.report.contact;
            step.entry.work += corrected.work;
            step.entry.friction += corrected.friction;
            step.entry.residual += corrected.residual;
            step.entry.contact += corrected.contact + system.contact_change_at_commit();
            step.entry.fracture += system.fracture_change_at_commit();
            step.entry.close(now.total() - (before.total() - outside));
            if step.report.closed {
                // The extrapolated end has no contact energy to compare with: all that is not explained is contact.
                step.entry.contact += std::mem::take(&mut step.entry.numerical);
            }
            self.energy = Some(now);
        }
    }
}

/// Returns `true` if the system has barriers, with which a step may end by a closing minimisation.
fn has_barriers(system: &mut dyn System) -> bool {
    system.select_forces(Forces::All)
}

/// Returns the failure of the last attempt; a successful attempt that was not accepted fails with
/// [`StepError::NoAcceptedStep`].
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
