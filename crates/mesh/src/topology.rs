//! Whether a surface is closed, and how many holes go through it: V − E + F = 2C − 2g for C closed pieces with g handles.

/// What a list of polygons amounts to as a surface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SurfaceTopology {
    /// Nodes that faces use.
    pub vertices: usize,
    /// Edges.
    pub edges: usize,
    /// Faces.
    pub faces: usize,
    /// Edges with one face.
    pub open_edges: usize,
    /// Edges with three faces or more.
    pub crowded_edges: usize,
    /// Edges whose two faces run along them the same way: neighbours that disagree about outside.
    pub clashing_edges: usize,
    /// Nodes where faces meet in more than one fan.
    pub pinched_vertices: usize,
    /// Pieces connected through edges.
    pub components: usize,
    /// V − E + F.
    pub euler: i64,
    /// Handles of all pieces together; for a closed, manifold, consistently turned surface only.
    pub genus: Option<i64>,
    /// The first few open edges.
    pub first_open: Vec<[u32; 2]>,
    /// The first few edges with three faces or more.
    pub first_crowded: Vec<[u32; 2]>,
    /// The first few nodes where fans meet.
    pub first_pinched: Vec<u32>,
}

impl SurfaceTopology {
    /// Whether there are faces and no edge is open.
    pub fn is_closed(&self) -> bool {
        self.faces > 0 && self.open_edges == 0
    }

    /// Whether every edge has at most two faces and every node one fan.
    pub fn is_manifold(&self) -> bool {
        self.crowded_edges == 0 && self.pinched_vertices == 0
    }
}

/// How many examples of a fault are kept.
const EXAMPLES: usize = 8;

/// One face's use of an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Use {
    edge: [u32; 2],
    face: u32,
    /// Corner of the face (in the list of all corners) at the lower end of the edge, then at the upper end.
    corners: [u32; 2],
    forward: bool,
}

/// Looks at polygons (each a list of corner nodes) as a surface.
pub fn surface_topology<'a>(faces: impl Iterator<Item = &'a [u32]>) -> SurfaceTopology {
    let mut uses = Vec::new();
    let mut corner_nodes: Vec<u32> = Vec::new();
    let mut count = 0u32;
    for nodes in faces {
        let base = corner_nodes.len() as u32;
        corner_nodes.extend_from_slice(nodes);
        for i in 0..nodes.len() {
            let j = (i + 1) % nodes.len();
            let (a, b) = (nodes[i], nodes[j]);
            let (ca, cb) = (base + i as u32, base + j as u32);
            uses.push(Use {
                edge: [a.min(b), a.max(b)],
                face: count,
                corners: if a < b { [ca, cb] } else { [cb, ca] },
                forward: a < b,
            });
        }
        count += 1;
    }
    uses.sort_unstable();

    let mut t = SurfaceTopology {
        faces: count as usize,
        ..SurfaceTopology::default()
    };
    let mut pieces = Union::new(count as usize);
    let mut fans = Union::new(corner_nodes.len());
    for around in uses.chunk_by(|a, b| a.edge == b.edge) {
        t.edges += 1;
        match around.len() {
            1 => note(&mut t.open_edges, &mut t.first_open, around[0].edge),
            2 => t.clashing_edges += usize::from(around[0].forward == around[1].forward),
            _ => note(&mut t.crowded_edges, &mut t.first_crowded, around[0].edge),
        }
        for pair in around.windows(2) {
            pieces.join(pair[0].face, pair[1].face);
            for end in 0..2 {
                fans.join(pair[0].corners[end], pair[1].corners[end]);
            }
        }
    }
    t.components = pieces.count();
    // A node with several roots among its corners has several fans.
    let mut roots: Vec<(u32, u32)> = (0..corner_nodes.len() as u32)
        .map(|c| (corner_nodes[c as usize], fans.root(c)))
        .collect();
    roots.sort_unstable();
    roots.dedup();
    for fan in roots.chunk_by(|a, b| a.0 == b.0) {
        t.vertices += 1;
        if fan.len() > 1 {
            note(&mut t.pinched_vertices, &mut t.first_pinched, fan[0].0);
        }
    }
    t.euler = t.vertices as i64 - t.edges as i64 + t.faces as i64;
    if t.is_closed() && t.is_manifold() && t.clashing_edges == 0 {
        t.genus = Some((2 * t.components as i64 - t.euler) / 2);
    }
    t
}

fn note<T>(count: &mut usize, examples: &mut Vec<T>, item: T) {
    *count += 1;
    if examples.len() < EXAMPLES {
        examples.push(item);
    }
}

/// Disjoint sets; the root of a set is its smallest member, whatever the order of joining.
pub(crate) struct Union {
    parent: Vec<u32>,
}

impl Union {
    pub fn new(n: usize) -> Union {
        Union {
            parent: (0..n as u32).collect(),
        }
    }

    pub fn root(&mut self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            let up = self.parent[self.parent[i as usize] as usize];
            self.parent[i as usize] = up;
            i = up;
        }
        i
    }

    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    pub fn count(&self) -> usize {
        (0u32..).zip(&self.parent).filter(|(i, p)| i == *p).count()
    }
}
