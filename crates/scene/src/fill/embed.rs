//! The surface people look at, carried along by the tetrahedra: x = Σ wᵢ xᵢ over the corners of one of them.

use rayon::prelude::*;
use solid::mesh::{Mesh, surface};

use super::bvh::{Bvh, around};
use super::vector::{cross, dot, six_volumes, sub};

/// Where each vertex of a surface is in a mesh of tetrahedra.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedding {
    /// The cell that carries each vertex.
    pub tets: Vec<u32>,
    /// Barycentric weights at the cell's first four nodes; they sum to 1 and give the vertex's rest place exactly, so a
    /// vertex outside its cell has a negative one.
    pub weights: Vec<[f64; 4]>,
}

impl Embedding {
    /// Finds for each point the tetrahedron it is in, or else the one with the nearest boundary face.
    pub fn new(mesh: &Mesh, points: &[[f64; 3]]) -> Embedding {
        let corners = |i: u32| {
            let c = mesh.cell(i as usize);
            [0, 1, 2, 3].map(|k| mesh.points[c[k] as usize])
        };
        let boxes: Vec<_> = (0..mesh.len() as u32)
            .map(|i| around(&corners(i)))
            .collect();
        let tree = Bvh::new(&boxes);
        let skin = surface(mesh);
        let face = |f: u32| {
            let n = skin.faces[f as usize].corners;
            [0, 1, 2].map(|k| mesh.points[n[k] as usize])
        };
        let face_boxes: Vec<_> = (0..skin.faces.len() as u32)
            .map(|f| around(&face(f)))
            .collect();
        let face_tree = Bvh::new(&face_boxes);
        let found: Vec<(u32, [f64; 4])> = points
            .par_iter()
            .map(|&p| {
                let mut best: Option<(f64, u32)> = None;
                tree.visit(
                    |b| (0..3).all(|k| b[0][k] <= p[k] && p[k] <= b[1][k]),
                    |i| {
                        let least = weights(corners(i), p)
                            .into_iter()
                            .fold(f64::INFINITY, f64::min);
                        let better = |b: (f64, u32)| least > b.0 || least == b.0 && i < b.1;
                        if least >= 0.0 && best.is_none_or(better) {
                            best = Some((least, i));
                        }
                    },
                );
                let tet = best.map(|b| b.1).or_else(|| {
                    face_tree
                        .nearest(p, |f| squared_distance(p, face(f)))
                        .map(|f| skin.faces[f as usize].owner)
                });
                let tet = tet.unwrap_or(0);
                (tet, weights(corners(tet), p))
            })
            .collect();
        let (tets, weights) = found.into_iter().unzip();
        Embedding { tets, weights }
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
pub(super) fn squared_distance(p: [f64; 3], [a, b, c]: [[f64; 3]; 3]) -> f64 {
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
