//! [`Session`]: a simulation of a scene that is advanced step by step.
//!
//! Runs, comparisons, reproductions of papers, tests and library users all take steps through a session.

mod changes;
mod contact_totals;
mod control_totals;
mod emission;
mod interaction;
mod inversions;
mod load_step;
mod observing;
mod reactions;
mod row;
mod schedule;
mod snapshot;
mod totals;

pub use contact_totals::{ContactTotals, touching};
pub use control_totals::{ControlTotals, EstimateTotals};
pub use interaction::{HandleId, InteractionError};
pub use inversions::{Inversions, InvertedCell};
pub use load_step::LoadStep;
pub use reactions::SupportReaction;
pub use row::Row;
pub use snapshot::{RestoreError, Snapshot};
pub use totals::{Extremes, StaticTotals, Totals};

use std::io;

use march::ledger::Energy;
use march::methods::MethodChoice;
use march::{
    AcceptedStep, Controller, Equilibrium, FixedSteps, Options, Parameters, State, StateMismatch,
    StepError, StepFailure, Stepper, TimeLoop, TimeLoopState, Veto, dense,
};
use solid::model::{Model, UnheldBody};
use solid::potential::contact::{ContactCounts, PairContact};

use crate::build::modal::ModeOfUnknowns;
use crate::build::{ContactSetup, ObstacleSurface, SkinWeights, SurfaceLoadSummary};
use crate::observe::Observer;
use crate::spec::{Event, Scene};
use meshio::record::OutputMesh;
use reactions::ReactionSolver;
use schedule::Schedule;

/// Return value of a callback: continue or stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Continue.
    On,
    /// Stop after this step.
    Stop,
}

/// Error that stopped a session. State and history are those of the last accepted step.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// No step could be taken.
    #[error(transparent)]
    Step(#[from] StepFailure),
    /// An observer could not write.
    #[error(transparent)]
    Observer(#[from] io::Error),
    /// An event or a handle of the scene could not be applied.
    #[error(transparent)]
    Change(#[from] InteractionError),
}

/// A simulation of a scene: model, integrator, state, totals and observers.
pub struct Session {
    /// The scene.
    pub scene: Scene,
    /// File the scene was read from.
    pub file: String,
    /// The bodies, particles and loads.
    pub model: Model,
    /// The integration method.
    pub method: MethodChoice,
    /// Parameters of the method.
    pub parameters: Parameters,
    /// Options of the stage solver.
    pub options: Options,
    /// Mesh and surface that frames are written on.
    pub output_mesh: OutputMesh,
    /// Vertices of the output surface as weighted sums of nodes.
    pub skin: SkinWeights,
    /// Cell of the output mesh of each element.
    pub element_cells: Vec<u32>,
    /// Names of the probes and the nodes they follow.
    pub probes: Vec<(String, u32)>,
    /// Modes about the initial state whose energies are written.
    pub modes: Vec<ModeOfUnknowns>,
    /// Names of the supports in the order of [`Session::reactions`], such as `bar.fix[0]`.
    pub supports: Vec<String>,
    /// Bodies that statics holds by a foundation because they are not held, with their names.
    pub unheld: Vec<(String, UnheldBody)>,
    reaction_solver: ReactionSolver,
    /// Surface loads with their areas and total forces.
    pub surface_loads: Vec<SurfaceLoadSummary>,
    /// What touches, with which settings, if the scene has contact.
    pub contact: Option<ContactSetup>,
    /// Surfaces of the obstacles for pictures.
    pub obstacles: Vec<ObstacleSurface>,
    /// Notices for the user.
    pub notices: Vec<String>,
    /// Warnings about the scene for the user, such as a mesh that is not conforming.
    pub warnings: Vec<String>,
    time: TimeLoop<'static>,
    totals: Totals,
    row: Row,
    /// Touching pairs at the start and at the end of the last step.
    contacts: [Vec<PairContact>; 2],
    /// Work of contact detection that is part of the totals.
    contact_counts: ContactCounts,
    /// Name of the method if it was changed from that of the scene.
    replaced_method: Option<String>,
    /// Events that were applied so far.
    changes: Vec<Event>,
    schedule: Schedule,
    /// Observers; the entry of one that is being called is `None`.
    observers: Vec<Option<Box<dyn Observer>>>,
}

/// Parts from which [`crate::build`] makes a session.
pub(crate) struct SessionParts {
    pub scene: Scene,
    pub file: String,
    pub model: Model,
    pub time: TimeLoop<'static>,
    pub method: MethodChoice,
    pub parameters: Parameters,
    pub options: Options,
    pub output_mesh: OutputMesh,
    pub skin: SkinWeights,
    pub element_cells: Vec<u32>,
    pub probes: Vec<(String, u32)>,
    pub modes: Vec<ModeOfUnknowns>,
    pub surface_loads: Vec<SurfaceLoadSummary>,
    pub supports: Vec<String>,
    pub unheld: Vec<(String, UnheldBody)>,
    pub contact: Option<ContactSetup>,
    pub obstacles: Vec<ObstacleSurface>,
    pub notices: Vec<String>,
    pub warnings: Vec<String>,
}

impl Session {
    /// Returns the title of the scene, or the name of its file if it has none.
    pub fn name(&self) -> String {
        if !self.scene.title.is_empty() {
            return self.scene.title.clone();
        }
        let file = std::path::Path::new(&self.file).file_name();
        file.map_or_else(|| self.file.clone(), |f| f.to_string_lossy().into_owned())
    }

    pub(crate) fn new(parts: SessionParts) -> Session {
        let schedule = Schedule::of(&parts.scene);
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
            modes: parts.modes,
            surface_loads: parts.surface_loads,
            contact: parts.contact,
            obstacles: parts.obstacles,
            notices: parts.notices,
            warnings: parts.warnings,
            supports: parts.supports,
            unheld: parts.unheld,
            reaction_solver: ReactionSolver::default(),
            time: parts.time,
            totals: Totals::default(),
            row: Row::default(),
            contacts: Default::default(),
            contact_counts: ContactCounts::default(),
            replaced_method: None,
            changes: Vec::new(),
            schedule,
            observers: Vec::new(),
        };
        session.measure_start();
        session
    }

    /// Measures the current state as initial state and resets the totals.
    fn measure_start(&mut self) {
        self.time.keep_ledger(&mut self.model);
        self.row = Row {
            t: self.time.state().t,
            ..Row::default()
        };
        self.measure();
        self.measure_load_step(Equilibrium::default());
        self.totals = Totals::new(&self.row);
        self.totals.inversions = Inversions::starting_with(self.most_inverted_cell());
        self.measure_contact();
        self.totals.contact.add_gaps(&self.contacts[1]);
        self.count_contact();
    }

    /// Returns the cell with the smallest det F at the current state, or `None` if det F is positive everywhere.
    fn most_inverted_cell(&mut self) -> Option<InvertedCell> {
        let State { t, u, v } = self.time.state();
        let (element, det_f) = self.model.most_inverted(*t, u, v)?;
        Some(InvertedCell {
            t: *t,
            cell: self.element_cells.get(element).copied().unwrap_or(u32::MAX),
            det_f,
        })
    }

    /// Measures energies and momenta of the current state and stores them in the row.
    fn measure(&mut self) {
        let State { t, u, v } = self.time.state();
        self.row.energies = self.time.energy().unwrap_or_default();
        self.row.momentum = self.model.momentum(*t, u, v);
    }

    /// Returns the simulated time, s.
    pub fn t(&self) -> f64 {
        self.state().t
    }

    /// Returns time, displacements and velocities of the unknowns.
    pub fn state(&self) -> &State {
        self.time.state()
    }

    /// Returns the state at the start of the last step.
    pub fn previous(&self) -> &State {
        self.time.previous()
    }

    /// Returns the model, for evaluation, and the current state.
    pub fn model_and_state(&mut self) -> (&mut Model, &State) {
        (&mut self.model, self.time.state())
    }

    /// Restarts from another state: drops the history of the method and resets the totals; books no energy.
    pub fn start_from(&mut self, state: &State) {
        self.time.start_from(&mut self.model, state);
        self.measure_start();
    }

    /// Returns energies, momenta, work and ledger entry of the last step, or of the initial state.
    pub fn row(&self) -> &Row {
        &self.row
    }

    /// Returns the kinetic, strain, gravitational and contact energy at the current time, J.
    pub fn energies(&self) -> Energy {
        self.row.energies
    }

    /// Returns sums and extremes since the start.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Returns the time loop, which takes the steps.
    pub fn time_loop(&self) -> &TimeLoop<'static> {
        &self.time
    }

    /// Returns the current positions of all nodes, m.
    pub fn positions(&mut self) -> Vec<[f64; 3]> {
        let mut out = Vec::new();
        node_positions(&mut self.model, self.time.state(), &mut out);
        out
    }

    /// Returns the current velocities of all nodes, m/s.
    pub fn velocities(&mut self) -> Vec<[f64; 3]> {
        self.expanded().1.to_vec()
    }

    /// Returns the current displacements (m) and velocities (m/s) of all nodes without copying them.
    pub fn expanded(&mut self) -> (&[[f64; 3]], &[[f64; 3]]) {
        let State { t, u, v } = self.time.state();
        self.model.expand(*t, u, v)
    }

    /// Interpolates the state at a time inside the last step; times outside are clamped to its ends.
    pub fn state_at(&self, t: f64) -> State {
        let mut out = State::default();
        dense::interpolate(self.previous(), self.state(), t, &mut out);
        out
    }

    /// Interpolates the positions of all nodes at a time inside the last step, m.
    pub fn positions_at(&mut self, t: f64) -> Vec<[f64; 3]> {
        let (state, mut out) = (self.state_at(t), Vec::new());
        node_positions(&mut self.model, &state, &mut out);
        out
    }

    /// Takes a step and returns its energies, momenta, work and ledger entry.
    pub fn step(&mut self) -> Result<&Row, SessionError> {
        self.step_towards(f64::INFINITY)?;
        Ok(&self.row)
    }

    /// Takes a step that does not pass `until` or the next event or sample of a handle; those that are due happen before it.
    /// Returns false if `until` is already reached.
    pub fn step_towards(&mut self, until: f64) -> Result<bool, SessionError> {
        while self.t() < until {
            self.act_until(self.t())?;
            let stop = self.schedule.next_time();
            if stop >= until {
                return self.step_before(until);
            }
            if self.step_before(stop)? {
                return Ok(true);
            }
            // The time of the action is reached up to rounding.
            self.act_until(stop)?;
        }
        Ok(false)
    }

    /// Takes a step that does not pass `until`, without a look at the schedule.
    fn step_before(&mut self, until: f64) -> Result<bool, SessionError> {
        if self.t() >= until {
            return Ok(false);
        }
        self.let_bodies_appear()?;
        let until = until.min(self.model.next_appearance());
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

    fn record_step(&mut self, step: &AcceptedStep) {
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
        self.measure_load_step(step.report.equilibrium.unwrap_or_default());
        self.totals.add(step, &self.row);
        let inverted = self.most_inverted_cell();
        self.totals.inversions.add(inverted);
        self.record_contact(step.h);
        self.totals.add_decisions(self.time.decisions());
    }

    /// Takes steps up to a time, or until `watch`, which is called after every step, returns [`Flow::Stop`].
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

    /// Replaces the stepper; the solver options stay.
    pub fn set_stepper(&mut self, stepper: Box<dyn Stepper>) {
        self.time.set_method(stepper, self.options);
    }

    /// Replaces the options of the stage solver.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
        self.time.set_options(options);
    }

    /// Returns the time loop and the model, for measurements of single steps; their work is not added to the totals.
    pub fn time_loop_and_model(&mut self) -> (&mut TimeLoop<'static>, &mut Model) {
        (&mut self.time, &mut self.model)
    }

    /// Replaces the step controller.
    pub fn set_controller(&mut self, controller: Box<dyn Controller>) {
        self.time.set_controller(controller);
    }

    /// Restores a state and attempts one step of fixed length. The inner error is the reason why the step failed.
    pub(crate) fn replay_step(
        &mut self,
        before: &TimeLoopState,
        steps: FixedSteps,
    ) -> Result<Result<(), StepError>, StateMismatch> {
        self.time.restore(&mut self.model, before)?;
        self.time.set_controller(Box::new(steps));
        let taken = self.time.step(&mut self.model, f64::INFINITY);
        Ok(taken.map(|_| ()).map_err(|failure| failure.why))
    }

    /// Sets a function that may reject successful attempts; tests use it to prove that a rejected attempt has no effect.
    pub fn set_veto(&mut self, veto: Option<Box<Veto>>) {
        self.time.set_veto(veto);
    }
}

/// Computes the positions of all nodes at a state, m.
pub(crate) fn node_positions(model: &mut Model, state: &State, out: &mut Vec<[f64; 3]>) {
    out.clear();
    out.extend_from_slice(model.rest());
    let (u, _) = model.expand(state.t, &state.u, &state.v);
    for (x, u) in out.iter_mut().zip(u) {
        (0..3).for_each(|k| x[k] += u[k]);
    }
}
