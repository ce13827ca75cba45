//! Penalty contact: repulsion springs that push surfaces apart [Dinev et al. 2018, eq. 38].
//!
//! A spring stores A/2 · k (r − g)² while its gap g is below the reach r, with k = 2/r: its pressure is 1 at half the reach,
//! like that of a [barrier](crate::Barrier), and A is the contact area of its vertex. The paper's spring begins at the surface
//! (r = 0) and has a stiffness in N/m; ours begins at the reach, so that resting surfaces need not overlap, and has a
//! stiffness in Pa, so that the gap under a given pressure does not depend on the mesh.
//!
//! - [`Repulsion`]: the function of the gap;
//! - [`SpringSearch`]: springs between vertices and triangulated surfaces, found once and then kept: the normal and the
//!   closest point of the surface stay those of the search;
//! - [`ImpulseSolver`]: Coulomb friction and restitution as bounded impulses at the contacts.

mod impulses;
mod search;
mod signed;

pub use impulses::{ImpulseContact, ImpulseSolver, ImpulseSum};
pub use search::{SpringRange, SpringSearch};
pub use signed::SignedSurfaces;

use crate::Point;
use crate::collision::NO_POINT;
use mesh::vector::{add, dot, scale};

/// Energy of a repulsion spring for an area of 1 m² and a pressure of 1 Pa at half the reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repulsion {
    reach: f64,
}

impl Repulsion {
    /// Creates the spring that begins at this gap, m.
    pub fn new(reach: f64) -> Repulsion {
        Repulsion { reach }
    }

    /// Gap at which the force begins, m.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Energy and its first and second derivative with respect to the gap.
    pub fn derivatives(&self, gap: f64) -> [f64; 3] {
        let depth = self.reach - gap;
        if depth <= 0.0 {
            return [0.0; 3];
        }
        let k = 2.0 / self.reach;
        [0.5 * k * depth * depth, -k * depth, k]
    }
}

/// A spring between a vertex and a point of a surface. Its gap is linear in the positions: n · Σ wᵢ xᵢ − offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The vertex and the corners of the closest triangle; [`NO_POINT`] for unused ones.
    pub points: [u32; 4],
    /// Weights of the points: 1 for the vertex, minus the barycentric coordinates for the corners; they sum to 0.
    pub weights: [f64; 4],
    /// Unit normal, from the surface to the vertex's free side.
    pub normal: Point,
    /// Thickness and radii that are subtracted from the distance, m.
    pub offset: f64,
    /// Area with which the spring counts, m².
    pub area: f64,
}

impl Spring {
    /// Iterates over the used points and their weights.
    pub fn ends(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let used = self.points.iter().zip(&self.weights);
        used.filter(|(p, _)| **p != NO_POINT)
            .map(|(&p, &w)| (p as usize, w))
    }

    /// Vector from the closest point of the surface to the vertex, m; or the same of velocities.
    pub fn separation(&self, x: &[Point]) -> Point {
        self.ends()
            .fold([0.0; 3], |sum, (i, w)| add(sum, scale(w, x[i])))
    }

    /// Gap at these positions, m; negative if the vertex is inside.
    pub fn gap(&self, x: &[Point]) -> f64 {
        dot(self.normal, self.separation(x)) - self.offset
    }
}
