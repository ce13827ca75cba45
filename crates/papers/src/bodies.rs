//! The bodies of 000, and runs of them.

use march::{Newton, Options, Parameters, State, StepFailure, Stepper, System, TimeLoop, find};
use scene::build::build;
use scene::run::Flow;
use scene::session::Session;
use scene::spec::Source;
use scene::trial::{Row, Trial};

use crate::progress::watched;
use crate::{Job, PaperError, Size};

/// The double-clamped beam.
pub const BEAM: &str = include_str!("../scenes/beam.toml");
/// The jello.
pub const JELLO: &str = include_str!("../scenes/jello.toml");
/// A scattered body (000 §5.3).
pub const SCATTERED: &str = include_str!("../scenes/scattered.toml");
/// A scattered cactus (004 Fig. 7).
pub const CACTUS: &str = include_str!("../scenes/cactus.toml");

/// The cloth.
pub const CLOTH: &str = include_str!("../scenes/cloth.toml");

/// The methods of 000 Figs. 3 and 4.
pub const NINE: [&str; 9] = [
    "backward-euler",
    "sdirk2",
    "sdirk3",
    "tr-bdf2-bathe",
    "sdirk-ncs23",
    "sdirk-nc34",
    "sdirk-3345",
    "sdirk-4347",
    "ros3pl",
];

/// Builds one of our scenes with other values for some of its keys.
pub fn open(text: &str, set: &[(&str, String)]) -> Result<Session, PaperError> {
    let mut source = Source::new("papers", text)?;
    for (key, value) in set {
        source
            .set(key, value)
            .map_err(scene::error::SceneErrors::from)?;
    }
    let scene = source.scene()?;
    Ok(build(scene, &source)?)
}

/// A run: which method, step and end.
#[derive(Clone, Copy, Debug)]
pub struct Pace<'a> {
    /// Name of the method.
    pub method: &'a str,
    /// Step, s.
    pub step: f64,
    /// End, s.
    pub until: f64,
}

impl Pace<'_> {
    /// The keys that say so in a scene.
    pub fn keys(&self) -> [(&'static str, String); 3] {
        [
            ("time.method", self.method.to_string()),
            ("time.step", format!("{:?}", self.step)),
            ("time.until", format!("{:?}", self.until)),
        ]
    }

    /// For people.
    pub fn name(&self) -> String {
        format!("{} at {}", self.method, milliseconds(self.step))
    }
}

/// A step as people say it.
pub fn milliseconds(h: f64) -> String {
    format!("{} ms", (h * 1e7).round() / 1e4)
}

/// Cells of the beam: the paper's, or one element thick.
pub fn beam_cells(size: Size) -> [usize; 3] {
    size.pick([8, 1, 1], [32, 4, 4])
}

/// The beam under a method.
pub fn beam(size: Size, pace: &Pace, tolerance: f64) -> Result<Session, PaperError> {
    let mut set = vec![
        (
            "body.beam.mesh.box.cells",
            format!("{:?}", beam_cells(size)),
        ),
        ("solver.tolerance", format!("{tolerance:?}")),
    ];
    set.extend(pace.keys());
    open(BEAM, &set)
}

/// Mass of a body, kg.
pub fn mass(sim: &Session) -> f64 {
    sim.model.node_mass().iter().sum()
}

/// Runs to the end or to a failure, keeping the start and a row every so often, `most` of them at most.
pub fn rows(job: &Job, name: &str, sim: &mut Session, most: u64) -> (Vec<Row>, Trial) {
    let steps = (sim.scene.time.until / sim.scene.time.nominal_step()).ceil() as u64;
    let every = steps.div_ceil(most).max(1);
    let mut kept = Vec::new();
    let mut k = 0;
    let trial = watched(job, name, sim, &mut |_, row| {
        if k % every == 0 || k == steps {
            kept.push(*row);
        }
        k += 1;
        Flow::On
    });
    (kept, trial)
}

/// A stepper by name, iterating to convergence by descent.
pub fn stepper(name: &str) -> Result<Box<dyn Stepper>, PaperError> {
    Ok(find(name)?.stepper(&Parameters::default(), Newton::Minimise)?)
}

/// The state after one step of a stepper.
pub fn one_step<'s>(
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

/// Slope of log y over log x by least squares.
pub fn slope(points: &[(f64, f64)]) -> f64 {
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
        assert!((slope(&points) - 3.0).abs() < 1e-12);
    }

    #[test]
    fn the_paper_s_beam_has_512_elements() {
        let pace = Pace {
            method: "sdirk2",
            step: 0.005,
            until: 1.0,
        };
        let sim = beam(Size::Full, &pace, 1e-8).unwrap();
        assert_eq!(sim.model.nodes(), 33 * 5 * 5);
        assert!((mass(&sim) - 8000.0).abs() < 1e-6);
    }
}
