//! A Cholesky factor with inverted panels, for thousands of solves with the same matrix.
//!
//! Substitution is a chain of dependent divisions; matrix products are not. Let T be the triangle of a panel of L and B
//! the rows below it. Then G = [T⁻¹; B T⁻¹] gives both halves of a solve: forward [y; s] = G x_panel with x_below ←
//! x_below − s, and backward x_panel = Gᵀ [y; −x_below]. G is packed in the order in which each half reads it, in
//! single precision if that is accurate enough: an iteration that corrects its solution with further solves loses
//! nothing by it and reads half as many bytes.
//!
//! Laplacians of solids act on x, y and z alike, so the factor of the scalar matrix serves three right-hand sides in
//! one pass. Subtrees of the elimination tree are solved in parallel. The partition of the tree depends on the matrix
//! alone, so any number of threads computes the same bytes.

mod pack;
mod subtree;
mod tree_partition;

use pack::Scalar;
use pulp::Arch;
use rayon::prelude::*;
use subtree::Subtree;

use crate::cholesky::Cholesky;
use crate::error::SolveError;
use crate::solver::{LinearSolver, check_finite, check_length};

/// The number of right-hand sides of one solve: the components x, y and z.
pub const RIGHT_HAND_SIDES: usize = 3;

/// The largest error of single precision in a trial solve, relative to the largest entry of the solution; above it, the
/// factor is stored in double precision.
const MAX_SINGLE_PRECISION_ERROR: f64 = 1e-4;

/// A Cholesky factor with inverted panels, packed for many solves with three right-hand sides each.
pub struct InvertedPanelCholesky {
    arch: Arch,
    packed: PanelStorage,
}

/// The packed panels, in single or double precision.
enum PanelStorage {
    Single(PartitionedFactor<f32>),
    Double(PartitionedFactor<f64>),
}

/// The panels of independent subtrees of the elimination tree, and of the top above them.
struct PartitionedFactor<T> {
    subtrees: Vec<Subtree<T>>,
    top: Subtree<T>,
}

impl InvertedPanelCholesky {
    /// Inverts and packs the panels of the matrix that `solver` factored last.
    pub fn new(solver: &mut Cholesky) -> Result<InvertedPanelCholesky, SolveError> {
        let n = solver.unknowns().ok_or(SolveError::NotFactored)?;
        let mut products = InvertedPanelCholesky {
            arch: Arch::default(),
            packed: PanelStorage::Single(PartitionedFactor::new(solver)?),
        };
        // A deterministic vector without structure: multiples of the golden ratio modulo one.
        let golden = |i: usize| (0.618_033_988_749_894_9 * (i + 1) as f64).fract() - 0.5;
        let mut exact: Vec<f64> = (0..n).map(golden).collect();
        let mut found: Vec<f64> = exact.iter().flat_map(|b| [*b; RIGHT_HAND_SIDES]).collect();
        solver.solve(&mut exact)?;
        let largest = exact.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let accurate = products.solve(&mut found).is_ok()
            && (exact.iter().zip(found.iter().step_by(RIGHT_HAND_SIDES)))
                .all(|(x, y)| (x - y).abs() <= MAX_SINGLE_PRECISION_ERROR * largest);
        if !accurate {
            products.packed = PanelStorage::Double(PartitionedFactor::new(solver)?);
        }
        Ok(products)
    }

    /// Returns whether the panels are stored in single precision.
    pub fn is_single_precision(&self) -> bool {
        matches!(self.packed, PanelStorage::Single(_))
    }

    /// Computes x ← (A ⊗ I₃)⁻¹ x for three interleaved right-hand sides.
    pub fn solve(&mut self, x: &mut [f64]) -> Result<(), SolveError> {
        match &mut self.packed {
            PanelStorage::Single(factor) => factor.solve(self.arch, x),
            PanelStorage::Double(factor) => factor.solve(self.arch, x),
        }
    }
}

impl<T: Scalar> PartitionedFactor<T> {
    fn new(solver: &Cholesky) -> Result<PartitionedFactor<T>, SolveError> {
        let (symbolic, values) = solver.panels().ok_or(SolveError::NotFactored)?;
        let permutation = &solver.order().ok_or(SolveError::NotFactored)?.permutation;
        let cut = tree_partition::TreePartition::new(symbolic);
        let top = Subtree::new(symbolic, values, permutation, &cut.top, None);
        let subtrees = (cut.subtrees.iter())
            .map(|range| {
                let supernodes: Vec<usize> = range.clone().collect();
                Subtree::new(symbolic, values, permutation, &supernodes, Some(&top))
            })
            .collect();
        Ok(PartitionedFactor { subtrees, top })
    }

    fn solve(&mut self, arch: Arch, x: &mut [f64]) -> Result<(), SolveError> {
        let unknowns =
            self.subtrees.iter().map(Subtree::columns).sum::<usize>() + self.top.columns();
        check_length(x, RIGHT_HAND_SIDES * unknowns)?;
        let size = x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if !(f64::MIN_POSITIVE..=f64::MAX).contains(&size) {
            return check_finite(x);
        }
        let sequential = self.subtrees.len() < 2 || rayon::current_num_threads() == 1;
        let given = &*x;
        let down = |subtree: &mut Subtree<T>| {
            subtree.load(given, size);
            arch.dispatch(subtree::Forward(subtree));
        };
        if sequential {
            self.subtrees.iter_mut().for_each(down);
        } else {
            self.subtrees.par_iter_mut().for_each(down);
        }
        self.top.load(given, size);
        for subtree in &self.subtrees {
            subtree.add_update_to(&mut self.top);
        }
        arch.dispatch(subtree::Forward(&mut self.top));
        arch.dispatch(subtree::Backward(&mut self.top));
        let top = &self.top;
        let up = |subtree: &mut Subtree<T>| {
            subtree.copy_solution_from(top);
            arch.dispatch(subtree::Backward(subtree));
        };
        if sequential {
            self.subtrees.iter_mut().for_each(up);
        } else {
            self.subtrees.par_iter_mut().for_each(up);
        }
        self.subtrees
            .iter()
            .for_each(|subtree| subtree.store(size, x));
        self.top.store(size, x);
        check_finite(x)
    }
}
