//! Patterns that change: entries beside the pattern, orders that are taken over, stamps.

use std::sync::Arc;

use sparse::{
    Backend, Cholesky, EliminationOrder, FactorError, LinearSolver, MAX_FLOP_GROWTH, Matrix,
    OffPatternEntry, Ordering, Pattern, solver,
};

mod common;
use common::{Random, elastic_block};

const BACKENDS: [Backend; 3] = [Backend::Cholesky, Backend::Lu, Backend::Cg];

/// Adds springs of stiffness `k` between distant vertices of a matrix with three unknowns per vertex; their diagonal blocks
/// are on the pattern, the others off it.
fn with_springs(a: &Matrix, springs: usize, k: f64, random: &mut Random) -> Matrix {
    let mut out = a.clone();
    let vertices = a.n() / 3;
    let mut entries: Vec<OffPatternEntry> = Vec::new();
    while entries.len() < 9 * springs {
        let (p, q) = (
            random.bits() as usize % vertices,
            random.bits() as usize % vertices,
        );
        let (row, column) = (3 * p.max(q), 3 * p.min(q));
        let known = entries.iter().any(|e| e.row == row && e.column == column);
        if p == q || known || a.pattern().find(row, column).is_some() {
            continue;
        }
        let n = [random.signed(), random.signed(), random.signed()];
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            let value = k * n[i] * n[j];
            entries.push(OffPatternEntry {
                row: row + i,
                column: column + j,
                value: -value,
            });
            for first in [row, column] {
                if i >= j {
                    let at = a.pattern().find(first + i, first + j).unwrap();
                    out.values_mut()[at] += value;
                }
            }
        }
    }
    out.set_off_pattern(entries);
    out
}

/// Largest difference of two vectors, relative to the largest entry of the second.
fn difference(x: &[f64], y: &[f64]) -> f64 {
    let apart = x.iter().zip(y).map(|(x, y)| (x - y).abs());
    apart.fold(0.0, f64::max) / y.iter().fold(0.0, |m: f64, y| m.max(y.abs()))
}

#[test]
fn entries_off_the_pattern_are_solved_with_as_if_they_were_on_it() {
    let mut random = Random::new(3);
    let plain = elastic_block(6, 5, 4, 1.0);
    for (springs, k) in [
        (1, 1.0),
        (4, 1e-6),
        (8, 1.0),
        (8, 1e3),
        (8, 1e7),
        (30, 10.0),
    ] {
        let a = with_springs(&plain, springs, k, &mut random);
        let merged = a.on_extended_pattern();
        assert!(merged.off_pattern().is_empty());
        assert!(merged.pattern().nnz() == a.pattern().nnz() + a.off_pattern().len());
        let want = random.vector(a.n());
        let mut b = vec![0.0; a.n()];
        merged.times(&want, &mut b);
        let mut c = vec![0.0; a.n()];
        a.times(&want, &mut c);
        assert!(difference(&c, &b) < 1e-14);
        let form = (merged.bilinear_form(&want, &b), a.bilinear_form(&want, &b));
        assert!((form.0 - form.1).abs() <= 1e-13 * form.0.abs());
        assert!((a.norm_inf() - merged.norm_inf()).abs() <= 1e-13 * merged.norm_inf());
        for backend in BACKENDS {
            let (mut x, mut y) = (b.clone(), b.clone());
            let mut one = solver(backend);
            one.factor(&a).unwrap();
            one.solve(&mut x).unwrap();
            let mut other = solver(backend);
            other.factor(&merged).unwrap();
            other.solve(&mut y).unwrap();
            let limit: f64 = if backend == Backend::Cg { 1e-8 } else { 1e-12 };
            let (apart, error) = (difference(&x, &y), difference(&x, &want));
            // Ill-conditioned matrices magnify rounding in either way.
            let rounding = difference(&y, &want);
            assert!(
                apart < limit.max(10.0 * rounding),
                "{backend:?}, {springs} springs of {k}: {apart:e} apart, {error:e} wrong against {rounding:e}"
            );
        }
    }
}

#[test]
fn correcting_a_factor_needs_no_analysis() {
    let mut random = Random::new(8);
    let plain = elastic_block(6, 5, 4, 1.0);
    let mut cholesky = Cholesky::default();
    cholesky.factor(&plain).unwrap();
    for _ in 0..5 {
        let a = with_springs(&plain, 5, 2.0, &mut random);
        cholesky.factor(&a).unwrap();
        assert!(cholesky.pivots().is_none());
    }
    assert_eq!(cholesky.counts().analyses, 1);
    // And the entries are gone with their matrix.
    let b = random.vector(plain.n());
    let (mut x, mut y) = (b.clone(), b);
    cholesky.factor(&plain).unwrap();
    cholesky.solve(&mut x).unwrap();
    let mut fresh = Cholesky::default();
    fresh.factor(&plain).unwrap();
    fresh.solve(&mut y).unwrap();
    assert!(x.iter().zip(&y).all(|(x, y)| x.to_bits() == y.to_bits()));
}

#[test]
fn definiteness_is_that_of_the_whole_matrix() {
    let entry = |value| OffPatternEntry {
        row: 2,
        column: 0,
        value,
    };
    for backend in [Backend::Cholesky, Backend::Lu] {
        // Positive definite on the pattern, indefinite with the entry.
        let mut a = Matrix::identity(Pattern::new(3, [(1, 0)]));
        a.set_off_pattern([entry(1.5)]);
        let factored = solver(backend).factor(&a);
        match backend {
            Backend::Lu => assert_eq!(factored, Ok(())),
            _ => assert!(matches!(factored, Err(FactorError::Indefinite { .. }))),
        }
    }
    let mut a = with_springs(&elastic_block(3, 3, 3, 1.0), 2, 1.0, &mut Random::new(1));
    let bad = a.off_pattern()[0];
    a.set_off_pattern([OffPatternEntry {
        value: f64::NAN,
        ..bad
    }]);
    let not_finite = Cholesky::default().factor(&a);
    assert!(matches!(not_finite, Err(FactorError::NotFinite { row, .. }) if row == bad.row));
}

/// Ones on the diagonal and 0.9 elsewhere is positive definite; with a zero at (2, 0) it is not.
#[test]
fn a_matrix_that_is_definite_only_with_its_entries_off_the_pattern_is_factored_on_a_larger_one() {
    let mut a = Matrix::identity(Pattern::new(3, [(1, 0), (2, 1)]));
    for (i, j) in [(1, 0), (2, 1)] {
        let k = a.pattern().find(i, j).unwrap();
        a.values_mut()[k] = 0.9;
    }
    let refused = Cholesky::default().factor(&a);
    assert!(matches!(refused, Err(FactorError::Indefinite { .. })));
    a.set_off_pattern([OffPatternEntry {
        row: 2,
        column: 0,
        value: 0.9,
    }]);
    let mut cholesky = Cholesky::default();
    for _ in 0..2 {
        cholesky.factor(&a).unwrap();
        let want = [1.0, -2.0, 3.0];
        let mut b = [0.0; 3];
        a.times(&want, &mut b);
        cholesky.solve(&mut b).unwrap();
        assert!(difference(&b, &want) < 1e-12, "{b:?}");
    }
    assert_eq!(cholesky.counts().analyses, 2);
}

/// The block of couplings of every vertex with every vertex that is `far` away.
fn far_pairs(n: usize, far: usize) -> Vec<(usize, usize)> {
    let unknowns =
        |p: usize, q: usize| (0..3).flat_map(move |i| (0..3).map(move |j| (3 * p + i, 3 * q + j)));
    (0..n / 3 - far)
        .flat_map(|p| unknowns(p, p + far))
        .collect()
}

#[test]
fn orders_are_taken_over_until_they_cost_half_as_much_again() {
    let a = elastic_block(12, 12, 12, 1.0);
    let base = a.pattern();
    let few = far_pairs(a.n(), 600);
    let few = Pattern::extended(base, few.into_iter().take(18), Some(base));
    assert!(few.inherits_order());
    let (own, fresh) = (
        few.elimination_order(),
        EliminationOrder::compute(&few, Ordering::Best),
    );
    assert!(own.flops >= base.elimination_order().flops);
    assert!(own.flops <= MAX_FLOP_GROWTH * base.elimination_order().flops);
    let mut permutation = own.permutation.clone();
    permutation.sort_unstable();
    assert!(permutation.into_iter().eq(0..a.n()));
    assert!(fresh.flops > 0.0);
    // Chains of patterns refer to the one whose order was found.
    let more = Pattern::extended(base, far_pairs(a.n(), 601).into_iter().take(18), Some(&few));
    assert!(more.inherits_order());

    let many = Pattern::extended(base, far_pairs(a.n(), 700), Some(base));
    assert!(!many.inherits_order());
    assert_eq!(
        many.elimination_order().flops,
        EliminationOrder::compute(&many, Ordering::Best).flops
    );
    let order_kept = Pattern::extended(&many, [(0, a.n() - 1)], Some(&many));
    assert!(order_kept.inherits_order());

    let mut cholesky = Cholesky::default();
    let mut counted = Vec::new();
    for pattern in [base, &few, &more, &many, &order_kept] {
        let mut matrix = Matrix::new(pattern.clone());
        matrix.add_scaled(1.0, &a);
        cholesky.factor(&matrix).unwrap();
        let counts = cholesky.counts();
        counted.push((counts.analyses, counts.orderings));
        let want = Random::new(2).vector(a.n());
        let mut b = vec![0.0; a.n()];
        a.times(&want, &mut b);
        cholesky.solve(&mut b).unwrap();
        assert!(difference(&b, &want) < 1e-9);
    }
    assert_eq!(counted, [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2)]);
}

#[test]
fn patterns_are_told_by_their_content_and_stamp() {
    let base = Pattern::new(5, [(1, 0), (3, 2)]);
    let same = Pattern::extended(&base, [(2, 3), (4, 4)], Some(&base));
    assert!(Arc::ptr_eq(&base, &same), "nothing was added");
    let one = Pattern::extended(&base, [(4, 0), (0, 4)], Some(&base));
    assert_eq!(one.nnz(), base.nnz() + 1);
    assert!(one.find(4, 0).is_some() && one.find(1, 0).is_some());
    assert_ne!(one.stamp(), base.stamp());
    assert_ne!(one.fingerprint(), base.fingerprint());
    let twin_base = Pattern::new(5, [(3, 2), (1, 0)]);
    let twin = Pattern::extended(&twin_base, [(4, 0)], Some(&twin_base));
    assert_ne!(one.stamp(), twin.stamp());
    assert!(one.has_same_structure(&twin));
    assert_eq!(one.fingerprint(), twin.fingerprint());

    let mut matrix = Matrix::identity(base.clone());
    assert!(!matrix.ensure_pattern(&base));
    assert_eq!(matrix.entry(0, 0), 1.0);
    assert!(matrix.ensure_pattern(&one));
    assert!(matrix.values().iter().all(|v| *v == 0.0) && matrix.values().len() == one.nnz());
}

#[test]
#[should_panic(expected = "is not a below-diagonal entry")]
fn entries_on_the_pattern_are_not_off_it() {
    let mut a = Matrix::identity(Pattern::new(3, [(1, 0)]));
    a.set_off_pattern([OffPatternEntry {
        row: 1,
        column: 0,
        value: 1.0,
    }]);
}
