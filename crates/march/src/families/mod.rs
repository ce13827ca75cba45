//! Control flow of the methods; the numbers come from [`crate::tables`].

pub mod alpha;
pub mod bdf2;
pub mod calm;
pub mod explicit;
pub mod rosenbrock;
pub mod runge_kutta;

use crate::{State, StepError, vector::not_finite};

/// Takes over the new state if all of it is finite.
fn accept(s: &mut State, t: f64, u: &mut Vec<f64>, v: &mut Vec<f64>) -> Result<(), StepError> {
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
    s.t = t;
    std::mem::swap(&mut s.u, u);
    std::mem::swap(&mut s.v, v);
    Ok(())
}
