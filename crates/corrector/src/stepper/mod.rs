//! [`ContactCorrector`]: the stepper that corrects the end of each step of a method.
//!
//! The predictor is any method of the registry. Its end (uᵖ, vᵖ) is replaced only if a point of contact is violated there; a
//! step without contact is that of the method, to the bit (docs/references.md, E19: c = C vᵖ). Two kinds of rows:
//!
//! - **velocity**, as printed [Löschner et al. 2020, eq. 20]: G v ≥ 0 at points that touch or overlap at the start of the step,
//!   u = uᵖ + h (v − vᵖ). Vertices sink in by up to the path of one step and are then held.
//! - **position** (ours): n·(uᵖ − uⁿ) + h n·(w) ≥ −gap at points that could touch within the step, u = uᵖ + h w. A second
//!   program with the same factor finds the velocities: G v ≥ 0 at the points where the first found an impulse. No vertex sinks
//!   in, up to the change of normals within a step. Both programs start from the predictor, so a method that is exact for
//!   constant accelerations stays exact for a body that rests or slides.
//!
//! **Iterations** (ours, after the outlook of [Löschner et al. 2020, section 6]): the mean force of the correction acts in the
//! stages of the method, which predicts again; the correction then adds what is missing. When the impulses stand still, the
//! method itself has carried the contact, and the loss of the linearised correction is gone.
//!
//! Energies are booked and impulses recorded in `booking`.

mod booking;

use march::ledger::PowerSample;
use march::vector::add;
use march::{
    ContactImpulse, ContactPoint, ContactSearch, Counts, MethodMemory, State, StepContext,
    StepError, StepReport, Stepper,
};

use crate::contact_factor::{ContactFactor, add_impulse, relative};
use crate::levels::{Level, LevelSolver};

/// Rows of the corrector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rows {
    /// Gaps at the end of the step, and velocities at the points that touch there.
    #[default]
    Position,
    /// Velocities at the points that touch at the start of the step.
    Velocity,
}

/// Settings of the corrector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorrectorSettings {
    /// Rows.
    pub rows: Rows,
    /// Largest number of predictions and corrections of a step, at least 1.
    pub iterations: u32,
    /// Whether the damping matrix is part of C.
    pub damped: bool,
}

impl Default for CorrectorSettings {
    fn default() -> CorrectorSettings {
        CorrectorSettings {
            rows: Rows::Position,
            iterations: 1,
            damped: true,
        }
    }
}

/// Relative change of the impulses at which iterations stand still.
const STANDS_STILL: f64 = 1e-6;

/// Stepper that corrects the steps of a method for contact.
pub struct ContactCorrector {
    base: Box<dyn Stepper>,
    settings: CorrectorSettings,
    /// End of the method's step.
    end: State,
    changed: bool,
    points: Vec<ContactPoint>,
    factor: ContactFactor,
    levels: LevelSolver,
    motion: Vec<[f64; 3]>,
    least: Vec<f64>,
    /// Impulses of the positions and of the velocities, and those that act in the stages.
    impulses: [Vec<[f64; 3]>; 2],
    carried: Vec<[f64; 3]>,
    recorded: Vec<ContactImpulse>,
    /// Changes of the velocities by both levels.
    changes: [Vec<f64>; 2],
    /// Change of the velocities by normal impulses alone.
    by_normals: Vec<f64>,
    force: Vec<f64>,
}

impl ContactCorrector {
    /// Creates a stepper that corrects the steps of `base`.
    pub fn new(base: Box<dyn Stepper>, settings: CorrectorSettings) -> ContactCorrector {
        ContactCorrector {
            base,
            settings,
            end: State::default(),
            changed: false,
            points: Vec::new(),
            factor: ContactFactor::default(),
            levels: LevelSolver::default(),
            motion: Vec::new(),
            least: Vec::new(),
            impulses: Default::default(),
            carried: Vec::new(),
            recorded: Vec::new(),
            changes: Default::default(),
            by_normals: Vec::new(),
            force: Vec::new(),
        }
    }

    /// Writes the relative motion of all points: mean velocities of the step, or velocities at its end.
    fn measure_motion(&mut self, from: &State, h: f64, of_positions: bool) {
        let (end, change) = (&self.end, &mut self.changes[0]);
        change.clear();
        match of_positions {
            true => change.extend(end.u.iter().zip(&from.u).map(|(a, b)| (a - b) / h)),
            false => change.extend_from_slice(&end.v),
        }
        self.motion.clear();
        for point in &self.points {
            let carried = match of_positions {
                true => point.carried_displacement.map(|x| x / h),
                false => point.carried_velocity,
            };
            self.motion.push([0, 1, 2].map(|axis| {
                let along = point.axes[axis];
                let prescribed: f64 = (0..3).map(|k| along[k] * carried[k]).sum();
                relative(point, axis, change) + prescribed
            }));
        }
    }

    /// Writes the least normal motion of all points for the first level.
    fn set_limits(&mut self, h: f64) {
        self.least.clear();
        let rows = self.settings.rows;
        self.least.extend(self.points.iter().map(|p| match rows {
            Rows::Position => -p.gap / h,
            Rows::Velocity => 0.0,
        }));
    }

    /// Returns `true` if a point is violated at the predicted end.
    fn is_violated(&self) -> bool {
        let mut all = self.motion.iter().zip(&self.least);
        all.any(|(motion, least)| motion[0] < *least)
    }

    /// Subtracts the modelled response to the impulses that act in the stages from the motion.
    fn subtract_carried(&mut self) {
        if self.carried.iter().all(|i| *i == [0.0; 3]) {
            return;
        }
        let response = &mut self.changes[1];
        response.clear();
        response.resize(self.factor.unknowns(), 0.0);
        for (i, impulse) in self.carried.iter().enumerate() {
            self.factor.add_response(i, *impulse, response);
        }
        for (motion, point) in self.motion.iter_mut().zip(&self.points) {
            for axis in 0..3 {
                motion[axis] -= relative(point, axis, response);
            }
        }
    }

    /// Solves the first level; returns the number of stages of friction that did not converge.
    fn solve_first(&mut self) -> Result<u64, StepError> {
        self.subtract_carried();
        let level = Level {
            points: &self.points,
            motion: &self.motion,
            least: &self.least,
        };
        let carried = &self.carried;
        let guess = |i: usize| {
            level.points[i].was_active || carried.get(i).is_some_and(|c: &[f64; 3]| c[0] > 0.0)
        };
        let [first, _] = &mut self.impulses;
        let (_, converged) = self.levels.solve(&mut self.factor, &level, guess, first)?;
        Ok(u64::from(!converged))
    }

    /// Solves for the velocities at the points where the first level found an impulse.
    fn solve_velocities(&mut self, from: &State, h: f64) -> Result<u64, StepError> {
        self.measure_motion(from, h, false);
        let [first, second] = &mut self.impulses;
        for (least, impulse) in self.least.iter_mut().zip(&*first) {
            *least = if impulse[0] > 0.0 {
                0.0
            } else {
                f64::NEG_INFINITY
            };
        }
        let level = Level {
            points: &self.points,
            motion: &self.motion,
            least: &self.least,
        };
        let guess = |i: usize| first[i][0] > 0.0 && level.motion[i][0] < 0.0;
        let (_, converged) = self.levels.solve(&mut self.factor, &level, guess, second)?;
        Ok(u64::from(!converged))
    }

    /// Predicts again with the impulses of the first level acting in the stages.
    fn predict_again(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
    ) -> Result<StepReport, StepError> {
        self.carried.clone_from(&self.impulses[0]);
        self.force.clear();
        self.force.resize(self.end.u.len(), 0.0);
        for (point, impulse) in self.points.iter().zip(&self.carried) {
            for axis in (0..3).filter(|a| impulse[*a] != 0.0) {
                add_impulse(point, axis, impulse[axis] / h, &mut self.force);
            }
        }
        if let Some(contact) = cx.system.step_contact() {
            contact.set_contact_force(Some(&self.force));
        }
        let predicted = self.base.attempt(cx, from, h, &mut self.end);
        if let Some(contact) = cx.system.step_contact() {
            contact.set_contact_force(None);
        }
        predicted
    }

    /// Returns the largest change of the impulses of the first level by the last iteration, relative to the largest of them.
    fn impulse_change(&self) -> f64 {
        let mut change: f64 = 0.0;
        let mut largest: f64 = 0.0;
        for (i, impulse) in self.impulses[0].iter().enumerate() {
            let before = self.carried.get(i).copied().unwrap_or_default();
            largest = largest.max(impulse[0]);
            for axis in 0..3 {
                change = change.max((impulse[axis] - before[axis]).abs());
            }
        }
        if largest > 0.0 { change / largest } else { 0.0 }
    }

    /// Writes the change of the velocities by the impulses of a level, less those that already act in the stages.
    fn write_change(&mut self, level: usize) {
        let n = self.factor.unknowns();
        let change = &mut self.changes[level];
        change.clear();
        change.resize(n, 0.0);
        for (i, impulse) in self.impulses[level].iter().enumerate() {
            let missing = missing(level, *impulse, self.carried.get(i));
            self.factor.add_response(i, missing, change);
        }
    }

    /// Corrects the end of a step in which a point is violated; returns the report of the last prediction.
    fn correct(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        mut report: StepReport,
        to: &mut State,
    ) -> Result<StepReport, StepError> {
        self.carried.clear();
        self.factor.begin(self.points.len());
        self.levels.begin(&self.points);
        let mut unconverged = 0;
        for iteration in 1..=self.settings.iterations {
            if iteration == 1 {
                self.factor.factor(cx, &self.end, h, self.settings.damped)?;
            } else {
                report = self.predict_again(cx, from, h)?;
                self.measure_motion(from, h, self.settings.rows == Rows::Position);
                self.set_limits(h);
            }
            unconverged = self.solve_first()?;
            if self.impulse_change() <= STANDS_STILL {
                break;
            }
        }
        self.write_change(0);
        to.t = self.end.t;
        let [first, _] = &self.changes;
        to.u.clone_from(&self.end.u);
        add(&mut to.u, h, first);
        to.v.clone_from(&self.end.v);
        let impulses_of_velocities = match self.settings.rows {
            Rows::Velocity => 0,
            Rows::Position => {
                unconverged += self.solve_velocities(from, h)?;
                self.write_change(1);
                1
            }
        };
        add(&mut to.v, 1.0, &self.changes[impulses_of_velocities]);
        self.check(cx, to)?;
        let contact = self.book(cx, impulses_of_velocities, from, to);
        self.record(cx, h, from, to, impulses_of_velocities);
        let mut work = self.factor.take_counts();
        work.lagged_friction += unconverged;
        cx.solver.count_work(&work);
        Ok(StepReport { contact, ..report })
    }

    /// Checks that the corrected end is finite and reached on a free path.
    fn check(&self, cx: &mut StepContext, to: &State) -> Result<(), StepError> {
        for (what, x) in [("displacement", &to.u), ("velocity", &to.v)] {
            if let Some(dof) = x.iter().position(|x| !x.is_finite()) {
                let (t, value) = (to.t, x[dof]);
                return Err(StepError::NotFinite {
                    t,
                    what,
                    dof,
                    value,
                });
            }
        }
        if cx.system.has_forbidden_states() {
            let [from, to] = [self.end.at().positions(), to.at().positions()];
            if cx.system.max_step(from, to) < 1.0 {
                let blocker = cx.system.blocker(from, to);
                return Err(StepError::ForbiddenEnd { t: to.t, blocker });
            }
        }
        Ok(())
    }
}

/// Returns an impulse of a level, less the part that acts in the stages: the velocities at their end have it.
fn missing(level: usize, impulse: [f64; 3], carried: Option<&[f64; 3]>) -> [f64; 3] {
    match (level, carried) {
        (0, Some(acting)) => [0, 1, 2].map(|k| impulse[k] - acting[k]),
        _ => impulse,
    }
}

impl Stepper for ContactCorrector {
    fn attempt(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<StepReport, StepError> {
        self.changed = false;
        let n = cx.system.dofs();
        self.end.resize(n);
        to.resize(n);
        let report = self.base.attempt(cx, from, h, &mut self.end)?;
        let search = match self.settings.rows {
            Rows::Position => ContactSearch::Reachable,
            Rows::Velocity => ContactSearch::Touching,
        };
        let Some(contact) = cx.system.step_contact() else {
            to.copy_from(&self.end);
            return Ok(report);
        };
        contact.contact_points(from.at(), self.end.at(), search, &mut self.points);
        self.measure_motion(from, h, self.settings.rows == Rows::Position);
        self.set_limits(h);
        if !self.is_violated() {
            to.copy_from(&self.end);
            self.record_nothing(cx, h, from, to);
            return Ok(report);
        }
        let corrected = self.correct(cx, from, h, report, to);
        if corrected.is_err() {
            // The work of a failed correction counts too.
            let work: Counts = self.factor.take_counts();
            cx.solver.count_work(&work);
        }
        self.changed = true;
        corrected
    }

    fn commit(&mut self) {
        self.base.commit();
        if self.changed {
            self.base.restart_motion();
        }
    }

    fn samples(&mut self, from: &State, _to: &State, visit: &mut dyn FnMut(PowerSample)) {
        self.base.samples(from, &self.end, visit);
    }

    fn is_quasi_static(&self) -> bool {
        self.base.is_quasi_static()
    }

    fn save_into(&self, memory: &mut MethodMemory) {
        self.base.save_into(memory);
    }

    fn restore(&mut self, memory: &MethodMemory) -> bool {
        self.base.restore(memory)
    }

    fn restart(&mut self) {
        self.base.restart();
    }

    fn restart_motion(&mut self) {
        self.base.restart_motion();
    }
}
