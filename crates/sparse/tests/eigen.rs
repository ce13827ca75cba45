//! Ends of spectra against closed forms.

use sparse::{
    EigenError, Matrix, Pattern, counted_eigenpairs, highest_eigenvalue, lowest_eigenpairs,
};

mod common;
use common::{elastic_block, laplacian, laplacian_eigenvalues, sheared_block};

#[test]
fn grids_have_their_closed_form_eigenvalues() {
    for size in [
        &[1][..],
        &[5],
        &[200],
        &[12, 12],
        &[30, 7],
        &[9, 9, 9],
        &[12, 5, 5],
    ] {
        let k = laplacian(size);
        let n = k.n();
        let m = Matrix::identity(k.pattern().clone());
        let wanted = laplacian_eigenvalues(size);
        let count = n.min(12);
        let found = lowest_eigenpairs(&k, &m, count, 1e-8).unwrap();
        for (i, (lambda, x)) in found.iter().enumerate() {
            assert!(
                (lambda - wanted[i]).abs() < 1e-12 * wanted[n - 1] + 1e-10 * wanted[i],
                "{size:?} {i}: {lambda} {}",
                wanted[i]
            );
            let mut r = vec![0.0; n];
            k.times(x, &mut r);
            for j in 0..n {
                assert!((r[j] - lambda * x[j]).abs() < 1e-6 * wanted[n - 1].min(1.0));
            }
        }
        let top = highest_eigenvalue(&k, &m).unwrap();
        assert!(
            (top / wanted[n - 1] - 1.0).abs() < 1e-5,
            "{size:?}: {top} {}",
            wanted[n - 1]
        );
    }
}

#[test]
fn eigenvectors_are_orthonormal_in_the_mass() {
    let k = laplacian(&[10, 10]);
    // A tridiagonal, definite mass on its own, smaller pattern.
    let n = k.n();
    let mut m = laplacian(&[n]);
    m.add_diagonal(3.0);
    let found = lowest_eigenpairs(&k, &m, 9, 1e-9).unwrap();
    for (i, (li, x)) in found.iter().enumerate() {
        for (j, (_, y)) in found.iter().enumerate() {
            let wanted = if i == j { 1.0 } else { 0.0 };
            assert!((m.bilinear_form(x, y) - wanted).abs() < 1e-9);
            assert!((k.bilinear_form(x, y) - li * wanted).abs() < 1e-8);
        }
    }
}

#[test]
fn many_equal_bodies_have_many_equal_eigenvalues() {
    // Twenty separate chains of ten: every eigenvalue twenty times, more than a block holds.
    let (bodies, size) = (20, 10);
    let n = bodies * size;
    let edges = (0..n).filter(|i| i % size + 1 < size).map(|i| (i, i + 1));
    let mut k = Matrix::new(Pattern::new(n, edges));
    for j in 0..n {
        let (from, to) = (
            k.pattern().column_starts()[j],
            k.pattern().column_starts()[j + 1],
        );
        k.values_mut()[from] = 2.0;
        k.values_mut()[from + 1..to].fill(-1.0);
    }
    let wanted = laplacian_eigenvalues(&[size]);
    let m = Matrix::identity(k.pattern().clone());
    let found = lowest_eigenpairs(&k, &m, 25, 1e-8).unwrap();
    for (i, (lambda, _)) in found.iter().enumerate() {
        assert!(
            (lambda - wanted[i / bodies]).abs() < 1e-10,
            "{i}: {lambda} {}",
            wanted[i / bodies]
        );
    }
}

#[test]
fn a_free_body_has_six_rigid_motions() {
    // Springs along the edges of tetrahedra and nothing else.
    let mut k = sheared_block(5, 3, 3, 1.0, 0.0);
    k.add_diagonal(-1.0);
    let m = Matrix::identity(k.pattern().clone());
    let found = lowest_eigenpairs(&k, &m, 8, 1e-8).unwrap();
    let scale = k.norm_inf();
    for (i, (lambda, _)) in found.iter().enumerate() {
        assert_eq!(*lambda < 1e-11 * scale, i < 6, "{i}: {lambda}");
    }
}

#[test]
fn refuses_the_impossible() {
    let k = laplacian(&[4]);
    let m = Matrix::identity(k.pattern().clone());
    assert!(matches!(
        lowest_eigenpairs(&k, &m, 5, 1e-8),
        Err(EigenError::Size { count: 5, .. })
    ));
    assert!(matches!(
        lowest_eigenpairs(&k, &laplacian(&[3]), 1, 1e-8),
        Err(EigenError::Size { .. })
    ));
    let massless = Matrix::new(k.pattern().clone());
    assert!(matches!(
        highest_eigenvalue(&k, &massless),
        Err(EigenError::Factor(_))
    ));
    assert_eq!(lowest_eigenpairs(&k, &m, 0, 1e-8).unwrap().len(), 0);
    assert_eq!(highest_eigenvalue(&massless, &m).unwrap(), 0.0);
    for (lambda, _) in lowest_eigenpairs(&massless, &m, 4, 1e-8).unwrap() {
        assert!(lambda.abs() < 1e-12);
    }
}

#[test]
fn repeats_to_the_bit() {
    let k = elastic_block(5, 5, 5, 1.0);
    let m = Matrix::identity(k.pattern().clone());
    let (a, b) = (
        lowest_eigenpairs(&k, &m, 6, 1e-8).unwrap(),
        lowest_eigenpairs(&k, &m, 6, 1e-8).unwrap(),
    );
    assert_eq!(a, b);
    assert_eq!(
        highest_eigenvalue(&k, &m).unwrap().to_bits(),
        highest_eigenvalue(&k, &m).unwrap().to_bits()
    );
}

/// Computes all eigenvalues of the dense symmetric matrix A by cyclic Jacobi rotations, ascending.
fn jacobi_eigenvalues(mut a: Vec<Vec<f64>>) -> Vec<f64> {
    let n = a.len();
    for _sweep in 0..60 {
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q].abs() < 1e-300 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for row in &mut a {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                for k in 0..n {
                    let (x, y) = (a[p][k], a[q][k]);
                    (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    let mut values: Vec<f64> = (0..n).map(|i| a[i][i]).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Returns the dense matrix L⁻¹ K L⁻ᵀ with M = L Lᵀ.
fn reduced(k: &Matrix, m: &Matrix) -> Vec<Vec<f64>> {
    let n = k.n();
    let dense = |a: &Matrix| -> Vec<Vec<f64>> {
        let column = |j: usize| {
            let (mut unit, mut out) = (vec![0.0; n], vec![0.0; n]);
            unit[j] = 1.0;
            a.times(&unit, &mut out);
            out
        };
        (0..n).map(column).collect()
    };
    let (mut l, mut c) = (dense(m), dense(k));
    for j in 0..n {
        for i in j..n {
            let sum: f64 = (0..j).map(|p| l[i][p] * l[j][p]).sum();
            l[i][j] = match i == j {
                true => (l[i][i] - sum).sqrt(),
                false => (l[i][j] - sum) / l[j][j],
            };
        }
    }
    for _side in 0..2 {
        for column in 0..n {
            for i in 0..n {
                let sum: f64 = (0..i).map(|p| l[i][p] * c[p][column]).sum();
                c[i][column] = (c[i][column] - sum) / l[i][i];
            }
        }
        c = (0..n).map(|i| (0..n).map(|j| c[j][i]).collect()).collect();
    }
    c
}

#[test]
fn small_bodies_agree_with_a_dense_solver() {
    // A free body with a mass that is not diagonal, and the same body held.
    for hold in [0.0, 0.5] {
        let mut k = sheared_block(3, 3, 2, 1.0, 0.3);
        k.add_diagonal(hold - 1.0);
        let mut m = laplacian(&[k.n()]);
        m.add_diagonal(2.0);
        let wanted = jacobi_eigenvalues(reduced(&k, &m));
        let found = counted_eigenpairs(&k, &m, 16, 1e-9).unwrap();
        let top = wanted[k.n() - 1];
        for (i, (lambda, _)) in found.pairs.iter().enumerate() {
            let difference = (lambda - wanted[i]).abs();
            let bound = 1e-8 * wanted[i].abs() + 1e-13 * top;
            assert!(difference < bound, "{hold} {i}: {lambda} {}", wanted[i]);
        }
        assert_eq!(found.factorizations, 1);
        for (i, (lambda, x)) in found.pairs.iter().enumerate() {
            let (mut kx, mut mx) = (vec![0.0; k.n()], vec![0.0; k.n()]);
            k.times(x, &mut kx);
            m.times(x, &mut mx);
            let residual = kx.iter().zip(&mx).map(|(k, m)| (k - lambda * m).powi(2));
            assert!(residual.sum::<f64>().sqrt() < 1e-7 * top, "{hold} {i}");
            // The residual of the original problem is as small as that of the inverted one.
            let small = found.residuals[i] < 1e-8 || *lambda < 1e-11 * top;
            assert!(small, "{hold} {i}: residual {:e}", found.residuals[i]);
        }
    }
}

/// A compressed body has a few negative eigenvalues; pairs around zero are found as accurately as all others.
#[test]
fn eigenpairs_of_indefinite_stiffness_have_small_residuals() {
    let n = 30;
    let pattern = sparse::Pattern::new(n, (1..n).map(|i| (i, i - 1)));
    let mut k = sparse::Matrix::new(pattern.clone());
    for i in 0..n {
        for (a, b, x) in [(i, i, 2.0 - 0.05), (i, i.saturating_sub(1), -1.0)] {
            if a != b || x > 0.0 {
                let place = pattern.find(a, b).unwrap();
                k.values_mut()[place] = x;
            }
        }
    }
    let m = sparse::Matrix::identity(pattern);
    let found = sparse::counted_eigenpairs(&k, &m, 6, 1e-9).unwrap();
    for (i, ((lambda, _), residual)) in found.pairs.iter().zip(&found.residuals).enumerate() {
        let angle = std::f64::consts::PI * (i + 1) as f64 / (n + 1) as f64;
        let wanted = 2.0 - 2.0 * angle.cos() - 0.05;
        assert!(
            (lambda - wanted).abs() < 1e-9,
            "{i}: {lambda}, not {wanted}"
        );
        assert!(*residual < 1e-6, "{i}: residual {residual:e}");
    }
    assert!(found.pairs[0].0 < 0.0);
}
