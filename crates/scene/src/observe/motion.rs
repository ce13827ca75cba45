//! Observer that keeps the positions of all nodes in every frame in memory, for comparisons.

use std::io;

use march::State;

use super::{FrameClock, Observer};
use crate::distance::Motion;
use crate::session::{Session, node_positions};

/// Observer that records the positions of all nodes in every frame and at the end.
#[derive(Default)]
pub struct MotionRecorder {
    clock: Option<FrameClock>,
    state: State,
    motion: Motion,
}

impl MotionRecorder {
    /// Returns the recorded motion.
    pub fn into_motion(self) -> Motion {
        self.motion
    }

    fn frame(&mut self, session: &mut Session) {
        let mut positions = Vec::new();
        node_positions(&mut session.model, &self.state, &mut positions);
        session.model.hide_waiting(self.state.t, &mut positions);
        self.motion.push(self.state.t, positions);
    }

    fn end(&mut self, session: &mut Session) {
        let (model, state) = session.model_and_state();
        let end = self.motion.end_mut();
        end.0 = state.t;
        node_positions(model, state, &mut end.1);
    }
}

impl Observer for MotionRecorder {
    fn begin(&mut self, session: &mut Session) -> io::Result<()> {
        let mut clock = FrameClock::new(session, 0);
        clock.advance();
        self.clock = Some(clock);
        self.state.copy_from(session.state());
        self.frame(session);
        self.end(session);
        Ok(())
    }

    fn step(&mut self, session: &mut Session) -> io::Result<()> {
        while let Some(clock) = self.clock.as_mut() {
            if !clock.next(session, &mut self.state) {
                break;
            }
            clock.advance();
            self.frame(session);
        }
        self.end(session);
        Ok(())
    }
}
