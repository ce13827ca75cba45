//! Bounding volume hierarchy with eight children a node along Morton's curve.
//!
//! Items are sorted by the Morton codes of their centres [Lauterbach et al. 2009]; eight neighbours share a node, eight
//! neighbouring nodes share a node of the next level, and so on. The tree has no pointers, and moved items need a refit of the
//! boxes only. Boxes of eight children are stored by coordinate, so that one query tests them together.

use mesh::morton_order;

use super::boxes::{Bounds, Boxes, EMPTY, union};

/// Number of children of a node.
pub(super) const WIDTH: usize = 8;

/// The tree is built anew when the extents of its nodes have grown by this factor.
const MAX_GROWTH: f64 = 1.5;

/// Boxes of eight children.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    low: [[f32; WIDTH]; 3],
    high: [[f32; WIDTH]; 3],
}

impl Node {
    const EMPTY: Node = Node {
        low: [[f32::INFINITY; WIDTH]; 3],
        high: [[f32::NEG_INFINITY; WIDTH]; 3],
    };

    fn set(&mut self, child: usize, b: &Bounds) {
        for k in 0..3 {
            self.low[k][child] = b[0][k];
            self.high[k][child] = b[1][k];
        }
    }

    /// Box of one child.
    #[inline(always)]
    pub fn child(&self, child: usize) -> Bounds {
        [
            self.low.map(|low| low[child]),
            self.high.map(|high| high[child]),
        ]
    }

    /// Box around all children.
    fn bounds(&self) -> Bounds {
        (0..WIDTH).fold(EMPTY, |b, i| union(&b, &self.child(i)))
    }

    /// Bit set of the children whose boxes overlap or touch `b`.
    #[inline(always)]
    pub fn overlapping(&self, b: &Bounds) -> u32 {
        lanes::overlapping(&self.low, &self.high, b)
    }
}

/// Comparisons of eight boxes at once. Compilers make scalar code of the plain loop, hence the vector instructions that every
/// x86-64 processor has.
mod lanes {
    use super::{Bounds, WIDTH};

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub fn overlapping(low: &[[f32; WIDTH]; 3], high: &[[f32; WIDTH]; 3], b: &Bounds) -> u32 {
        // SAFETY: every x86-64 processor has SSE.
        unsafe { overlapping_sse(low, high, b) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "sse")]
    fn overlapping_sse(low: &[[f32; WIDTH]; 3], high: &[[f32; WIDTH]; 3], b: &Bounds) -> u32 {
        use std::arch::x86_64::{
            __m128, _mm_and_ps, _mm_cmple_ps, _mm_movemask_ps, _mm_set_ps, _mm_set1_ps,
        };
        let four = |x: &[f32; WIDTH], i: usize| -> __m128 {
            _mm_set_ps(x[i + 3], x[i + 2], x[i + 1], x[i])
        };
        let half = |i: usize| {
            let axis = |k: usize| {
                let below = _mm_cmple_ps(four(&low[k], i), _mm_set1_ps(b[1][k]));
                let above = _mm_cmple_ps(_mm_set1_ps(b[0][k]), four(&high[k], i));
                _mm_and_ps(below, above)
            };
            let all = _mm_and_ps(_mm_and_ps(axis(0), axis(1)), axis(2));
            _mm_movemask_ps(all) as u32
        };
        half(0) | half(4) << 4
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    pub fn overlapping(low: &[[f32; WIDTH]; 3], high: &[[f32; WIDTH]; 3], b: &Bounds) -> u32 {
        let mut bits = 0;
        for i in 0..WIDTH {
            let inside = (0..3).all(|k| low[k][i] <= b[1][k] && high[k][i] >= b[0][k]);
            bits |= u32::from(inside) << i;
        }
        bits
    }
}

/// Hierarchy of boxes.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Items in the order of the leaves.
    pub items: Vec<u32>,
    /// Levels from the leaves, whose children are items, to the root.
    pub levels: Vec<Vec<Node>>,
    /// Sum of the extents of all nodes when the tree was built.
    built_extent: f64,
}

impl Tree {
    /// Takes new boxes of the items: fits the nodes to them, or builds the tree anew if the number of items has changed or
    /// the nodes have become too large.
    pub fn update(&mut self, boxes: &Boxes) {
        if self.items.len() == boxes.len() && !boxes.is_empty() {
            let extent = self.refit(boxes);
            if extent <= MAX_GROWTH * self.built_extent {
                return;
            }
        }
        self.build(boxes);
    }

    fn build(&mut self, boxes: &Boxes) {
        let centre = |b: &Bounds| {
            [0, 1, 2].map(|k| {
                let c = 0.5 * (f64::from(b[0][k]) + f64::from(b[1][k]));
                if c.is_finite() { c } else { 0.0 }
            })
        };
        let centres: Vec<[f64; 3]> = boxes.iter().map(centre).collect();
        self.items = morton_order(&centres);
        self.levels.clear();
        let mut count = boxes.len();
        while count > 0 {
            count = count.div_ceil(WIDTH);
            self.levels.push(vec![Node::EMPTY; count]);
            if count == 1 {
                break;
            }
        }
        self.built_extent = self.refit(boxes);
    }

    /// Fits the nodes to the boxes of the items and returns the sum of their extents.
    fn refit(&mut self, boxes: &Boxes) -> f64 {
        let Some(leaves) = self.levels.first_mut() else {
            return 0.0;
        };
        for (node, items) in leaves.iter_mut().zip(self.items.chunks(WIDTH)) {
            for (child, &item) in items.iter().enumerate() {
                node.set(child, &boxes[item as usize]);
            }
        }
        let mut extent = 0.0;
        for level in 1..self.levels.len() {
            let (below, here) = self.levels.split_at_mut(level);
            let children = below[level - 1].chunks(WIDTH);
            for (node, children) in here[0].iter_mut().zip(children) {
                for (i, child) in children.iter().enumerate() {
                    let b = child.bounds();
                    node.set(i, &b);
                    extent += (0..3).map(|k| f64::from(b[1][k] - b[0][k])).sum::<f64>();
                }
            }
        }
        extent
    }

    /// Box around a leaf.
    pub fn leaf_bounds(&self, leaf: usize) -> Bounds {
        match self.levels.get(1) {
            Some(parents) => parents[leaf / WIDTH].child(leaf % WIDTH),
            None => self.levels[0][leaf].bounds(),
        }
    }

    /// Visits the leaves from number `first` on whose boxes overlap `b`, with their boxes.
    #[inline]
    pub fn visit_leaves(&self, b: &Bounds, first: usize, mut visit: impl FnMut(usize, &Bounds)) {
        let top = match self.levels.len() {
            0 => return,
            // The root is a leaf.
            1 => return visit(0, b),
            levels => levels - 1,
        };
        // Levels times the children of a node bound the stack; eight levels hold 16 million items.
        let mut stack = [(0u32, 0u32); 128];
        let mut filled = 1;
        stack[0] = (top as u32, 0);
        while filled > 0 {
            filled -= 1;
            let (level, node) = stack[filled];
            let boxes = &self.levels[level as usize][node as usize];
            let mut hits = boxes.overlapping(b);
            while hits != 0 {
                let place = hits.trailing_zeros() as usize;
                let child = node as usize * WIDTH + place;
                hits &= hits - 1;
                if level == 1 {
                    if child >= first {
                        visit(child, &boxes.child(place));
                    }
                } else if ((child + 1) << (3 * (level as usize - 1))) > first {
                    // Nodes whose leaves are all before `first` are left out.
                    stack[filled] = (level - 1, child as u32);
                    filled += 1;
                }
            }
        }
    }
}
