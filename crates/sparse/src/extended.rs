//! Patterns that grow and shrink.
//!
//! A pattern with a few entries more than another one has nearly the same fill-reducing order. Such an order is expensive to
//! find (nested dissection costs several factorizations), while the elimination tree and the counts of the columns under
//! a given order are cheap. So a pattern may take over the order of another one, as long as the operations of a
//! factorization stay below [`MAX_FLOP_GROWTH`] times those of the pattern for which the order was made.

use std::sync::Arc;

use crate::order::{Order, Ordering};
use crate::pattern::{Pattern, columns};

/// Growth of the operations of a factorization beyond which an order is not taken over any more.
pub const MAX_FLOP_GROWTH: f64 = 1.5;

impl Pattern {
    /// The entries of `base` and these, of either triangle, ordered like `order_of`, if given, as long as that is cheap.
    /// Returns `base` itself if it has them all.
    ///
    /// # Panics
    /// If an entry lies outside the matrix, or if `order_of` is a pattern of other unknowns.
    pub fn extended(
        base: &Arc<Pattern>,
        entries: impl IntoIterator<Item = (usize, usize)>,
        order_of: Option<&Arc<Pattern>>,
    ) -> Arc<Pattern> {
        let n = base.n();
        assert!(
            order_of.is_none_or(|p| p.groups() == base.groups()),
            "the order of a pattern of other unknowns cannot be taken over"
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
        let (extra_starts, extra_rows) = columns(n, &extra);
        let mut starts = Vec::with_capacity(n + 1);
        let mut rows = Vec::with_capacity(base.nnz() + extra.len());
        starts.push(0);
        for j in 0..n {
            let more = &extra_rows[extra_starts[j] + 1..extra_starts[j + 1]];
            let own = &base.rows()[base.starts()[j]..base.starts()[j + 1]];
            merge_ascending(own, more, &mut rows);
            starts.push(rows.len());
        }
        if rows.len() == base.nnz() {
            return base.clone();
        }
        let mut pattern = Pattern::stamped(starts, rows, base.groups().to_vec());
        if let Some(given) = order_of {
            let root = given.order_of.as_ref().unwrap_or(given);
            let order = Order::kept(&pattern, root.best_order());
            if order.flops <= MAX_FLOP_GROWTH * root.best_order().flops {
                pattern.order_of = Some(root.clone());
                pattern.order = order.into();
            }
        }
        Arc::new(pattern)
    }

    /// Whether its order of elimination was taken over from another pattern.
    pub fn keeps_order(&self) -> bool {
        self.order_of.is_some()
    }

    /// The order of elimination with its cost: taken over, or the best that is known.
    pub fn best_order(&self) -> &Order {
        self.order.get_or_init(|| match &self.order_of {
            Some(root) => Order::kept(self, root.best_order()),
            None => Order::of(self, Ordering::Best),
        })
    }

    /// A number that patterns of the same entries, groups and order of elimination have in common in every process, and
    /// others with near certainty do not (FNV-1a): what a checkpoint tells a pattern by.
    pub fn fingerprint(&self) -> u64 {
        let own = self.starts().iter().chain(self.rows()).map(|&x| x as u64);
        let groups = self.groups().iter().map(|&g| u64::from(g));
        let order = self.order_of.as_ref().map(|root| root.fingerprint());
        let words = own.chain(groups).chain(order);
        words.fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| {
            let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            word.to_le_bytes().into_iter().fold(hash, step)
        })
    }
}

/// Appends what is in either of two ascending lists, once.
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
