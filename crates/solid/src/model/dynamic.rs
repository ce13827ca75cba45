//! Potentials with changing stencils inside a model: which node pairs are stored, and when the matrix pattern changes.
//!
//! Before a tangent or a damping matrix is evaluated at a state, such potentials announce the pairs that are active there
//! ([`Stencils::active_pairs`](crate::potential::Stencils::active_pairs)). The model merges them into the superset
//! ([`DynamicPairs`]) and binds the potentials to its blocks, which follow the static blocks in every array of blocks.
//!
//! An attempted step works on a copy of the superset of the last accepted step, so a rejected attempt leaves no trace. The
//! copy becomes the superset when the step is accepted.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use sparse::{Matrix, OffPatternEntry, Pattern};

use super::damping::has_positional_matrix;
use super::{Model, Work};
use crate::blocks::{
    Block, BlockPattern, DynamicPairs, NodePair, PairChange, SavedPairs, StaticPattern,
    add_product, move_blocks,
};
use crate::potential::{Configuration, Potential};

/// Statistics of a matrix pattern that follows changing node pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternStats {
    /// Number of blocks of the static pattern and of the pairs announced last.
    pub active_blocks: usize,
    /// Number of stored blocks: static ones, and those of the superset of pairs.
    pub stored_blocks: usize,
    /// Number of pairs whose entries are not part of the pattern.
    pub off_pattern_pairs: usize,
    /// Number of announcements that differed from the one before, those of rejected attempts included.
    pub changes: u64,
    /// Number of patterns built.
    pub patterns: u64,
    /// Number of fill-reducing orderings computed for them; the other patterns reuse an earlier ordering.
    pub orderings: u64,
}

/// Node pairs of the potentials with changing stencils.
pub(super) struct Dynamic {
    /// Indices of these potentials.
    potentials: Vec<usize>,
    /// Whether one of them has a damping matrix, frozen or dependent on positions.
    damps: bool,
    fixed: StaticPattern,
    /// The superset of the current attempt.
    pub pairs: DynamicPairs,
    /// The superset of the last accepted step.
    committed: DynamicPairs,
    /// Time at the start of the current attempt.
    attempt_from: Option<f64>,
    /// The pairs announced last.
    active: Vec<NodePair>,
    before: Vec<NodePair>,
    counts: PatternStats,
    /// Static pattern of the constant matrix of local/global iterations.
    pub constant: OnceLock<Arc<Pattern>>,
}

impl Dynamic {
    /// Returns `None` if no potential changes its stencils.
    pub fn of(potentials: &[Box<dyn Potential>], fixed: StaticPattern) -> Option<Box<Dynamic>> {
        let changing = |&k: &usize| potentials[k].changes_stencils();
        let which: Vec<usize> = (0..potentials.len()).filter(changing).collect();
        if which.is_empty() {
            return None;
        }
        let damps = |&k: &usize| {
            let p = potentials[k].as_ref();
            has_positional_matrix(p) || p.stiffness_damping().factor > 0.0
        };
        let pairs = DynamicPairs::new(&fixed);
        Some(Box::new(Dynamic {
            damps: which.iter().any(damps),
            potentials: which,
            committed: pairs.clone(),
            pairs,
            fixed,
            attempt_from: None,
            active: Vec::new(),
            before: Vec::new(),
            counts: PatternStats::default(),
            constant: OnceLock::new(),
        }))
    }

    /// Replaces the static pattern over the unknowns between two steps. The stored pairs stay the same.
    pub fn replace_static(&mut self, free: Arc<Pattern>) {
        self.fixed.free = free;
        let saved = self.committed.save();
        let pairs = DynamicPairs::load(&self.fixed, saved);
        self.committed = pairs.unwrap_or_else(|| DynamicPairs::new(&self.fixed));
        self.pairs.clone_from(&self.committed);
    }

    /// Adds the blocks of node pairs that are coupled at the current state only to the matrix: in place if they lie on its
    /// pattern, otherwise as off-pattern entries.
    pub fn scatter(&self, value: impl Fn(usize) -> f64, out: &mut Matrix) {
        for &(entry, place) in self.pairs.on_pattern.iter() {
            out.values_mut()[entry as usize] += value(place as usize);
        }
        let off_pattern = self.pairs.off_pattern.iter();
        let off_pattern = off_pattern.map(|&(row, column, place)| OffPatternEntry {
            row: row as usize,
            column: column as usize,
            value: value(place as usize),
        });
        // Entries that are zero at this state need no correction of the factor.
        out.set_off_pattern(off_pattern.filter(|e| e.value != 0.0));
    }

    /// FNV-1a hash of the active pairs.
    fn active_hash(&self) -> u64 {
        let words = self.active.iter().flat_map(|&(a, b)| [a, b]);
        words.fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| {
            let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            word.to_le_bytes().into_iter().fold(hash, step)
        })
    }

    /// Collects the active pairs of the potentials at a configuration.
    fn collect_pairs(&mut self, potentials: &mut [Box<dyn Potential>], placed: &Configuration) {
        std::mem::swap(&mut self.active, &mut self.before);
        self.active.clear();
        for &k in &self.potentials {
            potentials[k].active_pairs(placed, &mut self.active);
        }
        let active = &mut self.active;
        active.retain(|(a, b)| a != b);
        active
            .iter_mut()
            .for_each(|p| *p = (p.0.min(p.1), p.0.max(p.1)));
        active.sort_unstable();
        active.dedup();
        self.counts.changes += u64::from(self.active != self.before);
    }

    fn count(&mut self, change: PairChange) {
        self.counts.patterns += u64::from(change.pattern);
        self.counts.orderings += u64::from(change.order);
    }
}

/// The patterns of static and dynamic blocks.
#[derive(Clone, Copy)]
pub(super) struct Patterns<'a> {
    fixed: &'a BlockPattern,
    dynamic: Option<&'a BlockPattern>,
}

impl<'a> Patterns<'a> {
    pub fn of(fixed: &'a BlockPattern, dynamic: &'a Option<Box<Dynamic>>) -> Patterns<'a> {
        Patterns {
            fixed,
            dynamic: dynamic.as_ref().map(|d| d.pairs.blocks.as_ref()),
        }
    }

    /// y += scale · A x for a symmetric matrix of static and dynamic blocks.
    pub fn add_product(&self, blocks: &[Block], scale: f64, x: &[[f64; 3]], y: &mut [[f64; 3]]) {
        add_product(self.fixed, blocks, scale, x, y);
        if let Some(dynamic) = self.dynamic {
            add_product(dynamic, blocks, scale, x, y);
        }
    }
}

impl Work {
    /// Moves all dynamic blocks to their positions in another pattern.
    fn move_blocks(&mut self, from: &BlockPattern, to: &BlockPattern) {
        let all = [
            &mut self.stiffness,
            &mut self.rayleigh,
            &mut self.positional.blocks,
            &mut self.trial.blocks,
            &mut self.dampers,
        ];
        for blocks in all.into_iter().filter(|b| !b.is_empty()) {
            move_blocks(from, to, blocks);
        }
    }
}

impl Model {
    /// Returns statistics of the matrix pattern, or `None` if no potential changes its stencils.
    pub fn pattern_stats(&self) -> Option<PatternStats> {
        let dynamic = self.dynamic.as_ref()?;
        Some(PatternStats {
            active_blocks: DynamicPairs::active_blocks(&dynamic.fixed, &dynamic.active),
            stored_blocks: dynamic.pairs.stored_blocks(&dynamic.fixed),
            off_pattern_pairs: dynamic.pairs.off_pattern_pairs(),
            ..dynamic.counts
        })
    }

    /// Announces the active pairs at the current configuration and binds their potentials.
    pub(super) fn announce_pairs(&mut self) {
        let Some(dynamic) = &mut self.dynamic else {
            return;
        };
        let placed = Configuration {
            t: self.placed.t.unwrap_or(0.0),
            rest: &self.rest,
            u: &self.placed.u,
        };
        dynamic.collect_pairs(&mut self.potentials, &placed);
        let before = dynamic.pairs.blocks.clone();
        let change = dynamic.pairs.announce(&dynamic.fixed, &dynamic.active);
        dynamic.count(change);
        if change.blocks {
            self.work.move_blocks(&before, &dynamic.pairs.blocks);
        }
        self.bind_pairs();
    }

    /// Binds the potentials to the blocks of the pairs announced last.
    pub(super) fn bind_pairs(&mut self) {
        if let Some(dynamic) = &self.dynamic {
            for &k in &dynamic.potentials {
                self.potentials[k].bind(&dynamic.pairs.blocks);
            }
        }
    }

    /// Announces the active pairs if potentials with changing stencils have a damping matrix.
    pub(super) fn announce_damping_pairs(&mut self) {
        if self.dynamic.as_ref().is_some_and(|d| d.damps) {
            self.announce_pairs();
        }
    }

    /// Begins an attempt at the current state with the superset of the last accepted step.
    pub(super) fn begin_pairs(&mut self) {
        if let Some(dynamic) = &mut self.dynamic {
            dynamic.attempt_from = self.placed.t;
            // Damping at the start is evaluated again even if it is known: every attempt has to announce its pairs.
            self.work.positional.current &= !dynamic.damps;
            self.reset_pairs();
        }
    }

    /// Restores the superset of the last accepted step.
    fn reset_pairs(&mut self) {
        let Some(dynamic) = &mut self.dynamic else {
            return;
        };
        if !Arc::ptr_eq(&dynamic.pairs.blocks, &dynamic.committed.blocks) {
            let (from, to) = (&dynamic.pairs.blocks, &dynamic.committed.blocks);
            self.work.move_blocks(from, to);
            self.work.positional.current = false;
        }
        dynamic.pairs.clone_from(&dynamic.committed);
    }

    /// Announces the active pairs if all potentials are projective: the constant matrix of local/global iterations is that
    /// of the pairs at the start of the step.
    pub(super) fn announce_constant_pairs(&mut self) {
        if self.constant_dynamic().is_some() && self.is_projective() {
            self.announce_pairs();
        }
    }

    /// Accepts the superset of the attempt that led to the current state.
    pub(super) fn end_pairs(&mut self) {
        let Some(dynamic) = &mut self.dynamic else {
            return;
        };
        // A state that no attempt has led to (initial, restored, or after a failure) does not change the superset.
        let from = dynamic.attempt_from.take();
        if !from.zip(self.placed.t).is_some_and(|(from, t)| t > from) {
            self.reset_pairs();
            self.announce_constant_pairs();
            return;
        }
        self.announce_pairs();
        let Some(dynamic) = &mut self.dynamic else {
            return;
        };
        let before = dynamic.pairs.blocks.clone();
        let change = dynamic.pairs.end_step(&dynamic.fixed, &dynamic.active);
        dynamic.count(change);
        if change.blocks {
            self.work.move_blocks(&before, &dynamic.pairs.blocks);
            self.work.positional.current = false;
        }
        dynamic.committed.clone_from(&dynamic.pairs);
        self.bind_pairs();
    }

    /// Returns the superset of the last accepted step, or `None` if no potential changes its stencils.
    pub(super) fn save_pairs(&self) -> Option<SavedPairs> {
        self.dynamic.as_ref().map(|d| d.committed.save())
    }

    /// Restores the result of [`Model::save_pairs`]. Returns `false` if it does not fit this model.
    pub(super) fn load_pairs(&mut self, saved: SavedPairs) -> bool {
        let Some(dynamic) = &mut self.dynamic else {
            return false;
        };
        let Some(pairs) = DynamicPairs::load(&dynamic.fixed, saved) else {
            return false;
        };
        self.work.move_blocks(&dynamic.pairs.blocks, &pairs.blocks);
        self.work.positional.current = false;
        dynamic.committed.clone_from(&pairs);
        dynamic.pairs = pairs;
        dynamic.attempt_from = None;
        true
    }

    /// Pattern of the matrix over the unknowns.
    pub(super) fn matrix_pattern(&self) -> &Arc<Pattern> {
        match &self.dynamic {
            Some(dynamic) => &dynamic.pairs.free,
            None => &self.free_pattern,
        }
    }

    /// Returns a hash of the active pairs of the constant matrix, or `None` if that matrix never changes.
    pub(super) fn constant_pairs_stamp(&self) -> Option<u64> {
        self.constant_dynamic().map(|d| d.active_hash())
    }

    /// Returns the dynamic pairs if they are part of the constant matrix; pairs of potentials with stiff rows are not.
    pub(super) fn constant_dynamic(&self) -> Option<&Dynamic> {
        let dynamic = self.dynamic.as_deref()?;
        let own = |k: &usize| !self.potentials[*k].has_stiff_rows();
        dynamic.potentials.iter().any(own).then_some(dynamic)
    }
}
