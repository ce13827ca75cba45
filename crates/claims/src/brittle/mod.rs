//! Brittle blocks that are dropped and struck [Linearized Force Error, Fig. 2]: runs with fixed and with adaptive steps, and their
//! damage at two frames.

mod comparison;

use std::time::Instant;

use scene::session::Session;

use crate::PaperError;
use crate::runs::open_scene;

pub use comparison::{Comparison, MARGIN, SERIES, TOLERANCES};

/// Frames per second, as of film.
const FPS: f64 = 30.0;
/// The frames that are compared [Linearized Force Error, Fig. 2].
pub const FRAMES: [f64; 2] = [30.0, 35.0];
/// Start of short runs, in frames: shortly before contact in frame 29.2. Until then the motion is known exactly.
const SHORT_START: f64 = 28.5;
/// Acceleration of free fall, m/s².
const GRAVITY: f64 = 9.81;
/// Speed of the struck block against the ball, m/s.
const SPEED: f64 = 9.55;
/// Length of the block, m.
pub const LENGTH: f64 = 2.0;
/// Speed of waves √(E/ρ), m/s.
const WAVE_SPEED: f64 = 200.0;
/// Horizon in spacings.
const HORIZON: f64 = 2.015;
/// Distance of a particle at which contact begins, in spacings: the radius of its sphere and the reach.
const CONTACT: f64 = 0.5;
/// Longest adaptive step, s. In it the block and the edge move by less than the size of the tool.
const MAX_STEP: f64 = 0.05;
/// Growth of the energy that ends a run: its steps are unstable.
const UNSTABLE: f64 = 10.0;

/// A scene with a brittle block.
#[derive(Clone, Copy)]
pub struct Impact {
    /// The name of the scene.
    pub name: &'static str,
    scene: &'static str,
    falls: bool,
    /// Height of the lowest particles' contact surface at the start, m.
    height: f64,
}

/// A block that falls on a round edge, and one that meets a ball; contact after 29.2 frames.
pub const IMPACTS: [Impact; 2] = [
    Impact {
        name: "dropped",
        scene: include_str!("../../scenes/dropped-block.toml"),
        falls: true,
        height: 4.6467,
    },
    Impact {
        name: "struck",
        scene: include_str!("../../scenes/struck-block.toml"),
        falls: false,
        height: 9.2953,
    },
];

/// How steps are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Steps {
    /// Steps of this length, s.
    Fixed(f64),
    /// Force-error control with this tolerance, m.
    Adaptive(f64),
}

/// What a run found and cost.
#[derive(Clone, Debug, Default)]
pub struct ImpactRun {
    /// Number of particles.
    pub particles: usize,
    /// Accepted steps.
    pub steps: u64,
    /// Rejected attempts.
    pub rejected: u64,
    /// Linear solves of M + h²/4 K, rejected attempts included.
    pub solves: u64,
    /// Processor time where it can be read, otherwise time, s.
    pub seconds: f64,
    /// Damage of all particles at [`FRAMES`]; empty if the run failed or became unstable before.
    pub damage: [Vec<f64>; 2],
    /// Total energy at the end over that at the start.
    pub energy: f64,
}

impl Impact {
    /// Opens the scene with `cells` cells along the block.
    fn open(&self, cells: u32, steps: Steps) -> Result<Session, PaperError> {
        let spacing = LENGTH / f64::from(cells);
        let horizon = HORIZON * spacing;
        let mut keys = vec![
            (
                "body.block.mesh.box.cells",
                format!("[{cells}, {half}, {half}]", half = cells / 2),
            ),
            ("body.block.bonds.horizon", format!("{horizon:?}")),
            (
                "body.block.place.translate",
                format!("[-1, {:?}, -0.5]", self.height + CONTACT * spacing),
            ),
        ];
        match steps {
            Steps::Fixed(h) => keys.push(("time.step", format!("{h:?}"))),
            Steps::Adaptive(tolerance) => keys.extend([
                ("time.control.kind", "force-error".into()),
                ("time.control.tolerance", format!("{tolerance:?}")),
                ("time.control.max", format!("{MAX_STEP:?}")),
            ]),
        }
        open_scene(self.scene, &keys)
    }

    /// Runs the whole scene.
    pub fn run(&self, cells: u32, steps: Steps) -> Result<ImpactRun, PaperError> {
        Ok(measure(self.open(cells, steps)?))
    }

    /// Runs from the exact state shortly before contact.
    pub fn run_shortly(&self, cells: u32, steps: Steps) -> Result<ImpactRun, PaperError> {
        let mut session = self.open(cells, steps)?;
        let mut state = session.state().clone();
        let t = SHORT_START / FPS;
        state.t = t;
        let (gravity, speed) = if self.falls {
            (GRAVITY, 0.0)
        } else {
            (0.0, SPEED)
        };
        for (u, v) in state.u.iter_mut().zip(&mut state.v).skip(1).step_by(3) {
            *u = -(speed + 0.5 * gravity * t) * t;
            *v = -speed - gravity * t;
        }
        session.start_from(&state);
        if let Steps::Fixed(h) = steps {
            session.time_loop_and_model().0.set_step(h);
        }
        Ok(measure(session))
    }
}

/// Takes all steps. A run that fails has no damage at the frames that it did not reach.
fn measure(mut session: Session) -> ImpactRun {
    let mut run = ImpactRun {
        particles: session.model.nodes(),
        ..ImpactRun::default()
    };
    let (start, processor) = (Instant::now(), processor_seconds());
    let energy = session.row().energies.total();
    'frames: for (k, frame) in FRAMES.into_iter().enumerate() {
        loop {
            match session.step_towards(frame / FPS) {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => break 'frames,
            }
            if session.row().energies.total() > UNSTABLE * energy {
                break 'frames;
            }
        }
        session.model.damage(&mut run.damage[k]);
    }
    run.seconds = match (processor, processor_seconds()) {
        (Some(before), Some(now)) => now - before,
        _ => start.elapsed().as_secs_f64(),
    };
    let totals = session.totals();
    run.steps = totals.steps;
    run.rejected = totals.rejected;
    run.solves = totals.work.newton;
    run.energy = session.row().energies.total() / energy;
    run
}

/// Processor time of this process, s; `None` where /proc does not tell. It counts in hundredths.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in parentheses, may contain spaces.
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks = |k: usize| fields.get(k)?.parse::<f64>().ok();
    Some(0.01 * (ticks(11)? + ticks(12)?))
}

/// Correlation of two damage patterns; 0 if one of them is uniform or missing.
pub fn correlation(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return 0.0;
    }
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        a.iter().zip(b).map(|(x, y)| f(x - ma, y - mb)).sum()
    };
    let spread = (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    if spread > 0.0 {
        sum(&|x, y| x * y) / spread
    } else {
        0.0
    }
}

/// Correlations of two runs at the frames.
pub fn correlations(a: &ImpactRun, b: &ImpactRun) -> [f64; 2] {
    [0, 1].map(|k| correlation(&a.damage[k], &b.damage[k]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlation_is_one_for_scaled_patterns_and_zero_for_uniform_ones() {
        let a = [0.0, 0.2, 0.9, 0.4];
        let b = a.map(|x| 0.1 + 0.5 * x);
        assert!((correlation(&a, &b) - 1.0).abs() < 1e-14);
        assert!((correlation(&a, &a.map(|x| -x)) + 1.0).abs() < 1e-14);
        assert_eq!(correlation(&a, &[0.3; 4]), 0.0);
        assert_eq!(correlation(&a, &[]), 0.0);
    }
}
