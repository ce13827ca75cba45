//! Control flow of the methods; the numbers come from [`crate::tables`].

pub mod alpha;
pub mod bdf2;
pub mod calm;
pub mod explicit;
pub mod rosenbrock;
pub mod runge_kutta;

use crate::{State, StepError, System, vector::not_finite};

/// Takes over the new state if all of it is finite and the system admits it: a stage may be where its step's end,
/// extrapolated from it, may not.
fn accept(
    sys: &mut dyn System,
    s: &mut State,
    t: f64,
    u: &mut Vec<f64>,
    v: &mut Vec<f64>,
) -> Result<(), StepError> {
    for (what, x) in [("displacement", &*u), ("velocity", &*v)] {
        if let Some((dof, value)) = not_finite(x) {
            return Err(StepError::NotFinite {
                t,
                what,
                dof,
                value,
            });
        }
    }
    if !sys.admits(t, u) {
        return Err(StepError::Forbidden { t });
    }
    s.t = t;
    std::mem::swap(&mut s.u, u);
    std::mem::swap(&mut s.v, v);
    Ok(())
}
