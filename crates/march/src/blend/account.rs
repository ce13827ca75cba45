//! The energy a tracked motion should have.

use crate::ledger::Energy;

/// Target energy, what the last step left, and the energy that moves about, J.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Account {
    /// Initial + added − dissipated (004 eq. 37).
    pub target: f64,
    /// Total energy at the end of the last step.
    pub known: f64,
    /// The most kinetic and stored energy so far, had the total been on target, less what was taken out since.
    pub scale: f64,
}

impl Account {
    /// The account of a motion that starts with this energy.
    pub fn new(energy: &Energy) -> Account {
        Account {
            target: energy.total(),
            known: energy.total(),
            scale: energy.lively(),
        }
    }

    /// After a step that booked so much work and damping and left this energy.
    pub fn after(self, booked: f64, energy: &Energy) -> Account {
        let target = self.target + booked;
        let astray = energy.total() - target;
        Account {
            target,
            known: energy.total(),
            scale: (self.scale + booked.min(0.0)).max(energy.lively() - astray),
        }
    }

    /// After somebody changed the energy from what was known to this.
    pub fn disturbed(self, energy: &Energy) -> Account {
        self.after(energy.total() - self.known, energy)
    }

    /// Appends an account that may not be open yet.
    pub fn save(account: Option<&Account>, out: &mut Vec<f64>) {
        out.push(f64::from(u8::from(account.is_some())));
        out.extend(
            account
                .into_iter()
                .flat_map(|a| [a.target, a.known, a.scale]),
        );
    }

    /// Takes back what [`Account::save`] wrote, and the rest.
    pub fn load(memory: &[f64]) -> Option<(Option<Account>, &[f64])> {
        let (open, rest) = memory.split_first()?;
        if *open == 0.0 {
            return Some((None, rest));
        }
        let (&[target, known, scale], rest) = rest.split_first_chunk::<3>()?;
        let account = Account {
            target,
            known,
            scale,
        };
        Some((Some(account), rest))
    }
}
