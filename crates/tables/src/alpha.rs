//! Parameters of the Newmark, HHT-α and generalized-α methods.

/// Parameters of a method of the Newmark and generalized-α family.
///
/// A step solves M a(n+1−α_m) = f at (n+1−α_f), with x(n+1−s) = (1−s) x(n+1) + s x(n) and Newmark's u(n+1) = u + h v +
/// h²((½−β) a + β a(n+1)), v(n+1) = v + h((1−γ) a + γ a(n+1)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlphaParameters {
    /// Newmark's β.
    pub beta: f64,
    /// Newmark's γ; second order needs γ = ½ − α_m + α_f.
    pub gamma: f64,
    /// Weight α_m of the old acceleration in the balance.
    pub alpha_m: f64,
    /// Weight α_f of the old state at which forces act.
    pub alpha_f: f64,
}

/// Average acceleration [Newmark 1959]: the trapezoidal rule.
pub const NEWMARK: AlphaParameters = newmark(0.25, 0.5);

/// Returns Newmark's method with these β and γ [Newmark 1959].
pub const fn newmark(beta: f64, gamma: f64) -> AlphaParameters {
    AlphaParameters {
        beta,
        gamma,
        alpha_m: 0.0,
        alpha_f: 0.0,
    }
}

/// Returns the generalized-α method with spectral radius ρ at infinity, 0 ≤ ρ ≤ 1 [Chung & Hulbert 1993].
pub const fn generalized(rho: f64) -> AlphaParameters {
    let alpha_m = (2.0 * rho - 1.0) / (rho + 1.0);
    let alpha_f = rho / (rho + 1.0);
    second_order(alpha_m, alpha_f)
}

/// Returns the HHT-α method with spectral radius ρ at infinity, ½ ≤ ρ ≤ 1: α = −(1−ρ)/(1+ρ) [Hilber, Hughes & Taylor
/// 1977].
pub const fn hht(rho: f64) -> AlphaParameters {
    second_order(0.0, (1.0 - rho) / (1.0 + rho))
}

/// Returns the γ of second order and the β with the largest damping at high frequencies.
const fn second_order(alpha_m: f64, alpha_f: f64) -> AlphaParameters {
    let shift = 1.0 - alpha_m + alpha_f;
    AlphaParameters {
        beta: shift * shift / 4.0,
        gamma: 0.5 - alpha_m + alpha_f,
        alpha_m,
        alpha_f,
    }
}
