//! Compresses arrays into the zlib blocks of VTK's XML files: `[blocks][block size][size of the last, partial block]
//! [compressed size]…`, all UInt64, then the compressed blocks.

use std::io;

use flate2::{Compress, Compression, FlushCompress, Status};
use rayon::prelude::*;

/// Size of a block before compression, bytes: large enough to compress well, small enough to use several threads.
const BLOCK_BYTES: usize = 1 << 17;

/// Compresses arrays block by block in parallel; buffers are reused between calls.
pub(crate) struct BlockCompressor {
    level: Compression,
    raw: Vec<u8>,
    blocks: Vec<Block>,
}

struct Block {
    zlib: Compress,
    bytes: Vec<u8>,
}

impl BlockCompressor {
    /// Creates a compressor with a zlib level from 0 to 9.
    pub(crate) fn new(level: u32) -> BlockCompressor {
        BlockCompressor {
            level: Compression::new(level.min(9)),
            raw: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// Converts `items` to bytes with `bytes`, compresses them and appends the result to `out`.
    pub(crate) fn compress<T: Copy, const N: usize>(
        &mut self,
        items: impl Iterator<Item = T>,
        bytes: impl Fn(T) -> [u8; N],
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        self.raw.clear();
        for item in items {
            self.raw.extend_from_slice(&bytes(item));
        }
        let count = self.raw.len().div_ceil(BLOCK_BYTES);
        while self.blocks.len() < count {
            self.blocks.push(Block {
                zlib: Compress::new(self.level, true),
                bytes: Vec::new(),
            });
        }
        let blocks = &mut self.blocks[..count];
        blocks
            .par_iter_mut()
            .zip(self.raw.par_chunks(BLOCK_BYTES))
            .try_for_each(|(block, raw)| block.deflate(raw))?;
        for number in [count, BLOCK_BYTES, self.raw.len() % BLOCK_BYTES] {
            out.extend_from_slice(&(number as u64).to_le_bytes());
        }
        for block in blocks.iter() {
            out.extend_from_slice(&(block.bytes.len() as u64).to_le_bytes());
        }
        for block in blocks.iter() {
            out.extend_from_slice(&block.bytes);
        }
        Ok(())
    }
}

impl Block {
    fn deflate(&mut self, raw: &[u8]) -> io::Result<()> {
        self.zlib.reset();
        self.bytes.clear();
        loop {
            // Enough for incompressible data in stored blocks: one iteration suffices.
            self.bytes.reserve(raw.len() / 8 + raw.len() + 256);
            let rest = &raw[self.zlib.total_in() as usize..];
            let status = self
                .zlib
                .compress_vec(rest, &mut self.bytes, FlushCompress::Finish)
                .map_err(io::Error::other)?;
            if status == Status::StreamEnd {
                return Ok(());
            }
        }
    }
}
