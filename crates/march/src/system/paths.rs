//! Paths between states where some states are forbidden.

/// Where a system is at a time: one end of a path.
#[derive(Clone, Copy, Debug)]
pub struct Positions<'a> {
    /// Time, s.
    pub t: f64,
    /// Displacements of the unknowns, m.
    pub u: &'a [f64],
}

impl<'a> Positions<'a> {
    /// These displacements at this time.
    pub fn new(t: f64, u: &'a [f64]) -> Positions<'a> {
        Positions { t, u }
    }
}

/// A system that forbids some states: its potential is +∞ there.
pub trait AdmissiblePaths {
    /// Largest fraction, at most 1, of the straight path from one place to another on which no state is forbidden, its
    /// end included: exactly 1 if all of it is free, 0 if it starts at a forbidden state. What moves with time by
    /// prescription goes from where it is at the one time to where it is at the other on a straight line, too.
    fn max_step(&mut self, from: Positions, to: Positions) -> f64;

    /// The element that is the first to reach a forbidden state on this path, for messages; `None` if the path is free or
    /// the system has no elements.
    fn blocking_element(&mut self, _from: Positions, _to: Positions) -> Option<usize> {
        None
    }
}
