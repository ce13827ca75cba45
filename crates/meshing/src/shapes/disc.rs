//! Disc mesh of quadrilaterals: a rounded square as core, and rings around it. No quadrilateral is degenerate.
//!
//! Cubes and squares are rounded by the same formulas; the ball uses [`core_and_rings`] and [`map_to_core`] too. The
//! core takes m of the n cells across, the k rings the rest. A point p of the square maps to
//! s ((1−β) p + β p ‖p‖∞/‖p‖₂), with β = ½ half way between square and disc, which makes the angles of the three cells at
//! a corner of the square about equal. Ring points lie on straight lines from the boundary of the core to the circle,
//! at equal angles there (the equiangular cubed sphere of Ronchi, Iacono & Paolucci 1996, in any dimension).

use std::f64::consts::FRAC_PI_4;

/// Number of cells across the core and of rings around it, for `n` cells across the disc.
pub(super) fn core_and_rings(n: usize) -> (usize, usize) {
    if n < 3 {
        return (n, 0);
    }
    let rings = ((n + 1) / 4).max(1);
    (n - 2 * rings, rings)
}

/// Shape of the core: its half width relative to the radius, and its roundness β from 0 (square) to 1 (disc).
#[derive(Clone, Copy)]
pub(super) struct Core {
    pub half_width: f64,
    pub roundness: f64,
}

/// Maps a point of the cube or square [−1, 1]ᵈ (z = 0 for the square) into the core of the unit ball or disc.
pub(super) fn map_to_core(p: [f64; 3], core: Core) -> [f64; 3] {
    let largest = p.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let length = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
    let round = if length > 0.0 { largest / length } else { 1.0 };
    p.map(|x| core.half_width * x * (1.0 - core.roundness + core.roundness * round))
}

/// Maps a point of the boundary of the cube or square to the unit sphere or circle, at equal angles.
pub(super) fn map_to_boundary(p: [f64; 3]) -> [f64; 3] {
    let w = p.map(|x| (FRAC_PI_4 * x).tan());
    let length = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt();
    w.map(|x| x / length)
}

/// Mesh of the unit disc by counter-clockwise quadrilaterals.
pub(super) struct Disc {
    pub points: Vec<[f64; 2]>,
    pub quads: Vec<[u32; 4]>,
}

/// Generates the unit disc with `m` cells across its core and `rings` rings around it.
pub(super) fn disc(m: usize, rings: usize) -> Disc {
    let n = (m + 2 * rings) as f64;
    let core = if rings == 0 {
        Core {
            half_width: 1.0,
            roundness: 1.0,
        }
    } else {
        Core {
            half_width: m as f64 / n,
            roundness: 0.5,
        }
    };
    let at = |i: usize| 2.0 * i as f64 / m as f64 - 1.0;
    let mut points = Vec::new();
    for j in 0..=m {
        for i in 0..=m {
            let q = if rings == 0 && (i % m == 0 || j % m == 0) {
                map_to_boundary([at(i), at(j), 0.0])
            } else {
                map_to_core([at(i), at(j), 0.0], core)
            };
            points.push([q[0], q[1]]);
        }
    }
    let core_boundary: Vec<[usize; 2]> = (0..m)
        .map(|i| [i, 0])
        .chain((0..m).map(|j| [m, j]))
        .chain((0..m).map(|i| [m - i, m]))
        .chain((0..m).map(|j| [0, m - j]))
        .collect();
    for ring in 1..=rings {
        let t = ring as f64 / rings as f64;
        for &[i, j] in &core_boundary {
            let p = [at(i), at(j), 0.0];
            let (a, b) = (map_to_core(p, core), map_to_boundary(p));
            // The last ring lies exactly on the circle.
            let blend = |k: usize| {
                if ring == rings {
                    b[k]
                } else {
                    a[k] + t * (b[k] - a[k])
                }
            };
            points.push([blend(0), blend(1)]);
        }
    }
    let mut quads = Vec::new();
    let inner = |i: usize, j: usize| (j * (m + 1) + i) as u32;
    for j in 0..m {
        for i in 0..m {
            quads.push([
                inner(i, j),
                inner(i + 1, j),
                inner(i + 1, j + 1),
                inner(i, j + 1),
            ]);
        }
    }
    let node = |ring: usize, r: usize| {
        let r = r % (4 * m);
        match ring {
            0 => inner(core_boundary[r][0], core_boundary[r][1]),
            _ => ((m + 1) * (m + 1) + (ring - 1) * 4 * m + r) as u32,
        }
    };
    for ring in 0..rings {
        for r in 0..4 * m {
            quads.push([
                node(ring, r),
                node(ring + 1, r),
                node(ring + 1, r + 1),
                node(ring, r + 1),
            ]);
        }
    }
    Disc { points, quads }
}
