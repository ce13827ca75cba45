//! Squared distances between points, edges and triangles: closest features, gradients and Hessians.
//!
//! The squared distance of two primitives is d² = |r|², where r = Σ wᵢ xᵢ joins the closest points. The weights w are 1 and
//! −1, or depend on one or two parameters q that minimise |r|². With E = ∂r/∂q and Dᵢ = ∂wᵢ/∂q, the envelope theorem and
//! implicit differentiation of Eᵀr = 0 give
//!
//! - ∂d²/∂xᵢ = 2 wᵢ r,
//! - ∂²d²/∂xᵢ∂xⱼ = 2 wᵢ wⱼ I − 2 (wᵢ E + r Dᵢᵀ) (EᵀE)⁻¹ (wⱼ E + r Dⱼᵀ)ᵀ,
//!
//! for every class of closest features alike: no class needs formulas of its own.

mod closest;
mod derivatives;

pub use closest::{
    Feature, Point, edge_edge, edge_edge_separation, point_edge, point_edge_separation,
    point_triangle, point_triangle_separation,
};
pub use derivatives::{Combination, combination, derivatives};
