//! Aggregates: groups of nearby vertices that the matrix couples, and the functions on them that span the coarse space.
//!
//! Space is divided into boxes whose sides are [`SIDE_PER_REACH`] times the mean distance of coupled vertices, but at least
//! [`SIDE_PER_SPACING`] times that of nearest ones. The vertices of a box that are connected by blocks inside
//! it are an aggregate, so no aggregate extends over a crack. Its functions are the quadratic polynomials, orthonormal: times
//! the three axes they contain the rigid motions of the aggregate in any orientation, its uniform strains and its bending, which
//! thin plates need.

use crate::pattern::{Pattern, Placement};

use super::block_rows::{BlockRows, Vec3};

/// The largest number of functions of an aggregate: all monomials up to degree two.
pub(super) const FUNCTIONS: usize = 10;

/// The side of a box, in mean distances of coupled vertices. That is about one and a half horizons of a body of bonds.
const SIDE_PER_REACH: f64 = 2.0;

/// The smallest side of a box, in mean distances of nearest vertices. With short horizons smaller boxes have so few vertices that
/// the coarse matrix is nearly as large as the fine one.
const SIDE_PER_SPACING: f64 = 4.2;

/// The largest number of boxes along an axis.
const MAX_BOXES: f64 = 1e6;

/// The relative length after orthogonalisation below which a function is left out.
const LEAST_INDEPENDENT: f64 = 1e-6;

/// Aggregates and their functions.
#[derive(Default)]
pub(super) struct Aggregates {
    /// The side of a box, m.
    side: f64,
    /// The box of each vertex.
    boxes: Vec<u32>,
    /// The aggregate of each vertex.
    pub of_vertex: Vec<u32>,
    /// The values of the functions of its aggregate at each vertex; zero where an aggregate has fewer.
    pub weights: Vec<[f64; FUNCTIONS]>,
    /// The number of functions of each aggregate.
    pub functions: Vec<u32>,
    /// The vertices sorted by aggregate, and the start of each aggregate.
    members: Vec<u32>,
    starts: Vec<u32>,
    before: Vec<u32>,
}

impl Aggregates {
    /// Divides the points into boxes.
    pub fn allocate(&mut self, pattern: &Pattern, placement: &Placement) {
        let points = &placement.points;
        let side = SIDE_PER_REACH * placement.reach;
        let side = side.max(SIDE_PER_SPACING * spacing(pattern, points));
        self.side = side;
        let bounds = |k: usize| {
            let of = |sign: f64| points.iter().map(|p| sign * p[k]).fold(f64::MIN, f64::max);
            (-of(-1.0), of(1.0))
        };
        let bounds = [0, 1, 2].map(bounds);
        // Boxes of equal size that fill the extent of each axis.
        let place = |p: &Vec3| {
            [0, 1, 2].map(|k| {
                let (low, high) = bounds[k];
                let count = ((high - low) / side).round().clamp(1.0, MAX_BOXES);
                let share = (p[k] - low) / (high - low).max(f64::MIN_POSITIVE);
                (share * count).floor().min(count - 1.0) as u32
            })
        };
        let places: Vec<[u32; 3]> = points.iter().map(place).collect();
        let mut distinct = places.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let number = |p: &[u32; 3]| distinct.binary_search(p).unwrap_or(0) as u32;
        self.boxes = places.iter().map(number).collect();
        self.before.clear();
    }

    /// Finds the aggregates of a matrix; returns whether they changed.
    pub fn update(&mut self, a: &BlockRows, placement: &Placement) -> bool {
        let count = self.connect(a);
        if self.before == self.of_vertex {
            return false;
        }
        self.functions.clear();
        self.functions.resize(count, 0);
        self.before.clone_from(&self.of_vertex);
        self.sort_members();
        self.weigh(placement);
        true
    }

    /// Numbers the connected vertices of each box, in the order of their first vertices; returns the number of aggregates.
    fn connect(&mut self, a: &BlockRows) -> usize {
        let count = self.boxes.len();
        let parents = &mut self.of_vertex;
        parents.clear();
        parents.extend(0..count as u32);
        for v in 0..count {
            for &w in &a.columns[a.starts[v] as usize..a.starts[v + 1] as usize] {
                if self.boxes[v] == self.boxes[w as usize] {
                    let (p, q) = (root(parents, v as u32), root(parents, w));
                    parents[p.max(q) as usize] = p.min(q);
                }
            }
        }
        let mut found = 0;
        for v in 0..count {
            let parent = parents[v] as usize;
            parents[v] = match parent == v {
                true => {
                    found += 1;
                    found - 1
                }
                false => parents[parent],
            };
        }
        found as usize
    }

    fn sort_members(&mut self) {
        self.starts.clear();
        self.starts.resize(self.functions.len() + 1, 0);
        for &g in &self.of_vertex {
            self.starts[g as usize + 1] += 1;
        }
        for g in 1..self.starts.len() {
            self.starts[g] += self.starts[g - 1];
        }
        self.members.clear();
        self.members.extend(0..self.of_vertex.len() as u32);
        let of_vertex = &self.of_vertex;
        self.members.sort_by_key(|&v| of_vertex[v as usize]);
    }

    /// Orthonormalises the monomials on each aggregate, by the modified Gram–Schmidt process.
    fn weigh(&mut self, placement: &Placement) {
        self.weights.clear();
        self.weights.resize(self.of_vertex.len(), [0.0; FUNCTIONS]);
        let side = self.side;
        for g in 0..self.functions.len() {
            let own = &self.members[self.starts[g] as usize..self.starts[g + 1] as usize];
            let first = placement.points[own[0] as usize];
            let mut kept = 0;
            for function in 0..FUNCTIONS {
                let value = |v: u32| monomial(function, placement.points[v as usize], first, side);
                let weights = &mut self.weights;
                own.iter()
                    .for_each(|&v| weights[v as usize][kept] = value(v));
                let product = |weights: &[[f64; FUNCTIONS]], a: usize, b: usize| -> f64 {
                    let terms = own.iter().map(|&v| weights[v as usize]);
                    terms.map(|w| w[a] * w[b]).sum()
                };
                let before = product(weights, kept, kept).sqrt();
                for k in (0..kept).chain(0..kept) {
                    let share = product(weights, k, kept);
                    for &v in own {
                        let w = &mut weights[v as usize];
                        w[kept] -= share * w[k];
                    }
                }
                let after = product(weights, kept, kept).sqrt();
                let independent = after > LEAST_INDEPENDENT * before && after > 0.0;
                for &v in own {
                    let w = &mut weights[v as usize][kept];
                    *w = if independent { *w / after } else { 0.0 };
                }
                kept += usize::from(independent);
            }
            self.functions[g] = kept as u32;
        }
    }
}

/// Returns the mean distance of the vertices of a pattern from the nearest one that each is coupled with.
fn spacing(pattern: &Pattern, points: &[Vec3]) -> f64 {
    let mut squares = vec![f64::INFINITY; points.len()];
    let (starts, rows, groups) = (
        pattern.column_starts(),
        pattern.row_indices(),
        pattern.groups(),
    );
    for j in 0..pattern.n() {
        let v = groups[j] as usize;
        for &i in &rows[starts[j]..starts[j + 1]] {
            let w = groups[i] as usize;
            if v != w {
                let arm = [0, 1, 2].map(|k| points[v][k] - points[w][k]);
                let square = arm.iter().map(|x| x * x).sum::<f64>();
                squares[v] = squares[v].min(square);
                squares[w] = squares[w].min(square);
            }
        }
    }
    let coupled = squares.iter().filter(|s| s.is_finite());
    let (sum, count) = coupled.fold((0.0, 0.0), |(sum, n), s| (sum + s.sqrt(), n + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

/// Returns a monomial up to degree two in the coordinates from an origin, in sides of a box.
fn monomial(function: usize, p: Vec3, origin: Vec3, side: f64) -> f64 {
    let x = [0, 1, 2].map(|k| (p[k] - origin[k]) / side);
    match function {
        0 => 1.0,
        1..=3 => x[function - 1],
        4..=6 => x[function - 4] * x[function - 4],
        k => x[k - 7] * x[(k - 6) % 3],
    }
}

/// Finds the root of a vertex's tree, with path halving.
pub(super) fn root(parents: &mut [u32], mut v: u32) -> u32 {
    while parents[v as usize] != v {
        parents[v as usize] = parents[parents[v as usize] as usize];
        v = parents[v as usize];
    }
    v
}
