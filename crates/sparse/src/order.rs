//! Fill-reducing orderings.
//!
//! Eliminating unknown k costs about cₖ² operations, cₖ the entries of column k of the factor, and the order of elimination
//! decides them: on a solid of N vertices minimum degree (AMD: Amestoy, Davis & Duff 1996) leads to more than twice the work
//! of nested dissection (George 1973; multilevel: Karypis & Kumar 1998), whose work is O(N²); on small or sheet-like bodies
//! AMD is as good and cheaper to find. Both are tried on the graph of *vertices* (their 3 unknowns have the same neighbours),
//! the one with fewer operations is kept, and the elimination tree is put in postorder, children with long columns last, so
//! that columns of equal structure become neighbours and supernodes.

use crate::pattern::{Pattern, firsts};
use feral_metis::{CscPattern, MetisOptions, metis_order_full};

/// Which ordering an analysis may choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ordering {
    /// Approximate minimum degree and, for larger matrices, nested dissection; the one with fewer operations.
    #[default]
    Best,
    /// Approximate minimum degree.
    Amd,
    /// Nested dissection.
    Dissection,
    /// As numbered, up to a postorder of the elimination tree.
    Natural,
}

/// An order of elimination and what it costs.
#[derive(Debug, Clone)]
pub struct Order {
    /// `eliminated[k]` is the unknown eliminated as the k-th.
    pub eliminated: Vec<usize>,
    /// Entries of the factor, before supernodes are padded.
    pub entries: f64,
    /// Σ cₖ²: multiplications and additions of a Cholesky factorization.
    pub flops: f64,
    /// Which ordering was taken; never [`Ordering::Best`].
    pub by: Ordering,
}

/// Below this size nested dissection is not tried.
const SMALL: usize = 1500;

/// How far the halves of a dissection may differ: on solids a tenth saved 3 to 6 % of the operations of a fifth.
const IMBALANCE: f64 = 0.1;

impl Order {
    /// An order for a pattern.
    pub fn of(pattern: &Pattern, ordering: Ordering) -> Order {
        let graph = Graph::of(pattern);
        let candidates: &[Ordering] = match ordering {
            Ordering::Best if pattern.n() < SMALL => &[Ordering::Amd],
            Ordering::Best => &[Ordering::Amd, Ordering::Dissection],
            Ordering::Amd => &[Ordering::Amd],
            Ordering::Dissection => &[Ordering::Dissection],
            Ordering::Natural => &[Ordering::Natural],
        };
        let mut best: Option<Tree> = None;
        for &by in candidates {
            let tree = Tree::grow(&graph, graph.ordered(by), by);
            if best.as_ref().is_none_or(|b| tree.flops < b.flops) {
                best = Some(tree);
            }
        }
        // The list of candidates is never empty; natural order stands for the impossible.
        let best = best.unwrap_or_else(|| Tree::grow(&graph, graph.natural(), Ordering::Natural));
        best.order_of_unknowns(&graph)
    }

    /// The order of another pattern on the same vertices, taken over: only the elimination tree, its postorder and the
    /// counts of the columns are found anew.
    pub(crate) fn kept(pattern: &Pattern, from: &Order) -> Order {
        let graph = Graph::of(pattern);
        let mut vertex = vec![0; pattern.n()];
        for v in 0..graph.n() {
            vertex[graph.first[v]..graph.first[v + 1]].fill(v);
        }
        let mut order: Vec<usize> = from.eliminated.iter().map(|&i| vertex[i]).collect();
        order.dedup();
        Tree::grow(&graph, order, from.by).order_of_unknowns(&graph)
    }
}

/// The graph of vertices: neighbours without the vertex itself, ascending.
struct Graph {
    starts: Vec<i32>,
    neighbours: Vec<i32>,
    /// First unknown of each vertex, and n at the end.
    first: Vec<usize>,
}

impl Graph {
    fn of(pattern: &Pattern) -> Graph {
        // Vertices without unknowns are renumbered away.
        let mut vertex = Vec::with_capacity(pattern.n());
        let mut count = 0u32;
        for (i, g) in pattern.groups().iter().enumerate() {
            count += u32::from(i == 0 || pattern.groups()[i - 1] != *g);
            vertex.push(count - 1);
        }
        let vertices = count as usize;
        let first = firsts(&vertex, vertices);
        let mut lists: Vec<Vec<i32>> = vec![Vec::new(); vertices];
        let mut last = vec![usize::MAX; vertices];
        for v in 0..vertices {
            for j in first[v]..first[v + 1] {
                for &i in &pattern.rows()[pattern.starts()[j]..pattern.starts()[j + 1]] {
                    let w = vertex[i] as usize;
                    if w != v && last[w] != v {
                        last[w] = v;
                        lists[v].push(w as i32);
                        lists[w].push(v as i32);
                    }
                }
            }
        }
        let mut starts = vec![0];
        let mut neighbours = Vec::new();
        for mut list in lists {
            list.sort_unstable();
            neighbours.extend(list);
            starts.push(neighbours.len() as i32);
        }
        Graph {
            starts,
            neighbours,
            first,
        }
    }

    fn n(&self) -> usize {
        self.first.len() - 1
    }

    fn around(&self, v: usize) -> &[i32] {
        &self.neighbours[self.starts[v] as usize..self.starts[v + 1] as usize]
    }

    fn natural(&self) -> Vec<usize> {
        (0..self.n()).collect()
    }

    /// Falls back to the natural order should an ordering refuse the graph, which is well formed by construction.
    fn ordered(&self, by: Ordering) -> Vec<usize> {
        let csc = CscPattern {
            n: self.n(),
            col_ptr: &self.starts,
            row_idx: &self.neighbours,
        };
        let options = MetisOptions {
            max_imbalance: IMBALANCE,
            ..MetisOptions::default()
        };
        let found = match by {
            Ordering::Amd => feral_amd::amd_order(&csc).ok(),
            Ordering::Dissection => metis_order_full(&csc, &options)
                .ok()
                .map(|(order, ..)| order),
            Ordering::Best | Ordering::Natural => None,
        };
        match found {
            Some(order) => order.into_iter().map(|v| v as usize).collect(),
            None => self.natural(),
        }
    }
}

/// An elimination tree in postorder.
struct Tree {
    order: Vec<usize>,
    entries: f64,
    flops: f64,
    by: Ordering,
}

impl Tree {
    fn order_of_unknowns(&self, graph: &Graph) -> Order {
        let unknowns = |&v: &usize| graph.first[v]..graph.first[v + 1];
        Order {
            eliminated: self.order.iter().flat_map(unknowns).collect(),
            entries: self.entries,
            flops: self.flops,
            by: self.by,
        }
    }

    fn grow(graph: &Graph, order: Vec<usize>, by: Ordering) -> Tree {
        let n = graph.n();
        let mut place = vec![0; n];
        for (k, &v) in order.iter().enumerate() {
            place[v] = k;
        }
        let earlier = |k: usize| {
            graph
                .around(order[k])
                .iter()
                .map(|&w| place[w as usize])
                .filter(move |&i| i < k)
        };
        let parent = elimination_tree(n, earlier);
        // Row k of the factor is the subtree of paths from the entries of row k up to k (Liu 1990).
        let weight = |k: usize| graph.first[order[k] + 1] - graph.first[order[k]];
        let mut below = vec![0usize; n];
        let mut seen = vec![usize::MAX; n];
        for k in 0..n {
            seen[k] = k;
            for mut i in earlier(k) {
                while seen[i] != k {
                    seen[i] = k;
                    below[i] += weight(k);
                    i = parent[i];
                }
            }
        }
        let (mut entries, mut flops) = (0.0, 0.0);
        for k in 0..n {
            for own in 1..=weight(k) {
                let c = (below[k] + own) as f64;
                entries += c;
                flops += c * c;
            }
        }
        let order = postorder(&parent, |k| below[k])
            .into_iter()
            .map(|k| order[k])
            .collect();
        Tree {
            order,
            entries,
            flops,
            by,
        }
    }
}

/// The parent of each column in the elimination tree, `usize::MAX` for roots (Liu 1986, with path compression), of a matrix
/// whose row k has its entries left of the diagonal in the columns `earlier(k)`.
pub(crate) fn elimination_tree<I: Iterator<Item = usize>>(
    n: usize,
    earlier: impl Fn(usize) -> I,
) -> Vec<usize> {
    let mut parent = vec![usize::MAX; n];
    let mut ancestor = vec![usize::MAX; n];
    for k in 0..n {
        for mut i in earlier(k) {
            while ancestor[i] != usize::MAX && ancestor[i] != k {
                i = std::mem::replace(&mut ancestor[i], k);
            }
            if ancestor[i] == usize::MAX {
                ancestor[i] = k;
                parent[i] = k;
            }
        }
    }
    parent
}

/// The nodes of a forest, children before parents and subtrees contiguous; of two siblings the one with the larger key comes
/// later, next to its parent. A tree in postorder already, with equal keys, stays as it is.
pub(crate) fn postorder(parent: &[usize], key: impl Fn(usize) -> usize) -> Vec<usize> {
    let n = parent.len();
    let mut ascending: Vec<usize> = (0..n).collect();
    ascending.sort_by_key(|&k| (key(k), k));
    let mut head = vec![usize::MAX; n + 1];
    let mut next = vec![usize::MAX; n];
    for &k in ascending.iter().rev() {
        let up = parent[k].min(n);
        next[k] = std::mem::replace(&mut head[up], k);
    }
    let mut order = Vec::with_capacity(n);
    let mut path = Vec::new();
    let mut root = head[n];
    while root != usize::MAX {
        path.push(root);
        while let Some(&top) = path.last() {
            if head[top] == usize::MAX {
                order.push(top);
                path.pop();
            } else {
                let child = head[top];
                head[top] = next[child];
                path.push(child);
            }
        }
        root = next[root];
    }
    order
}
