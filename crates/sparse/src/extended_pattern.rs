//! Patterns that gain and lose entries, and when they inherit the elimination order of another pattern.
//!
//! A pattern with a few more entries than another one has nearly the same fill-reducing order. Computing such an order
//! is expensive (nested dissection costs several factorizations), while the elimination tree and the column counts for
//! a given order are cheap. So a pattern inherits the order of another one as long as a factorization takes at most
//! [`MAX_FLOP_GROWTH`] times the operations of the pattern the order was computed for.

use std::sync::Arc;

use crate::ordering::{EliminationOrder, Ordering};
use crate::pattern::{Pattern, compress_columns};
use crate::two_level::MAX_DIRECT_VERTICES;

/// The largest growth of factorization operations at which a pattern still inherits an elimination order.
pub const MAX_FLOP_GROWTH: f64 = 1.5;

impl Pattern {
    /// Returns the pattern with the entries of `base` and the given ones, of either triangle. It inherits the
    /// elimination order of `order_source`, if given, unless that grows the operations beyond [`MAX_FLOP_GROWTH`].
    /// Returns `base` itself if it already has all entries.
    ///
    /// # Panics
    /// If an entry lies outside the matrix, or if `order_source` has other groups than `base`.
    pub fn extended(
        base: &Arc<Pattern>,
        entries: impl IntoIterator<Item = (usize, usize)>,
        order_source: Option<&Arc<Pattern>>,
    ) -> Arc<Pattern> {
        let n = base.n();
        assert!(
            order_source.is_none_or(|p| p.groups() == base.groups()),
            "a pattern can only inherit the order of a pattern with the same groups"
        );
        let extra: Vec<(u32, u32)> = entries
            .into_iter()
            .map(|(i, j)| {
                assert!(
                    i < n && j < n,
                    "entry ({i}, {j}) lies outside of {n} unknowns"
                );
                (i.max(j) as u32, i.min(j) as u32)
            })
            .collect();
        let (extra_starts, extra_rows) = compress_columns(n, &extra);
        let mut starts = Vec::with_capacity(n + 1);
        let mut rows = Vec::with_capacity(base.nnz() + extra.len());
        starts.push(0);
        for j in 0..n {
            let more = &extra_rows[extra_starts[j] + 1..extra_starts[j + 1]];
            let own = &base.row_indices()[base.column_starts()[j]..base.column_starts()[j + 1]];
            merge_ascending(own, more, &mut rows);
            starts.push(rows.len());
        }
        if rows.len() == base.nnz() {
            return base.clone();
        }
        let mut pattern = Pattern::stamped(starts, rows, base.groups().to_vec());
        pattern.placement = base.placement.clone();
        // Bodies with dense neighbourhoods are solved without factors; their elimination orders are expensive.
        let iterative = pattern.placement.is_some() && n > 3 * MAX_DIRECT_VERTICES;
        if let Some(given) = order_source.filter(|_| !iterative) {
            let root = given.order_source.as_ref().unwrap_or(given);
            let order = EliminationOrder::inherited(&pattern, root.elimination_order());
            if order.flops <= MAX_FLOP_GROWTH * root.elimination_order().flops {
                pattern.order_source = Some(root.clone());
                pattern.order = order.into();
            }
        }
        Arc::new(pattern)
    }

    /// Returns whether this pattern inherits its elimination order from another one.
    pub fn inherits_order(&self) -> bool {
        self.order_source.is_some()
    }

    /// Returns the elimination order and its cost: the inherited one, or else the cheapest found.
    pub fn elimination_order(&self) -> &EliminationOrder {
        self.order.get_or_init(|| match &self.order_source {
            Some(root) => EliminationOrder::inherited(self, root.elimination_order()),
            None => EliminationOrder::compute(self, Ordering::Best),
        })
    }

    /// Returns a hash (FNV-1a) of entries, groups and elimination order that is the same in every process. Checkpoints
    /// identify patterns by it.
    pub fn fingerprint(&self) -> u64 {
        let own = self
            .column_starts()
            .iter()
            .chain(self.row_indices())
            .map(|&x| x as u64);
        let groups = self.groups().iter().map(|&g| u64::from(g));
        let order = self.order_source.as_ref().map(|root| root.fingerprint());
        let words = own.chain(groups).chain(order);
        words.fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| {
            let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            word.to_le_bytes().into_iter().fold(hash, step)
        })
    }
}

/// Appends the union of two ascending lists, ascending and without duplicates.
fn merge_ascending(a: &[usize], b: &[usize], out: &mut Vec<usize>) {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        out.push(a[i].min(b[j]));
        let (less, more) = (a[i] <= b[j], b[j] <= a[i]);
        i += usize::from(less);
        j += usize::from(more);
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
}
