//! The spring and the cube of 004, with their energy tracked or not, and what every step of a run showed.

use scene::run::Flow;
use scene::session::Session;
use scene::trial::trial;

use crate::PaperError;
use crate::bodies::open;
use crate::check::{Check, at_most, that};
use crate::ways::as_printed;

/// The spring of Figs. 2 and 3 in the potential of eq. (7).
pub const SPRING: &str = include_str!("../scenes/squared-spring.toml");
/// The cube of Figs. 4 to 6.
pub const CUBE: &str = include_str!("../scenes/turning-cube.toml");

/// What is done about the energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Nothing.
    Plain,
    /// Backward or forward Euler blended in (Algorithm 1 as printed).
    Blend,
    /// The same with the angular momentum of the method's own step: what is shipped.
    Spin,
    /// Velocities scaled.
    Project,
}

/// A state in numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    /// Time, s.
    pub t: f64,
    /// Total energy, J.
    pub total: f64,
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Size of the angular momentum, kg m²/s.
    pub spin: f64,
    /// Share blended in.
    pub blend: f64,
    /// Whether the energy could not be brought within tolerance.
    pub missed: bool,
}

/// A run.
pub struct Seen {
    /// The start and every step until the last or a failure.
    pub looks: Vec<Look>,
    /// Whether no step failed.
    pub whole: bool,
}

/// Builds one of the scenes under a method.
pub fn tracked(
    text: &str,
    method: &str,
    keep: Keep,
    more: &[(&str, String)],
) -> Result<Session, PaperError> {
    let mut set = vec![("time.method", method.to_string())];
    match keep {
        Keep::Plain => {}
        Keep::Blend => set.push(as_printed()),
        Keep::Spin => set.push(("time.stabilise.kind", "blend".into())),
        Keep::Project => set.push(("time.stabilise.kind", "project".into())),
    }
    set.extend(more.iter().cloned());
    open(text, &set)
}

/// Takes so many steps; `also` sees the simulation after each.
pub fn watch(sim: &mut Session, steps: usize, also: &mut dyn FnMut(&mut Session)) -> Seen {
    sim.scene.time.until = (steps as f64 + 0.5) * sim.scene.time.nominal_step();
    let mut looks = Vec::new();
    let trial = trial(sim, &mut |sim, row| {
        looks.push(Look {
            t: row.t,
            total: row.energies.total(),
            kinetic: row.energies.kinetic,
            spin: row
                .momentum
                .angular
                .iter()
                .map(|l| l * l)
                .sum::<f64>()
                .sqrt(),
            blend: row.blend,
            missed: row.tolerance_missed,
        });
        also(sim);
        if looks.len() > steps {
            Flow::Stop
        } else {
            Flow::On
        }
    });
    Seen {
        looks,
        whole: trial.failure.is_none(),
    }
}

impl Seen {
    fn worst(&self, of: impl Fn(&Look) -> f64) -> f64 {
        let start = of(&self.looks[0]);
        let off = self.looks.iter().map(|l| (of(l) / start - 1.0).abs());
        off.fold(0.0, f64::max)
    }

    /// Whether every step was taken and left the energy within 1 % of its start.
    pub fn held(&self) -> bool {
        self.whole && self.energy_off() <= 0.01 + 1e-12
    }

    /// The same as a check with its number.
    pub fn holds(&self) -> Check {
        match self.whole {
            true => at_most(self.energy_off(), 0.01 + 1e-12),
            false => that(false, "no failure"),
        }
        .of("energy off")
    }

    /// Largest relative distance of the energy from its start.
    pub fn energy_off(&self) -> f64 {
        self.worst(|l| l.total)
    }

    /// Largest relative distance of the angular momentum from its start.
    pub fn spin_off(&self) -> f64 {
        self.worst(|l| l.spin)
    }

    /// Angular momentum at the end over that at the start.
    pub fn spin_kept(&self) -> f64 {
        self.looks[self.looks.len() - 1].spin / self.looks[0].spin
    }

    /// Largest energy over that at the start.
    pub fn most(&self) -> f64 {
        let most = self.looks.iter().map(|l| l.total).fold(0.0, f64::max);
        most / self.looks[0].total
    }

    /// Mean of |α| over all steps.
    pub fn mean_blend(&self) -> f64 {
        let sum: f64 = self.looks.iter().map(|l| l.blend.abs()).sum();
        sum / (self.looks.len() - 1) as f64
    }

    /// Steps that missed.
    pub fn missed(&self) -> usize {
        self.looks.iter().filter(|l| l.missed).count()
    }

    /// (t, what) of every step, thinned to at most 600 points.
    pub fn curve(&self, of: impl Fn(&Look) -> f64) -> Vec<(f64, f64)> {
        let every = self.looks.len().div_ceil(600);
        let some = self.looks.iter().step_by(every);
        some.map(|l| (l.t, of(l))).collect()
    }
}
