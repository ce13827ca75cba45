//! Isosurface stuffing (F. Labelle & J. R. Shewchuk, *Isosurface stuffing: fast tetrahedral meshes with good dihedral
//! angles*, SIGGRAPH 2007): tetrahedra of a body-centred cubic lattice, cut along the surface.
//!
//! 1. Find where the surface crosses each lattice edge.
//! 2. Move a vertex with a crossing nearer than α times the edge's length onto the nearest such crossing, where it lies
//!    on the surface. α = 0.24999 for long edges and 0.41189 for short ones, the paper's choice for the best worst angle.
//! 3. Cut the tetrahedra that still cross the surface by a few stencils; the rest is inside and unchanged.
//!
//! The paper proves dihedral angles between 10.78° and 164.74° for any surface.

use mesh::{CellKind, Mesh};
use rayon::prelude::*;

use super::BccLattice;
use super::stencil::{Cutter, Side};

/// Fraction of a long edge within which a vertex moves onto a crossing.
const ALPHA_LONG: f64 = 0.24999;
/// Fraction of a short edge within which a vertex moves onto a crossing.
const ALPHA_SHORT: f64 = 0.41189;

/// Crossing of the surface with a lattice edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Crossing {
    /// Vertices of the edge, ascending.
    pub ends: [u32; 2],
    /// Fraction of the edge from its first vertex to the crossing.
    pub at: f64,
}

/// Meshes the region where the signed distance function `distance` is negative, by isosurface stuffing.
///
/// `distance` must be continuous, close to the signed distance near the surface, and positive on the boundary of the
/// lattice. Points are numbered in the order in which cells first use them.
pub fn isosurface_stuffing(
    lattice: &BccLattice,
    distance: impl Fn([f64; 3]) -> f64 + Sync,
) -> Mesh {
    stuff_lattice(lattice, &distance, |[p, q], [fp, fq]| {
        root(fp, fq, 1e-4 * lattice.side, |t| {
            distance([0, 1, 2].map(|k| p[k] + t * (q[k] - p[k])))
        })
    })
}

/// Isosurface stuffing with a given crossing function: `side` is negative inside, and `cross` returns the fraction, 0
/// to 1, of the segment between two points on opposite sides at which it crosses the surface.
pub(super) fn stuff_lattice(
    lattice: &BccLattice,
    side: impl Fn([f64; 3]) -> f64 + Sync,
    cross: impl Fn([[f64; 3]; 2], [f64; 2]) -> f64 + Sync,
) -> Mesh {
    let values: Vec<f64> = (0..lattice.len() as u32)
        .into_par_iter()
        .map(|v| side(lattice.position(v)))
        .collect();
    let crossings = crossings(lattice, &values, cross);
    let mut sides: Vec<Side> = values.iter().map(|&v| Side::of(v)).collect();
    let moved = snap_vertices(lattice, &crossings, &mut sides);
    let vertex_position = |v: u32| match moved.binary_search_by_key(&v, |m| m.0) {
        Ok(i) => moved[i].1,
        Err(_) => lattice.position(v),
    };
    let mut cutter = Cutter::new(lattice, &sides, &crossings, &vertex_position);
    for k in 0..lattice.cubes[2] {
        lattice.tets_of_layer(k, |tet| cutter.cut(tet));
    }
    let (points, tets) = cutter.finish();
    let mut mesh = Mesh::with_points(points);
    for t in &tets {
        mesh.push(CellKind::Tet4, t);
    }
    mesh
}

/// Crossings of all crossed lattice edges, ascending.
fn crossings(
    lattice: &BccLattice,
    values: &[f64],
    cross: impl Fn([[f64; 3]; 2], [f64; 2]) -> f64 + Sync,
) -> Vec<Crossing> {
    let layers: Vec<Vec<[u32; 2]>> = (0..lattice.cubes[2])
        .into_par_iter()
        .map(|k| {
            let mut found = Vec::new();
            lattice.tets_of_layer(k, |t| {
                for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                    let (a, b) = (t[i].min(t[j]), t[i].max(t[j]));
                    if values[a as usize] * values[b as usize] < 0.0 {
                        found.push([a, b]);
                    }
                }
            });
            found.sort_unstable();
            found.dedup();
            found
        })
        .collect();
    let mut ends: Vec<[u32; 2]> = layers.into_iter().flatten().collect();
    ends.sort_unstable();
    ends.dedup();
    ends.into_par_iter()
        .map(|[a, b]| {
            let at = cross(
                [a, b].map(|v| lattice.position(v)),
                [a, b].map(|v| values[v as usize]),
            );
            Crossing {
                ends: [a, b],
                // Never exactly at an end: a cut vertex must not coincide with a lattice vertex.
                at: at.clamp(1e-9, 1.0 - 1e-9),
            }
        })
        .collect()
}

/// Root of `f` in (0, 1) by the Illinois variant of the false position method; `f0` and `f1` are the values at the ends,
/// of opposite signs.
fn root(f0: f64, f1: f64, tolerance: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (mut a, mut fa, mut b, mut fb) = (0.0, f0, 1.0, f1);
    let mut t = fa / (fa - fb);
    for _ in 0..12 {
        let ft = f(t);
        if ft.abs() <= tolerance {
            break;
        }
        if ft * fb < 0.0 {
            (a, fa) = (b, fb);
        } else {
            fa *= 0.5;
        }
        (b, fb) = (t, ft);
        t = (a * fb - b * fa) / (fb - fa);
    }
    t
}

/// Moves vertices with a crossing nearer than α onto the surface. Returns the moved vertices and their new positions,
/// ascending.
fn snap_vertices(
    lattice: &BccLattice,
    crossings: &[Crossing],
    sides: &mut [Side],
) -> Vec<(u32, [f64; 3])> {
    // Crossings around each vertex, nearest to it first.
    let mut candidates: Vec<(u32, f64, u32)> = Vec::new();
    for (i, c) in crossings.iter().enumerate() {
        let long = lattice.is_long(c.ends[0], c.ends[1]);
        let alpha = if long { ALPHA_LONG } else { ALPHA_SHORT };
        let length = if long { 1.0 } else { 0.75f64.sqrt() };
        if c.at < alpha {
            candidates.push((c.ends[0], c.at * length, i as u32));
        } else if 1.0 - c.at < alpha {
            candidates.push((c.ends[1], (1.0 - c.at) * length, i as u32));
        }
    }
    candidates.sort_unstable_by(|x, y| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)).then(x.2.cmp(&y.2)));
    let mut moved = Vec::new();
    for near in candidates.chunk_by(|x, y| x.0 == y.0) {
        let v = near[0].0;
        // A crossing vanishes once the other end of its edge has moved onto the surface.
        let nearest = near.iter().find(|n| {
            let [a, b] = crossings[n.2 as usize].ends;
            sides[if a == v { b } else { a } as usize] != Side::On
        });
        if let Some(n) = nearest {
            sides[v as usize] = Side::On;
            moved.push((v, position(lattice, &crossings[n.2 as usize])));
        }
    }
    moved
}

/// Position of a crossing, m.
pub(super) fn position(lattice: &BccLattice, c: &Crossing) -> [f64; 3] {
    let (p, q) = (lattice.position(c.ends[0]), lattice.position(c.ends[1]));
    [0, 1, 2].map(|k| p[k] + c.at * (q[k] - p[k]))
}
