//! Numbers of negative eigenvalues against matrices whose eigenvalues are known.

mod common;

use common::{Random, elastic_block, laplacian, laplacian_eigenvalues};
use sparse::{InertiaCounter, Matrix};

/// A shifted grid Laplacian has as many negative eigenvalues as the closed form says.
#[test]
fn shifted_laplacians_have_the_inertia_of_their_eigenvalues() {
    for size in [vec![40], vec![9, 11], vec![5, 6, 7]] {
        let values = laplacian_eigenvalues(&size);
        let mut counter = InertiaCounter::default();
        let mut seen = 0;
        for shift in [0.0, 0.31, 1.07, 2.47, 4.13, 20.0] {
            // Shifts next to an eigenvalue leave the sign of a pivot to rounding.
            if values.iter().any(|v| (v - shift).abs() < 1e-6) {
                continue;
            }
            let mut a = laplacian(&size);
            a.add_diagonal(-shift);
            let want = values.iter().filter(|v| **v < shift).count();
            assert_eq!(
                counter.negative_eigenvalues(&a),
                Some(want),
                "{size:?} {shift}"
            );
            seen += usize::from(want > 0);
        }
        assert!(seen >= 3, "{size:?}");
    }
}

/// D A D has the inertia of A for any diagonal D, badly scaled as it may be.
#[test]
fn scaling_keeps_the_inertia() {
    let block = elastic_block(4, 3, 3, 1.0);
    let mut random = Random::new(5);
    let scale: Vec<f64> = random
        .vector(block.n())
        .iter()
        .map(|x| 10f64.powf(3.0 * x))
        .collect();
    let scaled = |a: &Matrix| {
        let mut b = a.clone();
        let (starts, rows) = (a.pattern().column_starts(), a.pattern().row_indices());
        for j in 0..a.n() {
            for k in starts[j]..starts[j + 1] {
                b.values_mut()[k] *= scale[rows[k]] * scale[j];
            }
        }
        b
    };
    let mean = block.diagonal().sum::<f64>() / block.n() as f64;
    let mut last = 0;
    for shift in [0.1, 0.5, 1.0, 3.0] {
        let mut a = block.clone();
        a.add_diagonal(-shift * mean);
        let mut counter = InertiaCounter::default();
        let count = counter.negative_eigenvalues(&a).unwrap();
        assert_eq!(counter.negative_eigenvalues(&scaled(&a)), Some(count));
        assert!(count >= last && count <= a.n());
        last = count;
    }
    assert_eq!(
        last,
        block.n(),
        "three times the mean diagonal exceeds every eigenvalue here"
    );
}
