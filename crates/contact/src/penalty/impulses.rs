//! Coulomb friction and restitution as impulses at contacts whose normal impulse is known.
//!
//! Friction of [Dinev et al. 2018, eq. 39] is zero as printed, because the gradient of the repulsion springs has no tangential
//! part (docs/references.md, E22). Here it is an impulse against the sliding velocity, at most the coefficient times the normal
//! impulse of the step and at most what stops the sliding. Restitution e takes the part 1 − e² of the normal impulse back from
//! contacts that separate, which returns the part e² of the energy that a spring has stored. A contact that approached and
//! separates within one step keeps the part e of its speed instead.
//!
//! Contacts that share nodes are visited in turn, and the sum of the impulses of each is bounded (projected Gauss–Seidel). Every
//! node has the row sum of the mass matrix as its mass.

use mesh::vector::{add, dot, norm, scale, sub};

use crate::Point;

/// Largest number of sweeps over all contacts.
const MAX_SWEEPS: usize = 20;
/// Sweeps end if no impulse changes by more than this part of the largest bound.
const SETTLED: f64 = 1e-9;

/// A contact at the end of a step, with its normal impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpulseContact {
    /// Nodes that move, with the weights of their velocities in the relative velocity; unused entries have weight 0.
    pub nodes: [(u32, f64); 4],
    /// Unit normal.
    pub normal: Point,
    /// Velocity of the obstacle times its weight, which is subtracted, m/s.
    pub obstacle: Point,
    /// Normal impulse of the step, N s.
    pub impulse: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Normal velocity at the start of the step, m/s; negative if the contact approached.
    pub approach: f64,
}

impl ImpulseContact {
    fn velocity(&self, v: &[Point]) -> Point {
        let nodes = self.nodes.iter();
        let sum = nodes.fold([0.0; 3], |sum, &(i, w)| match w == 0.0 {
            true => sum,
            false => add(sum, scale(w, v[i as usize])),
        });
        sub(sum, self.obstacle)
    }

    /// Sliding speed at these velocities of the nodes, m/s.
    pub fn sliding_speed(&self, v: &[Point]) -> f64 {
        let slip = self.velocity(v);
        norm(sub(slip, scale(dot(slip, self.normal), self.normal)))
    }
}

/// Sums of the impulses of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ImpulseSum {
    /// Σ p · v_obstacle of friction, J: what moving obstacles do.
    pub friction_work: f64,
    /// The same of restitution.
    pub restitution_work: f64,
}

/// Solver of impulses, with its buffers.
#[derive(Clone, Debug, Default)]
pub struct ImpulseSolver {
    /// Impulse of each contact, N s.
    pub impulses: Vec<Point>,
}

impl ImpulseSolver {
    /// Adds restitution to velocities of nodes with these inverse masses (0 for prescribed nodes), per axis.
    pub fn restitute(
        &mut self,
        contacts: &[ImpulseContact],
        restitution: f64,
        inverse_mass: &[Point],
        v: &mut [Point],
    ) -> ImpulseSum {
        self.impulses.clear();
        self.impulses.resize(contacts.len(), [0.0; 3]);
        let mut sum = ImpulseSum::default();
        for (contact, impulse) in contacts.iter().zip(&mut self.impulses) {
            let speed = dot(contact.velocity(v), contact.normal);
            let ease = mobility(contact, contact.normal, inverse_mass);
            if speed <= 0.0 || ease <= 0.0 {
                continue;
            }
            let most = match contact.approach < 0.0 {
                true => (1.0 - restitution) * speed / ease,
                false => speed / ease,
            };
            let taken = ((1.0 - restitution * restitution) * contact.impulse).min(most);
            *impulse = scale(-taken, contact.normal);
            apply(contact, *impulse, inverse_mass, v);
            sum.restitution_work += dot(*impulse, contact.obstacle);
        }
        sum
    }

    /// Adds Coulomb friction to velocities of nodes with these inverse masses (0 for prescribed nodes), per axis.
    pub fn rub(
        &mut self,
        contacts: &[ImpulseContact],
        inverse_mass: &[Point],
        v: &mut [Point],
    ) -> ImpulseSum {
        self.impulses.clear();
        self.impulses.resize(contacts.len(), [0.0; 3]);
        let largest = contacts
            .iter()
            .fold(0.0, |m: f64, c| m.max(c.friction * c.impulse));
        for _ in 0..MAX_SWEEPS {
            let mut change = 0.0;
            for (contact, impulse) in contacts.iter().zip(&mut self.impulses) {
                let bound = contact.friction * contact.impulse;
                if bound <= 0.0 {
                    continue;
                }
                let slip = contact.velocity(v);
                let slip = sub(slip, scale(dot(slip, contact.normal), contact.normal));
                let speed = norm(slip);
                if speed == 0.0 {
                    continue;
                }
                let ease = mobility(contact, scale(1.0 / speed, slip), inverse_mass);
                if ease <= 0.0 {
                    continue;
                }
                let wanted = sub(*impulse, scale(1.0 / ease, slip));
                let size = norm(wanted);
                let next = scale((bound / size.max(f64::MIN_POSITIVE)).min(1.0), wanted);
                let step = sub(next, *impulse);
                apply(contact, step, inverse_mass, v);
                *impulse = next;
                change = f64::max(change, norm(step));
            }
            if change <= SETTLED * largest {
                break;
            }
        }
        let work = contacts.iter().zip(&self.impulses);
        ImpulseSum {
            friction_work: work.map(|(c, p)| dot(*p, c.obstacle)).sum(),
            ..ImpulseSum::default()
        }
    }
}

/// Change of the relative velocity along a direction by a unit impulse along it, 1/kg.
fn mobility(contact: &ImpulseContact, direction: Point, inverse_mass: &[Point]) -> f64 {
    let of = |&(i, w): &(u32, f64)| {
        if w == 0.0 {
            return 0.0;
        }
        let m = inverse_mass[i as usize];
        w * w
            * (0..3)
                .map(|k| direction[k] * direction[k] * m[k])
                .sum::<f64>()
    };
    contact.nodes.iter().map(of).sum()
}

fn apply(contact: &ImpulseContact, impulse: Point, inverse_mass: &[Point], v: &mut [Point]) {
    for &(i, w) in contact.nodes.iter().filter(|(_, w)| *w != 0.0) {
        for k in 0..3 {
            v[i as usize][k] += w * impulse[k] * inverse_mass[i as usize][k];
        }
    }
}
