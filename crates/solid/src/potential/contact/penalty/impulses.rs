//! Friction and restitution of penalty contact: impulses after the step, from the normal impulses of the step.

use contact::Point;
use contact::penalty::{ImpulseContact, ImpulseSolver};
use mesh::vector::{add, dot, norm, scale, sub};
use serde::{Deserialize, Serialize};

use super::PenaltyContact;
use crate::potential::Configuration;

/// What is smaller than this part of the largest node mass counts as no mass.
const NO_MASS: f64 = 1e-12;

/// Normal impulse of a contact in a step. Contacts with smooth obstacles are known by their group and node, springs by
/// `u32::MAX` and their number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct NormalImpulse {
    key: (u32, u32),
    impulse: f64,
}

/// Impulses of a step, and the friction of the last one for reports.
#[derive(Clone, Debug, Default)]
pub(super) struct Impulses {
    sums: Vec<NormalImpulse>,
    /// Sum of the quadrature weights, s.
    duration: f64,
    /// Positions and velocities of all points at the start of the step.
    start_x: Vec<Point>,
    start_v: Vec<Point>,
    start_t: f64,
    contacts: Vec<ImpulseContact>,
    groups: Vec<[u32; 2]>,
    solver: ImpulseSolver,
    /// Friction of the last step.
    pub last: LastFriction,
}

/// Friction of the last step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct LastFriction {
    /// Mean friction force on nodes, N.
    pub nodes: Vec<(u32, Point)>,
    /// Groups of each pair, ascending, mean friction force on the first, N, and mean sliding speed, m/s.
    pub pairs: Vec<([u32; 2], Point, f64)>,
}

/// Velocities that impulses change, and inverse masses of the nodes along each axis, 1/kg.
pub struct ImpulseStep<'a> {
    /// Velocities of all nodes, m/s.
    pub v: &'a mut [Point],
    /// Inverse masses; 0 along prescribed axes.
    pub inverse_mass: &'a [Point],
}

impl Impulses {
    pub fn save(&self, out: &mut Vec<u8>) {
        // Writing plain numbers to memory cannot fail.
        out.extend(postcard::to_allocvec(&self.last).unwrap_or_default());
    }

    pub fn load(&mut self, saved: &mut &[u8], nodes: usize) -> bool {
        let Ok((last, rest)) = postcard::take_from_bytes::<LastFriction>(saved) else {
            return false;
        };
        (self.last, *saved) = (last, rest);
        self.last.nodes.iter().all(|(i, _)| (*i as usize) < nodes)
    }

    /// Adds up the impulses of contacts that were noted several times.
    fn merge(&mut self) {
        self.sums.sort_by_key(|s| s.key);
        self.sums.dedup_by(|next, kept| {
            let same = next.key == kept.key;
            if same {
                kept.impulse += next.impulse;
            }
            same
        });
    }
}

impl PenaltyContact {
    /// Whether impulses act after steps: some pair has friction, or contact is not elastic.
    pub fn has_impulses(&self) -> bool {
        self.friction.any() || self.restitution < 1.0
    }

    /// Begins the sum of normal impulses of a step from this configuration with these velocities.
    pub fn begin_impulses(&mut self, x: &Configuration, v: &[Point]) {
        self.place(x);
        self.point_velocities(Some(v));
        let sums = &mut self.impulses;
        sums.sums.clear();
        sums.duration = 0.0;
        sums.start_t = x.t;
        sums.start_x.clear();
        sums.start_x.extend_from_slice(&self.x);
        sums.start_v.clear();
        sums.start_v.extend_from_slice(&self.velocities);
    }

    /// Adds the normal forces at a configuration times a weight, s.
    pub fn add_impulses(&mut self, x: &Configuration, weight: f64) {
        self.place(x);
        let mut sums = std::mem::take(&mut self.impulses.sums);
        let k = self.settings.stiffness * weight;
        self.each_active(|number, spring, gap| {
            sums.push(NormalImpulse {
                key: (u32::MAX, number as u32),
                impulse: -k * spring.area * self.law.derivatives(gap)[1],
            });
        });
        sums.extend(self.smooth.iter().map(|c| NormalImpulse {
            key: (c.group, c.node),
            impulse: -k * c.weight * self.law.derivatives(c.gap)[1],
        }));
        self.impulses.sums = sums;
        self.impulses.duration += weight;
    }

    /// Prepares the contacts of the step at its end; returns `false` if there are none.
    pub fn end_impulses(&mut self, x: &Configuration) -> bool {
        self.place(x);
        self.point_velocities(None);
        self.impulses.merge();
        self.impulses.last = LastFriction::default();
        let mut contacts = std::mem::take(&mut self.impulses.contacts);
        let mut groups = std::mem::take(&mut self.impulses.groups);
        contacts.clear();
        groups.clear();
        for sum in self.impulses.sums.iter().filter(|s| s.impulse > 0.0) {
            let (contact, pair) = match sum.key {
                (u32::MAX, number) => self.spring_contact(number as usize),
                (group, node) => self.smooth_contact(group, node),
            };
            contacts.push(ImpulseContact {
                impulse: sum.impulse,
                friction: self.friction.of(pair[0], pair[1]),
                ..contact
            });
            groups.push(pair);
        }
        (self.impulses.contacts, self.impulses.groups) = (contacts, groups);
        !self.impulses.contacts.is_empty()
    }

    fn spring_contact(&self, number: usize) -> (ImpulseContact, [u32; 2]) {
        let spring = self.springs[number];
        let mut nodes = [(0, 0.0); 4];
        let own = spring.ends().filter(|(i, _)| *i < self.nodes);
        own.zip(&mut nodes)
            .for_each(|((i, w), to)| *to = (i as u32, w));
        // Minus the velocity of the obstacle's points is part of the relative velocity.
        let obstacle = scale(-1.0, spring.separation(&self.velocities));
        let approach = dot(spring.normal, spring.separation(&self.impulses.start_v));
        let groups = &self.surfaces.primitives.groups;
        let contact = ImpulseContact {
            nodes,
            normal: spring.normal,
            obstacle,
            impulse: 0.0,
            friction: 0.0,
            approach,
        };
        let other = if spring.points[1] == u32::MAX { 0 } else { 1 };
        let pair = [spring.points[0], spring.points[other]];
        (contact, pair.map(|i| groups[i as usize]))
    }

    fn smooth_contact(&self, group: u32, node: u32) -> (ImpulseContact, [u32; 2]) {
        let i = node as usize;
        let sums = &self.impulses;
        let at = |t: f64, place: Point| {
            let normal = self.obstacles.smooth_normal(group, t, place);
            (
                normal,
                self.obstacles.smooth_velocity(group, t, place, normal)[0],
            )
        };
        let (normal, obstacle) = at(self.t, self.x[i]);
        let (before, was) = at(sums.start_t, sums.start_x[i]);
        let contact = ImpulseContact {
            nodes: [(node, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)],
            normal,
            obstacle,
            impulse: 0.0,
            friction: 0.0,
            approach: dot(before, sub(sums.start_v[i], was)),
        };
        (contact, [self.surfaces.primitives.groups[i], group])
    }

    /// Applies restitution; returns the work Σ p · v of the impulses at moving obstacles, J, or `None` without restitution.
    pub fn restitute(&mut self, step: ImpulseStep) -> Option<f64> {
        if self.restitution >= 1.0 {
            return None;
        }
        let Impulses {
            contacts, solver, ..
        } = &mut self.impulses;
        let sum = solver.restitute(contacts, self.restitution, step.inverse_mass, step.v);
        Some(sum.restitution_work)
    }

    /// Applies friction; returns the work Σ p · v of the impulses at moving obstacles, J, or `None` without friction.
    pub fn rub(&mut self, step: ImpulseStep) -> Option<f64> {
        if !self.friction.any() {
            return None;
        }
        let Impulses {
            contacts, solver, ..
        } = &mut self.impulses;
        let sum = solver.rub(contacts, step.inverse_mass, step.v);
        Some(sum.friction_work)
    }

    /// Notes the friction of the step for reports; `share` is the part of the impulses that was applied.
    pub fn note_friction(&mut self, share: f64, v: &[Point]) {
        let Impulses {
            contacts,
            groups,
            solver,
            duration,
            last,
            ..
        } = &mut self.impulses;
        let rate = share / duration.max(f64::MIN_POSITIVE);
        let mut normals: Vec<f64> = Vec::new();
        for ((contact, pair), impulse) in contacts.iter().zip(groups).zip(&solver.impulses) {
            let force = scale(rate, *impulse);
            for &(i, w) in contact.nodes.iter().filter(|(_, w)| *w != 0.0) {
                last.nodes.push((i, scale(w, force)));
            }
            let [a, b] = *pair;
            let (key, sign) = ([a.min(b), a.max(b)], if a <= b { 1.0 } else { -1.0 });
            let at = last.pairs.iter().position(|(p, ..)| *p == key);
            let at = at.unwrap_or_else(|| {
                last.pairs.push((key, [0.0; 3], 0.0));
                normals.push(0.0);
                last.pairs.len() - 1
            });
            let slip = contact.sliding_speed(v);
            last.pairs[at].1 = add(last.pairs[at].1, scale(sign, force));
            last.pairs[at].2 += contact.impulse * slip;
            normals[at] += contact.impulse;
        }
        for ((.., slip), normal) in last.pairs.iter_mut().zip(normals) {
            *slip /= normal.max(f64::MIN_POSITIVE);
        }
        last.pairs.sort_by_key(|p| p.0);
        last.nodes.sort_by_key(|n| n.0);
    }
}

/// Inverse masses along the axes that are free: the row sum of the mass matrix, or its diagonal entry where that is not positive.
pub fn inverse_mass(row_sum: f64, diagonal: f64) -> f64 {
    let mass = if row_sum > NO_MASS * diagonal {
        row_sum
    } else {
        diagonal
    };
    if mass > 0.0 { 1.0 / mass } else { 0.0 }
}

/// Magnitude of a friction force.
pub(super) fn size(force: Point) -> f64 {
    norm(force)
}
