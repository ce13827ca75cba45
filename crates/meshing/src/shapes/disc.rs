//! A disc in quadrilaterals without a degenerate one: a bulging square in the middle, rings around it.
//!
//! Cubes and squares become round in the same way, so the ball shares [`core_share`] and [`bulge`]. The middle takes m of
//! the n cells across, the k rings the rest. A point p of the middle square goes to s ((1−β) p + β p ‖p‖∞/‖p‖₂), half way
//! between square and disc, so that the three cells at the square's corners share the full turn about equally. Ring
//! points lie on straight lines from the middle's edge to the circle, at equal angles there (the equiangular cubed
//! sphere of Ronchi, Iacono & Paolucci 1996, in any dimension).

use std::f64::consts::FRAC_PI_4;

/// Cells across the middle and rings around it, for n cells across.
pub(super) fn core_share(n: usize) -> (usize, usize) {
    if n < 3 {
        return (n, 0);
    }
    let rings = ((n + 1) / 4).max(1);
    (n - 2 * rings, rings)
}

/// How the middle is drawn: its half width against the radius, and how round it is.
#[derive(Clone, Copy)]
pub(super) struct Core {
    pub half_width: f64,
    pub roundness: f64,
}

/// A point of the cube or square [−1, 1]ᵈ (z = 0 for the square) to its place in the middle of the unit ball or disc.
pub(super) fn bulge(p: [f64; 3], core: Core) -> [f64; 3] {
    let largest = p.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let length = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
    let round = if length > 0.0 { largest / length } else { 1.0 };
    p.map(|x| core.half_width * x * (1.0 - core.roundness + core.roundness * round))
}

/// A point of the cube's or square's boundary to the unit sphere or circle, at equal angles.
pub(super) fn outward(p: [f64; 3]) -> [f64; 3] {
    let w = p.map(|x| (FRAC_PI_4 * x).tan());
    let length = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt();
    w.map(|x| x / length)
}

/// Quadrilaterals that fill the unit disc, counter-clockwise.
pub(super) struct Disc {
    pub points: Vec<[f64; 2]>,
    pub quads: Vec<[u32; 4]>,
}

/// The disc with `middle` cells across its square and `rings` rings around it.
pub(super) fn disc(middle: usize, rings: usize) -> Disc {
    let m = middle;
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
                outward([at(i), at(j), 0.0])
            } else {
                bulge([at(i), at(j), 0.0], core)
            };
            points.push([q[0], q[1]]);
        }
    }
    let rim: Vec<[usize; 2]> = (0..m)
        .map(|i| [i, 0])
        .chain((0..m).map(|j| [m, j]))
        .chain((0..m).map(|i| [m - i, m]))
        .chain((0..m).map(|j| [0, m - j]))
        .collect();
    for ring in 1..=rings {
        let t = ring as f64 / rings as f64;
        for &[i, j] in &rim {
            let p = [at(i), at(j), 0.0];
            let (a, b) = (bulge(p, core), outward(p));
            // The last ring exactly on the circle.
            let mix = |k: usize| {
                if ring == rings {
                    b[k]
                } else {
                    a[k] + t * (b[k] - a[k])
                }
            };
            points.push([mix(0), mix(1)]);
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
            0 => inner(rim[r][0], rim[r][1]),
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
