//! Methods from tableaux of scene files, and their checks.

use super::{MethodError, Parameters};
use crate::Newton;
use crate::families::{rosenbrock::Rosenbrock, runge_kutta::RungeKutta};

/// Tolerance of sums that should be 1, because published tableaux are rounded.
const SUM_TOLERANCE: f64 = 1e-6;

/// Creates a Runge–Kutta method from `A` (square or lower rows) and `b`.
pub fn runge_kutta(p: &Parameters, newton: Newton) -> Result<RungeKutta, MethodError> {
    let name = "dirk";
    let missing = |key| MethodError::Missing { name, key };
    let bad = |why: String| MethodError::Table { name, why };
    let a = p.a.as_ref().ok_or(missing("A"))?;
    let b = p.b.as_ref().ok_or(missing("b"))?;
    let rows = lower_rows("A", a, b.len(), 1).map_err(bad)?;
    consistent(b).map_err(bad)?;
    if let Some(c) = &p.c {
        abscissae(c, &rows).map_err(bad)?;
    }
    if let Some((i, row)) = rows.iter().enumerate().find(|(i, row)| row[*i] < 0.0) {
        return Err(bad(format!(
            "the diagonal entry {} of row {} of A is negative",
            row[i],
            i + 1
        )));
    }
    let method = RungeKutta::from_rows(rows, b.clone(), newton);
    match &p.b_hat {
        None => Ok(method),
        Some(weights) => {
            embedded(weights, b.len()).map_err(bad)?;
            Ok(method.with_embedded(weights))
        }
    }
}

/// Creates a Rosenbrock method from `alpha`, `Gamma` and `b`: k_i = h f(y + Σ α_ij k_j) + h J Σ γ_ij k_j, y₁ = y + Σ
/// b_i k_i. The transformation C = I/γ − Γ⁻¹, a = αΓ⁻¹, m = bΓ⁻¹ [Hairer & Wanner 1996, §IV.7] gives the form of
/// [Löschner et al. 2020, eqs. 11–13].
pub fn rosenbrock(p: &Parameters) -> Result<Rosenbrock, MethodError> {
    let name = "rosenbrock";
    let missing = |key| MethodError::Missing { name, key };
    let bad = |why: String| MethodError::Table { name, why };
    let b = p.b.as_ref().ok_or(missing("b"))?;
    let stages = b.len();
    let alpha = lower_rows(
        "alpha",
        p.alpha.as_ref().ok_or(missing("alpha"))?,
        stages,
        0,
    )
    .map_err(bad)?;
    let big = lower_rows(
        "Gamma",
        p.gamma_matrix.as_ref().ok_or(missing("Gamma"))?,
        stages,
        1,
    )
    .map_err(bad)?;
    consistent(b).map_err(bad)?;
    let gamma = big[0][0];
    if gamma <= 0.0 {
        return Err(bad(format!(
            "the diagonal entry {gamma} of Gamma must be positive"
        )));
    }
    if let Some(i) = (0..stages).find(|&i| (big[i][i] - gamma).abs() > SUM_TOLERANCE * gamma) {
        let why = format!(
            "the diagonal of Gamma is {gamma} in row 1 and {} in row {}: one matrix must serve all stages",
            big[i][i],
            i + 1
        );
        return Err(bad(why));
    }
    let inverse = lower_inverse(&big);
    let row_times_inverse = |row: &[f64], i: usize| -> Vec<f64> {
        (0..i)
            .map(|j| (j..row.len()).map(|k| row[k] * inverse[k][j]).sum())
            .collect()
    };
    let a = alpha
        .iter()
        .enumerate()
        .map(|(i, row)| row_times_inverse(row, i))
        .collect();
    let c = (0..stages)
        .map(|i| inverse[i][..i].iter().map(|x| -x).collect())
        .collect();
    let method = Rosenbrock::from_rows(gamma, a, c, row_times_inverse(b, stages));
    match &p.b_hat {
        None => Ok(method),
        Some(weights) => {
            embedded(weights, stages).map_err(bad)?;
            Ok(method.with_embedded(&row_times_inverse(weights, stages)))
        }
    }
}

/// Returns the inverse of a lower triangular matrix given by its rows up to the diagonal.
fn lower_inverse(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut out: Vec<Vec<f64>> = Vec::with_capacity(rows.len());
    for (i, row) in rows.iter().enumerate() {
        let entry = |j: usize| -> f64 {
            let sum: f64 = (j..i).map(|k| row[k] * out[k][j]).sum();
            (f64::from(u8::from(i == j)) - sum) / row[i]
        };
        let new = (0..=i).map(entry).collect();
        out.push(new);
    }
    out
}

/// Checks that the weights give a method of order at least one.
fn consistent(b: &[f64]) -> Result<(), String> {
    sums_to_one("b", b)
}

/// Checks embedded weights: one per stage, order at least one.
fn embedded(weights: &[f64], stages: usize) -> Result<(), String> {
    if weights.len() != stages {
        return Err(format!(
            "b-hat has {} entries for {stages} stages",
            weights.len()
        ));
    }
    sums_to_one("b-hat", weights)
}

fn sums_to_one(key: &str, weights: &[f64]) -> Result<(), String> {
    finite(key, weights)?;
    let sum: f64 = weights.iter().sum();
    if (sum - 1.0).abs() > SUM_TOLERANCE {
        return Err(format!(
            "the weights {key} sum to {sum}, not to 1, so the method has order 0"
        ));
    }
    Ok(())
}

/// Checks that c are the row sums of A.
fn abscissae(c: &[f64], rows: &[Vec<f64>]) -> Result<(), String> {
    finite("c", c)?;
    if c.len() != rows.len() {
        return Err(format!(
            "c has {} entries for {} stages",
            c.len(),
            rows.len()
        ));
    }
    for (i, (c, row)) in c.iter().zip(rows).enumerate() {
        let sum: f64 = row.iter().sum();
        if (sum - c).abs() > SUM_TOLERANCE {
            return Err(format!("row {} of A sums to {sum}, but c says {c}", i + 1));
        }
    }
    Ok(())
}

/// Returns the rows of a lower triangular matrix up to the diagonal (`keep` = 1) or below it (`keep` = 0).
fn lower_rows(
    key: &str,
    rows: &[Vec<f64>],
    stages: usize,
    keep: usize,
) -> Result<Vec<Vec<f64>>, String> {
    if stages == 0 {
        return Err("it has no stages: b is empty".into());
    }
    if rows.len() != stages {
        return Err(format!(
            "{key} has {} rows for {stages} weights",
            rows.len()
        ));
    }
    rows.iter()
        .enumerate()
        .map(|(i, row)| {
            finite(&format!("row {} of {key}", i + 1), row)?;
            let used = i + keep;
            if row.len() < used || row.len() > stages {
                return Err(format!("row {} of {key} has {} entries, expected {used} to {stages}", i + 1, row.len()));
            }
            match row[used..].iter().position(|x| *x != 0.0) {
                Some(j) => Err(format!(
                    "entry {} of row {} of {key} is {}: only lower triangular tables can be solved stage by stage",
                    used + j + 1,
                    i + 1,
                    row[used + j]
                )),
                None => Ok(row[..used].to_vec()),
            }
        })
        .collect()
}

fn finite(what: &str, x: &[f64]) -> Result<(), String> {
    match x.iter().position(|x| !x.is_finite()) {
        Some(i) => Err(format!("entry {} of {what} is {}", i + 1, x[i])),
        None => Ok(()),
    }
}
