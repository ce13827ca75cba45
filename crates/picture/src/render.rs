//! The picture itself: samples to triangles, triangles to light, light to bytes.

use rayon::prelude::*;

use crate::bar;
use crate::camera::Camera;
use crate::colour::{Rgb, bytes};
use crate::cover::{Bins, NOTHING, SAMPLES, TILE, sample};
use crate::fault::PictureError;
use crate::picture::Picture;
use crate::round::Round;
use crate::shade::Studio;
use crate::shot::Shot;
use crate::stage::Stage;
use crate::text::{Pen, Text};

/// Size and surroundings of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Colour of the backdrop at the upper edge.
    pub above: Rgb,
    /// Colour of the backdrop at the lower edge.
    pub below: Rgb,
    /// Colour of the lit ground near the subject.
    pub ground: Rgb,
    /// Colour of words and ticks.
    pub ink: Rgb,
    /// How much darker the corners are, 0 … 1.
    pub vignette: f64,
}

impl Style {
    /// Light surroundings, for pages.
    pub fn paper(width: usize, height: usize) -> Style {
        Style {
            width,
            height,
            above: [0.875, 0.900, 0.925],
            below: [0.955, 0.958, 0.960],
            ground: [0.965, 0.962, 0.955],
            ink: [0.13, 0.14, 0.16],
            vignette: 0.10,
        }
    }

    /// Dark surroundings, for screens.
    pub fn night(width: usize, height: usize) -> Style {
        Style {
            width,
            height,
            above: [0.105, 0.120, 0.150],
            below: [0.200, 0.215, 0.245],
            ground: [0.290, 0.300, 0.325],
            ink: [0.90, 0.91, 0.93],
            vignette: 0.25,
        }
    }
}

/// Draws a shot. The same bytes for any number of threads.
pub fn render(shot: &Shot, camera: &Camera, style: &Style) -> Result<Picture, PictureError> {
    let mut picture = Picture::plain(style.width, style.height, [0; 3])?;
    for surface in &shot.surfaces {
        surface.refuse_misfits()?;
    }
    let mut view = camera.view(style.width, style.height);
    if shot.bar.is_some() {
        view.centre[0] -= bar::room(style.width, style.height);
    }
    let round = Round::new(&shot.balls, &shot.rods, &view);
    let stage = Stage::new(shot.surfaces.iter().copied().chain([round.surface()]));
    let studio = Studio::new(&stage, view, style, shot.ground);
    let bins = Bins::new(&stage, &view, style.width, style.height);
    picture
        .rgb
        .par_chunks_mut(3 * style.width * TILE)
        .enumerate()
        .for_each(|(row, band)| {
            (0..bins.columns)
                .into_par_iter()
                .map(|column| tile(&bins, &studio, style, row, column))
                .collect::<Vec<_>>()
                .into_iter()
                .enumerate()
                .for_each(|(column, pixels)| paste(band, &pixels, column, style.width));
        });
    if let Some(bar) = &shot.bar {
        bar::draw(&mut picture, bar, style);
    }
    if !shot.title.is_empty() {
        let size = style.height as f64 / 30.0;
        let text = Text::fitting(&shot.title, size.max(7.0), 0.9 * style.width as f64);
        text.draw(&mut picture, [1.3 * size, 2.3 * size], Pen::ink(style.ink));
    }
    Ok(picture)
}

/// The colours of one tile, `TILE`² of them; those outside the picture are left black.
fn tile(bins: &Bins, studio: &Studio, style: &Style, row: usize, column: usize) -> Vec<[u8; 3]> {
    let seen = bins.seen(row * bins.columns + column);
    let mut pixels = vec![[0; 3]; TILE * TILE];
    for y in 0..TILE.min(style.height - row * TILE) {
        for x in 0..TILE.min(style.width - column * TILE) {
            let ids = &seen[(y * TILE + x) * SAMPLES..][..SAMPLES];
            let at = [(column * TILE + x) as f64, (row * TILE + y) as f64];
            let light = pixel(ids, at, studio);
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

/// Each triangle in the pixel is shaded once, in the middle of its samples, and weighs as many as it has.
fn pixel(ids: &[u32], at: [f64; 2], studio: &Studio) -> [f64; 3] {
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
                middle = [middle[0] + sample(k)[0], middle[1] + sample(k)[1]];
            }
        }
        let (x, y) = (at[0] + middle[0] / count, at[1] + middle[1] / count);
        let one = if ids[s] == NOTHING {
            studio.behind(x, y)
        } else {
            studio.surface(ids[s], x, y, &mut last)
        };
        // Bright samples must not outweigh their neighbours at an edge.
        light = std::array::from_fn(|c| light[c] + count / SAMPLES as f64 * one[c].min(1.2));
    }
    light
}

fn paste(band: &mut [u8], pixels: &[[u8; 3]], column: usize, width: usize) {
    let left = column * TILE;
    let columns = TILE.min(width - left);
    for (row, line) in band.chunks_mut(3 * width).enumerate() {
        let from = &pixels[row * TILE..row * TILE + columns];
        line[3 * left..3 * (left + columns)].copy_from_slice(from.as_flattened());
    }
}
