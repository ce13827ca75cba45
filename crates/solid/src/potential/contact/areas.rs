//! Contact areas of vertices on creases, such as the edges of a box.
//!
//! The faces that face the contact count: on the floor a box's edges count with the area of its bottom. At the start of each
//! step the area of such a vertex becomes the mean of its sides' areas, weighted by the fourth power of the cosine between
//! their normals and the direction of the nearest contact. It stays constant during the step. Weights are multiples of
//! 1/[`WEIGHT_STEPS`], so that rounding does not change them.

use contact::{Point, VertexSide};
use mesh::vector::{add, cross, dot, norm, scale, sub};

use super::BarrierContact;
use crate::potential::Configuration;

/// Number of steps between the weights 0 and 1 of a side.
const WEIGHT_STEPS: f64 = 64.0;

impl BarrierContact {
    /// Updates the areas of vertices on creases for the contacts at a configuration. Returns `true` if one has changed.
    pub(super) fn update_areas(&mut self, x: &Configuration) -> bool {
        if self.surfaces.sides.is_empty() {
            return false;
        }
        self.find(x);
        self.find_contact_directions();
        let mut changed = false;
        let sides = std::mem::take(&mut self.surfaces.sides);
        for at_vertex in sides.chunk_by(|a, b| a.vertex == b.vertex) {
            let vertex = at_vertex[0].vertex as usize;
            let area = self.area_towards(at_vertex, self.directions[vertex]);
            changed |= self.surfaces.vertex_areas[vertex] != area;
            self.surfaces.vertex_areas[vertex] = area;
        }
        self.surfaces.sides = sides;
        if changed {
            self.placed = false;
        }
        changed
    }

    /// Finds the direction from each vertex to its nearest contact; zero if there is none.
    fn find_contact_directions(&mut self) {
        self.directions.clear();
        self.directions.resize(self.x.len(), [0.0; 3]);
        self.nearest.clear();
        self.nearest.resize(self.x.len(), f64::INFINITY);
        let mut note = |vertex: u32, gap: f64, direction: Point| {
            let i = vertex as usize;
            if gap < self.nearest[i] {
                (self.nearest[i], self.directions[i]) = (gap, direction);
            }
        };
        for c in self.collisions.iter().filter(|c| c.mollified_below == 0.0) {
            let place = super::stencil::gather(c, &self.x);
            let (_, gradient) = contact::distance::derivatives(c.feature, &place, None);
            let away = [gradient[0], gradient[1], gradient[2]];
            let towards = scale(-0.5 / c.distance, away);
            note(c.points[0], c.distance - c.offset, towards);
        }
        self.obstacles
            .each_vertex(&self.surfaces, &self.x, |vertex, gap, normal| {
                note(vertex, gap, scale(-1.0, normal));
            });
    }

    /// Contact area of a vertex towards a direction; the largest side's without one.
    fn area_towards(&self, sides: &[VertexSide], direction: Point) -> f64 {
        let weight = |side: &VertexSide| {
            let normal = self.side_normal(side);
            dot(normal, direction).max(0.0).powi(4)
        };
        let sum: f64 = sides.iter().map(weight).sum();
        if sum.is_nan() || sum <= 1e-12 {
            return sides.iter().fold(0.0, |most, side| side.area.max(most));
        }
        let share = |side: &VertexSide| (WEIGHT_STEPS * weight(side) / sum).round();
        let shares: f64 = sides.iter().map(share).sum();
        sides
            .iter()
            .map(|side| share(side) * side.area)
            .sum::<f64>()
            / shares
    }

    /// Unit normal of a side of a vertex, the mean of its triangles.
    fn side_normal(&self, side: &VertexSide) -> Point {
        let normal = |t: &u32| {
            let [a, b, c] =
                self.surfaces.primitives.triangles[*t as usize].map(|i| self.x[i as usize]);
            cross(sub(b, a), sub(c, a))
        };
        let sum = side.triangles.iter().map(normal).fold([0.0; 3], add);
        scale(1.0 / norm(sum).max(f64::MIN_POSITIVE), sum)
    }
}
