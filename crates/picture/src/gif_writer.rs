//! Animated GIF files with one palette for all frames.
//!
//! One palette, learnt from a few frames (A. H. Dekker's neural quantisation, crate `color_quant`), keeps still parts
//! still. Ordered dithering hides the steps between its colours at the same places in every frame. Pixels that do not
//! change are not stored again.

use std::path::{Path, PathBuf};

use base::file::PartFile;
use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};

use crate::error::PictureError;
use crate::picture::Picture;

/// The transparent palette index of pixels that keep their colour.
const UNCHANGED: u8 = 255;
/// The bits per channel of the lookup table from colours to palette indices.
const BITS_PER_CHANNEL: u32 = 6;

/// A writer of endlessly repeating GIF animations. The file appears under its name when it is finished.
pub struct GifWriter {
    path: PathBuf,
    encoder: Encoder<PartFile>,
    width: usize,
    height: usize,
    palette: Vec<[u8; 3]>,
    palette_lookup: Vec<u8>,
    before: Vec<u8>,
    clock: FrameClock,
}

/// Frame delays in hundredths of a second, rounded so that their sum stays right.
struct FrameClock {
    fps: f64,
    frames: u64,
    elapsed: u64,
}

impl GifWriter {
    /// Starts an animation at `fps` frames per second. The palette is learnt from `palette_frames`, some of its frames.
    pub fn create(
        path: &Path,
        fps: f64,
        palette_frames: &[&Picture],
    ) -> Result<GifWriter, PictureError> {
        let (width, height) = palette_frames
            .first()
            .map_or((0, 0), |p| (p.width, p.height));
        if width == 0 || height == 0 || width > u16::MAX.into() || height > u16::MAX.into() {
            return Err(PictureError::Size { width, height });
        }
        let palette = palette(palette_frames);
        let palette_lookup = palette_lookup(&palette);
        let refuse = |source| PictureError::Gif {
            path: path.to_path_buf(),
            source,
        };
        let file = PartFile::create(path).map_err(|e| refuse(EncodingError::from(e)))?;
        let mut encoder = Encoder::new(file, width as u16, height as u16, palette.as_flattened())
            .map_err(refuse)?;
        encoder.set_repeat(Repeat::Infinite).map_err(refuse)?;
        Ok(GifWriter {
            path: path.to_path_buf(),
            encoder,
            width,
            height,
            palette,
            palette_lookup,
            before: Vec::new(),
            clock: FrameClock {
                fps: if fps > 0.0 && fps.is_finite() {
                    fps
                } else {
                    25.0
                },
                frames: 0,
                elapsed: 0,
            },
        })
    }

    /// Appends a frame.
    pub fn add_frame(&mut self, picture: &Picture) -> Result<(), PictureError> {
        if (picture.width, picture.height) != (self.width, self.height) {
            return Err(PictureError::FrameSize {
                width: picture.width,
                height: picture.height,
                wanted_width: self.width,
                wanted_height: self.height,
            });
        }
        let now = self.indexed(picture);
        let delay = self.clock.tick();
        let frame = changed(&self.before, &now, self.width, delay);
        self.before = now;
        let refuse = |source| PictureError::Gif {
            path: self.path.clone(),
            source,
        };
        self.encoder.write_frame(&frame).map_err(refuse)
    }

    /// Completes the file and renames it to its path.
    pub fn finish(self) -> Result<(), PictureError> {
        let refuse = |source| PictureError::Gif {
            path: self.path.clone(),
            source,
        };
        let file = self.encoder.into_inner().map_err(refuse)?;
        file.commit().map_err(|e| refuse(EncodingError::from(e)))
    }

    /// Returns the dithered palette index of each pixel.
    fn indexed(&self, picture: &Picture) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.width * self.height);
        for (i, rgb) in picture.rgb.chunks_exact(3).enumerate() {
            let threshold = BAYER[i / self.width % 8][i % self.width % 8];
            // Steps between neighbouring palette colours are around 8 of 255.
            let shift = (f32::from(threshold) + 0.5) / 64.0 * 8.0 - 4.0;
            let key = rgb.iter().fold(0usize, |key, &c| {
                let c = (f32::from(c) + shift).clamp(0.0, 255.0) as usize;
                key << BITS_PER_CHANNEL | c >> (8 - BITS_PER_CHANNEL)
            });
            out.push(self.palette_lookup[key]);
        }
        out
    }

    /// Returns the colours of the palette.
    pub fn palette(&self) -> &[[u8; 3]] {
        &self.palette
    }
}

impl FrameClock {
    fn tick(&mut self) -> u16 {
        self.frames += 1;
        let until = (100.0 * self.frames as f64 / self.fps).round() as u64;
        let delay = until.saturating_sub(self.elapsed).clamp(1, 65_535);
        self.elapsed += delay;
        delay as u16
    }
}

/// Writes `frames` as an animated GIF file.
pub fn write_gif(path: &Path, frames: &[Picture], fps: f64) -> Result<(), PictureError> {
    let step = frames.len().div_ceil(6).max(1);
    let palette_frames: Vec<&Picture> = frames.iter().step_by(step).collect();
    let mut animation = GifWriter::create(path, fps, &palette_frames)?;
    for frame in frames {
        animation.add_frame(frame)?;
    }
    animation.finish()
}

/// Returns the rectangle that changed since `before`, with unchanged pixels transparent.
fn changed(before: &[u8], now: &[u8], width: usize, delay: u16) -> Frame<'static> {
    let height = now.len() / width;
    let fresh = before.len() != now.len();
    let differs = |x: usize, y: usize| fresh || before[y * width + x] != now[y * width + x];
    let row = |y: &usize| (0..width).any(|x| differs(x, *y));
    let top = (0..height).find(row).unwrap_or(0);
    let bottom = (top..height).rev().find(row).unwrap_or(top);
    let column = |x: &usize| (top..=bottom).any(|y| differs(*x, y));
    let left = (0..width).find(column).unwrap_or(0);
    let right = (left..width).rev().find(column).unwrap_or(left);
    let mut buffer = Vec::with_capacity((right - left + 1) * (bottom - top + 1));
    for y in top..=bottom {
        buffer.extend((left..=right).map(|x| {
            if differs(x, y) {
                now[y * width + x]
            } else {
                UNCHANGED
            }
        }));
    }
    Frame {
        delay,
        dispose: DisposalMethod::Keep,
        transparent: Some(UNCHANGED),
        left: left as u16,
        top: top as u16,
        width: (right - left + 1) as u16,
        height: (bottom - top + 1) as u16,
        buffer: buffer.into(),
        ..Frame::default()
    }
}

/// Computes a palette of 255 colours; the last index stays unused.
fn palette(palette_frames: &[&Picture]) -> Vec<[u8; 3]> {
    let total: usize = palette_frames.iter().map(|p| p.rgb.len() / 3).sum();
    let step = (total / 400_000).max(1);
    let pixels = palette_frames
        .iter()
        .flat_map(|p| p.rgb.chunks_exact(3))
        .step_by(step);
    let rgba: Vec<u8> = pixels.flat_map(|c| [c[0], c[1], c[2], 255]).collect();
    let map = NeuQuant::new(3, 255, &rgba).color_map_rgb();
    let mut palette: Vec<[u8; 3]> = map.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect();
    palette.resize(256, [0; 3]);
    palette
}

/// Returns the index of the nearest palette colour for every colour of [`BITS_PER_CHANNEL`] bits per channel.
fn palette_lookup(palette: &[[u8; 3]]) -> Vec<u8> {
    use rayon::prelude::*;
    let side = 1usize << BITS_PER_CHANNEL;
    let middle = |i: usize| {
        (((i & (side - 1)) << (8 - BITS_PER_CHANNEL)) + (1 << (7 - BITS_PER_CHANNEL))) as i32
    };
    (0..side * side * side)
        .into_par_iter()
        .map(|key| {
            let want = [
                middle(key >> (2 * BITS_PER_CHANNEL)),
                middle(key >> BITS_PER_CHANNEL),
                middle(key),
            ];
            let away = |c: &[u8; 3]| {
                let d: [i32; 3] = std::array::from_fn(|k| i32::from(c[k]) - want[k]);
                // The eye is most sensitive to green.
                3 * d[0] * d[0] + 6 * d[1] * d[1] + 2 * d[2] * d[2]
            };
            let best = palette[..usize::from(UNCHANGED)]
                .iter()
                .enumerate()
                .min_by_key(|(_, c)| away(c));
            best.map_or(0, |(i, _)| i as u8)
        })
        .collect()
}

/// The thresholds of Bayer's 8 × 8 ordered dithering.
const BAYER: [[u8; 8]; 8] = {
    let mut table = [[0; 8]; 8];
    let mut y = 0;
    while y < 8 {
        let mut x = 0;
        while x < 8 {
            let (mut value, mut bit) = (0, 0);
            while bit < 3 {
                let (a, b) = ((x >> bit & 1) as u8, (y >> bit & 1) as u8);
                value |= ((a ^ b) << 1 | b) << (2 * (2 - bit));
                bit += 1;
            }
            table[y][x] = value;
            x += 1;
        }
        y += 1;
    }
    table
};
