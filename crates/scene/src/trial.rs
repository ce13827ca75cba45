//! A session run in memory, with its sums.

use std::time::Instant;

use march::ledger::Entry;
use march::{Counts, FixedSteps, StepError};

use crate::session::{Flow, Session, SessionError};

pub use crate::session::Row;

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
    pub max_kinetic: f64,
    /// Work of all steps.
    pub work: Counts,
    /// Where the energy of all steps went.
    pub ledger: Entry,
    /// Time on the clock, s.
    pub seconds: f64,
    /// Why it ended early, if it did; the state is the last good one.
    pub failure: Option<StepError>,
}

impl Trial {
    fn add(&mut self, row: &Row) {
        let total = row.energies.total();
        let [least, most] = self.total;
        self.total = [least.min(total), most.max(total)];
        self.max_kinetic = self.max_kinetic.max(row.energies.kinetic);
        self.work.add(&row.work);
        self.ledger.add(&row.entry);
        self.last = *row;
    }
}

/// Runs a session from its state to the end of its scene, every step as long as the scene says: a step that fails ends
/// the trial and is not tried again with less. `watch` sees the start and every step, with the state it led to.
pub fn trial(session: &mut Session, watch: &mut dyn FnMut(&mut Session, &Row) -> Flow) -> Trial {
    let started = Instant::now();
    session.set_controller(Box::new(FixedSteps::new(session.scene.time.nominal_step())));
    let first = *session.row();
    let mut trial = Trial {
        first,
        total: [first.energies.total(); 2],
        ..Trial::default()
    };
    trial.add(&Row {
        work: Counts::default(),
        entry: Entry::default(),
        ..first
    });
    let until = session.scene.time.until;
    if watch(session, &first) == Flow::On {
        let end = session.run_until(until, &mut |session, row| {
            trial.steps += 1;
            trial.add(row);
            watch(session, row)
        });
        if let Err(SessionError::Step(failure)) = end {
            trial.failure = Some(failure.why);
        }
    }
    trial.seconds = started.elapsed().as_secs_f64();
    trial
}
