//! Algorithm 1 of 004 taken by the letter: every step whose energy changed at all is blended, and a binary search that
//! begins in the middle stops at the first share within ε of the last frame's energy (eq. 24).
//!
//! [`march::Blend`] keeps steps that are within ε already, and narrows the bracket from its ends. With ε = 0.01 the two
//! do much the same; with ε = 0.5 the first look of the printed search is nearly always good enough, so that half of
//! every step is backward or forward Euler.

use march::ledger::Sample;
use march::{At, Newton, Parameters, StageSolver, State, StepError, Stepper, System, find};

use crate::PaperError;

/// Looks of the search; 2⁻⁵⁰ of the bracket is rounding.
const LOOKS: u32 = 50;

/// The printed algorithm, for systems without forcing and damping.
pub struct Printed {
    midpoint: Box<dyn Stepper>,
    backward: Box<dyn Stepper>,
    forward: Box<dyn Stepper>,
    tolerance: f64,
    target: Option<f64>,
    alpha: f64,
}

impl Printed {
    /// With this ε; local/global iterations as many as the paper's.
    pub fn new(tolerance: f64) -> Result<Printed, PaperError> {
        let newton = Newton::LocalGlobal { iterations: 10 };
        let stepper =
            |name| Ok::<_, PaperError>(find(name)?.stepper(&Parameters::default(), newton)?);
        Ok(Printed {
            midpoint: stepper("implicit-midpoint")?,
            backward: stepper("backward-euler")?,
            forward: stepper("forward-euler")?,
            tolerance,
            target: None,
            alpha: 0.0,
        })
    }
}

fn energy(sys: &mut dyn System, s: &State) -> f64 {
    let State { t, u, v } = s;
    sys.energy_at(At { t: *t, u, v }).total()
}

/// (1 − α) x + α y.
fn mix(x: &State, y: &State, alpha: f64) -> State {
    let mix = |x: &[f64], y: &[f64]| {
        let pairs = x.iter().zip(y);
        pairs.map(|(x, y)| (1.0 - alpha) * x + alpha * y).collect()
    };
    State {
        t: x.t,
        u: mix(&x.u, &y.u),
        v: mix(&x.v, &y.v),
    }
}

impl Stepper for Printed {
    fn step(
        &mut self,
        sys: &mut dyn System,
        solver: &mut StageSolver,
        s: &mut State,
        h: f64,
    ) -> Result<(), StepError> {
        let before = energy(sys, s);
        let target = *self.target.get_or_insert(before);
        let mut end = s.clone();
        self.midpoint.step(sys, solver, &mut end, h)?;
        let e = energy(sys, &end) - target;
        let mut pole = s.clone();
        let pole_stepper = if e > 0.0 {
            &mut self.backward
        } else {
            &mut self.forward
        };
        pole_stepper.step(sys, solver, &mut pole, h)?;
        // From the method's step, share 0, to the pole, share 1, the error changes its sign; where it does not, the
        // search ends at the pole.
        let (mut low, mut high) = (0.0, 1.0);
        let mut share = 0.5;
        for _ in 0..LOOKS {
            let found = energy(sys, &mix(&end, &pole, share)) - target;
            if found.abs() < self.tolerance * before.abs() {
                break;
            }
            if found * e > 0.0 {
                low = share
            } else {
                high = share
            }
            share = 0.5 * (low + high);
        }
        *s = mix(&end, &pole, share);
        self.alpha = share * e.signum();
        Ok(())
    }

    fn save(&self, out: &mut Vec<f64>) {
        out.push(self.target.unwrap_or(f64::NAN));
    }

    fn load(&mut self, memory: &[f64]) -> bool {
        self.target = memory.first().copied().filter(|x| !x.is_nan());
        memory.len() == 1
    }

    /// Nothing works on the systems this is for.
    fn samples(&mut self, _now: &State, _visit: &mut dyn FnMut(Sample)) {}

    fn restart(&mut self) {
        self.target = None;
    }

    fn blend(&self) -> f64 {
        self.alpha
    }
}
