//! Search for the element with the smallest volume ratio among elements of one kind.

use std::ops::Range;

use march::Curvature;

use super::Elements;
use crate::lanes::Lanes;
use crate::potential::most_compressed::least_eigenpair;
use crate::potential::simd::{Baseline, on_this_machine};
use crate::potential::{Configuration, MostCompressedElement, MostCompressedSearch};
use crate::small3::{determinant, plus_identity};

impl<const N: usize> Elements<N> {
    /// Smallest det F at the integration points of a chunk of batches; infinity for an empty chunk.
    pub fn smallest_volume_ratio(&self, range: Range<usize>, u: &[[f64; 3]]) -> f64 {
        on_this_machine!(_H => self.smallest_volume_ratio_on(range, u))
    }

    #[inline(always)]
    fn smallest_volume_ratio_on(&self, range: Range<usize>, u: &[[f64; 3]]) -> f64 {
        let mut smallest = Lanes::splat(f64::INFINITY);
        for b in range {
            let batch = self.batch(b);
            let u = batch.gather(u);
            for p in 0..self.points() {
                // Padding lanes repeat an element of the batch.
                let ratio = determinant(&plus_identity(&batch.strain(&u, p).g));
                smallest = ratio.min(smallest);
            }
        }
        let [a, b, c, d] = smallest.0;
        a.min(b).min(c.min(d))
    }

    /// Returns the first element, in the order of construction of the batches, with this smallest det F.
    pub fn element_with_volume_ratio(&self, ratio: f64, u: &[[f64; 3]]) -> Option<usize> {
        let batch = |b: usize| self.smallest_volume_ratio(b..b + 1, u) == ratio;
        let b = (0..self.batches()).find(|&b| batch(b))?;
        let smallest = |lane: usize| {
            let point = |p| determinant(&self.batch(b).deformation_gradient(u, p)).0[lane];
            (0..self.points()).map(point).fold(f64::INFINITY, f64::min)
        };
        let lane = (0..self.lanes(b)).min_by(|&i, &j| smallest(i).total_cmp(&smallest(j)))?;
        Some(self.order[4 * b + lane] as usize)
    }

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
