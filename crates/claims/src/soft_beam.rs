//! The clamped beam of [Ascher et al. 2021, Fig. 6] under exponential and other methods.

use scene::session::Session;
use scene::trial::{Row, Trial};

use crate::runs::{open_scene, run_recorded};
use crate::{Job, PaperError, Size};

/// The beam, with placeholders; the paper gives no size, density or step.
const SCENE: &str = r#"
title = "Soft clamped beam"

[time]
method = {method}
step = {step}
until = {until}

[[body]]
name = "beam"
mesh = { box = { size = [8.0, 1.0, 1.0], cells = {cells}, element = "tet4", split = "five" } }
material = { law = "stable-neo-hookean", young = {young}, poisson = 0.4, density = 1000 }

[[body.fix]]
where = { x = 0.0 }

[[body.fix]]
where = { x = 8.0 }
"#;

/// The method, step, end time and stiffness of a run.
#[derive(Clone, Copy, Debug)]
pub struct BeamRun<'a> {
    /// The method as written in a scene file.
    pub method: &'a str,
    /// The step in seconds.
    pub step: f64,
    /// The end time in seconds.
    pub until: f64,
    /// Young's modulus in Pa.
    pub young: f64,
}

/// Returns the number of cells of the beam.
pub fn cells(size: Size) -> [usize; 3] {
    size.pick([10, 2, 2], [32, 4, 4])
}

impl BeamRun<'_> {
    /// Opens the scene.
    pub fn open(&self, size: Size) -> Result<Session, PaperError> {
        let text = SCENE
            .replace("{method}", self.method)
            .replace("{step}", &format!("{:?}", self.step))
            .replace("{until}", &format!("{:?}", self.until))
            .replace("{young}", &format!("{:e}", self.young))
            .replace("{cells}", &format!("{:?}", cells(size)));
        open_scene(&text, &[])
    }

    /// Runs the scene and records at most `most` rows.
    pub fn run(&self, job: &Job, most: u64) -> Result<(Session, Vec<Row>, Trial), PaperError> {
        let mut sim = self.open(job.size)?;
        let (rows, trial) = run_recorded(job, self.method, &mut sim, most);
        (job.progress)(self.method);
        Ok((sim, rows, trial))
    }
}
