//! Error estimate from divided differences of the velocities of past steps.
//!
//! On y′ = L y one step of a method of order p has the error (R(hL) − e^(hL)) y = C h^(p+1) y^(p+1) + O(h^(p+2)), with
//! C the leading coefficient of R(z) − e^z. The error of the displacements is therefore C h^(p+1) times the p-th
//! derivative of the velocities, which is p! times their divided difference over the ends of the last p + 1 steps:
//! Milne's device [Milne 1926] for one-step methods. For Newmark's method C = β − ⅙ gives the estimate of [Zienkiewicz
//! & Xie 1991] with the difference of accelerations expressed by velocities; for BDF2 with the step ratio w the
//! constant is (1+w)²/(6w(1+2w)).
//!
//! It needs no force evaluation. The first p steps after a start have no estimate. Nonlinear forces add other terms of
//! the same order, so the order of the estimate is the same.

use std::collections::VecDeque;

use crate::ledger::PowerSample;
use crate::vector::{add, max_abs};
use crate::{ErrorEstimate, MethodMemory, State, StepContext, StepError, StepReport, Stepper};

/// Leading error constant of a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ErrorConstant {
    /// Constant C that does not depend on the steps.
    Fixed(f64),
    /// Constant of BDF2, which depends on the ratio of the last two steps.
    Bdf2,
}

impl ErrorConstant {
    /// Returns |C| for the ratio `w` of the step to the previous one.
    fn at(self, w: f64) -> f64 {
        match self {
            ErrorConstant::Fixed(c) => c.abs(),
            ErrorConstant::Bdf2 => (1.0 + w).powi(2) / (6.0 * w * (1.0 + 2.0 * w)),
        }
    }
}

/// Velocities at a time.
#[derive(Clone, Debug, Default)]
struct Past {
    t: f64,
    v: Vec<f64>,
}

/// Stepper that estimates the error of a method from the velocities of its last steps.
pub struct VelocityDifferences {
    base: Box<dyn Stepper>,
    order: usize,
    constant: ErrorConstant,
    /// Velocities at the starts of the last steps, the newest first; at most `order` of them.
    past: VecDeque<Past>,
    /// Start of the attempt, which [`Stepper::commit`] adds to `past`.
    start: Past,
    difference: Vec<f64>,
}

impl VelocityDifferences {
    /// Creates an estimating stepper for a method of this order.
    pub fn new(base: Box<dyn Stepper>, order: u32, constant: ErrorConstant) -> VelocityDifferences {
        let order = usize::try_from(order).unwrap_or(usize::MAX).max(1);
        VelocityDifferences {
            base,
            order,
            constant,
            past: VecDeque::with_capacity(order),
            start: Past::default(),
            difference: Vec::new(),
        }
    }

    /// Returns the estimate for a step of length `h` that ends in `to`, or `None` after too few steps.
    fn estimate(&mut self, h: f64, to: &State) -> Option<f64> {
        // The points of the difference: the end, the start of the step, and p − 1 earlier starts.
        if self.past.len() + 1 < self.order {
            return None;
        }
        let time = |k: usize| match k {
            0 => to.t,
            1 => self.start.t,
            k => self.past[k - 2].t,
        };
        let points = self.order + 1;
        self.difference.clear();
        self.difference.resize(to.v.len(), 0.0);
        // v[t₀ … t_p] = Σ v(tᵢ) / Π_{j≠i} (tᵢ − tⱼ).
        for i in 0..points {
            let product: f64 = (0..points)
                .filter(|&j| j != i)
                .map(|j| time(i) - time(j))
                .product();
            let v = match i {
                0 => &to.v,
                1 => &self.start.v,
                i => &self.past[i - 2].v,
            };
            add(&mut self.difference, 1.0 / product, v);
        }
        let factorial: f64 = (1..=self.order).map(|k| k as f64).product();
        let w = match self.past.front() {
            Some(before) => h / (self.start.t - before.t),
            None => 1.0,
        };
        let scale = self.constant.at(w) * factorial * h.powi(self.order as i32 + 1);
        Some(scale * max_abs(&self.difference))
    }
}

impl Stepper for VelocityDifferences {
    fn attempt(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<StepReport, StepError> {
        self.start.t = from.t;
        self.start.v.clear();
        self.start.v.extend_from_slice(&from.v);
        let report = self.base.attempt(cx, from, h, to)?;
        let error = self.estimate(h, to).map(|displacement| ErrorEstimate {
            displacement,
            velocity: f64::NAN,
        });
        Ok(StepReport { error, ..report })
    }

    fn commit(&mut self) {
        self.base.commit();
        if self.order < 2 {
            return;
        }
        // The buffer of the oldest velocities is reused for the newest.
        let mut oldest = match self.past.len() + 1 < self.order {
            true => Past::default(),
            false => self.past.pop_back().unwrap_or_default(),
        };
        std::mem::swap(&mut oldest, &mut self.start);
        self.past.push_front(oldest);
    }

    fn samples(&mut self, from: &State, to: &State, visit: &mut dyn FnMut(PowerSample)) {
        self.base.samples(from, to, visit);
    }

    fn save_into(&self, memory: &mut MethodMemory) {
        let past = self.past.iter().map(|p| (p.t, &p.v[..]));
        self.base.save_into(memory.set_past_velocities(past));
    }

    fn restore(&mut self, memory: &MethodMemory) -> bool {
        let MethodMemory::PastVelocities {
            times,
            velocities,
            base,
        } = memory
        else {
            return false;
        };
        if times.len() + 1 > self.order || times.len() != velocities.len() {
            return false;
        }
        let past = times.iter().zip(velocities);
        self.past = past
            .map(|(&t, v)| Past { t, v: v.clone() })
            .collect::<VecDeque<_>>();
        self.base.restore(base)
    }

    fn restart(&mut self) {
        self.past.clear();
        self.base.restart();
    }

    fn restart_motion(&mut self) {
        self.past.clear();
        self.base.restart_motion();
    }
}
