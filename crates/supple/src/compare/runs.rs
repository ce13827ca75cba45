//! Runs side by side. Each has threads of its own, so that its seconds are its own.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use scene::compare::Plan;
use supple::{Flow, Report, RunError, RunOptions, Status};

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
}

impl Job {
    /// A compared run.
    pub fn of(plan: &Plan) -> Job {
        Job {
            method: plan.method.clone(),
            step: plan.step,
            folder: PathBuf::from("runs").join(&plan.folder),
        }
    }
}

/// Makes runs and shows how far they are.
pub struct Runs<'a> {
    task: &'a Task,
    bar: ProgressBar,
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
        Runs { task, bar }
    }

    /// Makes all runs; nothing in the place of one that was stopped.
    pub fn all(&self, jobs: Vec<Job>) -> anyhow::Result<Vec<Option<Report>>> {
        let count = jobs.len();
        let workers = self.task.threads.clamp(1, count.max(1));
        // Threads beyond the number of runs are shared out among them.
        let each = (self.task.threads / count.max(1)).max(1);
        let queue: Mutex<VecDeque<(usize, Job)>> =
            Mutex::new(jobs.into_iter().enumerate().collect());
        let ended: Mutex<Vec<(usize, anyhow::Result<Option<Report>>)>> = Mutex::new(Vec::new());
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
    fn one(&self, job: &Job, threads: usize) -> anyhow::Result<Option<Report>> {
        if flow() == Flow::Stop {
            return Ok(None);
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .context("the threads could not be started")?;
        let mut sim = self.task.open(&job.method, job.step)?;
        let steps = (sim.scene.time.until / job.step).ceil() as u64;
        self.bar.inc_length(steps);
        let options = RunOptions {
            out: self.task.out.join(&job.folder),
            resume: None,
        };
        let mut done = 0;
        let attempt = pool.install(|| {
            supple::attempt(&mut sim, &options, &mut |p| {
                self.bar.inc(p.steps - done);
                done = p.steps;
                flow()
            })
        });
        self.bar.inc(steps.saturating_sub(done));
        let (report, failure) = attempt?;
        if let (Some(RunError::Step { why, .. }), false) = (failure, self.task.quiet) {
            let name = job.folder.display();
            self.bar
                .suspend(|| tell(format_args!("{name} failed: {why}")));
        }
        Ok((report.status != Status::Interrupted).then_some(report))
    }

    /// Clears the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
