//! Blocks of zlib as VTK's XML files append them: `[blocks][block size][size of the last, partial block]
//! [compressed size]…`, all UInt64, then the compressed blocks.

use std::io;

use flate2::{Compress, Compression, FlushCompress, Status};
use rayon::prelude::*;

/// Bytes in a block before compression: large enough to compress well, small enough to share among threads.
const BLOCK: usize = 1 << 17;

/// Compresses arrays block by block, in parallel; what it needs is kept from call to call.
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
    /// A compressor of zlib level 0 … 9.
    pub(crate) fn new(level: u32) -> BlockCompressor {
        BlockCompressor {
            level: Compression::new(level.min(9)),
            raw: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// Compresses `items`, turned into bytes by `bytes`, onto the end of `out`.
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
        let count = self.raw.len().div_ceil(BLOCK);
        while self.blocks.len() < count {
            self.blocks.push(Block {
                zlib: Compress::new(self.level, true),
                bytes: Vec::new(),
            });
        }
        let blocks = &mut self.blocks[..count];
        blocks
            .par_iter_mut()
            .zip(self.raw.par_chunks(BLOCK))
            .try_for_each(|(block, raw)| block.deflate(raw))?;
        for number in [count, BLOCK, self.raw.len() % BLOCK] {
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
            // Room for incompressible data in stored blocks, so that one round is enough.
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
