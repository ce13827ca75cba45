//! Peridynamic bonds of a model: committed history, damage, fragments.

use march::At;

use super::Model;
use crate::potential::{Bonds, Configuration, SavedBonds};

impl Model {
    /// Returns the bonds of all bodies that have some.
    pub fn bonds(&self) -> impl Iterator<Item = &Bonds> {
        self.potentials.iter().filter_map(|p| p.bonds())
    }

    /// Breaks the bonds that are stretched beyond their critical value at the current configuration.
    pub(super) fn break_bonds(&mut self) {
        self.for_each_potential(|p, x, _| p.bonds_mut().map(|bonds| bonds.commit(x)));
    }

    /// Returns the change of the energy by the bonds that broke at the last commit, J; never positive.
    pub(super) fn energy_change_of_breaking(&self) -> f64 {
        -self.bonds().map(Bonds::last_released).sum::<f64>()
    }

    /// Returns the number of bonds that would break if this state were committed.
    pub(super) fn count_breaking_bonds(&mut self, at: At) -> u64 {
        self.place(at.t, at.u, at.v);
        let placed = Configuration {
            t: at.t,
            rest: &self.rest,
            u: &self.placed.u,
        };
        self.bonds().map(|b| b.overstretched(&placed)).sum()
    }

    /// Appends the history of all bonds to a saved state; nothing without bonds.
    pub(super) fn save_bonds(&self, out: &mut Vec<u8>) {
        let all: Vec<SavedBonds> = self.bonds().map(Bonds::save).collect();
        if !all.is_empty() {
            // Writing plain numbers to memory cannot fail.
            out.extend(postcard::to_allocvec(&all).unwrap_or_default());
        }
    }

    /// Restores what [`Model::save_bonds`] wrote. Returns the bytes after it, or `None` if it does not fit this model.
    pub(super) fn load_bonds<'a>(&mut self, saved: &'a [u8]) -> Option<&'a [u8]> {
        let count = self.bonds().count();
        if count == 0 {
            return Some(saved);
        }
        let (all, rest) = postcard::take_from_bytes::<Vec<SavedBonds>>(saved).ok()?;
        if all.len() != count {
            return None;
        }
        let bonds = self.potentials.iter_mut().filter_map(|p| p.bonds_mut());
        let fit = bonds.zip(&all).all(|(bonds, saved)| bonds.load(saved));
        // Matrices assembled so far belong to other bonds.
        self.work.positional.current = false;
        fit.then_some(rest)
    }

    /// Computes the damage of each node: the share of its bonds that are broken, 0 without bonds. Returns `false` and
    /// leaves `out` empty if no body has bonds.
    pub fn damage(&self, out: &mut Vec<f64>) -> bool {
        out.clear();
        if self.bonds().next().is_none() {
            return false;
        }
        out.resize(self.nodes(), 0.0);
        self.bonds().for_each(|bonds| bonds.add_damage(out));
        true
    }
}
