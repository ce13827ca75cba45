//! [`Row`]: what a session tells of a step.

use march::Counts;
use march::ledger::{Energy, LedgerEntry};
use serde::{Deserialize, Serialize};
use solid::model::Momentum;

use super::LoadStep;

/// Time, energies, momenta, work and ledger entry of a step, or of the initial state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Time, s.
    pub t: f64,
    /// Length of the step, s; 0 for the initial state.
    pub h: f64,
    /// Energies, J.
    pub energies: Energy,
    /// Momenta.
    pub momentum: Momentum,
    /// Computational work of the accepted attempt.
    pub work: Counts,
    /// Number of attempts rejected before it.
    pub rejected: u64,
    /// Energy balance of the step by ledger channel.
    pub entry: LedgerEntry,
    /// Blend factor of energy tracking: positive for backward Euler, negative for forward Euler.
    pub blend: f64,
    /// Whether energy tracking could not bring the energy within its tolerance.
    pub tolerance_missed: bool,
    /// Load and equilibrium, if the session is static.
    pub load_step: Option<LoadStep>,
}
