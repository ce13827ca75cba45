//! Bodies whose vertices were scattered: what became of them.

use scene::run::Flow;
use scene::session::Session;
use scene::trial::Trial;

use crate::Job;
use crate::progress::watched;

/// A scattered body after its run.
pub struct Scattered {
    /// The run.
    pub trial: Trial,
    /// Time and total energy.
    pub energy: Vec<(f64, f64)>,
    /// Least volume ratio at the end.
    pub volume_ratio: f64,
}

impl Scattered {
    /// Runs to the end or to a failure.
    pub fn watch(job: &Job, name: &str, sim: &mut Session) -> Scattered {
        let mut energy = Vec::new();
        let trial = watched(job, name, sim, &mut |_, row| {
            energy.push((row.t, row.energies.total()));
            Flow::On
        });
        let (model, s) = sim.model_and_state();
        let worst = model.most_compressed(s.t, &s.u, &s.v);
        Scattered {
            trial,
            energy,
            volume_ratio: worst.map_or(1.0, |w| w.j),
        }
    }

    /// Stored at the end, of what was stored at the start.
    pub fn left(&self) -> f64 {
        self.trial.last.energies.strain / self.trial.first.energies.strain
    }

    /// Ran to the end, every element above this volume ratio and less than this share of the stored energy left; the body
    /// may tumble.
    pub fn recovered(&self, volume_ratio: f64, left: f64) -> bool {
        self.trial.failure.is_none() && self.volume_ratio > volume_ratio && self.left() < left
    }

    /// Ran to the end, and later than a tenth of the run the energy never rose above what it was then.
    pub fn stable(&self) -> bool {
        let calm = self.energy.len() / 10;
        let bound = self.energy.get(calm).map_or(0.0, |(_, e)| 1.01 * e);
        self.trial.failure.is_none() && self.energy[calm..].iter().all(|(_, e)| *e <= bound)
    }

    /// Greatest distance of the energy from that of the start, relative.
    pub fn drift(&self) -> f64 {
        let start = self.energy[0].1;
        let gaps = self.energy.iter().map(|(_, e)| (e / start - 1.0).abs());
        gaps.fold(0.0, f64::max)
    }

    /// Mean energy of the last tenth of the run over the least.
    pub fn grown(&self) -> f64 {
        let tail = &self.energy[self.energy.len() * 9 / 10..];
        let mean = tail.iter().map(|(_, e)| e).sum::<f64>() / tail.len() as f64;
        let least = self.energy.iter().map(|(_, e)| *e);
        mean / least.fold(f64::INFINITY, f64::min)
    }
}
