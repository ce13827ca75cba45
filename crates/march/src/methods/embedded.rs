//! Embedded methods of tables as steppers of their own.

use super::{Family, MethodChoice, Prefix};
use crate::families::{rosenbrock::Rosenbrock, runge_kutta::RungeKutta};
use crate::{Newton, Stepper};

impl MethodChoice {
    /// Returns a stepper that advances with the embedded weights of the table, or `None` if the table has none.
    pub fn embedded_stepper(&self) -> Option<Box<dyn Stepper>> {
        let rows =
            |rows: &[&[f64]]| -> Vec<Vec<f64>> { rows.iter().map(|row| row.to_vec()).collect() };
        match self.method.family {
            Family::RungeKutta(table) => {
                let newton = if self.prefix == Prefix::Semi {
                    Newton::SingleIteration
                } else {
                    Newton::Minimise
                };
                Some(Box::new(RungeKutta::from_rows(
                    rows(table.a),
                    table.embedded?.to_vec(),
                    newton,
                )))
            }
            Family::Rosenbrock(t) => Some(Box::new(Rosenbrock::from_rows(
                t.gamma,
                rows(t.a),
                rows(t.c),
                t.embedded.to_vec(),
            ))),
            _ => None,
        }
    }
}
