//! A scene at work: the one object that takes steps, which runs, comparisons, papers, tests and library users drive.

mod control_totals;
mod interaction;
mod snapshot;
mod totals;

pub use control_totals::{ControlTotals, EstimateTotals};
pub use interaction::{HandleId, InteractionError};
pub use snapshot::{RestoreError, Snapshot};
pub use totals::{Extremes, Totals};

use std::any::Any;
use std::io;

use march::ledger::{Energy, Entry};
use march::methods::Choice;
use march::{
    Controller, Counts, FixedSteps, Mismatch, Options, Parameters, State, Step, StepError,
    StepFailure, Stepper, TimeLoop, TimeLoopState, Veto, dense,
};
use serde::{Deserialize, Serialize};
use solid::model::{Model, Momentum};

use crate::build::SkinWeights;
use crate::observe::{FilePositions, Observer};
use crate::record::OutputMesh;
use crate::spec::Scene;

/// What a step led to; the first row is the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Time, s.
    pub t: f64,
    /// Length of the step that led here, s; 0 at the start.
    pub h: f64,
    /// Energies, J.
    pub energies: Energy,
    /// Momenta.
    pub momentum: Momentum,
    /// Work of the step's accepted attempt.
    pub work: Counts,
    /// Attempts rejected before it.
    pub rejected: u64,
    /// Where the step's change of energy went.
    pub entry: Entry,
    /// Share of another method blended in to hold the energy: positive for backward Euler, negative for forward Euler.
    pub blend: f64,
    /// Whether the energy should have been brought within tolerance and could not be.
    pub tolerance_missed: bool,
}

/// What a callback wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    On,
    /// Stop here.
    Stop,
}

/// Why a session could not go on. State and history are those of the last accepted step.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// No step could be taken.
    #[error(transparent)]
    Step(#[from] StepFailure),
    /// An observer could not write.
    #[error(transparent)]
    Observer(#[from] io::Error),
}

/// A scene at work.
pub struct Session {
    /// What was written.
    pub scene: Scene,
    /// File it was read from.
    pub file: String,
    /// The bodies, particles and loads.
    pub model: Model,
    /// The method.
    pub method: Choice,
    /// Its parameters.
    pub parameters: Parameters,
    /// Settings of the solvers.
    pub options: Options,
    /// What frames show.
    pub output_mesh: OutputMesh,
    /// Skin vertices as weighted sums of nodes.
    pub skin: SkinWeights,
    /// Which cell of the output mesh each measured element is.
    pub element_cells: Vec<u32>,
    /// Names of the probes and the nodes they follow.
    pub probes: Vec<(String, u32)>,
    /// What a person should know.
    pub notices: Vec<String>,
    time: TimeLoop<'static>,
    totals: Totals,
    row: Row,
    /// Name of the method if it is no longer the scene's own.
    replaced_method: Option<String>,
    /// An observer is taken out of its place while it looks at the session.
    observers: Vec<Option<Box<dyn Observer>>>,
}

/// What [`crate::build`] puts together.
pub(crate) struct SessionParts {
    pub scene: Scene,
    pub file: String,
    pub model: Model,
    pub time: TimeLoop<'static>,
    pub method: Choice,
    pub parameters: Parameters,
    pub options: Options,
    pub output_mesh: OutputMesh,
    pub skin: SkinWeights,
    pub element_cells: Vec<u32>,
    pub probes: Vec<(String, u32)>,
    pub notices: Vec<String>,
}

impl Session {
    /// The scene's title, or the name of its file if it has none.
    pub fn name(&self) -> String {
        if !self.scene.title.is_empty() {
            return self.scene.title.clone();
        }
        let file = std::path::Path::new(&self.file).file_name();
        file.map_or_else(|| self.file.clone(), |f| f.to_string_lossy().into_owned())
    }

    pub(crate) fn new(parts: SessionParts) -> Session {
        let mut session = Session {
            scene: parts.scene,
            file: parts.file,
            model: parts.model,
            method: parts.method,
            parameters: parts.parameters,
            options: parts.options,
            output_mesh: parts.output_mesh,
            skin: parts.skin,
            element_cells: parts.element_cells,
            probes: parts.probes,
            notices: parts.notices,
            time: parts.time,
            totals: Totals::default(),
            row: Row::default(),
            replaced_method: None,
            observers: Vec::new(),
        };
        session.measure_start();
        session
    }

    /// Measures the state as a start: totals begin here.
    fn measure_start(&mut self) {
        self.time.keep_ledger(&mut self.model);
        self.row = Row {
            t: self.time.state().t,
            ..Row::default()
        };
        self.measure();
        self.totals = Totals::new(&self.row);
    }

    /// Energies and momenta of the state, into the row.
    fn measure(&mut self) {
        let State { t, u, v } = self.time.state();
        self.row.energies = self.time.energy().unwrap_or_default();
        self.row.momentum = self.model.momentum(*t, u, v);
    }

    /// Simulated time, s.
    pub fn t(&self) -> f64 {
        self.state().t
    }

    /// Displacements and velocities of the unknowns.
    pub fn state(&self) -> &State {
        self.time.state()
    }

    /// The state at the start of the last step.
    pub fn previous(&self) -> &State {
        self.time.previous()
    }

    /// The model, to be evaluated, and the state now.
    pub fn model_and_state(&mut self) -> (&mut Model, &State) {
        (&mut self.model, self.time.state())
    }

    /// Begins anew from another state: the history of the method is dropped, totals begin here, nothing is booked.
    pub fn start_from(&mut self, state: &State) {
        self.time.start_from(&mut self.model, state);
        self.measure_start();
    }

    /// The last step, or the start: time, energies, momenta, work, and the ledger's row.
    pub fn row(&self) -> &Row {
        &self.row
    }

    /// Energies now, J.
    pub fn energies(&self) -> Energy {
        self.row.energies
    }

    /// Sums and extremes since the start.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The loop that takes the steps.
    pub fn time_loop(&self) -> &TimeLoop<'static> {
        &self.time
    }

    /// Positions of all nodes now, m.
    pub fn positions(&mut self) -> Vec<[f64; 3]> {
        let mut out = Vec::new();
        node_positions(&mut self.model, self.time.state(), &mut out);
        out
    }

    /// Velocities of all nodes now, m/s.
    pub fn velocities(&mut self) -> Vec<[f64; 3]> {
        self.expanded().1.to_vec()
    }

    /// Displacements (m) and velocities (m/s) of all nodes now, without copying them.
    pub fn expanded(&mut self) -> (&[[f64; 3]], &[[f64; 3]]) {
        let State { t, u, v } = self.time.state();
        self.model.expand(*t, u, v)
    }

    /// The state at a time inside the last step; its ends beyond them.
    pub fn state_at(&self, t: f64) -> State {
        let mut out = State::default();
        dense::interpolate(self.previous(), self.state(), t, &mut out);
        out
    }

    /// Positions of all nodes at a time inside the last step, m.
    pub fn positions_at(&mut self, t: f64) -> Vec<[f64; 3]> {
        let (state, mut out) = (self.state_at(t), Vec::new());
        node_positions(&mut self.model, &state, &mut out);
        out
    }

    /// Lets an observer see the start and every step from here on.
    pub fn observe(&mut self, mut observer: Box<dyn Observer>) -> io::Result<()> {
        observer.begin(self)?;
        self.observers.push(Some(observer));
        Ok(())
    }

    /// Takes back the first observer of a type.
    pub fn take_observer<O: Observer>(&mut self) -> Option<O> {
        let is = |o: &Option<Box<dyn Observer>>| {
            let observer = o.as_ref().map(|o| &**o as &dyn Any);
            observer.is_some_and(|o| o.is::<O>())
        };
        let at = self.observers.iter().position(is)?;
        let observer: Box<dyn Any> = self.observers.remove(at)?;
        observer.downcast().ok().map(|o| *o)
    }

    /// Lets all observers, but one that is looking at the session right now, write out what they have buffered.
    pub(crate) fn flush_observers(&mut self, positions: &mut FilePositions) -> io::Result<()> {
        let observers = self.observers.iter_mut().flatten();
        observers.into_iter().try_for_each(|o| o.flush(positions))
    }

    /// Lets all observers complete their files.
    pub fn finish_observers(&mut self) -> io::Result<()> {
        self.each_observer(|observer, session| observer.finish(session))
    }

    fn each_observer(
        &mut self,
        mut job: impl FnMut(&mut dyn Observer, &mut Session) -> io::Result<()>,
    ) -> io::Result<()> {
        for k in 0..self.observers.len() {
            let Some(mut observer) = self.observers[k].take() else {
                continue;
            };
            let done = job(observer.as_mut(), self);
            if let Some(place) = self.observers.get_mut(k) {
                *place = Some(observer);
            }
            done?;
        }
        Ok(())
    }

    /// Takes a step.
    pub fn step(&mut self) -> Result<&Row, SessionError> {
        self.step_towards(f64::INFINITY)?;
        Ok(&self.row)
    }

    /// Takes a step towards a time; returns whether there was one left to take.
    pub fn step_towards(&mut self, until: f64) -> Result<bool, SessionError> {
        let taken = self.time.step(&mut self.model, until);
        let step = match taken {
            Ok(Some(step)) => step,
            Ok(None) => return Ok(false),
            Err(failure) => {
                self.totals
                    .add_rejected(failure.rejected, &failure.rejected_work);
                // Without a rejected attempt the decisions are those of the step before.
                if failure.rejected > 0 {
                    self.totals.add_decisions(self.time.decisions());
                }
                return Err(failure.into());
            }
        };
        self.record_step(&step);
        self.each_observer(|observer, session| observer.step(session))?;
        Ok(true)
    }

    fn record_step(&mut self, step: &Step) {
        self.row = Row {
            t: self.time.state().t,
            h: step.h,
            work: step.report.counts,
            rejected: step.rejected,
            entry: step.entry,
            blend: step.report.blend,
            tolerance_missed: step.report.tolerance_missed,
            ..Row::default()
        };
        self.measure();
        self.totals.add(step, &self.row);
        self.totals.add_decisions(self.time.decisions());
    }

    /// Steps to a time, or until `watch`, which sees every step, stops.
    pub fn run_until(
        &mut self,
        until: f64,
        watch: &mut dyn FnMut(&mut Session, &Row) -> Flow,
    ) -> Result<Flow, SessionError> {
        while self.step_towards(until)? {
            let row = self.row;
            if watch(self, &row) == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::On)
    }

    /// Lets another stepper take the steps from here on, with the settings of the solver as they are.
    pub fn set_stepper(&mut self, stepper: Box<dyn Stepper>) {
        self.time.set_method(stepper, self.options);
    }

    /// Goes on with other settings of the solver.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
        self.time.set_options(options);
    }

    /// The loop and the model, for measurements on single steps: what they take is not in the session's totals.
    pub fn time_loop_and_model(&mut self) -> (&mut TimeLoop<'static>, &mut Model) {
        (&mut self.time, &mut self.model)
    }

    /// Lets another controller choose the steps from here on.
    pub fn set_controller(&mut self, controller: Box<dyn Controller>) {
        self.time.set_controller(controller);
    }

    /// Attempts one step with these fixed steps from a saved state; the inner error is why it failed.
    pub(crate) fn replay_step(
        &mut self,
        before: &TimeLoopState,
        steps: FixedSteps,
    ) -> Result<Result<(), StepError>, Mismatch> {
        self.time.restore(&mut self.model, before)?;
        self.time.set_controller(Box::new(steps));
        let taken = self.time.step(&mut self.model, f64::INFINITY);
        Ok(taken.map(|_| ()).map_err(|failure| failure.why))
    }

    /// Lets a function reject successful attempts, to prove that a rejected attempt leaves no trace.
    pub fn set_veto(&mut self, veto: Option<Box<Veto>>) {
        self.time.set_veto(veto);
    }
}

/// Positions of all nodes at a state.
pub(crate) fn node_positions(model: &mut Model, state: &State, out: &mut Vec<[f64; 3]>) {
    out.clear();
    out.extend_from_slice(model.rest());
    let (u, _) = model.expand(state.t, &state.u, &state.v);
    for (x, u) in out.iter_mut().zip(u) {
        (0..3).for_each(|k| x[k] += u[k]);
    }
}
