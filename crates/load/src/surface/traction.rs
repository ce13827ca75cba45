//! A dead traction: a force per reference area with a fixed direction.

use super::SurfaceFaces;
use crate::{ForceSum, Load, LoadState, TimeCourse};
use mesh::vector::{norm, scale};

/// A traction per reference area on faces, constant in space and direction. Node a gets the force t ∫ N_a dA over the
/// undeformed faces.
#[derive(Clone, Debug)]
pub struct DeadTraction {
    traction: [f64; 3],
    course: TimeCourse,
    /// Nodes of the faces, ascending, and ∫ N_a dA of each, m².
    shares: Vec<(u32, f64)>,
}

impl DeadTraction {
    /// Creates the load from its faces, the rest positions of all nodes and the force per area, N/m².
    pub fn new(
        faces: &SurfaceFaces,
        rest: &[[f64; 3]],
        traction: [f64; 3],
        course: TimeCourse,
    ) -> DeadTraction {
        let mut area = std::collections::BTreeMap::new();
        faces.for_each_point(rest, |face, point, normal| {
            let size = norm(normal);
            for (&node, n) in faces.nodes(face).iter().zip(&point.n) {
                *area.entry(node).or_insert(0.0) += n * size;
            }
        });
        DeadTraction {
            traction,
            course,
            shares: area.into_iter().collect(),
        }
    }
}

impl Load for DeadTraction {
    fn is_active(&self) -> bool {
        !self.shares.is_empty() && self.traction != [0.0; 3]
    }

    fn depends_on_state(&self) -> bool {
        false
    }

    fn add_force(&self, at: &LoadState, sum: &mut ForceSum) {
        let factor = self.course.factor(at.t);
        if factor != 0.0 {
            for &(node, area) in &self.shares {
                sum.add(node, scale(factor * area, self.traction));
            }
        }
    }

    fn add_force_rate(&self, at: &LoadState, rate: &mut [[f64; 3]]) {
        let factor = self.course.rate(at.t);
        if factor != 0.0 {
            for &(node, area) in &self.shares {
                let sum = &mut rate[node as usize];
                (0..3).for_each(|k| sum[k] += factor * area * self.traction[k]);
            }
        }
    }

    fn next_kink(&self, t: f64) -> f64 {
        self.course.next_kink(t)
    }
}
