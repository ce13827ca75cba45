//! Why a shape cannot be made.

use thiserror::Error;

/// Most cells a shape may have.
pub const MAX_CELLS: f64 = 5e7;

/// Why a shape cannot be made.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ShapeError {
    /// A count of cells is zero.
    #[error("{shape}: {key} is 0; a shape wants at least one cell along every direction")]
    ZeroCells {
        /// The shape.
        shape: &'static str,
        /// The count.
        key: &'static str,
    },
    /// A length is zero, negative, infinite or not a number.
    #[error("{shape}: {key} is {value} m; lengths must be positive and finite")]
    BadLength {
        /// The shape.
        shape: &'static str,
        /// The length.
        key: &'static str,
        /// What it was.
        value: f64,
    },
    /// A number is outside its range.
    #[error("{shape}: {key} is {value}; it must lie from {low} to {high}")]
    OutOfRange {
        /// The shape.
        shape: &'static str,
        /// The key.
        key: &'static str,
        /// What it was.
        value: f64,
        /// Least value.
        low: f64,
        /// Greatest value.
        high: f64,
    },
    /// A torus without a hole.
    #[error(
        "torus: tube is {tube} m and radius {radius} m; the tube must be thinner than the ring is wide, so take tube < radius"
    )]
    NoHole {
        /// Radius of the tube, m.
        tube: f64,
        /// Radius of the ring, m.
        radius: f64,
    },
    /// Tetrahedra do not match around an odd ring.
    #[error("torus: around is {around}; tetrahedra meet face to face around an even number only, try {}", around + 1)]
    OddRing {
        /// Cells around the ring.
        around: usize,
    },
    /// A ring of one or two cells folds onto itself.
    #[error(
        "torus: around is {around}; a ring wants at least {least} cells here, or they fold over"
    )]
    ShortRing {
        /// Cells around the ring.
        around: usize,
        /// Fewest that work.
        least: usize,
    },
    /// More cells than memory is likely to hold.
    #[error(
        "{shape}: these counts make {cells:.3e} cells, more than the {MAX_CELLS:.0e} allowed; take fewer"
    )]
    TooManyCells {
        /// The shape.
        shape: &'static str,
        /// How many there would be.
        cells: f64,
    },
    /// Hexahedra cannot fill this shape.
    #[error("{shape}: element is {element}; this shape is made of tetrahedra, take tet4 or tet10")]
    OnlyTets {
        /// The shape.
        shape: &'static str,
        /// What was asked for.
        element: &'static str,
    },
}

/// Lengths are positive and finite.
pub(super) fn check_lengths(
    shape: &'static str,
    lengths: &[(&'static str, f64)],
) -> Result<(), ShapeError> {
    for &(key, value) in lengths {
        if !(value.is_finite() && value > 0.0) {
            return Err(ShapeError::BadLength { shape, key, value });
        }
    }
    Ok(())
}

/// Counts are at least one.
pub(super) fn check_counts(
    shape: &'static str,
    counts: &[(&'static str, usize)],
) -> Result<(), ShapeError> {
    match counts.iter().find(|c| c.1 == 0) {
        Some(&(key, _)) => Err(ShapeError::ZeroCells { shape, key }),
        None => Ok(()),
    }
}

/// A number lies in a closed range.
pub(super) fn check_range(
    shape: &'static str,
    key: &'static str,
    value: f64,
    [low, high]: [f64; 2],
) -> Result<(), ShapeError> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(ShapeError::OutOfRange {
            shape,
            key,
            value,
            low,
            high,
        })
    }
}

/// The number of cells, in floating point so that it cannot overflow, is bearable.
pub(super) fn check_total(shape: &'static str, cells: f64) -> Result<(), ShapeError> {
    if cells <= MAX_CELLS {
        Ok(())
    } else {
        Err(ShapeError::TooManyCells { shape, cells })
    }
}
