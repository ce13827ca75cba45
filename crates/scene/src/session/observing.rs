//! Observers of a session: tables, frames and checkpoints are written by them.

use std::any::Any;
use std::io;

use super::Session;
use crate::observe::{FilePositions, Observer};

impl Session {
    /// Adds an observer, which is called now and after every later step.
    pub fn observe(&mut self, mut observer: Box<dyn Observer>) -> io::Result<()> {
        observer.begin(self)?;
        self.observers.push(Some(observer));
        Ok(())
    }

    /// Removes and returns the first observer of a type. Returns `None` if there is none.
    pub fn take_observer<O: Observer>(&mut self) -> Option<O> {
        let is = |o: &Option<Box<dyn Observer>>| {
            let observer = o.as_ref().map(|o| &**o as &dyn Any);
            observer.is_some_and(|o| o.is::<O>())
        };
        let at = self.observers.iter().position(is)?;
        let observer: Box<dyn Any> = self.observers.remove(at)?;
        observer.downcast().ok().map(|o| *o)
    }

    /// Flushes the files of all observers, except one that is being called.
    pub(crate) fn flush_observers(&mut self, positions: &mut FilePositions) -> io::Result<()> {
        let observers = self.observers.iter_mut().flatten();
        observers.into_iter().try_for_each(|o| o.flush(positions))
    }

    /// Completes the files of all observers.
    pub fn finish_observers(&mut self) -> io::Result<()> {
        self.each_observer(|observer, session| observer.finish(session))
    }

    pub(super) fn each_observer(
        &mut self,
        mut job: impl FnMut(&mut dyn Observer, &mut Session) -> io::Result<()>,
    ) -> io::Result<()> {
        for k in 0..self.observers.len() {
            let Some(mut observer) = self.observers[k].take() else {
                continue;
            };
            let done = job(observer.as_mut(), self);
            if let Some(place) = self.observers.get_mut(k) {
                *place = Some(observer);
            }
            done?;
        }
        Ok(())
    }
}
