//! Whether what is measured is what is claimed.

use super::{modes, order, stability};
use crate::methods::{EmbeddedMethod, Family, MethodChoice, Stability};
use crate::{Parameters, StepError, Stepper};

/// What a method says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Claims {
    /// Order of convergence on smooth problems.
    pub order: u32,
    /// What the second result is, where there is one.
    pub embedded: Option<EmbeddedMethod>,
    /// How it treats stiff modes.
    pub stability: Stability,
    /// |R(∞)|, where it is part of the promise.
    pub r_inf: Option<f64>,
    /// Damping and frequency error at some hω, where they are known.
    pub modes: Vec<modes::ModeResponse>,
}

/// A claim that does not hold.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BrokenClaim {
    /// Another order than claimed.
    #[error("claims order {claimed} and measures {} on the {on}", shown(.measured))]
    Order {
        /// Order claimed.
        claimed: u32,
        /// Order measured; nothing where the error never fell.
        measured: Option<f64>,
        /// Which problem.
        on: &'static str,
    },
    /// Another stability than claimed.
    #[error("claims to be {} and is not: {why}", .claimed.name())]
    Stability {
        /// Stability claimed.
        claimed: Stability,
        /// What was seen.
        why: String,
    },
    /// Another spectral radius at infinity than claimed.
    #[error("claims |R(inf)| = {claimed} and measures {}", shown(.measured))]
    Infinity {
        /// Value claimed.
        claimed: f64,
        /// Value measured; nothing where it blew up.
        measured: Option<f64>,
    },
    /// Another damping or frequency error than is known.
    #[error("at hw = {} damps by {:.6} and is off in frequency by {:.6}; known are {:.6} and {:.6}", .known.hw, .measured.damping, .measured.frequency_error, .known.damping, .known.frequency_error)]
    Mode {
        /// What it should be.
        known: modes::ModeResponse,
        /// What it is.
        measured: modes::ModeResponse,
    },
    /// A step failed.
    #[error("a step failed: {0}")]
    Step(#[from] StepError),
}

fn shown(x: &Option<f64>) -> String {
    x.map_or("nothing, as it blew up".into(), |x| format!("{x:.4}"))
}

/// How far a measured order may lie from the true one.
const ORDER_TOLERANCE: f64 = 0.15;

impl Claims {
    /// What the registry says of a method with these parameters.
    pub fn of(choice: &MethodChoice, p: &Parameters) -> Claims {
        let r_inf = match (choice.method.family, choice.method.stability) {
            (Family::GeneralizedAlpha | Family::HhtAlpha, _) => Some(p.rho_inf.unwrap_or(0.8)),
            (_, Stability::L) => Some(0.0),
            _ => None,
        };
        Claims {
            order: choice.order(),
            embedded: choice.embedded(),
            stability: choice.method.stability,
            r_inf,
            modes: Vec::new(),
        }
    }

    /// Holds a method to its claims, cheap measurements first; the first claim that breaks is the answer.
    pub fn check(
        &self,
        stepper: &mut dyn Stepper,
        embedded: Option<&mut dyn Stepper>,
    ) -> Result<(), BrokenClaim> {
        self.check_modes(stepper)?;
        check_stability(self.stability, self.r_inf, stepper)?;
        // Linear problems are easier: orders above the claim are fine there.
        match order::linear(stepper)?.order {
            Some(p) if p > f64::from(self.order) - ORDER_TOLERANCE => (),
            measured => {
                return Err(BrokenClaim::Order {
                    claimed: self.order,
                    measured,
                    on: "linear oscillator",
                });
            }
        }
        check_order(
            self.order,
            order::nonlinear(stepper)?.order,
            "forced nonlinear chain",
        )?;
        match (self.embedded, embedded) {
            (Some(claimed), Some(second)) => {
                let r_inf = (claimed.stability == Stability::L).then_some(0.0);
                check_stability(claimed.stability, r_inf, second)?;
                check_order(
                    claimed.order,
                    order::nonlinear(second)?.order,
                    "forced nonlinear chain by its embedded weights",
                )
            }
            _ => Ok(()),
        }
    }

    fn check_modes(&self, stepper: &mut dyn Stepper) -> Result<(), BrokenClaim> {
        for known in &self.modes {
            let measured = modes::mode_response(stepper, known.hw)?;
            let same = (measured.damping - known.damping).abs() < 1e-6
                && (measured.frequency_error - known.frequency_error).abs() < 1e-6;
            if !same {
                return Err(BrokenClaim::Mode {
                    known: *known,
                    measured,
                });
            }
        }
        Ok(())
    }
}

fn check_stability(
    claimed: Stability,
    r_inf: Option<f64>,
    stepper: &mut dyn Stepper,
) -> Result<(), BrokenClaim> {
    if claimed == Stability::Conditional {
        return Ok(());
    }
    let measured = stability::radius_at_infinity(stepper)?;
    if let Some(claimed) = r_inf
        && measured.is_none_or(|r| (r - claimed).abs() > stability::R_INF_TOLERANCE || r.is_nan())
    {
        return Err(BrokenClaim::Infinity { claimed, measured });
    }
    match stability::first_unstable_hw(stepper)? {
        Some(hw) => Err(BrokenClaim::Stability {
            claimed,
            why: format!("vibrations grow at h|lambda| = {hw:.4}"),
        }),
        None => Ok(()),
    }
}

fn check_order(claimed: u32, measured: Option<f64>, on: &'static str) -> Result<(), BrokenClaim> {
    match measured {
        Some(p) if (p - f64::from(claimed)).abs() < ORDER_TOLERANCE => Ok(()),
        _ => Err(BrokenClaim::Order {
            claimed,
            measured,
            on,
        }),
    }
}
