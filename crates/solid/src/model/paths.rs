//! Paths of the whole model: how far all nodes, free and held, may go on straight lines before a potential forbids it.
//!
//! Most paths are short. Around the first place that an attempt asks about, every node may move by some distance, whatever
//! the others do ([`Potential::free_radius`](crate::potential::Potential::free_radius)); a path between two places within
//! that distance is free, and no element is looked at.

use march::{AdmissiblePaths, Positions};

use super::Model;
use crate::potential::{PathSearch, Placed};

/// Share of a free distance that is relied on, for rounding.
const RELIABLE: f64 = 0.99;

/// Places of all nodes around which all paths are free.
#[derive(Default)]
pub(super) struct FreeBall {
    centre: Vec<[f64; 3]>,
    /// Square of the distance that no node exceeds, m²; `None` if it is not known.
    square: Option<f64>,
}

impl FreeBall {
    /// Room for the nodes of a model that forbids states.
    pub fn with_nodes(n: usize) -> FreeBall {
        FreeBall {
            centre: vec![[0.0; 3]; n],
            square: None,
        }
    }

    /// Forgets it: another attempt begins.
    pub fn forget(&mut self) {
        self.square = None;
    }

    /// Whether all nodes are within the distance.
    fn holds(&self, u: &[[f64; 3]]) -> bool {
        let Some(square) = self.square else {
            return false;
        };
        u.iter().zip(&self.centre).all(|(u, c)| {
            let [x, y, z] = [0, 1, 2].map(|k| u[k] - c[k]);
            x * x + y * y + z * z < square
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
        if self.work.ball.square.is_none() {
            self.measure_ball(from.t);
        }
        let begins_inside = self.work.ball.holds(&self.placed.u);
        self.work.path_start.copy_from_slice(&self.placed.u);
        self.place_positions(to);
        if begins_inside && self.work.ball.holds(&self.placed.u) {
            return 1.0;
        }
        let from = placed(&self.rest, from.t, &self.work.path_start);
        let to = placed(&self.rest, to.t, &self.placed.u);
        let potentials = self.potentials.iter_mut().filter(|p| p.forbids());
        potentials.fold(1.0, |least, p| least.min(p.max_step(&from, &to)))
    }

    fn blocking_element(&mut self, from: Positions, to: Positions) -> Option<usize> {
        if !self.forbids {
            return None;
        }
        self.place_positions(from);
        self.work.path_start.copy_from_slice(&self.placed.u);
        self.place_positions(to);
        let from = placed(&self.rest, from.t, &self.work.path_start);
        let to = placed(&self.rest, to.t, &self.placed.u);
        let mut search = PathSearch {
            seen: 0,
            fraction: 1.0,
            element: None,
        };
        for p in &self.potentials {
            p.find_first_inverted(&from, &to, &mut search);
        }
        search.element
    }
}

impl Model {
    /// Measures how far all nodes may move from where they are placed.
    fn measure_ball(&mut self, t: f64) {
        let x = placed(&self.rest, t, &self.placed.u);
        let potentials = self.potentials.iter_mut();
        let radius = potentials.fold(f64::INFINITY, |r, p| r.min(p.free_radius(&x)));
        self.work.ball.centre.copy_from_slice(&self.placed.u);
        self.work.ball.square = Some((RELIABLE * radius).powi(2));
    }

    /// Puts all nodes where these unknowns and the prescribed motion say. Velocities of unknowns stay.
    pub(super) fn place_positions(&mut self, at: Positions) {
        for (&(i, k), u) in self.free.iter().zip(at.u) {
            self.placed.u[i as usize][k as usize] = *u;
        }
        self.place_held(at.t);
    }
}

fn placed<'a>(rest: &'a [[f64; 3]], t: f64, u: &'a [[f64; 3]]) -> Placed<'a> {
    Placed { t, rest, u }
}
