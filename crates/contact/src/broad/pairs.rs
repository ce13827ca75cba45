//! Overlapping pairs of boxes of two hierarchies, or of one with itself.

use rayon::prelude::*;

use super::tree::{Tree, WIDTH};

/// What decides whether two items are a pair: up to three vertices, and a group at the end. Kept in the order of the leaves, so
/// that the items of a leaf are read together.
pub(super) type Key = [u32; 4];

/// Number of leaves whose overlaps one task finds.
const LEAVES_PER_TASK: usize = 64;

/// Buffers for finding and sorting pairs.
#[derive(Debug, Default)]
pub(super) struct PairFinder {
    /// Keys of the items of both hierarchies, in the order of their leaves.
    keys: [Vec<Key>; 2],
    /// Pairs found by each task.
    found: Vec<Vec<[u32; 2]>>,
    /// Where the pairs of each first item begin, while they are sorted.
    starts: Vec<u32>,
    /// Second items, grouped by the first ones.
    seconds: Vec<u32>,
}

impl PairFinder {
    /// Finds the pairs of an item of `a` and an item of `b` whose boxes overlap and which `accept` takes. Writes `make` of
    /// them, sorted by the numbers of the items.
    pub fn between<T>(
        &mut self,
        a: &Tree,
        b: &Tree,
        key_of: (impl Fn(u32) -> Key, impl Fn(u32) -> Key),
        accept: impl Fn(&Key, &Key) -> bool + Sync,
        make: impl Fn(u32, u32) -> T,
        out: &mut Vec<T>,
    ) {
        if a.items.is_empty() || b.items.is_empty() {
            return out.clear();
        }
        fill_keys(&mut self.keys[0], a, key_of.0);
        fill_keys(&mut self.keys[1], b, key_of.1);
        let keys = std::mem::take(&mut self.keys);
        self.find(a.levels[0].len(), |leaf, found| {
            let bounds = a.leaf_bounds(leaf);
            let own = &a.levels[0][leaf];
            let items = &a.items[leaf * WIDTH..a.items.len().min((leaf + 1) * WIDTH)];
            b.visit_leaves(&bounds, 0, |other, around| {
                let node = &b.levels[0][other];
                let mut near = own.overlapping(around);
                while near != 0 {
                    let i = near.trailing_zeros() as usize;
                    near &= near - 1;
                    let (first, key) = (items[i], keys[0][leaf * WIDTH + i]);
                    let mut hits = node.overlapping(&own.child(i));
                    while hits != 0 {
                        let j = hits.trailing_zeros() as usize;
                        hits &= hits - 1;
                        if accept(&key, &keys[1][other * WIDTH + j]) {
                            found.push([first, b.items[other * WIDTH + j]]);
                        }
                    }
                }
            });
        });
        self.keys = keys;
        self.sort(a.items.len(), make, out);
    }

    /// Finds the pairs of different items of `a` whose boxes overlap and which `accept` takes, with the smaller item first.
    /// Writes `make` of them, sorted by the numbers of the items.
    pub fn within<T>(
        &mut self,
        a: &Tree,
        key_of: impl Fn(u32) -> Key,
        accept: impl Fn(&Key, &Key) -> bool + Sync,
        make: impl Fn(u32, u32) -> T,
        out: &mut Vec<T>,
    ) {
        if a.items.is_empty() {
            return out.clear();
        }
        fill_keys(&mut self.keys[0], a, key_of);
        let keys = std::mem::take(&mut self.keys[0]);
        self.find(a.levels[0].len(), |leaf, found| {
            let bounds = a.leaf_bounds(leaf);
            let own = &a.levels[0][leaf];
            let items = &a.items[leaf * WIDTH..a.items.len().min((leaf + 1) * WIDTH)];
            a.visit_leaves(&bounds, leaf, |other, around| {
                let node = &a.levels[0][other];
                let mut near = own.overlapping(around);
                while near != 0 {
                    let i = near.trailing_zeros() as usize;
                    near &= near - 1;
                    let (one, key) = (items[i], keys[leaf * WIDTH + i]);
                    let mut hits = node.overlapping(&own.child(i));
                    if other == leaf {
                        // Within a leaf, each item meets the later ones.
                        hits &= !0 << (i + 1);
                    }
                    while hits != 0 {
                        let j = hits.trailing_zeros() as usize;
                        hits &= hits - 1;
                        if accept(&key, &keys[other * WIDTH + j]) {
                            let two = a.items[other * WIDTH + j];
                            found.push([one.min(two), one.max(two)]);
                        }
                    }
                }
            });
        });
        self.keys[0] = keys;
        self.sort(a.items.len(), make, out);
    }

    /// Runs `search` for all leaves in tasks of fixed size.
    fn find(&mut self, leaves: usize, search: impl Fn(usize, &mut Vec<[u32; 2]>) + Sync) {
        let tasks = leaves.div_ceil(LEAVES_PER_TASK);
        if self.found.len() < tasks {
            self.found.resize_with(tasks, Vec::new);
        }
        self.found.iter_mut().for_each(Vec::clear);
        let task = |(number, found): (usize, &mut Vec<[u32; 2]>)| {
            let first = number * LEAVES_PER_TASK;
            for leaf in first..leaves.min(first + LEAVES_PER_TASK) {
                search(leaf, found);
            }
        };
        if tasks == 1 {
            task((0, &mut self.found[0]));
        } else {
            self.found[..tasks]
                .par_iter_mut()
                .enumerate()
                .for_each(task);
        }
    }

    /// Sorts the pairs found: counts them by first item, groups them, and sorts each group.
    fn sort<T>(&mut self, items: usize, make: impl Fn(u32, u32) -> T, out: &mut Vec<T>) {
        out.clear();
        self.starts.clear();
        self.starts.resize(items + 1, 0);
        for &[first, _] in self.found.iter().flatten() {
            self.starts[first as usize + 1] += 1;
        }
        for i in 0..items {
            self.starts[i + 1] += self.starts[i];
        }
        let total = self.starts[items] as usize;
        self.seconds.clear();
        self.seconds.resize(total, 0);
        for &[first, second] in self.found.iter().flatten() {
            let at = &mut self.starts[first as usize];
            self.seconds[*at as usize] = second;
            *at += 1;
        }
        // Each entry of `starts` has moved to the end of its group.
        out.reserve(total);
        let mut begin = 0;
        for first in 0..items {
            let end = self.starts[first] as usize;
            let group = &mut self.seconds[begin..end];
            group.sort_unstable();
            out.extend(group.iter().map(|&second| make(first as u32, second)));
            begin = end;
        }
    }
}

/// Writes the keys of the items of a hierarchy in the order of its leaves.
fn fill_keys(keys: &mut Vec<Key>, tree: &Tree, key_of: impl Fn(u32) -> Key) {
    keys.clear();
    keys.extend(tree.items.iter().map(|&item| key_of(item)));
}
