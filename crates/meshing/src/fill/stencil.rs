//! What remains of a lattice tetrahedron inside the surface.
//!
//! A face with two inside corners and one outside keeps a quadrilateral, which the two tetrahedra beside it must cut
//! along the same diagonal. Where one of the cut edges is long, the diagonal ends at the crossing on it; where both are
//! short, it is the one that leaves the better triangles. The first half of the rule keeps the three diagonals of a
//! truncated tetrahedron from chasing each other around (a prism so cut has no tetrahedra).

use std::collections::HashMap;

use super::Lattice;
use super::stuffing::{Crossing, position};
use super::vector::six_volumes;
use mesh::vector::{cross, dot, sub};

/// Where a lattice vertex is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Inside,
    On,
    Outside,
}

impl Side {
    pub fn of(distance: f64) -> Side {
        if distance < 0.0 {
            Side::Inside
        } else if distance > 0.0 {
            Side::Outside
        } else {
            Side::On
        }
    }
}

/// Cuts tetrahedra and collects what is inside.
pub(super) struct Cutter<'a, P: Fn(u32) -> [f64; 3]> {
    lattice: &'a Lattice,
    sides: &'a [Side],
    crossings: &'a [Crossing],
    place: &'a P,
    vertex: HashMap<u32, u32>,
    cut: HashMap<[u32; 2], u32>,
    points: Vec<[f64; 3]>,
    tets: Vec<[u32; 4]>,
}

impl<'a, P: Fn(u32) -> [f64; 3]> Cutter<'a, P> {
    pub fn new(
        lattice: &'a Lattice,
        sides: &'a [Side],
        crossings: &'a [Crossing],
        place: &'a P,
    ) -> Self {
        Cutter {
            lattice,
            sides,
            crossings,
            place,
            vertex: HashMap::new(),
            cut: HashMap::new(),
            points: Vec::new(),
            tets: Vec::new(),
        }
    }

    /// Points and tetrahedra, all of positive volume.
    pub fn finish(self) -> (Vec<[f64; 3]>, Vec<[u32; 4]>) {
        (self.points, self.tets)
    }

    /// Adds the inside part of one lattice tetrahedron.
    pub fn cut(&mut self, tet: [u32; 4]) {
        let sides = self.sides;
        let pick = |side: Side| tet.into_iter().filter(move |&v| sides[v as usize] == side);
        if pick(Side::Inside).next().is_none() {
            return;
        }
        let inside: Vec<u32> = pick(Side::Inside).collect();
        let on: Vec<u32> = pick(Side::On).collect();
        let outside: Vec<u32> = pick(Side::Outside).collect();
        match (inside.as_slice(), on.as_slice(), outside.as_slice()) {
            (_, _, []) => {
                let t = tet.map(|v| self.at(v));
                self.push(t);
            }
            (&[a], on, outside) => {
                let mut t = [self.at(a); 4];
                for (slot, &v) in t[1..].iter_mut().zip(on) {
                    *slot = self.at(v);
                }
                for (slot, &v) in t[1 + on.len()..].iter_mut().zip(outside) {
                    *slot = self.between(a, v);
                }
                self.push(t);
            }
            (&[a, b], &[z], &[d]) => self.wedge(a, b, z, d),
            (&[a, b], &[], &[c, d]) => self.bridge([a, b], [c, d]),
            (&[a, b, c], &[], &[d]) => self.truncated([a, b, c], d),
            _ => {}
        }
    }

    /// Two inside, one on, one outside: a pyramid over the quadrilateral of face a, b, d.
    fn wedge(&mut self, a: u32, b: u32, z: u32, d: u32) {
        let (ad, bd, tip) = (self.between(a, d), self.between(b, d), self.at(z));
        let (pa, pb) = (self.at(a), self.at(b));
        if self.starts_at_first(a, b, d) {
            self.push([pa, pb, bd, tip]);
            self.push([pa, bd, ad, tip]);
        } else {
            self.push([pa, pb, ad, tip]);
            self.push([pb, bd, ad, tip]);
        }
    }

    /// Two inside, two outside: a prism with end triangles at a and b. Its side on the surface is cut whichever way leaves
    /// the better angles.
    fn bridge(&mut self, [a, b]: [u32; 2], [c, d]: [u32; 2]) {
        let low = [self.at(a), self.between(a, c), self.between(a, d)];
        let high = [self.at(b), self.between(b, c), self.between(b, d)];
        let first = self.starts_at_first(a, b, c);
        let second = self.starts_at_first(a, b, d);
        // Sides 0–1, 1–2, 2–0 of the prism: whether the diagonal starts at the lower triangle's first of the pair.
        let ways = [true, false].map(|free| self.prism(low, high, [first, free, !second]));
        let worst = ways.map(|w| w.map_or(-1.0, |tets| self.worst_angle(&tets)));
        if let Some(tets) = if worst[0] >= worst[1] {
            ways[0]
        } else {
            ways[1]
        } {
            tets.into_iter().for_each(|t| self.push(t));
        }
    }

    /// Three inside, one outside: a prism between face a, b, c and the three crossings.
    fn truncated(&mut self, [a, b, c]: [u32; 3], d: u32) {
        let low = [a, b, c].map(|v| self.at(v));
        let high = [a, b, c].map(|v| self.between(v, d));
        let diagonals = [
            self.starts_at_first(a, b, d),
            self.starts_at_first(b, c, d),
            self.starts_at_first(c, a, d),
        ];
        for t in self.prism(low, high, diagonals).into_iter().flatten() {
            self.push(t);
        }
    }

    /// The tetrahedra of a prism. `diagonals[i]` says whether the diagonal of the side at low[i], low[i+1] starts at
    /// low[i] (and ends at high[i+1]). `None` when they chase each other.
    fn prism(&self, low: [u32; 3], high: [u32; 3], diagonals: [bool; 3]) -> Option<[[u32; 4]; 3]> {
        let mut touches = [0; 3];
        for i in 0..3 {
            touches[if diagonals[i] { i } else { (i + 1) % 3 }] += 1;
        }
        let find = |n: usize| touches.iter().position(|&t| t == n);
        let (two, one, none) = (find(2)?, find(1)?, find(0)?);
        Some([
            [low[two], low[one], low[none], high[none]],
            [low[two], low[one], high[none], high[one]],
            [low[two], high[two], high[one], high[none]],
        ])
    }

    /// Of the quadrilateral a, b, (b,d), (a,d): whether its diagonal starts at a.
    fn starts_at_first(&mut self, a: u32, b: u32, d: u32) -> bool {
        match (self.lattice.is_long(a, d), self.lattice.is_long(b, d)) {
            (true, false) => false,
            (false, true) => true,
            _ => {
                let q = [
                    self.at(a),
                    self.at(b),
                    self.between(b, d),
                    self.between(a, d),
                ]
                .map(|i| self.points[i as usize]);
                let with = sharpest(q[0], q[1], q[2]).min(sharpest(q[0], q[2], q[3]));
                let without = sharpest(q[0], q[1], q[3]).min(sharpest(q[1], q[2], q[3]));
                // Both neighbours must come to the same answer, whichever of a and b they name first.
                if with == without {
                    a < b
                } else {
                    with > without
                }
            }
        }
    }

    fn at(&mut self, v: u32) -> u32 {
        *self.vertex.entry(v).or_insert_with(|| {
            self.points.push((self.place)(v));
            self.points.len() as u32 - 1
        })
    }

    fn between(&mut self, a: u32, b: u32) -> u32 {
        let ends = [a.min(b), a.max(b)];
        *self.cut.entry(ends).or_insert_with(|| {
            let p = match self.crossings.binary_search_by_key(&ends, |c| c.ends) {
                Ok(i) => position(self.lattice, &self.crossings[i]),
                // Ends on opposite sides always have a crossing.
                Err(_) => self.lattice.position(ends[0]),
            };
            self.points.push(p);
            self.points.len() as u32 - 1
        })
    }

    fn corners(&self, t: [u32; 4]) -> [[f64; 3]; 4] {
        t.map(|i| self.points[i as usize])
    }

    fn push(&mut self, mut t: [u32; 4]) {
        if six_volumes(self.corners(t)) < 0.0 {
            t.swap(2, 3);
        }
        self.tets.push(t);
    }

    /// Sine of the smallest dihedral angle of some tetrahedra.
    fn worst_angle(&self, tets: &[[u32; 4]; 3]) -> f64 {
        tets.iter()
            .map(|&t| smallest_sine(self.corners(t)))
            .fold(f64::INFINITY, f64::min)
    }
}
/// sin of the dihedral angle at edge pq between faces with areas A, B: 3 V |pq| / 2 A B, the least over the six edges.
fn smallest_sine(p: [[f64; 3]; 4]) -> f64 {
    let volume = six_volumes(p).abs();
    let mut least = f64::INFINITY;
    for (i, j, k, l) in [
        (0, 1, 2, 3),
        (0, 2, 1, 3),
        (0, 3, 1, 2),
        (1, 2, 0, 3),
        (1, 3, 0, 2),
        (2, 3, 0, 1),
    ] {
        let e = sub(p[j], p[i]);
        let (n, m) = (cross(e, sub(p[k], p[i])), cross(e, sub(p[l], p[i])));
        let areas = (dot(n, n) * dot(m, m)).sqrt();
        least = least.min(volume * dot(e, e).sqrt() / areas);
    }
    least
}

/// The cosine of a triangle's sharpest angle, negated: greater is blunter.
fn sharpest(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> f64 {
    let cosine = |p: [f64; 3], q: [f64; 3], r: [f64; 3]| {
        let (u, v) = (sub(q, p), sub(r, p));
        dot(u, v) / (dot(u, u) * dot(v, v)).sqrt()
    };
    -cosine(a, b, c).max(cosine(b, c, a)).max(cosine(c, a, b))
}
