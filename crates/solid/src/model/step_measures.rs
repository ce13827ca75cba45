//! Measures for step control: the largest speed, the largest change of an edge length, and the next kink in time of loads
//! and prescribed motion.

use march::At;

use super::Model;
use crate::potential::{Potential, SpringEnd};

/// Edges of elements and springs, and their lengths at the start of a step; collected at the first use.
#[derive(Default)]
pub(super) struct Edges {
    ends: Vec<(u32, SpringEnd)>,
    before: Vec<f64>,
    gathered: bool,
}

impl Edges {
    /// Collects the edges of these potentials, each once.
    fn of(potentials: &[Box<dyn Potential>]) -> Edges {
        let mut ends = Vec::new();
        potentials.iter().for_each(|p| p.edges(&mut ends));
        let key = |&(a, b): &(u32, SpringEnd)| match b {
            SpringEnd::Node(b) => Some((a.min(b), a.max(b))),
            SpringEnd::Point(_) => None,
        };
        ends.sort_by_key(key);
        ends.dedup_by(|x, y| key(x).is_some() && key(x) == key(y));
        Edges {
            before: vec![0.0; ends.len()],
            ends,
            gathered: true,
        }
    }
}

fn edge_length(rest: &[[f64; 3]], u: &[[f64; 3]], &(a, b): &(u32, SpringEnd)) -> f64 {
    let position = |i: u32| [0, 1, 2].map(|k| rest[i as usize][k] + u[i as usize][k]);
    let a = position(a);
    let b = match b {
        SpringEnd::Node(b) => position(b),
        SpringEnd::Point(p) => p,
    };
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

impl Model {
    /// Largest speed of a node, m/s.
    pub(super) fn largest_speed(&mut self, at: At) -> f64 {
        self.place(at.t, at.u, at.v);
        let square = |v: &[f64; 3]| v.iter().map(|v| v * v).sum::<f64>();
        let largest = self.placed.v.iter().map(square).fold(0.0, f64::max);
        largest.sqrt()
    }

    /// Largest change of an edge length between two states, m.
    pub(super) fn largest_stretch(&mut self, from: At, to: At) -> f64 {
        if !self.edges.gathered {
            self.edges = Edges::of(&self.potentials);
        }
        self.place(from.t, from.u, from.v);
        let Edges { ends, before, .. } = &mut self.edges;
        for (before, ends) in before.iter_mut().zip(ends) {
            *before = edge_length(&self.rest, &self.placed.u, ends);
        }
        self.place(to.t, to.u, to.v);
        let lengths = self.edges.before.iter().zip(&self.edges.ends);
        let now = |ends| edge_length(&self.rest, &self.placed.u, ends);
        let changes = lengths.map(|(before, ends)| (now(ends) - before).abs());
        changes.fold(0.0, f64::max)
    }

    /// The first time after `t` at which a load has a kink or a motion passes a keyframe, s.
    pub(super) fn first_kink_after(&self, t: f64) -> f64 {
        let loads = self.loads.iter().map(|load| load.next_kink(t));
        let motions = self.motions.iter().map(|m| m.next_kink(t));
        let anchors = self.potentials.iter().map(|p| p.next_kink(t));
        let obstacles = self.end_contact.iter().map(|end| end.contact.next_kink(t));
        loads
            .chain(motions)
            .chain(anchors)
            .chain(obstacles)
            .filter(|&kink| kink > t)
            .fold(f64::INFINITY, f64::min)
    }
}
