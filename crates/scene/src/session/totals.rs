//! Sums and extremes of a run.

use march::ledger::{Energy, Entry};
use march::{Counts, Decision, Step};
use serde::{Deserialize, Serialize};
use solid::model::Momentum;

use super::{ControlTotals, Row};

/// What a session has done and measured since its start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Steps accepted.
    pub steps: u64,
    /// Attempts rejected.
    pub rejected: u64,
    /// Shortest step accepted, s; 0 before the first.
    pub shortest_step: f64,
    /// Longest step accepted, s; 0 before the first.
    pub longest_step: f64,
    /// What step control decided and measured.
    pub control: ControlTotals,
    /// Work of all attempts, rejected ones included.
    pub work: Counts,
    /// Work of the rejected attempts alone, and of making factors again which they had replaced.
    pub rejected_work: Counts,
    /// Total energy, J.
    pub energy: Extremes,
    /// Momenta at the start and now.
    pub momentum: [Momentum; 2],
    /// Where the energy of all steps went.
    pub ledger: Entry,
    /// Largest residual that local/global iterations left, relative to the forces.
    pub local_global_residual: f64,
    /// Steps whose energy could not be brought within tolerance.
    pub tolerance_missed: u64,
    /// Least potential energy, J.
    min_potential: f64,
    /// Sum of all positive work from outside, J.
    positive_work: f64,
}

/// How a number developed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extremes {
    /// At the start.
    pub initial: f64,
    /// Now.
    pub last: f64,
    /// Least so far.
    pub min: f64,
    /// Greatest so far.
    pub max: f64,
}

fn potential(e: &Energy) -> f64 {
    e.elastic + e.gravity + e.contact
}

impl Totals {
    /// At the start.
    pub fn new(row: &Row) -> Totals {
        let total = row.energies.total();
        Totals {
            energy: Extremes {
                initial: total,
                last: total,
                min: total,
                max: total,
            },
            momentum: [row.momentum; 2],
            min_potential: potential(&row.energies),
            control: ControlTotals::new(),
            ..Totals::default()
        }
    }

    /// Adds a step and the row it led to.
    pub fn add(&mut self, step: &Step, row: &Row) {
        self.steps += 1;
        self.shortest_step = match self.shortest_step > 0.0 {
            true => self.shortest_step.min(step.h),
            false => step.h,
        };
        self.longest_step = self.longest_step.max(step.h);
        self.add_rejected(step.rejected, &step.rejected_work);
        self.work.add(&step.report.counts);
        let residual = step.report.local_global_residual;
        self.local_global_residual = self.local_global_residual.max(residual);
        self.tolerance_missed += u64::from(step.report.tolerance_missed);
        self.ledger.add(&step.entry);
        let total = row.energies.total();
        self.energy.last = total;
        self.energy.min = self.energy.min.min(total);
        self.energy.max = self.energy.max.max(total);
        self.momentum[1] = row.momentum;
        self.min_potential = self.min_potential.min(potential(&row.energies));
        self.positive_work += step.entry.work.max(0.0);
    }

    /// Adds what the controller decided about the attempts of a step.
    pub fn add_decisions(&mut self, decisions: &[Decision]) {
        self.control.add(decisions);
    }

    /// Adds attempts that were rejected.
    pub fn add_rejected(&mut self, rejected: u64, work: &Counts) {
        self.rejected += rejected;
        self.work.add(work);
        self.rejected_work.add(work);
    }

    /// The integrator's share in the loss of energy, in percent: positive if it removed energy, negative if it added some.
    ///
    /// What there was to lose is the energy at the start above the least potential energy (elastic, gravity, contact) of
    /// the run, which an oscillating body passes at its equilibrium and a damped one ends at, plus all positive work from
    /// outside: W = E(0) − min V + Σ max(work, 0). The share is −Σ numerical / W: with 93 %, of every 100 J that could
    /// have been in motion the integrator itself removed 93.
    ///
    /// Returns `None` if that is not meaningful: if there was nothing to lose beyond round-off, or the share is not between
    /// −100 and 100 % (energy went in and out through the integrator more than once, or the run blew up).
    pub fn integrator_percent(&self) -> Option<f64> {
        let available = self.energy.initial - self.min_potential + self.positive_work;
        let size = self.energy.max.abs().max(self.energy.min.abs());
        // Summed rounding of the energies themselves is no share of anything.
        if available.is_nan() || available <= 1e-9 * size.max(self.positive_work) {
            return None;
        }
        let percent = 100.0 * (0.0 - self.ledger.numerical) / available;
        (percent.abs() <= 100.0 + 1e-6).then_some(percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Totals of a run with these elastic and gravity energies, kinetic energies, and (numerical, work) of each step.
    fn totals(states: &[[f64; 3]], steps: &[[f64; 2]]) -> Totals {
        let row = |[elastic, gravity, kinetic]: [f64; 3]| Row {
            energies: Energy {
                kinetic,
                elastic,
                gravity,
                contact: 0.0,
            },
            ..Row::default()
        };
        let mut totals = Totals::new(&row(states[0]));
        for (state, [numerical, work]) in states[1..].iter().zip(steps) {
            let entry = Entry {
                numerical: *numerical,
                work: *work,
                ..Entry::default()
            };
            let step = Step {
                entry,
                ..Step::default()
            };
            totals.add(&step, &row(*state));
        }
        totals
    }

    #[test]
    fn shares_of_what_there_was_to_lose() {
        // 5 J at the start, 3 J at the equilibrium, 2 J put in and 1 J taken out again: 4 J to lose, 1 J removed.
        let states = [[4.0, 1.0, 0.0], [1.0, 2.0, 3.0], [3.0, 2.0, 0.0]];
        let percent = totals(&states, &[[-0.5, 2.0], [-0.5, -1.0]]).integrator_percent();
        assert_eq!(percent, Some(25.0));
    }

    #[test]
    fn nothing_to_lose_and_too_much_lost_have_no_share() {
        let still = totals(&[[3.0, 0.0, 0.0], [3.0, 0.0, 0.0]], &[[-1e-17, 0.0]]);
        assert_eq!(still.integrator_percent(), None);
        let wild = totals(&[[3.0, 0.0, 0.0], [2.0, 0.0, 898.0]], &[[897.0, 0.0]]);
        assert_eq!(wild.integrator_percent(), None);
    }
}
