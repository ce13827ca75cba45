//! Modal basis of trilinear hexahedra: monomials in place of shape functions.
//!
//! With node signs s = (±1, ±1, ±1), u(ξ) = Σ_m c_m ξ^m over the eight monomials 1, ξ, η, ξη, ζ, …, and
//! c_m = ⅛ Σ_a u_a Π_(k in m) s_ak. Gradients at the 2×2×2 Gauss points then cost a third of those with eight shape
//! functions. Forces are computed by modes and transformed back.

use crate::lanes::{Lanes, Mat3};

use super::kernels::NodalLanes;

/// VTK number of the corner with each combination of signs; ξ is the lowest bit.
const CORNER: [usize; 8] = [0, 1, 3, 2, 4, 5, 7, 6];

/// Transforms nodal values to modal coefficients; only the first eight entries are used.
#[inline(always)]
pub fn of_nodes<const N: usize>(u: &NodalLanes<N>) -> NodalLanes<N> {
    let mut out = *u;
    for k in 0..3 {
        let mut c: [Lanes; 8] = std::array::from_fn(|m| 0.125 * u[CORNER[m] % N][k]);
        for bit in [1, 2, 4] {
            for m in (0..8).filter(|m| m & bit == 0) {
                (c[m], c[m | bit]) = (c[m] + c[m | bit], c[m | bit] - c[m]);
            }
        }
        for m in 0..8 {
            out[m % N][k] = c[m];
        }
    }
    out
}

/// Transforms modal forces to nodal forces: the transpose of [`of_nodes`].
#[inline(always)]
pub fn to_nodes<const N: usize>(f: &NodalLanes<N>) -> NodalLanes<N> {
    let mut out = *f;
    for k in 0..3 {
        let mut c: [Lanes; 8] = std::array::from_fn(|m| 0.125 * f[m % N][k]);
        for bit in [1, 2, 4] {
            for m in (0..8).filter(|m| m & bit == 0) {
                (c[m], c[m | bit]) = (c[m] - c[m | bit], c[m] + c[m | bit]);
            }
        }
        for m in 0..8 {
            out[CORNER[m] % N][k] = c[m];
        }
    }
    out
}

/// Coordinates of Gauss point p; ξ is the lowest bit of its number.
#[inline(always)]
fn point(p: usize) -> [f64; 3] {
    const GAUSS: f64 = 0.577_350_269_189_625_8;
    [0, 1, 2].map(|k| if p >> k & 1 == 0 { -GAUSS } else { GAUSS })
}

/// Gradient ∂u/∂ξ at Gauss point p.
#[inline(always)]
pub fn gradient<const N: usize>(c: &NodalLanes<N>, p: usize) -> Mat3 {
    let [x, y, z] = point(p);
    [0, 1, 2].map(|i| {
        let m = |n: usize| c[n % N][i];
        [
            m(1) + m(3) * y + m(5) * z + m(7) * (y * z),
            m(2) + m(3) * x + m(6) * z + m(7) * (x * z),
            m(4) + m(5) * x + m(6) * y + m(7) * (x * y),
        ]
    })
}

/// Subtracts the modal forces of the stress `t` = w P J⁻ᵀ at Gauss point p.
#[inline(always)]
pub fn subtract_forces<const N: usize>(t: &Mat3, p: usize, out: &mut NodalLanes<N>) {
    let [x, y, z] = point(p);
    for i in 0..3 {
        let [a, b, c] = t[i];
        out[1 % N][i] -= a;
        out[2 % N][i] -= b;
        out[4 % N][i] -= c;
        out[3 % N][i] -= a * y + b * x;
        out[5 % N][i] -= a * z + c * x;
        out[6 % N][i] -= b * z + c * y;
        out[7 % N][i] -= a * (y * z) + b * (x * z) + c * (x * y);
    }
}
