//! PanelStorage inverted solve what the factor they were made of solves.

mod common;

use common::{Random, elastic_block};
use sparse::{Cholesky, InvertedPanelCholesky, LinearSolver, Matrix, Pattern, SolveError};

/// Largest difference from three plain solves, relative to the largest number of the solution.
fn difference(a: &Matrix, threads: usize) -> (f64, bool, Vec<f64>) {
    let n = a.n();
    let mut cholesky = Cholesky::default();
    cholesky.factor(a).unwrap();
    let mut inverted = InvertedPanelCholesky::new(&mut cholesky).unwrap();
    let given = Random::new(5).vector(3 * n);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    let mut found = given.clone();
    pool.install(|| inverted.solve(&mut found)).unwrap();
    let mut worst = 0.0_f64;
    let mut largest = 0.0_f64;
    for k in 0..3 {
        let mut side: Vec<f64> = (0..n).map(|i| given[3 * i + k]).collect();
        cholesky.solve(&mut side).unwrap();
        for (i, wanted) in side.iter().enumerate() {
            worst = worst.max((found[3 * i + k] - wanted).abs());
            largest = largest.max(wanted.abs());
        }
    }
    (worst / largest, inverted.is_single_precision(), found)
}

#[test]
fn three_right_hand_sides_agree_with_three_solves() {
    // The last is large enough to be cut into subtrees.
    for (x, y, z) in [(1, 1, 1), (3, 4, 2), (14, 9, 7)] {
        let (worst, is_single_precision, _) = difference(&elastic_block(x, y, z, 0.1), 2);
        assert!(
            is_single_precision && worst < 2e-6,
            "{x} {y} {z}: {worst:e}"
        );
    }
}

#[test]
fn ill_conditioned_factors_stay_in_double_precision() {
    // A long bar that resists bending, hardly held: 6, −4, 1 along each row.
    let n = 1000;
    let near = (1..n).map(|i| (i - 1, i));
    let mut a = Matrix::new(Pattern::new(n, near.chain((2..n).map(|i| (i - 2, i)))));
    let pattern = a.pattern().clone();
    for i in 0..n {
        for (k, value) in [6.0 + 1e-8, -4.0, 1.0].into_iter().enumerate() {
            if let Some(at) = i.checked_sub(k).and_then(|j| pattern.find(i, j)) {
                a.values_mut()[at] = value;
            }
        }
    }
    let (worst, is_single_precision, _) = difference(&a, 1);
    assert!(
        !is_single_precision && worst < 1e-6,
        "{is_single_precision} {worst:e}"
    );
}

#[test]
fn threads_do_not_change_a_bit() {
    let a = elastic_block(14, 9, 7, 0.1);
    let one = difference(&a, 1).2;
    for threads in [2, 3] {
        assert_eq!(one, difference(&a, threads).2, "{threads} threads");
    }
}

#[test]
fn scaling_is_exact_and_wrong_lengths_are_refused() {
    let a = elastic_block(3, 4, 2, 0.1);
    let n = a.n();
    let mut cholesky = Cholesky::default();
    assert!(matches!(
        InvertedPanelCholesky::new(&mut cholesky),
        Err(SolveError::NotFactored)
    ));
    cholesky.factor(&a).unwrap();
    let mut inverted = InvertedPanelCholesky::new(&mut cholesky).unwrap();
    let given = Random::new(7).vector(3 * n);
    let mut plain = given.clone();
    inverted.solve(&mut plain).unwrap();
    // Powers of two far beyond 32 bits: not a bit of the solution may change.
    for power in [-300, 300] {
        let factor = 2f64.powi(power);
        let mut x: Vec<f64> = given.iter().map(|x| factor * x).collect();
        inverted.solve(&mut x).unwrap();
        assert!(
            x.iter().zip(&plain).all(|(x, y)| *x == factor * y),
            "{power}"
        );
    }
    let mut nothing = vec![0.0; 3 * n];
    inverted.solve(&mut nothing).unwrap();
    assert!(nothing.iter().all(|x| *x == 0.0));
    assert!(matches!(
        inverted.solve(&mut plain[..n]),
        Err(SolveError::Length { .. })
    ));
    plain[4] = f64::NAN;
    assert!(inverted.solve(&mut plain).is_err());
}
