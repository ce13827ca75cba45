//! Decoder of binary arrays of VTK XML files: raw or base64, uncompressed or in compressed blocks.
//!
//! VTK file formats, "XML File Formats": an array is `[bytes]` and the data, or, compressed,
//! `[blocks][block size][last size][compressed size]…` and the blocks. Base64 may be padded between the two.

use std::io::Read;

use super::lexer::{Endian, u32_at, u64_at};

/// Compression of the blocks of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compressor {
    None,
    Zlib,
    Lzma,
}

/// Encoding of an array in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub endian: Endian,
    /// Size of a header number, bytes.
    pub header: usize,
    pub compressor: Compressor,
    pub base64: bool,
}

/// Stream of raw or base64 bytes.
struct ByteSource<'a> {
    bytes: &'a [u8],
    pos: usize,
    base64: bool,
    /// Decoded bytes that were not taken yet, and their number.
    left: ([u8; 3], usize),
}

/// Value of each base64 digit; 255 for other bytes.
const BASE64_VALUES: [u8; 256] = {
    let mut table = [255u8; 256];
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut i = 0;
    while i < 64 {
        table[digits[i] as usize] = i as u8;
        i += 1;
    }
    table
};

impl ByteSource<'_> {
    /// Upper bound of the number of bytes that remain.
    fn max_remaining(&self) -> usize {
        let rest = self.bytes.len() - self.pos;
        if self.base64 {
            rest / 4 * 3 + 3 + self.left.1
        } else {
            rest
        }
    }

    /// Appends the next `n` bytes to `out`.
    fn take(&mut self, n: usize, out: &mut Vec<u8>) -> Result<(), String> {
        if n > self.max_remaining() {
            return Err(format!(
                "{n} bytes declared, at most {} follow",
                self.max_remaining()
            ));
        }
        out.reserve_exact(n);
        if !self.base64 {
            out.extend_from_slice(&self.bytes[self.pos..self.pos + n]);
            self.pos += n;
            return Ok(());
        }
        let end = out.len() + n;
        while out.len() < end {
            if self.left.1 == 0 {
                self.quantum()?;
            }
            let use_now = self.left.1.min(end - out.len());
            out.extend_from_slice(&self.left.0[..use_now]);
            self.left.0.copy_within(use_now.., 0);
            self.left.1 -= use_now;
        }
        Ok(())
    }

    /// Decodes a base64 quantum of four digits; another one may follow padding.
    fn quantum(&mut self) -> Result<(), String> {
        let mut bits = 0u32;
        let mut digits = 0;
        let mut padding = 0;
        while digits + padding < 4 {
            let Some(&b) = self.bytes.get(self.pos) else {
                return Err("the base64 text ends too early".to_string());
            };
            self.pos += 1;
            match BASE64_VALUES[b as usize] {
                255 if b.is_ascii_whitespace() => continue,
                255 if b == b'=' && digits >= 2 => padding += 1,
                255 => return Err(format!("bad base64: byte {b:#04x} is not a base64 digit")),
                _ if padding > 0 => return Err("bad base64: digits after padding".to_string()),
                six => {
                    bits = bits << 6 | u32::from(six);
                    digits += 1;
                }
            }
        }
        bits <<= 6 * padding;
        let [_, a, b, c] = bits.to_be_bytes();
        self.left = ([a, b, c], digits - 1);
        Ok(())
    }
}

/// Decodes an array at the start of `bytes` and passes it to `sink` in pieces. The pieces must add up to `expected`
/// bytes if that is given. Returns the number of bytes.
pub(crate) fn decode(
    bytes: &[u8],
    layout: Layout,
    expected: Option<u64>,
    sink: &mut dyn FnMut(&[u8]) -> Result<(), String>,
) -> Result<u64, String> {
    let mut source = ByteSource {
        bytes,
        pos: 0,
        base64: layout.base64,
        left: ([0; 3], 0),
    };
    if source.base64 {
        let blanks = bytes.iter().take_while(|b| b.is_ascii_whitespace()).count();
        source.pos = blanks;
    }
    let total = match layout.compressor {
        Compressor::None => decode_uncompressed(&mut source, layout, expected, sink)?,
        _ => decode_blocks(&mut source, layout, expected, sink)?,
    };
    match expected {
        Some(n) if n != total => Err(format!("{total} bytes of data, {n} expected")),
        _ => Ok(total),
    }
}

/// Reads a header number.
fn header(source: &mut ByteSource, layout: Layout) -> Result<u64, String> {
    let mut word = Vec::with_capacity(8);
    source.take(layout.header, &mut word)?;
    Ok(if layout.header == 4 {
        u64::from(u32_at(&word, 0, layout.endian))
    } else {
        u64_at(&word, 0, layout.endian)
    })
}

fn decode_uncompressed(
    source: &mut ByteSource,
    layout: Layout,
    expected: Option<u64>,
    sink: &mut dyn FnMut(&[u8]) -> Result<(), String>,
) -> Result<u64, String> {
    let n = header(source, layout)?;
    if expected.is_some_and(|e| e != n) {
        return Ok(n);
    }
    let n = usize::try_from(n).map_err(|_| format!("{n} bytes declared"))?;
    if n > source.max_remaining() {
        return Err(format!(
            "{n} bytes declared, at most {} follow",
            source.max_remaining()
        ));
    }
    if !source.base64 {
        sink(&source.bytes[source.pos..source.pos + n])?;
        return Ok(n as u64);
    }
    let mut buffer = Vec::new();
    let mut done = 0;
    while done < n {
        buffer.clear();
        let piece = (n - done).min(3 << 14);
        source.take(piece, &mut buffer)?;
        sink(&buffer)?;
        done += piece;
    }
    Ok(n as u64)
}

fn decode_blocks(
    source: &mut ByteSource,
    layout: Layout,
    expected: Option<u64>,
    sink: &mut dyn FnMut(&[u8]) -> Result<(), String>,
) -> Result<u64, String> {
    let count = header(source, layout)?;
    if count == 0 {
        return Ok(0);
    }
    let size = header(source, layout)?;
    let last = header(source, layout)?;
    let full = if last == 0 { count } else { count - 1 };
    let total = full.checked_mul(size).and_then(|n| n.checked_add(last));
    let total = total.ok_or_else(|| format!("{count} blocks of {size} bytes declared"))?;
    if expected.is_some_and(|e| e != total) {
        return Ok(total);
    }
    if count > (source.max_remaining() / layout.header) as u64 {
        return Err(format!(
            "{count} blocks declared, more than the data can hold"
        ));
    }
    let mut sizes = Vec::with_capacity(count as usize);
    for _ in 0..count {
        sizes.push(header(source, layout)?);
    }
    let (mut packed, mut plain) = (Vec::new(), Vec::new());
    for (i, &compressed) in sizes.iter().enumerate() {
        let compressed = usize::try_from(compressed).map_err(|e| e.to_string())?;
        let wanted = if i as u64 == full { last } else { size };
        packed.clear();
        plain.clear();
        source.take(compressed, &mut packed)?;
        inflate(layout.compressor, &packed, wanted, &mut plain)
            .map_err(|e| format!("compressed block {} of {count}: {e}", i + 1))?;
        sink(&plain)?;
    }
    Ok(total)
}

/// Decompresses one block, to no more than its declared size.
fn inflate(
    compressor: Compressor,
    packed: &[u8],
    wanted: u64,
    plain: &mut Vec<u8>,
) -> Result<(), String> {
    match compressor {
        Compressor::Lzma => {
            let declared = xz_decompressed_size(packed).ok_or("not an xz stream of one block")?;
            if declared != wanted {
                return Err(format!("inflates to {declared} bytes, {wanted} declared"));
            }
            let mut limited = LimitedBuffer {
                out: plain,
                most: usize::try_from(wanted).unwrap_or(usize::MAX),
            };
            lzma_rs::xz_decompress(&mut &packed[..], &mut limited).map_err(|e| e.to_string())?;
        }
        _ => {
            let mut stream = flate2::read::ZlibDecoder::new(packed);
            stream
                .by_ref()
                .take(wanted.saturating_add(1))
                .read_to_end(plain)
                .map_err(|e| e.to_string())?;
        }
    }
    if plain.len() as u64 == wanted {
        Ok(())
    } else {
        let more = if plain.len() as u64 > wanted {
            " or more"
        } else {
            ""
        };
        Err(format!(
            "inflates to {}{more} bytes, {wanted} declared",
            plain.len()
        ))
    }
}

/// Decompressed size of an xz stream of one LZMA2 block, from the headers of its chunks (The .xz file format 1.2; LZMA2
/// as in XZ Embedded). The decoder keeps all of it in memory: the size is compared with the declared one first.
fn xz_decompressed_size(packed: &[u8]) -> Option<u64> {
    if !packed.starts_with(b"\xfd7zXZ\0") {
        return None;
    }
    let check = match packed.get(7)? & 0x0f {
        0 => 0,
        1 => 4,
        4 => 8,
        10 => 32,
        _ => return None,
    };
    let mut at = 12 + (usize::from(*packed.get(12)?) + 1) * 4;
    let start = at;
    let two = |at: usize| Some(u64::from(*packed.get(at)?) << 8 | u64::from(*packed.get(at + 1)?));
    let mut total = 0;
    loop {
        let control = *packed.get(at)?;
        match control {
            0 => break,
            1 | 2 => {
                let n = two(at + 1)? + 1;
                total += n;
                at += 3 + n as usize;
            }
            0x80.. => {
                total += (u64::from(control & 0x1f) << 16 | two(at + 1)?) + 1;
                let properties = usize::from(control >= 0xc0);
                at += 5 + properties + two(at + 3)? as usize + 1;
            }
            _ => return None,
        }
    }
    let length = at + 1 - start;
    // Padding and check follow, then the index, which begins with 0, or another block.
    let index = start + length.next_multiple_of(4) + check;
    (*packed.get(index)? == 0).then_some(total)
}

/// Buffer whose `write` fails beyond a maximum size.
struct LimitedBuffer<'a> {
    out: &'a mut Vec<u8>,
    most: usize,
}

impl std::io::Write for LimitedBuffer<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if bytes.len() > self.most - self.out.len().min(self.most) {
            return Err(std::io::Error::other("inflates to more than declared"));
        }
        self.out.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
