//! A factor turned into products, for a matrix that is solved with thousands of times.
//!
//! Substitution is a chain of divisions; products are not. With T the triangle of a panel of L and B the rows below it,
//! G = [T⁻¹; B T⁻¹] gives both halves of a solve: forward [y; s] = G x_panel with x_below ← x_below − s, and backward
//! x_panel = Gᵀ [y; −x_below]. G is packed in the order in which each half reads it, in 32 bits where these are enough:
//! who corrects a solution with it again and again loses nothing and reads half the numbers.
//!
//! Laplacians of solids act on x, y and z alike, so the factor of the scalar matrix serves three right-hand sides in one
//! pass. Subtrees of the elimination tree are worked off side by side. How the tree is cut depends on the matrix alone, so
//! that any number of threads computes the same bytes.

mod pack;
mod piece;
mod tree;

use pack::Number;
use piece::Piece;
use pulp::Arch;
use rayon::prelude::*;

use crate::cholesky::Cholesky;
use crate::error::SolveError;
use crate::solver::{LinearSolver, finite_solution, right_length};

/// Right-hand sides of one pass.
pub const SIDES: usize = 3;

/// Most that 32 bits may change of a solution, relative to its largest number.
const SINGLE: f64 = 1e-4;

/// A factored matrix, packed for many solves with three right-hand sides.
pub struct Products {
    arch: Arch,
    packed: Packed,
}

enum Packed {
    Single(Pieces<f32>),
    Double(Pieces<f64>),
}

/// The elimination tree cut into pieces: subtrees that know nothing of each other, and what is above them all.
struct Pieces<T> {
    under: Vec<Piece<T>>,
    top: Piece<T>,
}

impl Products {
    /// Packs the matrix that `solver` factored last.
    pub fn of(solver: &mut Cholesky) -> Result<Products, SolveError> {
        let n = solver.unknowns().ok_or(SolveError::NotFactored)?;
        let mut products = Products {
            arch: Arch::default(),
            packed: Packed::Single(Pieces::of(solver)?),
        };
        // A vector without structure or chance: multiples of the golden ratio, less their whole parts.
        let golden = |i: usize| (0.618_033_988_749_894_9 * (i + 1) as f64).fract() - 0.5;
        let mut exact: Vec<f64> = (0..n).map(golden).collect();
        let mut found: Vec<f64> = exact.iter().flat_map(|b| [*b; SIDES]).collect();
        solver.solve(&mut exact)?;
        let largest = exact.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let good = products.solve(&mut found).is_ok()
            && (exact.iter().zip(found.iter().step_by(SIDES)))
                .all(|(x, y)| (x - y).abs() <= SINGLE * largest);
        if !good {
            products.packed = Packed::Double(Pieces::of(solver)?);
        }
        Ok(products)
    }

    /// Whether 32 bits were enough.
    pub fn single(&self) -> bool {
        matches!(self.packed, Packed::Single(_))
    }

    /// x ← (A ⊗ I)⁻¹ x: three interleaved right-hand sides.
    pub fn solve(&mut self, x: &mut [f64]) -> Result<(), SolveError> {
        match &mut self.packed {
            Packed::Single(pieces) => pieces.solve(self.arch, x),
            Packed::Double(pieces) => pieces.solve(self.arch, x),
        }
    }
}

impl<T: Number> Pieces<T> {
    fn of(solver: &Cholesky) -> Result<Pieces<T>, SolveError> {
        let (symbolic, values) = solver.panels().ok_or(SolveError::NotFactored)?;
        let eliminated = &solver.order().ok_or(SolveError::NotFactored)?.eliminated;
        let cut = tree::Cut::of(symbolic);
        let top = Piece::new(symbolic, values, eliminated, &cut.top, None);
        let under = (cut.under.iter())
            .map(|range| {
                let supernodes: Vec<usize> = range.clone().collect();
                Piece::new(symbolic, values, eliminated, &supernodes, Some(&top))
            })
            .collect();
        Ok(Pieces { under, top })
    }

    fn solve(&mut self, arch: Arch, x: &mut [f64]) -> Result<(), SolveError> {
        let unknowns = self.under.iter().map(Piece::columns).sum::<usize>() + self.top.columns();
        right_length(x, SIDES * unknowns)?;
        let size = x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if !(f64::MIN_POSITIVE..=f64::MAX).contains(&size) {
            return finite_solution(x);
        }
        let alone = self.under.len() < 2 || rayon::current_num_threads() == 1;
        let given = &*x;
        let down = |piece: &mut Piece<T>| {
            piece.take(given, size);
            arch.dispatch(piece::Forward(piece));
        };
        if alone {
            self.under.iter_mut().for_each(down);
        } else {
            self.under.par_iter_mut().for_each(down);
        }
        self.top.take(given, size);
        for piece in &self.under {
            piece.hand_up(&mut self.top);
        }
        arch.dispatch(piece::Forward(&mut self.top));
        arch.dispatch(piece::Backward(&mut self.top));
        let top = &self.top;
        let up = |piece: &mut Piece<T>| {
            piece.hand_down(top);
            arch.dispatch(piece::Backward(piece));
        };
        if alone {
            self.under.iter_mut().for_each(up);
        } else {
            self.under.par_iter_mut().for_each(up);
        }
        self.under.iter().for_each(|piece| piece.give(size, x));
        self.top.give(size, x);
        finite_solution(x)
    }
}
