//! L y = b and Lᵀ x = y for three right-hand sides at once.
//!
//! A solve is bound by reading the factor; three sides in one pass cost little more than one. Laplacians of solids act on
//! x, y and z alike, so the factor of the scalar matrix serves all three: a ninth of the numbers, read once.

use faer::sparse::linalg::cholesky::supernodal::SymbolicSupernodalCholesky;
use pulp::Arch;

/// Right-hand sides of one pass.
pub(crate) const COPIES: usize = 3;

/// x ← (L Lᵀ)⁻¹ x for the sides x[0..n], x[n..2n], x[2n..3n]; `room` is as long as x.
pub(crate) fn solve(
    arch: Arch,
    symbolic: &SymbolicSupernodalCholesky<usize>,
    values: &[f64],
    x: &mut [f64],
    room: &mut [f64],
) {
    let n = x.len() / COPIES;
    // Inlined into the dispatch, or it would be compiled for the narrowest vectors.
    arch.dispatch(
        #[inline(always)]
        || {
            let (x0, rest) = x.split_at_mut(n);
            let (x1, x2) = rest.split_at_mut(n);
            let mut x = [x0, x1, x2];
            let (r0, rest) = room.split_at_mut(n);
            let (r1, r2) = rest.split_at_mut(n);
            let mut room = [r0, r1, r2];
            for s in 0..symbolic.n_supernodes() {
                forward(&Panel::of(symbolic, values, s), &mut x, &mut room);
            }
            for s in (0..symbolic.n_supernodes()).rev() {
                backward(&Panel::of(symbolic, values, s), &mut x, &mut room);
            }
        },
    );
}

/// Columns `start..start + width` of the factor over themselves and the rows of `below`.
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

    /// Column c of the dense triangle, from its diagonal down.
    #[inline(always)]
    fn head(&self, c: usize) -> &[f64] {
        let height = self.width + self.below.len();
        &self.values[c * height + c..c * height + self.width]
    }

    /// Column c below the triangle.
    #[inline(always)]
    fn tail(&self, c: usize) -> &[f64] {
        let height = self.width + self.below.len();
        &self.values[c * height + self.width..(c + 1) * height]
    }
}

#[inline(always)]
fn forward(panel: &Panel, x: &mut [&mut [f64]; COPIES], room: &mut [&mut [f64]; COPIES]) {
    let (start, width) = (panel.start, panel.width);
    for c in 0..width {
        let l = panel.head(c);
        let scale = 1.0 / l[0];
        for x in x.iter_mut() {
            let top = &mut x[start + c..start + width];
            let xc = top[0] * scale;
            top[0] = xc;
            for (x, l) in top[1..].iter_mut().zip(&l[1..]) {
                *x -= l * xc;
            }
        }
    }
    let m = panel.below.len();
    let [s0, s1, s2] = room.each_mut().map(|r| &mut r[..m]);
    s0.fill(0.0);
    s1.fill(0.0);
    s2.fill(0.0);
    let whole = width / 2 * 2;
    for c in (0..whole).step_by(2) {
        let (a, b) = (&panel.tail(c)[..m], &panel.tail(c + 1)[..m]);
        let [xa, xb] = [0, 1].map(|k| [0, 1, 2].map(|q| x[q][start + c + k]));
        for i in 0..m {
            s0[i] += a[i] * xa[0] + b[i] * xb[0];
            s1[i] += a[i] * xa[1] + b[i] * xb[1];
            s2[i] += a[i] * xa[2] + b[i] * xb[2];
        }
    }
    if whole < width {
        let a = &panel.tail(whole)[..m];
        let xa = [0, 1, 2].map(|q| x[q][start + whole]);
        for i in 0..m {
            s0[i] += a[i] * xa[0];
            s1[i] += a[i] * xa[1];
            s2[i] += a[i] * xa[2];
        }
    }
    for (x, sums) in x.iter_mut().zip([s0, s1, s2]) {
        for (&row, sum) in panel.below.iter().zip(sums.iter()) {
            x[row] -= sum;
        }
    }
}

#[inline(always)]
fn backward(panel: &Panel, x: &mut [&mut [f64]; COPIES], room: &mut [&mut [f64]; COPIES]) {
    let (start, width, m) = (panel.start, panel.width, panel.below.len());
    let [r0, r1, r2] = room.each_mut().map(|r| &mut r[..m]);
    for (x, kept) in x.iter().zip([&mut *r0, &mut *r1, &mut *r2]) {
        for (&row, kept) in panel.below.iter().zip(kept.iter_mut()) {
            *kept = x[row];
        }
    }
    for c in (0..width).rev() {
        let l = panel.head(c);
        let scale = 1.0 / l[0];
        let sums = dots(panel.tail(c), [r0, r1, r2]);
        for (x, sum) in x.iter_mut().zip(sums) {
            let top = &mut x[start + c..start + width];
            let (first, others) = top.split_at_mut(1);
            let inner: f64 = l[1..].iter().zip(others.iter()).map(|(l, x)| l * x).sum();
            first[0] = (first[0] - sum - inner) * scale;
        }
    }
}

/// Three sums in four fixed lanes each, so that they run in vectors and always round the same way.
#[inline(always)]
fn dots(l: &[f64], sides: [&[f64]; COPIES]) -> [f64; COPIES] {
    let m = l.len();
    let sides = sides.map(|s| &s[..m]);
    let mut lanes = [[0.0; 4]; COPIES];
    let whole = m / 4 * 4;
    for i in (0..whole).step_by(4) {
        for q in 0..COPIES {
            for k in 0..4 {
                lanes[q][k] += l[i + k] * sides[q][i + k];
            }
        }
    }
    let mut out = lanes.map(|[a, b, c, d]| (a + c) + (b + d));
    for i in whole..m {
        for q in 0..COPIES {
            out[q] += l[i] * sides[q][i];
        }
    }
    out
}
