//! Runs of every method, without and with rejections.

use march::methods::MethodChoice;
use march::{Counts, Newton, Options, StageSolver, State, Stepper, System, TimeLoop, Veto};

use super::{Random, Record, RejectedTrials, WRAPPERS, Wrapper, choices, take_steps};

/// Run of a method, to be repeated with rejections.
#[derive(Clone, Copy)]
pub struct Case {
    pub choice: MethodChoice,
    pub wrapper: Wrapper,
    pub newton: Newton,
    pub options: Options,
    /// Length of the steps, s.
    pub h: f64,
    pub steps: u32,
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{} {:?}", self.choice.name(), self.wrapper)
    }
}

/// Returns every method in every wrapper, with steps of this length.
pub fn cases(newton: Newton, options: Options, h: f64, steps: u32) -> impl Iterator<Item = Case> {
    let case = move |choice, wrapper| Case {
        choice,
        wrapper,
        newton,
        options,
        h,
        steps,
    };
    choices()
        .into_iter()
        .flat_map(move |choice| WRAPPERS.map(|wrapper| case(choice, wrapper)))
}

impl Case {
    /// Creates the stepper.
    pub fn stepper(&self) -> Box<dyn Stepper> {
        self.wrapper.stepper(&self.choice, self.newton)
    }

    /// Creates a time loop with a ledger for this case.
    pub fn time(&self, system: &mut dyn System, start: &State) -> TimeLoop<'static> {
        self.time_of(self.stepper(), system, start)
    }

    /// Creates a time loop with another stepper.
    pub fn time_of(
        &self,
        stepper: Box<dyn Stepper>,
        system: &mut dyn System,
        start: &State,
    ) -> TimeLoop<'static> {
        let mut time = TimeLoop::fixed(stepper, self.options, start.clone(), self.h);
        time.keep_ledger(system);
        time
    }

    /// Returns the end time of the run, s.
    pub fn end(&self) -> f64 {
        f64::from(self.steps) * self.h
    }

    /// Runs without rejections.
    pub fn plain<S: System + Clone>(&self, system: &S, start: &State) -> Vec<Record> {
        let mut system = system.clone();
        let mut time = self.time(&mut system, start);
        let records = take_steps(&mut time, &mut system, self.end());
        assert_eq!(records.len(), self.steps as usize, "{self}");
        for Record { step, .. } in &records {
            assert_eq!((step.rejected, step.rejected_work), (0, Counts::default()));
        }
        records
    }

    /// Runs and rejects every successful attempt with probability ½.
    pub fn vetoed<S: System + Clone>(&self, system: &S, start: &State) -> Vec<Record> {
        let mut system = system.clone();
        let mut time = self.time(&mut system, start);
        time.set_veto(Some(coin_veto()));
        take_steps(&mut time, &mut system, self.end())
    }

    /// Runs and rejects attempts of other lengths before some steps.
    pub fn after_trials<S: System + Clone>(&self, system: &S, start: &State) -> Vec<Record> {
        let mut system = system.clone();
        let mut time = TimeLoop::new(
            self.stepper(),
            StageSolver::new(self.options),
            Box::new(RejectedTrials::new(start.t, self.h)),
            start.clone(),
        );
        time.keep_ledger(&mut system);
        take_steps(&mut time, &mut system, self.end())
    }
}

/// Returns a veto that rejects with probability ½.
pub fn coin_veto() -> Box<Veto> {
    let mut random = Random::new(2024);
    Box::new(move |_| random.coin())
}
