//! The surface people look at, carried along by the tetrahedra: x = Σ wᵢ xᵢ over the corners of one of them.

use mesh::{Mesh, Skin, surface};
use rayon::prelude::*;

use super::vector::six_volumes;
use mesh::bvh::{Bounds, Bvh, around};
use mesh::vector::{cross, dot, sub};

/// Where each vertex of a surface is in a mesh of tetrahedra.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedding {
    /// The cell that carries each vertex.
    pub tets: Vec<u32>,
    /// Barycentric weights at the cell's first four nodes; they sum to 1 and give the vertex's rest place exactly, so a
    /// vertex outside its cell has a negative one.
    pub weights: Vec<[f64; 4]>,
    /// Vertices well outside, ascending, each with the nodes and weights that carry it instead: those of the affine
    /// motion that fits the nodes around best. One small cell alone would fling them about.
    pub far: Vec<(u32, Vec<(u32, f64)>)>,
}

/// A vertex whose smallest weight is below this is well outside.
const WELL_OUTSIDE: f64 = -0.25;

impl Embedding {
    /// Finds for each point the tetrahedron it is in. A point outside takes the tetrahedron with the nearest boundary face
    /// or one that shares a node with it, whichever reaches least far out: cut cells may be small, and a point many of
    /// their heights away would move wildly. Empty for a mesh without cells.
    pub fn new(mesh: &Mesh, points: &[[f64; 3]]) -> Embedding {
        if mesh.is_empty() {
            return Embedding::default();
        }
        let finder = Finder::new(mesh);
        let found: Vec<(u32, [f64; 4])> = points
            .par_iter()
            .map(|&p| {
                let tet = finder.within(p).unwrap_or_else(|| finder.beside(p));
                (tet, weights(finder.corners(tet), p))
            })
            .collect();
        let far = |(i, (tet, w)): (usize, &(u32, [f64; 4]))| {
            let outside = w.iter().any(|w| *w < WELL_OUTSIDE);
            outside
                .then(|| (i as u32, finder.fitted(*tet, points[i])))
                .filter(|(_, fit)| !fit.is_empty())
        };
        let far = found.par_iter().enumerate().filter_map(far).collect();
        let (tets, weights) = found.into_iter().unzip();
        Embedding { tets, weights, far }
    }

    /// Where the carried vertices are when the mesh's nodes are at `positions`.
    pub fn carry(&self, mesh: &Mesh, positions: &[[f64; 3]], out: &mut [[f64; 3]]) {
        for ((x, &tet), w) in out.iter_mut().zip(&self.tets).zip(&self.weights) {
            *x = [0.0; 3];
            for (&n, w) in mesh.cell(tet as usize).iter().zip(w) {
                for k in 0..3 {
                    x[k] += w * positions[n as usize][k];
                }
            }
        }
        for (vertex, fit) in &self.far {
            let sum = |k: usize| fit.iter().map(|&(n, w)| w * positions[n as usize][k]).sum();
            out[*vertex as usize] = [0, 1, 2].map(sum);
        }
    }
}

/// Looks for tetrahedra in and around a mesh.
struct Finder<'a> {
    mesh: &'a Mesh,
    tree: Bvh,
    skin: Skin,
    skin_tree: Bvh,
    /// Cells around each node.
    starts: Vec<u32>,
    cells: Vec<u32>,
}

impl<'a> Finder<'a> {
    fn new(mesh: &'a Mesh) -> Finder<'a> {
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
        let mut finder = Finder {
            mesh,
            tree: Bvh::new(&[]),
            skin: surface(mesh),
            skin_tree: Bvh::new(&[]),
            starts,
            cells,
        };
        let boxes =
            |n: usize, of: &dyn Fn(u32) -> Bounds| (0..n as u32).map(of).collect::<Vec<_>>();
        finder.tree = Bvh::new(&boxes(mesh.len(), &|i| around(&finder.corners(i))));
        let faces = finder.skin.faces.len();
        finder.skin_tree = Bvh::new(&boxes(faces, &|f| around(&finder.face(f))));
        finder
    }

    fn corners(&self, i: u32) -> [[f64; 3]; 4] {
        let c = self.mesh.cell(i as usize);
        [0, 1, 2, 3].map(|k| self.mesh.points[c[k] as usize])
    }

    fn face(&self, f: u32) -> [[f64; 3]; 3] {
        let n = self.skin.faces[f as usize].corners;
        [0, 1, 2].map(|k| self.mesh.points[n[k] as usize])
    }

    /// The smallest weight of `p` in cell `i`: negative outside.
    fn depth(&self, i: u32, p: [f64; 3]) -> f64 {
        let w = weights(self.corners(i), p);
        w.into_iter().fold(f64::INFINITY, f64::min)
    }

    /// The cell that holds `p`; of several the one that holds it deepest, then the lowest.
    fn within(&self, p: [f64; 3]) -> Option<u32> {
        let mut best: Option<(f64, u32)> = None;
        self.tree.visit(
            |b| (0..3).all(|k| b[0][k] <= p[k] && p[k] <= b[1][k]),
            |i| {
                let depth = self.depth(i, p);
                if depth >= 0.0 && best.is_none_or(|b| depth > b.0 || depth == b.0 && i < b.1) {
                    best = Some((depth, i));
                }
            },
        );
        best.map(|b| b.1)
    }

    /// The cell to carry a point outside.
    fn beside(&self, p: [f64; 3]) -> u32 {
        let nearest = self
            .skin_tree
            .nearest(p, |f| squared_distance(p, self.face(f)))
            .map_or(0, |f| self.skin.faces[f as usize].owner);
        let mut best = (self.depth(nearest, p), nearest);
        for &n in self.mesh.cell(nearest as usize) {
            let range = self.starts[n as usize] as usize..self.starts[n as usize + 1] as usize;
            for &i in &self.cells[range] {
                let depth = self.depth(i, p);
                if depth > best.0 || depth == best.0 && i < best.1 {
                    best = (depth, i);
                }
            }
        }
        best.1
    }
}

impl Finder<'_> {
    /// Nodes around a cell with the weights of their best affine motion at `p`: moving least squares,
    /// wᵢ = θᵢ/Σθ + θᵢ (xᵢ − x̄)ᵀA⁻¹(p − x̄), which carry every affine motion exactly. Empty where the nodes lie in a
    /// plane.
    fn fitted(&self, tet: u32, p: [f64; 3]) -> Vec<(u32, f64)> {
        let around = |nodes: &[u32]| -> Vec<u32> {
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
        let nodes = around(&around(self.mesh.cell(tet as usize)));
        let place = |n: u32| self.mesh.points[n as usize];
        let square = |n: u32| {
            let d = sub(place(n), p);
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
                .map(|(&n, t)| t * place(n)[k])
                .sum::<f64>()
                / total
        });
        let mut a = [[0.0; 3]; 3];
        for (&n, t) in nodes.iter().zip(&theta) {
            let d = sub(place(n), mean);
            for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                a[i][j] += t * d[i] * d[j];
            }
        }
        let whole = dot(a[0], cross(a[1], a[2]));
        let size = a[0][0] + a[1][1] + a[2][2];
        if whole.is_nan() || whole <= 1e-9 * size.powi(3) {
            return Vec::new();
        }
        // Cramer's rule; a is symmetric, so its rows are its columns.
        let q = sub(p, mean);
        let s = [
            dot(q, cross(a[1], a[2])) / whole,
            dot(a[0], cross(q, a[2])) / whole,
            dot(a[0], cross(a[1], q)) / whole,
        ];
        let weight = |(&n, t): (&u32, &f64)| (n, t / total + t * dot(sub(place(n), mean), s));
        nodes.iter().zip(&theta).map(weight).collect()
    }
}

fn weights(c: [[f64; 3]; 4], p: [f64; 3]) -> [f64; 4] {
    let whole = six_volumes(c);
    let part = |k: usize| {
        let mut with = c;
        with[k] = p;
        six_volumes(with) / whole
    };
    let [x, y, z] = [1, 2, 3].map(part);
    [1.0 - x - y - z, x, y, z]
}

/// Squared distance from a point to a triangle (C. Ericson, *Real-Time Collision Detection*, 5.1.5: by Voronoi regions).
fn squared_distance(p: [f64; 3], [a, b, c]: [[f64; 3]; 3]) -> f64 {
    let n = cross(sub(b, a), sub(c, a));
    let nn = dot(n, n);
    let beside = |q: [f64; 3], r: [f64; 3]| dot(cross(sub(r, q), sub(p, q)), n) < 0.0;
    if nn > 0.0 && !beside(a, b) && !beside(b, c) && !beside(c, a) {
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
