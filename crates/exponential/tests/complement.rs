//! Solves on the complement of the modes against dense solves, and modes that follow a system.

mod common;
#[path = "common/modes.rs"]
mod modes;

use common::{DenseSystem, times};
use exponential::complement::Complement;
use exponential::dense::DenseLu;
use exponential::low_rank::LowRank;
use exponential::subspace::ModalSubspace;
use modes::eigenvectors;

const N: usize = 24;
const MODES: usize = 5;

/// Returns M + c D + c² K, by rows.
fn step_matrix(s: &DenseSystem, c: f64) -> Vec<f64> {
    (0..N * N)
        .map(|k| s.mass[k] + c * s.damping[k] + c * c * s.stiffness[k])
        .collect()
}

/// Returns M + Qᵀ (c D + c² K Q), Q = I − X XᵀM, by rows.
fn projected_matrix(s: &DenseSystem, modes: &ModalSubspace, c: f64) -> Vec<f64> {
    let column = |j: usize| {
        let mut unit = vec![0.0; N];
        unit[j] = 1.0;
        let (mut out, mut f, mut part) = (vec![0.0; N], vec![0.0; N], vec![0.0; N]);
        times(N, &s.mass, &unit, &mut out);
        times(N, &s.damping, &unit, &mut f);
        let mut coefficients = Vec::new();
        modes.coefficients(&unit, &mut coefficients);
        modes.remove(&coefficients, &mut unit);
        times(N, &s.stiffness, &unit, &mut part);
        for i in 0..N {
            f[i] = c * f[i] + c * c * part[i];
        }
        modes.remove_force(&mut f, &mut coefficients);
        (0..N).map(|i| out[i] + f[i]).collect::<Vec<f64>>()
    };
    let columns: Vec<Vec<f64>> = (0..N).map(column).collect();
    (0..N * N).map(|k| columns[k % N][k / N]).collect()
}

/// Solves on the complement and by a dense factorization; returns the relative difference, the number of solves that the
/// preparation took, and the angle.
fn compare(s: &DenseSystem, modes: &ModalSubspace, c: f64) -> (f64, usize, f64) {
    let mut a = DenseLu::default();
    assert!(a.factor(N, &step_matrix(s, c)));
    let norm = |x: &[f64]| -> f64 {
        let mut y = vec![0.0; N];
        times(N, &s.mass, x, &mut y);
        x.iter().zip(&y).map(|(x, y)| x * y).sum()
    };
    let solve = |x: &mut [f64]| -> Result<(), std::convert::Infallible> {
        a.solve(x);
        Ok(())
    };
    let mut complement = Complement::default();
    let solves = complement
        .prepare(modes, c, |x: &mut [f64]| solve(x).map(|()| norm(x)))
        .unwrap();
    let b: Vec<f64> = (0..N).map(|i| (0.7 * i as f64 + 0.3).cos()).collect();
    let mut x = b.clone();
    complement.solve(modes, &mut x, solve).unwrap();
    let mut dense = DenseLu::default();
    assert!(dense.factor(N, &projected_matrix(s, modes, c)));
    let mut want = b;
    dense.solve(&mut want);
    let largest = want.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let differences = x.iter().zip(&want).map(|(x, y)| (x - y).abs());
    let error = differences.fold(0.0, f64::max) / largest;
    (error, solves, complement.angle)
}

/// A chain, and the same chain with other springs to the ground and a damper.
fn changed(damper: f64) -> (DenseSystem, DenseSystem) {
    let before = DenseSystem::chain(N, 50.0, [0.0, 0.0], 0.0);
    let mut after = DenseSystem::chain(N, 50.0, [0.1, 3e-3], damper);
    (0..N).for_each(|i| after.stiffness[i * N + i] += 3.0 * (i as f64).sin());
    (before, after)
}

fn modes_of(before: &DenseSystem, now: &mut DenseSystem) -> ModalSubspace {
    let mut modes = ModalSubspace::default();
    modes.set_vectors(now, eigenvectors(before, MODES));
    modes.linearise(now);
    modes
}

#[test]
fn eigenvectors_need_no_further_solve() {
    let s = DenseSystem::chain(N, 50.0, [0.2, 1e-2], 0.0);
    let mut same = DenseSystem::chain(N, 50.0, [0.2, 1e-2], 0.0);
    let modes = modes_of(&s, &mut same);
    for c in [1e-3, 0.05, 1.0, 30.0] {
        let (error, solves, angle) = compare(&s, &modes, c);
        assert!(error < 1e-10, "c = {c}: {error:e}");
        assert_eq!((solves, angle), (0, 0.0));
    }
}

#[test]
fn stale_modes_need_one_solve_each() {
    let (before, mut after) = changed(7.0);
    let modes = modes_of(&before, &mut after);
    for c in [1e-3, 0.05, 1.0, 30.0] {
        let (error, solves, angle) = compare(&after, &modes, c);
        assert!(error < 1e-10, "c = {c}: {error:e}");
        assert_eq!(solves, MODES);
        assert!(angle > 1e-2 && angle <= 1.0, "c = {c}: {angle}");
    }
}

/// Both corrections measure the same angle, with Rayleigh damping, and damping alone does not count.
#[test]
fn the_angle_is_that_of_the_low_rank_correction() {
    let (before, mut after) = changed(0.0);
    after.damping.fill(0.0);
    let modes = modes_of(&before, &mut after);
    for c in [0.05, 1.0] {
        let mut a = DenseLu::default();
        assert!(a.factor(N, &step_matrix(&after, c)));
        let mut low_rank = LowRank::default();
        let prepared = low_rank.prepare(&modes, c, |x: &mut [f64]| {
            a.solve(x);
            let mut y = vec![0.0; N];
            times(N, &after.mass, x, &mut y);
            Ok::<f64, ()>(x.iter().zip(&y).map(|(x, y)| x * y).sum())
        });
        assert!(prepared.is_ok());
        let angle = compare(&after, &modes, c).2;
        assert!(
            (angle / low_rank.angle - 1.0).abs() < 1e-6,
            "c = {c}: {angle} and {}",
            low_rank.angle
        );
    }
    let before = DenseSystem::chain(N, 50.0, [0.0, 0.0], 0.0);
    let mut damped = DenseSystem::chain(N, 50.0, [0.0, 0.0], 9.0);
    let modes = modes_of(&before, &mut damped);
    let angle = compare(&damped, &modes, 0.05).2;
    assert!(angle < 1e-6, "{angle:e}");
}

/// Modes that follow the system stay M-orthonormal, and approach its eigenvectors in every step.
#[test]
fn modes_follow_a_system() {
    let (before, mut after) = changed(0.0);
    let mut modes = modes_of(&before, &mut after);
    let c = 1.0;
    let mut a = DenseLu::default();
    assert!(a.factor(N, &step_matrix(&after, c)));
    let exact = modes_of(&after_copy(&after), &mut after_copy(&after));
    let distance = |modes: &ModalSubspace| {
        let blocks = modes.blocks.iter().zip(&exact.blocks);
        let errors = blocks.map(|(b, e)| (b.stiffness / e.stiffness - 1.0).abs());
        errors.take(MODES - 1).fold(0.0, f64::max)
    };
    let mut errors = vec![distance(&modes)];
    for _ in 0..6 {
        let solve = |_: &mut DenseSystem, x: &mut [f64]| {
            a.solve(x);
            Ok(())
        };
        modes.follow(&mut after, solve).unwrap();
        modes.linearise(&mut after);
        errors.push(distance(&modes));
        let mut y = vec![0.0; N];
        for (i, x) in modes.given.iter().enumerate() {
            times(N, &after.mass, x, &mut y);
            for (j, z) in modes.given.iter().enumerate() {
                let product: f64 = y.iter().zip(z).map(|(y, z)| y * z).sum();
                let wanted = f64::from(u8::from(i == j));
                assert!((product - wanted).abs() < 1e-12, "({i}, {j}): {product}");
            }
        }
    }
    assert!(
        errors[0] > 0.02 && errors[1] < 0.2 * errors[0],
        "{errors:?}"
    );
    assert!(errors[6] < 1e-2 * errors[1], "{errors:?}");
}

fn after_copy(s: &DenseSystem) -> DenseSystem {
    let mut copy = DenseSystem::chain(N, 50.0, [0.0, 0.0], 0.0);
    copy.stiffness.clone_from(&s.stiffness);
    copy.mass.clone_from(&s.mass);
    copy
}
