//! Search for the element with the smallest volume ratio among elements of one kind.

use march::Curvature;

use super::Elements;
use crate::lanes::Lanes;
use crate::potential::most_compressed::least_eigenpair;
use crate::potential::simd::Baseline;
use crate::potential::{Configuration, MostCompressedElement, MostCompressedSearch};
use crate::small3::determinant;

impl<const N: usize> Elements<N> {
    /// Updates the search with the element that has the smallest det F.
    pub fn find_most_compressed(&self, x: &Configuration, search: &mut MostCompressedSearch) {
        let first = search.seen;
        search.seen += self.count;
        let mut found = None;
        for b in 0..self.batches() {
            for p in 0..self.points() {
                let f = self.batch(b).deformation_gradient(x.u, p);
                let j = determinant(&f);
                for lane in 0..self.lanes(b) {
                    let least = found.as_ref().is_none_or(|&(_, _, _, l)| j.0[lane] < l);
                    if least && search.is_more_compressed(j.0[lane]) {
                        found = Some((b, lane, f, j.0[lane]));
                    }
                }
            }
        }
        if let Some((b, lane, f, j)) = found {
            let (eigenvalue, eigenvector) = self.softest_mode(b, lane, x.u);
            search.found = Some(MostCompressedElement {
                element: first + self.order[4 * b + lane] as usize,
                f: f.map(|row| row.map(|x| x.0[lane])),
                j,
                eigenvalue,
                eigenvector,
            });
        }
    }

    /// Smallest eigenvalue of one element's stiffness matrix, and its eigenvector node by node.
    fn softest_mode(&self, b: usize, lane: usize, u: &[[f64; 3]]) -> (f64, Vec<[f64; 3]>) {
        let mut blocks = vec![[Lanes::ZERO; 9]; Self::PAIRS];
        let (batch, law) = (self.batch(b), &self.law);
        batch.stiffness::<Baseline>(law, Curvature::Exact, u, &mut blocks);
        let n = 3 * N;
        let mut k = vec![0.0; n * n];
        for i in 0..N {
            for j in 0..=i {
                for (at, x) in blocks[i * (i + 1) / 2 + j].iter().enumerate() {
                    let (row, column) = (3 * i + at / 3, 3 * j + at % 3);
                    k[row * n + column] = x.0[lane];
                    k[column * n + row] = x.0[lane];
                }
            }
        }
        let (value, vector) = least_eigenpair(n, k);
        (
            value,
            vector.chunks_exact(3).map(|v| [v[0], v[1], v[2]]).collect(),
        )
    }
}
