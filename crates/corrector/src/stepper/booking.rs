//! The energies of a corrected step, and what it reports of its points of contact.
//!
//! The change by the correction is `contact`. Friction is the impulse f times the mean of the sliding velocities without and with
//! it, both with the normal impulses: fᵀs + ½ fᵀA f is what [`FrictionProblem`](crate::FrictionProblem) minimises from zero, so it
//! is never positive. The velocities before the normal impulses do not count: an impact can reverse the sliding of a vertex, and
//! friction would seem to have driven it. Moving obstacles do `work`.

use march::ledger::SampleRole;
use march::{ContactEnergy, ContactImpulse, State, StepContext};

use super::{ContactCorrector, missing};
use crate::contact_factor::relative;

impl ContactCorrector {
    /// Returns the change of the energy by the correction, and by the impulses that acted in the stages.
    pub(super) fn book(
        &mut self,
        cx: &mut StepContext,
        level: usize,
        from: &State,
        to: &State,
    ) -> ContactEnergy {
        let mut energy = ContactEnergy::default();
        self.write_normal_change(level);
        let by_normals = &self.by_normals;
        for (i, point) in self.points.iter().enumerate() {
            let impulse = missing(level, self.impulses[level][i], self.carried.get(i));
            for axis in (0..3).filter(|a| impulse[*a] != 0.0) {
                let along = point.axes[axis];
                let carried: f64 = (0..3).map(|k| along[k] * point.carried_velocity[k]).sum();
                energy.work -= impulse[axis] * carried;
                if axis > 0 {
                    let before =
                        relative(point, axis, &self.end.v) + relative(point, axis, by_normals);
                    let after = relative(point, axis, &to.v);
                    energy.friction += impulse[axis] * (0.5 * (before + after) + carried);
                }
            }
        }
        let change =
            cx.system.energy_at(to.at()).total() - cx.system.energy_at(self.end.at()).total();
        energy.contact = change - energy.friction - energy.work;
        self.book_stages(from, &mut energy);
        energy
    }

    /// Writes the change of the velocities by the missing normal impulses of a level.
    fn write_normal_change(&mut self, level: usize) {
        let change = &mut self.by_normals;
        change.clear();
        change.resize(self.factor.unknowns(), 0.0);
        for (i, impulse) in self.impulses[level].iter().enumerate() {
            let [normal, ..] = missing(level, *impulse, self.carried.get(i));
            self.factor.add_response(i, [normal, 0.0, 0.0], change);
        }
    }

    /// Adds the work of the impulses that acted in the stages of the last prediction.
    fn book_stages(&mut self, from: &State, energy: &mut ContactEnergy) {
        if self.carried.iter().all(|i| *i == [0.0; 3]) {
            return;
        }
        let (mut by_stages, mut by_quadrature) = ([0.0; 3], [0.0; 3]);
        let (points, carried) = (&self.points, &self.carried);
        let mut has_residual = false;
        self.base.samples(from, &self.end, &mut |sample| {
            has_residual |= sample.role != SampleRole::Quadrature;
            let sum = match sample.role {
                SampleRole::Quadrature => &mut by_quadrature,
                _ => &mut by_stages,
            };
            let weight = sample.weight / (self.end.t - from.t);
            for (point, impulse) in points.iter().zip(carried) {
                for axis in (0..3).filter(|a| impulse[*a] != 0.0) {
                    let along = point.axes[axis];
                    let prescribed: f64 =
                        (0..3).map(|k| along[k] * point.carried_velocity[k]).sum();
                    let own = relative(point, axis, sample.at.v) + prescribed;
                    sum[usize::from(axis > 0)] += weight * impulse[axis] * own;
                    sum[2] -= weight * impulse[axis] * prescribed;
                }
            }
        });
        let [contact, friction, work] = match has_residual {
            true => by_stages,
            false => by_quadrature,
        };
        energy.contact += contact;
        energy.friction += friction;
        energy.work += work;
        if has_residual {
            // The residual of the stages is that without the force of contact.
            energy.residual -= contact + friction + work;
        }
    }

    /// Records impulses, gaps and sliding speeds.
    pub(super) fn record(
        &mut self,
        cx: &mut StepContext,
        h: f64,
        from: &State,
        to: &State,
        level: usize,
    ) {
        self.recorded.clear();
        for (i, point) in self.points.iter().enumerate() {
            let mut impulse = self.impulses[level][i];
            if level == 1 {
                let acting = self.carried.get(i).copied().unwrap_or_default();
                (0..3).for_each(|k| impulse[k] += acting[k]);
            }
            let along = |axis: usize, x: [f64; 3]| -> f64 {
                (0..3).map(|k| point.axes[axis][k] * x[k]).sum()
            };
            let slip = [1, 2]
                .map(|axis| relative(point, axis, &to.v) + along(axis, point.carried_velocity));
            let moved = relative(point, 0, &to.u) - relative(point, 0, &from.u);
            self.recorded.push(ContactImpulse {
                impulse,
                slip: slip[0].hypot(slip[1]),
                gap: point.gap + moved + along(0, point.carried_displacement),
            });
        }
        if let Some(contact) = cx.system.step_contact() {
            contact.record_impulses(to.t, h, &self.points, &self.recorded);
        }
    }

    /// Records that no impulse acted.
    pub(super) fn record_nothing(
        &mut self,
        cx: &mut StepContext,
        h: f64,
        from: &State,
        to: &State,
    ) {
        for impulses in &mut self.impulses {
            impulses.clear();
            impulses.resize(self.points.len(), [0.0; 3]);
        }
        self.carried.clear();
        self.record(cx, h, from, to, 0);
    }
}
