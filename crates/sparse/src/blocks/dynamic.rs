//! Dynamic node pairs, which are active at some states only: contact, bonds, springs of finite range.
//!
//! Every new matrix pattern costs a symbolic analysis, so the pattern should change rarely:
//! - A pair that is no longer active is kept, as explicit zeros, until the stored blocks, static and dynamic together,
//!   exceed [`MAX_STORED_TO_ACTIVE`] times the active ones at the end of a step. Then the pairs idle for longest are
//!   removed.
//! - New pairs that couple at most [`MAX_OFF_PATTERN_UNKNOWNS`] unknowns stay off the pattern: the factor of the entries on
//!   the pattern is corrected for them ([`sparse::Matrix::off_pattern`]). If there are more of them, or if one has been
//!   active for [`MAX_OFF_PATTERN_STEPS`] steps, a new pattern is built.
//! - A new pattern reuses the fill-reducing ordering of an earlier one while that is cheap
//!   ([`sparse::Pattern::extended`]).
//!
//! All decisions depend only on the pairs announced in accepted steps, so a run resumed from [`DynamicPairs::save`] makes
//! the same decisions as an uninterrupted one.

use std::sync::Arc;

use crate::Pattern;
use serde::{Deserialize, Serialize};

use super::BlockPattern;

/// Two different nodes, in ascending order.
pub type NodePair = (u32, u32);

/// Ratio of stored to active blocks, static and dynamic together, above which idle pairs are removed.
pub const MAX_STORED_TO_ACTIVE: f64 = 1.5;

/// Ratio of stored to active blocks down to which idle pairs are removed. It is below [`MAX_STORED_TO_ACTIVE`], so the next
/// removal is some steps away.
const STORED_TO_ACTIVE_AFTER_REMOVAL: f64 = 1.25;

/// Largest number of unknowns that off-pattern pairs may couple: the correction of a factor costs about as many solves on a
/// part of the elimination tree.
const MAX_OFF_PATTERN_UNKNOWNS: usize = 48;

/// Number of consecutive steps after which an active off-pattern pair has cost more than a symbolic analysis.
const MAX_OFF_PATTERN_STEPS: u32 = 32;

/// Marks a component without unknown, because its displacement is prescribed, in lists of unknown numbers.
pub const NO_UNKNOWN: u32 = u32::MAX;

/// The patterns of the matrix entries that never change, and the numbering of the unknowns.
#[derive(Clone, Debug)]
pub struct StaticPattern {
    /// Pattern of the blocks.
    pub blocks: Arc<BlockPattern>,
    /// Pattern over the unknowns.
    pub free: Arc<Pattern>,
    /// Number of the unknown of each node and axis, ascending with the nodes; `u32::MAX` if the component is prescribed.
    pub numbers: Vec<[u32; 3]>,
}

impl StaticPattern {
    /// Unknowns of a node.
    fn unknowns(&self, node: u32) -> impl Iterator<Item = usize> + '_ {
        let numbers = self.numbers[node as usize].into_iter();
        numbers.filter(|&k| k != NO_UNKNOWN).map(|k| k as usize)
    }

    /// Matrix entries that a pair couples.
    fn entries(&self, (a, b): NodePair) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.unknowns(a)
            .flat_map(move |i| self.unknowns(b).map(move |j| (j, i)))
    }

    /// Returns `true` if the static pattern has all entries that a pair couples.
    fn covers(&self, pair: NodePair) -> bool {
        self.blocks.contains(pair.0, pair.1) || self.entries(pair).next().is_none()
    }
}

/// How the matrix stores the entries of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Storage {
    /// On static entries, or not at all because one of its nodes is prescribed.
    Static,
    /// On entries by which the pattern was extended.
    OnPattern,
    /// As off-pattern entries.
    OffPattern,
}

/// A pair of the superset.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Pair {
    nodes: NodePair,
    storage: Storage,
    /// Number of consecutive steps, up to the last one, in which the pair was active.
    active_steps: u32,
    /// Number of steps since the pair was active.
    idle_steps: u32,
    /// Whether the pair was announced in the current step.
    announced: bool,
}

/// What changed when pairs were announced or a step ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairChange {
    /// Whether the pattern of the dynamic blocks changed.
    pub blocks: bool,
    /// Whether the pattern of the matrix changed.
    pub pattern: bool,
    /// Whether the new pattern needs a new fill-reducing ordering.
    pub order: bool,
}

/// Serialisable state of [`DynamicPairs`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedPairs {
    pairs: Vec<Pair>,
    order_pairs: Vec<NodePair>,
}

/// The stored dynamic pairs, a superset of the active ones, and the patterns built for them.
#[derive(Clone, Debug)]
pub struct DynamicPairs {
    /// The pairs in ascending order.
    pairs: Vec<Pair>,
    /// The pattern whose fill-reducing ordering is in use, and the pairs it was extended for.
    order_of: Arc<Pattern>,
    order_pairs: Vec<NodePair>,
    /// Pattern of the dynamic blocks.
    pub blocks: Arc<BlockPattern>,
    /// Pattern of the matrix over the unknowns.
    pub free: Arc<Pattern>,
    /// Index in `free` of each entry of the static pattern; empty if the patterns are the same.
    pub static_entries: Arc<Vec<u32>>,
    /// Index in `free` and 9 · block + position in it, for every entry of dynamic blocks that is on the pattern.
    pub on_pattern: Arc<Vec<(u32, u32)>>,
    /// Row, column and 9 · block + position in it, for every entry of dynamic blocks that is off the pattern.
    pub off_pattern: Arc<Vec<(u32, u32, u32)>>,
}

impl DynamicPairs {
    /// The empty set of pairs.
    pub fn new(fixed: &StaticPattern) -> DynamicPairs {
        let nodes = fixed.blocks.nodes();
        DynamicPairs {
            pairs: Vec::new(),
            order_of: fixed.free.clone(),
            order_pairs: Vec::new(),
            blocks: BlockPattern::of_pairs(nodes, fixed.blocks.len(), std::iter::empty()),
            free: fixed.free.clone(),
            static_entries: Arc::default(),
            on_pattern: Arc::default(),
            off_pattern: Arc::default(),
        }
    }

    /// Returns the state that a resumed run needs.
    pub fn save(&self) -> SavedPairs {
        SavedPairs {
            pairs: self.pairs.clone(),
            order_pairs: self.order_pairs.clone(),
        }
    }

    /// Restores a saved state. Returns `None` if it belongs to another model.
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

    /// Adds the pairs that are active at a state; `active` is sorted and has no duplicates.
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

    /// Ends a step: counts idle steps and removes or absorbs pairs. `active` is sorted and was announced before.
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
        // A pattern that is built anyway takes in all pairs.
        let absorb = shrunk || self.pairs.iter().any(lasting);
        if self.pairs.len() == before && !absorb {
            return PairChange::default();
        }
        self.rebuild(fixed, absorb, absorb)
    }

    /// Number of stored blocks, static and dynamic together.
    pub fn stored_blocks(&self, fixed: &StaticPattern) -> usize {
        fixed.blocks.len() + self.blocks.len()
    }

    /// Number of blocks of the static pattern and of the active pairs.
    pub fn active_blocks(fixed: &StaticPattern, active: &[NodePair]) -> usize {
        fixed.blocks.len() + dynamic_blocks(active.iter().copied())
    }

    /// Number of pairs that are off the pattern.
    pub fn off_pattern_pairs(&self) -> usize {
        self.count(Storage::OffPattern)
    }

    fn count(&self, storage: Storage) -> usize {
        self.pairs.iter().filter(|p| p.storage == storage).count()
    }

    /// Number of unknowns that off-pattern pairs couple.
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

    /// Removes pairs that are not active, longest idle first, if too many blocks are stored.
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

    /// Rebuilds the dynamic blocks. `absorb` moves off-pattern pairs onto the pattern, `pattern` rebuilds the pattern.
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

    /// Rebuilds the pattern from the static entries and the on-pattern pairs, and chooses its fill-reducing ordering.
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
            if !pattern.inherits_order() {
                self.order_of = pattern.clone();
                self.order_pairs = own;
            }
            pattern
        };
        self.static_entries = Arc::new(match self.free.stamp() == fixed.free.stamp() {
            true => Vec::new(),
            false => places(&fixed.free, &self.free),
        });
    }

    /// Rebuilds the pattern of the dynamic blocks and the map of their entries.
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
                    if row == NO_UNKNOWN || column == NO_UNKNOWN || row < column {
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

/// Number of blocks of pairs: one for each pair and one for each of their nodes.
fn dynamic_blocks(pairs: impl Iterator<Item = NodePair> + Clone) -> usize {
    let mut nodes: Vec<u32> = pairs.clone().flat_map(|(a, b)| [a, b]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    pairs.count() + nodes.len()
}

/// Index of each entry of a pattern in a larger pattern.
fn places(from: &Pattern, to: &Pattern) -> Vec<u32> {
    let mut out = Vec::with_capacity(from.nnz());
    for j in 0..from.n() {
        let mut k = to.column_starts()[j];
        for row in &from.row_indices()[from.column_starts()[j]..from.column_starts()[j + 1]] {
            while to.row_indices()[k] < *row {
                k += 1;
            }
            out.push(k as u32);
        }
    }
    out
}
