//! Runs of bodies whose vertices were scattered, and whether the bodies recover.

use scene::run::Flow;
use scene::session::Session;
use scene::trial::Trial;

use crate::Job;
use crate::progress::trial_with_progress;

/// A run of a scattered body with its energies and final volume ratio.
pub struct ScatteredRun {
    /// The trial run.
    pub trial: Trial,
    /// The total energy over time, (s, J).
    pub energy: Vec<(f64, f64)>,
    /// The smallest volume ratio of an element at the end.
    pub volume_ratio: f64,
}

impl ScatteredRun {
    /// Runs a session to the end or to a failure.
    pub fn run(job: &Job, name: &str, sim: &mut Session) -> ScatteredRun {
        let mut energy = Vec::new();
        let trial = trial_with_progress(job, name, sim, &mut |_, row| {
            energy.push((row.t, row.energies.total()));
            Flow::On
        });
        let (model, s) = sim.model_and_state();
        let worst = model.most_compressed(s.t, &s.u, &s.v);
        ScatteredRun {
            trial,
            energy,
            volume_ratio: worst.map_or(1.0, |w| w.j),
        }
    }

    /// Returns the final strain energy relative to the initial one.
    pub fn strain_energy_left(&self) -> f64 {
        self.trial.last.energies.strain / self.trial.first.energies.strain
    }

    /// Returns whether the run completed with every volume ratio above `volume_ratio` and less than the fraction `left`
    /// of the strain energy; the body may still rotate.
    pub fn recovered(&self, volume_ratio: f64, left: f64) -> bool {
        self.trial.failure.is_none()
            && self.volume_ratio > volume_ratio
            && self.strain_energy_left() < left
    }

    /// Returns whether the run completed and, after the first tenth, its energy never rose more than 1 % above the
    /// value then.
    pub fn is_stable(&self) -> bool {
        let settled = self.energy.len() / 10;
        let bound = self.energy.get(settled).map_or(0.0, |(_, e)| 1.01 * e);
        self.trial.failure.is_none() && self.energy[settled..].iter().all(|(_, e)| *e <= bound)
    }

    /// Returns the largest relative change of the total energy.
    pub fn energy_drift(&self) -> f64 {
        let start = self.energy[0].1;
        let gaps = self.energy.iter().map(|(_, e)| (e / start - 1.0).abs());
        gaps.fold(0.0, f64::max)
    }

    /// Returns the mean energy of the last tenth of the run relative to the smallest.
    pub fn final_energy_growth(&self) -> f64 {
        let tail = &self.energy[self.energy.len() * 9 / 10..];
        let mean = tail.iter().map(|(_, e)| e).sum::<f64>() / tail.len() as f64;
        let least = self.energy.iter().map(|(_, e)| *e);
        mean / least.fold(f64::INFINITY, f64::min)
    }
}
