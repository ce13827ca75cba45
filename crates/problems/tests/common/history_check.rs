//! Stepper that checks the internal variables of the system.

use march::ledger::PowerSample;
use march::{MethodMemory, State, StepContext, StepError, StepReport, Stepper, System};

/// Asserts that neither attempts nor rejections change the internal variables of the system.
pub struct HistoryCheck {
    base: Box<dyn Stepper>,
    /// Internal variables after the last attempt, unless it was committed.
    after_attempt: Option<Vec<u8>>,
}

impl HistoryCheck {
    /// Wraps a stepper.
    pub fn new(base: Box<dyn Stepper>) -> HistoryCheck {
        HistoryCheck {
            base,
            after_attempt: None,
        }
    }
}

fn internal_variables(system: &dyn System) -> Vec<u8> {
    let mut out = Vec::new();
    system.save(&mut out);
    out
}

impl Stepper for HistoryCheck {
    fn attempt(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<StepReport, StepError> {
        let before = internal_variables(cx.system);
        if let Some(rejected) = &self.after_attempt {
            assert_eq!(before, *rejected, "a rejection changes internal variables");
        }
        let report = self.base.attempt(cx, from, h, to);
        let after = internal_variables(cx.system);
        assert_eq!(after, before, "an attempt changes internal variables");
        self.after_attempt = Some(after);
        report
    }

    fn commit(&mut self) {
        self.after_attempt = None;
        self.base.commit();
    }

    fn samples(&mut self, from: &State, to: &State, visit: &mut dyn FnMut(PowerSample)) {
        self.base.samples(from, to, visit);
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
}
