//! The settings of a computation: quick or full size, and where its progress is reported.

/// The size of a computation: quick or full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Coarse meshes and short runs: seconds.
    Quick,
    /// The sizes of the paper, or near them as each result states: minutes to hours.
    Full,
}

impl Size {
    /// Returns the first value for quick and the second for full size.
    pub fn pick<T>(self, quick: T, full: T) -> T {
        match self {
            Size::Quick => quick,
            Size::Full => full,
        }
    }

    /// Returns the word for the problem size in output: "quick" or "full".
    pub const fn name(self) -> &'static str {
        match self {
            Size::Quick => "quick",
            Size::Full => "full",
        }
    }
}

/// The settings of a computation: its size and a callback for progress messages.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The size of the computation.
    pub size: Size,
    /// The callback that receives progress messages.
    pub progress: &'a (dyn Fn(&str) + Sync),
}
