//! What penalty contact tells: touching pairs, forces on nodes, counted work.

use contact::Point;

use super::PenaltyContact;
use super::impulses::size;
use crate::potential::Configuration;
use crate::potential::contact::report::add_to_pair;
use crate::potential::contact::{ContactCounts, ContactReport, PairContact};

impl ContactReport for PenaltyContact {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn counts(&self) -> ContactCounts {
        ContactCounts {
            searches: self.search.counts.searches,
            candidates: self.search.counts.candidates,
            paths: 0,
        }
    }

    /// Friction and sliding speed are those of the last step.
    fn pairs(&mut self, x: &Configuration, _v: &[Point]) -> Vec<PairContact> {
        self.place(x);
        let k = self.settings.stiffness;
        let groups = &self.surfaces.primitives.groups;
        let group = |i: u32| groups.get(i as usize).copied().unwrap_or(0);
        let mut all: Vec<PairContact> = Vec::new();
        self.each_active(|_, s, gap| {
            let force = -k * s.area * self.law.derivatives(gap)[1];
            let pair = [group(s.points[0]), group(s.points[1])];
            add_to_pair(&mut all, pair, force, s.area, gap);
        });
        for c in &self.smooth {
            let force = -k * c.weight * self.law.derivatives(c.gap)[1];
            add_to_pair(&mut all, [group(c.node), c.group], force, c.weight, c.gap);
        }
        for pair in &mut all {
            let mut last = self.impulses.last.pairs.iter();
            if let Some((_, force, slip)) = last.find(|(groups, ..)| *groups == pair.groups) {
                (pair.friction_force, pair.slip) = (size(*force), *slip);
            }
        }
        all.sort_by_key(|p| p.groups);
        all
    }

    fn node_forces(&mut self, x: &Configuration, out: &mut Vec<[f64; 3]>) {
        self.place(x);
        out.clear();
        out.resize(self.nodes, [0.0; 3]);
        self.add_forces(out);
    }

    /// The mean friction force of the last step.
    fn node_friction(&mut self, _x: &Configuration, _v: &[Point], out: &mut Vec<[f64; 3]>) {
        out.clear();
        out.resize(self.nodes, [0.0; 3]);
        for (i, force) in &self.impulses.last.nodes {
            for (out, f) in out[*i as usize].iter_mut().zip(force) {
                *out += f;
            }
        }
    }
}
