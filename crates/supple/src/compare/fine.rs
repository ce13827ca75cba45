//! The reference: given, made, or done without.

use std::path::{Path, PathBuf};

use anyhow::bail;
use scene::compare::{Fine, Motion, candidates};
use supple::{Report, Simulation, Status};

use super::Task;
use super::runs::{Job, Runs};

/// What errors are to be measured against.
pub enum Wanted {
    /// Nothing.
    None,
    /// A run made earlier.
    Given(PathBuf, Box<Motion>),
    /// The first of these methods and steps that reaches the end.
    Made(Vec<(String, f64)>),
}

/// Folders of the reference and of the run that checks it.
const FOLDERS: [&str; 2] = ["reference", "reference-check"];

impl Wanted {
    /// What `--reference` says. A folder is read at once, so that a wrong one is refused before the runs.
    pub fn new(given: Option<&Path>, task: &Task, sim: &mut Simulation) -> anyhow::Result<Wanted> {
        match given {
            Some(word) if word == Path::new("none") => Ok(Wanted::None),
            Some(folder) => {
                let motion = Motion::read(folder, sim)?;
                let until = sim.scene.time.until;
                if (motion.end() - until).abs() > 1e-9 * until {
                    bail!(
                        "--reference {}: the run ends at t = {} s, the scene at {until} s; give a run to the same time, or --until {}",
                        folder.display(),
                        motion.end(),
                        motion.end()
                    );
                }
                Ok(Wanted::Given(folder.to_path_buf(), Box::new(motion)))
            }
            None => {
                let finest = task
                    .plans
                    .iter()
                    .map(|p| p.step)
                    .fold(f64::INFINITY, f64::min);
                Ok(Wanted::Made(candidates(&sim.scene, finest)))
            }
        }
    }

    /// The runs it takes: the finest and its check.
    pub fn jobs(&self) -> Vec<Job> {
        match self {
            Wanted::Made(candidates) => candidates.first().map_or(Vec::new(), pair),
            _ => Vec::new(),
        }
    }

    /// The reference and its motion, from the reports of [`Wanted::jobs`]; where the first candidate failed the next
    /// are tried.
    pub fn settle(
        self,
        reports: &[Option<Report>],
        runs: &Runs,
        task: &Task,
        sim: &mut Simulation,
    ) -> anyhow::Result<(Fine, Option<Motion>)> {
        let mut fine = Fine {
            method: "none".into(),
            step: None,
            own_error: None,
            own_error_frames: None,
            failure: None,
        };
        let candidates = match self {
            Wanted::None => return Ok((fine, None)),
            Wanted::Given(folder, motion) => {
                fine.method = folder.display().to_string();
                return Ok((fine, Some(*motion)));
            }
            Wanted::Made(candidates) => candidates,
        };
        let mut reports = reports.to_vec();
        for (k, candidate) in candidates.iter().enumerate() {
            if k > 0 {
                reports = runs.all(pair(candidate))?;
            }
            let [Some(finest), check] = &reports[..] else {
                continue;
            };
            if finest.status != Status::Finished {
                fine.failure = finest.error.clone();
                continue;
            }
            (fine.method, fine.step, fine.failure) = (candidate.0.clone(), Some(candidate.1), None);
            let motion = Motion::read(&task.out.join(FOLDERS[0]), sim)?;
            if check.as_ref().is_some_and(|c| c.status == Status::Finished) {
                let coarse = Motion::read(&task.out.join(FOLDERS[1]), sim)?;
                let apart = coarse.distance(&motion);
                fine.own_error = apart.as_ref().and_then(|d| d.end_rms);
                fine.own_error_frames = apart.map(|d| d.rms);
            }
            return Ok((fine, Some(motion)));
        }
        Ok((fine, None))
    }
}

fn pair((method, step): &(String, f64)) -> Vec<Job> {
    let job = |folder: &str, step: f64| Job {
        method: method.clone(),
        step,
        folder: folder.into(),
    };
    vec![job(FOLDERS[0], *step), job(FOLDERS[1], 2.0 * step)]
}

/// The folder of the reference's run.
pub fn folder(fine: &Fine, out: &Path) -> Option<PathBuf> {
    match (&fine.step, fine.method.as_str()) {
        (Some(_), _) => Some(out.join(FOLDERS[0])),
        (None, "none") => None,
        (None, given) => Some(given.into()),
    }
}

/// The reference for people.
pub fn sentence(fine: &Fine) -> String {
    match (&fine.failure, fine.step, fine.own_error) {
        (Some(why), ..) => format!("no reference: {why}"),
        (None, Some(step), Some(own)) => format!(
            "reference: {} at a step of {step} s; at twice the step it ends {own:.2e} m away (RMS): smaller errors mean nothing",
            fine.method
        ),
        (None, Some(step), None) => format!(
            "reference: {} at a step of {step} s; at twice the step it fails, so its own error is not known",
            fine.method
        ),
        (None, None, _) if fine.method == "none" => "no reference: errors are not measured".into(),
        (None, None, _) => format!("reference: the run in {}", fine.method),
    }
}
