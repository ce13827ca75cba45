//! Where a symmetric matrix may be non-zero.
//!
//! A [`Pattern`] never changes and is shared by every matrix that lives on it: the mass M, the stiffness K and Newton's
//! M + c_v D + c_u K. A system whose stencils come and go makes another one ([`Pattern::extended`]). All work that depends on structure alone (orderings, elimination
//! trees, scatter maps) is keyed by its [`stamp`](Pattern::stamp) and done once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::order::Order;

static NEXT_STAMP: AtomicU64 = AtomicU64::new(1);

/// Where the entries of a symmetric matrix's lower triangle (diagonal included) may be non-zero: compressed columns, rows
/// ascending in each column, so the first entry of a column is its diagonal. Immutable; shared by [`Arc`].
#[derive(Debug)]
pub struct Pattern {
    starts: Vec<usize>,
    rows: Vec<usize>,
    groups: Vec<u32>,
    stamp: u64,
    /// The pattern whose fill-reducing order this one takes over, itself ordered afresh; `None` for an order of its own.
    pub(crate) order_of: Option<Arc<Pattern>>,
    /// The order of elimination, found when it is first asked for.
    pub(crate) order: OnceLock<Order>,
}

impl Pattern {
    /// The pattern of an n × n matrix with the given entries, of either triangle; duplicates are fine and the diagonal is
    /// always included.
    ///
    /// # Panics
    /// When an entry lies outside the matrix or n exceeds `u32::MAX`.
    pub fn new(n: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> Arc<Pattern> {
        Pattern::grouped(n, entries, (0..n as u32).collect())
    }

    /// The same where unknown i belongs to vertex `groups[i]` (ascending): orderings work on the smaller graph of vertices.
    ///
    /// # Panics
    /// As [`Pattern::new`], and when `groups` has not n entries or descends.
    pub fn grouped(
        n: usize,
        entries: impl IntoIterator<Item = (usize, usize)>,
        groups: Vec<u32>,
    ) -> Arc<Pattern> {
        assert!(
            u32::try_from(n).is_ok(),
            "a pattern of {n} unknowns: at most {} are possible",
            u32::MAX
        );
        let pairs: Vec<(u32, u32)> = entries
            .into_iter()
            .map(|(i, j)| {
                assert!(
                    i < n && j < n,
                    "entry ({i}, {j}) lies outside a matrix of {n} unknowns"
                );
                (i.max(j) as u32, i.min(j) as u32)
            })
            .collect();
        let (starts, rows) = columns(n, &pairs);
        Pattern::sealed(starts, rows, groups)
    }

    /// The pattern of dense blocks: every unknown of a vertex is coupled with every unknown of the same vertex and of the
    /// vertices joined to it by an edge. `groups[i]` is the vertex of unknown i, ascending; vertices without unknowns
    /// (fixed ones) may appear in edges and are skipped. Far cheaper than listing the scalar entries one by one.
    ///
    /// # Panics
    /// When `groups` descends or has more than `u32::MAX` entries.
    pub fn blocks(
        groups: Vec<u32>,
        edges: impl IntoIterator<Item = (usize, usize)>,
    ) -> Arc<Pattern> {
        assert!(
            u32::try_from(groups.len()).is_ok(),
            "a pattern of {} unknowns",
            groups.len()
        );
        let vertices = groups.last().map_or(0, |&g| g as usize + 1);
        let first = firsts(&groups, vertices);
        let inside = |(i, j): &(usize, usize)| i != j && *i < vertices && *j < vertices;
        let pairs: Vec<(u32, u32)> = edges
            .into_iter()
            .filter(inside)
            .map(|(i, j)| (i.max(j) as u32, i.min(j) as u32))
            .collect();
        let (vertex_starts, vertex_rows) = columns(vertices, &pairs);
        let mut starts = Vec::with_capacity(groups.len() + 1);
        let mut rows = Vec::new();
        starts.push(0);
        for v in 0..vertices {
            for unknown in first[v]..first[v + 1] {
                rows.extend(unknown..first[v + 1]);
                for &w in &vertex_rows[vertex_starts[v] + 1..vertex_starts[v + 1]] {
                    rows.extend(first[w]..first[w + 1]);
                }
                starts.push(rows.len());
            }
        }
        Pattern::sealed(starts, rows, groups)
    }

    fn sealed(starts: Vec<usize>, rows: Vec<usize>, groups: Vec<u32>) -> Arc<Pattern> {
        Arc::new(Pattern::stamped(starts, rows, groups))
    }

    pub(crate) fn stamped(starts: Vec<usize>, rows: Vec<usize>, groups: Vec<u32>) -> Pattern {
        let n = starts.len() - 1;
        assert_eq!(groups.len(), n, "every unknown belongs to one group");
        assert!(groups.is_sorted(), "the groups of a pattern must ascend");
        let stamp = NEXT_STAMP.fetch_add(1, Ordering::Relaxed);
        Pattern {
            starts,
            rows,
            groups,
            stamp,
            order_of: None,
            order: OnceLock::new(),
        }
    }

    /// Unknowns.
    pub fn n(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where each column begins in [`rows`](Pattern::rows) and in a matrix's values; n + 1 entries.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The row of each stored entry.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The vertex of each unknown, ascending.
    pub fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// A number no other pattern of this process has: analyses are kept as long as it stays.
    pub fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Entries stored in the lower triangle.
    pub fn nnz(&self) -> usize {
        self.rows.len()
    }

    /// Where the value of entry (i, j), equally of (j, i), is stored; `None` where the matrix is zero by structure.
    pub fn find(&self, i: usize, j: usize) -> Option<usize> {
        let (row, column) = (i.max(j), i.min(j));
        if row >= self.n() {
            return None;
        }
        let start = self.starts[column];
        self.rows[start..self.starts[column + 1]]
            .binary_search(&row)
            .ok()
            .map(|k| start + k)
    }

    /// Whether both have the same entries, groups and order of elimination, so that an analysis of one serves the other.
    pub fn same_as(&self, other: &Pattern) -> bool {
        let same_order = || match (&self.order_of, &other.order_of) {
            (None, None) => true,
            (Some(a), Some(b)) => a.same_as(b),
            _ => false,
        };
        self.stamp == other.stamp
            || (self.starts == other.starts
                && self.rows == other.rows
                && self.groups == other.groups
                && same_order())
    }
}

/// First unknown of each vertex, and n at the end.
pub(crate) fn firsts(groups: &[u32], vertices: usize) -> Vec<usize> {
    let mut first = vec![0; vertices + 1];
    for &g in groups {
        first[g as usize + 1] += 1;
    }
    for v in 0..vertices {
        first[v + 1] += first[v];
    }
    first
}

/// Columns with ascending, distinct rows from (row, column) pairs of the lower triangle; the diagonal is added.
pub(crate) fn columns(n: usize, pairs: &[(u32, u32)]) -> (Vec<usize>, Vec<usize>) {
    let mut fill = vec![0usize; n + 1];
    for &(_, column) in pairs {
        fill[column as usize + 1] += 1;
    }
    for j in 0..n {
        fill[j + 1] += fill[j];
    }
    let bounds = fill.clone();
    let mut bucket = vec![0u32; pairs.len()];
    for &(row, column) in pairs {
        bucket[fill[column as usize]] = row;
        fill[column as usize] += 1;
    }
    let mut starts = Vec::with_capacity(n + 1);
    let mut rows = Vec::new();
    starts.push(0);
    for j in 0..n {
        rows.push(j);
        let column = &mut bucket[bounds[j]..bounds[j + 1]];
        column.sort_unstable();
        let mut last = j;
        for &row in column.iter() {
            if row as usize != last {
                last = row as usize;
                rows.push(last);
            }
        }
        starts.push(rows.len());
    }
    (starts, rows)
}
