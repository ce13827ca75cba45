//! `supple compare`: runs one scene with several methods and steps and writes a page.

mod pictures;
mod reference;
mod runs;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use comparison::{
    ComparedRun, Comparison, ComparisonInfo, DEFAULT_METHODS, PlannedRun, split_method_list,
};
use march::methods::STATIC;
use report::compare::ComparisonExhibits;
use scene::distance::Motion;
use scene::spec::Source;
use scene::table::Table;
use supple::Session;

use crate::Outcome;
use crate::cli::{CompareArgs, parse_settings, print_line, print_note, print_warning};
use crate::run::{check_thread_count, install_interrupt_handler, toml_number};
use runs::{CompletedRun, RunJob, RunPool};

/// Settings that all runs of a comparison share.
struct CompareJob {
    scene: PathBuf,
    /// Keys of the scene to override in every run.
    set: Vec<(String, String)>,
    out: PathBuf,
    plans: Vec<PlannedRun>,
    threads: usize,
    quiet: bool,
    /// Whether every run writes its frames, because `--set output.formats` was given.
    writes_frames: bool,
}

impl CompareJob {
    /// Builds the scene with a method and a step.
    fn open(&self, method: &str, step: f64) -> Result<Session, supple::SceneErrors> {
        let mut set = self.set.clone();
        set.push(("time.method".into(), method.into()));
        set.push(("time.step".into(), toml_number(step)));
        supple::open(&self.scene, &set)
    }
}

/// Results of a comparison that its page plots and renders.
struct CompareResults<'a> {
    /// The compared runs, in the order of the rows.
    own: &'a [CompletedRun],
    /// The reference run, if it was computed here.
    reference: Option<&'a CompletedRun>,
    /// Motion of the reference run, computed here or read from a folder.
    motion: Option<&'a Motion>,
    /// A session of the scene: mesh and surface weights for the pictures.
    session: &'a Session,
}

/// Runs a scene with all methods and steps and writes the page and its tables.
pub fn compare(args: &CompareArgs) -> anyhow::Result<Outcome> {
    let job = compare_job(args)?;
    // Every method and step is checked before the first run starts.
    let mut first = None;
    for (k, plan) in job.plans.iter().enumerate() {
        let seen = &job.plans[..k];
        let new_method = seen.iter().all(|p| p.method != plan.method);
        let new_step = seen.iter().all(|p| p.step != plan.step);
        if new_method || new_step {
            let sim = job.open(&plan.method, plan.step)?;
            first.get_or_insert(sim);
        }
    }
    let mut sim = first.context("--methods: no method is named; see `supple list methods`")?;
    std::fs::create_dir_all(&job.out)
        .with_context(|| format!("{} cannot be made", job.out.display()))?;
    install_interrupt_handler()?;
    let runs = RunPool::new(&job);
    let policy = reference::ReferencePolicy::new(args.reference.as_deref(), &job, &mut sim, &runs)?;
    let mut jobs = policy.jobs();
    jobs.extend(job.plans.iter().map(RunJob::of));
    let mut ended = runs.all(jobs)?;
    let own = ended.split_off(policy.jobs().len());
    let Some(mut own) = own.into_iter().collect::<Option<Vec<_>>>() else {
        print_note(format_args!(
            "stopped; finished runs are in {}",
            job.out.join("runs").display()
        ));
        return Ok(Outcome::Interrupted);
    };
    let (reference, fine) = policy.resolve(ended, &runs, &sim)?;
    runs.finish();
    if let Some(motion) = runs.reference() {
        // Runs that ended before the reference was known.
        let left = own.iter_mut().filter(|r| r.distance.is_none());
        left.for_each(|r| r.measure(motion));
    }
    let rows: Vec<ComparedRun> = job
        .plans
        .iter()
        .zip(&mut own)
        .map(|(plan, ran)| ComparedRun {
            error: ran.distance.take(),
            ..ComparedRun::new(plan, &ran.report)
        })
        .collect();
    let info = ComparisonInfo {
        scene: sim.name(),
        until: sim.scene.time.until,
        dofs: sim.model.unknowns(),
        nodes: sim.model.nodes(),
        threads: job.threads,
        version: env!("CARGO_PKG_VERSION"),
    };
    let comparison = Comparison::new(info, reference, rows);
    let made = CompareResults {
        own: &own,
        reference: fine.as_ref(),
        motion: runs.reference(),
        session: &sim,
    };
    write(&job, &comparison, &made)?;
    if !job.quiet {
        print_summary(&job, &comparison)?;
    }
    Ok(Outcome::Success)
}

fn compare_job(args: &CompareArgs) -> anyhow::Result<CompareJob> {
    check_thread_count(args.threads)?;
    let mut set = parse_settings(&args.set)?;
    set.extend(
        args.until
            .iter()
            .map(|t| ("time.until".to_string(), toml_number(*t))),
    );
    let mut source = Source::read(&args.scene)?;
    for (key, value) in &set {
        source.set(key, value).map_err(supple::SceneErrors::from)?;
    }
    let scene = source.scene()?;
    let writes_frames = set.iter().any(|(key, _)| key == "output.formats");
    if !writes_frames {
        // Frames of the reference allow later comparisons to reuse it.
        set.push(("output.formats".into(), "[\"vtu\"]".into()));
    }
    let methods = match &args.methods {
        Some(list) => split_method_list(list),
        None => DEFAULT_METHODS.iter().map(|m| m.to_string()).collect(),
    };
    let named = |m: &String| m.contains(&format!("\"{}\"", STATIC.name)) || m == STATIC.name;
    if scene.time.is_static() || methods.iter().any(named) {
        bail!(
            "compare measures integrators against each other over time, and \"static\" is none; run the scene with `supple run {}{}`",
            args.scene.display(),
            if scene.time.is_static() {
                ""
            } else {
                " --static"
            }
        );
    }
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
    Ok(CompareJob {
        scene: args.scene.clone(),
        set,
        out: args.out.clone().unwrap_or_else(default_out),
        plans: PlannedRun::all(&methods, &steps),
        threads: args.threads.unwrap_or(cores),
        quiet: args.quiet,
        writes_frames,
    })
}

fn write(job: &CompareJob, comparison: &Comparison, made: &CompareResults) -> anyhow::Result<()> {
    let file = |name: &str, text: String| {
        let path = job.out.join(name);
        std::fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))
    };
    file(
        "compare.json",
        serde_json::to_string_pretty(comparison)? + "\n",
    )?;
    file("compare.csv", comparison.csv())?;
    file("index.html", page(job, comparison, made)?)
}

/// Returns the HTML page with curves and pictures of the runs.
fn page(
    job: &CompareJob,
    comparison: &Comparison,
    made: &CompareResults,
) -> anyhow::Result<String> {
    let energy = |table: &Table| table.points("t", "total");
    let reference_energy = match (made.reference, comparison.reference.given()) {
        (Some(ran), _) => Some(energy(&ran.curves.steps)),
        (None, Some(folder)) => {
            let table = Table::read(&folder.join("steps.csv")).with_context(|| {
                format!(
                    "{}: the table of this run cannot be read; give a finished run",
                    folder.display()
                )
            })?;
            Some(energy(&table))
        }
        (None, None) => None,
    };
    let motions = pictures::motions(comparison, made, reference_energy.as_deref());
    let exhibits = ComparisonExhibits {
        curves: made.own.iter().map(|ran| &ran.curves).collect(),
        reference_energy,
        pictures: pictures::render_last_frames(job, comparison, made)?,
        motions,
    };
    Ok(report::compare::page(comparison, &exhibits))
}

/// Prints the reference and a line per run.
fn print_summary(job: &CompareJob, comparison: &Comparison) -> anyhow::Result<()> {
    print_line(comparison.reference.sentence())?;
    let width = comparison
        .runs
        .iter()
        .map(|r| r.method.chars().count())
        .max()
        .unwrap_or(0);
    print_line(format_args!(
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
        print_line(format_args!(
            "{:width$}  {:>9}  {error:>11}  {:>9}  {:>9.3}{front}",
            row.method,
            row.step,
            row.count(),
            row.cost.seconds_per_second
        ))?;
    }
    for row in &comparison.runs {
        for warning in &row.warnings {
            print_warning(format_args!("{} at {} s: {warning}", row.method, row.step))?;
        }
    }
    if comparison.runs.iter().any(|r| r.front_count) {
        print_line(
            "* Pareto front: no run has a smaller final error at the same or fewer factorizations and solves",
        )?;
    }
    print_line(format_args!("{}", job.out.join("index.html").display()))
}
