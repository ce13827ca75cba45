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

/// Label of nodes that belong to no fragment.
const NO_FRAGMENT: u32 = u32::MAX;

/// Particles that intact bonds hold together.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Fragment {
    /// Number of the body among those with bonds.
    pub body: usize,
    /// Number of the fragment in its body, in the order of their first particles.
    pub number: u32,
    /// Number of particles.
    pub particles: u32,
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass, m.
    pub centre: [f64; 3],
    /// Linear momentum, kg m/s.
    pub momentum: [f64; 3],
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Energy of its intact bonds, J.
    pub elastic: f64,
}

impl Model {
    /// Writes the number of each node's fragment in its body, as of the last commit; `u32::MAX` for nodes without bonds.
    pub fn label_fragments(&self, labels: &mut Vec<u32>) {
        labels.clear();
        labels.resize(self.nodes(), NO_FRAGMENT);
        let mut own = Vec::new();
        for bonds in self.bonds() {
            let nodes = bonds.nodes();
            let intact = bonds.intact().map(|ends| ends.map(|i| i - nodes.start));
            bond::label_fragments(nodes.len(), intact, &mut own);
            labels[nodes.start as usize..nodes.end as usize].copy_from_slice(&own);
        }
    }

    /// Measures the fragments with these labels at a state of displacements and velocities.
    pub fn fragments(
        &mut self,
        [u, v]: [&[f64]; 2],
        t: f64,
        labels: &[u32],
        out: &mut Vec<Fragment>,
    ) {
        self.place(t, u, v);
        let placed = Configuration {
            t,
            rest: &self.rest,
            u: &self.placed.u,
        };
        out.clear();
        for (body, bonds) in self.bonds().enumerate() {
            let first = out.len();
            for node in bonds.nodes() {
                let (i, label) = (node as usize, labels[node as usize]);
                let at = first + label as usize;
                if at == out.len() {
                    out.push(Fragment {
                        body,
                        number: label,
                        ..Fragment::default()
                    });
                }
                let (f, m) = (&mut out[at], self.node_mass[i]);
                let (x, v) = (placed.position(i), self.placed.v[i]);
                f.particles += 1;
                f.mass += m;
                for k in 0..3 {
                    f.centre[k] += m * x[k];
                    f.momentum[k] += m * v[k];
                    f.kinetic += 0.5 * m * v[k] * v[k];
                }
            }
            for ([a, _], energy) in bonds.energies(&placed) {
                out[first + labels[a as usize] as usize].elastic += energy;
            }
        }
        for f in out {
            f.centre = f.centre.map(|x| x / f.mass);
        }
    }
}
