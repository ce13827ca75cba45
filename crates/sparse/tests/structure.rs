//! Patterns, matrices and orderings.

use proptest::prelude::*;
use sparse::{
    Backend, Cholesky, EliminationOrder, LinearSolver, Matrix, Ordering, Pattern, solver,
};

mod common;
use common::{Random, dense_solve, elastic_block, laplacian, tet_edges};

#[test]
fn patterns_are_sorted_symmetric_and_hold_the_diagonal() {
    let p = Pattern::new(4, [(0, 2), (2, 0), (3, 1), (3, 1), (1, 1)]);
    assert_eq!((p.n(), p.nnz()), (4, 6));
    assert_eq!(p.column_starts(), [0, 2, 4, 5, 6]);
    assert_eq!(p.row_indices(), [0, 2, 1, 3, 2, 3]);
    assert_eq!((p.find(0, 2), p.find(2, 0)), (Some(1), Some(1)));
    assert_eq!((p.find(1, 0), p.find(9, 0)), (None, None));
    assert_ne!(p.stamp(), Pattern::new(4, []).stamp());
}

#[test]
fn blocks_are_what_their_entries_say() {
    // Vertices of 3, 0, 1 and 2 unknowns; vertex 1 is held and couples to nothing, as does vertex 9 that does not exist.
    let groups = vec![0, 0, 0, 2, 3, 3];
    let blocks = Pattern::blocks(groups.clone(), [(0, 1), (2, 0), (3, 2), (9, 0)]);
    let joined = |a: u32, b: u32| a == b || [(0, 2), (2, 3)].contains(&(a.min(b), a.max(b)));
    let entries = (0..6)
        .flat_map(|i| (0..6).map(move |j| (i, j)))
        .filter(|&(i, j)| joined(groups[i], groups[j]));
    let listed = Pattern::grouped(6, entries, groups.clone());
    assert!(blocks.has_same_structure(&listed));
    assert_ne!(blocks.stamp(), listed.stamp());
}

#[test]
fn dissection_beats_minimum_degree_on_a_solid() {
    let n = 20;
    let groups = (0..3 * (n * n * n) as u32).map(|i| i / 3).collect();
    let pattern = Pattern::blocks(groups, tet_edges(n, n, n));
    let natural = EliminationOrder::compute(&pattern, Ordering::Natural);
    let amd = EliminationOrder::compute(&pattern, Ordering::Amd);
    let dissection = EliminationOrder::compute(&pattern, Ordering::NestedDissection);
    let best = EliminationOrder::compute(&pattern, Ordering::Best);
    assert!(
        dissection.flops < 0.7 * amd.flops,
        "{:e} {:e}",
        dissection.flops,
        amd.flops
    );
    assert!(
        amd.flops < 0.6 * natural.flops,
        "{:e} {:e}",
        amd.flops,
        natural.flops
    );
    assert_eq!(
        (best.method, best.flops),
        (Ordering::NestedDissection, dissection.flops)
    );
    let mut seen = best.permutation.clone();
    seen.sort_unstable();
    assert!(
        seen.iter().enumerate().all(|(i, &s)| i == s),
        "not a permutation"
    );
}

#[test]
fn the_cost_of_known_orders_is_known() {
    // A tridiagonal matrix in natural order: two entries a column, one in the last.
    let chain = EliminationOrder::compute(laplacian(&[100]).pattern(), Ordering::Natural);
    assert_eq!((chain.entries, chain.flops), (199.0, 99.0 * 4.0 + 1.0));
    // A dense one in any order: n(n + 1)/2 entries and Σ k².
    let dense = Pattern::new(30, (0..30).flat_map(|i| (0..i).map(move |j| (i, j))));
    for by in [Ordering::Natural, Ordering::Amd, Ordering::NestedDissection] {
        let order = EliminationOrder::compute(&dense, by);
        assert_eq!(
            (order.entries, order.flops),
            (465.0, 30.0 * 31.0 * 61.0 / 6.0),
            "{by:?}"
        );
    }
}

#[test]
fn every_ordering_gives_the_same_solution() {
    let a = elastic_block(9, 9, 9, 2.0);
    let b = Random::new(8).vector(a.n());
    let mut wanted = Vec::new();
    for by in [
        Ordering::Best,
        Ordering::Amd,
        Ordering::NestedDissection,
        Ordering::Natural,
    ] {
        let mut x = b.clone();
        let mut cholesky = Cholesky::with_ordering(by);
        cholesky.factor(&a).unwrap();
        cholesky.solve(&mut x).unwrap();
        if wanted.is_empty() {
            wanted.clone_from(&x);
        }
        assert!(
            x.iter().zip(&wanted).all(|(x, w)| (x - w).abs() < 1e-12),
            "{by:?}"
        );
    }
}

#[test]
fn pivots_multiply_to_the_determinant() {
    // det of the chain's Laplacian is n + 1.
    let mut cholesky = Cholesky::default();
    assert!(cholesky.pivots().is_none());
    cholesky.factor(&laplacian(&[37])).unwrap();
    let det: f64 = cholesky.pivots().unwrap().iter().product();
    assert!((det - 38.0).abs() < 1e-10, "{det}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn products_agree_with_dense_ones(n in 1usize..30, seed: u64, density in 0.0f64..1.0) {
        let mut random = Random::new(seed);
        let (a, dense) = random.definite(n, density);
        let (x, y) = (random.vector(n), random.vector(n));
        let mut ay = vec![0.0; n];
        a.times(&y, &mut ay);
        let mut twice = ay.clone();
        a.add_times(-2.0, &y, &mut twice);
        let mut form = 0.0;
        for i in 0..n {
            let sum: f64 = (0..n).map(|j| dense[i * n + j] * y[j]).sum();
            prop_assert!((ay[i] - sum).abs() < 1e-12 * n as f64);
            prop_assert!((twice[i] + sum).abs() < 1e-12 * n as f64);
            prop_assert_eq!(a.entry(i, 0), dense[i * n]);
            form += x[i] * sum;
        }
        prop_assert!((a.bilinear_form(&x, &y) - form).abs() < 1e-11 * n as f64);
        let mut b = Matrix::new(a.pattern().clone());
        b.set_linear_combination(&[(2.0, &a), (-1.5, &a)]);
        b.add_scaled(0.5, &a);
        prop_assert!(b.values().iter().zip(a.values()).all(|(b, a)| (a - b).abs() < 1e-12 * n as f64));
        let norm = (0..n).map(|i| (0..n).map(|j| dense[i * n + j].abs()).sum::<f64>()).fold(0.0, f64::max);
        prop_assert!((a.norm_inf() - norm).abs() < 1e-12 * norm);
    }

    #[test]
    fn all_solvers_agree_with_dense_elimination(n in 1usize..60, seed: u64, density in 0.0f64..0.6, wide in 1u32..4) {
        let mut random = Random::new(seed);
        let (scalar, dense) = random.definite(n, density);
        // The same entries under groups of one to three unknowns whose blocks are not dense.
        let p = scalar.pattern();
        let entries = (0..n).flat_map(|j| p.row_indices()[p.column_starts()[j]..p.column_starts()[j + 1]].iter().map(move |&i| (i, j)));
        let mut a = Matrix::new(Pattern::grouped(n, entries, (0..n as u32).map(|i| i / wide).collect()));
        a.values_mut().copy_from_slice(scalar.values());
        let b = random.vector(n);
        let wanted = dense_solve(n, &dense, &b);
        for backend in [Backend::Cholesky, Backend::Lu, Backend::Cg] {
            let mut s = solver(backend);
            let mut x = b.clone();
            s.factor(&a).unwrap();
            s.solve(&mut x).unwrap();
            for i in 0..n {
                prop_assert!((x[i] - wanted[i]).abs() < 1e-7 * (1.0 + wanted[i].abs()), "{:?} {} {}", backend, x[i], wanted[i]);
            }
        }
    }
}
