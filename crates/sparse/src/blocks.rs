//! Symmetric block matrices over all nodes, prescribed ones included: stencils are assembled into their 3×3 blocks.
//!
//! Only blocks (i, j) with i ≥ j are stored. An array holds the static blocks of elements first, then the blocks of dynamic
//! pairs ([`DynamicPairs`]), each with a pattern of its own. The solver's scalar matrix over the unknowns is gathered from
//! these blocks. The columns of prescribed nodes give the forces of moving boundaries.

mod dynamic;

pub use dynamic::{
    DynamicPairs, MAX_STORED_TO_ACTIVE, NO_UNKNOWN, NodePair, PairChange, SavedPairs, StaticPattern,
};

use std::sync::Arc;

/// A 3×3 block, row-major.
pub type Block = [f64; 9];

/// Sparsity pattern of the lower block triangle: rows ascending in each column, the diagonal block first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockPattern {
    /// Index of the pattern's first block in an array of blocks.
    pub first: u32,
    /// Start of each column in `rows`, and the end of the last.
    pub starts: Vec<u32>,
    /// Row of each block.
    pub rows: Vec<u32>,
}

/// Position of a stencil's block in an array of blocks: its index, and whether it is stored transposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(u32);

impl Slot {
    const TRANSPOSED: u32 = 1 << 31;

    /// Index of the block.
    #[inline(always)]
    pub fn index(self) -> usize {
        (self.0 & !Slot::TRANSPOSED) as usize
    }

    /// Returns `true` if the stored block is the transpose of the stencil's block.
    #[inline(always)]
    pub fn transposed(self) -> bool {
        self.0 & Slot::TRANSPOSED != 0
    }
}

impl BlockPattern {
    /// Pattern with all diagonal blocks and a block for each pair of nodes. Pairs may be unsorted and repeated.
    pub fn new(nodes: usize, pairs: impl Iterator<Item = (u32, u32)>) -> Arc<BlockPattern> {
        let mut lower: Vec<(u32, u32)> = (0..nodes as u32).map(|i| (i, i)).collect();
        lower.extend(pairs.map(|(a, b)| (a.min(b), a.max(b))));
        Arc::new(BlockPattern::of_lower(nodes, 0, lower))
    }

    /// Pattern with a block for each pair of different nodes and the diagonal blocks of these nodes only. Its blocks are
    /// stored from index `first` on.
    pub fn of_pairs(
        nodes: usize,
        first: usize,
        pairs: impl Iterator<Item = (u32, u32)>,
    ) -> Arc<BlockPattern> {
        let blocks = pairs.flat_map(|(a, b)| [(a, a), (b, b), (a.min(b), a.max(b))]);
        Arc::new(BlockPattern::of_lower(nodes, first, blocks.collect()))
    }

    fn of_lower(nodes: usize, first: usize, mut lower: Vec<(u32, u32)>) -> BlockPattern {
        lower.sort_unstable();
        lower.dedup();
        let mut starts = vec![0; nodes + 1];
        for (column, _) in &lower {
            starts[*column as usize + 1] += 1;
        }
        for i in 0..nodes {
            starts[i + 1] += starts[i];
        }
        BlockPattern {
            first: first as u32,
            starts,
            rows: lower.into_iter().map(|(_, row)| row).collect(),
        }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns `true` if the pattern has no blocks.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Range of the blocks of column `j` in `rows`.
    pub fn column(&self, j: usize) -> std::ops::Range<usize> {
        self.starts[j] as usize..self.starts[j + 1] as usize
    }

    /// Returns the position of a pair's block in `rows`, or `None` if there is no such block.
    fn find(&self, a: u32, b: u32) -> Option<usize> {
        let range = self.column(a.min(b) as usize);
        let at = self.rows[range.clone()].binary_search(&a.max(b)).ok()?;
        Some(range.start + at)
    }

    /// Returns `true` if there is a block for this pair of nodes.
    pub fn contains(&self, a: u32, b: u32) -> bool {
        self.find(a, b).is_some()
    }

    /// Returns the slot of the block with rows of node `a` and columns of node `b`.
    ///
    /// # Panics
    /// Panics if the pattern has no such block: every pair must be announced before it is bound.
    pub fn slot(&self, a: u32, b: u32) -> Slot {
        let Some(at) = self.find(a, b) else {
            panic!(
                "the pattern has no block for the nodes {a} and {b}: announce pairs before binding them"
            );
        };
        let index = self.first + at as u32;
        Slot(if a < b {
            index | Slot::TRANSPOSED
        } else {
            index
        })
    }
}

/// Moves blocks from one pattern to another with the same `first`. Blocks missing in `from` become zero, blocks missing in
/// `to` are dropped.
pub fn move_blocks(from: &BlockPattern, to: &BlockPattern, values: &mut Vec<Block>) {
    let first = from.first as usize;
    assert_eq!(from.first, to.first, "blocks behind different static parts");
    assert_eq!(
        values.len(),
        first + from.len(),
        "blocks of another pattern"
    );
    let before = values.split_off(first);
    values.resize(first + to.len(), [0.0; 9]);
    for j in 0..from.nodes() {
        for k in from.column(j) {
            if let Some(at) = to.find(from.rows[k], j as u32) {
                values[first + at] = before[k];
            }
        }
    }
}

/// Adds a stencil's block to the stored block of its slot.
#[inline(always)]
pub fn add_block(values: &mut Block, slot: Slot, block: &Block) {
    if slot.transposed() {
        for i in 0..3 {
            for j in 0..3 {
                values[3 * i + j] += block[3 * j + i];
            }
        }
    } else {
        for k in 0..9 {
            values[k] += block[k];
        }
    }
}

/// Adds a stencil's block of an antisymmetric matrix to the stored block of its slot: if that is the block of the
/// transposed pair, it is minus the transpose.
#[inline(always)]
pub fn add_antisymmetric_block(values: &mut Block, slot: Slot, block: &Block) {
    if slot.transposed() {
        add_block(values, slot, &block.map(|x| -x));
    } else {
        add_block(values, slot, block);
    }
}

/// Computes y += W x for an antisymmetric block matrix W.
pub fn add_antisymmetric_product(
    pattern: &BlockPattern,
    values: &[Block],
    x: &[[f64; 3]],
    y: &mut [[f64; 3]],
) {
    for j in 0..pattern.nodes() {
        for k in pattern.column(j) {
            let (i, b) = (pattern.rows[k] as usize, &values[k]);
            for r in 0..3 {
                y[i][r] += b[3 * r] * x[j][0] + b[3 * r + 1] * x[j][1] + b[3 * r + 2] * x[j][2];
            }
            if i != j {
                for c in 0..3 {
                    y[j][c] -= b[c] * x[i][0] + b[3 + c] * x[i][1] + b[6 + c] * x[i][2];
                }
            }
        }
    }
}

/// Computes y += scale · A x for a symmetric block matrix A.
pub fn add_product(
    pattern: &BlockPattern,
    values: &[Block],
    scale: f64,
    x: &[[f64; 3]],
    y: &mut [[f64; 3]],
) {
    let values = &values[pattern.first as usize..];
    for j in 0..pattern.nodes() {
        let xj = x[j].map(|x| scale * x);
        let mut yj = [0.0; 3];
        for k in pattern.column(j) {
            let (i, b) = (pattern.rows[k] as usize, &values[k]);
            for r in 0..3 {
                y[i][r] += b[3 * r] * xj[0] + b[3 * r + 1] * xj[1] + b[3 * r + 2] * xj[2];
            }
            if i != j {
                let xi = x[i];
                for c in 0..3 {
                    yj[c] += b[c] * xi[0] + b[3 + c] * xi[1] + b[6 + c] * xi[2];
                }
            }
        }
        for c in 0..3 {
            y[j][c] += scale * yj[c];
        }
    }
}

/// Computes y += scale · (A ⊗ I) x for a symmetric matrix A with one number per block.
pub fn add_scalar_product(
    pattern: &BlockPattern,
    values: &[f64],
    scale: f64,
    x: &[[f64; 3]],
    y: &mut [[f64; 3]],
) {
    for j in 0..pattern.nodes() {
        let xj = x[j].map(|x| scale * x);
        let mut yj = [0.0; 3];
        for k in pattern.column(j) {
            let (i, m) = (pattern.rows[k] as usize, values[k]);
            for r in 0..3 {
                y[i][r] += m * xj[r];
            }
            if i != j {
                for r in 0..3 {
                    yj[r] += m * x[i][r];
                }
            }
        }
        for r in 0..3 {
            y[j][r] += scale * yj[r];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dense copy of a block matrix.
    fn dense(pattern: &BlockPattern, values: &[Block]) -> Vec<Vec<f64>> {
        let n = 3 * pattern.nodes();
        let mut out = vec![vec![0.0; n]; n];
        for j in 0..pattern.nodes() {
            for k in pattern.column(j) {
                let i = pattern.rows[k] as usize;
                for (r, c) in (0..3).flat_map(|r| (0..3).map(move |c| (r, c))) {
                    out[3 * i + r][3 * j + c] = values[k][3 * r + c];
                    out[3 * j + c][3 * i + r] = values[k][3 * r + c];
                }
            }
        }
        out
    }

    #[test]
    fn products_match_a_dense_matrix() {
        let pattern = BlockPattern::new(4, [(0, 1), (3, 1), (2, 0), (1, 0)].into_iter());
        assert_eq!(pattern.len(), 7);
        let mut values = vec![[0.0; 9]; pattern.len()];
        let mut seed = 1.0;
        for (a, b) in [(0, 0), (1, 1), (2, 2), (3, 3), (0, 1), (1, 3), (2, 0)] {
            let mut block = [0.0; 9];
            for k in 0..9 {
                seed = (seed * 7.31 + 1.7) % 3.0;
                block[k] = seed;
            }
            if a == b {
                block = [0, 1, 2, 1, 4, 5, 2, 5, 8].map(|k| block[k]);
            }
            let slot = pattern.slot(a, b);
            add_block(&mut values[slot.index()], slot, &block);
        }
        let matrix = dense(&pattern, &values);
        let x: Vec<[f64; 3]> = (0..4)
            .map(|i| [f64::from(i), 1.0 - f64::from(i), 0.5])
            .collect();
        let flat: Vec<f64> = x.iter().flatten().copied().collect();
        let mut y = vec![[1.0; 3]; 4];
        add_product(&pattern, &values, 2.0, &x, &mut y);
        for (i, y) in y.iter().flatten().enumerate() {
            let want: f64 =
                1.0 + 2.0 * matrix[i].iter().zip(&flat).map(|(a, x)| a * x).sum::<f64>();
            assert!((y - want).abs() < 1e-12);
        }
        let scalars: Vec<f64> = values.iter().map(|b| b[0]).collect();
        let eye: Vec<Block> = scalars
            .iter()
            .map(|m| [*m, 0.0, 0.0, 0.0, *m, 0.0, 0.0, 0.0, *m])
            .collect();
        let (mut y, mut z) = (vec![[0.0; 3]; 4], vec![[0.0; 3]; 4]);
        add_scalar_product(&pattern, &scalars, -1.5, &x, &mut y);
        add_product(&pattern, &eye, -1.5, &x, &mut z);
        assert!(
            y.iter()
                .flatten()
                .zip(z.iter().flatten())
                .all(|(y, z)| (y - z).abs() < 1e-12)
        );
    }
}
