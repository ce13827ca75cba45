//! Algorithm 1 of Dinev, Liu & Kavan (2018) by the letter: every step whose energy changed at all is blended, and a
//! binary search that begins in the middle stops at the first share within ε of the last frame's energy (eq. 24).
//!
//! [`march::EnergyTracking`] keeps steps that are within ε already, and narrows the bracket from its ends. With ε = 0.01
//! the two do much the same; with ε = 0.5 the first share that the printed search tries is nearly always good enough, so
//! that half of every step is backward or forward Euler.

use march::correction::{CorrectionOutcome, UncorrectedStep};
use march::{
    Corrected, Correction, Newton, Parameters, State, StepContext, StepError, Stepper, find,
};

use crate::PaperError;

/// Bisections of the search; 2⁻⁵⁰ of the bracket is rounding.
const BISECTIONS: u32 = 50;

/// The printed correction, for systems without forcing and damping.
struct PrintedBlend {
    backward: Box<dyn Stepper>,
    forward: Box<dyn Stepper>,
    tolerance: f64,
    euler: State,
}

/// The printed algorithm around the midpoint rule, with this ε and as many local/global iterations as the paper's.
pub fn printed_algorithm(tolerance: f64) -> Result<Box<dyn Stepper>, PaperError> {
    let newton = Newton::LocalGlobal { iterations: 10 };
    let stepper = |name| Ok::<_, PaperError>(find(name)?.stepper(&Parameters::default(), newton)?);
    let blend = PrintedBlend {
        backward: stepper("backward-euler")?,
        forward: stepper("forward-euler")?,
        tolerance,
        euler: State::default(),
    };
    let midpoint = stepper("implicit-midpoint")?;
    Ok(Box::new(Corrected::new(midpoint, blend)))
}

/// Writes (1 − α) x + α y into `to`.
fn mix(x: &State, y: &State, alpha: f64, to: &mut State) {
    to.t = x.t;
    for (out, x, y) in [(&mut to.u, &x.u, &y.u), (&mut to.v, &x.v, &y.v)] {
        for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
            *out = (1.0 - alpha) * x + alpha * y;
        }
    }
}

impl Correction for PrintedBlend {
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
        // From the method's step, share 0, to the Euler step, share 1, the error changes its sign; if it does not, the
        // search ends at the Euler step.
        let (mut low, mut high) = (0.0, 1.0);
        let mut share = 0.5;
        for _ in 0..BISECTIONS {
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
