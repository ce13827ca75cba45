//! Modes from step to step: when they are computed and when they are reused.
//!
//! Modes are those of the tangent stiffness at the start of a step, lowest frequencies first. They are computed in the
//! first step and then as [`Refresh`] says. By default old modes follow the body in every step, by one iteration with the
//! matrix that the step factors anyway ([`ModalSubspace::follow`]), and new ones are computed after a step that left their
//! subspace by more than [`MAX_ANGLE`] nevertheless: the angle is that between the modes and what an implicit step makes of
//! the forces along them ([`crate::complement::Complement::angle`], [`crate::low_rank::LowRank::angle`]), which the correction
//! of the solves needs anyway. It does not vanish with the step: a body that changes slowly in many short steps leaves its
//! modes as well. On linear systems the modes never change.

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::subspace::ModalSubspace;
use crate::{At, Mechanics};

/// Default number of modes; at most half of the unknowns.
const DEFAULT_COUNT: usize = 20;
/// Sine of the largest angle by which a step may leave the modes until they are computed again.
const MAX_ANGLE: f64 = 0.2;

/// When modes are computed again: `"once"`, `"angle"`, or every so many steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Refresh {
    /// In the first step only.
    Once,
    /// After so many steps.
    Steps(u32),
    /// Modes follow the body, and new ones are computed after a step that left their subspace by more than an angle.
    #[default]
    Angle,
}

impl Serialize for Refresh {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Refresh::Once => s.serialize_str("once"),
            Refresh::Angle => s.serialize_str("angle"),
            Refresh::Steps(n) => s.serialize_u32(*n),
        }
    }
}

impl<'de> Deserialize<'de> for Refresh {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Words;
        impl Visitor<'_> for Words {
            type Value = Refresh;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("\"once\", \"angle\" or a number of steps from 1 on")
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Refresh, E> {
                match word {
                    "once" => Ok(Refresh::Once),
                    "angle" => Ok(Refresh::Angle),
                    other => Err(E::invalid_value(Unexpected::Str(other), &self)),
                }
            }

            fn visit_u64<E: Error>(self, n: u64) -> Result<Refresh, E> {
                match u32::try_from(n) {
                    Ok(n) if n > 0 => Ok(Refresh::Steps(n)),
                    _ => Err(E::invalid_value(Unexpected::Unsigned(n), &self)),
                }
            }

            fn visit_i64<E: Error>(self, n: i64) -> Result<Refresh, E> {
                match u64::try_from(n) {
                    Ok(n) => self.visit_u64(n),
                    Err(_) => Err(E::invalid_value(Unexpected::Signed(n), &self)),
                }
            }
        }
        d.deserialize_any(Words)
    }
}

/// Committed modes: what the next step depends on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModeHistory {
    /// Modes; empty before the first step.
    pub vectors: Vec<Vec<f64>>,
    /// Number of steps since they were computed.
    pub age: u64,
    /// Whether the last step left them.
    pub outdated: bool,
}

/// Modes in use, and those that are history.
#[derive(Debug)]
pub(crate) struct ModeTracker {
    count: Option<u32>,
    refresh: Refresh,
    /// Modes of the attempt.
    pub subspace: ModalSubspace,
    pub history: ModeHistory,
    /// Whether the subspace holds the committed modes.
    pub holds_history: bool,
    /// Whether the modes of the attempt are new.
    computed: bool,
    /// Angle by which the attempt left the modes.
    pub angle: f64,
}

impl ModeTracker {
    pub fn new(count: Option<u32>, refresh: Refresh) -> ModeTracker {
        ModeTracker {
            count,
            refresh,
            subspace: ModalSubspace::default(),
            history: ModeHistory::default(),
            holds_history: false,
            computed: false,
            angle: 0.0,
        }
    }

    /// Provides the modes of an attempt: the committed ones, or new ones at its start.
    pub fn begin_attempt<S: Mechanics>(&mut self, s: &mut S, from: At) -> Result<(), S::Error> {
        let n = s.dofs();
        self.angle = 0.0;
        let due = match self.refresh {
            Refresh::Once => false,
            Refresh::Steps(steps) => self.history.age >= u64::from(steps),
            Refresh::Angle => self.history.outdated,
        };
        let missing = self.history.vectors.first().is_none_or(|x| x.len() != n);
        self.computed = due || missing;
        // An attempt that was not committed has moved the modes.
        self.holds_history &= !self.subspace.has_followed;
        self.subspace.follows = self.refresh == Refresh::Angle && !self.computed;
        if self.computed {
            self.holds_history = false;
            let count = match self.count {
                Some(count) => count as usize,
                None => DEFAULT_COUNT.min(n.div_ceil(2)),
            };
            let vectors = s.lowest_modes(from, count)?;
            self.subspace.set_vectors(s, vectors);
        } else if !self.holds_history {
            self.subspace.set_vectors(s, self.history.vectors.clone());
            self.holds_history = true;
        }
        Ok(())
    }

    /// Makes the modes of the attempt history.
    pub fn commit(&mut self) {
        if self.computed || self.subspace.has_followed {
            self.history.vectors.clone_from(&self.subspace.given);
            self.holds_history = true;
            self.subspace.has_followed = false;
        }
        if self.computed {
            self.history.age = 0;
        }
        self.history.age += 1;
        // Modes that are left at once are as good as they get.
        self.history.outdated = !self.computed && self.angle > MAX_ANGLE;
    }

    pub fn restart(&mut self) {
        self.history = ModeHistory::default();
        self.holds_history = false;
    }
}
