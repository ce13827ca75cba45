//! Paths of the whole model: how far all nodes, free and held, may go on straight lines before a potential forbids it.
//!
//! Most paths are short. Around some positions, every node may move by some distance, whatever the others do, without a
//! forbidden state ([`Potential::free_radius`](crate::potential::Potential::free_radius)). The set of these positions is
//! convex, so a path between two of them is free, and no determinant is computed. A path that begins outside this set
//! moves its centre to its own start, because shorter paths usually follow.

use march::{AdmissiblePaths, Blocker, Forces, Positions};

use super::Model;
use crate::potential::{Configuration, PathSearch};

/// Share of a free distance that is relied on; the rest is for rounding.
const RELIABLE_SHARE: f64 = 0.99;

/// Largest number of rounds in which the paths of parts are shortened.
const SHORTENING_ROUNDS: u32 = 3;

/// Positions of all nodes, and how far every node may move from there with all paths free.
#[derive(Default)]
pub(super) struct FreeRegion {
    centre: Vec<[f64; 3]>,
    /// Square of that distance, m²; `None` before the first measurement.
    square: Option<f64>,
    /// Whether the last measurement in this attempt did not spare its path a check: paths are long, and measuring again
    /// would only cost.
    useless: bool,
}

impl FreeRegion {
    /// Allocates the memory for the nodes of a model that forbids states.
    pub fn with_nodes(n: usize) -> FreeRegion {
        FreeRegion {
            centre: vec![[0.0; 3]; n],
            square: None,
            useless: false,
        }
    }

    /// Notes that an attempt begins.
    pub fn begin_attempt(&mut self) {
        self.useless = false;
    }

    /// Whether all nodes are within the distance; `false` if a position is not finite.
    fn holds(&self, u: &[[f64; 3]]) -> bool {
        let Some(square) = self.square else {
            return false;
        };
        // Without an early exit the loop runs in vector registers.
        u.iter().zip(&self.centre).fold(true, |inside, (u, c)| {
            let [x, y, z] = [0, 1, 2].map(|k| u[k] - c[k]);
            inside & (x * x + y * y + z * z < square)
        })
    }
}

impl AdmissiblePaths for Model {
    /// The least fraction over all potentials.
    fn max_step(&mut self, from: Positions, to: Positions) -> f64 {
        if !self.forbids {
            return 1.0;
        }
        self.place_positions(from);
        let mut begins_inside = self.work.free_region.holds(&self.placed.u);
        let centred = !begins_inside && !self.work.free_region.useless;
        if centred {
            self.centre_free_region(from.t);
            begins_inside = self.work.free_region.holds(&self.placed.u);
        }
        self.work.path_start.copy_from_slice(&self.placed.u);
        self.place_positions(to);
        if begins_inside && self.work.free_region.holds(&self.placed.u) {
            return 1.0;
        }
        self.work.free_region.useless = centred;
        let from = placed(&self.rest, from.t, &self.work.path_start);
        let to = placed(&self.rest, to.t, &self.placed.u);
        let potentials = self.potentials.iter_mut().filter(|p| p.forbids());
        potentials.fold(1.0, |least, p| least.min(p.max_step(&from, &to)))
    }

    fn blocker(&mut self, from: Positions, to: Positions) -> Option<Blocker> {
        if !self.forbids {
            return None;
        }
        self.place_positions(from);
        self.work.path_start.copy_from_slice(&self.placed.u);
        self.place_positions(to);
        let from = placed(&self.rest, from.t, &self.work.path_start);
        let to = placed(&self.rest, to.t, &self.placed.u);
        let contact = self.potentials.iter_mut().find_map(|p| p.barrier());
        let found = contact.and_then(|c| c.describe_obstruction(&from, &to));
        let mut search = PathSearch {
            seen: 0,
            fraction: found.as_ref().map_or(1.0, |(fraction, _)| *fraction),
            element: None,
        };
        for p in &self.potentials {
            p.find_first_inverted(&from, &to, &mut search);
        }
        let element = search.element.map(Blocker::Element);
        element.or(found.map(|(_, words)| Blocker::Named(words.into())))
    }

    /// Shortens the paths in rounds, because shortened paths may block others.
    fn shorten_parts(&mut self, from: Positions, end: &mut [f64]) -> bool {
        let mut able = false;
        for _ in 0..SHORTENING_ROUNDS {
            self.place_positions(from);
            self.work.path_start.copy_from_slice(&self.placed.u);
            self.place_positions(Positions::new(from.t, end));
            let start = placed(&self.rest, from.t, &self.work.path_start);
            let to = placed(&self.rest, from.t, &self.placed.u);
            let fractions = &mut self.work.path_fractions;
            fractions.clear();
            fractions.resize(self.rest.len(), 1.0);
            let mut limited = false;
            for p in &mut self.potentials {
                limited |= p.limit_parts(&start, &to, fractions);
            }
            able |= limited;
            if !limited || fractions.iter().all(|f| *f == 1.0) {
                break;
            }
            for ((&(i, _), u), end) in self.free.iter().zip(from.u).zip(&mut *end) {
                *end = u + fractions[i as usize] * (*end - u);
            }
        }
        able
    }

    fn settle_at_barriers(
        &mut self,
        from: Positions,
        end: &mut [f64],
        resistance: &[f64],
    ) -> bool {
        self.settle_nodes(from, end, resistance)
    }

    fn frictionless_barriers_act(&self) -> bool {
        self.potentials
            .iter()
            .any(|p| p.frictionless_barrier_acts())
    }

    fn select_forces(&mut self, forces: Forces) -> bool {
        let found = self.potentials.iter_mut().any(|p| p.barrier().is_some());
        if found {
            self.forces_selected = forces;
        }
        found
    }
}

impl Model {
    /// Moves the ends of the paths of nodes to where barriers balance; returns `false` if nothing was moved.
    fn settle_nodes(&mut self, from: Positions, end: &mut [f64], resistance: &[f64]) -> bool {
        Model::scatter_unknowns(&self.free, resistance, &mut self.work.sum);
        self.place_positions(from);
        self.work.path_start.copy_from_slice(&self.placed.u);
        self.place_positions(Positions::new(from.t, end));
        self.work.x.copy_from_slice(&self.placed.u);
        let start = placed(&self.rest, from.t, &self.work.path_start);
        let (ends, resistance) = (&mut self.work.x, &self.work.sum);
        let mut able = false;
        for p in &mut self.potentials {
            able |= p.settle_nodes(&start, ends, resistance);
        }
        if able {
            for (end, &(i, k)) in end.iter_mut().zip(&self.free) {
                *end = ends[i as usize][k as usize];
            }
        }
        able
    }

    /// Centres the free region at the positions of all nodes.
    fn centre_free_region(&mut self, t: f64) {
        let x = placed(&self.rest, t, &self.placed.u);
        let potentials = self.potentials.iter_mut();
        let radius = potentials.fold(f64::INFINITY, |r, p| r.min(p.free_radius(&x)));
        self.work.free_region.centre.copy_from_slice(&self.placed.u);
        self.work.free_region.square = Some((RELIABLE_SHARE * radius).powi(2));
    }

    /// Puts all nodes where these unknowns and the prescribed motion say. Velocities of unknowns stay.
    pub(super) fn place_positions(&mut self, at: Positions) {
        for (&(i, k), u) in self.free.iter().zip(at.u) {
            self.placed.u[i as usize][k as usize] = *u;
        }
        self.place_held(at.t);
    }
}

fn placed<'a>(rest: &'a [[f64; 3]], t: f64, u: &'a [[f64; 3]]) -> Configuration<'a> {
    Configuration { t, rest, u }
}
