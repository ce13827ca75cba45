//! Shaded pictures of triangle meshes, balls and rods, without GPU or screen.
//!
//! [`render`] draws a [`Shot`] through a [`Camera`]: a z-buffer of sixteen samples a pixel, smooth normals with creases,
//! daylight with real occlusion, a key light with soft shadow, a ground, colour by field with a [`Bar`]. [`Picture`]
//! writes PNG, [`Animation`] writes GIF, [`grid`] puts pictures side by side. Lengths are in metres, y is up.
//! The same input gives the same bytes for any number of threads.

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
