//! What step control asks of a model: the largest speed, the greatest change of an edge's length, and the next kink in
//! time of loads and prescribed motion.

use march::At;

use super::Model;
use crate::potential::End;

/// Edges of elements and springs, and their lengths at the start of a step; gathered when they are first asked for.
#[derive(Default)]
pub(super) struct Edges {
    ends: Vec<(u32, End)>,
    before: Vec<f64>,
    gathered: bool,
}

impl Model {
    /// Largest speed of a node, m/s.
    pub(super) fn largest_speed(&mut self, at: At) -> f64 {
        self.place(at.t, at.u, at.v);
        let square = |v: &[f64; 3]| v.iter().map(|v| v * v).sum::<f64>();
        let largest = self.work.v.iter().map(square).fold(0.0, f64::max);
        largest.sqrt()
    }

    /// Greatest change of an edge's length between two states, m.
    pub(super) fn largest_stretch(&mut self, from: At, to: At) -> f64 {
        let mut edges = std::mem::take(&mut self.edges);
        if !edges.gathered {
            self.gather_edges(&mut edges.ends);
            edges.before = vec![0.0; edges.ends.len()];
            edges.gathered = true;
        }
        self.place(from.t, from.u, from.v);
        for (before, ends) in edges.before.iter_mut().zip(&edges.ends) {
            *before = self.edge_length(ends);
        }
        self.place(to.t, to.u, to.v);
        let lengths = edges.before.iter().zip(&edges.ends);
        let changes = lengths.map(|(before, ends)| (self.edge_length(ends) - before).abs());
        let largest = changes.fold(0.0, f64::max);
        self.edges = edges;
        largest
    }

    fn gather_edges(&self, ends: &mut Vec<(u32, End)>) {
        self.potentials.iter().for_each(|p| p.edges(ends));
        let key = |&(a, b): &(u32, End)| match b {
            End::Node(b) => Some((a.min(b), a.max(b))),
            End::Point(_) => None,
        };
        ends.sort_by_key(key);
        ends.dedup_by(|x, y| key(x).is_some() && key(x) == key(y));
    }

    fn edge_length(&self, &(a, b): &(u32, End)) -> f64 {
        let a = self.position(a as usize);
        let b = match b {
            End::Node(b) => self.position(b as usize),
            End::Point(p) => p,
        };
        (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
    }

    /// The first time after `t` at which a load has a kink or a motion passes a key, s.
    pub(super) fn first_kink_after(&self, t: f64) -> f64 {
        let loads = self.loads.iter().map(|load| load.next_kink(t));
        let motions = self.motions.iter().map(|m| m.next_kink(t));
        let anchors = self.potentials.iter().map(|p| p.next_kink(t));
        loads
            .chain(motions)
            .chain(anchors)
            .filter(|&kink| kink > t)
            .fold(f64::INFINITY, f64::min)
    }
}
