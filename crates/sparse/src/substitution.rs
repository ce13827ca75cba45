//! Forward and backward substitution, L y = b and Lᵀ x = y, for one right-hand side, panel by panel.
//!
//! A solve reads every number of the factor twice and computes little with it, so memory access decides its speed. We
//! read in order and touch the scattered rows of x once per panel: they are gathered next to the panel, updated four
//! columns at a time, and scattered back. The loops are compiled for the widest vectors of the machine, chosen at run
//! time.

use faer::sparse::linalg::cholesky::supernodal::SymbolicSupernodalCholesky;
use pulp::{Arch, Simd, WithSimd};

/// One panel of the factor: the columns `start..start + width`, their dense triangle and the rows `below` it.
struct Panel<'a> {
    start: usize,
    width: usize,
    below: &'a [usize],
    values: &'a [f64],
}

impl<'a> Panel<'a> {
    #[inline(always)]
    fn of(
        symbolic: &'a SymbolicSupernodalCholesky<usize>,
        values: &'a [f64],
        s: usize,
    ) -> Panel<'a> {
        let (start, end) = (symbolic.supernode_begin()[s], symbolic.supernode_end()[s]);
        let from = symbolic.col_ptr_for_row_idx()[s];
        Panel {
            start,
            width: end - start,
            below: &symbolic.row_idx()[from..from + symbolic.nnz_per_super()[s]],
            values: &values[symbolic.col_ptr_for_val()[s]..symbolic.col_ptr_for_val()[s + 1]],
        }
    }

    /// Returns column c of the dense triangle from its diagonal down.
    #[inline(always)]
    fn head(&self, c: usize) -> &[f64] {
        let height = self.width + self.below.len();
        &self.values[c * height + c..c * height + self.width]
    }

    /// Returns column c below the triangle.
    #[inline(always)]
    fn tail(&self, c: usize) -> &[f64] {
        let height = self.width + self.below.len();
        &self.values[c * height + self.width..(c + 1) * height]
    }
}

/// Computes x ← (L Lᵀ)⁻¹ x. `scratch` needs as many numbers as the tallest panel has rows below its triangle; n is
/// always enough.
pub(crate) fn solve(
    arch: Arch,
    symbolic: &SymbolicSupernodalCholesky<usize>,
    values: &[f64],
    x: &mut [f64],
    scratch: &mut [f64],
) {
    arch.dispatch(Solve {
        symbolic,
        values,
        x,
        scratch,
    });
}

/// Computes x ← L⁻¹ x on the given panels in ascending order. The panels of all ancestors of the non-zero entries of x
/// suffice for the full result.
pub(crate) fn solve_lower(
    arch: Arch,
    symbolic: &SymbolicSupernodalCholesky<usize>,
    values: &[f64],
    panels: impl Iterator<Item = usize>,
    x: &mut [f64],
    scratch: &mut [f64],
) {
    arch.dispatch(PanelSolve {
        symbolic,
        values,
        triangle: Triangle::Lower,
        panels,
        x,
        scratch,
    });
}

/// Computes x ← L⁻ᵀ x on the given panels in descending order. If the panels include their ancestors, their entries of
/// x are those of a full solve; the others are not computed.
pub(crate) fn solve_upper(
    arch: Arch,
    symbolic: &SymbolicSupernodalCholesky<usize>,
    values: &[f64],
    panels: impl Iterator<Item = usize>,
    x: &mut [f64],
    scratch: &mut [f64],
) {
    arch.dispatch(PanelSolve {
        symbolic,
        values,
        triangle: Triangle::Upper,
        panels,
        x,
        scratch,
    });
}

/// The triangular factor that a solve uses.
#[derive(Clone, Copy)]
enum Triangle {
    /// L.
    Lower,
    /// Lᵀ.
    Upper,
}

/// A solve with some panels of one triangular factor.
struct PanelSolve<'a, I> {
    symbolic: &'a SymbolicSupernodalCholesky<usize>,
    values: &'a [f64],
    triangle: Triangle,
    panels: I,
    x: &'a mut [f64],
    scratch: &'a mut [f64],
}

impl<I: Iterator<Item = usize>> WithSimd for PanelSolve<'_, I> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for s in self.panels {
            let panel = Panel::of(self.symbolic, self.values, s);
            match self.triangle {
                Triangle::Lower => forward(&panel, self.x, self.scratch),
                Triangle::Upper => backward(&panel, self.x, self.scratch),
            }
        }
    }
}

/// A solve with both triangular factors. It is a type, not a closure, because the body of a closure is compiled for the
/// narrowest vectors.
struct Solve<'a> {
    symbolic: &'a SymbolicSupernodalCholesky<usize>,
    values: &'a [f64],
    x: &'a mut [f64],
    scratch: &'a mut [f64],
}

impl WithSimd for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for s in 0..self.symbolic.n_supernodes() {
            forward(
                &Panel::of(self.symbolic, self.values, s),
                self.x,
                self.scratch,
            );
        }
        for s in (0..self.symbolic.n_supernodes()).rev() {
            backward(
                &Panel::of(self.symbolic, self.values, s),
                self.x,
                self.scratch,
            );
        }
    }
}

#[inline(always)]
fn forward(panel: &Panel, x: &mut [f64], scratch: &mut [f64]) {
    let top = &mut x[panel.start..panel.start + panel.width];
    for c in 0..panel.width {
        let l = panel.head(c);
        let xc = top[c] / l[0];
        top[c] = xc;
        for (x, l) in top[c + 1..].iter_mut().zip(&l[1..]) {
            *x -= l * xc;
        }
    }
    let m = panel.below.len();
    let sums = &mut scratch[..m];
    sums.fill(0.0);
    let whole = panel.width / 4 * 4;
    for c in (0..whole).step_by(4) {
        let [a, b, d, e] = [0, 1, 2, 3].map(|k| &panel.tail(c + k)[..m]);
        let [xa, xb, xd, xe] = [0, 1, 2, 3].map(|k| top[c + k]);
        for i in 0..m {
            sums[i] += (a[i] * xa + b[i] * xb) + (d[i] * xd + e[i] * xe);
        }
    }
    for c in whole..panel.width {
        let (a, xc) = (&panel.tail(c)[..m], top[c]);
        for i in 0..m {
            sums[i] += a[i] * xc;
        }
    }
    for (&row, sum) in panel.below.iter().zip(sums.iter()) {
        x[row] -= sum;
    }
}

#[inline(always)]
fn backward(panel: &Panel, x: &mut [f64], scratch: &mut [f64]) {
    let m = panel.below.len();
    let rows = &mut scratch[..m];
    for (&row, kept) in panel.below.iter().zip(rows.iter_mut()) {
        *kept = x[row];
    }
    let top = &mut x[panel.start..panel.start + panel.width];
    for c in (0..panel.width).rev() {
        let l = panel.head(c);
        let sum = dot(panel.tail(c), rows) + dot(&l[1..], &top[c + 1..]);
        top[c] = (top[c] - sum) / l[0];
    }
}

/// Returns the dot product summed in eight fixed lanes, so that it vectorises and always rounds the same way.
#[inline(always)]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (xs, ys) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest: f64 = xs
        .remainder()
        .iter()
        .zip(ys.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in xs.zip(ys) {
        for k in 0..8 {
            lanes[k] += x[k] * y[k];
        }
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (b + f)) + ((c + g) + (d + h)) + rest
}
