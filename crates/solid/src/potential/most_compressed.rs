//! The most compressed element, with the smallest volume ratio det F, and the softest mode of its stiffness matrix.

/// The element with the smallest volume ratio det F, and the smallest eigenpair of its stiffness matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct MostCompressedElement {
    /// Index of the element, in the order of [`super::ElementMeasures`].
    pub element: usize,
    /// Deformation gradient F at the integration point with the smallest det F.
    pub f: [[f64; 3]; 3],
    /// det F at that point.
    pub j: f64,
    /// Smallest eigenvalue of its stiffness matrix, N/m.
    pub eigenvalue: f64,
    /// The eigenvector of that eigenvalue, node by node, of unit length.
    pub eigenvector: Vec<[f64; 3]>,
}

/// Search for the most compressed element over all potentials.
#[derive(Clone, Debug, Default)]
pub struct MostCompressedSearch {
    /// Number of elements searched so far.
    pub seen: usize,
    /// The most compressed of them; `None` before the first element.
    pub found: Option<MostCompressedElement>,
}

impl MostCompressedSearch {
    /// Returns `true` if a volume ratio is smaller than that of all elements searched so far.
    pub fn is_more_compressed(&self, j: f64) -> bool {
        self.found.as_ref().is_none_or(|w| j < w.j)
    }
}

/// Upper bound of Jacobi sweeps; convergence takes far fewer.
const MAX_SWEEPS: usize = 60;

/// Returns the smallest eigenvalue of a dense symmetric n×n matrix and its eigenvector, by cyclic Jacobi rotations.
pub fn least_eigenpair(n: usize, mut a: Vec<f64>) -> (f64, Vec<f64>) {
    let mut q = vec![0.0; n * n];
    (0..n).for_each(|i| q[i * n + i] = 1.0);
    let total: f64 = a.iter().map(|x| x * x).sum();
    for _ in 0..MAX_SWEEPS {
        let off: f64 = (0..n)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| a[i * n + j] * a[i * n + j])
            .sum();
        if off <= 1e-30 * total {
            break;
        }
        for i in 1..n {
            for j in 0..i {
                rotate(n, &mut a, &mut q, i, j);
            }
        }
    }
    let least = (0..n)
        .min_by(|&i, &j| a[i * n + i].total_cmp(&a[j * n + j]))
        .unwrap_or(0);
    let vector = (0..n).map(|k| q[k * n + least]).collect();
    (a[least * n + least], vector)
}

/// Jacobi rotation that makes entry (i, j) zero.
fn rotate(n: usize, a: &mut [f64], q: &mut [f64], i: usize, j: usize) {
    let x = a[i * n + j];
    if x == 0.0 {
        return;
    }
    let theta = (a[j * n + j] - a[i * n + i]) / (2.0 * x);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for k in 0..n {
        let (p, r) = (a[k * n + i], a[k * n + j]);
        (a[k * n + i], a[k * n + j]) = (c * p - s * r, s * p + c * r);
    }
    for k in 0..n {
        let (p, r) = (a[i * n + k], a[j * n + k]);
        (a[i * n + k], a[j * n + k]) = (c * p - s * r, s * p + c * r);
        let (p, r) = (q[k * n + i], q[k * n + j]);
        (q[k * n + i], q[k * n + j]) = (c * p - s * r, s * p + c * r);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_eigenpair_of_a_chain_of_springs() {
        // K of n masses between walls has the eigenvalues 2 − 2 cos(kπ/(n + 1)).
        let n = 9;
        let mut k = vec![0.0; n * n];
        for i in 0..n {
            k[i * n + i] = 2.0;
            if i > 0 {
                (k[i * n + i - 1], k[(i - 1) * n + i]) = (-1.0, -1.0);
            }
        }
        let (w, v) = least_eigenpair(n, k);
        let exact = 2.0 - 2.0 * (std::f64::consts::PI / (n + 1) as f64).cos();
        assert!((w - exact).abs() < 1e-14);
        let shape = |i: usize| (std::f64::consts::PI * (i + 1) as f64 / (n + 1) as f64).sin();
        let scale = v[4] / shape(4);
        assert!((0..n).all(|i| (v[i] - scale * shape(i)).abs() < 1e-13));
    }
}
