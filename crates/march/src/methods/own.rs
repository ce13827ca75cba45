//! Tables that users bring along.

use super::{MethodError, Parameters};
use crate::Newton;
use crate::families::{rosenbrock::Rosenbrock, runge_kutta::RungeKutta};

/// Sums that should be 1 may be off by this much: printed tables are rounded.
const ROUNDED: f64 = 1e-6;

/// A Runge–Kutta method of `A` (square or lower rows) and `b`.
pub fn runge_kutta(p: &Parameters, newton: Newton) -> Result<RungeKutta, MethodError> {
    let name = "dirk";
    let missing = |key| MethodError::Missing { name, key };
    let bad = |why: String| MethodError::Table { name, why };
    let a = p.a.as_ref().ok_or(missing("A"))?;
    let b = p.b.as_ref().ok_or(missing("b"))?;
    let rows = lower_rows("A", a, b.len(), 1).map_err(bad)?;
    finite("b", b).map_err(bad)?;
    let sum: f64 = b.iter().sum();
    if (sum - 1.0).abs() > ROUNDED {
        return Err(bad(format!("the weights b sum to {sum}, not to 1, so it has order 0")));
    }
    if let Some((i, row)) = rows.iter().enumerate().find(|(i, row)| row[*i] < 0.0) {
        return Err(bad(format!("the diagonal entry {} of row {} of A is negative", row[i], i + 1)));
    }
    Ok(RungeKutta::of_rows(rows, b.clone(), newton))
}

/// A Rosenbrock method of `gamma`, `A`, `C` and `m` in the form of Hairer & Wanner.
pub fn rosenbrock(p: &Parameters) -> Result<Rosenbrock, MethodError> {
    let name = "rosenbrock";
    let missing = |key| MethodError::Missing { name, key };
    let bad = |why: String| MethodError::Table { name, why };
    let gamma = p.gamma.ok_or(missing("gamma"))?;
    let m = p.m.as_ref().ok_or(missing("m"))?;
    let a = lower_rows("A", p.a.as_ref().ok_or(missing("A"))?, m.len(), 0).map_err(bad)?;
    let c = lower_rows("C", p.c.as_ref().ok_or(missing("C"))?, m.len(), 0).map_err(bad)?;
    finite("m", m).map_err(bad)?;
    if !(gamma > 0.0 && gamma.is_finite()) {
        return Err(bad(format!("gamma = {gamma} must be positive")));
    }
    // Consistency: b = mΓ must sum to 1, that is Σ m_i γ_i = 1.
    let mut sums: Vec<f64> = Vec::with_capacity(m.len());
    for row in &c {
        let earlier: f64 = row.iter().zip(&sums).map(|(x, y)| x * y).sum();
        sums.push(gamma * (1.0 + earlier));
    }
    let sum: f64 = m.iter().zip(&sums).map(|(m, s)| m * s).sum();
    if (sum - 1.0).abs() > ROUNDED {
        return Err(bad(format!("its weights sum to {sum}, not to 1, so it has order 0")));
    }
    Ok(Rosenbrock::of_rows(gamma, a, c, m.clone()))
}

/// Rows of a lower triangular matrix cut behind the diagonal (`keep` = 1) or before it (`keep` = 0).
fn lower_rows(key: &str, rows: &[Vec<f64>], stages: usize, keep: usize) -> Result<Vec<Vec<f64>>, String> {
    if stages == 0 {
        return Err("it has no stages".into());
    }
    if rows.len() != stages {
        return Err(format!("{key} has {} rows for {stages} weights", rows.len()));
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
