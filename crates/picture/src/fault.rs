//! Why there is no picture.

use std::path::PathBuf;

use crate::picture::LONGEST;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// A side of zero or too many pixels.
    #[error("a picture of {width} × {height} pixels cannot be made; sides are 1 to {LONGEST}")]
    Size {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// A surface with too few values.
    #[error("a surface has {wanted} {of} and {found} {what}; there must be one for each")]
    Paint {
        /// What was counted.
        what: &'static str,
        /// Of what there should be one.
        of: &'static str,
        /// How many there should be.
        wanted: usize,
        /// How many there are.
        found: usize,
    },
    /// A triangle names a vertex that is not there.
    #[error(
        "triangle {triangle} names vertex {vertex}, the surface has {vertices} (counted from 0)"
    )]
    Triangle {
        /// Which triangle.
        triangle: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A frame of another size than the animation's.
    #[error(
        "a frame of {width} × {height} pixels does not fit an animation of {wanted_width} × {wanted_height}"
    )]
    FrameSize {
        /// Columns of the frame.
        width: usize,
        /// Rows of the frame.
        height: usize,
        /// Columns of the animation.
        wanted_width: usize,
        /// Rows of the animation.
        wanted_height: usize,
    },
    /// A PNG file could not be written.
    #[error("could not write {}: {source}", path.display())]
    Png {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: png::EncodingError,
    },
    /// A GIF file could not be written.
    #[error("could not write {}: {source}", path.display())]
    Gif {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: gif::EncodingError,
    },
}
