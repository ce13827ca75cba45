//! Additive exponential methods: exact on the vibration modes that carry the motion, implicit on the stiff rest [Ascher et
//! al. 2021, sec. 3.5 and 4], corrected (docs/references.md, E9, E11 and E20).
//!
//! With y = (u, v), y′ = F(t, y) = (v, M⁻¹f) and M-orthonormal modes X, a step splits F = G + H at a state y_r of it. G is
//! integrated by φ-functions in closed form, H implicitly ([`AdditiveScheme`]), and E = h φ₁(hJ_G) G(y_r) + h² φ₂(hJ_G) ∂G/∂t,
//! the second term for forces and boundaries that depend on time. There are two splits, the same for eigenvectors of the
//! current state of a linear system, and different for older modes:
//!
//! - The projection G = P F, P = X XᵀM, of the paper; H = (I − P) F. The modes feel the force of the start of the step, the
//!   rest follows them. The Jacobian of H is (I − P) J. Eq. 23 has J − J_G instead, which couples the velocities of old modes
//!   to the rest at the end of the step, and not their positions: this amplifies them, without bound the stiffer the motion
//!   is that they have a share of (docs/references.md, E25). With (I − P) J modes of any age are stable at any step. As the
//!   coupling is explicit, the order is one.
//! - The linear motion G = G_r + (t − t_r) ∂G/∂t + J_G (y − y_r) of the modes ([`crate::subspace`]), ours. J_G is its derivative
//!   for any X, and J_G H(y_r) = 0; these two make the order two independent of the age of the modes. Old modes that move too
//!   far in a step are amplified; [`AdditiveScheme::mode_limits`] leaves them to H.
//!
//! The schemes:
//!
//! - Backward Euler, with the projection: y₁ = y₀ + E + h H(y₁) (eq. 19); SIERE is its first Newton iteration (eq. 20).
//! - BDF2, like the following with the linear motion: y₁ = ⅓ (4 y₀ − y₋₁ + E₂) + ⅔ h H(y₁) (eqs. 21, 22) with E₂ = E of a step
//!   2h: φ₁(2hJ_G), not the printed φ₁(hJ_G) (E11), and the weights of variable steps (E8). Its first step is one of TR-BDF2.
//! - TR-BDF2: the trapezoidal rule on F over h/2, then y₁ = y½ + ⅓ (y½ − y₀) + ⅓ E½ + ⅓ h H(y₁) with E½ of a step h from y½:
//!   φ₁(hJ_G), not the printed φ₁(½hJ_G) (eq. 26, E11). With one Newton iteration a stage it is STR-SBDF2ERE.
//! - Exact TR-BDF2, ours: G and H split at y₀ only, the trapezoidal rule on H over γh, γ = 2 − √2, with E₀ of that length,
//!   then y₁ = y₀ + κ (y_γ − y₀) + ½γh H(y₁) + E_γ + (1 − κ) E₀, κ = 1/(γ(2 − γ)) and E_γ of the rest of the step from y_γ. The
//!   weights of the increments make it exact on the modes, which (26) amplifies from hω = 4.58 on (E20). Both stages share
//!   one matrix.
//!
//! Modes that move too far in a step for a method (|hλ| above its limit) are left to H.

use crate::split_state::{SplitState, Splitting, Stage};
use crate::stage::StageSolver;
use crate::subspace::{ModalState, ModeLimits};
use crate::tracker::{ModeHistory, ModeTracker, Refresh};
use crate::{At, Mechanics, add};

/// γ of the exact variant: both stages have the same matrix [Bank et al. 1985].
const GAMMA: f64 = 2.0 - std::f64::consts::SQRT_2;
/// Limits of |hλ| below all modes: the whole system is integrated implicitly.
const NO_MODES: ModeLimits = ModeLimits {
    fresh: -1.0,
    stale: -1.0,
};

/// Implicit method on the rest of a system whose modes are integrated by φ-functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdditiveScheme {
    /// Backward Euler.
    BackwardEuler,
    /// BDF2 with variable steps.
    Bdf2,
    /// Trapezoidal rule over half the step, then BDF2.
    TrBdf2,
    /// TR-BDF2 with weights that are exact on the modes.
    ExactTrBdf2,
}

impl AdditiveScheme {
    /// Returns the largest |hλ| of modes that the method integrates by φ-functions. TR-BDF2 amplifies modes from hω = 4.58 on
    /// (docs/references.md, E20), and BDF2 with modes damps them more than without. Vectors that are no eigenvectors couple
    /// to stiff ones, and TR-BDF2 amplifies them from hω ≈ 3.5 on, its exact variant from hω ≈ 6 on.
    pub fn mode_limits(self) -> ModeLimits {
        let [fresh, stale] = match self {
            AdditiveScheme::BackwardEuler => [f64::INFINITY, f64::INFINITY],
            AdditiveScheme::Bdf2 => [0.8, 0.8],
            AdditiveScheme::TrBdf2 => [4.5, 3.0],
            AdditiveScheme::ExactTrBdf2 => [f64::INFINITY, 4.5],
        };
        ModeLimits { fresh, stale }
    }

    /// Returns how the method splits the system.
    fn splitting(self) -> Splitting {
        match self {
            AdditiveScheme::BackwardEuler => Splitting::Projection,
            _ => Splitting::LinearMotion,
        }
    }
}

/// State before a step, for BDF2.
#[derive(Clone, Copy, Debug)]
pub struct Previous<'a> {
    /// Length of the step since then, s.
    pub h: f64,
    /// Displacements.
    pub u: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
}

/// Additive exponential method with its modes and its buffers.
#[derive(Debug)]
pub struct Additive {
    scheme: AdditiveScheme,
    iterates: bool,
    modes: ModeTracker,
    stage: StageSolver,
    /// Split states at the start of the step and at its inner stage, and the linear motion of the modes there.
    start: SplitState,
    inner: SplitState,
    propagated: ModalState,
    hat: [Vec<f64>; 2],
    middle: [Vec<f64>; 2],
    increment: [Vec<f64>; 2],
    h: f64,
}

/// Modal state from which an increment starts.
#[derive(Clone, Copy)]
enum From {
    Start,
    Inner,
    Propagated,
}

impl Additive {
    /// Creates a method with this number of modes, or the default if it is `None`. Stages are iterated to convergence or
    /// solved by one Newton iteration.
    pub fn new(
        scheme: AdditiveScheme,
        modes: Option<u32>,
        refresh: Refresh,
        iterates: bool,
    ) -> Additive {
        Additive {
            scheme,
            iterates,
            modes: ModeTracker::new(modes, refresh),
            stage: StageSolver::new(scheme.splitting()),
            start: SplitState::default(),
            inner: SplitState::default(),
            propagated: ModalState::default(),
            hat: Default::default(),
            middle: Default::default(),
            increment: Default::default(),
            h: 0.0,
        }
    }

    /// Computes the state a step of length `h` after `from` into `u` and `v`; `previous` is the state before, if BDF2 has
    /// one. Changes no history.
    pub fn attempt<S: Mechanics>(
        &mut self,
        s: &mut S,
        from: At,
        h: f64,
        previous: Option<Previous>,
        end: [&mut [f64]; 2],
    ) -> Result<(), S::Error> {
        self.reserve(s.dofs());
        self.h = h;
        self.stage.angle = 0.0;
        self.modes.begin_attempt(s, from)?;
        self.start.evaluate(s, from)?;
        match (self.scheme, previous) {
            (AdditiveScheme::BackwardEuler, _) => self.backward_euler(s, end)?,
            (AdditiveScheme::Bdf2, Some(previous)) => self.bdf2(s, previous, end)?,
            (AdditiveScheme::Bdf2 | AdditiveScheme::TrBdf2, _) => self.tr_bdf2(s, end)?,
            (AdditiveScheme::ExactTrBdf2, _) => self.exact_tr_bdf2(s, end)?,
        }
        self.modes.angle = self.stage.angle;
        Ok(())
    }

    /// Makes the last attempt history.
    pub fn commit(&mut self) {
        self.modes.commit();
    }

    /// Returns the committed modes.
    pub fn history(&self) -> &ModeHistory {
        &self.modes.history
    }

    /// Replaces the committed modes.
    pub fn restore(&mut self, history: &ModeHistory) {
        self.modes.history.clone_from(history);
        self.modes.holds_history = false;
    }

    /// Drops the modes; the next step computes new ones.
    pub fn restart(&mut self) {
        self.modes.restart();
    }

    /// Returns the length c of the last stage.
    pub fn stage_length(&self) -> f64 {
        self.stage.c
    }

    fn reserve(&mut self, n: usize) {
        let own = [&mut self.hat, &mut self.middle, &mut self.increment];
        own.into_iter().flatten().for_each(|x| x.resize(n, 0.0));
        self.start.reserve(n);
        self.inner.reserve(n);
        self.stage.reserve(n);
    }

    /// Linearises at the start of the step with the matrix of stages of length `c`.
    fn linearise_start<S: Mechanics>(
        &mut self,
        s: &mut S,
        c: f64,
        limits: ModeLimits,
    ) -> Result<(), S::Error> {
        let modes = &mut self.modes.subspace;
        self.stage
            .linearise(s, &mut self.start, [c, self.h], limits, modes)
    }

    /// Sets ŷ to the start of the step.
    fn begin_hat(&mut self) {
        self.hat[0].copy_from_slice(&self.start.u);
        self.hat[1].copy_from_slice(&self.start.v);
    }

    /// Adds `scale` times (u, v) to ŷ.
    fn add_state(hat: &mut [Vec<f64>; 2], scale: f64, [u, v]: [&[f64]; 2]) {
        add(&mut hat[0], scale, u);
        add(&mut hat[1], scale, v);
    }

    /// Adds `scale` times the increment in the buffers to ŷ.
    fn add_increment(&mut self, scale: f64) {
        let [u, v] = &self.increment;
        Self::add_state(&mut self.hat, scale, [u, v]);
    }

    /// Computes the increment E of length `h` from a modal state into the buffers.
    fn modal_increment(&mut self, from: From, h: f64) {
        let [du, dv] = &mut self.increment;
        du.fill(0.0);
        dv.fill(0.0);
        let state = match from {
            From::Start => &self.start.modal,
            From::Inner => &self.inner.modal,
            From::Propagated => &self.propagated,
        };
        self.modes.subspace.add_increment(state, h, 1.0, du, dv);
    }

    /// Computes F at the start of the step into the buffers.
    fn start_rates<S: Mechanics>(&mut self, s: &mut S) -> Result<(), S::Error> {
        self.increment[0].copy_from_slice(&self.start.v);
        self.increment[1].copy_from_slice(&self.start.f);
        s.solve_mass(&mut self.increment[1])
    }

    fn solve<S: Mechanics>(
        &mut self,
        s: &mut S,
        t: f64,
        [split, near]: [From; 2],
        end: [&mut [f64]; 2],
    ) -> Result<(), S::Error> {
        let [u, v] = &self.hat;
        let pick = |from: From| match from {
            From::Start => &self.start,
            From::Inner | From::Propagated => &self.inner,
        };
        let stage = Stage {
            t,
            hat: [u, v],
            split: pick(split),
            near: pick(near),
        };
        let modes = &mut self.modes.subspace;
        self.stage.solve(s, modes, stage, self.iterates, end)
    }

    /// Solves the stage in the middle of a step and evaluates its force.
    fn solve_middle<S: Mechanics>(&mut self, s: &mut S, t: f64) -> Result<(), S::Error> {
        let [mut u, mut v] = std::mem::take(&mut self.middle);
        let solved = self.solve(s, t, [From::Start, From::Start], [&mut u, &mut v]);
        self.middle = [u, v];
        solved?;
        let [u, v] = &self.middle;
        s.check_stage((self.start.t, &self.start.u), (t, u))?;
        self.inner.evaluate(s, At { t, u, v })
    }

    fn backward_euler<S: Mechanics>(
        &mut self,
        s: &mut S,
        end: [&mut [f64]; 2],
    ) -> Result<(), S::Error> {
        let h = self.h;
        self.linearise_start(s, h, self.scheme.mode_limits())?;
        self.begin_hat();
        self.modal_increment(From::Start, h);
        self.add_increment(1.0);
        self.solve(s, self.start.t + h, [From::Start, From::Start], end)
    }

    fn bdf2<S: Mechanics>(
        &mut self,
        s: &mut S,
        previous: Previous,
        end: [&mut [f64]; 2],
    ) -> Result<(), S::Error> {
        let h = self.h;
        let w = h / previous.h;
        let c = h * (1.0 + w) / (1.0 + 2.0 * w);
        self.linearise_start(s, c, self.scheme.mode_limits())?;
        self.begin_hat();
        // y₀ + w²/(1 + 2w) (y₀ − y₋₁).
        let share = w * w / (1.0 + 2.0 * w);
        Self::add_state(&mut self.hat, share, [&self.start.u, &self.start.v]);
        Self::add_state(&mut self.hat, -share, [previous.u, previous.v]);
        self.modal_increment(From::Start, 2.0 * h);
        self.add_increment(c / (2.0 * h));
        self.solve(s, self.start.t + h, [From::Start, From::Start], end)
    }

    fn tr_bdf2<S: Mechanics>(&mut self, s: &mut S, end: [&mut [f64]; 2]) -> Result<(), S::Error> {
        let h = self.h;
        self.linearise_start(s, 0.25 * h, NO_MODES)?;
        self.start_rates(s)?;
        self.begin_hat();
        self.add_increment(0.25 * h);
        self.solve_middle(s, self.start.t + 0.5 * h)?;
        let (modes, limits) = (&mut self.modes.subspace, self.scheme.mode_limits());
        self.stage
            .linearise(s, &mut self.inner, [h / 3.0, h], limits, modes)?;
        self.hat[0].copy_from_slice(&self.inner.u);
        self.hat[1].copy_from_slice(&self.inner.v);
        let third = 1.0 / 3.0;
        Self::add_state(&mut self.hat, third, [&self.inner.u, &self.inner.v]);
        Self::add_state(&mut self.hat, -third, [&self.start.u, &self.start.v]);
        self.modal_increment(From::Inner, h);
        self.add_increment(third);
        self.solve(s, self.start.t + h, [From::Inner, From::Inner], end)
    }

    fn exact_tr_bdf2<S: Mechanics>(
        &mut self,
        s: &mut S,
        end: [&mut [f64]; 2],
    ) -> Result<(), S::Error> {
        let h = self.h;
        let c = 0.5 * GAMMA * h;
        self.linearise_start(s, c, self.scheme.mode_limits())?;
        // H(y₀) = F(y₀) − G(y₀).
        self.start_rates(s)?;
        let [du, dv] = &mut self.increment;
        self.modes.subspace.remove(&self.start.modal.v, du);
        self.modes.subspace.remove(&self.start.modal.f, dv);
        self.begin_hat();
        self.add_increment(c);
        self.modal_increment(From::Start, GAMMA * h);
        self.add_increment(1.0);
        self.solve_middle(s, self.start.t + GAMMA * h)?;
        // The rate changes by O(h), which does not lower the order.
        self.inner.rate.copy_from_slice(&self.start.rate);
        // y₀ + κ (y_γ − y₀) + (1 − κ) E₀, with E₀ still in the buffers, and E_γ.
        let kappa = 1.0 / (GAMMA * (2.0 - GAMMA));
        self.begin_hat();
        Self::add_state(&mut self.hat, -kappa, [&self.start.u, &self.start.v]);
        Self::add_state(&mut self.hat, kappa, [&self.inner.u, &self.inner.v]);
        self.add_increment(1.0 - kappa);
        let (modes, next) = (&self.modes.subspace, &mut self.propagated);
        modes.coefficients(&self.inner.u, &mut next.u);
        modes.coefficients(&self.inner.v, &mut next.v);
        let start = &self.start.modal;
        modes.linear_forces(start, &next.u, &next.v, GAMMA * h, &mut next.f);
        next.rate.clone_from(&start.rate);
        self.modal_increment(From::Propagated, (1.0 - GAMMA) * h);
        self.add_increment(1.0);
        self.solve(s, self.start.t + h, [From::Start, From::Inner], end)
    }
}
