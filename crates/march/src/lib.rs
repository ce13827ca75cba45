//! Time. This crate has never heard of a mesh.

/// Whether a second derivative is the true one or its nearest positive semi-definite neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curvature {
    /// The true second derivative, possibly indefinite.
    Exact,
    /// Negative eigenvalues of each stencil's second derivative raised to zero.
    Definite,
}
