//! Bodies that appear: steps end at their times, their places are checked, and their energy is booked as work.

use march::{Counts, StepError, StepFailure};

use super::{Session, SessionError};

impl Session {
    /// Lets all bodies appear whose time has come; fails if the place of one is occupied.
    pub(super) fn let_bodies_appear(&mut self) -> Result<(), SessionError> {
        while self.model.next_appearance() <= self.t() {
            let number = self.model.appeared();
            self.check_place(number)?;
            self.time.disturb(&mut self.model, |model, state| {
                model.appear(state);
            });
            // Energies of the state are those with the body; the row of the step before stays as it was.
            self.measure_contact();
        }
        Ok(())
    }

    /// Checks that a body that is about to appear overlaps nothing it could touch.
    fn check_place(&mut self, number: usize) -> Result<(), SessionError> {
        let (positions, t) = (self.positions(), self.t());
        let body = &self.model.emitted()[number];
        let Some(setup) = &mut self.contact else {
            return Ok(());
        };
        let group = body.group;
        setup.waiting.retain(|g| *g != group);
        let found = setup.overlaps(&positions, t);
        let other = found.iter().find_map(|o| match o.groups {
            [a, b] if a == group && b != group => Some(b),
            [a, b] if b == group && a != group => Some(a),
            _ => None,
        });
        let Some(other) = other else {
            return Ok(());
        };
        let why = StepError::Occupied {
            t,
            body: body.name.as_str().into(),
            other: setup.name(other).into(),
        };
        setup.waiting.push(group);
        Err(StepFailure {
            why,
            h: 0.0,
            rejected: 0,
            rejected_work: Box::new(Counts::default()),
        }
        .into())
    }
}
