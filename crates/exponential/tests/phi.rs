//! φ-functions against reference values with 50 digits, and of modes against identities and direct integration.

use exponential::mode::ModeBlock;
use exponential::phi::{Complex, Phi};

fn number(x: &serde_json::Value) -> f64 {
    x.as_str().unwrap().parse().unwrap()
}

#[test]
fn phi_functions_agree_with_fifty_digit_values() {
    let reference = testdata::reference("analytic/phi_functions.json");
    let rows = reference["values"].as_array().unwrap();
    assert!(rows.len() > 50);
    for row in rows {
        let z = Complex::new(number(&row[0]), number(&row[1]));
        for (k, phi) in [Phi::Zero, Phi::One, Phi::Two].into_iter().enumerate() {
            let want = Complex::new(number(&row[2 + 2 * k]), number(&row[3 + 2 * k]));
            let found = phi.at(z);
            let error = (found.re - want.re).hypot(found.im - want.im);
            // Sine and cosine of a large argument are as good as the argument is.
            let scale = want.modulus().max(f64::MIN_POSITIVE);
            assert!(
                error <= 8e-15 * scale,
                "phi_{k}({z:?}) = {found:?}, not {want:?}"
            );
        }
    }
}

#[test]
fn the_functions_are_entire_at_zero() {
    let zero = Complex::new(0.0, 0.0);
    for (phi, want) in [(Phi::Zero, 1.0), (Phi::One, 1.0), (Phi::Two, 0.5)] {
        assert_eq!(phi.at(zero), Complex::new(want, 0.0));
    }
}

/// Integrates q̈ + γ q̇ + λ q = c t by many steps of a series of order eight.
fn integrated(block: ModeBlock, h: f64, b: [f64; 2], c: f64) -> [f64; 2] {
    let steps = 20_000;
    let tau = h / f64::from(steps);
    // y′ = B y + b + t (0, c) from y = 0; time derivatives follow by repeated use of the equation.
    let mut y = [0.0; 2];
    for n in 0..steps {
        let t = f64::from(n) * tau;
        let mut d = [
            y[1] + b[0],
            -block.stiffness * y[0] - block.damping * y[1] + b[1] + c * t,
        ];
        let mut weight = tau;
        let mut sum = y;
        for k in 1..=8 {
            sum = [sum[0] + weight * d[0], sum[1] + weight * d[1]];
            d = [
                d[1],
                -block.stiffness * d[0] - block.damping * d[1] + if k == 1 { c } else { 0.0 },
            ];
            weight *= tau / f64::from(k + 1);
        }
        y = sum;
    }
    y
}

const MODES: [(f64, f64); 11] = [
    (9.0, 0.0),
    (9.0, 0.4),
    (9.0, 6.0),        // critical
    (9.0, 6.0 + 1e-9), // almost critical
    (9.0, 6.0 - 1e-9), // almost critical from below
    (9.0, 40.0),       // overdamped
    (0.0, 0.0),        // rigid
    (0.0, 3.0),        // rigid, damped
    (1e-9, 3.0),
    (-4.0, 0.5), // buckling
    (1e-3, 1e-5),
];

#[test]
fn modes_move_as_their_equation_integrated_in_small_steps() {
    for (stiffness, damping) in MODES {
        let block = ModeBlock { stiffness, damping };
        for h in [0.05, 0.31, 1.7, 6.0] {
            let (b, c) = ([0.7, -1.3], 0.9);
            let found = block.increment(h, b, c);
            let want = integrated(block, h, b, c);
            for i in 0..2 {
                let scale = want[0].abs().max(want[1].abs());
                assert!(
                    (found[i] - want[i]).abs() <= 2e-11 * scale,
                    "{block:?} h = {h}: {found:?}, not {want:?}"
                );
            }
        }
    }
}

/// φ₀ = I + hB φ₁ and φ₁ = I + hB φ₂, over twelve orders of magnitude of the step.
#[test]
fn the_recurrence_holds_for_matrices() {
    for (stiffness, damping) in MODES {
        let block = ModeBlock { stiffness, damping };
        for k in -8..=3 {
            let h = 10f64.powi(k) * 1.37;
            for (low, high, constant) in [(Phi::Zero, Phi::One, 1.0), (Phi::One, Phi::Two, 1.0)] {
                if stiffness < 0.0 && h > 100.0 {
                    continue; // overflows
                }
                let (low, high) = (block.phi(low, h), block.phi(high, h));
                let b = [[0.0, h], [-h * stiffness, -h * damping]];
                for i in 0..2 {
                    for j in 0..2 {
                        let product = b[i][0] * high[0][j] + b[i][1] * high[1][j];
                        let want = product + if i == j { constant } else { 0.0 };
                        let scale =
                            (b[i][0] * high[0][j]).abs() + (b[i][1] * high[1][j]).abs() + 1.0;
                        assert!(
                            (low[i][j] - want).abs() <= 4e-15 * scale * (1.0 + low[i][j].abs()),
                            "{block:?} h = {h} ({i}, {j}): {} and {want}",
                            low[i][j]
                        );
                    }
                }
            }
        }
    }
}
