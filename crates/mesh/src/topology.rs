//! Topology of polygon surfaces: open and non-manifold edges, components, genus.
//!
//! A closed surface of C components with g handles has the Euler characteristic V − E + F = 2C − 2g.

/// Topology of a polygon surface: counts, defects, Euler characteristic and genus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SurfaceTopology {
    /// Number of nodes that faces use.
    pub vertices: usize,
    /// Number of edges.
    pub edges: usize,
    /// Number of faces.
    pub faces: usize,
    /// Number of boundary edges: edges of one face only.
    pub open_edges: usize,
    /// Number of edges that three or more faces share.
    pub non_manifold_edges: usize,
    /// Number of edges whose two faces have opposite orientations.
    pub inconsistent_edges: usize,
    /// Number of nodes where faces meet in more than one fan.
    pub non_manifold_vertices: usize,
    /// Number of components connected through edges.
    pub components: usize,
    /// Euler characteristic V − E + F.
    pub euler: i64,
    /// Genus: number of handles of all components together. `None` unless the surface is closed, manifold and
    /// consistently oriented.
    pub genus: Option<i64>,
    /// First open edges, at most eight.
    pub first_open_edges: Vec<[u32; 2]>,
    /// First edges that three or more faces share, at most eight.
    pub first_non_manifold_edges: Vec<[u32; 2]>,
    /// First nodes where faces meet in more than one fan, at most eight.
    pub first_non_manifold_vertices: Vec<u32>,
}

impl SurfaceTopology {
    /// Whether the surface has faces and no open edge.
    pub fn is_closed(&self) -> bool {
        self.faces > 0 && self.open_edges == 0
    }

    /// Whether every edge has at most two faces and the faces around every node form one fan.
    pub fn is_manifold(&self) -> bool {
        self.non_manifold_edges == 0 && self.non_manifold_vertices == 0
    }
}

/// Most examples of a defect that are listed.
const MAX_EXAMPLES: usize = 8;

/// Edge as part of one face.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct HalfEdge {
    edge: [u32; 2],
    face: u32,
    /// Corners of the face (in the list of all corners) at the smaller and at the larger node of the edge.
    corners: [u32; 2],
    forward: bool,
}

/// Computes the topology of a surface of polygons, each given by its corner nodes in order.
pub fn surface_topology<'a>(faces: impl Iterator<Item = &'a [u32]>) -> SurfaceTopology {
    let mut half_edges = Vec::new();
    let mut corner_nodes: Vec<u32> = Vec::new();
    let mut count = 0u32;
    for nodes in faces {
        let base = corner_nodes.len() as u32;
        corner_nodes.extend_from_slice(nodes);
        for i in 0..nodes.len() {
            let j = (i + 1) % nodes.len();
            let (a, b) = (nodes[i], nodes[j]);
            let (ca, cb) = (base + i as u32, base + j as u32);
            half_edges.push(HalfEdge {
                edge: [a.min(b), a.max(b)],
                face: count,
                corners: if a < b { [ca, cb] } else { [cb, ca] },
                forward: a < b,
            });
        }
        count += 1;
    }
    half_edges.sort_unstable();

    let mut t = SurfaceTopology {
        faces: count as usize,
        ..SurfaceTopology::default()
    };
    let mut components = DisjointSets::new(count as usize);
    let mut fans = DisjointSets::new(corner_nodes.len());
    for shared in half_edges.chunk_by(|a, b| a.edge == b.edge) {
        t.edges += 1;
        match shared.len() {
            1 => record(&mut t.open_edges, &mut t.first_open_edges, shared[0].edge),
            2 => t.inconsistent_edges += usize::from(shared[0].forward == shared[1].forward),
            _ => record(
                &mut t.non_manifold_edges,
                &mut t.first_non_manifold_edges,
                shared[0].edge,
            ),
        }
        for pair in shared.windows(2) {
            components.union(pair[0].face, pair[1].face);
            for end in 0..2 {
                fans.union(pair[0].corners[end], pair[1].corners[end]);
            }
        }
    }
    t.components = components.count();
    // A node whose corners belong to several sets has several fans.
    let mut roots: Vec<(u32, u32)> = (0..corner_nodes.len() as u32)
        .map(|c| (corner_nodes[c as usize], fans.root(c)))
        .collect();
    roots.sort_unstable();
    roots.dedup();
    for fan in roots.chunk_by(|a, b| a.0 == b.0) {
        t.vertices += 1;
        if fan.len() > 1 {
            record(
                &mut t.non_manifold_vertices,
                &mut t.first_non_manifold_vertices,
                fan[0].0,
            );
        }
    }
    t.euler = t.vertices as i64 - t.edges as i64 + t.faces as i64;
    if t.is_closed() && t.is_manifold() && t.inconsistent_edges == 0 {
        t.genus = Some((2 * t.components as i64 - t.euler) / 2);
    }
    t
}

/// Counts a defect and lists it among the first examples.
fn record<T>(count: &mut usize, examples: &mut Vec<T>, item: T) {
    *count += 1;
    if examples.len() < MAX_EXAMPLES {
        examples.push(item);
    }
}

/// Disjoint-set forest of 0 to n − 1; the root of a set is its smallest member, for any order of unions.
pub(crate) struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// Creates `n` sets of one member each.
    pub fn new(n: usize) -> DisjointSets {
        DisjointSets {
            parent: (0..n as u32).collect(),
        }
    }

    /// Smallest member of the set of `i`, with path halving.
    pub fn root(&mut self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            let up = self.parent[self.parent[i as usize] as usize];
            self.parent[i as usize] = up;
            i = up;
        }
        i
    }

    /// Unites the sets of `a` and `b`.
    pub fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// Number of sets.
    pub fn count(&self) -> usize {
        (0u32..).zip(&self.parent).filter(|(i, p)| i == *p).count()
    }
}
