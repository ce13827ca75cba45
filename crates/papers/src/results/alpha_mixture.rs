//! [Ascher et al. 2021, sec. 3.4]: damping curves of generalized-α against a mixture of the trapezoidal rule and BDF2.
//!
//! The mixture is y₁ = (1 − θ) [y₀ + ½h (F₀ + F₁)] + θ [⅓ (4 y₀ − y₋₁) + ⅔h F₁]. On y′ = zy/h its growth factors are the
//! roots of (1 − z (½ + θ/6)) r² − ((1 − θ)(1 + z/2) + 4θ/3) r + θ/3 = 0.

use certify::modes::mode_response;
use chart::{Axis, Chart, Dash, Series};
use march::{Newton, Parameters, find};

use crate::check::within;
use crate::{Finding, Job, PaperError, Table};

const RHO_INF: [f64; 3] = [0.9, 0.5, 0.0];

/// Computes the curves and compares them.
pub fn compute(_job: &Job) -> Result<Finding, PaperError> {
    let mut finding = Finding::default();
    finding.parameter("rho_inf", format!("{RHO_INF:?}"));
    finding.choice("The paper does not define its mixture. Ours is the weighted mean of both formulas, with the weight of BDF2 that gives the damping of generalized-alpha at hw = 1. Comparable means within a factor of two from hw = 0.1 to 3.");
    let hw: Vec<f64> = (-20..=40)
        .map(|k| 10f64.powf(f64::from(k) / 20.0))
        .collect();
    let mut series = Vec::new();
    let mut table = Table::new(
        "damping",
        [
            "hw",
            "alpha_0.9",
            "mixture_0.9",
            "alpha_0.5",
            "mixture_0.5",
            "alpha_0.0",
            "mixture_0.0",
        ],
    );
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for (colour, rho) in RHO_INF.into_iter().enumerate() {
        let p = Parameters {
            rho_inf: Some(rho),
            ..Parameters::default()
        };
        let mut stepper = find("generalized-alpha")?.stepper(&p, Newton::Minimise)?;
        let curve = hw.iter().map(|&hw| mode_response(stepper.as_mut(), hw));
        let alpha: Vec<f64> = curve
            .map(|m| m.map(|m| m.damping))
            .collect::<Result<_, _>>()
            .map_err(PaperError::from_step("generalized-alpha"))?;
        let at_one = alpha[20];
        let theta = matching_weight(at_one);
        let mixture: Vec<f64> = hw.iter().map(|&hw| damping(theta, hw)).collect();
        let points = |y: &[f64]| hw.iter().copied().zip(y.iter().copied()).collect();
        let name = format!("generalized-α, ρ∞ = {rho}");
        series.push(Series::line(name, points(&alpha)).colour(colour));
        let name = format!("mixture, θ = {theta:.3}");
        series.push(
            Series::line(name, points(&mixture))
                .colour(colour)
                .dash(Dash::Dashed),
        );
        let near = hw.iter().zip(alpha.iter().zip(&mixture));
        let ratios: Vec<f64> = near
            .filter(|(hw, _)| (0.1 - 1e-9..=3.0).contains(*hw))
            .map(|(_, (a, m))| m / a)
            .collect();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        finding.claim(
            crate::check::slug(&format!("comparable-{rho}")),
            format!("the curve for rho-inf = {rho} is comparable to that of a mixture of trapezoid and BDF2"),
            format!("with theta = {theta:.3} the mixture damps {least:.2} to {most:.2} times as much from hw = 0.1 to 3"),
            [
                within(least, 0.5, 2.0).of("smallest ratio"),
                within(most, 0.5, 2.0).of("largest ratio"),
            ],
        );
        columns.push(alpha);
        columns.push(mixture);
    }
    for (k, hw) in hw.iter().enumerate() {
        table.row(std::iter::once(*hw).chain(columns.iter().map(|c| c[k])));
    }
    finding.tables.push(table);
    finding.plot(
        "damping",
        Chart {
            title: "Numerical damping".into(),
            x: Axis::log("step × angular frequency hω"),
            y: Axis::linear("d/ω"),
            series,
        },
    );
    Ok(finding)
}

/// Returns d/ω = −2 ln ρ/(hω) of the mixture.
fn damping(theta: f64, hw: f64) -> f64 {
    // a r² − b r + c = 0 with a = 1 − z (½ + θ/6), b = (1 − θ)(1 + z/2) + 4θ/3, c = θ/3 and z = i hw.
    let a = [1.0, -hw * (0.5 + theta / 6.0)];
    let b = [1.0 + theta / 3.0, 0.5 * (1.0 - theta) * hw];
    let c = theta / 3.0;
    // Discriminant b² − 4ac and its root.
    let d = [
        b[0] * b[0] - b[1] * b[1] - 4.0 * a[0] * c,
        2.0 * b[0] * b[1] - 4.0 * a[1] * c,
    ];
    let size = d[0].hypot(d[1]).sqrt();
    let angle = 0.5 * d[1].atan2(d[0]);
    let root = [size * angle.cos(), size * angle.sin()];
    let modulus = |s: f64| (b[0] + s * root[0]).hypot(b[1] + s * root[1]);
    let rho = modulus(1.0).max(modulus(-1.0)) / (2.0 * a[0].hypot(a[1]));
    -2.0 * rho.ln() / hw
}

/// Finds the weight of BDF2 whose mixture has this damping at hω = 1, by bisection; the damping grows with the weight.
fn matching_weight(wanted: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if damping(middle, 1.0) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ends of the mixture are the trapezoidal rule and BDF2.
    #[test]
    fn the_mixture_ends_at_both_methods() {
        assert!(damping(0.0, 1.0).abs() < 1e-12);
        assert!((damping(1.0, 1.0) - 0.1380).abs() < 1e-4);
    }
}
