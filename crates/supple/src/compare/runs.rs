//! RunPool side by side. Each has threads of its own, so that its seconds are its own.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use scene::compare::{Distance, Motion, PlannedRun};
use supple::{Curves, Flow, MotionRecorder, Report, RunError, RunOptions, RunOutcome, Status};

use super::CompareJob;
use crate::cli::print_note;
use crate::run::interrupt_flow;

/// One run to be made.
#[derive(Clone, Debug)]
pub struct RunJob {
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
pub struct CompletedRun {
    /// The run in numbers.
    pub report: Report,
    /// Energies and counts of every step.
    pub curves: Curves,
    /// Where the nodes were; the last frame alone once the distance is info.
    pub motion: Motion,
    /// How far it is from the reference.
    pub distance: Option<Distance>,
}

impl CompletedRun {
    /// Measures the distance from a reference and drops what is no longer needed.
    pub fn measure(&mut self, reference: &Motion) {
        self.distance = self.motion.distance(reference);
        self.motion.keep_last_frame();
    }
}

impl RunJob {
    /// A compared run.
    pub fn of(plan: &PlannedRun) -> RunJob {
        RunJob {
            method: plan.method.clone(),
            step: plan.step,
            folder: PathBuf::from("runs").join(&plan.folder),
            is_reference: false,
        }
    }
}

/// Makes runs and shows how far they are.
pub struct RunPool<'a> {
    job: &'a CompareJob,
    bar: ProgressBar,
    /// The motion that runs are measured against, as soon as it is info.
    reference: OnceLock<Motion>,
}

impl<'a> RunPool<'a> {
    /// Nothing is running yet.
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

    /// Measures runs against this motion.
    pub fn set_reference(&self, motion: Motion) {
        // The first one stays.
        let _ = self.reference.set(motion);
    }

    /// The motion that runs are measured against, if it is info.
    pub fn reference(&self) -> Option<&Motion> {
        self.reference.get()
    }

    /// Makes all runs; `None` in the place of one that was stopped.
    pub fn all(&self, jobs: Vec<RunJob>) -> anyhow::Result<Vec<Option<CompletedRun>>> {
        let count = jobs.len();
        let workers = self.job.threads.clamp(1, count.max(1));
        // Threads beyond the number of runs are shared out among them.
        let each = (self.job.threads / count.max(1)).max(1);
        let queue: Mutex<VecDeque<(usize, RunJob)>> =
            Mutex::new(jobs.into_iter().enumerate().collect());
        let ended: Mutex<Vec<(usize, anyhow::Result<Option<CompletedRun>>)>> =
            Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    loop {
                        let next = queue.lock().unwrap_or_else(|e| e.into_inner()).pop_front();
                        let Some((place, job)) = next else {
                            return;
                        };
                        let result = self.one(&job, each);
                        let mut ended = ended.lock().unwrap_or_else(|e| e.into_inner());
                        ended.push((place, result));
                        self.bar
                            .set_message(format!("{} of {count} runs done", ended.len()));
                    }
                });
            }
        });
        let mut ended = ended.into_inner().unwrap_or_else(|e| e.into_inner());
        ended.sort_by_key(|(place, _)| *place);
        ended.into_iter().map(|(_, result)| result).collect()
    }

    /// One run; a step that fails is told in its report.
    fn one(&self, job: &RunJob, threads: usize) -> anyhow::Result<Option<CompletedRun>> {
        if interrupt_flow() == Flow::Stop {
            return Ok(None);
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .context("the threads could not be started")?;
        let mut sim = self.job.open(&job.method, job.step)?;
        // The reference can be given to a later comparison; the other motions stay in memory.
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
        let attempt = pool.install(|| {
            supple::attempt(&mut sim, &options, &mut |p| {
                self.bar.inc(p.steps - done);
                done = p.steps;
                interrupt_flow()
            })
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

    /// Clears the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
