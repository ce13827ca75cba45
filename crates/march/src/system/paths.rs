//! Paths between states of systems with forbidden states.

/// Displacements at a time: one end of a path.
#[derive(Clone, Copy, Debug)]
pub struct Positions<'a> {
    /// Time, s.
    pub t: f64,
    /// Displacements of the unknowns, m.
    pub u: &'a [f64],
}

impl<'a> Positions<'a> {
    /// Creates the end of a path.
    pub fn new(t: f64, u: &'a [f64]) -> Positions<'a> {
        Positions { t, u }
    }
}

/// What blocks a path between two positions.
#[derive(Clone, Debug, PartialEq)]
pub enum Blocker {
    /// An element that would be inverted, by number.
    Element(usize),
    /// A part of the system, described in words.
    Named(Box<str>),
}

impl std::fmt::Display for Blocker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Blocker::Element(i) => write!(f, "element {i} would be inverted"),
            Blocker::Named(what) => f.write_str(what),
        }
    }
}

/// Forces that a system evaluates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forces {
    /// All forces.
    All,
    /// The forces of barriers only, without damping.
    Barriers,
}

/// System that forbids some states: its potential is +∞ there.
pub trait AdmissiblePaths {
    /// Returns the largest fraction, at most 1, of the straight path between two positions on which no state is
    /// forbidden, its end included: exactly 1 if all of it is free, 0 if it starts at a forbidden state. Prescribed
    /// nodes move on straight lines between their positions at the two times, too.
    fn max_step(&mut self, from: Positions, to: Positions) -> f64;

    /// Returns what reaches a forbidden state first on this path, for messages; `None` if the path is free or the system
    /// does not know.
    fn blocker(&mut self, _from: Positions, _to: Positions) -> Option<Blocker> {
        None
    }

    /// Shortens the paths of those parts of a system that block a path between two positions of one time, to which `end` is
    /// the end. Whether the result is free remains to be checked. Returns `false` if the system cannot tell parts apart;
    /// `end` is then of no use.
    fn shorten_parts(&mut self, _from: Positions, _end: &mut [f64]) -> bool {
        false
    }

    /// Moves the end of a path between two positions of one time, which was computed with the linearised forces of barriers at its
    /// start, to where their nonlinear forces balance what the linear ones would carry at the end of the path, and the
    /// resistance (N/m) of the unknowns against that displacement. Whether the result is free remains to be checked. Returns
    /// `false` if nothing was moved.
    fn settle_at_barriers(
        &mut self,
        _from: Positions,
        _end: &mut [f64],
        _resistance: &[f64],
    ) -> bool {
        false
    }

    /// Returns `true` if barriers act, without friction, at the positions that were evaluated last.
    fn frictionless_barriers_act(&self) -> bool {
        false
    }

    /// Selects the forces that [`crate::System::force`], its tangent and its potential contain from now on. Returns
    /// `false` and changes nothing if the system has no barriers.
    fn select_forces(&mut self, _forces: Forces) -> bool {
        false
    }
}
