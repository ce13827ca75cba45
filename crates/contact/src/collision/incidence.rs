//! Which triangles and edges meet at the edges and vertices of a collision surface.

/// Lists of varying length, one after another.
#[derive(Clone, Debug, Default)]
struct Lists {
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl Lists {
    /// Sorts (list, entry) pairs into lists; the entries of a list keep their order.
    fn new(lists: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Lists {
        let mut starts = vec![0u32; lists + 1];
        for (list, _) in pairs.clone() {
            starts[list as usize + 1] += 1;
        }
        for i in 0..lists {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut entries = vec![0; starts[lists] as usize];
        for (list, entry) in pairs {
            let at = &mut next[list as usize];
            entries[*at as usize] = entry;
            *at += 1;
        }
        Lists { starts, entries }
    }

    fn get(&self, list: u32) -> &[u32] {
        let i = list as usize;
        &self.entries[self.starts[i] as usize..self.starts[i + 1] as usize]
    }
}

/// Incidences of triangles, edges and vertices.
#[derive(Clone, Debug, Default)]
pub struct Incidence {
    /// The edges of each triangle: edge k joins its corners k and k + 1.
    triangle_edges: Vec<[u32; 3]>,
    triangles_of_edge: Lists,
    triangles_of_vertex: Lists,
    edges_of_vertex: Lists,
}

impl Incidence {
    /// Finds the incidences of `triangles` and `edges` on this number of vertices. Every side of a triangle must be among
    /// the edges.
    ///
    /// # Panics
    /// Panics if a side of a triangle is missing from the edges.
    pub fn new(vertices: usize, triangles: &[[u32; 3]], edges: &[[u32; 2]]) -> Incidence {
        let key = |a: u32, b: u32| [a.min(b), a.max(b)];
        let mut order: Vec<([u32; 2], u32)> = edges
            .iter()
            .enumerate()
            .map(|(k, e)| (key(e[0], e[1]), k as u32))
            .collect();
        order.sort_unstable();
        let find = |a: u32, b: u32| {
            let at = order.binary_search_by_key(&key(a, b), |entry| entry.0);
            match at {
                Ok(at) => order[at].1,
                Err(_) => panic!("the side {a}–{b} of a triangle is not among the edges"),
            }
        };
        let sides = |t: &[u32; 3]| [0, 1, 2].map(|k| find(t[k], t[(k + 1) % 3]));
        let triangle_edges: Vec<[u32; 3]> = triangles.iter().map(sides).collect();
        let numbered = |list: &[[u32; 3]]| {
            let pairs = list.iter().enumerate();
            pairs
                .flat_map(|(t, of)| of.map(|i| (i, t as u32)))
                .collect::<Vec<_>>()
        };
        let (by_edge, by_vertex) = (numbered(&triangle_edges), numbered(triangles));
        let ends = edges.iter().enumerate();
        let ends: Vec<(u32, u32)> = ends.flat_map(|(k, e)| e.map(|i| (i, k as u32))).collect();
        Incidence {
            triangles_of_edge: Lists::new(edges.len(), by_edge.into_iter()),
            triangles_of_vertex: Lists::new(vertices, by_vertex.into_iter()),
            edges_of_vertex: Lists::new(vertices, ends.into_iter()),
            triangle_edges,
        }
    }

    /// Returns the edges of a triangle: edge k joins its corners k and k + 1.
    pub fn triangle_edges(&self, triangle: u32) -> [u32; 3] {
        self.triangle_edges[triangle as usize]
    }

    /// Returns the triangles that share an edge.
    pub fn triangles_of_edge(&self, edge: u32) -> &[u32] {
        self.triangles_of_edge.get(edge)
    }

    /// Returns the triangles around a vertex.
    pub fn triangles_of_vertex(&self, vertex: u32) -> &[u32] {
        self.triangles_of_vertex.get(vertex)
    }

    /// Returns the edges that end at a vertex.
    pub fn edges_of_vertex(&self, vertex: u32) -> &[u32] {
        self.edges_of_vertex.get(vertex)
    }
}
