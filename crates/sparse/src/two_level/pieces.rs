//! Pieces: the connected parts of a matrix, and a correction that makes the residual of each of them free of a resultant.
//!
//! It is the coarse correction z ← z + P (Pᵀ A P)⁻¹ Pᵀ r with the translations of the pieces as columns of P. No block connects two
//! pieces, so Pᵀ A P has a 3×3 block for each of them: the sum of all its blocks, which for a free piece is its mass.

use super::aggregates::root;
use super::block_rows::{BlockRows, Vec3};
use super::inverse_of_definite;

/// The ratio of a diagonal block to the sum of the blocks of its row, by their traces, above which a vertex counts as stiff. Its square root times five is
/// about the number of iterations without a coarse level, so here about thirty.
const STIFF_RATIO: f64 = 32.0;
/// The share of stiff vertices above which a coarse level pays.
const STIFF_SHARE: f64 = 0.1;

/// The pieces of a matrix.
#[derive(Default)]
pub(super) struct Pieces {
    /// The piece of each vertex.
    of_vertex: Vec<u32>,
    /// The inverse of the sum of the blocks of each piece; zero if that is not positive definite.
    inverses: Vec<[f64; 9]>,
    /// The sum of the blocks of each row.
    row_sums: Vec<[f64; 9]>,
    resultants: Vec<Vec3>,
}

impl Pieces {
    /// Finds the pieces of a matrix and sums their blocks. Returns whether many of its vertices are stiff: K outweighs M, so
    /// long waves decay slowly without a coarse level.
    pub fn update(&mut self, a: &BlockRows) -> bool {
        self.sum_rows(a);
        let count = self.connect(a);
        self.inverses.clear();
        self.inverses.resize(count, [0.0; 9]);
        for (sum, piece) in self.row_sums.iter().zip(&self.of_vertex) {
            add_to(&mut self.inverses[*piece as usize], sum);
        }
        for sum in &mut self.inverses {
            *sum = inverse_of_definite(sum).unwrap_or([0.0; 9]);
        }
        self.resultants.resize(count, [0.0; 3]);
        let trace = |b: &[f64; 9]| b[0] + b[4] + b[8];
        let rows = a.diagonal.iter().zip(&self.row_sums);
        let stiff = rows.filter(|(d, sum)| trace(d) > STIFF_RATIO * trace(sum));
        stiff.count() as f64 > STIFF_SHARE * a.diagonal.len() as f64
    }

    fn sum_rows(&mut self, a: &BlockRows) {
        self.row_sums.clone_from(&a.diagonal);
        for v in 0..a.diagonal.len() {
            let own = a.starts[v] as usize..a.starts[v + 1] as usize;
            for (&w, b) in a.columns[own.clone()].iter().zip(&a.blocks[own]) {
                add_to(&mut self.row_sums[v], b);
                let transposed = [b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5], b[8]];
                add_to(&mut self.row_sums[w as usize], &transposed);
            }
        }
    }

    /// Numbers the pieces in the order of their first vertices; returns how many there are.
    fn connect(&mut self, a: &BlockRows) -> usize {
        let count = a.diagonal.len();
        let parents = &mut self.of_vertex;
        parents.clear();
        parents.extend(0..count as u32);
        for v in 0..count {
            for &w in &a.columns[a.starts[v] as usize..a.starts[v + 1] as usize] {
                let (p, q) = (root(parents, v as u32), root(parents, w));
                parents[p.max(q) as usize] = p.min(q);
            }
        }
        let mut found = 0;
        for v in 0..count {
            let parent = parents[v] as usize;
            parents[v] = match parent == v {
                true => {
                    found += 1;
                    found - 1
                }
                false => parents[parent],
            };
        }
        found as usize
    }

    /// Computes the translations of the pieces that make the resultants of a residual zero.
    fn translations(&mut self, r: &[Vec3]) {
        self.resultants.fill([0.0; 3]);
        for (r, piece) in r.iter().zip(&self.of_vertex) {
            let sum = &mut self.resultants[*piece as usize];
            (0..3).for_each(|k| sum[k] += r[k]);
        }
        for (r, d) in self.resultants.iter_mut().zip(&self.inverses) {
            *r = times(d, r);
        }
    }

    /// Adds to `x` the translations of the pieces that make the resultants of the residual zero.
    pub fn add_translations(&mut self, r: &[Vec3], x: &mut [Vec3]) {
        self.translations(r);
        for (x, piece) in x.iter_mut().zip(&self.of_vertex) {
            let shift = &self.resultants[*piece as usize];
            (0..3).for_each(|k| x[k] += shift[k]);
        }
    }

    /// Returns the norm of what the translations leave of a residual, without entries off the pattern: a piece that moves by s
    /// has the force of its row sums times s.
    pub fn residual_of_translations(&mut self, r: &[Vec3]) -> f64 {
        self.translations(r);
        let mut square = 0.0;
        for ((r, piece), sum) in r.iter().zip(&self.of_vertex).zip(&self.row_sums) {
            let moved = times(sum, &self.resultants[*piece as usize]);
            square += (0..3).map(|k| (r[k] - moved[k]).powi(2)).sum::<f64>();
        }
        square.sqrt()
    }
}

/// Returns the product of a block and a vector.
fn times(d: &[f64; 9], r: &Vec3) -> Vec3 {
    [0, 1, 2].map(|k| d[3 * k] * r[0] + d[3 * k + 1] * r[1] + d[3 * k + 2] * r[2])
}

fn add_to(sum: &mut [f64; 9], b: &[f64; 9]) {
    (0..9).for_each(|k| sum[k] += b[k]);
}
