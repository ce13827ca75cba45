//! The renderer: visibility per sample, shading per triangle and pixel, tone mapping.

use rayon::prelude::*;

use crate::camera::Camera;
use crate::colour::{Rgb, bytes};
use crate::colour_bar;
use crate::error::PictureError;
use crate::geometry::Geometry;
use crate::lighting::Lighting;
use crate::picture::Picture;
use crate::rasterize::{NO_TRIANGLE, SAMPLES, TILE, TileBins, sample_position};
use crate::spheres::TessellatedSpheres;
use crate::text::{Pen, Text};
use crate::view::View;

/// The size, background, text colour and vignette of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// The width in pixels.
    pub width: usize,
    /// The height in pixels.
    pub height: usize,
    /// The background colour at the upper edge.
    pub background_top: Rgb,
    /// The background colour at the lower edge.
    pub background_bottom: Rgb,
    /// The colour of the lit ground near the subject.
    pub ground: Rgb,
    /// The colour of text and ticks.
    pub text_colour: Rgb,
    /// The darkening of the corners, 0 … 1.
    pub vignette: f64,
}

impl Style {
    /// Creates a style with a light background, for documents.
    pub fn light(width: usize, height: usize) -> Style {
        Style {
            width,
            height,
            background_top: [0.875, 0.900, 0.925],
            background_bottom: [0.955, 0.958, 0.960],
            ground: [0.965, 0.962, 0.955],
            text_colour: [0.13, 0.14, 0.16],
            vignette: 0.10,
        }
    }

    /// Creates a style with a dark background, for screens.
    pub fn dark(width: usize, height: usize) -> Style {
        Style {
            width,
            height,
            background_top: [0.105, 0.120, 0.150],
            background_bottom: [0.200, 0.215, 0.245],
            ground: [0.290, 0.300, 0.325],
            text_colour: [0.90, 0.91, 0.93],
            vignette: 0.25,
        }
    }
}

/// Renders a view through a camera. The bytes are the same for any number of threads.
pub fn render(view: &View, camera: &Camera, style: &Style) -> Result<Picture, PictureError> {
    let mut picture = Picture::filled(style.width, style.height, [0; 3])?;
    for surface in &view.surfaces {
        surface.validate()?;
    }
    let mut transform = camera.view_transform(style.width, style.height);
    if view.colour_bar.is_some() {
        transform.centre[0] -= colour_bar::horizontal_shift(style.width, style.height);
    }
    let spheres = TessellatedSpheres::new(&view.spheres, &view.capsules, &transform);
    let geometry = Geometry::new(view.surfaces.iter().copied().chain([spheres.surface()]));
    let lighting = Lighting::new(&geometry, transform, style, view.ground);
    let bins = TileBins::new(&geometry, &transform, style.width, style.height);
    picture
        .rgb
        .par_chunks_mut(3 * style.width * TILE)
        .enumerate()
        .for_each(|(row, band)| {
            (0..bins.columns)
                .into_par_iter()
                .map(|column| tile(&bins, &lighting, style, row, column))
                .collect::<Vec<_>>()
                .into_iter()
                .enumerate()
                .for_each(|(column, pixels)| paste(band, &pixels, column, style.width));
        });
    if let Some(bar) = &view.colour_bar {
        colour_bar::draw(&mut picture, bar, style);
    }
    if !view.title.is_empty() {
        let size = style.height as f64 / 30.0;
        let text = Text::fitted(&view.title, size.max(7.0), 0.9 * style.width as f64);
        text.draw(
            &mut picture,
            [1.3 * size, 2.3 * size],
            Pen::ink(style.text_colour),
        );
    }
    Ok(picture)
}

/// Returns the `TILE`² colours of one tile; pixels outside the picture are black.
fn tile(
    bins: &TileBins,
    lighting: &Lighting,
    style: &Style,
    row: usize,
    column: usize,
) -> Vec<[u8; 3]> {
    let triangle_ids = bins.visible_triangles(row * bins.columns + column);
    let mut pixels = vec![[0; 3]; TILE * TILE];
    for y in 0..TILE.min(style.height - row * TILE) {
        for x in 0..TILE.min(style.width - column * TILE) {
            let ids = &triangle_ids[(y * TILE + x) * SAMPLES..][..SAMPLES];
            let at = [(column * TILE + x) as f64, (row * TILE + y) as f64];
            let light = pixel(ids, at, lighting);
            let from_centre = [
                (at[0] + 0.5) / style.width as f64 - 0.5,
                (at[1] + 0.5) / style.height as f64 - 0.5,
            ];
            let square = from_centre[0] * from_centre[0] + from_centre[1] * from_centre[1];
            let dim = 1.0 - style.vignette * 2.0 * square;
            pixels[y * TILE + x] = bytes(light.map(|c| dim * c));
        }
    }
    pixels
}

/// Returns the linear colour of a pixel. Each triangle in it is shaded once, at the mean position of its samples, and
/// weighted by their number.
fn pixel(ids: &[u32], at: [f64; 2], lighting: &Lighting) -> [f64; 3] {
    let mut light = [0.0; 3];
    let mut done = 0u16;
    let mut last = None;
    for s in 0..SAMPLES {
        if done >> s & 1 == 1 {
            continue;
        }
        let mut middle = [0.0; 2];
        let mut count = 0.0;
        for k in s..SAMPLES {
            if ids[k] == ids[s] {
                done |= 1 << k;
                count += 1.0;
                middle = [
                    middle[0] + sample_position(k)[0],
                    middle[1] + sample_position(k)[1],
                ];
            }
        }
        let (x, y) = (at[0] + middle[0] / count, at[1] + middle[1] / count);
        let one = if ids[s] == NO_TRIANGLE {
            lighting.background(x, y)
        } else {
            lighting.surface(ids[s], x, y, &mut last)
        };
        // Clamp highlights, so that they do not dominate the pixels at an edge.
        light = std::array::from_fn(|c| light[c] + count / SAMPLES as f64 * one[c].min(1.2));
    }
    light
}

/// Copies a tile into its band of the picture.
fn paste(band: &mut [u8], pixels: &[[u8; 3]], column: usize, width: usize) {
    let left = column * TILE;
    let columns = TILE.min(width - left);
    for (row, line) in band.chunks_mut(3 * width).enumerate() {
        let from = &pixels[row * TILE..row * TILE + columns];
        line[3 * left..3 * (left + columns)].copy_from_slice(from.as_flattened());
    }
}
