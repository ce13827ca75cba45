//! Embedding of a surface in a tetrahedral mesh: each vertex follows a tetrahedron by x = Σ wᵢ xᵢ.

use mesh::{Mesh, Surface, surface};
use rayon::prelude::*;

use super::predicates::six_times_volume;
use mesh::bvh::{Bounds, Bvh, bounding_box};
use mesh::vector::{cross, dot, sub};

/// Embedding of surface vertices in a tetrahedral mesh, with the weights that interpolate their positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedding {
    /// Tetrahedron that each vertex is interpolated from.
    pub tets: Vec<u32>,
    /// Barycentric coordinates of each vertex in its tetrahedron. They sum to 1 and reproduce the rest position exactly,
    /// so a vertex outside its tetrahedron has a negative one.
    pub weights: Vec<[f64; 4]>,
    /// Vertices far outside their tetrahedron, ascending, each with nodes and moving least squares weights that replace
    /// the barycentric ones: extrapolation from one small tetrahedron would amplify its motion.
    pub extrapolated: Vec<(u32, Vec<(u32, f64)>)>,
}

/// Smallest barycentric coordinate for which a vertex is interpolated from one tetrahedron.
const MIN_BARYCENTRIC: f64 = -0.25;

impl Embedding {
    /// Finds the tetrahedron of each point.
    ///
    /// A point outside the mesh gets the tetrahedron with the nearest boundary face, or a neighbour of it that shares a
    /// node, whichever has the largest smallest barycentric coordinate: cut tetrahedra may be small, and extrapolation
    /// over many of their heights would amplify their motion. The embedding is empty for a mesh without cells.
    pub fn new(mesh: &Mesh, points: &[[f64; 3]]) -> Embedding {
        if mesh.is_empty() {
            return Embedding::default();
        }
        let locator = CellLocator::new(mesh);
        let found: Vec<(u32, [f64; 4])> = points
            .par_iter()
            .map(|&p| {
                let tet = locator
                    .containing_cell(p)
                    .unwrap_or_else(|| locator.nearest_cell(p));
                (tet, barycentric(locator.corners(tet), p))
            })
            .collect();
        let extrapolate = |(i, (tet, w)): (usize, &(u32, [f64; 4]))| {
            let outside = w.iter().any(|w| *w < MIN_BARYCENTRIC);
            outside
                .then(|| (i as u32, locator.least_squares_weights(*tet, points[i])))
                .filter(|(_, weights)| !weights.is_empty())
        };
        let extrapolated = found
            .par_iter()
            .enumerate()
            .filter_map(extrapolate)
            .collect();
        let (tets, weights) = found.into_iter().unzip();
        Embedding {
            tets,
            weights,
            extrapolated,
        }
    }

    /// Computes the vertex positions for nodes of the mesh at `positions`.
    pub fn interpolate(&self, mesh: &Mesh, positions: &[[f64; 3]], out: &mut [[f64; 3]]) {
        for ((x, &tet), w) in out.iter_mut().zip(&self.tets).zip(&self.weights) {
            *x = [0.0; 3];
            for (&n, w) in mesh.cell(tet as usize).iter().zip(w) {
                for k in 0..3 {
                    x[k] += w * positions[n as usize][k];
                }
            }
        }
        for (vertex, weights) in &self.extrapolated {
            let sum = |k: usize| {
                weights
                    .iter()
                    .map(|&(n, w)| w * positions[n as usize][k])
                    .sum()
            };
            out[*vertex as usize] = [0, 1, 2].map(sum);
        }
    }
}

/// Finds the tetrahedra that contain points or are nearest to them.
struct CellLocator<'a> {
    mesh: &'a Mesh,
    tree: Bvh,
    boundary: Surface,
    boundary_tree: Bvh,
    /// Cells around node `n`: `cells[starts[n]..starts[n + 1]]`.
    starts: Vec<u32>,
    cells: Vec<u32>,
}

impl<'a> CellLocator<'a> {
    fn new(mesh: &'a Mesh) -> CellLocator<'a> {
        let mut starts = vec![0u32; mesh.points.len() + 1];
        for &n in &mesh.nodes {
            starts[n as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut cells = vec![0u32; mesh.nodes.len()];
        for i in 0..mesh.len() {
            for &n in mesh.cell(i) {
                cells[next[n as usize] as usize] = i as u32;
                next[n as usize] += 1;
            }
        }
        let mut locator = CellLocator {
            mesh,
            tree: Bvh::new(&[]),
            boundary: surface(mesh),
            boundary_tree: Bvh::new(&[]),
            starts,
            cells,
        };
        let boxes =
            |n: usize, of: &dyn Fn(u32) -> Bounds| (0..n as u32).map(of).collect::<Vec<_>>();
        locator.tree = Bvh::new(&boxes(mesh.len(), &|i| bounding_box(&locator.corners(i))));
        let faces = locator.boundary.faces.len();
        locator.boundary_tree = Bvh::new(&boxes(faces, &|f| bounding_box(&locator.face(f))));
        locator
    }

    fn corners(&self, i: u32) -> [[f64; 3]; 4] {
        let c = self.mesh.cell(i as usize);
        [0, 1, 2, 3].map(|k| self.mesh.points[c[k] as usize])
    }

    fn face(&self, f: u32) -> [[f64; 3]; 3] {
        let n = self.boundary.faces[f as usize].corners;
        [0, 1, 2].map(|k| self.mesh.points[n[k] as usize])
    }

    /// Smallest barycentric coordinate of `p` in cell `i`; negative outside.
    fn min_barycentric(&self, i: u32, p: [f64; 3]) -> f64 {
        let w = barycentric(self.corners(i), p);
        w.into_iter().fold(f64::INFINITY, f64::min)
    }

    /// Cell that contains `p`. Of several, the one with the largest smallest barycentric coordinate, then the lowest
    /// number. Returns `None` if `p` is outside the mesh.
    fn containing_cell(&self, p: [f64; 3]) -> Option<u32> {
        let mut best: Option<(f64, u32)> = None;
        self.tree.visit(
            |b| (0..3).all(|k| b[0][k] <= p[k] && p[k] <= b[1][k]),
            |i| {
                let depth = self.min_barycentric(i, p);
                if depth >= 0.0 && best.is_none_or(|b| depth > b.0 || depth == b.0 && i < b.1) {
                    best = Some((depth, i));
                }
            },
        );
        best.map(|b| b.1)
    }

    /// Cell from which a point outside the mesh is extrapolated.
    fn nearest_cell(&self, p: [f64; 3]) -> u32 {
        let nearest = self
            .boundary_tree
            .nearest(p, |f| squared_distance(p, self.face(f)))
            .map_or(0, |f| self.boundary.faces[f as usize].owner);
        let mut best = (self.min_barycentric(nearest, p), nearest);
        for &n in self.mesh.cell(nearest as usize) {
            let range = self.starts[n as usize] as usize..self.starts[n as usize + 1] as usize;
            for &i in &self.cells[range] {
                let depth = self.min_barycentric(i, p);
                if depth > best.0 || depth == best.0 && i < best.1 {
                    best = (depth, i);
                }
            }
        }
        best.1
    }
}

impl CellLocator<'_> {
    /// Moving least squares weights at `p` of the nodes around a cell:
    /// wᵢ = θᵢ/Σθ + θᵢ (xᵢ − x̄)ᵀA⁻¹(p − x̄) with A = Σθᵢ (xᵢ − x̄)(xᵢ − x̄)ᵀ. They reproduce every affine motion exactly.
    /// Empty if the nodes lie in a plane.
    fn least_squares_weights(&self, tet: u32, p: [f64; 3]) -> Vec<(u32, f64)> {
        let with_neighbours = |nodes: &[u32]| -> Vec<u32> {
            let cells = nodes.iter().flat_map(|&n| {
                &self.cells[self.starts[n as usize] as usize..self.starts[n as usize + 1] as usize]
            });
            let mut out: Vec<u32> = cells
                .flat_map(|&c| self.mesh.cell(c as usize))
                .copied()
                .collect();
            out.sort_unstable();
            out.dedup();
            out
        };
        let nodes = with_neighbours(&with_neighbours(self.mesh.cell(tet as usize)));
        let position = |n: u32| self.mesh.points[n as usize];
        let square = |n: u32| {
            let d = sub(position(n), p);
            dot(d, d)
        };
        let nearest = nodes
            .iter()
            .map(|&n| square(n))
            .fold(f64::INFINITY, f64::min);
        let theta: Vec<f64> = nodes
            .iter()
            .map(|&n| (nearest / square(n)).powi(2))
            .collect();
        let total: f64 = theta.iter().sum();
        let mean = [0, 1, 2].map(|k| {
            nodes
                .iter()
                .zip(&theta)
                .map(|(&n, t)| t * position(n)[k])
                .sum::<f64>()
                / total
        });
        let mut a = [[0.0; 3]; 3];
        for (&n, t) in nodes.iter().zip(&theta) {
            let d = sub(position(n), mean);
            for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                a[i][j] += t * d[i] * d[j];
            }
        }
        let determinant = dot(a[0], cross(a[1], a[2]));
        let trace = a[0][0] + a[1][1] + a[2][2];
        if determinant.is_nan() || determinant <= 1e-9 * trace.powi(3) {
            return Vec::new();
        }
        // Cramer's rule; a is symmetric, so its rows are its columns.
        let q = sub(p, mean);
        let s = [
            dot(q, cross(a[1], a[2])) / determinant,
            dot(a[0], cross(q, a[2])) / determinant,
            dot(a[0], cross(a[1], q)) / determinant,
        ];
        let weight = |(&n, t): (&u32, &f64)| (n, t / total + t * dot(sub(position(n), mean), s));
        nodes.iter().zip(&theta).map(weight).collect()
    }
}

/// Barycentric coordinates of `p` in the tetrahedron `c`.
fn barycentric(c: [[f64; 3]; 4], p: [f64; 3]) -> [f64; 4] {
    let whole = six_times_volume(c);
    let part = |k: usize| {
        let mut with = c;
        with[k] = p;
        six_times_volume(with) / whole
    };
    let [x, y, z] = [1, 2, 3].map(part);
    [1.0 - x - y - z, x, y, z]
}

/// Squared distance from a point to a triangle by Voronoi regions (C. Ericson, *Real-Time Collision Detection*, 5.1.5).
fn squared_distance(p: [f64; 3], [a, b, c]: [[f64; 3]; 3]) -> f64 {
    let n = cross(sub(b, a), sub(c, a));
    let nn = dot(n, n);
    let outside = |q: [f64; 3], r: [f64; 3]| dot(cross(sub(r, q), sub(p, q)), n) < 0.0;
    if nn > 0.0 && !outside(a, b) && !outside(b, c) && !outside(c, a) {
        return dot(sub(p, a), n).powi(2) / nn;
    }
    let edge = |q: [f64; 3], r: [f64; 3]| {
        let (e, d) = (sub(r, q), sub(p, q));
        let t = (dot(d, e) / dot(e, e).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let off = [0, 1, 2].map(|k| d[k] - t * e[k]);
        dot(off, off)
    };
    edge(a, b).min(edge(b, c)).min(edge(c, a))
}
