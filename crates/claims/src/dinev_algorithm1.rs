//! [Dinev et al. 2018, Algorithm 1] as published, for comparison with [`march::EnergyTracking`].
//!
//! The published algorithm blends every step whose energy changed at all. Its binary search starts at share ½ and stops
//! at the first share within ε of the energy of the last frame [Dinev et al. 2018, eq. 24]. [`march::EnergyTracking`]
//! keeps steps that are already within ε and narrows the bracket from its ends. With ε = 0.01 the two differ little;
//! with ε = 0.5 the first share of the published search is nearly always accepted, so that half of every step is
//! backward or forward Euler.

use march::correction::{CorrectionOutcome, UncorrectedStep};
use march::{
    Corrected, Correction, Newton, Parameters, State, StepContext, StepError, Stepper, find,
};

use crate::PaperError;

/// The number of bisections of the search; 2⁻⁵⁰ of the bracket is rounding.
const MAX_BISECTIONS: u32 = 50;

/// The blend of [Dinev et al. 2018, Algorithm 1] for systems without external work and damping.
struct Algorithm1Blend {
    backward: Box<dyn Stepper>,
    forward: Box<dyn Stepper>,
    tolerance: f64,
    euler: State,
}

/// Creates a stepper of the implicit midpoint rule with [Dinev et al. 2018, Algorithm 1], this ε and the ten
/// local/global iterations of the paper.
pub fn algorithm1_stepper(tolerance: f64) -> Result<Box<dyn Stepper>, PaperError> {
    let newton = Newton::LocalGlobal { iterations: 10 };
    let stepper = |name| Ok::<_, PaperError>(find(name)?.stepper(&Parameters::default(), newton)?);
    let blend = Algorithm1Blend {
        backward: stepper("backward-euler")?,
        forward: stepper("forward-euler")?,
        tolerance,
        euler: State::default(),
    };
    let midpoint = stepper("implicit-midpoint")?;
    Ok(Box::new(Corrected::new(midpoint, blend)))
}

/// Computes `to` ← (1 − α) x + α y.
fn mix(x: &State, y: &State, alpha: f64, to: &mut State) {
    to.t = x.t;
    for (out, x, y) in [(&mut to.u, &x.u, &y.u), (&mut to.v, &x.v, &y.v)] {
        for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
            *out = (1.0 - alpha) * x + alpha * y;
        }
    }
}

impl Correction for Algorithm1Blend {
    fn correct(
        &mut self,
        cx: &mut StepContext,
        step: &UncorrectedStep,
        to: &mut State,
    ) -> Result<CorrectionOutcome, StepError> {
        let UncorrectedStep {
            from,
            end,
            h,
            budget,
            ..
        } = *step;
        let e = cx.system.energy_at(end.at()).total() - budget.target;
        let euler = match e > 0.0 {
            true => &mut self.backward,
            false => &mut self.forward,
        };
        euler.restart();
        euler.attempt(cx, from, h, &mut self.euler)?;
        // The energy error changes its sign between the method's step (share 0) and the Euler step (share 1); if not, the
        // search ends at the Euler step.
        let (mut low, mut high) = (0.0, 1.0);
        let mut share = 0.5;
        for _ in 0..MAX_BISECTIONS {
            mix(end, &self.euler, share, to);
            let found = cx.system.energy_at(to.at()).total() - budget.target;
            if found.abs() < self.tolerance * budget.total.abs() {
                break;
            }
            match found * e > 0.0 {
                true => low = share,
                false => high = share,
            }
            share = 0.5 * (low + high);
        }
        mix(end, &self.euler, share, to);
        Ok(CorrectionOutcome {
            energy: cx.system.energy_at(to.at()),
            booked: 0.0,
            blend: share * e.signum(),
            changed: true,
            tolerance_missed: false,
        })
    }
}
