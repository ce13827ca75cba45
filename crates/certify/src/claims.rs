//! Comparison of the declared properties of a method with measured ones.

use crate::{modes, order, stability};
use march::methods::{EmbeddedMethod, Family, MethodChoice, Stability};
use march::{Parameters, StepError, Stepper};

/// Properties that a method declares: order, stability, damping.
#[derive(Clone, Debug, PartialEq)]
pub struct Claims {
    /// Order of convergence on smooth problems.
    pub order: u32,
    /// Order and stability of the embedded method, if there is one.
    pub embedded: Option<EmbeddedMethod>,
    /// Declared stability.
    pub stability: Stability,
    /// |R(∞)|, if the method declares it.
    pub r_inf: Option<f64>,
    /// Known damping and frequency error at some values of hω.
    pub modes: Vec<modes::ModeResponse>,
}

/// Declared property that the measurement contradicts.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BrokenClaim {
    /// The measured order differs from the declared one.
    #[error("declares order {claimed}; measured {} on the {on}", shown(.measured))]
    Order {
        /// Declared order.
        claimed: u32,
        /// Measured order; `None` if the error never decreased.
        measured: Option<f64>,
        /// Problem on which the order was measured.
        on: &'static str,
    },
    /// The method is not stable as declared.
    #[error("declares to be {} and is not: {why}", .claimed.name())]
    Stability {
        /// Declared stability.
        claimed: Stability,
        /// Observation that contradicts it.
        why: String,
    },
    /// The measured |R(∞)| differs from the declared one.
    #[error("declares |R(inf)| = {claimed}; measured {}", shown(.measured))]
    Infinity {
        /// Declared value.
        claimed: f64,
        /// Measured value; `None` if the step blew up.
        measured: Option<f64>,
    },
    /// Damping or frequency error differs from the known value.
    #[error("at hw = {} the damping is {:.6} and the frequency error {:.6}; the known values are {:.6} and {:.6}", .known.hw, .measured.damping, .measured.frequency_error, .known.damping, .known.frequency_error)]
    Mode {
        /// Known response.
        known: modes::ModeResponse,
        /// Measured response.
        measured: modes::ModeResponse,
    },
    /// A step of the measurement failed.
    #[error("a step failed: {0}")]
    Step(#[from] StepError),
}

fn shown(x: &Option<f64>) -> String {
    x.map_or("no value because the run blew up".into(), |x| {
        format!("{x:.4}")
    })
}

/// Largest distance of a measured order from the declared one.
const ORDER_TOLERANCE: f64 = 0.15;

impl Claims {
    /// Returns the properties that the registry declares for a method with these parameters.
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

    /// Checks the declared properties, cheap measurements first, and returns the first that does not hold.
    pub fn check(
        &self,
        stepper: &mut dyn Stepper,
        embedded: Option<&mut dyn Stepper>,
    ) -> Result<(), BrokenClaim> {
        self.check_modes(stepper)?;
        check_stability(self.stability, self.r_inf, stepper)?;
        // A higher order than declared is allowed on linear problems.
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
            (Some(claimed), Some(embedded)) => {
                let r_inf = (claimed.stability == Stability::L).then_some(0.0);
                check_stability(claimed.stability, r_inf, embedded)?;
                check_order(
                    claimed.order,
                    order::nonlinear(embedded)?.order,
                    "forced nonlinear chain with the embedded weights",
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
            why: format!("oscillations grow at h|lambda| = {hw:.4}"),
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
