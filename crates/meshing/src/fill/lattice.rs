//! The body-centred cubic lattice: the corners and the centres of a grid of cubes.
//!
//! Its tetrahedra are all alike: two centres of neighbouring cubes and an edge of the face between them. Two opposite
//! edges are long (the side of a cube), four short (√3/2 of it); dihedral angles are 60° and 90°.

/// A grid of cubes and their centres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    /// The lowest corner.
    pub origin: [f64; 3],
    /// Side of a cube.
    pub side: f64,
    /// Cubes along x, y, z.
    pub cubes: [usize; 3],
}

impl Lattice {
    /// A lattice that covers a box with more than a cube to spare on every side.
    pub fn around(low: [f64; 3], high: [f64; 3], side: f64) -> Lattice {
        Lattice {
            origin: low.map(|x| x - 1.5 * side),
            side,
            cubes: [0, 1, 2].map(|k| ((high[k] - low[k]) / side).ceil() as usize + 3),
        }
    }

    /// Number of corners.
    pub fn corners(&self) -> usize {
        self.cubes.iter().map(|n| n + 1).product()
    }

    /// Number of vertices: corners, then centres.
    pub fn len(&self) -> usize {
        self.corners() + self.cubes.iter().product::<usize>()
    }

    /// Whether there is no cube.
    pub fn is_empty(&self) -> bool {
        self.cubes.contains(&0)
    }

    /// Number of the corner at (i, j, k).
    pub(super) fn corner(&self, [i, j, k]: [usize; 3]) -> u32 {
        ((k * (self.cubes[1] + 1) + j) * (self.cubes[0] + 1) + i) as u32
    }

    /// Number of the centre of cube (i, j, k).
    pub(super) fn centre(&self, [i, j, k]: [usize; 3]) -> u32 {
        (self.corners() + (k * self.cubes[1] + j) * self.cubes[0] + i) as u32
    }

    /// Where vertex `v` is.
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

    /// Whether the edge between two vertices is a long one: both corners, or both centres.
    pub(super) fn is_long(&self, a: u32, b: u32) -> bool {
        let n = self.corners() as u32;
        (a < n) == (b < n)
    }

    /// Calls `f` with the four corners of every tetrahedron around each face between two cubes whose first cube is in
    /// layer `k`.
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
                    // The face's corners in turn, counter-clockwise seen from `there`.
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
