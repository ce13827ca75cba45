//! The packed panels of one subtree of the elimination tree and its part of a solve.

use faer::sparse::linalg::cholesky::supernodal::SymbolicSupernodalCholesky;
use pulp::{Simd, WithSimd};

use super::RIGHT_HAND_SIDES;
use super::pack::{
    BLOCK, Scalar, SideVector, block_product, invert_panel, nonzero_columns, pack_columns,
    pack_rows,
};

/// Consecutive supernodes in a numbering of their own: first their columns, then the rows of the top above that they
/// touch.
pub(super) struct Subtree<T> {
    /// The caller's unknown of each column.
    unknowns: Vec<u32>,
    /// The column of the top that each further row is.
    above: Vec<u32>,
    panels: Vec<Panel>,
    /// The rows below the triangle of each panel.
    rows: Vec<u32>,
    forward: Vec<T>,
    backward: Vec<T>,
    x: Vec<SideVector<T>>,
    scratch: Vec<SideVector<T>>,
    /// The position in elimination order and the local index of each supernode's first column.
    column_offsets: Vec<(usize, usize)>,
}

/// The size of a panel.
struct Panel {
    width: usize,
    below: usize,
    /// The index of its first number for the backward substitution.
    backward: usize,
}

impl<T: Scalar> Subtree<T> {
    /// Inverts and packs the panels of `supernodes`, ascending; other rows belong to `top`.
    pub fn new(
        symbolic: &SymbolicSupernodalCholesky<usize>,
        values: &[f64],
        permutation: &[usize],
        supernodes: &[usize],
        top: Option<&Subtree<T>>,
    ) -> Subtree<T> {
        let span = |s: usize| symbolic.supernode_begin()[s]..symbolic.supernode_end()[s];
        let below = |s: usize| {
            let from = symbolic.col_ptr_for_row_idx()[s];
            &symbolic.row_idx()[from..from + symbolic.nnz_per_super()[s]]
        };
        let mut subtree = Subtree {
            unknowns: Vec::new(),
            above: Vec::new(),
            panels: Vec::new(),
            rows: Vec::new(),
            forward: Vec::new(),
            backward: Vec::new(),
            x: Vec::new(),
            scratch: Vec::new(),
            column_offsets: Vec::new(),
        };
        for &s in supernodes {
            subtree
                .column_offsets
                .push((span(s).start, subtree.unknowns.len()));
            subtree
                .unknowns
                .extend(permutation[span(s)].iter().map(|&i| i as u32));
        }
        // All rows that a subtree touches outside itself are rows of its root.
        let columns = subtree.unknowns.len();
        let last = supernodes.last();
        let end = last.map_or(0, |&s| span(s).end);
        let outer: Vec<usize> = (last.iter())
            .flat_map(|&&s| below(s).iter().copied())
            .collect();
        subtree.above = (outer.iter())
            .map(|&row| top.map_or(0, |top| top.column_of(row)) as u32)
            .collect();
        let mut tallest = 0;
        for &s in supernodes {
            let values = &values[symbolic.col_ptr_for_val()[s]..symbolic.col_ptr_for_val()[s + 1]];
            let g = invert_panel(values, span(s).len());
            subtree.panels.push(Panel {
                width: span(s).len(),
                below: below(s).len(),
                backward: subtree.backward.len(),
            });
            pack_rows(&g, span(s).len(), &mut subtree.forward);
            pack_columns(&g, span(s).len(), &mut subtree.backward);
            tallest = tallest.max(span(s).len() + below(s).len());
            let own: Vec<u32> = (below(s).iter())
                .map(|&row| match row < end {
                    true => subtree.column_of(row) as u32,
                    false => (columns + outer.partition_point(|&r| r < row)) as u32,
                })
                .collect();
            subtree.rows.extend(own);
        }
        subtree.x = vec![SideVector::default(); columns + outer.len()];
        subtree.scratch = vec![SideVector::default(); tallest];
        subtree
    }

    /// Returns the local column of a row in elimination order.
    fn column_of(&self, row: usize) -> usize {
        let (begin, place) =
            self.column_offsets[self.column_offsets.partition_point(|p| p.0 <= row) - 1];
        place + row - begin
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.unknowns.len()
    }

    /// Copies its part of the right-hand sides, divided by `size`.
    pub fn load(&mut self, given: &[f64], size: f64) {
        let columns = self.columns();
        for (x, &i) in self.x.iter_mut().zip(&self.unknowns) {
            for q in 0..RIGHT_HAND_SIDES {
                x[q] = T::from_f64(given[RIGHT_HAND_SIDES * i as usize + q] / size);
            }
        }
        self.x[columns..].fill(SideVector::default());
    }

    /// Writes its part of the solution, multiplied by `size`.
    pub fn store(&self, size: f64, out: &mut [f64]) {
        for (x, &i) in self.x.iter().zip(&self.unknowns) {
            for q in 0..RIGHT_HAND_SIDES {
                out[RIGHT_HAND_SIDES * i as usize + q] = size * x[q].to_f64();
            }
        }
    }

    /// Adds the update of the forward substitution to the rows of the top.
    pub fn add_update_to(&self, top: &mut Subtree<T>) {
        for (x, &place) in self.x[self.columns()..].iter().zip(&self.above) {
            for q in 0..RIGHT_HAND_SIDES {
                top.x[place as usize][q] += x[q];
            }
        }
    }

    /// Copies the rows of the top that the backward substitution needs.
    pub fn copy_solution_from(&mut self, top: &Subtree<T>) {
        let columns = self.columns();
        for (x, &place) in self.x[columns..].iter_mut().zip(&self.above) {
            *x = top.x[place as usize];
        }
    }

    #[inline(always)]
    fn forward(&mut self) {
        let (mut start, mut rows, mut at) = (0, 0, 0);
        for panel in &self.panels {
            let (width, height) = (panel.width, panel.width + panel.below);
            let top = &mut self.scratch[..width];
            top.copy_from_slice(&self.x[start..start + width]);
            let below = &self.rows[rows..rows + panel.below];
            for b in 0..height.div_ceil(BLOCK) {
                let columns = nonzero_columns(b, width);
                let sums = block_product(
                    &self.forward[at..at + BLOCK * columns],
                    &self.scratch[..columns],
                );
                at += BLOCK * columns;
                for l in 0..BLOCK.min(height - BLOCK * b) {
                    let i = BLOCK * b + l;
                    if i < width {
                        (0..RIGHT_HAND_SIDES).for_each(|q| self.x[start + i][q] = sums[q][l]);
                    } else {
                        let x = &mut self.x[below[i - width] as usize];
                        (0..RIGHT_HAND_SIDES).for_each(|q| x[q] -= sums[q][l]);
                    }
                }
            }
            start += width;
            rows += panel.below;
        }
    }

    #[inline(always)]
    fn backward(&mut self) {
        let (mut start, mut rows) = (self.columns(), self.rows.len());
        for panel in self.panels.iter().rev() {
            let (width, height) = (panel.width, panel.width + panel.below);
            start -= width;
            rows -= panel.below;
            let z = &mut self.scratch[..height];
            z[..width].copy_from_slice(&self.x[start..start + width]);
            let below = &self.rows[rows..rows + panel.below];
            for (z, &row) in z[width..].iter_mut().zip(below) {
                *z = self.x[row as usize].map(|x| -x);
            }
            let mut at = panel.backward;
            for b in 0..width.div_ceil(BLOCK) {
                let z = &z[BLOCK * b..];
                let sums = block_product(&self.backward[at..at + BLOCK * z.len()], z);
                at += BLOCK * z.len();
                for l in 0..BLOCK.min(width - BLOCK * b) {
                    let x = &mut self.x[start + BLOCK * b + l];
                    (0..RIGHT_HAND_SIDES).for_each(|q| x[q] = sums[q][l]);
                }
            }
        }
    }
}

/// The forward substitution, dispatched to the widest vectors of the machine.
pub(super) struct Forward<'a, T>(pub &'a mut Subtree<T>);

impl<T: Scalar> WithSimd for Forward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.0.forward();
    }
}

/// The backward substitution, dispatched to the widest vectors of the machine.
pub(super) struct Backward<'a, T>(pub &'a mut Subtree<T>);

impl<T: Scalar> WithSimd for Backward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.0.backward();
    }
}
