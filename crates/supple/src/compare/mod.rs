//! `supple compare`: one scene under many methods and steps.

mod fine;
mod pictures;
mod runs;

use std::path::{Path, PathBuf};

use anyhow::Context;
use report::compare::Exhibits;
use scene::compare::{Comparison, DEFAULT_METHODS, Known, Motion, Plan, Row, split};
use scene::spec::Source;
use scene::table::Table;
use supple::Session;

use crate::Outcome;
use crate::cli::{CompareArgs, say, settings, tell};
use crate::run::{catch_stop, check_threads, number};
use runs::{Job, Ran, Runs};

/// What all runs share.
struct Task {
    scene: PathBuf,
    /// Keys set for every run.
    set: Vec<(String, String)>,
    out: PathBuf,
    plans: Vec<Plan>,
    threads: usize,
    quiet: bool,
    /// Whether the frames of every run are written, as somebody asked for formats.
    writes_frames: bool,
}

impl Task {
    /// The scene under a method and a step.
    fn open(&self, method: &str, step: f64) -> Result<Session, supple::SceneErrors> {
        let mut set = self.set.clone();
        set.push(("time.method".into(), method.into()));
        set.push(("time.step".into(), number(step)));
        supple::open(&self.scene, &set)
    }
}

/// What the page is made of beside the numbers.
struct Made<'a> {
    /// The compared runs, in the order of the rows.
    own: &'a [Ran],
    /// The run that is the reference, if it was made here.
    reference: Option<&'a Ran>,
    /// Its motion, or that of the run that was given.
    motion: Option<&'a Motion>,
    /// The scene, for what stays the same in all pictures.
    session: &'a Session,
}

/// Runs a scene under all the methods and steps and writes the page.
pub fn compare(args: &CompareArgs) -> anyhow::Result<Outcome> {
    let task = task(args)?;
    // Every name and step is tried before the first long run begins.
    let mut first = None;
    for (k, plan) in task.plans.iter().enumerate() {
        let seen = &task.plans[..k];
        let new_method = seen.iter().all(|p| p.method != plan.method);
        let new_step = seen.iter().all(|p| p.step != plan.step);
        if new_method || new_step {
            let sim = task.open(&plan.method, plan.step)?;
            first.get_or_insert(sim);
        }
    }
    let mut sim = first.context("--methods: no method is named; see `supple list methods`")?;
    std::fs::create_dir_all(&task.out)
        .with_context(|| format!("{} cannot be made", task.out.display()))?;
    catch_stop()?;
    let runs = Runs::new(&task);
    let wanted = fine::Wanted::new(args.reference.as_deref(), &task, &mut sim, &runs)?;
    let mut jobs = wanted.jobs();
    jobs.extend(task.plans.iter().map(Job::of));
    let mut ended = runs.all(jobs)?;
    let own = ended.split_off(wanted.jobs().len());
    let Some(mut own) = own.into_iter().collect::<Option<Vec<_>>>() else {
        tell(format_args!(
            "stopped; finished runs are in {}",
            task.out.join("runs").display()
        ));
        return Ok(Outcome::Interrupted);
    };
    let (reference, fine) = wanted.settle(ended, &runs)?;
    runs.finish();
    if let Some(motion) = runs.reference() {
        // Runs that ended before the reference did.
        let left = own.iter_mut().filter(|r| r.distance.is_none());
        left.for_each(|r| r.measure(motion));
    }
    let rows: Vec<Row> = task
        .plans
        .iter()
        .zip(&mut own)
        .map(|(plan, ran)| Row {
            error: ran.distance.take(),
            ..Row::new(plan, &ran.report)
        })
        .collect();
    let known = Known {
        scene: sim.name(),
        until: sim.scene.time.until,
        dofs: sim.model.unknowns(),
        nodes: sim.model.nodes(),
        threads: task.threads,
        version: env!("CARGO_PKG_VERSION"),
    };
    let comparison = Comparison::new(known, reference, rows);
    let made = Made {
        own: &own,
        reference: fine.as_ref(),
        motion: runs.reference(),
        session: &sim,
    };
    write(&task, &comparison, &made)?;
    if !task.quiet {
        tell_result(&task, &comparison)?;
    }
    Ok(Outcome::Fine)
}

fn task(args: &CompareArgs) -> anyhow::Result<Task> {
    check_threads(args.threads)?;
    let mut set = settings(&args.set)?;
    set.extend(
        args.until
            .iter()
            .map(|t| ("time.until".to_string(), number(*t))),
    );
    let mut source = Source::read(&args.scene)?;
    for (key, value) in &set {
        source.set(key, value).map_err(supple::SceneErrors::from)?;
    }
    let scene = source.scene()?;
    let writes_frames = set.iter().any(|(key, _)| key == "output.formats");
    if !writes_frames {
        // Of the reference, so that it can be given to a later comparison.
        set.push(("output.formats".into(), "[\"vtu\"]".into()));
    }
    let methods = match &args.methods {
        Some(list) => split(list),
        None => DEFAULT_METHODS.iter().map(|m| m.to_string()).collect(),
    };
    let steps = if args.steps.is_empty() {
        vec![scene.time.nominal_step()]
    } else {
        args.steps.clone()
    };
    let default_out = || {
        let name = args.scene.file_stem().unwrap_or_default().to_string_lossy();
        Path::new("out").join(format!("{name}-compare"))
    };
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    Ok(Task {
        scene: args.scene.clone(),
        set,
        out: args.out.clone().unwrap_or_else(default_out),
        plans: Plan::all(&methods, &steps),
        threads: args.threads.unwrap_or(cores),
        quiet: args.quiet,
        writes_frames,
    })
}

fn write(task: &Task, comparison: &Comparison, made: &Made) -> anyhow::Result<()> {
    let file = |name: &str, text: String| {
        let path = task.out.join(name);
        base::file::write(&path, text.as_bytes())
            .with_context(|| format!("{} cannot be written", path.display()))
    };
    file(
        "compare.json",
        serde_json::to_string_pretty(comparison)? + "\n",
    )?;
    file("compare.csv", comparison.csv())?;
    file("index.html", page(task, comparison, made)?)
}

/// The page, with curves and pictures of the runs.
fn page(task: &Task, comparison: &Comparison, made: &Made) -> anyhow::Result<String> {
    let energy = |table: &Table| table.points("t", "total");
    let reference_energy = match (made.reference, comparison.reference.given()) {
        (Some(ran), _) => Some(energy(&ran.curves.steps)),
        (None, Some(folder)) => {
            let table = Table::read(&folder.join("steps.csv"))
                .with_context(|| format!("{} is not a whole run", folder.display()))?;
            Some(energy(&table))
        }
        (None, None) => None,
    };
    let exhibits = Exhibits {
        curves: made.own.iter().map(|ran| &ran.curves).collect(),
        reference_energy,
        pictures: pictures::all(task, comparison, made)?,
    };
    Ok(report::compare::page(comparison, &exhibits))
}

/// The result in a few lines.
fn tell_result(task: &Task, comparison: &Comparison) -> anyhow::Result<()> {
    say(comparison.reference.sentence())?;
    let width = comparison
        .runs
        .iter()
        .map(|r| r.method.chars().count())
        .max()
        .unwrap_or(0);
    say(format_args!(
        "{:width$}  {:>9}  {:>11}  {:>9}  {:>9}",
        "method", "step, s", "error, m", "fact+sol", "s per s"
    ))?;
    for row in &comparison.runs {
        let error = match (row.end_error(), &row.reason) {
            (Some(error), _) => format!("{error:.3e}"),
            (None, Some(_)) => format!("failed {:.3}s", row.t),
            (None, None) => "-".into(),
        };
        let front = if row.front_count { "  *" } else { "" };
        say(format_args!(
            "{:width$}  {:>9}  {error:>11}  {:>9}  {:>9.3}{front}",
            row.method,
            row.step,
            row.count(),
            row.cost.seconds_per_second
        ))?;
    }
    if comparison.runs.iter().any(|r| r.front_count) {
        say("* no run has a smaller error at the end for as few factorizations and solves")?;
    }
    say(format_args!("{}", task.out.join("index.html").display()))
}
