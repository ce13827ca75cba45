//! Matrices with an antisymmetric part: products, norms and LU solves compared with dense ones.

use sparse::{Backend, FactorError, Matrix, OffPatternEntry, Pattern, solver};

/// A number in [−1, 1] that depends on its arguments only.
fn hash(i: usize, j: usize, seed: usize) -> f64 {
    let x = (i * 7919 + j * 104_729 + seed * 15_485_863) % 1009;
    2.0 * x as f64 / 1008.0 - 1.0
}

/// A banded matrix with symmetric and antisymmetric part.
fn unsymmetric(n: usize, seed: usize) -> Matrix {
    let band = (0..n).flat_map(|i| (1..4).filter(move |d| i >= *d).map(move |d| (i, i - d)));
    let mut a = Matrix::new(Pattern::new(n, band));
    let pattern = a.pattern().clone();
    for j in 0..n {
        for k in pattern.column_starts()[j]..pattern.column_starts()[j + 1] {
            let i = pattern.row_indices()[k];
            a.values_mut()[k] = hash(i, j, seed) + if i == j { 3.0 } else { 0.0 };
            a.antisymmetric_mut()[k] = if i == j { 0.0 } else { hash(j, i, seed + 1) };
        }
    }
    a
}

fn dense_times(a: &Matrix, x: &[f64]) -> Vec<f64> {
    let n = a.n();
    let row = |i: usize| (0..n).map(|j| a.entry(i, j) * x[j]).sum();
    (0..n).map(row).collect()
}

fn assert_near(a: &[f64], b: &[f64], tolerance: f64) {
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() < tolerance, "{a} {b}");
    }
}

#[test]
fn products_forms_and_norms_include_the_antisymmetric_part() {
    let n = 23;
    let mut a = unsymmetric(n, 1);
    assert!((a.entry(5, 3) - a.entry(3, 5)).abs() > 1e-3);
    let far = OffPatternEntry {
        row: 20,
        column: 2,
        value: 0.7,
    };
    a.set_off_pattern([far]);
    let x: Vec<f64> = (0..n).map(|i| hash(i, 0, 5)).collect();
    let y: Vec<f64> = (0..n).map(|i| hash(i, 0, 6)).collect();
    let mut ax = vec![0.0; n];
    a.times(&x, &mut ax);
    assert_near(&ax, &dense_times(&a, &x), 1e-13);
    let ay = dense_times(&a, &y);
    let form: f64 = x.iter().zip(&ay).map(|(x, ay)| x * ay).sum();
    assert!((a.bilinear_form(&x, &y) - form).abs() < 1e-12);
    let sums = (0..n).map(|i| (0..n).map(|j| a.entry(i, j).abs()).sum::<f64>());
    let largest = sums.fold(0.0, f64::max);
    assert!((a.norm_inf() - largest).abs() < 1e-12);
    let wide = a.on_extended_pattern();
    let mut wide_x = vec![0.0; n];
    wide.times(&x, &mut wide_x);
    assert_near(&wide_x, &ax, 1e-13);
    a.fill(0.0);
    assert!(a.is_symmetric());
}

#[test]
fn lu_solves_with_unsymmetric_and_symmetric_matrices_in_turn() {
    let n = 60;
    let mut lu = solver(Backend::Lu);
    for seed in 0..6 {
        let mut a = unsymmetric(n, seed);
        if seed % 2 == 1 {
            a.make_symmetric();
        }
        let b: Vec<f64> = (0..n).map(|i| hash(i, 1, seed)).collect();
        let mut x = b.clone();
        lu.factor(&a).unwrap();
        lu.solve(&mut x).unwrap();
        assert_near(&dense_times(&a, &x), &b, 1e-11);
    }
    // One analysis each for L B Lᵀ and for LU with row exchanges.
    assert_eq!(lu.counts().analyses, 2);
    let mut far = unsymmetric(n, 9);
    far.set_off_pattern([OffPatternEntry {
        row: 50,
        column: 1,
        value: 2.0,
    }]);
    let b: Vec<f64> = (0..n).map(|i| hash(i, 1, 7)).collect();
    let mut x = b.clone();
    lu.factor(&far).unwrap();
    lu.solve(&mut x).unwrap();
    assert_near(&dense_times(&far, &x), &b, 1e-11);
}

#[test]
fn a_singular_or_not_finite_antisymmetric_part_is_reported() {
    // [[0, −1, 0], [1, 0, 0], [0, 0, 0]] has rank two.
    let mut a = Matrix::new(Pattern::new(3, [(1, 0), (2, 1)]));
    let k = a.pattern().find(1, 0).unwrap();
    a.antisymmetric_mut()[k] = 1.0;
    let mut lu = solver(Backend::Lu);
    assert!(matches!(lu.factor(&a), Err(FactorError::Singular { .. })));
    a.antisymmetric_mut()[k] = f64::NAN;
    assert!(matches!(lu.factor(&a), Err(FactorError::NotFinite { .. })));
}

#[test]
fn cholesky_and_conjugate_gradients_refuse_unsymmetric_matrices() {
    for backend in [Backend::Cholesky, Backend::Cg] {
        let refused = solver(backend).factor(&unsymmetric(9, 3)).unwrap_err();
        assert_eq!(refused, FactorError::Unsymmetric { unknowns: 9 });
        assert!(refused.to_string().contains("\"lu\""));
    }
}
