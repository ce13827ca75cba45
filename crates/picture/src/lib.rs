//! Shaded pictures of triangle meshes, balls and rods, without GPU or screen.
//!
//! [`render`] draws a [`Shot`] through a [`Camera`]: a z-buffer of sixteen samples a pixel, smooth normals with creases,
//! daylight with real occlusion, a key light with soft shadow, a ground, colour by field with a [`Bar`]. [`Picture`]
//! writes PNG, [`Animation`] writes GIF, [`grid`] puts pictures side by side. Lengths are in metres, y is up.
//! The same input gives the same bytes for any number of threads.
//!
//! ```
//! use picture::{Camera, Paint, Shot, Style, Surface, render};
//!
//! let positions = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.5, 0.0]];
//! let shot = Shot {
//!     surfaces: vec![Surface::new(&positions, &[[0, 1, 2]], Paint::Plain([0.8, 0.1, 0.1]))],
//!     ..Shot::default()
//! };
//! let camera = Camera { eye: [0.0, 1.0, 5.0], target: [0.0, 0.7, 0.0], up: [0.0, 1.0, 0.0], angle_deg: 35.0 };
//! let picture = render(&shot, &camera, &Style::paper(160, 120))?;
//! let [red, green, _] = picture.at(80, 60);
//! assert!(red > 2 * green); // the triangle is in the middle
//! # Ok::<(), picture::PictureError>(())
//! ```

mod animation;
mod bar;
mod camera;
mod colour;
mod cover;
mod fault;
mod font;
mod lamp;
mod picture;
mod render;
mod round;
mod shade;
mod shot;
mod space;
mod stage;
mod text;

pub use animation::{Animation, write_gif};
pub use bar::{place as bar_place, room as bar_room};
pub use camera::Camera;
pub use colour::{ColourMap, Rgb, body_colour};
pub use fault::PictureError;
pub use picture::{LONGEST, Picture, grid};
pub use render::{Style, render};
pub use shot::{Ball, Bar, Paint, Rod, Scale, Shot, Surface, Wire};
