//! What acted at the points of contact in the last step: impulses for tables and frames, active points for the next step.

use contact::Point;
use march::{ContactImpulse, ContactPoint};
use mesh::vector::{add, norm, scale};
use serde::{Deserialize, Serialize};
use solid::potential::contact::PairContact;

/// Who takes part in a point of contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// Groups of the vertex and of what it touches.
    pub groups: [u32; 2],
    /// Points of the stencil and their weights.
    pub points: [u32; 4],
    pub weights: [f64; 4],
    /// Number by which the point of contact is recognised in the next step: vertex and group.
    pub key: u64,
}

impl Touch {
    pub fn new(groups: [u32; 2], points: [u32; 4], weights: [f64; 4], _feature: u32) -> Touch {
        Touch {
            groups,
            points,
            weights,
            key: u64::from(points[0]) << 32 | u64::from(groups[1]),
        }
    }
}

/// Impulse at a point of contact of the last step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Acted {
    groups: [u32; 2],
    points: [u32; 4],
    weights: [f64; 4],
    key: u64,
    /// Mean normal force and friction force in the step on what has the weight 1, N.
    forces: [Point; 2],
    slip: f64,
    gap: f64,
    area: f64,
}

/// Points of contact of the last step, and of the attempt at the next one.
#[derive(Default)]
pub(crate) struct Record {
    last: Vec<Acted>,
    attempt: Vec<Acted>,
    attempt_end: Option<f64>,
}

impl Record {
    /// Returns how deep surfaces overlapped at the end of the last step, m.
    pub fn depth(&self) -> f64 {
        self.last.iter().fold(0.0, |most, a| f64::max(most, -a.gap))
    }

    pub fn was_active(&self, touch: &Touch) -> bool {
        let at = self.last.partition_point(|a| a.key < touch.key);
        let same = self.last[at..].iter().take_while(|a| a.key == touch.key);
        same.into_iter().any(|a| a.forces[0] != [0.0; 3])
    }

    /// Notes an attempt that ends at a time after a step of some length. Points that neither overlap nor carry an impulse
    /// are left out.
    pub fn note(
        &mut self,
        [t, h]: [f64; 2],
        (points, impulses): (&[ContactPoint], &[ContactImpulse]),
        touches: &[Touch],
        areas: &[f64],
    ) {
        self.attempt.clear();
        self.attempt_end = Some(t);
        for ((point, acted), touch) in points.iter().zip(impulses).zip(touches) {
            let [normal, first, second] = acted.impulse;
            if normal == 0.0 && acted.gap >= 0.0 {
                continue;
            }
            let [n, t1, t2] = point.axes;
            let friction = add(scale(first / h, t1), scale(second / h, t2));
            self.attempt.push(Acted {
                groups: touch.groups,
                points: touch.points,
                weights: touch.weights,
                key: touch.key,
                forces: [scale(normal / h, n), friction],
                slip: acted.slip,
                gap: acted.gap,
                area: areas.get(touch.points[0] as usize).copied().unwrap_or(0.0),
            });
        }
        self.attempt.sort_by_key(|a| a.key);
    }

    pub fn commit(&mut self, t: f64) {
        // The time of the step may differ from that of the attempt by rounding.
        let same = |end: f64| (end - t).abs() <= 1e-9 * (1.0 + t.abs());
        if self.attempt_end.take().is_some_and(same) {
            std::mem::swap(&mut self.last, &mut self.attempt);
        }
    }

    pub fn save(&self, out: &mut Vec<u8>) {
        // Writing plain numbers to memory cannot fail.
        out.extend(postcard::to_allocvec(&self.last).unwrap_or_default());
    }

    pub fn load<'a>(&mut self, saved: &'a [u8]) -> Option<&'a [u8]> {
        let (last, rest) = postcard::take_from_bytes(saved).ok()?;
        self.last = last;
        self.attempt_end = None;
        Some(rest)
    }

    pub fn pairs(&self) -> Vec<PairContact> {
        let mut all: Vec<(PairContact, Point)> = Vec::new();
        for a in &self.last {
            let [i, j] = a.groups;
            let groups = [i.min(j), i.max(j)];
            let at = all.iter().position(|p| p.0.groups == groups);
            let at = at.unwrap_or_else(|| {
                let pair = PairContact {
                    groups,
                    normal_force: 0.0,
                    friction_force: 0.0,
                    slip: 0.0,
                    area: 0.0,
                    gap: f64::INFINITY,
                };
                all.push((pair, [0.0; 3]));
                all.len() - 1
            });
            let (pair, friction) = &mut all[at];
            let normal = norm(a.forces[0]);
            let sign = if i <= j { 1.0 } else { -1.0 };
            pair.normal_force += normal;
            pair.slip += normal * a.slip;
            pair.gap = pair.gap.min(a.gap);
            pair.area += if normal > 0.0 { a.area } else { 0.0 };
            *friction = add(*friction, scale(sign, a.forces[1]));
        }
        let mut pairs: Vec<PairContact> = all
            .into_iter()
            .map(|(pair, friction)| PairContact {
                friction_force: norm(friction),
                slip: match pair.normal_force > 0.0 {
                    true => pair.slip / pair.normal_force,
                    false => 0.0,
                },
                ..pair
            })
            .collect();
        pairs.sort_by_key(|p| p.groups);
        pairs
    }

    /// Writes a part of the forces on the nodes.
    pub fn write_forces(
        &self,
        nodes: usize,
        out: &mut Vec<Point>,
        part: impl Fn(&[Point; 2]) -> Point,
    ) {
        out.clear();
        out.resize(nodes, [0.0; 3]);
        for a in &self.last {
            for (i, w) in a.points.iter().zip(a.weights) {
                if let Some(force) = out.get_mut(*i as usize).filter(|_| w != 0.0) {
                    *force = add(*force, scale(w, part(&a.forces)));
                }
            }
        }
    }
}
