//! Errors of generating a shape, and checks of its parameters.

use thiserror::Error;

/// Most cells of a generated shape.
pub const MAX_CELLS: f64 = 5e7;

/// Reason why a shape cannot be generated.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ShapeError {
    /// A number of cells is zero.
    #[error("{shape}: {key} is 0; a shape needs at least one cell along every direction")]
    ZeroCells {
        /// Name of the shape.
        shape: &'static str,
        /// Key of the number of cells.
        key: &'static str,
    },
    /// A length is zero, negative, infinite or not a number.
    #[error("{shape}: {key} is {value} m; lengths must be positive and finite")]
    BadLength {
        /// Name of the shape.
        shape: &'static str,
        /// Key of the length.
        key: &'static str,
        /// The given value, m.
        value: f64,
    },
    /// A number is outside its range.
    #[error("{shape}: {key} is {value}; it must be between {low} and {high}")]
    OutOfRange {
        /// Name of the shape.
        shape: &'static str,
        /// Key of the number.
        key: &'static str,
        /// The given value.
        value: f64,
        /// Least value.
        low: f64,
        /// Greatest value.
        high: f64,
    },
    /// The tube of a torus is as thick as its ring, which leaves no hole.
    #[error(
        "torus: tube is {tube} m and radius {radius} m, which leaves no hole; choose tube < radius"
    )]
    NoHole {
        /// Radius of the tube, m.
        tube: f64,
        /// Radius of the ring, m.
        radius: f64,
    },
    /// A torus of tetrahedra has an odd number of cells around.
    #[error("torus: around is {around}; the faces of tetrahedra match only for an even number of cells around, try {}", around + 1)]
    OddRing {
        /// Number of cells around the ring.
        around: usize,
    },
    /// A torus has too few cells around.
    #[error(
        "torus: around is {around}; a torus needs at least {least} cells around, fewer would be inverted"
    )]
    TooFewAround {
        /// Number of cells around the ring.
        around: usize,
        /// Least allowed number.
        least: usize,
    },
    /// The shape would have more cells than memory is likely to hold.
    #[error(
        "{shape}: these counts give {cells:.3e} cells, more than the {MAX_CELLS:.0e} allowed; choose fewer"
    )]
    TooManyCells {
        /// Name of the shape.
        shape: &'static str,
        /// Number of cells it would have.
        cells: f64,
    },
    /// The shape can be meshed with tetrahedra only.
    #[error("{shape}: element is {element}; this shape has tetrahedra only, choose tet4 or tet10")]
    TetrahedraOnly {
        /// Name of the shape.
        shape: &'static str,
        /// The given element.
        element: &'static str,
    },
}

/// Checks that lengths are positive and finite.
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

/// Checks that numbers of cells are at least one.
pub(super) fn check_counts(
    shape: &'static str,
    counts: &[(&'static str, usize)],
) -> Result<(), ShapeError> {
    match counts.iter().find(|c| c.1 == 0) {
        Some(&(key, _)) => Err(ShapeError::ZeroCells { shape, key }),
        None => Ok(()),
    }
}

/// Checks that a number lies in a closed range.
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

/// Checks that a number of cells is at most [`MAX_CELLS`]; it is a float because an integer might overflow.
pub(super) fn check_total(shape: &'static str, cells: f64) -> Result<(), ShapeError> {
    if cells <= MAX_CELLS {
        Ok(())
    } else {
        Err(ShapeError::TooManyCells { shape, cells })
    }
}
