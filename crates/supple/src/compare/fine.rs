//! The reference: given, made, or done without.

use std::path::{Path, PathBuf};

use anyhow::bail;
use scene::compare::{Fine, Motion, candidates};
use supple::{Session, Status};

use super::Task;
use super::runs::{Job, Ran, Runs};

/// What errors are to be measured against.
pub enum Wanted {
    /// Nothing.
    None,
    /// A run made earlier.
    Given(PathBuf),
    /// The first of these methods and steps that reaches the end.
    Made(Vec<(String, f64)>),
}

/// Folders of the reference and of the run that checks it.
const FOLDERS: [&str; 2] = ["reference", "reference-check"];

impl Wanted {
    /// What `--reference` says. A folder is read at once, so that a wrong one is refused before the runs.
    pub fn new(
        given: Option<&Path>,
        task: &Task,
        sim: &mut Session,
        runs: &Runs,
    ) -> anyhow::Result<Wanted> {
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
                runs.set_reference(motion);
                Ok(Wanted::Given(folder.to_path_buf()))
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

    /// The reference and its run, from the runs of [`Wanted::jobs`]; if the first candidate failed the next are tried.
    pub fn settle(
        self,
        mut ran: Vec<Option<Ran>>,
        runs: &Runs,
    ) -> anyhow::Result<(Fine, Option<Ran>)> {
        let mut fine = Fine {
            method: "none".into(),
            step: None,
            own_error: None,
            own_error_frames: None,
            failure: None,
        };
        let candidates = match self {
            Wanted::None => return Ok((fine, None)),
            Wanted::Given(folder) => {
                fine.method = folder.display().to_string();
                return Ok((fine, None));
            }
            Wanted::Made(candidates) => candidates,
        };
        for (k, candidate) in candidates.iter().enumerate() {
            if k > 0 {
                ran = runs.all(pair(candidate))?;
            }
            let [finest, check] = &mut ran[..] else {
                continue;
            };
            let Some(finest) = finest.take() else {
                continue;
            };
            if finest.report.status != Status::Finished {
                fine.failure = finest.report.error.clone();
                continue;
            }
            (fine.method, fine.step, fine.failure) = (candidate.0.clone(), Some(candidate.1), None);
            if let Some(check) = check
                .as_mut()
                .filter(|c| c.report.status == Status::Finished)
            {
                if check.distance.is_none() {
                    check.measure(&finest.motion);
                }
                fine.own_error = check.distance.as_ref().and_then(|d| d.end_rms);
                fine.own_error_frames = check.distance.as_ref().map(|d| d.rms);
            }
            return Ok((fine, Some(finest)));
        }
        Ok((fine, None))
    }
}

fn pair((method, step): &(String, f64)) -> Vec<Job> {
    let job = |folder: &str, step: f64, is_reference: bool| Job {
        method: method.clone(),
        step,
        folder: folder.into(),
        is_reference,
    };
    vec![
        job(FOLDERS[0], *step, true),
        job(FOLDERS[1], 2.0 * step, false),
    ]
}
