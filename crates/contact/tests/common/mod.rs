//! Helpers of the tests: random points, differences.
#![allow(dead_code)]

use base::random::Random;
use contact::Point;

pub fn random_point(random: &mut Random, size: f64) -> Point {
    [(); 3].map(|()| size * random.signed())
}

/// Reads a number that a JSON file holds as a number or as text with many digits.
pub fn number(value: &serde_json::Value) -> f64 {
    match value.as_str() {
        Some(text) => text.parse().unwrap(),
        None => value.as_f64().unwrap(),
    }
}

pub fn point(value: &serde_json::Value) -> Point {
    [0, 1, 2].map(|k| number(&value[k]))
}

/// Reads a file of reference values, or returns `None` if the shared data are missing.
pub fn reference(file: &str) -> Option<serde_json::Value> {
    let path = testdata::shared(&format!("data/reference_values/contact/{file}"))?;
    let text = std::fs::read_to_string(path).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

/// Asserts that `got` is `wanted` up to a relative error, or an absolute one below 1.
#[track_caller]
pub fn close(got: f64, wanted: f64, tolerance: f64) {
    let bound = tolerance * wanted.abs().max(1.0);
    assert!(
        (got - wanted).abs() <= bound,
        "{got} instead of {wanted}: off by {:e}",
        (got - wanted).abs()
    );
}

/// Gradient by central differences of fourth order with step h.
pub fn gradient(f: impl Fn(&[Point; 4]) -> f64, x: &[Point; 4], h: f64) -> [f64; 12] {
    std::array::from_fn(|i| {
        let at = |s: f64| {
            let mut y = *x;
            y[i / 3][i % 3] += s * h;
            f(&y)
        };
        (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h)
    })
}

/// Jacobian of a gradient by central differences of fourth order with step h; row i holds ∂gᵢ/∂xⱼ.
pub fn jacobian(g: impl Fn(&[Point; 4]) -> [f64; 12], x: &[Point; 4], h: f64) -> [[f64; 12]; 12] {
    let mut out = [[0.0; 12]; 12];
    for j in 0..12 {
        let at = |s: f64| {
            let mut y = *x;
            y[j / 3][j % 3] += s * h;
            g(&y)
        };
        let [a, b, c, d] = [at(1.0), at(-1.0), at(2.0), at(-2.0)];
        for i in 0..12 {
            out[i][j] = (8.0 * (a[i] - b[i]) - (c[i] - d[i])) / (12.0 * h);
        }
    }
    out
}
