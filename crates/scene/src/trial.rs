//! Runs a session with fixed steps in memory and sums its energies, work and ledger.

use std::time::Instant;

use march::ledger::LedgerEntry;
use march::{Counts, FixedSteps, StepError};

use crate::session::{Flow, Session, SessionError};

pub use crate::session::Row;

/// Result of an in-memory run with fixed steps: extremes of the energy and sums of work and ledger.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// Number of steps.
    pub steps: u64,
    /// Initial state.
    pub first: Row,
    /// Last step.
    pub last: Row,
    /// Smallest and largest total energy, J.
    pub total: [f64; 2],
    /// Largest kinetic energy, J: an energy scale that does not depend on the reference height of gravity.
    pub max_kinetic: f64,
    /// Computational work of all steps.
    pub work: Counts,
    /// Energy balance of all steps by ledger channel, J.
    pub ledger: LedgerEntry,
    /// Wall time, s.
    pub seconds: f64,
    /// Error of the step that ended the run early, if one failed; the state is that before it.
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

/// Runs a session with the fixed step of its scene to the end time. A failed step ends the run; it is not repeated with a
/// shorter step. `watch` is called at the start and after every step.
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
        entry: LedgerEntry::default(),
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
