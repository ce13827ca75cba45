//! A partition of the supernodal elimination tree into subtrees of similar weight.

use faer::sparse::linalg::cholesky::supernodal::SymbolicSupernodalCholesky;
use std::ops::Range;

/// The number of subtrees the partition aims at: enough for a handful of threads, few enough to give each useful work.
const TARGET_SUBTREES: usize = 8;
/// The number of factor entries below which the tree is not split.
const MIN_ENTRIES_TO_SPLIT: usize = 40_000;

/// Independent ranges of supernodes, each a subtree, and the supernodes above them.
pub(super) struct TreePartition {
    /// The range of supernodes of each subtree.
    pub subtrees: Vec<Range<usize>>,
    /// The supernodes above all subtrees, ascending.
    pub top: Vec<usize>,
}

impl TreePartition {
    /// Partitions the tree by the weights of its supernodes alone.
    pub fn new(symbolic: &SymbolicSupernodalCholesky<usize>) -> TreePartition {
        let count = symbolic.n_supernodes();
        let begin = symbolic.supernode_begin();
        let weight = |s: usize| symbolic.col_ptr_for_val()[s + 1] - symbolic.col_ptr_for_val()[s];
        let parent = |s: usize| {
            let from = symbolic.col_ptr_for_row_idx()[s];
            let rows = &symbolic.row_idx()[from..from + symbolic.nnz_per_super()[s]];
            // Rows are ascending: the first one belongs to the parent.
            let first = *rows.first()?;
            Some(begin.partition_point(|&b| b <= first) - 1)
        };
        let parents: Vec<Option<usize>> = (0..count).map(parent).collect();
        // In a postorder a subtree is a range that ends at its root.
        let mut first: Vec<usize> = (0..count).collect();
        let mut subtree_weight: Vec<usize> = (0..count).map(weight).collect();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
        for s in 0..count {
            if let Some(p) = parents[s] {
                first[p] = first[p].min(first[s]);
                subtree_weight[p] += subtree_weight[s];
                children[p].push(s);
            }
        }
        let total_weight: usize = (0..count).map(weight).sum();
        if total_weight < MIN_ENTRIES_TO_SPLIT {
            return TreePartition {
                subtrees: Vec::new(),
                top: (0..count).collect(),
            };
        }
        let mut roots: Vec<usize> = (0..count).filter(|&s| parents[s].is_none()).collect();
        let mut top = Vec::new();
        while roots.len() < 4 * TARGET_SUBTREES {
            let open = |&&s: &&usize| {
                subtree_weight[s] * TARGET_SUBTREES > total_weight && !children[s].is_empty()
            };
            let Some(&largest) = roots
                .iter()
                .filter(open)
                .max_by_key(|&&s| (subtree_weight[s], s))
            else {
                break;
            };
            roots.retain(|&s| s != largest);
            roots.extend(&children[largest]);
            top.push(largest);
        }
        top.sort_unstable();
        // Heavy subtrees first, so that threads finish together.
        roots.sort_by_key(|&s| (std::cmp::Reverse(subtree_weight[s]), s));
        TreePartition {
            subtrees: roots.iter().map(|&s| first[s]..s + 1).collect(),
            top,
        }
    }
}
