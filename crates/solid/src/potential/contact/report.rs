//! Measures of contact: forces, areas, gaps and sliding speeds of touching pairs, forces on nodes, counted work.

use contact::Point;
use contact::collision::Collision;
use mesh::vector::{add, norm, scale};

use super::{BarrierContact, is_used, stencil};
use crate::potential::Configuration;

/// Two bodies, or a body and an obstacle, in contact.
#[derive(Clone, Debug, PartialEq)]
pub struct PairContact {
    /// Numbers of the two groups, ascending.
    pub groups: [u32; 2],
    /// Sum of the magnitudes of all contact forces between them, N.
    pub normal_force: f64,
    /// Magnitude of the friction force between them, summed as a vector, N.
    pub friction_force: f64,
    /// Mean sliding speed of their contacts with friction, weighted with the normal force, m/s.
    pub slip: f64,
    /// Area of the vertices in contact, m².
    pub area: f64,
    /// Least distance between them, m.
    pub gap: f64,
}

/// Work of contact detection since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactCounts {
    /// Searches for candidates.
    pub searches: u64,
    /// Candidate pairs found by them.
    pub candidates: u64,
    /// Paths checked by continuous collision detection.
    pub paths: u64,
}

/// What a contact potential tells about itself.
pub trait ContactReport {
    /// Returns the names of bodies and obstacles, by group.
    fn names(&self) -> &[String];

    /// Returns the work of contact detection so far.
    fn counts(&self) -> ContactCounts;

    /// Returns the pairs in contact at a configuration and velocities of the nodes, ascending by group.
    fn pairs(&mut self, x: &Configuration, v: &[Point]) -> Vec<PairContact>;

    /// Writes the contact force on every node at a configuration, N.
    fn node_forces(&mut self, x: &Configuration, out: &mut Vec<[f64; 3]>);

    /// Writes the friction force on every node at a configuration and velocities of the nodes, N.
    fn node_friction(&mut self, x: &Configuration, v: &[Point], out: &mut Vec<[f64; 3]>);
}

impl ContactReport for BarrierContact {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn counts(&self) -> ContactCounts {
        ContactCounts {
            searches: self.search.counts.searches,
            candidates: self.search.counts.candidates,
            paths: self.paths.checks,
        }
    }

    fn pairs(&mut self, x: &Configuration, v: &[Point]) -> Vec<PairContact> {
        let mut all = self.touching_pairs(x);
        if let Some(friction) = self.measured_friction(x) {
            let mut sums = vec![([0.0; 3], 0.0, 0.0); all.len()];
            friction.each_force(v, |c, speed, force| {
                let [a, b] = c.groups;
                let groups = [a.min(b), a.max(b)];
                if let Ok(at) = all.binary_search_by_key(&groups, |p| p.groups) {
                    let (sum, slip, normal) = &mut sums[at];
                    let sign = if a <= b { 1.0 } else { -1.0 };
                    *sum = add(*sum, scale(sign, force));
                    *slip += c.normal_force * speed;
                    *normal += c.normal_force;
                }
            });
            for (pair, (force, slip, normal)) in all.iter_mut().zip(sums) {
                pair.friction_force = norm(force);
                pair.slip = if normal > 0.0 { slip / normal } else { 0.0 };
            }
        }
        all
    }

    fn node_forces(&mut self, x: &Configuration, out: &mut Vec<[f64; 3]>) {
        self.find(x);
        out.clear();
        out.resize(self.nodes, [0.0; 3]);
        self.add_forces(out);
    }

    fn node_friction(&mut self, x: &Configuration, v: &[Point], out: &mut Vec<[f64; 3]>) {
        out.clear();
        out.resize(self.nodes, [0.0; 3]);
        if let Some(friction) = self.measured_friction(x) {
            friction.add_force(v, out);
        }
    }
}

impl BarrierContact {
    /// Returns the pairs in contact at a configuration without friction, ascending by group.
    fn touching_pairs(&mut self, x: &Configuration) -> Vec<PairContact> {
        self.find(x);
        let (k, barrier) = (self.settings.stiffness, self.settings.barrier);
        let groups = &self.surfaces.primitives.groups;
        let group = |i: u32| groups[i as usize];
        let mut all: Vec<PairContact> = Vec::new();
        let mut note = |a, b, force, area, gap| add_to_pair(&mut all, [a, b], force, area, gap);
        for c in &self.collisions {
            let [a, b] = sides(c).map(group);
            let force = stencil::force(c, &barrier, &stencil::gather(c, &self.x));
            // The force on the first side: the point, or both ends of the first edge.
            let first = first_side(c);
            let sum = [0, 1, 2].map(|axis| (0..first).map(|p| force[3 * p + axis]).sum::<f64>());
            let size = sum.iter().map(|f| f * f).sum::<f64>().sqrt();
            let area = if c.mollified_below > 0.0 {
                0.0
            } else {
                c.weight
            };
            note(
                a,
                b,
                k * size * c.weight.signum(),
                area,
                c.distance - c.offset,
            );
        }
        for c in &self.smooth {
            let push = -k * c.weight * barrier.derivatives(c.gap)[1];
            note(group(c.node), c.group, push, c.weight, c.gap);
        }
        all.sort_by_key(|p| p.groups);
        all
    }

    /// ∂E/∂t at fixed nodes, due to moving obstacles, at the positions of the last search, W.
    pub(super) fn obstacle_power(&mut self) -> f64 {
        let (k, barrier) = (self.settings.stiffness, self.settings.barrier);
        let mut velocities = std::mem::take(&mut self.velocities);
        velocities.resize(self.x.len(), [0.0; 3]);
        self.obstacles.point_velocities(self.t, &mut velocities);
        let mut power = 0.0;
        for c in self
            .collisions
            .iter()
            .filter(|c| touches_obstacle(c, self.nodes))
        {
            let force = stencil::force(c, &barrier, &stencil::gather(c, &self.x));
            for (p, &i) in c.points.iter().enumerate() {
                if is_used(i) && i as usize >= self.nodes {
                    let v = velocities[i as usize];
                    power -= k
                        * (0..3)
                            .map(|axis| force[3 * p + axis] * v[axis])
                            .sum::<f64>();
                }
            }
        }
        for c in &self.smooth {
            let push = -k * c.weight * barrier.derivatives(c.gap)[1];
            let v =
                self.obstacles
                    .smooth_velocity(c.group, self.t, self.x[c.node as usize], c.normal)[0];
            power += push * (0..3).map(|axis| c.normal[axis] * v[axis]).sum::<f64>();
        }
        self.velocities = velocities;
        power
    }

    /// Adds ∂f/∂t at fixed nodes, due to moving obstacles, at the positions of the last search.
    pub(super) fn add_obstacle_force_rate(&mut self, rate: &mut [[f64; 3]]) {
        let (k, barrier) = (self.settings.stiffness, self.settings.barrier);
        let mut velocities = std::mem::take(&mut self.velocities);
        velocities.resize(self.x.len(), [0.0; 3]);
        self.obstacles.point_velocities(self.t, &mut velocities);
        let mut hessian = [[0.0; 12]; 12];
        for c in self
            .collisions
            .iter()
            .filter(|c| touches_obstacle(c, self.nodes))
        {
            let place = stencil::gather(c, &self.x);
            stencil::stiffness(c, &barrier, &place, march::Curvature::Exact, &mut hessian);
            for (p, &i) in c.points.iter().enumerate() {
                if i as usize >= self.nodes {
                    continue;
                }
                for (q, &j) in c.points.iter().enumerate() {
                    if !is_used(j) || (j as usize) < self.nodes {
                        continue;
                    }
                    let v = velocities[j as usize];
                    for axis in 0..3 {
                        let row = &hessian[3 * p + axis];
                        let sum: f64 = (0..3).map(|b| row[3 * q + b] * v[b]).sum();
                        rate[i as usize][axis] -= k * sum;
                    }
                }
            }
        }
        for c in &self.smooth {
            let push = -k * c.weight * barrier.derivatives(c.gap)[1];
            let place = self.x[c.node as usize];
            let [v, turning] = self
                .obstacles
                .smooth_velocity(c.group, self.t, place, c.normal);
            let block = c.stiffness(barrier.derivatives(c.gap), march::Curvature::Exact);
            for axis in 0..3 {
                let along: f64 = (0..3).map(|b| block[3 * axis + b] * v[b]).sum();
                rate[c.node as usize][axis] += k * along + push * turning[axis];
            }
        }
        self.velocities = velocities;
    }
}

/// Adds a contact to the pair of its groups.
pub(super) fn add_to_pair(
    all: &mut Vec<PairContact>,
    [a, b]: [u32; 2],
    force: f64,
    area: f64,
    gap: f64,
) {
    let groups = [a.min(b), a.max(b)];
    let at = all.iter().position(|p| p.groups == groups);
    let at = at.unwrap_or_else(|| {
        all.push(PairContact {
            groups,
            normal_force: 0.0,
            friction_force: 0.0,
            slip: 0.0,
            area: 0.0,
            gap: f64::INFINITY,
        });
        all.len() - 1
    });
    all[at].normal_force += force;
    all[at].area += area;
    all[at].gap = all[at].gap.min(gap);
}

/// Number of points on the first side of a stencil: two for a pair of edges, else one.
fn first_side(c: &Collision) -> usize {
    if c.mollified_below > 0.0 { 2 } else { 1 }
}

/// A point of each side.
fn sides(c: &Collision) -> [u32; 2] {
    [c.points[0], c.points[first_side(c)]]
}

fn touches_obstacle(c: &Collision, nodes: usize) -> bool {
    c.points.iter().any(|&i| is_used(i) && i as usize >= nodes)
}
