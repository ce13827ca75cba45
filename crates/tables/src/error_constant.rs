//! Leading error constants of methods, computed from their tables.

use crate::alpha::AlphaParameters;
use crate::runge_kutta::RungeKuttaTable;

/// Returns C in R(z) − e^z = C z^(p+1) + …, with R(z) = 1 + z bᵀ(I − zA)⁻¹ 1, so C = bᵀA^p 1 − 1/(p+1)!.
pub fn of_runge_kutta(table: &RungeKuttaTable, order: u32) -> f64 {
    let mut powers = vec![1.0; table.b.len()];
    for _ in 0..order {
        powers = table
            .a
            .iter()
            .map(|row| row.iter().zip(&powers).map(|(a, x)| a * x).sum())
            .collect();
    }
    let own: f64 = table.b.iter().zip(&powers).map(|(b, x)| b * x).sum();
    let exact: f64 = (1..=order + 1).map(|k| 1.0 / f64::from(k)).product();
    own - exact
}

/// Returns C of the displacements. The stored acceleration belongs to a time (α_m − α_f) h later, so Newmark's formula
/// has the coefficient β + ½(α_m − α_f) of h³ times the third derivative, where ⅙ is exact. For Newmark's method itself
/// this is β − ⅙ [Zienkiewicz & Xie 1991].
pub fn of_alpha(table: &AlphaParameters) -> f64 {
    table.beta + 0.5 * (table.alpha_m - table.alpha_f) - 1.0 / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{alpha, runge_kutta as rk};

    #[test]
    fn constants_of_textbook_methods() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} {b}");
        close(of_runge_kutta(&rk::FORWARD_EULER, 1), -0.5);
        close(of_runge_kutta(&rk::BACKWARD_EULER, 1), 0.5);
        close(of_runge_kutta(&rk::IMPLICIT_MIDPOINT, 2), 1.0 / 12.0);
        close(of_runge_kutta(&rk::TRAPEZOID, 2), 1.0 / 12.0);
        close(of_runge_kutta(&rk::RK4, 4), -1.0 / 120.0);
        close(of_alpha(&alpha::NEWMARK), 1.0 / 12.0);
        // With ρ∞ = 1 generalized-α averages like the midpoint rule.
        close(of_alpha(&alpha::generalized(1.0)), 1.0 / 12.0);
    }
}
