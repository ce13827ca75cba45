//! A part of the elimination tree with all that its solves touch.

use faer::sparse::linalg::cholesky::supernodal::SymbolicSupernodalCholesky;
use pulp::{Simd, WithSimd};

use super::SIDES;
use super::pack::{BLOCK, Number, Sides, inverted, pack_columns, pack_rows, product, reach};

/// Supernodes that follow one another in elimination, in a numbering of their own: first their columns, then rows of the
/// pieces above that they touch.
pub(super) struct Piece<T> {
    /// The caller's number of each column.
    unknowns: Vec<u32>,
    /// Which column of the piece above each row beyond the columns is.
    above: Vec<u32>,
    panels: Vec<Panel>,
    /// Rows below each panel's triangle.
    rows: Vec<u32>,
    forward: Vec<T>,
    backward: Vec<T>,
    x: Vec<Sides<T>>,
    room: Vec<Sides<T>>,
    /// Columns by their number in elimination, where they begin here; for pieces under this one.
    places: Vec<(usize, usize)>,
}

/// The size of a panel.
struct Panel {
    width: usize,
    below: usize,
    /// Where its numbers for the backward half begin.
    backward: usize,
}

impl<T: Number> Piece<T> {
    /// The panels of `supernodes`, ascending; rows that are not theirs belong to `top`.
    pub fn new(
        symbolic: &SymbolicSupernodalCholesky<usize>,
        values: &[f64],
        eliminated: &[usize],
        supernodes: &[usize],
        top: Option<&Piece<T>>,
    ) -> Piece<T> {
        let span = |s: usize| symbolic.supernode_begin()[s]..symbolic.supernode_end()[s];
        let below = |s: usize| {
            let from = symbolic.col_ptr_for_row_idx()[s];
            &symbolic.row_idx()[from..from + symbolic.nnz_per_super()[s]]
        };
        let mut piece = Piece {
            unknowns: Vec::new(),
            above: Vec::new(),
            panels: Vec::new(),
            rows: Vec::new(),
            forward: Vec::new(),
            backward: Vec::new(),
            x: Vec::new(),
            room: Vec::new(),
            places: Vec::new(),
        };
        for &s in supernodes {
            piece.places.push((span(s).start, piece.unknowns.len()));
            piece
                .unknowns
                .extend(eliminated[span(s)].iter().map(|&i| i as u32));
        }
        // What a subtree touches outside of itself its root does.
        let columns = piece.unknowns.len();
        let last = supernodes.last();
        let end = last.map_or(0, |&s| span(s).end);
        let outer: Vec<usize> = (last.iter())
            .flat_map(|&&s| below(s).iter().copied())
            .collect();
        piece.above = (outer.iter())
            .map(|&row| top.map_or(0, |top| top.place(row)) as u32)
            .collect();
        let mut tallest = 0;
        for &s in supernodes {
            let values = &values[symbolic.col_ptr_for_val()[s]..symbolic.col_ptr_for_val()[s + 1]];
            let g = inverted(values, span(s).len());
            piece.panels.push(Panel {
                width: span(s).len(),
                below: below(s).len(),
                backward: piece.backward.len(),
            });
            pack_rows(&g, span(s).len(), &mut piece.forward);
            pack_columns(&g, span(s).len(), &mut piece.backward);
            tallest = tallest.max(span(s).len() + below(s).len());
            let own: Vec<u32> = (below(s).iter())
                .map(|&row| match row < end {
                    true => piece.place(row) as u32,
                    false => (columns + outer.partition_point(|&r| r < row)) as u32,
                })
                .collect();
            piece.rows.extend(own);
        }
        piece.x = vec![Sides::default(); columns + outer.len()];
        piece.room = vec![Sides::default(); tallest];
        piece
    }

    /// The column here of a number in elimination.
    fn place(&self, row: usize) -> usize {
        let (begin, place) = self.places[self.places.partition_point(|p| p.0 <= row) - 1];
        place + row - begin
    }

    pub fn columns(&self) -> usize {
        self.unknowns.len()
    }

    /// Takes its right-hand sides, in units of `size`.
    pub fn take(&mut self, given: &[f64], size: f64) {
        let columns = self.columns();
        for (x, &i) in self.x.iter_mut().zip(&self.unknowns) {
            for q in 0..SIDES {
                x[q] = T::of(given[SIDES * i as usize + q] / size);
            }
        }
        self.x[columns..].fill(Sides::default());
    }

    /// Gives its solution.
    pub fn give(&self, size: f64, out: &mut [f64]) {
        for (x, &i) in self.x.iter().zip(&self.unknowns) {
            for q in 0..SIDES {
                out[SIDES * i as usize + q] = size * x[q].wide();
            }
        }
    }

    /// Adds what the forward half subtracts from the piece above.
    pub fn hand_up(&self, top: &mut Piece<T>) {
        for (x, &place) in self.x[self.columns()..].iter().zip(&self.above) {
            for q in 0..SIDES {
                top.x[place as usize][q] += x[q];
            }
        }
    }

    /// Takes what the backward half needs of the piece above.
    pub fn hand_down(&mut self, top: &Piece<T>) {
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
            let top = &mut self.room[..width];
            top.copy_from_slice(&self.x[start..start + width]);
            let below = &self.rows[rows..rows + panel.below];
            for b in 0..height.div_ceil(BLOCK) {
                let columns = reach(b, width);
                let sums = product(
                    &self.forward[at..at + BLOCK * columns],
                    &self.room[..columns],
                );
                at += BLOCK * columns;
                for l in 0..BLOCK.min(height - BLOCK * b) {
                    let i = BLOCK * b + l;
                    if i < width {
                        (0..SIDES).for_each(|q| self.x[start + i][q] = sums[q][l]);
                    } else {
                        let x = &mut self.x[below[i - width] as usize];
                        (0..SIDES).for_each(|q| x[q] -= sums[q][l]);
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
            let z = &mut self.room[..height];
            z[..width].copy_from_slice(&self.x[start..start + width]);
            let below = &self.rows[rows..rows + panel.below];
            for (z, &row) in z[width..].iter_mut().zip(below) {
                *z = self.x[row as usize].map(|x| -x);
            }
            let mut at = panel.backward;
            for b in 0..width.div_ceil(BLOCK) {
                let z = &z[BLOCK * b..];
                let sums = product(&self.backward[at..at + BLOCK * z.len()], z);
                at += BLOCK * z.len();
                for l in 0..BLOCK.min(width - BLOCK * b) {
                    let x = &mut self.x[start + BLOCK * b + l];
                    (0..SIDES).for_each(|q| x[q] = sums[q][l]);
                }
            }
        }
    }
}

/// The forward half, compiled for the vectors at hand.
pub(super) struct Forward<'a, T>(pub &'a mut Piece<T>);

impl<T: Number> WithSimd for Forward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.0.forward();
    }
}

/// The backward half, compiled for the vectors at hand.
pub(super) struct Backward<'a, T>(pub &'a mut Piece<T>);

impl<T: Number> WithSimd for Backward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.0.backward();
    }
}
