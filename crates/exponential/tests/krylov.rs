//! Krylov φ-functions against exponentials of the whole matrix.

mod common;

use common::DenseSystem;
use exponential::SecondOrder;
use exponential::dense::DenseExponential;
use exponential::krylov::{Inhomogeneity, KrylovPhi, MAX_DIMENSION};

/// The exponential of a rotation, of a nilpotent matrix and of a decay are known.
#[test]
fn exponentials_of_small_matrices() {
    let (mut e, mut out) = (DenseExponential::default(), Vec::new());
    let w = 37.0;
    e.exp(2, &[0.0, w, -w, 0.0], &mut out);
    for (x, y) in out.iter().zip([w.cos(), w.sin(), -w.sin(), w.cos()]) {
        assert!((x - y).abs() < 1e-13, "{out:?}");
    }
    e.exp(3, &[0.0, 1.0, 2.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0], &mut out);
    for (x, y) in out
        .iter()
        .zip([1.0, 1.0, 3.5, 0.0, 1.0, 3.0, 0.0, 0.0, 1.0])
    {
        assert!((x - y).abs() < 1e-15, "{out:?}");
    }
    e.exp(1, &[-700.0], &mut out);
    assert!((out[0] / (-700f64).exp() - 1.0).abs() < 1e-12, "{out:?}");
}

/// Computes the increment as the exponential of the augmented matrix of 2n + 2 rows.
fn dense(s: &mut DenseSystem, h: f64, b: &Inhomogeneity) -> Vec<f64> {
    let n = s.n;
    let size = 2 * n + 2;
    let mut a = vec![0.0; size * size];
    let (mut x, mut y) = (vec![0.0; n], vec![0.0; n]);
    for j in 0..n {
        a[j * size + n + j] = h;
        x.fill(0.0);
        x[j] = 1.0;
        s.stiffness_times(&x, &mut y);
        s.solve_mass(&mut y).unwrap();
        (0..n).for_each(|i| a[(n + i) * size + j] = -h * y[i]);
        s.damping_times(&x, &mut y);
        s.solve_mass(&mut y).unwrap();
        (0..n).for_each(|i| a[(n + i) * size + n + j] = -h * y[i]);
        a[j * size + size - 1] = h * b.u[j];
        a[(n + j) * size + size - 1] = h * b.v[j];
        a[(n + j) * size + size - 2] = h * b.rate[j];
    }
    a[(size - 2) * size + size - 1] = h;
    let (mut e, mut out) = (DenseExponential::default(), Vec::new());
    e.exp(size, &a, &mut out);
    (0..2 * n).map(|i| out[i * size + size - 1]).collect()
}

/// Returns the error relative to the size of the result, displacements and velocities each, and the work.
fn error(s: &mut DenseSystem, h: f64, rate: f64) -> (f64, exponential::krylov::KrylovWork) {
    let n = s.n;
    let vector = |p: f64, size: f64| -> Vec<f64> {
        (0..n).map(|i| size * (1.7 * i as f64 + p).sin()).collect()
    };
    let (u, v, rate) = (vector(0.1, 1.0), vector(0.9, 3.0), vector(2.0, rate));
    let b = Inhomogeneity {
        u: &u,
        v: &v,
        rate: &rate,
    };
    let (mut du, mut dv) = (vec![0.0; n], vec![0.0; n]);
    let work = KrylovPhi::default()
        .increment(s, h, b, 1e-12, &mut du, &mut dv)
        .unwrap();
    let want = dense(s, h, &b);
    let largest = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let mut worst = 0.0_f64;
    for (found, want) in [(&du, &want[..n]), (&dv, &want[n..])] {
        let difference: Vec<f64> = found.iter().zip(want).map(|(x, y)| x - y).collect();
        worst = worst.max(largest(&difference) / largest(want));
    }
    (worst, work)
}

#[test]
fn krylov_increments_equal_the_dense_exponential() {
    for (name, mut system) in [
        ("undamped", DenseSystem::chain(25, 40.0, [0.0, 0.0], 0.0)),
        ("Rayleigh", DenseSystem::chain(25, 40.0, [0.3, 2e-3], 0.0)),
        ("damper", DenseSystem::chain(25, 40.0, [0.0, 0.0], 5.0)),
        (
            "stiffly damped",
            DenseSystem::chain(25, 40.0, [0.0, 0.5], 0.0),
        ),
    ] {
        for h in [1e-3, 0.1, 1.0, 7.0] {
            let (error, work) = error(&mut system, h, 2.0);
            // Errors are relative to h b, of which stiff damping leaves little.
            let wanted = if name == "stiffly damped" {
                1e-9
            } else {
                1e-10
            };
            assert!(error < wanted, "{name}, h = {h}: {error:e} with {work:?}");
        }
    }
}

/// A free chain has a rigid motion: K and J are singular, and φ is still defined.
#[test]
fn free_bodies_have_increments() {
    let mut system = DenseSystem::chain(20, 30.0, [0.0, 0.0], 0.0);
    system.stiffness[0] -= 30.0;
    for h in [0.05, 3.0] {
        let (error, _) = error(&mut system, h, 0.5);
        assert!(error < 1e-10, "h = {h}: {error:e}");
    }
}

/// A compressed body has a few negative eigenvalues.
#[test]
fn indefinite_stiffness_is_handled() {
    let mut system = DenseSystem::chain(20, 30.0, [0.0, 0.0], 0.0);
    for i in 0..20 {
        system.stiffness[i * 20 + i] -= 1.5;
    }
    for h in [0.05, 2.0] {
        let (error, _) = error(&mut system, h, 0.5);
        assert!(error < 1e-10, "h = {h}: {error:e}");
    }
}

/// Products grow with the highest frequency times the step, memory does not.
#[test]
fn work_grows_with_the_step_and_the_basis_does_not() {
    let mut system = DenseSystem::chain(40, 1e4, [0.0, 0.0], 0.0);
    let (_, short) = error(&mut system, 0.01, 0.0);
    let (_, long) = error(&mut system, 1.0, 0.0);
    assert!(long.products > 10 * short.products, "{short:?}, {long:?}");
    assert!(long.substeps > 1);
    assert!(long.products <= long.substeps * MAX_DIMENSION as u64);
}

#[test]
fn nothing_moves_without_rates() {
    let mut system = DenseSystem::chain(5, 1.0, [0.0, 0.0], 0.0);
    let zero = [0.0; 5];
    let b = Inhomogeneity {
        u: &zero,
        v: &zero,
        rate: &zero,
    };
    let (mut du, mut dv) = ([1.0; 5], [1.0; 5]);
    let work = KrylovPhi::default().increment(&mut system, 0.1, b, 1e-12, &mut du, &mut dv);
    assert_eq!(work.unwrap().products, 0);
    assert_eq!([du, dv], [zero, zero]);
}
