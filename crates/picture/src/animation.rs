//! Animated GIF with one palette for all frames.
//!
//! One palette (A. H. Dekker's neural quantisation, crate `color_quant`) learnt from a few frames keeps still parts
//! still; ordered dither hides the steps between its colours, at the same places in every frame; pixels that do not
//! change are not stored again.

use std::path::{Path, PathBuf};

use base::file::PartFile;
use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};

use crate::fault::PictureError;
use crate::picture::Picture;

/// Index of the palette that means "as before".
const SAME: u8 = 255;
/// Bits a channel of the table from colours to palette.
const BITS: u32 = 6;

/// Writes frames into a GIF that repeats for ever; the file appears when it is finished.
pub struct Animation {
    path: PathBuf,
    encoder: Encoder<PartFile>,
    width: usize,
    height: usize,
    palette: Vec<[u8; 3]>,
    nearest: Vec<u8>,
    before: Vec<u8>,
    clock: Clock,
}

/// GIF counts time in 1/100 s: delays are rounded so that their sum stays right.
struct Clock {
    fps: f64,
    frames: u64,
    spent: u64,
}

impl Animation {
    /// An animation at `fps` frames a second. `look` are some of its frames, whose colours it will have.
    pub fn create(path: &Path, fps: f64, look: &[&Picture]) -> Result<Animation, PictureError> {
        let (width, height) = look.first().map_or((0, 0), |p| (p.width, p.height));
        if width == 0 || height == 0 || width > u16::MAX.into() || height > u16::MAX.into() {
            return Err(PictureError::Size { width, height });
        }
        let palette = palette(look);
        let nearest = nearest(&palette);
        let refuse = |source| PictureError::Gif {
            path: path.to_path_buf(),
            source,
        };
        let file = PartFile::create(path).map_err(|e| refuse(EncodingError::from(e)))?;
        let mut encoder = Encoder::new(file, width as u16, height as u16, palette.as_flattened())
            .map_err(refuse)?;
        encoder.set_repeat(Repeat::Infinite).map_err(refuse)?;
        Ok(Animation {
            path: path.to_path_buf(),
            encoder,
            width,
            height,
            palette,
            nearest,
            before: Vec::new(),
            clock: Clock {
                fps: if fps > 0.0 && fps.is_finite() {
                    fps
                } else {
                    25.0
                },
                frames: 0,
                spent: 0,
            },
        })
    }

    /// Adds a frame.
    pub fn frame(&mut self, picture: &Picture) -> Result<(), PictureError> {
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

    /// Ends the file and puts it in place.
    pub fn finish(self) -> Result<(), PictureError> {
        let refuse = |source| PictureError::Gif {
            path: self.path.clone(),
            source,
        };
        let file = self.encoder.into_inner().map_err(refuse)?;
        file.commit().map_err(|e| refuse(EncodingError::from(e)))
    }

    /// Palette index of each pixel, dithered.
    fn indexed(&self, picture: &Picture) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.width * self.height);
        for (i, rgb) in picture.rgb.chunks_exact(3).enumerate() {
            let threshold = BAYER[i / self.width % 8][i % self.width % 8];
            // Steps between neighbouring palette colours are around 8 of 255.
            let shift = (f32::from(threshold) + 0.5) / 64.0 * 8.0 - 4.0;
            let key = rgb.iter().fold(0usize, |key, &c| {
                let c = (f32::from(c) + shift).clamp(0.0, 255.0) as usize;
                key << BITS | c >> (8 - BITS)
            });
            out.push(self.nearest[key]);
        }
        out
    }

    /// The colours frames are made of.
    pub fn palette(&self) -> &[[u8; 3]] {
        &self.palette
    }
}

impl Clock {
    fn tick(&mut self) -> u16 {
        self.frames += 1;
        let until = (100.0 * self.frames as f64 / self.fps).round() as u64;
        let delay = until.saturating_sub(self.spent).clamp(1, 65_535);
        self.spent += delay;
        delay as u16
    }
}

/// Writes all `frames` at once.
pub fn write_gif(path: &Path, frames: &[Picture], fps: f64) -> Result<(), PictureError> {
    let step = frames.len().div_ceil(6).max(1);
    let look: Vec<&Picture> = frames.iter().step_by(step).collect();
    let mut animation = Animation::create(path, fps, &look)?;
    for frame in frames {
        animation.frame(frame)?;
    }
    animation.finish()
}

/// Only the rectangle that changed since `before`, unchanged pixels in it left out.
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
                SAME
            }
        }));
    }
    Frame {
        delay,
        dispose: DisposalMethod::Keep,
        transparent: Some(SAME),
        left: left as u16,
        top: top as u16,
        width: (right - left + 1) as u16,
        height: (bottom - top + 1) as u16,
        buffer: buffer.into(),
        ..Frame::default()
    }
}

/// 255 colours and one unused.
fn palette(look: &[&Picture]) -> Vec<[u8; 3]> {
    let total: usize = look.iter().map(|p| p.rgb.len() / 3).sum();
    let step = (total / 400_000).max(1);
    let pixels = look
        .iter()
        .flat_map(|p| p.rgb.chunks_exact(3))
        .step_by(step);
    let rgba: Vec<u8> = pixels.flat_map(|c| [c[0], c[1], c[2], 255]).collect();
    let map = NeuQuant::new(3, 255, &rgba).color_map_rgb();
    let mut palette: Vec<[u8; 3]> = map.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect();
    palette.resize(256, [0; 3]);
    palette
}

/// The palette's nearest colour for every colour of `BITS` bits a channel.
fn nearest(palette: &[[u8; 3]]) -> Vec<u8> {
    use rayon::prelude::*;
    let side = 1usize << BITS;
    let middle = |i: usize| (((i & (side - 1)) << (8 - BITS)) + (1 << (7 - BITS))) as i32;
    (0..side * side * side)
        .into_par_iter()
        .map(|key| {
            let want = [middle(key >> (2 * BITS)), middle(key >> BITS), middle(key)];
            let away = |c: &[u8; 3]| {
                let d: [i32; 3] = std::array::from_fn(|k| i32::from(c[k]) - want[k]);
                // Eyes weigh green most.
                3 * d[0] * d[0] + 6 * d[1] * d[1] + 2 * d[2] * d[2]
            };
            let best = palette[..usize::from(SAME)]
                .iter()
                .enumerate()
                .min_by_key(|(_, c)| away(c));
            best.map_or(0, |(i, _)| i as u8)
        })
        .collect()
}

/// Bayer's 8 × 8 thresholds.
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
