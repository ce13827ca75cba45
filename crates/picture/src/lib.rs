//! A software renderer for triangle meshes, spheres and capsules; it needs neither GPU nor screen.
//!
//! [`render`] draws a [`View`] through a [`Camera`]: a z-buffer with sixteen samples per pixel, smooth normals with
//! creases, sky light with ambient occlusion, a key light with soft shadows, a ground plane, and colours from a field
//! with a [`ColourBar`]. [`Picture`] writes PNG, [`GifWriter`] writes animated GIF, [`picture_grid`] places pictures
//! side by side. Lengths are in metres, y is up. The same input gives the same bytes for any number of threads.
//!
//! ```
//! use picture::{Camera, Colouring, View, Style, Surface, render};
//!
//! let positions = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.5, 0.0]];
//! let view = View {
//!     surfaces: vec![Surface::new(&positions, &[[0, 1, 2]], Colouring::Uniform([0.8, 0.1, 0.1]))],
//!     ..View::default()
//! };
//! let camera = Camera { eye: [0.0, 1.0, 5.0], target: [0.0, 0.7, 0.0], up: [0.0, 1.0, 0.0], angle_deg: 35.0 };
//! let picture = render(&view, &camera, &Style::light(160, 120))?;
//! let [red, green, _] = picture.pixel(80, 60);
//! assert!(red > 2 * green); // the triangle is in the middle
//! # Ok::<(), picture::PictureError>(())
//! ```

mod camera;
mod colour;
mod colour_bar;
mod error;
mod font;
mod geometry;
mod gif_writer;
mod lighting;
mod picture;
mod rasterize;
mod render;
mod shadow;
mod spheres;
mod text;
mod vec3;
mod view;

pub use camera::Camera;
pub use colour::{ColourMap, Rgb, body_colour};
pub use colour_bar::{horizontal_shift as colour_bar_shift, rectangle as colour_bar_rectangle};
pub use error::PictureError;
pub use gif_writer::{GifWriter, write_gif};
pub use picture::{MAX_SIDE, Picture, picture_grid};
pub use render::{Style, render};
pub use view::{Capsule, ColourBar, ColourScale, Colouring, Sphere, Surface, View, Wireframe};
