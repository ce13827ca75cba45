//! Sums and extremes of a session: counts, energies, momenta and ledger.

use march::ledger::{Energy, LedgerEntry};
use march::{AcceptedStep, Counts, Decision};
use serde::{Deserialize, Serialize};
use solid::model::Momentum;

use super::{ContactTotals, ControlTotals, Inversions, Row};

/// Sums and extremes of all steps since the start of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Number of accepted steps.
    pub steps: u64,
    /// Number of rejected attempts.
    pub rejected: u64,
    /// Shortest accepted step, s; 0 before the first.
    pub shortest_step: f64,
    /// Longest accepted step, s; 0 before the first.
    pub longest_step: f64,
    /// Decisions and measured errors of step control.
    pub control: ControlTotals,
    /// Least gap, impulses and detection work of contact.
    pub contact: ContactTotals,
    /// Computational work of all attempts, including rejected ones.
    pub work: Counts,
    /// Computational work of rejected attempts, and of repeating factorizations that they had replaced.
    pub rejected_work: Counts,
    /// Total energy, J.
    pub energy: Extremes,
    /// Initial and current momenta.
    pub momentum: [Momentum; 2],
    /// Energy balance of all steps by ledger channel, J.
    pub ledger: LedgerEntry,
    /// Largest residual of local/global iterations, relative to the forces.
    pub local_global_residual: f64,
    /// Number of steps in which energy tracking missed its tolerance.
    pub tolerance_missed: u64,
    /// Number of steps in which the friction of a stage did not converge.
    pub unconverged_friction: u64,
    /// Accepted steps with inverted elements.
    pub inversions: Inversions,
    /// Residuals and stability of load steps.
    pub statics: StaticTotals,
    /// Smallest potential energy, J.
    min_potential: f64,
    /// Sum of all positive external work, J.
    positive_work: f64,
}

/// Extremes of the load steps of statics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StaticTotals {
    /// Largest residual, relative to the forces that balance.
    pub largest_residual: f64,
    /// Largest number of negative pivots.
    pub most_negative_pivots: u64,
}

/// Initial, current, smallest and largest value of a quantity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extremes {
    /// Initial value.
    pub initial: f64,
    /// Current value.
    pub last: f64,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
}

fn potential(e: &Energy) -> f64 {
    e.strain + e.gravitational + e.contact
}

impl Totals {
    /// Creates the totals of an initial state.
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

    /// Adds a step and the energies and momenta at its end.
    pub fn add(&mut self, step: &AcceptedStep, row: &Row) {
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
        self.unconverged_friction += u64::from(step.report.counts.lagged_friction > 0);
        if let Some(step) = row.load_step {
            let StaticTotals {
                largest_residual,
                most_negative_pivots,
            } = &mut self.statics;
            *largest_residual = largest_residual.max(step.residual);
            *most_negative_pivots = (*most_negative_pivots).max(step.negative_pivots.unwrap_or(0));
        }
        self.ledger.add(&step.entry);
        let total = row.energies.total();
        self.energy.last = total;
        self.energy.min = self.energy.min.min(total);
        self.energy.max = self.energy.max.max(total);
        self.momentum[1] = row.momentum;
        self.min_potential = self.min_potential.min(potential(&row.energies));
        self.positive_work += step.entry.work.max(0.0);
    }

    /// Adds the decisions of the controller about the attempts of a step.
    pub fn add_decisions(&mut self, decisions: &[Decision]) {
        self.control.add(decisions);
    }

    /// Adds rejected attempts and their work.
    pub fn add_rejected(&mut self, rejected: u64, work: &Counts) {
        self.rejected += rejected;
        self.work.add(work);
        self.rejected_work.add(work);
    }

    /// Returns the numerical dissipation as a percentage of the available energy; negative for numerical gain.
    ///
    /// The available energy W = E(0) − min V + Σ max(work, 0) is the initial energy above the smallest potential energy V
    /// (elastic, gravity, contact) of the run, plus all positive external work. An oscillating body passes the smallest
    /// potential energy at its equilibrium, and a damped one ends there. The result is −100 Σ (numerical + residual) / W: with 93 %,
    /// the integrator dissipated 93 of every 100 J that could have been in motion. The residual counts, because energy tracking
    /// balances what a fixed number of local/global iterations leaves.
    ///
    /// The magnitude exceeds 100 % if energy passed through the integrator more than once, or if the run gained energy.
    /// Returns `None` if the percentage is not meaningful: if the available energy is within round-off, or not finite.
    pub fn integrator_percent(&self) -> Option<f64> {
        let available = self.energy.initial - self.min_potential + self.positive_work;
        // The available energy must exceed the rounding errors of the energies it is the difference of. Later energies do not
        // count: a run that blew up has a share, too.
        let size = self.energy.initial.abs().max(self.min_potential.abs());
        if available.is_nan() || available <= 1e-9 * size.max(self.positive_work) {
            return None;
        }
        let percent = 100.0 * (0.0 - self.ledger.numerical - self.ledger.residual) / available;
        percent.is_finite().then_some(percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Totals of a run with these elastic and gravity energies, kinetic energies, and (numerical, work) of each step.
    fn totals(states: &[[f64; 3]], steps: &[[f64; 2]]) -> Totals {
        let row = |[strain, gravitational, kinetic]: [f64; 3]| Row {
            energies: Energy {
                kinetic,
                strain,
                gravitational,
                contact: 0.0,
            },
            ..Row::default()
        };
        let mut totals = Totals::new(&row(states[0]));
        for (state, [numerical, work]) in states[1..].iter().zip(steps) {
            let entry = LedgerEntry {
                numerical: *numerical,
                work: *work,
                ..LedgerEntry::default()
            };
            let step = AcceptedStep {
                entry,
                ..AcceptedStep::default()
            };
            totals.add(&step, &row(*state));
        }
        totals
    }

    #[test]
    fn dissipation_is_a_percentage_of_the_available_energy() {
        // 5 J initially, 3 J at the equilibrium, 2 J of work in and 1 J out: 4 J available, 1 J dissipated.
        let states = [[4.0, 1.0, 0.0], [1.0, 2.0, 3.0], [3.0, 2.0, 0.0]];
        let percent = totals(&states, &[[-0.5, 2.0], [-0.5, -1.0]]).integrator_percent();
        assert_eq!(percent, Some(25.0));
    }

    #[test]
    fn no_percentage_without_available_energy_and_more_than_100_after_a_blow_up() {
        let still = totals(&[[3.0, 0.0, 0.0], [3.0, 0.0, 0.0]], &[[-1e-17, 0.0]]);
        assert_eq!(still.integrator_percent(), None);
        let wild = totals(&[[3.0, 0.0, 0.0], [2.0, 0.0, 898.0]], &[[897.0, 0.0]]);
        // 1 J above the smallest potential energy, and 897 J gained.
        assert_eq!(wild.integrator_percent(), Some(-89_700.0));
        let blown_up = totals(&[[3.0, 0.0, 0.0], [2.0, 0.0, 1e23]], &[[1e23, 0.0]]);
        let percent = blown_up.integrator_percent().unwrap();
        assert!((percent / -1e25 - 1.0).abs() < 1e-12, "{percent}");
    }
}
