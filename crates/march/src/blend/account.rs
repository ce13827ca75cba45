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
}

/// What is remembered from step to step beside the method's own memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Past {
    /// Nothing before the first step.
    pub account: Option<Account>,
    /// The last step did not end where the method did, so that the method's memory belongs to another state.
    pub moved: bool,
    /// Somebody changed state or system since the last step.
    pub disturbed: bool,
}

impl Past {
    /// Whether the method's memory is of no use to the next step.
    pub fn is_stale(&self) -> bool {
        self.moved || self.disturbed
    }

    /// The account before a step: what the last one left, with what the outside changed since.
    pub fn opened(&self, now: impl FnOnce() -> Energy) -> Account {
        match self.account {
            Some(account) if !self.disturbed => account,
            Some(account) => account.disturbed(&now()),
            None => Account::new(&now()),
        }
    }

    /// After a step that left this account.
    pub fn closed(account: Account, moved: bool) -> Past {
        Past {
            account: Some(account),
            moved,
            disturbed: false,
        }
    }

    /// Appends everything.
    pub fn save(&self, out: &mut Vec<f64>) {
        let flags = [self.moved, self.disturbed, self.account.is_some()];
        out.extend(flags.map(|x| f64::from(u8::from(x))));
        let account = self.account.iter();
        out.extend(account.flat_map(|a| [a.target, a.known, a.scale]));
    }

    /// Takes back what [`Past::save`] wrote, and the rest.
    pub fn load(memory: &[f64]) -> Option<(Past, &[f64])> {
        let (&[moved, disturbed, open], mut rest) = memory.split_first_chunk::<3>()?;
        let mut account = None;
        if open != 0.0 {
            let (&[target, known, scale], after) = rest.split_first_chunk::<3>()?;
            account = Some(Account {
                target,
                known,
                scale,
            });
            rest = after;
        }
        let past = Past {
            account,
            moved: moved != 0.0,
            disturbed: disturbed != 0.0,
        };
        Some((past, rest))
    }
}

/// The error of energy along the blends of one step.
pub struct Error {
    /// The account before the step.
    pub account: Account,
    /// Work and damping of the method's step and of the pole's.
    pub booked: [f64; 2],
    /// Error allowed, relative to the energy that moves about.
    pub tolerance: f64,
}

impl Error {
    /// e, and the energy that e is small against.
    pub fn of(&self, energy: &Energy, alpha: f64) -> (f64, f64) {
        let [w0, w1] = self.booked;
        let e = energy.total() - (self.account.target + (1.0 - alpha) * w0 + alpha * w1);
        // Not a number: a state no energy is defined for; as bad as infinite.
        let e = if e.is_nan() { f64::INFINITY } else { e };
        (e, self.account.scale.max(energy.lively() - e))
    }

    /// Whether that is within tolerance.
    pub fn fine(&self, (e, scale): (f64, f64)) -> bool {
        e.is_finite() && e.abs() <= self.tolerance * scale
    }
}
