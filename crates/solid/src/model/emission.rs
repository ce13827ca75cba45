//! Bodies that appear while the motion runs.
//!
//! Such a body is part of the model from the start, so the unknowns never change, and waits until its time: nothing acts on it,
//! it touches nothing and counts nowhere. Its potentials are not evaluated and its nodes have no force and no velocity, so its
//! block of every system of equations is M a = 0. The pattern of the matrix leaves the couplings of its nodes out, so that a
//! factorization has next to nothing to do there. Whether a body waits changes between steps only.

use std::ops::Range;

use march::State;
use sparse::Pattern;

use super::Model;
use super::unknowns::gather_map;
use crate::potential::Potential;

/// A body that appears at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct EmittedBody {
    /// Name for messages.
    pub name: String,
    /// Its nodes.
    pub nodes: Range<u32>,
    /// Its potentials, by number.
    pub potentials: Range<usize>,
    /// Its group in contact.
    pub group: u32,
    /// Time at which it appears, s.
    pub appears: f64,
    /// Velocities of its nodes when it appears, m/s.
    pub velocities: Vec<[f64; 3]>,
}

/// Bodies that appear, and which of them wait.
#[derive(Default)]
pub(super) struct Emission {
    /// Sorted by the time of appearance.
    bodies: Vec<EmittedBody>,
    /// Number of bodies that have appeared, and the number for which the pattern of the matrix was built.
    appeared: usize,
    coupled: Option<usize>,
    /// Whether each node waits, and each potential; empty if no body waits.
    pub nodes: Vec<bool>,
    pub potentials: Vec<bool>,
}

impl Emission {
    pub fn new(mut bodies: Vec<EmittedBody>) -> Emission {
        bodies.sort_by(|a, b| a.appears.total_cmp(&b.appears));
        Emission {
            bodies,
            ..Emission::default()
        }
    }

    /// Whether there are bodies that appear, so that the pattern of the matrix changes.
    pub fn changes_pattern(&self) -> bool {
        !self.bodies.is_empty()
    }

    /// Whether a potential waits.
    pub fn waits(&self, potential: usize) -> bool {
        self.potentials.get(potential).copied().unwrap_or(false)
    }
}

impl Model {
    /// Returns the bodies that appear while the motion runs, by time.
    pub fn emitted(&self) -> &[EmittedBody] {
        &self.emission.bodies
    }

    /// Returns the number of these bodies that have appeared.
    pub fn appeared(&self) -> usize {
        self.emission.appeared
    }

    /// Returns the time at which the next body appears, s; infinity if none waits.
    pub fn next_appearance(&self) -> f64 {
        let next = self.emission.bodies.get(self.emission.appeared);
        next.map_or(f64::INFINITY, |b| b.appears)
    }

    /// Lets the next body appear in a state; returns its number among [`Model::emitted`].
    pub fn appear(&mut self, state: &mut State) -> Option<usize> {
        let number = self.emission.appeared;
        let body = self.emission.bodies.get(number)?;
        for (v, &(i, k)) in state.v.iter_mut().zip(&self.free) {
            if body.nodes.contains(&i) {
                *v = body.velocities[(i - body.nodes.start) as usize][k as usize];
            }
        }
        self.set_appeared(number + 1);
        Some(number)
    }

    /// Sets the number of bodies that have appeared.
    pub(super) fn set_appeared(&mut self, appeared: usize) {
        let Emission {
            bodies,
            appeared: now,
            nodes,
            potentials,
            ..
        } = &mut self.emission;
        *now = appeared;
        nodes.clear();
        potentials.clear();
        if appeared < bodies.len() {
            nodes.resize(self.rest.len(), false);
            potentials.resize(self.potentials.len(), false);
        }
        for (number, body) in bodies.iter().enumerate() {
            let waits = number >= appeared;
            if waits {
                nodes[body.nodes.start as usize..body.nodes.end as usize].fill(true);
                potentials[body.potentials.clone()].fill(true);
            }
            let groups = self.potentials.iter_mut();
            groups.for_each(|p: &mut Box<dyn Potential>| p.set_waiting(body.group, waits));
            if let Some(end) = &mut self.end_contact {
                end.contact.set_waiting(body.group, waits);
            }
        }
        self.work.positional.current = false;
        if self.emission.coupled != Some(appeared) {
            self.emission.coupled = Some(appeared);
            self.couple_nodes();
        }
    }

    /// Builds the pattern of the matrix without the couplings of waiting nodes.
    fn couple_nodes(&mut self) {
        // Constant matrices over the unknowns are filled by the entries of the whole pattern.
        if !self.emission.changes_pattern() || self.has_constant_unknowns() {
            return;
        }
        let (waiting, n) = (&self.emission.nodes, self.rest.len());
        let (mut free, gather) = gather_map(&self.pattern, &self.free, n, waiting);
        if let Some(placement) = self.free_pattern.placement() {
            free = Pattern::placed(free, placement.as_ref().clone());
        }
        (self.free_pattern, self.gather) = (free, gather);
        if let Some(dynamic) = &mut self.dynamic {
            dynamic.replace_static(self.free_pattern.clone());
            self.bind_pairs();
        }
    }

    /// Calls a function that evaluates the stiffness of all bodies, those that wait included: frequencies are those of all
    /// bodies. Bodies that wait still touch nothing.
    pub fn with_all_potentials<T>(&mut self, job: impl FnOnce(&mut Model) -> T) -> T {
        let nodes = std::mem::take(&mut self.emission.nodes);
        let potentials = std::mem::take(&mut self.emission.potentials);
        let any = !potentials.is_empty();
        if any {
            self.couple_nodes();
        }
        let out = job(self);
        (self.emission.nodes, self.emission.potentials) = (nodes, potentials);
        if any {
            self.couple_nodes();
            self.work.positional.current = false;
        }
        out
    }

    /// Removes all forces on waiting nodes from the force buffer.
    pub(super) fn clear_waiting_forces(&mut self) {
        for (f, waits) in self.work.f.iter_mut().zip(&self.emission.nodes) {
            if *waits {
                *f = [0.0; 3];
            }
        }
    }

    /// Puts all nodes of bodies that appear after a time at the centre of their body, so that pictures do not show them.
    pub fn hide_waiting(&self, t: f64, positions: &mut [[f64; 3]]) {
        for body in self.emission.bodies.iter().filter(|b| b.appears > t) {
            let nodes = body.nodes.start as usize..body.nodes.end as usize;
            let own = &mut positions[nodes];
            let count = own.len().max(1) as f64;
            let centre = [0, 1, 2].map(|k| own.iter().map(|x| x[k]).sum::<f64>() / count);
            own.fill(centre);
        }
    }

    /// Appends the number of bodies that have appeared to a saved state.
    pub(super) fn save_emission(&self, out: &mut Vec<u8>) {
        if !self.emission.bodies.is_empty() {
            out.extend((self.emission.appeared as u64).to_le_bytes());
        }
    }

    /// Restores what [`Model::save_emission`] wrote. Returns the bytes after it, or `None` if it does not fit this model.
    pub(super) fn load_emission<'a>(&mut self, saved: &'a [u8]) -> Option<&'a [u8]> {
        if self.emission.bodies.is_empty() {
            return Some(saved);
        }
        let (number, rest) = saved.split_first_chunk::<8>()?;
        let appeared = u64::from_le_bytes(*number) as usize;
        if appeared > self.emission.bodies.len() {
            return None;
        }
        self.set_appeared(appeared);
        Some(rest)
    }
}
