//! A simulation from its start to its end, with everything it leaves behind.

mod cause;
mod counts;
mod frames;
pub(crate) mod pace;
mod report;
mod retreat;
mod share;
mod tables;

use std::path::{Path, PathBuf};
use std::time::Instant;

use march::{State, StepError};
use solid::model::Energies;

use crate::build::Simulation;
use crate::capsule::Capsule;
use crate::checkpoint::{Checkpoint, CheckpointError, scene_fingerprint};
pub use cause::Cause;
use counts::Counts;
use frames::Frames;
pub use report::{EnergyReport, LedgerReport, Report, Status};
use retreat::Retreat;
use tables::Tables;

/// Where a run writes and where it begins.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Folder for everything written.
    pub out: PathBuf,
    /// A checkpoint to go on from.
    pub resume: Option<PathBuf>,
}

/// What a person watching a run sees.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Simulated time, s.
    pub t: f64,
    /// Simulated time at the end, s.
    pub until: f64,
    /// Simulated time at which this run began, s.
    pub from: f64,
    /// Steps taken.
    pub steps: u64,
    /// Energies now.
    pub energies: Energies,
    /// Newton iterations of the last step.
    pub newton: u64,
}

/// What the watcher wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    On,
    /// Finish here and write a checkpoint.
    Stop,
}

/// Why a run ended early. Everything written until then is kept.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A step could not be taken, however short.
    #[error(
        "{why}. {cause}: {sentence}. Frames and the checkpoint up to t = {t:.6} s are in {}; look closer with\n  supple replay {}",
        out.display(),
        out.join(CAPSULE).display()
    )]
    Step {
        /// Where the results are.
        out: PathBuf,
        /// Time reached, s.
        t: f64,
        /// What went wrong.
        why: StepError,
        /// Its cause by name.
        cause: Cause,
        /// The cause in a sentence, with what to try.
        sentence: String,
    },
    /// The mass matrix of a resumed run cannot be factored.
    #[error("{0}")]
    Mass(StepError),
    /// Nothing to resume from.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Output could not be written.
    #[error("{0}")]
    Write(std::io::Error),
}

impl From<std::io::Error> for RunError {
    fn from(error: std::io::Error) -> Self {
        RunError::Write(error)
    }
}

/// Name of the capsule of a failed step in the output folder.
pub const CAPSULE: &str = "capsule.supple";

/// Name of the checkpoint in the output folder.
pub const CHECKPOINT: &str = "checkpoint.supple";

/// Runs a simulation; `watch` is told of the start and every step.
pub fn run(
    sim: &mut Simulation,
    options: &RunOptions,
    watch: &mut dyn FnMut(&Progress) -> Flow,
) -> Result<Report, RunError> {
    match attempt(sim, options, watch)? {
        (report, None) => Ok(report),
        (_, Some(failure)) => Err(failure),
    }
}

/// The same for those who want the report of a run whose step failed: the failure stands beside it.
pub fn attempt(
    sim: &mut Simulation,
    options: &RunOptions,
    watch: &mut dyn FnMut(&Progress) -> Flow,
) -> Result<(Report, Option<RunError>), RunError> {
    let started = Instant::now();
    crate::record::make_folder(&options.out)?;
    let mut run = Run::new(sim, options)?;
    let (status, failure) = match run.steps(watch) {
        Ok(Flow::On) => (Status::Finished, None),
        Ok(Flow::Stop) => (Status::Interrupted, None),
        Err(failure @ RunError::Step { .. }) => (Status::Failed, Some(failure)),
        Err(error) => return Err(error),
    };
    // A failed step left the state as it was: keep it, and all tables and frames up to it.
    run.save()?;
    run.frames.finish()?;
    let mut report = Report::new(run.sim, &run.counts, status);
    report.wall_seconds = started.elapsed().as_secs_f64();
    report.error = failure.as_ref().map(RunError::to_string);
    report.integrator_percent = share::of(&options.out)?;
    report.write(&options.out)?;
    crate::page::write(&report, &options.out)?;
    Ok((report, failure))
}

/// A step of the scene: where it begins, how long it is, where it ends, s.
struct Interval {
    start: f64,
    whole: f64,
    end: f64,
}

struct Run<'a> {
    sim: &'a mut Simulation,
    out: &'a Path,
    counts: Counts,
    tables: Tables,
    frames: Frames,
    resumed: bool,
    /// Multiples of the scene's step up to now.
    multiples: u64,
    retreat: Retreat,
    fingerprint: u64,
}

impl<'a> Run<'a> {
    fn new(sim: &'a mut Simulation, options: &'a RunOptions) -> Result<Run<'a>, RunError> {
        let fingerprint = scene_fingerprint(&sim.scene);
        let mut counts = Counts::default();
        if let Some(path) = &options.resume {
            let saved = Checkpoint::read(path)?;
            let name = || path.display().to_string();
            let fits = saved.scene == fingerprint && saved.u.len() == sim.state.u.len();
            if !fits
                || !sim.stepper.load(&saved.memory)
                || !sim.solver.load(&sim.model, &saved.solver)
            {
                return Err(CheckpointError::Foreign { path: name() }.into());
            }
            counts =
                Counts::unpack(&saved.counters, &saved.sums).ok_or(CheckpointError::Broken {
                    path: name(),
                    what: "the checkpoint lacks its counters",
                })?;
            sim.state = State {
                t: saved.t,
                u: saved.u,
                v: saved.v,
            };
        }
        let multiples = (sim.state.t / sim.scene.time.step + 1e-6).floor() as u64;
        let mut retreat = Retreat::new(&sim.scene.time);
        if !retreat.unpack(counts.retreat) {
            retreat = Retreat::new(&sim.scene.time);
        }
        let frames = Frames::new(sim, &options.out, counts.frames)?;
        let tables = Tables::open(&options.out, sim, &counts)?;
        let resumed = options.resume.is_some();
        let mut run = Run {
            sim,
            out: &options.out,
            counts,
            tables,
            frames,
            resumed,
            multiples,
            retreat,
            fingerprint,
        };
        if run.counts.steps > 0 {
            run.factor_mass()?;
        }
        // A run that ended within a step of the scene and now goes beyond its end has another interval before it.
        if let Some(Interval { start, whole, .. }) = run.interval() {
            let there = start + whole * run.retreat.share();
            if (there - run.sim.state.t).abs() > 1e-9 * whole {
                run.retreat.begin();
            }
        }
        Ok(run)
    }

    /// Factors the mass, which the run resumed did in its first step: its work is in the counts already.
    fn factor_mass(&mut self) -> Result<(), RunError> {
        let sim = &mut *self.sim;
        let t = sim.state.t;
        let mut rest = vec![0.0; sim.state.u.len()];
        sim.solver
            .solve_mass(&sim.model, t, &mut rest)
            .map_err(RunError::Mass)?;
        sim.solver.take_report();
        Ok(())
    }

    /// All steps to the end, or to where the watcher stops.
    fn steps(&mut self, watch: &mut dyn FnMut(&Progress) -> Flow) -> Result<Flow, RunError> {
        let from = self.sim.state.t;
        let mut energies = self.observe(0.0)?;
        if !self.resumed {
            self.frames.first(self.sim, &mut self.counts)?;
        }
        let until = self.sim.scene.time.until;
        let mut next_save = self.next_save();
        loop {
            let progress = Progress {
                t: self.sim.state.t,
                until,
                from,
                steps: self.counts.steps,
                energies,
                newton: self.counts.last.newton,
            };
            let flow = watch(&progress);
            let Some(interval) = self.interval() else {
                return Ok(Flow::On);
            };
            if flow == Flow::Stop {
                return Ok(Flow::Stop);
            }
            let h = self.step(&interval)?;
            let before = energies.total();
            let mut entry = pace::spent(self.sim, h);
            energies = self.observe(h)?;
            entry.close(energies.total() - before);
            self.counts.ledger.add(&entry);
            self.tables.entry(self.sim.state.t, &entry)?;
            self.frames.after(self.sim, &mut self.counts)?;
            if self.sim.state.t >= next_save {
                self.save()?;
                next_save = self.next_save();
            }
        }
    }

    /// The next interval, which ends on a multiple of the scene's step or at the end of the run; nothing when that is
    /// reached.
    fn interval(&self) -> Option<Interval> {
        let end = pace::interval_end(self.sim, self.multiples)?;
        let start = if self.retreat.begins() {
            self.sim.state.t
        } else {
            self.multiples as f64 * self.sim.scene.time.step
        };
        let whole = pace::length(self.sim, start, end);
        Some(Interval { start, whole, end })
    }

    /// Takes a step into the interval, as long as will do; answers its length.
    fn step(&mut self, interval: &Interval) -> Result<f64, RunError> {
        self.frames.before.clone_from_state(&self.sim.state);
        self.counts.rejected_lately = 0;
        loop {
            let (h, end) = self
                .retreat
                .next(interval.start, interval.whole, interval.end);
            let sim = &mut *self.sim;
            let carried = sim.solver.carries();
            let Err(why) = sim
                .stepper
                .step(&mut sim.model, &mut sim.solver, &mut sim.state, h)
            else {
                // t = k h, not a sum of k roundings.
                sim.state.t = end;
                self.multiples += u64::from(self.retreat.took());
                self.counts.retreat = self.retreat.pack();
                self.counts.took(h, sim.solver.take_report());
                self.counts.gap = self.counts.gap.max(sim.solver.take_gap());
                self.counts.missed += u64::from(sim.stepper.missed());
                return Ok(h);
            };
            // What failed may be the factors of an earlier step; and a capsule has none.
            sim.solver.forget();
            if carried {
                continue;
            }
            // Explicit methods have no stage that could fail: what fails is the motion.
            let solves = sim.method.method.implicit() || sim.scene.time.stabilise.is_some();
            if !solves || !self.retreat.failed() {
                return Err(self.failure(h, why));
            }
            self.counts.rejected += 1;
            self.counts.rejected_lately += 1;
        }
    }

    /// What stopped the run, with its capsule written.
    fn failure(&mut self, h: f64, why: StepError) -> RunError {
        let sim = &mut *self.sim;
        let State { t, u, v } = &sim.state;
        let worst = sim.model.worst(*t, u, v);
        let cause = Cause::of(&why, sim, h, worst.as_ref());
        let sentence = cause.sentence(worst.as_ref());
        let told = format!("{why}. {sentence}");
        let capsule = Capsule::new(sim, h, cause, worst.as_ref(), told);
        if let Err(error) = capsule.write(&self.out.join(CAPSULE)) {
            return RunError::Write(error);
        }
        RunError::Step {
            out: self.out.to_path_buf(),
            t: sim.state.t,
            why,
            cause,
            sentence,
        }
    }

    /// Energies and momenta of the state into the tables; `h` is the step that led here.
    fn observe(&mut self, h: f64) -> Result<Energies, RunError> {
        let sim = &mut *self.sim;
        let (energies, momentum) = pace::look(sim);
        if h > 0.0 || !self.resumed {
            self.counts.saw(&energies, &momentum);
            self.tables
                .row(sim, h, &energies, &momentum, &self.counts)?;
        }
        Ok(energies)
    }

    fn next_save(&self) -> f64 {
        match self.sim.scene.time.checkpoint_every {
            Some(every) => ((self.sim.state.t / every + 1e-9).floor() + 1.0) * every,
            None => f64::INFINITY,
        }
    }

    fn save(&mut self) -> Result<(), RunError> {
        self.tables.flush(&mut self.counts)?;
        let (counters, sums) = self.counts.pack();
        let mut memory = Vec::new();
        self.sim.stepper.save(&mut memory);
        let mut solver = Vec::new();
        self.sim.solver.save(&mut solver);
        let State { t, u, v } = self.sim.state.clone();
        Checkpoint {
            scene: self.fingerprint,
            counters,
            sums,
            t,
            u,
            v,
            memory,
            solver,
        }
        .write(&self.out.join(CHECKPOINT))?;
        Ok(())
    }
}
