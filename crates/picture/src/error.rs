//! Errors of rendering and of image files.

use std::path::PathBuf;

use crate::picture::MAX_SIDE;

/// The reason why a picture could not be rendered or written.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The width or height is zero or too large.
    #[error(
        "a picture of {width} × {height} pixels is not possible; choose sides from 1 to {MAX_SIDE} pixels"
    )]
    Size {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// A surface has the wrong number of colours or field values.
    #[error("a surface has {wanted} {of} but {found} {what}; give one for each")]
    ColourCount {
        /// The kind of data, "colours" or "values".
        what: &'static str,
        /// The kind of entity each belongs to, "vertices" or "triangles".
        of: &'static str,
        /// The number required.
        wanted: usize,
        /// The number given.
        found: usize,
    },
    /// A triangle refers to a vertex that does not exist.
    #[error(
        "triangle {triangle} refers to vertex {vertex}, but the surface has {vertices} vertices (counted from 0)"
    )]
    Triangle {
        /// The index of the triangle.
        triangle: usize,
        /// The vertex it refers to.
        vertex: u32,
        /// The number of vertices.
        vertices: usize,
    },
    /// A frame has another size than the animation.
    #[error(
        "a frame has {width} × {height} pixels, but the animation has {wanted_width} × {wanted_height}"
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
    /// A PNG file could not be format_tick.
    #[error("could not write {}: {source}", path.display())]
    Png {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: png::EncodingError,
    },
    /// A GIF file could not be format_tick.
    #[error("could not write {}: {source}", path.display())]
    Gif {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: gif::EncodingError,
    },
}
