//! Stencils that cut a lattice tetrahedron along the surface and keep the part inside.
//!
//! A face with two inside corners and one outside keeps a quadrilateral, which its two tetrahedra must split along the
//! same diagonal. If one of the cut edges is long, the diagonal ends at the crossing on it; if both are short, it is the
//! one that gives the better triangles. The first part of the rule excludes three diagonals of a truncated tetrahedron
//! that form a cycle: a prism with such diagonals cannot be split into tetrahedra.

use std::collections::HashMap;

use mesh::vector::{cross, dot, sub};

use super::BccLattice;
use super::predicates::six_times_volume;
use super::stuffing::{Crossing, position};

/// Side of the surface on which a lattice vertex lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Inside,
    On,
    Outside,
}

impl Side {
    /// Side of a point with this signed distance, negative inside.
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

/// Cuts lattice tetrahedra along the surface and collects the tetrahedra inside.
pub(super) struct Cutter<'a, P: Fn(u32) -> [f64; 3]> {
    lattice: &'a BccLattice,
    sides: &'a [Side],
    crossings: &'a [Crossing],
    vertex_position: &'a P,
    /// Mesh point of each lattice vertex that is used.
    lattice_points: HashMap<u32, u32>,
    /// Mesh point of each crossed lattice edge that is used.
    crossing_points: HashMap<[u32; 2], u32>,
    points: Vec<[f64; 3]>,
    tets: Vec<[u32; 4]>,
}

impl<'a, P: Fn(u32) -> [f64; 3]> Cutter<'a, P> {
    /// Creates a cutter without output yet.
    pub fn new(
        lattice: &'a BccLattice,
        sides: &'a [Side],
        crossings: &'a [Crossing],
        vertex_position: &'a P,
    ) -> Self {
        Cutter {
            lattice,
            sides,
            crossings,
            vertex_position,
            lattice_points: HashMap::new(),
            crossing_points: HashMap::new(),
            points: Vec::new(),
            tets: Vec::new(),
        }
    }

    /// Returns points and tetrahedra, all of positive volume.
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
            (&[a, b], &[z], &[d]) => self.cut_two_inside_one_on(a, b, z, d),
            (&[a, b], &[], &[c, d]) => self.cut_two_inside([a, b], [c, d]),
            (&[a, b, c], &[], &[d]) => self.cut_three_inside([a, b, c], d),
            _ => {}
        }
    }

    /// Two vertices inside, one on the surface, one outside: keeps a pyramid over the quadrilateral of face a, b, d.
    fn cut_two_inside_one_on(&mut self, a: u32, b: u32, z: u32, d: u32) {
        let (ad, bd, apex) = (self.between(a, d), self.between(b, d), self.at(z));
        let (pa, pb) = (self.at(a), self.at(b));
        if self.starts_at_first(a, b, d) {
            self.push([pa, pb, bd, apex]);
            self.push([pa, bd, ad, apex]);
        } else {
            self.push([pa, pb, ad, apex]);
            self.push([pb, bd, ad, apex]);
        }
    }

    /// Two vertices inside, two outside: keeps a prism with end triangles at a and b. Its quadrilateral on the surface is
    /// split along the diagonal that gives the better dihedral angles.
    fn cut_two_inside(&mut self, [a, b]: [u32; 2], [c, d]: [u32; 2]) {
        let low = [self.at(a), self.between(a, c), self.between(a, d)];
        let high = [self.at(b), self.between(b, c), self.between(b, d)];
        let first = self.starts_at_first(a, b, c);
        let second = self.starts_at_first(a, b, d);
        // Quadrilaterals 0–1, 1–2, 2–0 of the prism: whether the diagonal starts at the first of the two low vertices.
        let choices = [true, false].map(|free| self.split_prism(low, high, [first, free, !second]));
        let worst = choices.map(|c| c.map_or(-1.0, |tets| self.min_dihedral_sine(&tets)));
        if let Some(tets) = if worst[0] >= worst[1] {
            choices[0]
        } else {
            choices[1]
        } {
            tets.into_iter().for_each(|t| self.push(t));
        }
    }

    /// Three vertices inside, one outside: keeps a prism between face a, b, c and the three crossings.
    fn cut_three_inside(&mut self, [a, b, c]: [u32; 3], d: u32) {
        let low = [a, b, c].map(|v| self.at(v));
        let high = [a, b, c].map(|v| self.between(v, d));
        let diagonals = [
            self.starts_at_first(a, b, d),
            self.starts_at_first(b, c, d),
            self.starts_at_first(c, a, d),
        ];
        for t in self.split_prism(low, high, diagonals).into_iter().flatten() {
            self.push(t);
        }
    }

    /// Splits a prism into three tetrahedra. `diagonals[i]` says whether the diagonal of the quadrilateral at `low[i]`,
    /// `low[i+1]` starts at `low[i]` (and ends at `high[i+1]`). Returns `None` if the diagonals form a cycle.
    fn split_prism(
        &self,
        low: [u32; 3],
        high: [u32; 3],
        diagonals: [bool; 3],
    ) -> Option<[[u32; 4]; 3]> {
        let mut diagonals_at = [0; 3];
        for i in 0..3 {
            diagonals_at[if diagonals[i] { i } else { (i + 1) % 3 }] += 1;
        }
        let find = |n: usize| diagonals_at.iter().position(|&t| t == n);
        let (two, one, none) = (find(2)?, find(1)?, find(0)?);
        Some([
            [low[two], low[one], low[none], high[none]],
            [low[two], low[one], high[none], high[one]],
            [low[two], high[two], high[one], high[none]],
        ])
    }

    /// Whether the diagonal of the quadrilateral a, b, (b,d), (a,d) starts at a.
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
                let from_a =
                    min_angle_measure(q[0], q[1], q[2]).min(min_angle_measure(q[0], q[2], q[3]));
                let from_b =
                    min_angle_measure(q[0], q[1], q[3]).min(min_angle_measure(q[1], q[2], q[3]));
                // Both neighbours must choose the same diagonal, in whichever order they list a and b.
                if from_a == from_b {
                    a < b
                } else {
                    from_a > from_b
                }
            }
        }
    }

    /// Mesh point of lattice vertex `v`.
    fn at(&mut self, v: u32) -> u32 {
        *self.lattice_points.entry(v).or_insert_with(|| {
            self.points.push((self.vertex_position)(v));
            self.points.len() as u32 - 1
        })
    }

    /// Mesh point where the surface crosses the lattice edge from `a` to `b`.
    fn between(&mut self, a: u32, b: u32) -> u32 {
        let ends = [a.min(b), a.max(b)];
        *self.crossing_points.entry(ends).or_insert_with(|| {
            let p = match self.crossings.binary_search_by_key(&ends, |c| c.ends) {
                Ok(i) => position(self.lattice, &self.crossings[i]),
                // Edges with ends on opposite sides always have a crossing.
                Err(_) => self.lattice.position(ends[0]),
            };
            self.points.push(p);
            self.points.len() as u32 - 1
        })
    }

    fn corners(&self, t: [u32; 4]) -> [[f64; 3]; 4] {
        t.map(|i| self.points[i as usize])
    }

    /// Adds a tetrahedron with positive orientation.
    fn push(&mut self, mut t: [u32; 4]) {
        if six_times_volume(self.corners(t)) < 0.0 {
            t.swap(2, 3);
        }
        self.tets.push(t);
    }

    /// Smallest sine of the dihedral angles of three tetrahedra.
    fn min_dihedral_sine(&self, tets: &[[u32; 4]; 3]) -> f64 {
        tets.iter()
            .map(|&t| smallest_dihedral_sine(self.corners(t)))
            .fold(f64::INFINITY, f64::min)
    }
}

/// Smallest sine of the six dihedral angles: 3 V |pq| / 2 A B at edge pq between faces with areas A and B.
fn smallest_dihedral_sine(p: [[f64; 3]; 4]) -> f64 {
    let volume = six_times_volume(p).abs();
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

/// Negated cosine of the smallest angle of a triangle: grows with the angle.
fn min_angle_measure(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> f64 {
    let cosine = |p: [f64; 3], q: [f64; 3], r: [f64; 3]| {
        let (u, v) = (sub(q, p), sub(r, p));
        dot(u, v) / (dot(u, u) * dot(v, v)).sqrt()
    };
    -cosine(a, b, c).max(cosine(b, c, a)).max(cosine(c, a, b))
}
