//! Pictures in memory, PNG files, and grids of pictures.

use std::io::Write;
use std::path::Path;

use base::file::PartFile;

use crate::error::PictureError;
use crate::text::{Pen, Text};

/// An sRGB image in memory with 8 bits per channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The width in pixels.
    pub width: usize,
    /// The height in pixels.
    pub height: usize,
    /// The red, green and blue bytes of each pixel, row by row from the upper left.
    pub rgb: Vec<u8>,
}

/// The largest width or height of a picture in pixels.
pub const MAX_SIDE: usize = 16_384;

impl Picture {
    /// Creates a picture of one colour; sides are 1 … [`MAX_SIDE`].
    pub fn filled(width: usize, height: usize, rgb: [u8; 3]) -> Result<Picture, PictureError> {
        if width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE {
            return Err(PictureError::Size { width, height });
        }
        Ok(Picture {
            width,
            height,
            rgb: rgb.repeat(width * height),
        })
    }

    /// Returns the pixel at column `x`, row `y`.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let i = 3 * (y * self.width + x);
        [self.rgb[i], self.rgb[i + 1], self.rgb[i + 2]]
    }

    /// Copies `other` to the position (x, y) of its upper left corner; parts outside the picture are cropped.
    pub fn paste(&mut self, other: &Picture, x: usize, y: usize) {
        let columns = other.width.min(self.width.saturating_sub(x));
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            let to = 3 * ((y + row) * self.width + x);
            let from = 3 * row * other.width;
            self.rgb[to..to + 3 * columns].copy_from_slice(&other.rgb[from..from + 3 * columns]);
        }
    }

    /// Writes a PNG file atomically: a failure leaves no partial file.
    pub fn write_png(&self, path: &Path) -> Result<(), PictureError> {
        let write = || {
            let mut file = PartFile::create(path)?;
            self.encode_png(&mut file)?;
            Ok(file.commit()?)
        };
        write().map_err(|source| PictureError::Png {
            path: path.to_path_buf(),
            source,
        })
    }

    fn encode_png(&self, out: impl Write) -> Result<(), png::EncodingError> {
        let mut encoder = png::Encoder::new(out, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb)?;
        writer.finish()
    }
}

/// Arranges pictures in a grid of `columns` columns, row by row, each with its label below. All cells have the size of
/// the largest picture.
pub fn picture_grid(
    pictures: &[Picture],
    columns: usize,
    labels: &[&str],
) -> Result<Picture, PictureError> {
    let columns = columns.clamp(1, pictures.len().max(1));
    let width = pictures.iter().map(|p| p.width).max().unwrap_or(0);
    let height = pictures.iter().map(|p| p.height).max().unwrap_or(0);
    let size = (height as f64 / 22.0).clamp(11.0, 40.0);
    let gap = (width / 80).max(2);
    let strip = if labels.iter().any(|l| !l.is_empty()) {
        (2.2 * size) as usize
    } else {
        0
    };
    let rows = pictures.len().div_ceil(columns);
    let mut sheet = Picture::filled(
        columns * width + columns.saturating_sub(1) * gap,
        rows * (height + strip) + rows.saturating_sub(1) * gap,
        [255; 3],
    )?;
    for (i, picture) in pictures.iter().enumerate() {
        let x = i % columns * (width + gap);
        let y = i / columns * (height + strip + gap);
        sheet.paste(
            picture,
            x + (width - picture.width) / 2,
            y + (height - picture.height) / 2,
        );
        if let Some(label) = labels.get(i) {
            let text = Text::fitted(label, size, width as f64);
            let at = [
                x as f64 + 0.5 * (width as f64 - text.width()),
                (y + height) as f64 + 1.45 * size,
            ];
            text.draw(&mut sheet, at, Pen::ink([0.13, 0.14, 0.16]));
        }
    }
    Ok(sheet)
}
