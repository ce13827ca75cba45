//! Damping that depends on positions, f = … − D(u) v, in stages.
//!
//! Inside Newton's iteration D is lagged: with a fixed matrix the dissipation function R(v) = ½ vᵀD v makes Φ a merit
//! function and M + c_v D + c_u K its symmetric second derivative. After convergence D is evaluated at the positions of
//! the stage and the iteration continues, until the damping force no longer changes. With strain rates ε̇ an update
//! changes the force by about h ε̇ of its last change, so a few updates are enough at steps that resolve the motion. If
//! the changes do not shrink (extreme states whose stiffness jumps with position), updates are relaxed; if that does
//! not help, the stage is solved with the last matrix, which is that of nearby positions, and counted. A shorter step
//! does not help then: if the stiffness jumps, as that of an inverted element under `corotated`, a stage with damping
//! of its own positions need not exist at any step, while a stage with a fixed matrix always dissipates energy.
//!
//! Linearised stages need the full −∂f/∂u = K + E with E du = ∂(D(u) v)/∂u du, which is not symmetric. The symmetric
//! part is factored; E is on the right-hand side of a fixed-point iteration, which contracts as updates do.

use super::Stage;
use super::factor_reuse::FactorCache;
use super::newton::NewtonSolver;
use crate::vector::{add, combine, norm};
use crate::{At, Counts, DampingUpdate, StepError, System};

/// Largest number of updates of the damping matrix in a stage.
const MAX_UPDATES: u32 = 20;
/// Largest number of consecutive updates that do not halve the smallest change of the damping force.
const MAX_UPDATES_WITHOUT_PROGRESS: u32 = 6;
/// Largest contraction of the changes of the damping force without relaxation.
const MAX_CONTRACTION: f64 = 0.5;
/// Residual of the iteration between two updates, relative to the last change of the damping force.
const RESIDUAL_PER_FORCE_CHANGE: f64 = 0.1;
/// Largest number of fixed-point iterations of a linearised stage.
const MAX_FIXED_POINT: u32 = 30;
/// Relative change at which the fixed-point iteration of a linearised stage ends.
const FIXED_POINT_TOLERANCE: f64 = 1e-12;
/// Relative change below which a fixed-point iteration that no longer contracts has reached round-off.
const FIXED_POINT_ROUNDOFF: f64 = 1e-7;

/// Result of an iteration with a lagged damping matrix.
pub(super) struct Converged {
    /// Norm of the residual that the tolerance accepts, N.
    pub wanted: f64,
    /// Whether the first increment was within the accuracy requested for the step.
    pub accurate_at_once: bool,
}

/// Term s E (p + q x) of a linearised stage in x, with E = ∂(D(u) v)/∂u.
#[derive(Clone, Copy, Debug)]
pub struct DampingTerm<'a> {
    /// State at which E is evaluated.
    pub at: At<'a>,
    /// Factor s.
    pub scale: f64,
    /// Offset p, the displacement for x = 0.
    pub offset: &'a [f64],
    /// Slope q.
    pub slope: f64,
}

/// Buffers of the fixed-point iteration of a linearised stage.
#[derive(Default)]
pub(super) struct FixedPoint {
    b: Vec<f64>,
    direction: Vec<f64>,
    y: Vec<f64>,
    before: Vec<f64>,
}

impl NewtonSolver {
    /// Iterates from the change `a` of the acceleration, and updates damping that depends on positions until its force
    /// no longer changes.
    pub(super) fn settle_damping(
        &mut self,
        sys: &mut dyn System,
        stage: &Stage,
        mut merit: Option<f64>,
        a: &mut [f64],
    ) -> Result<(), StepError> {
        let (mut slack, mut settled) = (0.0, false);
        let (mut last, mut best, mut since) = (f64::INFINITY, f64::INFINITY, 0);
        let mut how = DampingUpdate::Whole;
        let mut friction_moves = false;
        for update in 0.. {
            let end = self.iterate(sys, stage, merit, slack, a)?;
            if settled || (update > 0 && end.accurate_at_once) {
                return Ok(());
            }
            if update == MAX_UPDATES || since == MAX_UPDATES_WITHOUT_PROGRESS {
                break;
            }
            self.point.place(stage, a);
            let at = self.point.at(stage.t);
            let Some(change) = sys.update_damping(at, how) else {
                return Ok(());
            };
            settled = change <= end.wanted;
            friction_moves = sys.friction_change() > end.wanted;
            if settled && slack == 0.0 {
                return Ok(());
            }
            slack = if settled {
                0.0
            } else {
                RESIDUAL_PER_FORCE_CHANGE * change
            };
            if change > MAX_CONTRACTION * last {
                how = DampingUpdate::Relaxed;
            }
            last = change;
            since += 1;
            if change <= MAX_CONTRACTION * best {
                (best, since) = (change, 0);
            }
            if merit.is_some() {
                merit = self.merit(sys, stage, a);
            }
        }
        match friction_moves {
            true => self.report.lagged_friction += 1,
            false => self.report.lagged_damping += 1,
        }
        self.iterate(sys, stage, merit, 0.0, a).map(|_| ())
    }
}

impl FixedPoint {
    /// Solves A x = b − s E (p + q x) with the current factors of A; `x` holds b on entry and the solution on return.
    pub fn solve(
        &mut self,
        sys: &mut dyn System,
        factors: &mut FactorCache,
        term: DampingTerm,
        x: &mut [f64],
        counts: &mut Counts,
    ) -> Result<(), StepError> {
        let FixedPoint {
            b,
            direction,
            y,
            before,
        } = self;
        for buffer in [&mut *b, &mut *direction, &mut *y, &mut *before] {
            buffer.resize(x.len(), 0.0);
        }
        let t = term.at.t;
        b.copy_from_slice(x);
        if !sys.damping_derivative(term.at, term.offset, y) {
            return factors.solve(t, x, counts);
        }
        add(x, -term.scale, y);
        factors.solve(t, x, counts)?;
        let mut last = f64::INFINITY;
        for _ in 0..MAX_FIXED_POINT {
            before.copy_from_slice(x);
            combine(direction, term.offset, term.slope, x);
            sys.damping_derivative(term.at, direction, y);
            combine(x, b, -term.scale, y);
            factors.solve(t, x, counts)?;
            add(before, -1.0, x);
            let (change, size) = (norm(before), norm(x));
            let stagnates = change >= 0.5 * last && change <= FIXED_POINT_ROUNDOFF * size;
            if change <= FIXED_POINT_TOLERANCE * size || stagnates {
                return Ok(());
            }
            last = change;
        }
        Err(StepError::DampingIteration {
            t,
            iterations: MAX_FIXED_POINT,
            change: last / norm(x),
        })
    }
}
