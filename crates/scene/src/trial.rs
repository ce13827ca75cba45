//! A simulation run in memory: what a run writes, handed to the caller instead.

use std::time::Instant;

use march::ledger::Entry;
use march::{StepError, StepReport};
use solid::model::{Energies, Momentum};

use crate::build::Simulation;
use crate::run::{Flow, pace};

/// What a step led to; the first row is the start.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// Time, s.
    pub t: f64,
    /// Length of the step that led here, s; 0 at the start.
    pub h: f64,
    /// Energies, J.
    pub energies: Energies,
    /// Momenta.
    pub momentum: Momentum,
    /// Work of the step.
    pub work: StepReport,
    /// Where the step's change of energy went.
    pub entry: Entry,
}

/// A run and its sums.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// Steps taken.
    pub steps: u64,
    /// The start.
    pub first: Row,
    /// The end.
    pub last: Row,
    /// Least and greatest total energy, J.
    pub total: [f64; 2],
    /// Greatest kinetic energy, J: a scale that does not depend on where heights are measured from.
    pub most_kinetic: f64,
    /// Work of all steps.
    pub work: StepReport,
    /// Where the energy of all steps went.
    pub ledger: Entry,
    /// Time on the clock, s.
    pub seconds: f64,
    /// Why it ended early, if it did; the state is the last good one.
    pub failure: Option<StepError>,
}

impl Trial {
    fn saw(&mut self, row: Row) {
        let total = row.energies.total();
        let [least, most] = self.total;
        self.total = [least.min(total), most.max(total)];
        self.most_kinetic = self.most_kinetic.max(row.energies.kinetic);
        self.work.add(&row.work);
        self.ledger.add(&row.entry);
        self.last = row;
    }
}

/// Runs a simulation from its state to its end, every step as long as the scene says: one that fails ends the trial
/// and is not tried again with less. `watch` sees the start and every step, with the state it led to.
pub fn trial(sim: &mut Simulation, watch: &mut dyn FnMut(&mut Simulation, &Row) -> Flow) -> Trial {
    let started = Instant::now();
    let mut multiples = (sim.state.t / sim.scene.time.step + 1e-6).floor() as u64;
    let (energies, momentum) = pace::look(sim);
    let first = Row {
        t: sim.state.t,
        energies,
        momentum,
        ..Row::default()
    };
    let mut trial = Trial {
        first,
        total: [energies.total(); 2],
        ..Trial::default()
    };
    trial.saw(first);
    let mut flow = watch(sim, &first);
    while let (Flow::On, Some(end)) = (flow, pace::interval_end(sim, multiples)) {
        let h = pace::length(sim, sim.state.t, end);
        let taken = sim
            .stepper
            .step(&mut sim.model, &mut sim.solver, &mut sim.state, h);
        if let Err(why) = taken {
            trial.failure = Some(why);
            break;
        }
        // t = k h, not a sum of k roundings.
        sim.state.t = end;
        multiples += 1;
        let before = trial.last.energies.total();
        let mut entry = pace::spent(sim, h);
        let (energies, momentum) = pace::look(sim);
        entry.close(energies.total() - before);
        let row = Row {
            t: end,
            h,
            energies,
            momentum,
            work: sim.solver.take_report(),
            entry,
        };
        trial.steps += 1;
        trial.saw(row);
        flow = watch(sim, &row);
    }
    trial.seconds = started.elapsed().as_secs_f64();
    trial
}
