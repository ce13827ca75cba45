//! The elimination tree of the supernodes, cut into subtrees of like weight.

use faer::sparse::linalg::cholesky::supernodal::SymbolicSupernodalCholesky;
use std::ops::Range;

/// Subtrees wanted at least: enough for a handful of threads, few enough to be worth their while.
const SUBTREES: usize = 8;
/// Entries of a factor that is not worth cutting.
const SMALL: usize = 40_000;

/// Ranges of supernodes that depend on none but themselves, and the rest, which depends on them.
pub(super) struct Cut {
    pub under: Vec<Range<usize>>,
    pub top: Vec<usize>,
}

impl Cut {
    /// Cuts the tree by its weights alone.
    pub fn of(symbolic: &SymbolicSupernodalCholesky<usize>) -> Cut {
        let count = symbolic.n_supernodes();
        let begin = symbolic.supernode_begin();
        let weight = |s: usize| symbolic.col_ptr_for_val()[s + 1] - symbolic.col_ptr_for_val()[s];
        let parent = |s: usize| {
            let from = symbolic.col_ptr_for_row_idx()[s];
            let rows = &symbolic.row_idx()[from..from + symbolic.nnz_per_super()[s]];
            // Rows are ascending: the first belongs to the panel that is updated next.
            let first = *rows.first()?;
            Some(begin.partition_point(|&b| b <= first) - 1)
        };
        let parents: Vec<Option<usize>> = (0..count).map(parent).collect();
        // In a postorder a subtree is a range that ends in its root.
        let mut first: Vec<usize> = (0..count).collect();
        let mut heavy: Vec<usize> = (0..count).map(weight).collect();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
        for s in 0..count {
            if let Some(p) = parents[s] {
                first[p] = first[p].min(first[s]);
                heavy[p] += heavy[s];
                children[p].push(s);
            }
        }
        let whole: usize = (0..count).map(weight).sum();
        if whole < SMALL {
            return Cut {
                under: Vec::new(),
                top: (0..count).collect(),
            };
        }
        let mut roots: Vec<usize> = (0..count).filter(|&s| parents[s].is_none()).collect();
        let mut top = Vec::new();
        while roots.len() < 4 * SUBTREES {
            let open = |&&s: &&usize| heavy[s] * SUBTREES > whole && !children[s].is_empty();
            let Some(&largest) = roots.iter().filter(open).max_by_key(|&&s| (heavy[s], s)) else {
                break;
            };
            roots.retain(|&s| s != largest);
            roots.extend(&children[largest]);
            top.push(largest);
        }
        top.sort_unstable();
        // Heavy ones first, so that threads end together.
        roots.sort_by_key(|&s| (std::cmp::Reverse(heavy[s]), s));
        Cut {
            under: roots.iter().map(|&s| first[s]..s + 1).collect(),
            top,
        }
    }
}
