//! Step doubling: error estimate from one step of length h and two of length h/2.
//!
//! [McKeeman 1962] compares a whole interval with its two halves; Richardson extrapolation turns the difference into an
//! error estimate. For a method of order p the local error of the two halves is ‖u_halves − u_whole‖∞/(2^p − 1) +
//! O(h^(p+2)) [Hairer, Nørsett & Wanner 1993, eq. II.4.4]. The two halves are the result of the step, without
//! extrapolation: the extrapolated result would have another stability function.
//!
//! Internal variables of the system change when the whole step is committed, not between its halves.

use crate::ledger::PowerSample;
use crate::vector::max_abs_difference;
use crate::{ForceEstimate, MethodMemory, State, StepContext, StepError, StepReport, Stepper};

/// Stepper that takes two half steps of a method and compares them with a whole step.
pub struct StepDoubling {
    /// Method that takes the whole step, then the first half.
    first: Box<dyn Stepper>,
    /// Method that takes the second half.
    second: Box<dyn Stepper>,
    /// 2^p − 1.
    extrapolation: f64,
    /// History of the method before the step, and between its halves.
    start: MethodMemory,
    middle: MethodMemory,
    /// Whether `first` holds the history of the middle, left by a rejected attempt.
    advanced: bool,
    whole: State,
    half: State,
}

impl StepDoubling {
    /// Creates a step-doubling stepper for a method of this order, given as two new steppers.
    pub fn new(first: Box<dyn Stepper>, second: Box<dyn Stepper>, order: u32) -> StepDoubling {
        StepDoubling {
            first,
            second,
            extrapolation: f64::from(order).exp2() - 1.0,
            start: MethodMemory::None,
            middle: MethodMemory::None,
            advanced: false,
            whole: State::default(),
            half: State::default(),
        }
    }

    /// Restores the history before the step in the first stepper.
    fn rewind(&mut self) {
        if std::mem::take(&mut self.advanced) {
            self.first.restore(&self.start);
        } else {
            self.first.save_into(&mut self.start);
        }
    }
}

impl Stepper for StepDoubling {
    fn attempt(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<StepReport, StepError> {
        self.rewind();
        // The linearised forces of the whole step are not those of the result.
        let force = cx.estimates.force;
        cx.solver.watch_force_error(ForceEstimate::None);
        let whole = self.first.attempt(cx, from, h, &mut self.whole);
        cx.solver.watch_force_error(force);
        whole?;
        let report = self.first.attempt(cx, from, 0.5 * h, &mut self.half)?;
        self.first.commit();
        self.advanced = true;
        self.first.save_into(&mut self.middle);
        self.second.restore(&self.middle);
        let last = self.second.attempt(cx, &self.half, 0.5 * h, to)?;
        let mut contact = report.contact;
        contact.add(&last.contact);
        let difference = max_abs_difference(&to.u, &self.whole.u);
        Ok(StepReport {
            doubling: Some(difference / self.extrapolation),
            error: None,
            blend: match last.blend {
                0.0 => report.blend,
                blend => blend,
            },
            tolerance_missed: report.tolerance_missed || last.tolerance_missed,
            closed: report.closed || last.closed,
            contact,
            ..StepReport::default()
        })
    }

    fn commit(&mut self) {
        self.second.commit();
        self.second.save_into(&mut self.start);
        self.first.restore(&self.start);
        self.advanced = false;
    }

    fn samples(&mut self, from: &State, to: &State, visit: &mut dyn FnMut(PowerSample)) {
        self.first.samples(from, &self.half, visit);
        self.second.samples(&self.half, to, visit);
    }

    fn save_into(&self, memory: &mut MethodMemory) {
        match self.advanced {
            true => memory.clone_from(&self.start),
            false => self.first.save_into(memory),
        }
    }

    fn restore(&mut self, memory: &MethodMemory) -> bool {
        self.advanced = false;
        self.first.restore(memory)
    }

    fn restart(&mut self) {
        self.rewind();
        self.first.restart();
    }

    fn restart_motion(&mut self) {
        self.rewind();
        self.first.restart_motion();
    }
}
