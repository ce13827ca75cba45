//! Aggregates: groups of nearby vertices that the matrix couples, and the functions on them that span the coarse space.
//!
//! Space is divided into boxes of about [`VERTICES_PER_BOX`] vertices. The vertices of a box that are connected by blocks inside
//! it are an aggregate, so no aggregate extends over a crack. Its functions are 1 and the coordinates, orthonormal: times
//! the three axes they contain the rigid motions of the aggregate in any orientation, and its uniform strains.

use crate::pattern::Placement;

use super::block_rows::{BlockRows, Vec3};

/// The number of vertices in a box.
const VERTICES_PER_BOX: usize = 48;

/// The relative length after orthogonalisation below which a function is left out.
const LEAST_INDEPENDENT: f64 = 1e-6;

/// Aggregates and their functions.
#[derive(Default)]
pub(super) struct Aggregates {
    /// The box of each vertex.
    boxes: Vec<u32>,
    /// The aggregate of each vertex.
    pub of_vertex: Vec<u32>,
    /// The values of the functions of its aggregate at each vertex; zero where an aggregate has fewer than four.
    pub weights: Vec<[f64; 4]>,
    /// The number of functions of each aggregate.
    pub functions: Vec<u32>,
    /// The vertices sorted by aggregate, and the start of each aggregate.
    members: Vec<u32>,
    starts: Vec<u32>,
    before: Vec<u32>,
}

impl Aggregates {
    /// Divides the points into boxes.
    pub fn allocate(&mut self, placement: &Placement) {
        let points = &placement.points;
        let wanted = points.len().div_ceil(VERTICES_PER_BOX);
        let bounds = |k: usize| {
            let of = |sign: f64| points.iter().map(|p| sign * p[k]).fold(f64::MIN, f64::max);
            (-of(-1.0), of(1.0))
        };
        let bounds = [0, 1, 2].map(bounds);
        let mut side = bounds.iter().fold(0.0, |s: f64, (l, h)| s.max(h - l));
        loop {
            let place = |p: &Vec3| {
                // Boxes of equal size that fill the extent of each axis.
                [0, 1, 2].map(|k| {
                    let (low, high) = bounds[k];
                    let count = ((high - low) / side.max(f64::MIN_POSITIVE)).round().max(1.0);
                    let share = (p[k] - low) / (high - low).max(f64::MIN_POSITIVE);
                    (share * count).floor().min(count - 1.0) as u32
                })
            };
            let places: Vec<[u32; 3]> = points.iter().map(place).collect();
            let mut distinct = places.clone();
            distinct.sort_unstable();
            distinct.dedup();
            if distinct.len() >= wanted || side <= 0.0 {
                let number = |p: &[u32; 3]| distinct.binary_search(p).unwrap_or(0) as u32;
                self.boxes = places.iter().map(number).collect();
                break;
            }
            side *= 0.9;
        }
        self.before.clear();
    }

    /// Finds the aggregates of a matrix; returns whether they changed.
    pub fn update(&mut self, a: &BlockRows, placement: &Placement) -> bool {
        self.connect(a);
        if self.before == self.of_vertex {
            return false;
        }
        self.before.clone_from(&self.of_vertex);
        self.sort_members();
        self.weigh(placement);
        true
    }

    /// Numbers the connected vertices of each box, in the order of their first vertices.
    fn connect(&mut self, a: &BlockRows) {
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
        self.functions.clear();
        self.functions.resize(found as usize, 0);
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

    /// Orthonormalises 1 and the coordinates on each aggregate, by the modified Gram–Schmidt process.
    fn weigh(&mut self, placement: &Placement) {
        self.weights.clear();
        self.weights.resize(self.of_vertex.len(), [0.0; 4]);
        for g in 0..self.functions.len() {
            let own = &self.members[self.starts[g] as usize..self.starts[g + 1] as usize];
            let first = placement.points[own[0] as usize];
            let mut kept = 0;
            for function in 0..4 {
                let value = |v: u32| match function {
                    0 => 1.0,
                    k => placement.points[v as usize][k - 1] - first[k - 1],
                };
                let weights = &mut self.weights;
                own.iter().for_each(|&v| weights[v as usize][kept] = value(v));
                let product = |weights: &[[f64; 4]], a: usize, b: usize| -> f64 {
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

/// Finds the root of a vertex's tree, with path halving.
fn root(parents: &mut [u32], mut v: u32) -> u32 {
    while parents[v as usize] != v {
        parents[v as usize] = parents[parents[v as usize] as usize];
        v = parents[v as usize];
    }
    v
}
