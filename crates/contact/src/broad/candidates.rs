//! Primitives of a collision surface, and pairs of them.

/// Points, edges and triangles that can touch each other, as numbers of vertices.
///
/// The lists should ascend: then the candidates are sorted by the numbers of vertices and primitives alike.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Primitives {
    /// Vertices that are tested against triangles.
    pub points: Vec<u32>,
    /// Edges, each with its smaller vertex first; tested against each other.
    pub edges: Vec<[u32; 2]>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Numbers of the edges that belong to no triangle; tested against particles.
    pub wire_edges: Vec<u32>,
    /// Vertices that belong to no edge; tested against wire edges and each other. They are in `points` too.
    pub particles: Vec<u32>,
    /// Group of each vertex, such as the number of its body; vertices beyond the end are in group 0.
    pub groups: Vec<u32>,
    /// Radius of each vertex, m: its primitives are as thick; vertices beyond the end have none.
    pub radii: Vec<f64>,
}

impl Primitives {
    /// Largest radius of some vertices, m.
    #[inline]
    pub fn radius<const N: usize>(&self, vertices: [u32; N]) -> f64 {
        if self.radii.is_empty() {
            return 0.0;
        }
        let of = |v: u32| self.radii.get(v as usize).copied().unwrap_or(0.0);
        vertices.into_iter().fold(0.0, |most, v| most.max(of(v)))
    }
}

/// A vertex and a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PointTriangle {
    /// Number of the vertex.
    pub point: u32,
    /// Number of the triangle.
    pub triangle: u32,
}

impl PointTriangle {
    /// Vertices of the stencil (p, a, b, c).
    pub fn vertices(&self, primitives: &Primitives) -> [u32; 4] {
        let [a, b, c] = primitives.triangles[self.triangle as usize];
        [self.point, a, b, c]
    }
}

/// Two edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeEdge {
    /// Numbers of the edges, ascending.
    pub edges: [u32; 2],
}

impl EdgeEdge {
    /// Vertices of the stencil (a, b, c, d).
    pub fn vertices(&self, primitives: &Primitives) -> [u32; 4] {
        let [[a, b], [c, d]] = self.edges.map(|e| primitives.edges[e as usize]);
        [a, b, c, d]
    }
}

/// A vertex and an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PointEdge {
    /// Number of the vertex.
    pub point: u32,
    /// Number of the edge.
    pub edge: u32,
}

impl PointEdge {
    /// Vertices of the stencil (p, a, b).
    pub fn vertices(&self, primitives: &Primitives) -> [u32; 3] {
        let [a, b] = primitives.edges[self.edge as usize];
        [self.point, a, b]
    }
}

/// Two vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PointPoint {
    /// Numbers of the vertices.
    pub points: [u32; 2],
}

impl PointPoint {
    /// Vertices of the stencil (p, q).
    pub fn vertices(&self) -> [u32; 2] {
        self.points
    }
}

/// Pairs of primitives that may touch, each list sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// Vertices and triangles, by vertex and then by triangle.
    pub point_triangle: Vec<PointTriangle>,
    /// Pairs of edges, by the first and then by the second.
    pub edge_edge: Vec<EdgeEdge>,
    /// Particles and edges without triangles, by vertex and then by edge.
    pub point_edge: Vec<PointEdge>,
    /// Pairs of particles, by the first and then by the second.
    pub point_point: Vec<PointPoint>,
}

impl Candidates {
    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.point_triangle.len()
            + self.edge_edge.len()
            + self.point_edge.len()
            + self.point_point.len()
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all pairs.
    pub fn clear(&mut self) {
        self.point_triangle.clear();
        self.edge_edge.clear();
        self.point_edge.clear();
        self.point_point.clear();
    }
}
