//! Paths of the whole model: how far all nodes, free and held, may go on straight lines before a potential forbids it.

use march::Positions;

use super::Model;
use crate::potential::{PathSearch, Placed};

impl Model {
    /// Least fraction of the path over all potentials.
    pub(super) fn free_fraction(&mut self, from: Positions, to: Positions) -> f64 {
        if !self.forbids {
            return 1.0;
        }
        self.place_path(from, to);
        let [from, to] =
            [(from.t, &self.work.path_start), (to.t, &self.work.u)].map(|(t, u)| Placed {
                t,
                rest: &self.rest,
                u,
            });
        let potentials = self.potentials.iter_mut().filter(|p| p.forbids());
        potentials.fold(1.0, |least, p| least.min(p.max_step(&from, &to)))
    }

    /// The first element on the path that some potential forbids.
    pub(super) fn first_inverted(&mut self, from: Positions, to: Positions) -> Option<usize> {
        if !self.forbids {
            return None;
        }
        self.place_path(from, to);
        let [from, to] =
            [(from.t, &self.work.path_start), (to.t, &self.work.u)].map(|(t, u)| Placed {
                t,
                rest: &self.rest,
                u,
            });
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

    /// Puts the start of a path into its buffer and all nodes to its end. Velocities of unknowns stay.
    fn place_path(&mut self, from: Positions, to: Positions) {
        self.place_positions(from);
        self.work.path_start.copy_from_slice(&self.work.u);
        self.place_positions(to);
    }

    /// Puts all nodes where these unknowns and the prescribed motion say. Velocities of unknowns stay.
    pub(super) fn place_positions(&mut self, at: Positions) {
        for (&(i, k), u) in self.free.iter().zip(at.u) {
            self.work.u[i as usize][k as usize] = *u;
        }
        self.place_held(at.t);
    }
}
