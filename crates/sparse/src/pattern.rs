//! Sparsity patterns: the entries at which a symmetric matrix may be non-zero.
//!
//! A [`Pattern`] never changes and is shared by all matrices stored on it: the mass M, the stiffness K and Newton's
//! matrix M + c_v D + c_u K. A system whose stencils appear and vanish creates a new pattern ([`Pattern::extended`]).
//! Orderings, elimination trees and scatter maps depend on the pattern alone; solvers compute them once per
//! [`stamp`](Pattern::stamp).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::ordering::EliminationOrder;

static NEXT_STAMP: AtomicU64 = AtomicU64::new(1);

/// Where the unknowns of a pattern are in space.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// The point of each vertex (group), m.
    pub points: Vec<[f64; 3]>,
    /// The axis of each unknown, 0 to 2.
    pub axes: Vec<u8>,
    /// The mean distance of coupled vertices, m.
    pub reach: f64,
}

/// The sparsity pattern of a symmetric matrix: its lower triangle, diagonal included, in compressed columns.
///
/// Rows ascend in each column, so the first entry of a column is its diagonal entry. A pattern is immutable and shared
/// by [`Arc`].
#[derive(Debug)]
pub struct Pattern {
    starts: Vec<usize>,
    rows: Vec<usize>,
    groups: Vec<u32>,
    stamp: u64,
    pub(crate) placement: Option<Arc<Placement>>,
    /// The pattern whose elimination order this one inherits; that pattern computed its own. `None` if this pattern
    /// computes its own.
    pub(crate) order_source: Option<Arc<Pattern>>,
    /// The elimination order, computed on first use.
    pub(crate) order: OnceLock<EliminationOrder>,
}

impl Pattern {
    /// Creates the pattern of an n × n matrix from entries of either triangle; duplicates are allowed and the diagonal
    /// is always included.
    ///
    /// # Panics
    /// If an entry lies outside the matrix or n exceeds `u32::MAX`.
    pub fn new(n: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> Arc<Pattern> {
        Pattern::grouped(n, entries, (0..n as u32).collect())
    }

    /// Creates the pattern of an n × n matrix whose unknown i belongs to vertex `groups[i]` (ascending). Orderings then
    /// work on the smaller graph of vertices.
    ///
    /// # Panics
    /// As [`Pattern::new`], and if `groups` does not have n entries or is not ascending.
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
        let (starts, rows) = compress_columns(n, &pairs);
        Pattern::sealed(starts, rows, groups)
    }

    /// Creates the pattern of dense vertex blocks: every unknown of a vertex couples with every unknown of the same
    /// vertex and of the vertices joined to it by an edge.
    ///
    /// `groups[i]` is the vertex of unknown i, ascending. Edges may name vertices without unknowns (fixed ones); these
    /// are skipped. This is far cheaper than listing the scalar entries.
    ///
    /// # Panics
    /// If `groups` is not ascending or has more than `u32::MAX` entries.
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
        let first = first_unknowns(&groups, vertices);
        let inside = |(i, j): &(usize, usize)| i != j && *i < vertices && *j < vertices;
        let pairs: Vec<(u32, u32)> = edges
            .into_iter()
            .filter(inside)
            .map(|(i, j)| (i.max(j) as u32, i.min(j) as u32))
            .collect();
        let (vertex_starts, vertex_rows) = compress_columns(vertices, &pairs);
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

    /// Creates a pattern from compressed columns and gives it a new stamp.
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
            placement: None,
            order_source: None,
            order: OnceLock::new(),
        }
    }

    /// Returns the pattern with places of its unknowns in space, which [`crate::BlockCg`] needs.
    ///
    /// # Panics
    /// If the groups are not 0, 1, 2, …, or the placement is not that of all unknowns.
    pub fn placed(mut pattern: Arc<Pattern>, placement: Placement) -> Arc<Pattern> {
        let vertices = pattern.groups.last().map_or(0, |g| *g as usize + 1);
        assert!(
            placement.points.len() == vertices && placement.axes.len() == pattern.n(),
            "places of {} vertices and {} unknowns for a pattern of {vertices} and {}",
            placement.points.len(),
            placement.axes.len(),
            pattern.n()
        );
        if let Some(own) = Arc::get_mut(&mut pattern) {
            own.placement = Some(Arc::new(placement));
        }
        pattern
    }

    /// Returns the places of the unknowns, if they are known.
    pub fn placement(&self) -> Option<&Arc<Placement>> {
        self.placement.as_ref()
    }

    /// Returns the number of unknowns n.
    pub fn n(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the index of the first entry of each column in [`row_indices`](Pattern::row_indices) and in the values
    /// of a matrix; n + 1 numbers.
    pub fn column_starts(&self) -> &[usize] {
        &self.starts
    }

    /// Returns the row of each stored entry, column by column.
    pub fn row_indices(&self) -> &[usize] {
        &self.rows
    }

    /// Returns the vertex of each unknown, ascending.
    pub fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// Returns a number that is unique to this pattern within the process. Solvers keep their symbolic analysis while
    /// the stamp stays the same.
    pub fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Returns the number of entries stored in the lower triangle.
    pub fn nnz(&self) -> usize {
        self.rows.len()
    }

    /// Returns the index of the stored value of entry (i, j), which is also that of (j, i); `None` if the entry is not
    /// in the pattern.
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

    /// Returns whether both patterns have the same entries, groups and elimination order, so that a symbolic analysis
    /// of one is valid for the other.
    pub fn has_same_structure(&self, other: &Pattern) -> bool {
        let same_order = || match (&self.order_source, &other.order_source) {
            (None, None) => true,
            (Some(a), Some(b)) => a.has_same_structure(b),
            _ => false,
        };
        self.stamp == other.stamp
            || (self.starts == other.starts
                && self.rows == other.rows
                && self.groups == other.groups
                && same_order())
    }
}

/// Returns the first unknown of each vertex, followed by n.
pub(crate) fn first_unknowns(groups: &[u32], vertices: usize) -> Vec<usize> {
    let mut first = vec![0; vertices + 1];
    for &g in groups {
        first[g as usize + 1] += 1;
    }
    for v in 0..vertices {
        first[v + 1] += first[v];
    }
    first
}

/// Compresses (row, column) pairs of the lower triangle into columns of ascending, distinct rows; the diagonal is
/// added.
pub(crate) fn compress_columns(n: usize, pairs: &[(u32, u32)]) -> (Vec<usize>, Vec<usize>) {
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
