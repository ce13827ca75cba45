//! Opens and runs scenes with other settings, and takes single steps.

use march::{Newton, Options, Parameters, State, StepFailure, Stepper, System, TimeLoop, find};
use scene::build::build;
use scene::run::Flow;
use scene::session::Session;
use scene::spec::Source;
use scene::trial::{Row, Trial};

use crate::progress::trial_with_progress;
use crate::{Job, PaperError};

/// Opens a scene with other values for some of its keys.
pub fn open_scene(text: &str, set: &[(&str, String)]) -> Result<Session, PaperError> {
    let mut source = Source::new("papers", text)?;
    for (key, value) in set {
        source
            .set(key, value)
            .map_err(scene::error::SceneErrors::from)?;
    }
    let scene = source.scene()?;
    Ok(build(scene, &source)?)
}

/// The method, step and end time of a run with fixed steps.
#[derive(Clone, Copy, Debug)]
pub struct RunSettings<'a> {
    /// The name of the method.
    pub method: &'a str,
    /// The step in seconds.
    pub step: f64,
    /// The end time in seconds.
    pub until: f64,
}

impl RunSettings<'_> {
    /// Returns these settings as keys of a scene.
    pub fn keys(&self) -> [(&'static str, String); 3] {
        [
            ("time.method", self.method.to_string()),
            ("time.step", format!("{:?}", self.step)),
            ("time.until", format!("{:?}", self.until)),
        ]
    }

    /// Returns method and step as text.
    pub fn name(&self) -> String {
        format!("{} at {}", self.method, format_milliseconds(self.step))
    }
}

/// Formats a step in milliseconds.
pub fn format_milliseconds(h: f64) -> String {
    format!("{} ms", (h * 1e7).round() / 1e4)
}

/// Returns the mass of all bodies in kilograms.
pub fn total_mass(sim: &Session) -> f64 {
    sim.model.node_mass().iter().sum()
}

/// Runs to the end or to a failure and records at most `most` rows at regular intervals, the start included.
pub fn run_recorded(job: &Job, name: &str, sim: &mut Session, most: u64) -> (Vec<Row>, Trial) {
    let steps = (sim.scene.time.until / sim.scene.time.nominal_step()).ceil() as u64;
    let every = steps.div_ceil(most).max(1);
    let mut kept = Vec::new();
    let mut k = 0;
    let trial = trial_with_progress(job, name, sim, &mut |_, row| {
        if k % every == 0 || k == steps {
            kept.push(*row);
        }
        k += 1;
        Flow::On
    });
    (kept, trial)
}

/// Creates the stepper of a method; its stages are minimised to convergence.
pub fn stepper(name: &str) -> Result<Box<dyn Stepper>, PaperError> {
    Ok(find(name)?.stepper(&Parameters::default(), Newton::Minimise)?)
}

/// Takes one step and returns the new state.
pub fn take_one_step<'s>(
    stepper: Box<dyn Stepper + 's>,
    options: Options,
    system: &mut dyn System,
    start: State,
    h: f64,
) -> Result<State, StepFailure> {
    let mut time = TimeLoop::fixed(stepper, options, start, h);
    time.step(system, f64::INFINITY)?;
    Ok(time.state().clone())
}

/// Returns the slope of log y over log x by least squares.
pub fn log_log_slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let (mx, my) = (
        logs.iter().map(|p| p.0).sum::<f64>() / n,
        logs.iter().map(|p| p.1).sum::<f64>() / n,
    );
    let (mut up, mut down) = (0.0, 0.0);
    for (x, y) in logs {
        up += (x - mx) * (y - my);
        down += (x - mx).powi(2);
    }
    up / down
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_powers() {
        let points: Vec<(f64, f64)> = [0.1, 0.2, 0.5].map(|x: f64| (x, 3.0 * x.powi(3))).into();
        assert!((log_log_slope(&points) - 3.0).abs() < 1e-12);
    }
}
