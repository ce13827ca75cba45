//! Implicit stages on the part of a system that is not in its modes.
//!
//! A stage is y = ŷ + c H(t, y) with H = F − G. Its displacements are u = û + c (I − X XᵀM) v, so only velocities are
//! unknown. If G is the linear motion of the modes, Newton's matrix is that of [`crate::low_rank`]:
//!
//! (A − Y Zᵀ) Δv = r_v − c (K − M X Λ XᵀM) r_u, Δu = r_u + c (I − X XᵀM) Δv,
//! r_u = û + c (I − X XᵀM) v − u, r_v = M (v̂ − v) + c (f(t, u, v) − M X w),
//!
//! where w are the forces of G along the modes. If G is the projection of the whole force, w = Xᵀf, K − M X Λ XᵀM becomes
//! (I − M X Xᵀ) K, and the matrix is that of [`crate::complement`]. The first iteration starts from the state at which the matrix was
//! factored, with forces extrapolated linearly in time: that is the semi-implicit stage, which semi-implicit methods take as
//! the result. Further iterations keep the factor while it contracts. Damping that depends on positions adds E = ∂(D(u)
//! v)/∂u to K; E is not symmetric and stays on the right-hand side of a fixed-point iteration.

use crate::complement::Complement;
use crate::low_rank::{LowRank, LowRankError};
use crate::split_state::{SplitState, Splitting, Stage};
use crate::subspace::{ModalSubspace, ModeLimits};
use crate::{At, Failure, Mechanics, add, dot};

/// Largest contraction of the residual with which a factor is kept.
const MAX_CONTRACTION: f64 = 0.3;
/// Largest number of halvings of a Newton step.
const MAX_HALVINGS: u32 = 8;
/// Largest number of fixed-point iterations on damping that depends on positions, the relative change at which they end,
/// and the largest one at which they count as converged to round-off.
const MAX_FIXED_POINT: u32 = 30;
const FIXED_POINT_TOLERANCE: f64 = 1e-12;
const FIXED_POINT_ROUNDOFF: f64 = 1e-7;
/// Increments smaller than this fraction of the state are round-off.
const ROUNDOFF: f64 = 16.0 * f64::EPSILON;
/// Residual relative to the tolerance that round-off explains.
const MAX_ROUNDOFF_RESIDUAL: f64 = 1e3;

/// Solver of stages, with its factor and its buffers.
#[derive(Debug, Default)]
pub(crate) struct StageSolver {
    splitting: Splitting,
    low_rank: LowRank,
    complement: Complement,
    /// Length c of the stages, and the time of the factor.
    pub c: f64,
    factored_at: f64,
    r_u: Vec<f64>,
    r_v: Vec<f64>,
    du: Vec<f64>,
    dv: Vec<f64>,
    f: Vec<f64>,
    scratch: Vec<f64>,
    product: Vec<f64>,
    trial: [Vec<f64>; 2],
    coefficients: [Vec<f64>; 3],
    pub angle: f64,
}

impl StageSolver {
    pub fn new(splitting: Splitting) -> StageSolver {
        StageSolver {
            splitting,
            ..StageSolver::default()
        }
    }

    pub fn reserve(&mut self, n: usize) {
        let [a, b] = &mut self.trial;
        for x in [
            &mut self.r_u,
            &mut self.r_v,
            &mut self.du,
            &mut self.dv,
            &mut self.f,
            &mut self.scratch,
            &mut self.product,
            a,
            b,
        ] {
            x.resize(n, 0.0);
        }
    }

    /// Factors the matrix of stages of length c in a step h at a state whose force is known and linearises the modes there,
    /// after they have followed the body to it; those within the limits become active. Splits the state.
    pub fn linearise<S: Mechanics>(
        &mut self,
        s: &mut S,
        state: &mut SplitState,
        [c, h]: [f64; 2],
        limits: ModeLimits,
        modes: &mut ModalSubspace,
    ) -> Result<(), S::Error> {
        self.c = c;
        self.factor(s, state.at())?;
        let (t, u, v) = (state.t, &state.u, &state.v);
        s.force_rate(At { t, u, v }, &mut state.rate);
        modes.linearise(s);
        modes.activate_within([c, h], limits);
        if modes.follows && !modes.active.is_empty() && !modes.is_fresh(c) {
            let t = self.factored_at;
            modes.follow(s, |s, x| s.solve(t, x))?;
            modes.linearise(s);
            modes.activate_within([c, h], limits);
        }
        modes.split(&state.u, &state.v, &state.f, &state.rate, &mut state.modal);
        self.correct(s, modes)
    }

    fn factor<S: Mechanics>(&mut self, s: &mut S, at: At) -> Result<(), S::Error> {
        self.factored_at = at.t;
        s.factor(at, self.c)
    }

    /// Computes the low-rank correction with the products of the modes at the state of the factor.
    fn correct<S: Mechanics>(&mut self, s: &mut S, modes: &ModalSubspace) -> Result<(), S::Error> {
        let t = self.factored_at;
        let solve = |x: &mut [f64]| {
            s.solve(t, x)?;
            Ok(s.squared_norm(x))
        };
        let (prepared, angle) = match self.splitting {
            Splitting::LinearMotion => {
                let prepared = self.low_rank.prepare(modes, self.c, solve);
                (prepared, self.low_rank.angle)
            }
            Splitting::Projection => {
                let prepared = self.complement.prepare(modes, self.c, solve);
                (prepared, self.complement.angle)
            }
        };
        match prepared {
            Ok(_) => {
                self.angle = self.angle.max(angle);
                Ok(())
            }
            Err(LowRankError::Solve(why)) => Err(why),
            Err(LowRankError::Singular) => Err(s.failure(t, Failure::SingularWithoutModes)),
        }
    }

    /// Solves a stage by one Newton iteration, or to convergence; the state is written to `u` and `v`.
    pub fn solve<S: Mechanics>(
        &mut self,
        s: &mut S,
        modes: &mut ModalSubspace,
        stage: Stage,
        iterates: bool,
        [u, v]: [&mut [f64]; 2],
    ) -> Result<(), S::Error> {
        s.count(false);
        s.count(true);
        let near = stage.near;
        u.copy_from_slice(&near.u);
        v.copy_from_slice(&near.v);
        self.f.copy_from_slice(&near.f);
        add(&mut self.f, stage.t - near.t, &near.rate);
        self.residual(s, modes, &stage, u, v);
        self.direction(s, modes, stage.t)?;
        if !iterates {
            add(u, 1.0, &self.du);
            add(v, 1.0, &self.dv);
            return Ok(());
        }
        self.iterate(s, modes, stage, [u, v])
    }

    fn iterate<S: Mechanics>(
        &mut self,
        s: &mut S,
        modes: &mut ModalSubspace,
        stage: Stage,
        [u, v]: [&mut [f64]; 2],
    ) -> Result<(), S::Error> {
        let (tolerance, patience) = s.newton_limits();
        let (mut best, mut since) = (f64::INFINITY, 0);
        let mut before = f64::INFINITY;
        let mut near_t = stage.near.t;
        for iteration in 1.. {
            let [share, inertia] = self.search(s, modes, &stage, [u, v], [near_t, before])?;
            near_t = stage.t;
            add(u, share, &self.du);
            add(v, share, &self.dv);
            // The linear forces of the modes are those of the state at which they were split.
            let forces = s.force_scale().max(stage.split.scale);
            let wanted = tolerance * forces.max(inertia);
            let residual = dot(&self.r_v, &self.r_v).sqrt() / self.c;
            // Displacements are consistent with velocities after a full step.
            if share == 1.0 && residual <= wanted {
                return Ok(());
            }
            if residual <= 0.5 * best {
                (best, since) = (residual, 0);
            }
            since += 1;
            let contraction = residual / before;
            if since >= patience || !residual.is_finite() {
                return match residual <= MAX_ROUNDOFF_RESIDUAL * wanted {
                    true => Ok(()),
                    false => Err(s.failure(
                        stage.t,
                        Failure::Stalled {
                            iterations: iteration,
                            residual,
                            wanted,
                        },
                    )),
                };
            }
            if share < 1.0
                || contraction.is_nan()
                || contraction > MAX_CONTRACTION && before.is_finite()
            {
                self.factor(s, At { t: stage.t, u, v })?;
                modes.update_products(s);
                self.correct(s, modes)?;
            }
            before = residual;
            s.count(true);
            self.direction(s, modes, stage.t)?;
            let largest = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            let [small_u, small_v] = [
                largest(&self.du) <= ROUNDOFF * largest(u),
                largest(&self.dv) <= ROUNDOFF * largest(v),
            ];
            if small_u && small_v {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Evaluates the residual at the end of the direction, as far as the path is free, halved until it is below `before`.
    /// Returns the share of the direction and the norm of the inertia.
    fn search<S: Mechanics>(
        &mut self,
        s: &mut S,
        modes: &ModalSubspace,
        stage: &Stage,
        [u, v]: [&[f64]; 2],
        [near_t, before]: [f64; 2],
    ) -> Result<[f64; 2], S::Error> {
        let [mut trial_u, mut trial_v] = std::mem::take(&mut self.trial);
        let place = |out: &mut [f64], x: &[f64], share: f64, d: &[f64]| {
            out.copy_from_slice(x);
            add(out, share, d);
        };
        // The boundary moves as a whole, so a part of a path ends at positions that need a check of their own.
        let mut share = 1.0;
        for halving in 0.. {
            place(&mut trial_u, u, share, &self.du);
            if s.max_step((near_t, u), (stage.t, &trial_u)) >= 1.0 {
                break;
            }
            if halving == MAX_HALVINGS {
                let blocked = s.check_stage((near_t, u), (stage.t, &trial_u));
                self.trial = [trial_u, trial_v];
                return blocked.map(|()| [share, 0.0]);
            }
            share *= 0.5;
        }
        let mut halvings = 0;
        let found = loop {
            place(&mut trial_u, u, share, &self.du);
            place(&mut trial_v, v, share, &self.dv);
            let at = At {
                t: stage.t,
                u: &trial_u,
                v: &trial_v,
            };
            if let Err(why) = s.force(at, &mut self.f) {
                break Err(why);
            }
            let inertia = self.residual(s, modes, stage, &trial_u, &trial_v);
            let residual = dot(&self.r_v, &self.r_v).sqrt() / self.c;
            // The first step is that of the semi-implicit method, whose residual has nothing to be compared with.
            if before.is_infinite() || residual < before || halvings == MAX_HALVINGS {
                break Ok([share, inertia]);
            }
            share *= 0.5;
            halvings += 1;
        };
        self.trial = [trial_u, trial_v];
        found
    }

    /// Computes r_u and r_v with the force in the buffer; returns ‖M (v − v̂)‖/c.
    fn residual<S: Mechanics>(
        &mut self,
        s: &mut S,
        modes: &ModalSubspace,
        stage: &Stage,
        u: &[f64],
        v: &[f64],
    ) -> f64 {
        let c = self.c;
        self.scratch.copy_from_slice(stage.hat[1]);
        add(&mut self.scratch, -1.0, v);
        s.mass_times(&self.scratch, &mut self.r_v);
        let inertia = dot(&self.r_v, &self.r_v).sqrt() / c;
        let [on_u, on_v, w] = &mut self.coefficients;
        modes.coefficients(v, on_v);
        match self.splitting {
            Splitting::LinearMotion => {
                modes.coefficients(u, on_u);
                let elapsed = stage.t - stage.split.t;
                modes.linear_forces(&stage.split.modal, on_u, on_v, elapsed, w);
            }
            Splitting::Projection => modes.force_coefficients(&self.f, w),
        }
        add(&mut self.r_v, c, &self.f);
        w.iter_mut().for_each(|w| *w *= -c);
        modes.add_expanded_force(w, &mut self.r_v);
        self.r_u.copy_from_slice(stage.hat[0]);
        add(&mut self.r_u, -1.0, u);
        add(&mut self.r_u, c, v);
        on_v.iter_mut().for_each(|x| *x *= -c);
        modes.add_expanded(on_v, &mut self.r_u);
        inertia
    }

    /// Solves for Δu and Δv.
    fn direction<S: Mechanics>(
        &mut self,
        s: &mut S,
        modes: &ModalSubspace,
        t: f64,
    ) -> Result<(), S::Error> {
        let c = self.c;
        s.stiffness_times(&self.r_u, &mut self.product);
        let [on_u, ..] = &mut self.coefficients;
        match self.splitting {
            Splitting::LinearMotion => {
                modes.coefficients(&self.r_u, on_u);
                for (x, &i) in on_u.iter_mut().zip(&modes.active) {
                    *x *= -modes.blocks[i].stiffness;
                }
                modes.add_expanded_force(on_u, &mut self.product);
            }
            Splitting::Projection => modes.remove_force(&mut self.product, on_u),
        }
        add(&mut self.r_v, -c, &self.product);
        self.dv.copy_from_slice(&self.r_v);
        self.solve_corrected(s, modes, t)?;
        if !s.has_position_damping() {
            return Ok(());
        }
        let (mut change, mut last) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..MAX_FIXED_POINT {
            self.f.copy_from_slice(&self.dv);
            self.product.fill(0.0);
            s.add_position_damping(&self.du, &mut self.scratch, &mut self.product);
            if self.splitting == Splitting::Projection {
                let [on_u, ..] = &mut self.coefficients;
                modes.remove_force(&mut self.product, on_u);
            }
            self.dv.copy_from_slice(&self.r_v);
            add(&mut self.dv, -c, &self.product);
            self.solve_corrected(s, modes, t)?;
            let largest = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            let scale = largest(&self.dv);
            add(&mut self.f, -1.0, &self.dv);
            change = largest(&self.f) / scale.max(f64::MIN_POSITIVE);
            if change <= FIXED_POINT_TOLERANCE || scale == 0.0 {
                return Ok(());
            }
            if change >= last && change <= FIXED_POINT_ROUNDOFF {
                return Ok(());
            }
            last = change;
        }
        Err(s.failure(
            t,
            Failure::Damping {
                iterations: MAX_FIXED_POINT,
                change,
            },
        ))
    }

    /// Solves for Δv, whose right-hand side it holds, and computes Δu.
    fn solve_corrected<S: Mechanics>(
        &mut self,
        s: &mut S,
        modes: &ModalSubspace,
        t: f64,
    ) -> Result<(), S::Error> {
        let solve = |x: &mut [f64]| s.solve(t, x);
        match self.splitting {
            Splitting::LinearMotion => self.low_rank.solve(modes, &mut self.dv, solve)?,
            Splitting::Projection => self.complement.solve(modes, &mut self.dv, solve)?,
        }
        self.du.copy_from_slice(&self.r_u);
        add(&mut self.du, self.c, &self.dv);
        let [on_u, ..] = &mut self.coefficients;
        modes.coefficients(&self.dv, on_u);
        on_u.iter_mut().for_each(|x| *x *= -self.c);
        modes.add_expanded(on_u, &mut self.du);
        Ok(())
    }
}
