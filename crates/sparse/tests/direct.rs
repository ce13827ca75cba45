//! Direct solvers against dense elimination and closed forms.

use sparse::{
    Backend, Cholesky, FactorError, LinearSolver, Lu, Matrix, Pattern, SolveError, SolverCounts,
    solver,
};

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

#[test]
fn the_failing_pivot_is_that_of_plain_elimination() {
    // A dense matrix is one supernode; its order of elimination is asked for, then repeated by hand.
    let n = 70;
    let mut random = Random::new(11);
    let (mut a, mut dense) = random.definite(n, 1.0);
    for i in [33, 60] {
        dense[i * n + i] = 1.0;
        let k = a.pattern().find(i, i).unwrap();
        a.values_mut()[k] = 1.0;
    }
    let mut solver = Cholesky::default();
    let Err(FactorError::Indefinite { column, pivot, .. }) = solver.factor(&a) else {
        panic!("definite?")
    };
    let order = solver.order().unwrap().permutation.clone();
    for (k, &p) in order.iter().enumerate() {
        let d = dense[p * n + p];
        if d <= 0.0 {
            assert_eq!(p, column);
            assert!((d - pivot).abs() < 1e-10 * d.abs(), "{d} {pivot}");
            return;
        }
        for &i in &order[k + 1..] {
            for &j in &order[k + 1..] {
                dense[i * n + j] -= dense[i * n + p] * dense[p * n + j] / d;
            }
        }
    }
    panic!("plain elimination found no bad pivot");
}

#[test]
fn refactoring_equals_a_fresh_factorization_to_the_bit() {
    let first = elastic_block(8, 7, 6, 1.0);
    let mut second = first.clone();
    for (k, v) in second.values_mut().iter_mut().enumerate() {
        *v *= 1.0 + 0.01 * ((k % 17) as f64 / 17.0);
    }
    second.add_diagonal(1.0);
    for backend in [Backend::Cholesky, Backend::Lu, Backend::Cg] {
        let b = Random::new(3).vector(first.n());
        let (mut used, mut fresh) = (solver(backend), solver(backend));
        let (mut x, mut y) = (b.clone(), b.clone());
        used.factor(&first).unwrap();
        used.solve(&mut x).unwrap();
        x.copy_from_slice(&b);
        used.factor(&second).unwrap();
        used.solve(&mut x).unwrap();
        fresh.factor(&second).unwrap();
        fresh.solve(&mut y).unwrap();
        assert!(
            x.iter().zip(&y).all(|(x, y)| x.to_bits() == y.to_bits()),
            "{backend:?}"
        );
        assert_eq!(used.counts().analyses, 1, "{backend:?}");
        assert_eq!(used.counts().factorizations, 2, "{backend:?}");
        assert_eq!(used.counts().solves, 2, "{backend:?}");
    }
}

#[test]
fn analyses_only_when_the_pattern_changes() {
    let a = elastic_block(4, 4, 4, 1.0);
    let mut solver = Cholesky::default();
    for _ in 0..5 {
        solver.factor(&a).unwrap();
    }
    // Another stamp, but the same entries: the analysis still serves.
    let again = elastic_block(4, 4, 4, 1.0);
    assert_ne!(a.pattern().stamp(), again.pattern().stamp());
    solver.factor(&again).unwrap();
    assert_eq!(
        solver.counts(),
        SolverCounts {
            analyses: 1,
            orderings: 1,
            factorizations: 6,
            ..SolverCounts::default()
        }
    );
    solver.factor(&elastic_block(4, 4, 5, 1.0)).unwrap();
    assert_eq!(solver.counts().analyses, 2);
}

#[test]
fn refuses_what_is_not_finite_and_says_where() {
    for backend in [Backend::Auto, Backend::Cholesky, Backend::Lu, Backend::Cg] {
        let mut a = elastic_block(3, 3, 3, 1.0);
        let mut s = solver(backend);
        s.factor(&a).unwrap();
        let k = a.pattern().find(5, 3).unwrap();
        a.values_mut()[k] = f64::NAN;
        match s.factor(&a) {
            Err(FactorError::NotFinite {
                row: 5,
                column: 3,
                value,
            }) => assert!(value.is_nan()),
            other => panic!("{other:?}"),
        }
        let mut x = vec![0.0; a.n()];
        assert_eq!(s.solve(&mut x), Err(SolveError::NotFactored));
        a.values_mut()[k] = 0.0;
        s.factor(&a).unwrap();
        assert_eq!(
            s.solve(&mut x[1..]),
            Err(SolveError::Length {
                given: 80,
                wanted: 81
            })
        );
        x[7] = f64::INFINITY;
        assert!(
            matches!(s.solve(&mut x), Err(SolveError::NotFinite { .. })),
            "{backend:?}"
        );
    }
}

#[test]
fn solves_indefinite_systems() {
    let mut random = Random::new(5);
    for n in [1, 2, 5, 40, 150] {
        for density in [0.05, 0.5] {
            let (mut a, mut dense) = random.definite(n, density);
            for i in 0..n {
                // A shift into the spectrum.
                let shift = if i % 3 == 0 {
                    2.0 * dense[i * n + i]
                } else {
                    0.0
                };
                dense[i * n + i] -= shift;
                let k = a.pattern().find(i, i).unwrap();
                a.values_mut()[k] -= shift;
            }
            assert!(matches!(
                Cholesky::default().factor(&a),
                Err(FactorError::Indefinite { .. })
            ));
            let b = random.vector(n);
            let mut x = b.clone();
            let mut lu = Lu::default();
            lu.factor(&a).unwrap();
            lu.solve(&mut x).unwrap();
            let wanted = dense_solve(n, &dense, &b);
            for i in 0..n {
                assert!(
                    (x[i] - wanted[i]).abs() < 1e-9 * (1.0 + wanted[i].abs()),
                    "{n} {}: {} {}",
                    i,
                    x[i],
                    wanted[i]
                );
            }
        }
    }
}

#[test]
fn solves_saddle_points() {
    // [[K, Bᵀ], [B, 0]]: held multipliers beside a stiff block, zero diagonals.
    let mut random = Random::new(9);
    let (n, m) = (60, 25);
    let total = n + m;
    let (_, k) = random.definite(n, 0.1);
    let mut dense = vec![0.0; total * total];
    for i in 0..n {
        for j in 0..n {
            dense[i * total + j] = 1e-6 * k[i * n + j];
        }
    }
    for r in 0..m {
        for c in [r, r + 20, r + 30] {
            let value = random.signed();
            dense[(n + r) * total + c] = value;
            dense[c * total + n + r] = value;
        }
    }
    let a = Matrix::from_dense(total, &dense);
    let b = random.vector(total);
    let mut x = b.clone();
    let mut lu = Lu::default();
    lu.factor(&a).unwrap();
    lu.solve(&mut x).unwrap();
    let mut r = b.clone();
    a.add_times(-1.0, &x, &mut r);
    let size = x.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
    assert!(r.iter().all(|r| r.abs() < 1e-9 * size), "{r:?}");
}

#[test]
fn refuses_singular_matrices_with_a_sentence() {
    // A free body: rigid motions cost nothing.
    let free = {
        let with_mass = elastic_block(5, 4, 3, 1.0);
        let mut k = with_mass.clone();
        k.add_diagonal(-1.0);
        k
    };
    let zero = Matrix::new(Pattern::new(4, [(0, 1)]));
    let rank_one = Matrix::from_dense(3, &[1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 3.0, 6.0, 9.0]);
    for (name, a) in [("free", free), ("zero", zero), ("rank one", rank_one)] {
        match Lu::default().factor(&a) {
            Err(e @ FactorError::Singular { .. }) => {
                assert!(e.to_string().contains("singular"), "{e}")
            }
            other => panic!("{name}: {other:?}"),
        }
    }
    // Ill scaled is not singular.
    let scaled = Matrix::from_diagonal(&[1e-12, -1.0, 1e12]);
    let mut lu = Lu::default();
    lu.factor(&scaled).unwrap();
    let mut x = [1.0, 1.0, 1.0];
    lu.solve(&mut x).unwrap();
    assert!((x[0] * 1e-12 - 1.0).abs() < 1e-12 && (x[2] * 1e12 - 1.0).abs() < 1e-12);
}

#[test]
fn exchanges_rows_freely_where_pivots_inside_supernodes_fail() {
    // [[0, Bᵀ], [B, 0]] with a dominant B: whatever is eliminated first has a zero pivot and its partner elsewhere.
    let (m, n) = (60, 120);
    let mut random = Random::new(21);
    let mut dense = vec![0.0; n * n];
    for i in 0..m {
        for _ in 0..3 {
            dense[(m + i) * n + random.bits() as usize % m] = random.signed();
        }
        dense[(m + i) * n + i] = 4.0;
    }
    let a = Matrix::from_dense(n, &dense);
    let mut lu = Lu::default();
    for _ in 0..2 {
        lu.factor(&a).unwrap();
        let b = Random::new(12).vector(n);
        let mut x = b.clone();
        lu.solve(&mut x).unwrap();
        let mut ax = vec![0.0; n];
        a.times(&x, &mut ax);
        assert!(ax.iter().zip(&b).all(|(ax, b)| (ax - b).abs() < 1e-11));
    }
    // The second analysis is that of the LU with free row exchanges.
    assert_eq!(lu.counts().analyses, 2);
}
