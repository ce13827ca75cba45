//! Direct solvers against dense elimination and closed forms.

use sparse::{Cholesky, FactorError, LinearSolver, Matrix, Pattern};

mod common;
use common::{Random, dense_solve, elastic_block};

#[test]
fn names_the_pivot_that_fails() {
    // [[4, 2, 0], [2, 0.5, 0], [0, 0, 1]]: eliminating 0 leaves 0.5 − 1 = −0.5, or eliminating 1 first leaves 4 − 8 = −4.
    let a = Matrix::from_dense(3, &[4.0, 2.0, 0.0, 2.0, 0.5, 0.0, 0.0, 0.0, 1.0]);
    match Cholesky::default().factor(&a) {
        Err(FactorError::Indefinite {
            column,
            pivot,
            diagonal,
            unknowns: 3,
        }) => {
            assert!(
                (column, pivot, diagonal) == (1, -0.5, 0.5)
                    || (column, pivot, diagonal) == (0, -4.0, 4.0),
                "{column} {pivot} {diagonal}"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn names_the_pivot_that_fails_in_a_large_matrix() {
    for wrong in [0, 7, 100, 500, 899] {
        let mut a = elastic_block(10, 10, 3, 1.0);
        let k = a.pattern().find(wrong, wrong).unwrap();
        a.values_mut()[k] = -3.0;
        match Cholesky::default().factor(&a) {
            Err(FactorError::Indefinite { column, pivot, .. }) => {
                assert!(pivot <= -3.0 || column != wrong);
                assert_eq!(column, wrong, "pivot {pivot}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn solves_random_systems_like_dense_elimination() {
    let mut random = Random::new(7);
    for n in [1, 2, 3, 10, 60, 200] {
        for density in [0.02, 0.2, 0.9] {
            let (a, dense) = random.definite(n, density);
            let b: Vec<f64> = (0..n).map(|_| random.signed()).collect();
            let mut x = b.clone();
            let mut solver = Cholesky::default();
            solver.factor(&a).unwrap();
            solver.solve(&mut x).unwrap();
            let wanted = dense_solve(n, &dense, &b);
            for i in 0..n {
                assert!(
                    (x[i] - wanted[i]).abs() < 1e-11 * (1.0 + wanted[i].abs()),
                    "n {n}: {} {}",
                    x[i],
                    wanted[i]
                );
            }
        }
    }
}

#[test]
fn an_empty_matrix_is_no_trouble() {
    let a = Matrix::new(Pattern::new(0, []));
    let mut solver = Cholesky::default();
    solver.factor(&a).unwrap();
    solver.solve(&mut []).unwrap();
}
