//! Energy and angular momentum of the spring and the cube of [Dinev et al. 2018], with and without energy correction.

use scene::run::Flow;
use scene::session::Session;
use scene::trial::trial;

use crate::PaperError;
use crate::check::{Check, at_most, condition};
use crate::integrators::without_momentum_correction;
use crate::scenes::open_scene;

/// The spring of [Dinev et al. 2018, Figs. 2 and 3] in the potential of eq. (7).
pub const SPRING: &str = include_str!("../scenes/squared-spring.toml");
/// The cube of [Dinev et al. 2018, Figs. 4 to 6].
pub const CUBE: &str = include_str!("../scenes/turning-cube.toml");

/// The energy correction of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnergyCorrection {
    /// No correction.
    None,
    /// A blend with backward or forward Euler [Dinev et al. 2018, Algorithm 1].
    Blend,
    /// The same with the angular momentum of the method's own step restored, which is our default.
    BlendKeepingMomentum,
    /// Energy projection by scaling velocities.
    Project,
}

/// The energies, angular momentum and blend share after a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepSample {
    /// The time in seconds.
    pub t: f64,
    /// The total energy in joules.
    pub total: f64,
    /// The kinetic energy in joules.
    pub kinetic: f64,
    /// The magnitude of the angular momentum in kg m²/s.
    pub angular_momentum: f64,
    /// The blend share α.
    pub blend: f64,
    /// Whether the correction missed the energy tolerance.
    pub tolerance_missed: bool,
}

/// The energies and angular momenta of a run, step by step.
pub struct EnergyHistory {
    /// The start and every step until the end or a failure.
    pub samples: Vec<StepSample>,
    /// Whether all steps succeeded.
    pub completed: bool,
}

/// Opens a scene with a method and an energy correction.
pub fn open_with_correction(
    text: &str,
    method: &str,
    keep: EnergyCorrection,
    more: &[(&str, String)],
) -> Result<Session, PaperError> {
    let mut set = vec![("time.method", method.to_string())];
    match keep {
        EnergyCorrection::None => {}
        EnergyCorrection::Blend => set.push(without_momentum_correction()),
        EnergyCorrection::BlendKeepingMomentum => set.push(("time.stabilise.kind", "blend".into())),
        EnergyCorrection::Project => set.push(("time.stabilise.kind", "project".into())),
    }
    set.extend(more.iter().cloned());
    open_scene(text, &set)
}

/// Takes `steps` steps and records each; `also` is called after each.
pub fn record_energies(
    sim: &mut Session,
    steps: usize,
    also: &mut dyn FnMut(&mut Session),
) -> EnergyHistory {
    sim.scene.time.until = (steps as f64 + 0.5) * sim.scene.time.nominal_step();
    let mut samples = Vec::new();
    let trial = trial(sim, &mut |sim, row| {
        samples.push(StepSample {
            t: row.t,
            total: row.energies.total(),
            kinetic: row.energies.kinetic,
            angular_momentum: row
                .momentum
                .angular
                .iter()
                .map(|l| l * l)
                .sum::<f64>()
                .sqrt(),
            blend: row.blend,
            tolerance_missed: row.tolerance_missed,
        });
        also(sim);
        if samples.len() > steps {
            Flow::Stop
        } else {
            Flow::On
        }
    });
    EnergyHistory {
        samples,
        completed: trial.failure.is_none(),
    }
}

impl EnergyHistory {
    /// Returns the largest relative change of a quantity since the start.
    fn max_relative_change(&self, of: impl Fn(&StepSample) -> f64) -> f64 {
        let start = of(&self.samples[0]);
        let off = self.samples.iter().map(|l| (of(l) / start - 1.0).abs());
        off.fold(0.0, f64::max)
    }

    /// Returns whether the run completed with its energy within 1 % of the start.
    pub fn energy_held(&self) -> bool {
        self.completed && self.energy_error() <= 0.01 + 1e-12
    }

    /// Returns [`EnergyHistory::energy_held`] as a check with its number.
    pub fn energy_check(&self) -> Check {
        match self.completed {
            true => at_most(self.energy_error(), 0.01 + 1e-12),
            false => condition(false, "no failure"),
        }
        .of("energy off")
    }

    /// Returns the largest relative change of the energy since the start.
    pub fn energy_error(&self) -> f64 {
        self.max_relative_change(|l| l.total)
    }

    /// Returns the largest relative change of the angular momentum since the start.
    pub fn momentum_error(&self) -> f64 {
        self.max_relative_change(|l| l.angular_momentum)
    }

    /// Returns the final angular momentum relative to the start.
    pub fn final_momentum_ratio(&self) -> f64 {
        self.samples[self.samples.len() - 1].angular_momentum / self.samples[0].angular_momentum
    }

    /// Returns the largest energy relative to the start.
    pub fn max_energy_ratio(&self) -> f64 {
        let most = self.samples.iter().map(|l| l.total).fold(0.0, f64::max);
        most / self.samples[0].total
    }

    /// Returns the mean of |α| over all steps.
    pub fn mean_blend_share(&self) -> f64 {
        let sum: f64 = self.samples.iter().map(|l| l.blend.abs()).sum();
        sum / (self.samples.len() - 1) as f64
    }

    /// Returns the number of steps that missed the energy tolerance.
    pub fn missed_steps(&self) -> usize {
        self.samples.iter().filter(|l| l.tolerance_missed).count()
    }

    /// Returns a quantity over time, thinned to at most 600 points.
    pub fn curve(&self, of: impl Fn(&StepSample) -> f64) -> Vec<(f64, f64)> {
        let every = self.samples.len().div_ceil(600);
        let some = self.samples.iter().step_by(every);
        some.map(|l| (l.t, of(l))).collect()
    }
}
