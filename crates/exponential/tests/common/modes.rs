//! Modes of dense systems.

use exponential::dense::DenseLu;

use super::common::{DenseSystem, times};

/// Makes the vectors M-orthonormal by Gram and Schmidt.
fn orthonormalise(s: &DenseSystem, vectors: &mut [Vec<f64>]) {
    let n = s.n;
    let mut mx = vec![0.0; n];
    let dot = |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).map(|(x, y)| x * y).sum() };
    for i in 0..vectors.len() {
        for _ in 0..2 {
            for j in 0..i {
                times(n, &s.mass, &vectors[j], &mut mx);
                let c = dot(&mx, &vectors[i]);
                let earlier = vectors[j].clone();
                vectors[i]
                    .iter_mut()
                    .zip(earlier)
                    .for_each(|(x, y)| *x -= c * y);
            }
        }
        times(n, &s.mass, &vectors[i], &mut mx);
        let norm = dot(&mx, &vectors[i]).sqrt();
        vectors[i].iter_mut().for_each(|x| *x /= norm);
    }
}

/// Computes the lowest modes by inverse iteration on a block.
pub fn eigenvectors(s: &DenseSystem, count: usize) -> Vec<Vec<f64>> {
    let n = s.n;
    let mut lu = DenseLu::default();
    assert!(lu.factor(n, &s.stiffness));
    let start = |k: usize| -> Vec<f64> { (0..n).map(|i| ((k * n + i) as f64).sin()).collect() };
    // A larger block converges faster; its lowest vectors are turned into eigenvectors one after the other, because each
    // is multiplied by its own 1/λ.
    let mut block: Vec<Vec<f64>> = (0..count + 8).map(start).collect();
    let mut y = vec![0.0; n];
    for _ in 0..400 {
        for x in &mut block {
            times(n, &s.mass, x, &mut y);
            lu.solve(&mut y);
            x.copy_from_slice(&y);
        }
        orthonormalise(s, &mut block);
    }
    block.truncate(count);
    block
}
