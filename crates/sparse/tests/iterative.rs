//! Conjugate gradients against Cholesky.

use sparse::{Cg, Cholesky, FactorError, LinearSolver, Matrix, Preconditioner, SolveError};

mod common;
use common::{Random, elastic_block};

const BOTH: [Preconditioner; 2] = [
    Preconditioner::BlockJacobi,
    Preconditioner::IncompleteCholesky,
];

#[test]
fn agrees_with_cholesky() {
    for (size, stiffness) in [((6, 6, 6), 1.0), ((20, 20, 1), 100.0), ((30, 3, 3), 1e4)] {
        let a = elastic_block(size.0, size.1, size.2, stiffness);
        let b = Random::new(1).vector(a.n());
        let mut wanted = b.clone();
        let mut cholesky = Cholesky::default();
        cholesky.factor(&a).unwrap();
        cholesky.solve(&mut wanted).unwrap();
        let mut iterations = Vec::new();
        for preconditioner in BOTH {
            let mut cg = Cg::with_preconditioner(preconditioner);
            cg.tolerance = 1e-12;
            cg.factor(&a).unwrap();
            let mut x = b.clone();
            cg.solve(&mut x).unwrap();
            let size = wanted.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            for i in 0..a.n() {
                assert!(
                    (x[i] - wanted[i]).abs() < 1e-8 * size,
                    "{preconditioner:?} {}: {} {}",
                    i,
                    x[i],
                    wanted[i]
                );
            }
            iterations.push(cg.counts().iterations);
        }
        assert!(
            iterations[1] < iterations[0],
            "incomplete Cholesky should need fewer iterations: {iterations:?}"
        );
    }
}

#[test]
fn incomplete_cholesky_of_a_tridiagonal_matrix_is_complete() {
    let n = 50;
    let a = common::laplacian(&[n]);
    let mut cg = Cg::default();
    cg.factor(&a).unwrap();
    let mut x = Random::new(2).vector(n);
    cg.solve(&mut x).unwrap();
    assert_eq!(cg.counts().iterations, 1);
}

#[test]
fn meets_negative_curvature() {
    let mut a = elastic_block(5, 5, 5, 1.0);
    for k in 0..a.n() / 2 {
        let at = a.pattern().find(k, k).unwrap();
        a.values_mut()[at] -= 1.5;
    }
    assert!(matches!(
        Cholesky::default().factor(&a),
        Err(FactorError::Indefinite { .. })
    ));
    for preconditioner in BOTH {
        let mut cg = Cg::with_preconditioner(preconditioner);
        let mut x = Random::new(4).vector(a.n());
        match cg.factor(&a) {
            Ok(()) => match cg.solve(&mut x) {
                Err(SolveError::Indefinite { curvature, .. }) => assert!(curvature < 0.0),
                other => panic!("{preconditioner:?}: {other:?}"),
            },
            Err(FactorError::Indefinite { pivot, .. }) => assert!(pivot <= 0.0),
            other => panic!("{preconditioner:?}: {other:?}"),
        }
    }
}

#[test]
fn survives_a_breakdown_of_the_incomplete_factor() {
    // Kershaw's matrix (1978): positive definite, but IC(0) meets a negative pivot.
    let dense = [
        3.0, -2.0, 0.0, 2.0, -2.0, 3.0, -2.0, 0.0, 0.0, -2.0, 3.0, -2.0, 2.0, 0.0, -2.0, 3.0,
    ];
    let a = Matrix::from_dense(4, &dense);
    Cholesky::default().factor(&a).unwrap();
    let mut cg = Cg::default();
    cg.factor(&a).unwrap();
    let mut x = [1.0, 0.0, 0.0, 0.0];
    cg.solve(&mut x).unwrap();
    let mut y = [0.0; 4];
    a.times(&x, &mut y);
    assert!((y[0] - 1.0).abs() < 1e-9 && y[1..].iter().all(|y| y.abs() < 1e-9));
}

#[test]
fn says_when_it_gives_up() {
    let a = elastic_block(10, 10, 10, 1e4);
    let mut cg = Cg::default();
    cg.max_iterations = 3;
    cg.factor(&a).unwrap();
    let mut x = Random::new(6).vector(a.n());
    match cg.solve(&mut x) {
        Err(SolveError::NotConverged {
            iterations: 3,
            residual,
            wanted,
        }) => assert!(residual > wanted),
        other => panic!("{other:?}"),
    }
    // Nothing to do for a zero right-hand side.
    let mut zero = vec![0.0; a.n()];
    cg.solve(&mut zero).unwrap();
    assert!(zero.iter().all(|&x| x == 0.0));
}
