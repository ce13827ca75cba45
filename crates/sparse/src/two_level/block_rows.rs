//! A symmetric matrix as rows of 3×3 blocks, one row for each vertex: the form in which products are fast.
//!
//! The upper block triangle is stored. Blocks that are zero, as those of broken bonds, are left out. A product is the sum of
//! [`PARTS`] parts, each with a result of its own, added in a fixed order: the bytes do not depend on the number of threads.

use rayon::prelude::*;

use crate::matrix::Matrix;
use crate::pattern::{Pattern, Placement};

/// A vector of three numbers.
pub(super) type Vec3 = [f64; 3];

/// The number of parts of a product.
const PARTS: usize = 8;

/// The blocks of a matrix. Axes without an unknown have a one on the diagonal.
#[derive(Default)]
pub(super) struct BlockRows {
    /// The diagonal block of each vertex.
    pub diagonal: Vec<[f64; 9]>,
    /// The start of each row in `columns` and `blocks`, and the end of the last.
    pub starts: Vec<u32>,
    /// The vertex of each block, greater than that of its row, ascending.
    pub columns: Vec<u32>,
    /// The blocks beside the diagonal, row-major.
    pub blocks: Vec<[f64; 9]>,
    /// Entries off the pattern: their places in vectors of three numbers per vertex, and their values.
    off_pattern: Vec<([u32; 2], f64)>,
    /// The place of each unknown in a vector of three numbers per vertex.
    pub places: Vec<u32>,
    /// The rows of each part, and the end.
    bounds: Vec<usize>,
    /// The result of each part.
    parts: Vec<Vec<Vec3>>,
    /// The block of each vertex in the row that is loaded.
    slot: Vec<u32>,
}

impl BlockRows {
    /// Allocates the rows of a pattern.
    pub fn allocate(&mut self, pattern: &Pattern, placement: &Placement) {
        let vertices = placement.points.len();
        let axes = pattern.groups().iter().zip(&placement.axes);
        self.places = axes.map(|(g, a)| 3 * g + u32::from(*a)).collect();
        self.diagonal = vec![[0.0; 9]; vertices];
        self.slot = vec![u32::MAX; vertices];
        self.parts = vec![vec![[0.0; 3]; vertices]; PARTS];
        self.columns.reserve(pattern.nnz() / 9);
        self.blocks.reserve(pattern.nnz() / 9);
        self.starts.reserve(vertices + 1);
        self.bounds.reserve(PARTS + 1);
    }

    /// Copies the values of a matrix on that pattern.
    pub fn load(&mut self, a: &Matrix) {
        let (starts, rows) = (a.pattern().column_starts(), a.pattern().row_indices());
        let vertices = self.diagonal.len();
        self.starts.clear();
        self.columns.clear();
        self.blocks.clear();
        self.starts.push(0);
        let mut j = 0;
        for v in 0..vertices {
            let first = self.columns.len();
            let diagonal = &mut self.diagonal[v];
            *diagonal = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
            while j < a.n() && self.places[j] as usize / 3 == v {
                let own = self.places[j] as usize % 3;
                for k in starts[j]..starts[j + 1] {
                    let (w, other) = (self.places[rows[k]] / 3, self.places[rows[k]] as usize % 3);
                    let value = a.values()[k];
                    if w as usize == v {
                        diagonal[3 * own + other] = value;
                        diagonal[3 * other + own] = value;
                        continue;
                    }
                    let slot = &mut self.slot[w as usize];
                    if *slot == u32::MAX {
                        *slot = self.columns.len() as u32;
                        self.columns.push(w);
                        self.blocks.push([0.0; 9]);
                    }
                    self.blocks[*slot as usize][3 * own + other] = value;
                }
                j += 1;
            }
            for k in first..self.columns.len() {
                self.slot[self.columns[k] as usize] = u32::MAX;
            }
            self.remove_zeros(first);
            self.starts.push(self.columns.len() as u32);
        }
        self.off_pattern.clear();
        let place = |i: usize| self.places[i];
        let entry = |e: &crate::OffPatternEntry| ([place(e.row), place(e.column)], e.value);
        self.off_pattern.extend(a.off_pattern().iter().map(entry));
        self.divide();
    }

    /// Removes the zero blocks from `first` on.
    fn remove_zeros(&mut self, first: usize) {
        let mut kept = first;
        for k in first..self.columns.len() {
            if self.blocks[k].iter().any(|x| *x != 0.0) {
                self.columns[kept] = self.columns[k];
                self.blocks[kept] = self.blocks[k];
                kept += 1;
            }
        }
        self.columns.truncate(kept);
        self.blocks.truncate(kept);
    }

    /// Divides the rows into parts of about the same number of blocks.
    fn divide(&mut self) {
        let total = self.columns.len() + self.diagonal.len();
        self.bounds.clear();
        self.bounds.push(0);
        for part in 1..PARTS {
            let wanted = total * part / PARTS;
            let before = |v: &usize| self.starts[*v] as usize + v;
            let (mut low, mut high) = (0, self.diagonal.len());
            while low < high {
                let middle = (low + high) / 2;
                match before(&middle) < wanted {
                    true => low = middle + 1,
                    false => high = middle,
                }
            }
            self.bounds.push(low);
        }
        self.bounds.push(self.diagonal.len());
    }

    /// Computes y ← A x.
    pub fn times(&mut self, x: &[Vec3], y: &mut [Vec3]) {
        let mut parts = std::mem::take(&mut self.parts);
        let one = |(part, out): (usize, &mut Vec<Vec3>)| self.part_times(part, x, out);
        if rayon::current_num_threads() == 1 {
            parts.iter_mut().enumerate().for_each(one);
        } else {
            parts.par_iter_mut().enumerate().for_each(one);
        }
        for (v, y) in y.iter_mut().enumerate() {
            // A part has no result in rows before its first.
            let mut sum = [0.0; 3];
            for (part, first) in parts.iter().zip(&self.bounds) {
                if *first > v {
                    break;
                }
                (0..3).for_each(|k| sum[k] += part[v][k]);
            }
            *y = sum;
        }
        for &([i, j], value) in &self.off_pattern {
            let (i, j) = (i as usize, j as usize);
            y[i / 3][i % 3] += value * x[j / 3][j % 3];
            y[j / 3][j % 3] += value * x[i / 3][i % 3];
        }
        self.parts = parts;
    }

    /// Computes the product of a part's rows, and of the transposed blocks in them.
    fn part_times(&self, part: usize, x: &[Vec3], out: &mut [Vec3]) {
        let (first, end) = (self.bounds[part], self.bounds[part + 1]);
        out[first..].fill([0.0; 3]);
        for v in first..end {
            let (d, xv) = (&self.diagonal[v], x[v]);
            let mut sum =
                [0, 1, 2].map(|r| d[3 * r] * xv[0] + d[3 * r + 1] * xv[1] + d[3 * r + 2] * xv[2]);
            let own = self.starts[v] as usize..self.starts[v + 1] as usize;
            for (&w, b) in self.columns[own.clone()].iter().zip(&self.blocks[own]) {
                let (xw, to) = (x[w as usize], &mut out[w as usize]);
                for r in 0..3 {
                    sum[r] += b[3 * r] * xw[0] + b[3 * r + 1] * xw[1] + b[3 * r + 2] * xw[2];
                    to[r] += b[r] * xv[0] + b[3 + r] * xv[1] + b[6 + r] * xv[2];
                }
            }
            (0..3).for_each(|k| out[v][k] += sum[k]);
        }
    }
}
