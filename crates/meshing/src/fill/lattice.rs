//! Body-centred cubic lattice: the corners and the centres of a grid of cubes.
//!
//! Its tetrahedra are congruent: two centres of neighbouring cubes and an edge of the face between them. Two opposite
//! edges are long (the side of a cube), four short (√3/2 of it); the dihedral angles are 60° and 90°.

/// Body-centred cubic lattice: a grid of cubes whose corners and centres are the vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BccLattice {
    /// Corner with the least coordinates, m.
    pub origin: [f64; 3],
    /// Side length of a cube, m.
    pub side: f64,
    /// Number of cubes along x, y, z.
    pub cubes: [usize; 3],
}

impl BccLattice {
    /// Creates a lattice that covers a bounding box with a margin of more than a cube on every side.
    pub fn covering(low: [f64; 3], high: [f64; 3], side: f64) -> BccLattice {
        BccLattice {
            origin: low.map(|x| x - 1.5 * side),
            side,
            cubes: [0, 1, 2].map(|k| ((high[k] - low[k]) / side).ceil() as usize + 3),
        }
    }

    /// Number of cube corners.
    pub fn corners(&self) -> usize {
        self.cubes.iter().map(|n| n + 1).product()
    }

    /// Number of vertices. Corners are numbered first, then centres.
    pub fn len(&self) -> usize {
        self.corners() + self.cubes.iter().product::<usize>()
    }

    /// Whether the lattice has no cubes.
    pub fn is_empty(&self) -> bool {
        self.cubes.contains(&0)
    }

    /// Vertex number of the corner at (i, j, k).
    pub(super) fn corner(&self, [i, j, k]: [usize; 3]) -> u32 {
        ((k * (self.cubes[1] + 1) + j) * (self.cubes[0] + 1) + i) as u32
    }

    /// Vertex number of the centre of cube (i, j, k).
    pub(super) fn centre(&self, [i, j, k]: [usize; 3]) -> u32 {
        (self.corners() + (k * self.cubes[1] + j) * self.cubes[0] + i) as u32
    }

    /// Position of vertex `v`, m.
    pub fn position(&self, v: u32) -> [f64; 3] {
        let v = v as usize;
        let (local, n, shift) = if v < self.corners() {
            (v, [self.cubes[0] + 1, self.cubes[1] + 1], 0.0)
        } else {
            (v - self.corners(), [self.cubes[0], self.cubes[1]], 0.5)
        };
        let ijk = [local % n[0], local / n[0] % n[1], local / n[0] / n[1]];
        [0, 1, 2].map(|k| self.origin[k] + self.side * (ijk[k] as f64 + shift))
    }

    /// Whether the edge between two vertices is long: both are corners, or both are centres.
    pub(super) fn is_long(&self, a: u32, b: u32) -> bool {
        let n = self.corners() as u32;
        (a < n) == (b < n)
    }

    /// Calls `f` with the corners of every tetrahedron around the faces between a cube in layer `k` and its neighbours in
    /// the positive directions.
    pub(super) fn tets_of_layer(&self, k: usize, mut f: impl FnMut([u32; 4])) {
        let [nx, ny, nz] = self.cubes;
        for j in 0..ny {
            for i in 0..nx {
                let here = [i, j, k];
                for axis in 0..3 {
                    let mut there = here;
                    there[axis] += 1;
                    if there[axis] >= [nx, ny, nz][axis] {
                        continue;
                    }
                    let (a, b) = (self.centre(here), self.centre(there));
                    // Corners of the face, counter-clockwise seen from `there`.
                    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                    let ring = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[p, q]| {
                        let mut c = there;
                        c[u] += p;
                        c[v] += q;
                        self.corner(c)
                    });
                    for r in 0..4 {
                        f([a, ring[r], ring[(r + 1) % 4], b]);
                    }
                }
            }
        }
    }
}
