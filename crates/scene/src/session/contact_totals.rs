//! Sums and extremes of contact: least gap, impulses of touching pairs, work of contact detection.

use march::State;
use serde::{Deserialize, Serialize};
use solid::potential::contact::{ContactCounts, PairContact};

use super::Session;

/// Sums and extremes of contact since the start of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactTotals {
    /// Least gap at the start and at the ends of steps, m; `None` if nothing has come within reach.
    pub least_gap: Option<f64>,
    /// Number of searches for candidates.
    pub searches: u64,
    /// Number of candidate pairs that they found.
    pub candidates: u64,
    /// Number of paths checked by continuous collision detection.
    pub paths: u64,
    impulses: Vec<PairImpulse>,
}

/// Time integral of the normal force of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct PairImpulse {
    groups: [u32; 2],
    /// Up to the end of the last step, N s.
    total: f64,
    /// Up to the last frame, N s.
    at_frame: f64,
}

/// Normal force of a pair, N; 0 if it does not touch.
fn force_of(pairs: &[PairContact], groups: [u32; 2]) -> f64 {
    let pair = pairs.iter().find(|p| p.groups == groups);
    pair.map_or(0.0, |p| p.normal_force)
}

/// Groups of all pairs in one of two ascending lists, ascending.
pub fn touching(before: &[PairContact], now: &[PairContact]) -> Vec<[u32; 2]> {
    let mut all: Vec<[u32; 2]> = before.iter().chain(now).map(|p| p.groups).collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl ContactTotals {
    /// Adds the gaps of touching pairs.
    pub(super) fn add_gaps(&mut self, pairs: &[PairContact]) {
        for pair in pairs {
            let least = self.least_gap.unwrap_or(f64::INFINITY);
            self.least_gap = Some(least.min(pair.gap));
        }
    }

    /// Adds the impulses of a step by the trapezoidal rule.
    pub(super) fn add_step(&mut self, before: &[PairContact], now: &[PairContact], h: f64) {
        for groups in touching(before, now) {
            let sum = force_of(before, groups) + force_of(now, groups);
            let impulse = self.impulse_mut(groups);
            impulse.total += 0.5 * h * sum;
        }
    }

    /// Adds the work of contact detection between two counts.
    pub(super) fn add_counts(&mut self, before: ContactCounts, now: ContactCounts) {
        self.searches += now.searches - before.searches;
        self.candidates += now.candidates - before.candidates;
        self.paths += now.paths - before.paths;
    }

    fn impulse_mut(&mut self, groups: [u32; 2]) -> &mut PairImpulse {
        let at = match self.impulses.binary_search_by_key(&groups, |p| p.groups) {
            Ok(at) => at,
            Err(at) => {
                let none = PairImpulse {
                    groups,
                    total: 0.0,
                    at_frame: 0.0,
                };
                self.impulses.insert(at, none);
                at
            }
        };
        &mut self.impulses[at]
    }

    /// Returns the pairs that have had an impulse since the last frame, ascending.
    pub fn pairs_since_frame(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let open = self.impulses.iter().filter(|p| p.total != p.at_frame);
        open.map(|p| p.groups)
    }

    /// Returns the impulse of a pair since the last frame and starts a new frame for it. `rest` is the part of the impulse of
    /// the last step after the frame, N s.
    pub fn take_impulse(&mut self, groups: [u32; 2], rest: f64) -> f64 {
        let impulse = self.impulse_mut(groups);
        let now = impulse.total - rest;
        let since = now - impulse.at_frame;
        impulse.at_frame = now;
        since
    }
}

impl Session {
    /// Finds the pairs that touch at the current state.
    pub(super) fn measure_contact(&mut self) {
        if self.contact.is_some() {
            let State { t, u, v } = self.time.state();
            self.contacts[1] = self.model.contact_pairs(*t, u, v);
        }
    }

    /// Adds the work of contact detection since the last call to the totals.
    pub(super) fn count_contact(&mut self) {
        if let Some((_, counts)) = self.model.contact_counts() {
            self.totals.contact.add_counts(self.contact_counts, counts);
            self.contact_counts = counts;
        }
    }

    /// Measures contact after a step.
    pub(super) fn record_contact(&mut self, h: f64) {
        if self.contact.is_none() {
            return;
        }
        self.contacts.swap(0, 1);
        self.measure_contact();
        let [before, now] = &self.contacts;
        self.totals.contact.add_step(before, now, h);
        self.totals.contact.add_gaps(now);
        self.count_contact();
    }

    /// Returns the pairs of bodies and obstacles that touch at the start and at the end of the last step.
    pub fn contacts(&self) -> [&[PairContact]; 2] {
        [&self.contacts[0], &self.contacts[1]]
    }

    /// Returns the sums of contact, for observers that write frames.
    pub fn contact_totals_mut(&mut self) -> &mut ContactTotals {
        &mut self.totals.contact
    }
}
