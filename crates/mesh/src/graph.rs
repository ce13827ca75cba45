//! Adjacency of nodes: edges of a mesh and the graph of nodes that share a cell.

use super::Mesh;

/// Adjacency graph in compressed row storage: the neighbours of `i` are `targets[starts[i]..starts[i + 1]]`, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Offset of each vertex's neighbours in `targets`; one more entry than vertices.
    pub starts: Vec<u32>,
    /// Neighbours of all vertices, concatenated.
    pub targets: Vec<u32>,
}

impl Graph {
    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether the graph has no vertices.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Neighbours of vertex `i`, ascending, without `i` itself.
    pub fn neighbours(&self, i: usize) -> &[u32] {
        &self.targets[self.starts[i] as usize..self.starts[i + 1] as usize]
    }
}

/// Edges between corners of cells, each once, smaller node first, ascending.
pub fn edges(mesh: &Mesh) -> Vec<[u32; 2]> {
    let upper = upper_edges(mesh);
    (0..upper.len())
        .flat_map(|a| upper.neighbours(a).iter().map(move |&b| [a as u32, b]))
        .collect()
}

/// Graph of the edges, each stored at its smaller node: the position in `targets` is the edge's number in [`edges`].
pub(crate) fn upper_edges(mesh: &Mesh) -> Graph {
    gather(mesh.points.len(), |f: &mut dyn FnMut(u32, u32)| {
        for (kind, cell) in mesh.cells() {
            for e in kind.edges() {
                let (a, b) = (cell[e[0] as usize], cell[e[1] as usize]);
                if a != b {
                    f(a.min(b), a.max(b));
                }
            }
        }
    })
}

/// Graph of nodes that share a cell: the sparsity pattern of a stiffness matrix without the diagonal.
pub fn vertex_graph(mesh: &Mesh) -> Graph {
    gather(mesh.points.len(), |f: &mut dyn FnMut(u32, u32)| {
        for (_, cell) in mesh.cells() {
            for &a in cell {
                for &b in cell {
                    if a != b {
                        f(a, b);
                    }
                }
            }
        }
    })
}

/// Builds a graph from the pairs that `pairs` yields, by counting sort and without duplicates. `pairs` is called twice
/// and must yield the same pairs both times.
fn gather(n: usize, pairs: impl Fn(&mut dyn FnMut(u32, u32))) -> Graph {
    let mut starts = vec![0u32; n + 1];
    pairs(&mut |a, _| starts[a as usize + 1] += 1);
    for i in 1..=n {
        starts[i] += starts[i - 1];
    }
    let mut targets = vec![0u32; starts[n] as usize];
    let mut next = starts.clone();
    pairs(&mut |a, b| {
        targets[next[a as usize] as usize] = b;
        next[a as usize] += 1;
    });
    let mut kept = 0;
    let mut begin = 0;
    for i in 0..n {
        let end = starts[i + 1] as usize;
        targets[begin..end].sort_unstable();
        let first = kept;
        for k in begin..end {
            if kept == first || targets[kept - 1] != targets[k] {
                targets[kept] = targets[k];
                kept += 1;
            }
        }
        begin = end;
        starts[i + 1] = kept as u32;
    }
    targets.truncate(kept);
    Graph { starts, targets }
}
