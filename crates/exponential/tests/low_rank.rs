//! Low-rank corrected solves against dense solves of the same matrix.

mod common;
#[path = "common/modes.rs"]
mod modes;

use common::{DenseSystem, times};
use exponential::dense::DenseLu;
use exponential::low_rank::LowRank;
use exponential::subspace::ModalSubspace;
use modes::eigenvectors;

const N: usize = 24;

/// Returns the dense matrix I·A − Y Zᵀ = M + cD + c²K − (c²K X + c M X Γ)(M X)ᵀ, by rows.
fn dense_matrix(s: &DenseSystem, modes: &ModalSubspace, c: f64) -> Vec<f64> {
    let n = s.n;
    let mut a: Vec<f64> = (0..n * n)
        .map(|k| s.mass[k] + c * s.damping[k] + c * c * s.stiffness[k])
        .collect();
    let (mut mx, mut kx) = (vec![0.0; n], vec![0.0; n]);
    for &i in &modes.active {
        times(n, &s.mass, &modes.vectors[i], &mut mx);
        times(n, &s.stiffness, &modes.vectors[i], &mut kx);
        for r in 0..n {
            for q in 0..n {
                a[r * n + q] -= (c * c * kx[r] + c * modes.blocks[i].damping * mx[r]) * mx[q];
            }
        }
    }
    a
}

/// Solves by the correction and by a dense factorization; returns the relative difference and the number of solves that
/// the correction took.
fn compare(s: &mut DenseSystem, modes: &ModalSubspace, c: f64) -> (f64, usize, f64) {
    let n = s.n;
    let a: Vec<f64> = (0..n * n)
        .map(|k| s.mass[k] + c * s.damping[k] + c * c * s.stiffness[k])
        .collect();
    let mut sparse = DenseLu::default();
    assert!(sparse.factor(n, &a));
    let solve = |x: &mut [f64]| -> Result<(), std::convert::Infallible> {
        sparse.solve(x);
        Ok(())
    };
    let norm = |x: &[f64]| -> f64 {
        let mut y = vec![0.0; n];
        times(n, &s.mass, x, &mut y);
        x.iter().zip(&y).map(|(x, y)| x * y).sum()
    };
    let mut correction = LowRank::default();
    let solves = correction
        .prepare(modes, c, |x: &mut [f64]| solve(x).map(|()| norm(x)))
        .unwrap();
    let b: Vec<f64> = (0..n).map(|i| (0.7 * i as f64 + 0.3).cos()).collect();
    let mut x = b.clone();
    correction.solve(modes, &mut x, solve).unwrap();
    let mut dense = DenseLu::default();
    assert!(dense.factor(n, &dense_matrix(s, modes, c)));
    let mut want = b;
    dense.solve(&mut want);
    let largest = want.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let error = x
        .iter()
        .zip(&want)
        .fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()));
    (error / largest, solves, correction.angle)
}

#[test]
fn eigenvectors_need_no_further_solve() {
    let mut s = DenseSystem::chain(N, 50.0, [0.2, 1e-2], 0.0);
    let mut modes = ModalSubspace::default();
    let vectors = eigenvectors(&s, 5);
    modes.set_vectors(&mut s, vectors);
    modes.linearise(&mut s);
    for c in [1e-3, 0.05, 1.0, 30.0] {
        let (error, solves, _) = compare(&mut s, &modes, c);
        assert!(error < 1e-10, "c = {c}: {error:e}");
        assert_eq!(solves, 0);
    }
}

#[test]
fn stale_modes_need_one_solve_each() {
    let s = DenseSystem::chain(N, 50.0, [0.0, 0.0], 0.0);
    let vectors = eigenvectors(&s, 5);
    // The modes of the first chain in one of other stiffness and with a damper.
    let mut other = DenseSystem::chain(N, 50.0, [0.1, 3e-3], 7.0);
    (0..N).for_each(|i| other.stiffness[i * N + i] += 3.0 * (i as f64).sin());
    let mut modes = ModalSubspace::default();
    modes.set_vectors(&mut other, vectors);
    modes.linearise(&mut other);
    let mut angles = Vec::new();
    for c in [1e-3, 3e-3, 0.05, 1.0, 30.0] {
        let (error, solves, angle) = compare(&mut other, &modes, c);
        assert!(error < 1e-10, "c = {c}: {error:e}");
        assert_eq!(solves, 5);
        assert!(angle > 1e-2 && angle <= 1.0, "c = {c}: {angle}");
        angles.push(angle);
    }
    // The angle is that of the force along a mode, however short the step is.
    assert!((angles[0] / angles[1] - 1.0).abs() < 0.2, "{angles:?}");
}

/// Forces along modes of a stiffer spring chain are forces along the same modes.
#[test]
fn the_angle_is_that_of_the_change_of_the_modes() {
    let s = DenseSystem::chain(N, 50.0, [0.0, 0.0], 0.0);
    let vectors = eigenvectors(&s, 5);
    let angle_of = |change: f64| {
        let mut other = DenseSystem::chain(N, 50.0, [0.0, 0.0], 0.0);
        let scale = 1.0 + change;
        other.stiffness.iter_mut().for_each(|k| *k *= scale);
        (0..N).for_each(|i| other.stiffness[i * N + i] += change * (i as f64).sin());
        let mut modes = ModalSubspace::default();
        modes.set_vectors(&mut other, vectors.clone());
        modes.linearise(&mut other);
        compare(&mut other, &modes, 1.0).2
    };
    let [small, large] = [1e-3, 1e-2].map(angle_of);
    assert!(
        small > 0.0 && (large / small / 10.0 - 1.0).abs() < 0.1,
        "{small} {large}"
    );
}

#[test]
fn fast_modes_are_left_to_the_rest() {
    let mut s = DenseSystem::chain(N, 50.0, [0.0, 0.0], 0.0);
    let mut modes = ModalSubspace::default();
    let vectors = eigenvectors(&s, 4);
    modes.set_vectors(&mut s, vectors);
    modes.linearise(&mut s);
    let rates: Vec<f64> = modes.blocks.iter().map(|b| b.fastest_rate()).collect();
    assert!(rates.is_sorted() && rates[0] > 0.0, "{rates:?}");
    modes.activate(1.0, 0.5 * (rates[1] + rates[2]));
    assert_eq!(modes.active, [0, 1]);
    let (error, ..) = compare(&mut s, &modes, 0.3);
    assert!(error < 1e-10, "{error:e}");
}

/// The turned modes have a diagonal projected stiffness and still span the same space: a vector of it keeps its
/// coefficients' norm.
#[test]
fn modes_are_turned_into_ritz_vectors() {
    let s = DenseSystem::chain(N, 50.0, [0.0, 0.0], 0.0);
    let vectors = eigenvectors(&s, 5);
    let mut other = DenseSystem::chain(N, 50.0, [0.0, 0.0], 0.0);
    (0..N).for_each(|i| other.stiffness[i * N + i] += 3.0 * (i as f64).sin());
    let mut modes = ModalSubspace::default();
    modes.set_vectors(&mut other, vectors);
    modes.linearise(&mut other);
    let mut kx = vec![0.0; N];
    let dot = |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).map(|(x, y)| x * y).sum() };
    for i in 0..5 {
        times(N, &other.stiffness, &modes.vectors[i], &mut kx);
        for j in 0..5 {
            let entry = dot(&modes.vectors[j], &kx);
            let wanted = if i == j {
                modes.blocks[i].stiffness
            } else {
                0.0
            };
            assert!((entry - wanted).abs() < 1e-10 * 50.0, "({i}, {j}): {entry}");
        }
    }
    let (mut before, mut after) = (Vec::new(), Vec::new());
    modes.coefficients(&modes.given[2], &mut after);
    times(N, &other.mass, &modes.given[2], &mut kx);
    before.extend(modes.given.iter().map(|x| dot(x, &kx)));
    let norm = |x: &[f64]| dot(x, x);
    assert!((norm(&before) - norm(&after)).abs() < 1e-12, "{after:?}");
}
