//! Solves with stiff rows against the dense solution of A ⊗ I + Σ k c cᵀ.

use base::random::Random;
use sparse::stiff_rows::{MAX_ENTRIES, StiffRow, StiffRows};

const SETS: usize = 9;
const COPIES: usize = 3;
const N: usize = SETS * COPIES;

/// Solves a dense system by Gaussian elimination; the matrix is positive definite.
fn dense_solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - sum) / a[k][k];
    }
    b
}

/// A over the sets, positive definite.
fn matrix(draw: &mut Random) -> Vec<Vec<f64>> {
    let g: Vec<Vec<f64>> = (0..SETS)
        .map(|_| (0..SETS).map(|_| draw.signed()).collect())
        .collect();
    let entry = |i: usize, j: usize| {
        let dot: f64 = (0..SETS).map(|k| g[i][k] * g[j][k]).sum();
        dot + if i == j { 1.0 } else { 0.0 }
    };
    (0..SETS)
        .map(|i| (0..SETS).map(|j| entry(i, j)).collect())
        .collect()
}

/// A ⊗ I.
fn repeated(a: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let entry = |i: usize, j: usize| match i % COPIES == j % COPIES {
        true => a[i / COPIES][j / COPIES],
        false => 0.0,
    };
    (0..N)
        .map(|i| (0..N).map(|j| entry(i, j)).collect())
        .collect()
}

/// A row on the three unknowns of each of some sets.
fn row(sets: &[usize], draw: &mut Random) -> StiffRow {
    let mut entries = [(0, 0.0); MAX_ENTRIES];
    for (k, &set) in sets.iter().enumerate() {
        for lane in 0..COPIES {
            entries[COPIES * k + lane] = ((COPIES * set + lane) as u32, draw.signed());
        }
    }
    StiffRow {
        entries,
        stiffness: draw.between(0.1, 100.0),
    }
}

#[test]
fn solves_with_changing_rows_are_those_of_the_whole_matrix() {
    let mut draw = Random::new(3);
    let a = matrix(&mut draw);
    let solve = |x: &mut [f64]| {
        x.copy_from_slice(&dense_solve(repeated(&a), x.to_vec()));
        Ok(())
    };
    let mut stiff = StiffRows::default();
    stiff.reset(SETS, COPIES);
    // Springs at a vertex, between a vertex and a triangle, two at one vertex; sets that were used before and new ones.
    for sets in [
        &[&[4usize][..], &[1, 7, 8, 2]][..],
        &[&[7, 0, 3, 4], &[7], &[7]],
        &[&[5]],
        &[],
        &[&[8, 5, 1, 0], &[2, 6, 4, 3], &[6], &[1]],
    ] {
        let rows: Vec<StiffRow> = sets.iter().map(|s| row(s, &mut draw)).collect();
        stiff.set(&rows, solve).unwrap();
        let b: Vec<f64> = (0..N).map(|_| draw.signed()).collect();
        let mut x = b.clone();
        solve(&mut x).unwrap();
        stiff.correct(&mut x, solve).unwrap();
        let mut whole = repeated(&a);
        for row in &rows {
            for (p, c) in row.entries {
                for (q, d) in row.entries {
                    whole[p as usize][q as usize] += row.stiffness * c * d;
                }
            }
        }
        for (x, wanted) in x.iter().zip(dense_solve(whole, b)) {
            assert!(
                (x - wanted).abs() < 1e-11,
                "{sets:?}: {x} instead of {wanted}"
            );
        }
    }
}
