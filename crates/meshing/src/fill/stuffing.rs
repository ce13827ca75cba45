//! Isosurface stuffing (F. Labelle & J. R. Shewchuk, *Isosurface stuffing: fast tetrahedral meshes with good dihedral
//! angles*, SIGGRAPH 2007): tetrahedra of a body-centred cubic lattice, cut off at the surface.
//!
//! 1. Find where the surface crosses each lattice edge.
//! 2. A vertex with a crossing nearer than α times the edge's length moves onto the nearest such crossing, and is on the
//!    surface from then on: α = 0.24999 for long edges, 0.41189 for short, the paper's choice for the best worst angle.
//! 3. Cut the tetrahedra that still cross the surface by a few stencils; the rest is inside and untouched.
//!
//! The paper proves dihedral angles between 10.78° and 164.74° for any surface whatever.

use mesh::{Kind, Mesh};
use rayon::prelude::*;

use super::Lattice;
use super::stencil::{Cutter, Side};

/// A vertex moves onto a crossing nearer than this share of a long edge.
const ALPHA_LONG: f64 = 0.24999;
/// The same for a short edge.
const ALPHA_SHORT: f64 = 0.41189;

/// A lattice edge that the surface crosses, lower vertex first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Crossing {
    pub ends: [u32; 2],
    /// Share of the way from the first end to the second.
    pub at: f64,
}

/// Fills the region where `distance` is negative. `distance` is continuous, near the signed distance to the surface, and
/// positive on the lattice's border. Vertices come in the order cells first use them.
pub fn stuff(lattice: &Lattice, distance: impl Fn([f64; 3]) -> f64 + Sync) -> Mesh {
    stuff_region(lattice, &distance, |[p, q], [fp, fq]| {
        root(fp, fq, 1e-4 * lattice.side, |t| {
            distance([0, 1, 2].map(|k| p[k] + t * (q[k] - p[k])))
        })
    })
}

/// The same with the crossings found otherwise: `side` is negative inside, and `cross` says how far along the segment
/// between two points of opposite sides the surface is, from 0 to 1.
pub(super) fn stuff_region(
    lattice: &Lattice,
    side: impl Fn([f64; 3]) -> f64 + Sync,
    cross: impl Fn([[f64; 3]; 2], [f64; 2]) -> f64 + Sync,
) -> Mesh {
    let values: Vec<f64> = (0..lattice.len() as u32)
        .into_par_iter()
        .map(|v| side(lattice.position(v)))
        .collect();
    let crossings = crossings(lattice, &values, cross);
    let mut sides: Vec<Side> = values.iter().map(|&v| Side::of(v)).collect();
    let moved = warp(lattice, &crossings, &mut sides);
    let place = |v: u32| match moved.binary_search_by_key(&v, |m| m.0) {
        Ok(i) => moved[i].1,
        Err(_) => lattice.position(v),
    };
    let mut cutter = Cutter::new(lattice, &sides, &crossings, &place);
    for k in 0..lattice.cubes[2] {
        lattice.tets_of_layer(k, |tet| cutter.cut(tet));
    }
    let (points, tets) = cutter.finish();
    let mut mesh = Mesh::with_points(points);
    for t in &tets {
        mesh.push(Kind::Tet4, t);
    }
    mesh
}

/// Every crossed edge with its crossing, ascending.
fn crossings(
    lattice: &Lattice,
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
                // Never quite at an end: a cut vertex must not fall on a lattice vertex.
                at: at.clamp(1e-9, 1.0 - 1e-9),
            }
        })
        .collect()
}

/// A zero of `f` in (0, 1), where it takes values of opposite sign at the ends, by the Illinois variant of the false
/// position rule.
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

/// Moves vertices that have a crossing too near and puts them on the surface. Returns who moved where, ascending.
fn warp(lattice: &Lattice, crossings: &[Crossing], sides: &mut [Side]) -> Vec<(u32, [f64; 3])> {
    // Crossings around each vertex, nearest to it first.
    let mut around: Vec<(u32, f64, u32)> = Vec::new();
    for (i, c) in crossings.iter().enumerate() {
        let long = lattice.is_long(c.ends[0], c.ends[1]);
        let alpha = if long { ALPHA_LONG } else { ALPHA_SHORT };
        let length = if long { 1.0 } else { 0.75f64.sqrt() };
        if c.at < alpha {
            around.push((c.ends[0], c.at * length, i as u32));
        } else if 1.0 - c.at < alpha {
            around.push((c.ends[1], (1.0 - c.at) * length, i as u32));
        }
    }
    around.sort_unstable_by(|x, y| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)).then(x.2.cmp(&y.2)));
    let mut moved = Vec::new();
    for near in around.chunk_by(|x, y| x.0 == y.0) {
        let v = near[0].0;
        // A crossing is gone once its other end has moved onto the surface.
        let still = near.iter().find(|n| {
            let [a, b] = crossings[n.2 as usize].ends;
            sides[if a == v { b } else { a } as usize] != Side::On
        });
        if let Some(n) = still {
            sides[v as usize] = Side::On;
            moved.push((v, position(lattice, &crossings[n.2 as usize])));
        }
    }
    moved
}

/// Where a crossing is.
pub(super) fn position(lattice: &Lattice, c: &Crossing) -> [f64; 3] {
    let (p, q) = (lattice.position(c.ends[0]), lattice.position(c.ends[1]));
    [0, 1, 2].map(|k| p[k] + c.at * (q[k] - p[k]))
}
