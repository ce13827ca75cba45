//! Pairs of nodes that come and go: contact, bonds, springs of finite range.
//!
//! A symbolic analysis belongs to a pattern, so the pattern must change rarely. Three rules keep it:
//! - A pair that vanishes stays, as explicit zeros, until the stored blocks, static and dynamic together, exceed
//!   [`MAX_STORED_TO_ACTIVE`] times the active ones at the end of a step. Then those idle for longest go.
//! - New pairs that append_pairs at most [`MAX_OFF_PATTERN_UNKNOWNS`] unknowns stay beside the pattern: a factor of the entries on the
//!   pattern is corrected for them ([`sparse::Matrix::off_pattern`]). More of them, or pairs that have stayed for
//!   [`MAX_OFF_PATTERN_STEPS`] steps, make a new pattern.
//! - A new pattern takes over the fill-reducing order of an earlier one as long as that is cheap
//!   ([`sparse::Pattern::extended`]).
//!
//! Everything here is a function of the pairs announced in accepted steps, so a run that is resumed from
//! [`DynamicPairs::save`] makes the same decisions as an unbroken one.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sparse::Pattern;

use super::BlockPattern;

/// Two different nodes, the lesser one first.
pub type NodePair = (u32, u32);

/// Stored blocks, static and dynamic together, over active ones above which idle pairs are removed.
pub const MAX_STORED_TO_ACTIVE: f64 = 1.5;

/// The same ratio after idle pairs were removed: room for pairs to vanish before it has to be done again.
const STORED_TO_ACTIVE_AFTER_REMOVAL: f64 = 1.25;

/// Unknowns that pairs beside the pattern may append_pairs: the correction of a factor costs about as many solves on a part of
/// the elimination tree.
const MAX_OFF_PATTERN_UNKNOWNS: usize = 48;

/// Steps in a row after which an active pair beside the pattern has cost more than an analysis.
const MAX_OFF_PATTERN_STEPS: u32 = 32;

/// Number of an axis that is held.
pub(crate) const HELD: u32 = u32::MAX;

/// The part of the matrix that never changes.
#[derive(Clone, Debug)]
pub struct StaticPattern {
    /// Its blocks.
    pub blocks: Arc<BlockPattern>,
    /// Its pattern over the unknowns.
    pub free: Arc<Pattern>,
    /// Number of each unknown, by node and axis; `u32::MAX` where held. They ascend with the nodes.
    pub numbers: Vec<[u32; 3]>,
}

impl StaticPattern {
    /// Unknowns of a node.
    fn unknowns(&self, node: u32) -> impl Iterator<Item = usize> + '_ {
        let numbers = self.numbers[node as usize].into_iter();
        numbers.filter(|&k| k != HELD).map(|k| k as usize)
    }

    /// Entries of the matrix that a pair couples.
    fn entries(&self, (a, b): NodePair) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.unknowns(a)
            .flat_map(move |i| self.unknowns(b).map(move |j| (j, i)))
    }

    /// Whether the static pattern has all entries that a pair couples.
    fn covers(&self, pair: NodePair) -> bool {
        self.blocks.contains(pair.0, pair.1) || self.entries(pair).next().is_none()
    }
}

/// Where the entries of a pair are in the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Storage {
    /// Where static ones are, or nowhere since one of its nodes is held.
    Static,
    /// On the pattern, which was extended for them.
    OnPattern,
    /// Beside the pattern.
    OffPattern,
}

/// A pair of the superset.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Pair {
    nodes: NodePair,
    storage: Storage,
    /// Steps in a row in which it was active, up to the last.
    active_steps: u32,
    /// Steps since it was active.
    idle_steps: u32,
    /// Whether it was announced in the step under way.
    announced: bool,
}

/// What an announcement changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairChange {
    /// Whether the dynamic blocks are others.
    pub blocks: bool,
    /// Whether the pattern of the matrix is another.
    pub pattern: bool,
    /// Whether a fill-reducing order has to be found for it.
    pub order: bool,
}

/// What [`DynamicPairs::save`] returns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedPairs {
    pairs: Vec<Pair>,
    order_pairs: Vec<NodePair>,
}

/// The superset of dynamic pairs, and the patterns that follow from it.
#[derive(Clone, Debug)]
pub struct DynamicPairs {
    /// Ascending.
    pairs: Vec<Pair>,
    /// The pattern whose fill-reducing order is in use, and the pairs it was extended for.
    order_of: Arc<Pattern>,
    order_pairs: Vec<NodePair>,
    /// The dynamic blocks.
    pub blocks: Arc<BlockPattern>,
    /// The pattern of the matrix over the unknowns.
    pub free: Arc<Pattern>,
    /// Place on that pattern of each entry of the static one; empty if they are the same.
    pub static_places: Arc<Vec<u32>>,
    /// Place on that pattern and 9 · block + place in it, for every entry of dynamic blocks that it has.
    pub on_pattern: Arc<Vec<(u32, u32)>>,
    /// Row, column and 9 · block + place in it, for every entry that it lacks.
    pub off_pattern: Arc<Vec<(u32, u32, u32)>>,
}

impl DynamicPairs {
    /// No pairs.
    pub fn new(fixed: &StaticPattern) -> DynamicPairs {
        let nodes = fixed.blocks.nodes();
        DynamicPairs {
            pairs: Vec::new(),
            order_of: fixed.free.clone(),
            order_pairs: Vec::new(),
            blocks: BlockPattern::of_pairs(nodes, fixed.blocks.len(), std::iter::empty()),
            free: fixed.free.clone(),
            static_places: Arc::default(),
            on_pattern: Arc::default(),
            off_pattern: Arc::default(),
        }
    }

    /// What a resumed run needs.
    pub fn save(&self) -> SavedPairs {
        SavedPairs {
            pairs: self.pairs.clone(),
            order_pairs: self.order_pairs.clone(),
        }
    }

    /// Makes the superset again; `None` if it is of another model.
    pub fn load(fixed: &StaticPattern, saved: SavedPairs) -> Option<DynamicPairs> {
        let nodes = fixed.blocks.nodes();
        let good = |&(a, b): &NodePair| a < b && (b as usize) < nodes;
        let ascending = |pairs: &[NodePair]| pairs.is_sorted_by(|p, q| p < q);
        let pairs: Vec<NodePair> = saved.pairs.iter().map(|p| p.nodes).collect();
        if !ascending(&pairs)
            || !ascending(&saved.order_pairs)
            || !pairs.iter().chain(&saved.order_pairs).all(good)
        {
            return None;
        }
        let mut out = DynamicPairs::new(fixed);
        if !saved.order_pairs.is_empty() {
            let entries = saved.order_pairs.iter().flat_map(|&p| fixed.entries(p));
            out.order_of = Pattern::extended(&fixed.free, entries, None);
            out.order_pairs = saved.order_pairs;
        }
        out.pairs = saved.pairs;
        out.rebuild_pattern(fixed);
        out.rebuild_blocks(fixed);
        Some(out)
    }

    /// Takes note of the active pairs at a state, ascending and each once.
    pub fn announce(&mut self, fixed: &StaticPattern, active: &[NodePair]) -> PairChange {
        let known = self.pairs.len();
        for &nodes in active {
            match self.pairs[..known].binary_search_by_key(&nodes, |p| p.nodes) {
                Ok(k) => self.pairs[k].announced = true,
                Err(_) => self.pairs.push(Pair {
                    nodes,
                    storage: match fixed.covers(nodes) {
                        true => Storage::Static,
                        false => Storage::OffPattern,
                    },
                    active_steps: 0,
                    idle_steps: 0,
                    announced: true,
                }),
            }
        }
        if self.pairs.len() == known {
            return PairChange::default();
        }
        self.pairs.sort_unstable_by_key(|p| p.nodes);
        let crowded = self.off_pattern_unknowns(fixed) > MAX_OFF_PATTERN_UNKNOWNS;
        self.rebuild(fixed, crowded, crowded)
    }

    /// Ends a step at whose end these pairs are active, ascending and announced before.
    pub fn end_step(&mut self, fixed: &StaticPattern, active: &[NodePair]) -> PairChange {
        for pair in &mut self.pairs {
            let announced = std::mem::take(&mut pair.announced);
            pair.active_steps = if announced { pair.active_steps + 1 } else { 0 };
            pair.idle_steps = if announced { 0 } else { pair.idle_steps + 1 };
        }
        let before = self.pairs.len();
        self.pairs
            .retain(|p| p.storage == Storage::OnPattern || p.idle_steps == 0);
        let on_pattern = self.count(Storage::OnPattern);
        self.remove_idle(fixed, active);
        let shrunk = self.count(Storage::OnPattern) < on_pattern;
        let lasting =
            |p: &Pair| p.storage == Storage::OffPattern && p.active_steps >= MAX_OFF_PATTERN_STEPS;
        // A pattern that is made anyway has room for all.
        let absorb = shrunk || self.pairs.iter().any(lasting);
        if self.pairs.len() == before && !absorb {
            return PairChange::default();
        }
        self.rebuild(fixed, absorb, absorb)
    }

    /// Blocks stored, static and dynamic together.
    pub fn stored_blocks(&self, fixed: &StaticPattern) -> usize {
        fixed.blocks.len() + self.blocks.len()
    }

    /// Blocks that the active pairs alone would need, with the static ones.
    pub fn active_blocks(fixed: &StaticPattern, active: &[NodePair]) -> usize {
        fixed.blocks.len() + dynamic_blocks(active.iter().copied())
    }

    /// Pairs beside the pattern.
    pub fn off_pattern_pairs(&self) -> usize {
        self.count(Storage::OffPattern)
    }

    fn count(&self, storage: Storage) -> usize {
        self.pairs.iter().filter(|p| p.storage == storage).count()
    }

    /// Unknowns that pairs beside the pattern append_pairs.
    fn off_pattern_unknowns(&self, fixed: &StaticPattern) -> usize {
        let off_pattern = self
            .pairs
            .iter()
            .filter(|p| p.storage == Storage::OffPattern);
        let mut nodes: Vec<u32> = off_pattern.flat_map(|p| [p.nodes.0, p.nodes.1]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.iter().map(|&i| fixed.unknowns(i).count()).sum()
    }

    /// Removes pairs that are not active, those idle for longest first, if too many blocks are stored.
    fn remove_idle(&mut self, fixed: &StaticPattern, active: &[NodePair]) {
        let wanted = DynamicPairs::active_blocks(fixed, active) as f64;
        let nodes_of = |p: &Pair| p.nodes;
        let mut stored = fixed.blocks.len() + dynamic_blocks(self.pairs.iter().map(nodes_of));
        if stored as f64 <= MAX_STORED_TO_ACTIVE * wanted {
            return;
        }
        let mut uses = vec![0u32; fixed.blocks.nodes()];
        for p in &self.pairs {
            uses[p.nodes.0 as usize] += 1;
            uses[p.nodes.1 as usize] += 1;
        }
        let idle = |p: &&Pair| active.binary_search(&p.nodes).is_err();
        let mut idle: Vec<Pair> = self.pairs.iter().filter(idle).copied().collect();
        idle.sort_unstable_by_key(|p| (std::cmp::Reverse(p.idle_steps), p.nodes));
        let mut gone = Vec::new();
        for pair in idle {
            if stored as f64 <= STORED_TO_ACTIVE_AFTER_REMOVAL * wanted {
                break;
            }
            stored -= 1;
            for node in [pair.nodes.0, pair.nodes.1] {
                uses[node as usize] -= 1;
                stored -= usize::from(uses[node as usize] == 0);
            }
            gone.push(pair.nodes);
        }
        gone.sort_unstable();
        self.pairs.retain(|p| gone.binary_search(&p.nodes).is_err());
    }

    /// Makes the blocks again and, if asked to, the pattern, with the pairs beside it or without.
    fn rebuild(&mut self, fixed: &StaticPattern, absorb: bool, pattern: bool) -> PairChange {
        if absorb {
            for pair in self
                .pairs
                .iter_mut()
                .filter(|p| p.storage == Storage::OffPattern)
            {
                pair.storage = Storage::OnPattern;
            }
        }
        let (free, order) = (self.free.stamp(), self.order_of.stamp());
        if pattern {
            self.rebuild_pattern(fixed);
        }
        self.rebuild_blocks(fixed);
        let now = self.order_of.stamp();
        PairChange {
            blocks: true,
            pattern: self.free.stamp() != free,
            order: now != order && now != fixed.free.stamp(),
        }
    }

    /// The pattern of the static entries and those of the pairs that have their storage there, and the order it takes over.
    fn rebuild_pattern(&mut self, fixed: &StaticPattern) {
        let own = self
            .pairs
            .iter()
            .filter(|p| p.storage == Storage::OnPattern);
        let own: Vec<NodePair> = own.map(|p| p.nodes).collect();
        self.free = if own.is_empty() {
            self.order_of = fixed.free.clone();
            self.order_pairs.clear();
            fixed.free.clone()
        } else if own == self.order_pairs {
            self.order_of.clone()
        } else {
            let entries = own.iter().flat_map(|&p| fixed.entries(p));
            let pattern = Pattern::extended(&fixed.free, entries, Some(&self.order_of));
            if !pattern.keeps_order() {
                self.order_of = pattern.clone();
                self.order_pairs = own;
            }
            pattern
        };
        self.static_places = Arc::new(match self.free.stamp() == fixed.free.stamp() {
            true => Vec::new(),
            false => places(&fixed.free, &self.free),
        });
    }

    /// The dynamic blocks, and where their entries go.
    fn rebuild_blocks(&mut self, fixed: &StaticPattern) {
        let first = fixed.blocks.len();
        let pairs = self.pairs.iter().map(|p| p.nodes);
        self.blocks = BlockPattern::of_pairs(fixed.blocks.nodes(), first, pairs);
        let (mut on_pattern, mut off_pattern) = (Vec::new(), Vec::new());
        for j in 0..self.blocks.nodes() {
            for k in self.blocks.column(j) {
                let i = self.blocks.rows[k] as usize;
                for (r, c) in (0..3).flat_map(|r| (0..3).map(move |c| (r, c))) {
                    let (row, column) = (fixed.numbers[i][r], fixed.numbers[j][c]);
                    if row == HELD || column == HELD || row < column {
                        continue;
                    }
                    let place = (9 * (first + k) + 3 * r + c) as u32;
                    match self.free.find(row as usize, column as usize) {
                        Some(entry) => on_pattern.push((entry as u32, place)),
                        None => off_pattern.push((row, column, place)),
                    }
                }
            }
        }
        (self.on_pattern, self.off_pattern) = (Arc::new(on_pattern), Arc::new(off_pattern));
    }
}

/// Blocks of pairs: one for each, and one for each of their nodes.
fn dynamic_blocks(pairs: impl Iterator<Item = NodePair> + Clone) -> usize {
    let mut nodes: Vec<u32> = pairs.clone().flat_map(|(a, b)| [a, b]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    pairs.count() + nodes.len()
}

/// Where the entries of a pattern are on a larger one.
fn places(from: &Pattern, to: &Pattern) -> Vec<u32> {
    let mut out = Vec::with_capacity(from.nnz());
    for j in 0..from.n() {
        let mut k = to.starts()[j];
        for row in &from.rows()[from.starts()[j]..from.starts()[j + 1]] {
            while to.rows()[k] < *row {
                k += 1;
            }
            out.push(k as u32);
        }
    }
    out
}
