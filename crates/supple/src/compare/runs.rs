//! Runs side by side. Each has threads of its own, so that its seconds are its own.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context;
use base::parallel::map_in_pools;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use scene::compare::{Distance, Motion, Plan};
use supple::{Curves, Finished, Flow, MotionRecorder, Report, RunError, RunOptions, Status};

use super::Task;
use crate::cli::tell;
use crate::run::flow;

/// One run to be made.
#[derive(Clone, Debug)]
pub struct Job {
    /// What stands after `method =`.
    pub method: String,
    /// Step, s.
    pub step: f64,
    /// Its folder below that of the comparison.
    pub folder: PathBuf,
    /// Whether other runs are measured against it.
    pub is_reference: bool,
}

/// A run that was made.
pub struct Ran {
    /// The run in numbers.
    pub report: Report,
    /// Energies and counts of every step.
    pub curves: Curves,
    /// Where the nodes were; the last frame alone once the distance is known.
    pub motion: Motion,
    /// How far it is from the reference.
    pub distance: Option<Distance>,
}

impl Ran {
    /// Measures the distance from a reference and drops what is no longer needed.
    pub fn measure(&mut self, reference: &Motion) {
        self.distance = self.motion.distance(reference);
        self.motion.keep_last_frame();
    }
}

impl Job {
    /// A compared run.
    pub fn of(plan: &Plan) -> Job {
        Job {
            method: plan.method.clone(),
            step: plan.step,
            folder: PathBuf::from("runs").join(&plan.folder),
            is_reference: false,
        }
    }
}

/// Makes runs and shows how far they are.
pub struct Runs<'a> {
    task: &'a Task,
    bar: ProgressBar,
    /// The motion that runs are measured against, as soon as it is known.
    reference: OnceLock<Motion>,
}

impl<'a> Runs<'a> {
    /// Nothing is running yet.
    pub fn new(task: &'a Task) -> Runs<'a> {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(10));
        if task.quiet {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let style = ProgressStyle::with_template("{bar:32} {percent:>3} %  {msg}  left {eta}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Runs {
            task,
            bar,
            reference: OnceLock::new(),
        }
    }

    /// Measures runs against this motion.
    pub fn set_reference(&self, motion: Motion) {
        // The first one stays.
        let _ = self.reference.set(motion);
    }

    /// The motion that runs are measured against, if it is known.
    pub fn reference(&self) -> Option<&Motion> {
        self.reference.get()
    }

    /// Makes all runs; `None` in the place of one that was stopped.
    pub fn all(&self, jobs: Vec<Job>) -> anyhow::Result<Vec<Option<Ran>>> {
        let count = jobs.len();
        // Threads beyond the number of runs are shared out among them.
        let each = (self.task.threads / count.max(1)).max(1);
        let ended = AtomicUsize::new(0);
        let runs = map_in_pools(count, self.task.threads, each, |k| {
            let result = self.one(&jobs[k]);
            let ended = ended.fetch_add(1, Ordering::Relaxed) + 1;
            self.bar
                .set_message(format!("{ended} of {count} runs done"));
            result
        });
        let runs = runs.context("the threads could not be started")?;
        runs.into_iter().collect()
    }

    /// One run; a step that fails is told in its report.
    fn one(&self, job: &Job) -> anyhow::Result<Option<Ran>> {
        if flow() == Flow::Stop {
            return Ok(None);
        }
        let mut sim = self.task.open(&job.method, job.step)?;
        // The reference can be given to a later comparison; the other motions stay in memory.
        if !job.is_reference && !self.task.writes_frames {
            sim.scene.output.formats.clear();
        }
        sim.observe(Box::new(MotionRecorder::default()))?;
        let steps = (sim.scene.time.until / job.step).ceil() as u64;
        self.bar.inc_length(steps);
        let options = RunOptions {
            out: self.task.out.join(&job.folder),
            resume: None,
        };
        let mut done = 0;
        let attempt = supple::attempt(&mut sim, &options, &mut |p| {
            self.bar.inc(p.steps - done);
            done = p.steps;
            flow()
        });
        self.bar.inc(steps.saturating_sub(done));
        let Finished {
            report,
            failure,
            curves,
            ..
        } = attempt?;
        if let (Some(RunError::Step { why, .. }), false) = (failure, self.task.quiet) {
            let name = job.folder.display();
            self.bar
                .suspend(|| tell(format_args!("{name} failed: {why}")));
        }
        if report.status == Status::Interrupted {
            return Ok(None);
        }
        let recorder = sim.take_observer::<MotionRecorder>().unwrap_or_default();
        let mut ran = Ran {
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

    /// Clears the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
