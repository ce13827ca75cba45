//! Runs the jobs of a comparison in parallel. Each run has its own threads, so its wall time is measured separately.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context;
use base::parallel::map_in_pools;
use comparison::PlannedRun;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use scene::distance::{Distance, Motion};
use supple::{Curves, Flow, MotionRecorder, Report, RunError, RunOptions, RunOutcome, Status};

use super::CompareJob;
use crate::cli::print_note;
use crate::run::interrupt_flow;

/// A run to compute: method, step and output folder.
#[derive(Clone, Debug)]
pub struct RunJob {
    /// TOML value of `time.method`.
    pub method: String,
    /// Step, s.
    pub step: f64,
    /// Output folder, relative to that of the comparison.
    pub folder: PathBuf,
    /// Whether other runs are measured against it.
    pub is_reference: bool,
}

/// Largest number of positions in all frames of a run that stay in memory for the page: 12 MB.
const MAX_KEPT_POSITIONS: usize = 500_000;

/// A run that reached its end or failed.
pub struct CompletedRun {
    /// Numbers of `report.json`.
    pub report: Report,
    /// Energies and counts of every step.
    pub curves: Curves,
    /// Positions of the nodes in every frame; those of a large run only in the last frame once the distance is measured.
    pub motion: Motion,
    /// Distance from the reference.
    pub distance: Option<Distance>,
}

impl CompletedRun {
    /// Measures the distance from a reference, and drops all frames but the last of a run that is too large for a page.
    pub fn measure(&mut self, reference: &Motion) {
        self.distance = self.motion.distance(reference);
        let positions: usize = self.motion.frames().iter().map(|f| f.1.len()).sum();
        if positions > MAX_KEPT_POSITIONS {
            self.motion.keep_last_frame();
        }
    }
}

impl RunJob {
    /// Returns the job of a planned run.
    pub fn of(plan: &PlannedRun) -> RunJob {
        RunJob {
            method: plan.method.clone(),
            step: plan.step,
            folder: PathBuf::from("runs").join(&plan.folder),
            is_reference: false,
        }
    }
}

/// Computes runs in parallel and shows their progress.
pub struct RunPool<'a> {
    job: &'a CompareJob,
    bar: ProgressBar,
    /// Motion that errors are measured against; set as soon as the reference run ends.
    reference: OnceLock<Motion>,
}

impl<'a> RunPool<'a> {
    /// Creates a pool without runs and shows its progress bar.
    pub fn new(job: &'a CompareJob) -> RunPool<'a> {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(10));
        if job.quiet {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let style = ProgressStyle::with_template("{bar:32} {percent:>3} %  {msg}  left {eta}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        RunPool {
            job,
            bar,
            reference: OnceLock::new(),
        }
    }

    /// Sets the motion that errors are measured against.
    pub fn set_reference(&self, motion: Motion) {
        // A reference that was set earlier stays.
        let _ = self.reference.set(motion);
    }

    /// Returns the motion that errors are measured against, or `None` if it is not known yet.
    pub fn reference(&self) -> Option<&Motion> {
        self.reference.get()
    }

    /// Computes all runs; the entry of an interrupted run is `None`.
    pub fn all(&self, jobs: Vec<RunJob>) -> anyhow::Result<Vec<Option<CompletedRun>>> {
        let count = jobs.len();
        // Threads beyond the number of runs are distributed among the runs.
        let each = (self.job.threads / count.max(1)).max(1);
        let ended = AtomicUsize::new(0);
        let runs = map_in_pools(count, self.job.threads, each, |k| {
            let result = self.one(&jobs[k]);
            let ended = ended.fetch_add(1, Ordering::Relaxed) + 1;
            self.bar
                .set_message(format!("{ended} of {count} runs done"));
            result
        });
        let runs = runs.context("the threads could not be started")?;
        runs.into_iter().collect()
    }

    /// Computes one run. A failed step is recorded in its report; returns `None` if the run was interrupted.
    fn one(&self, job: &RunJob) -> anyhow::Result<Option<CompletedRun>> {
        if interrupt_flow() == Flow::Stop {
            return Ok(None);
        }
        let mut sim = self.job.open(&job.method, job.step)?;
        // Frames of the reference are written for later comparisons; other motions stay in memory.
        if !job.is_reference && !self.job.writes_frames {
            sim.scene.output.formats.clear();
        }
        sim.observe(Box::new(MotionRecorder::default()))?;
        let steps = (sim.scene.time.until / job.step).ceil() as u64;
        self.bar.inc_length(steps);
        let options = RunOptions {
            out: self.job.out.join(&job.folder),
            resume: None,
        };
        let mut done = 0;
        let attempt = supple::attempt(&mut sim, &options, &mut |p| {
            self.bar.inc(p.steps - done);
            done = p.steps;
            interrupt_flow()
        });
        self.bar.inc(steps.saturating_sub(done));
        let RunOutcome {
            report,
            failure,
            curves,
            ..
        } = attempt?;
        if let (Some(RunError::Step { why, .. }), false) = (failure, self.job.quiet) {
            let name = job.folder.display();
            self.bar
                .suspend(|| print_note(format_args!("{name} failed: {why}")));
        }
        if report.status == Status::Interrupted {
            return Ok(None);
        }
        let recorder = sim.take_observer::<MotionRecorder>().unwrap_or_default();
        let mut ran = CompletedRun {
            report,
            curves,
            motion: recorder.into_motion(),
            distance: None,
        };
        if job.is_reference && ran.report.status == Status::Finished {
            self.set_reference(ran.motion.clone());
        } else if let Some(reference) = self.reference() {
            ran.measure(reference);
        }
        Ok(Some(ran))
    }

    /// Removes the progress bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
