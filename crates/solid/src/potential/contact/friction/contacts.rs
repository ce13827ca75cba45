//! Contacts with friction at some positions: normal force, normal and weights of each, and the velocities of obstacles.

use contact::Point;
use contact::collision::{Collision, NO_POINT};
use contact::distance;
use mesh::vector::{add, norm, scale};

use super::super::{BarrierContact, stencil};
use super::{Friction, FrictionMode, is_used};
use crate::potential::Configuration;

/// A contact with friction, at the positions of its lag.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionContact {
    /// Its points; `NO_POINT` for unused ones.
    pub points: [u32; 4],
    /// Groups of the first and of the second side.
    pub groups: [u32; 2],
    /// Whether the second group is a smooth obstacle, which has no points.
    pub smooth: bool,
    /// Weights of the points in the relative velocity Σ w v.
    pub weights: [f64; 4],
    /// Normal from the second side to the first.
    pub normal: Point,
    /// Position of the first point, m.
    pub place: Point,
    /// Normal force N, N.
    pub normal_force: f64,
    /// Bound μ N of the friction force, N.
    pub bound: f64,
    /// Part of the relative velocity that is due to the motion of obstacles, m/s.
    pub drift: Point,
}

impl FrictionContact {
    /// Key by which contacts are sorted and recognised at other positions.
    pub fn key(&self) -> ([u32; 4], [u32; 2], bool) {
        (self.points, self.groups, self.smooth)
    }

    /// Pairs (p, q), p > q, of its points that are nodes.
    pub fn node_pairs(&self, nodes: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let is_node = move |p: &usize| (self.points[*p] as usize) < nodes;
        (1..4)
            .filter(is_node)
            .flat_map(move |p| (0..p).filter(is_node).map(move |q| (p, q)))
    }
}

impl BarrierContact {
    /// Evaluates the contacts with friction at a configuration.
    pub(in super::super) fn lag_friction(&mut self, x: &Configuration) {
        let Some(mut friction) = self.friction.take() else {
            return;
        };
        let Friction {
            contacts, before, ..
        } = &mut *friction;
        std::mem::swap(contacts, before);
        let mut contacts = std::mem::take(&mut friction.contacts);
        self.find(x);
        self.collect_friction(&friction, &mut contacts);
        self.set_drift(x.t, &mut contacts);
        (friction.contacts, friction.t) = (contacts, x.t);
        self.friction = Some(friction);
    }

    /// Returns friction with the velocities that obstacles have at a time; `None` without friction.
    pub(in super::super) fn friction_at(&mut self, t: f64) -> Option<&Friction> {
        if self.obstacles.move_at_all() && self.friction.as_ref()?.t != t {
            let mut friction = self.friction.take()?;
            self.set_drift(t, &mut friction.contacts);
            friction.t = t;
            self.friction = Some(friction);
        }
        self.friction.as_deref()
    }

    /// Returns `true` if friction follows the positions of stages.
    pub(in super::super) fn friction_is_implicit(&self) -> bool {
        let mode = self.friction.as_ref().map(|f| f.settings.mode);
        mode == Some(FrictionMode::Implicit)
    }

    /// Friction at a configuration of its own, beside the lag of the stages. `None` without friction.
    pub(in super::super) fn measured_friction(&mut self, x: &Configuration) -> Option<Friction> {
        let settings = self.friction.as_ref()?.settings.clone();
        let mut own = Friction::new(settings, self.nodes);
        let mut contacts = Vec::new();
        self.find(x);
        self.collect_friction(&own, &mut contacts);
        self.set_drift(x.t, &mut contacts);
        (own.contacts, own.t) = (contacts, x.t);
        Some(own)
    }

    /// Collects the contacts with friction at the positions of the last search, ascending by their points. Powers are also
    /// evaluated at interpolated positions, where surfaces may overlap and normal forces be infinite: those are left out.
    fn collect_friction(&self, friction: &Friction, out: &mut Vec<FrictionContact>) {
        out.clear();
        let (k, barrier) = (self.settings.stiffness, &self.settings.barrier);
        let group = |i: u32| self.surfaces.primitives.groups[i as usize];
        let other = |c: &Collision| group(c.points[if c.mollified_below > 0.0 { 2 } else { 1 }]);
        let coefficients = &friction.settings.coefficients;
        // The stencils of one vertex against one surface follow each other.
        let same = |a: &Collision, b: &Collision| {
            let mollified = a.mollified_below > 0.0 || b.mollified_below > 0.0;
            !mollified && a.points[0] == b.points[0] && other(a) == other(b)
        };
        for run in self.collisions.chunk_by(same) {
            let (a, b) = (group(run[0].points[0]), other(&run[0]));
            let coefficient = coefficients.of(a, b);
            if coefficient == 0.0 {
                continue;
            }
            let force = |c: &Collision| k * stencil::normal_force(c, barrier, &self.x);
            let sum: f64 = run.iter().map(force).sum();
            let positive: f64 = run.iter().map(|c| force(c).max(0.0)).sum();
            if sum <= 0.0 || !sum.is_finite() {
                continue;
            }
            for c in run {
                let normal_force = force(c) * (sum / positive);
                if normal_force > 0.0 {
                    out.push(self.stencil_contact(c, [a, b], normal_force, coefficient));
                }
            }
        }
        for c in &self.smooth {
            let coefficient = coefficients.of(group(c.node), c.group);
            let normal_force = -k * c.weight * barrier.derivatives(c.gap)[1];
            if coefficient > 0.0 && normal_force > 0.0 && normal_force.is_finite() {
                out.push(FrictionContact {
                    points: [c.node, NO_POINT, NO_POINT, NO_POINT],
                    groups: [group(c.node), c.group],
                    smooth: true,
                    weights: [1.0, 0.0, 0.0, 0.0],
                    normal: c.normal,
                    place: self.x[c.node as usize],
                    normal_force,
                    bound: coefficient * normal_force,
                    drift: [0.0; 3],
                });
            }
        }
        out.sort_unstable_by_key(FrictionContact::key);
    }

    fn stencil_contact(
        &self,
        c: &Collision,
        [a, b]: [u32; 2],
        normal_force: f64,
        coefficient: f64,
    ) -> FrictionContact {
        let between = distance::combination(c.feature, &stencil::gather(c, &self.x));
        FrictionContact {
            points: c.points,
            groups: [a, b],
            smooth: false,
            weights: between.weights,
            normal: scale(1.0 / norm(between.r), between.r),
            place: self.x[c.points[0] as usize],
            normal_force,
            bound: coefficient * normal_force,
            drift: [0.0; 3],
        }
    }

    /// Sets the part of the relative velocities that is due to the motion of obstacles at a time.
    fn set_drift(&mut self, t: f64, contacts: &mut [FrictionContact]) {
        if !self.obstacles.move_at_all() {
            return;
        }
        let mut velocities = std::mem::take(&mut self.velocities);
        velocities.resize(self.x.len(), [0.0; 3]);
        self.obstacles.point_velocities(t, &mut velocities);
        for c in contacts {
            c.drift = [0.0; 3];
            if c.smooth {
                let v = self
                    .obstacles
                    .smooth_velocity(c.groups[1], t, c.place, c.normal)[0];
                c.drift = scale(-1.0, v);
                continue;
            }
            for (&i, &w) in c.points.iter().zip(&c.weights) {
                if is_used(i) && i as usize >= self.nodes {
                    c.drift = add(c.drift, scale(w, velocities[i as usize]));
                }
            }
        }
        self.velocities = velocities;
    }
}
