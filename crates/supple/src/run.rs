//! `supple run`.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use supple::{Flow, Progress, Report, RunError, RunOptions, Simulation, Status};

use crate::Outcome;
use crate::cli::{RunArgs, complain, settings};

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// Runs a scene.
pub fn run(args: RunArgs) -> anyhow::Result<Outcome> {
    if args.threads == Some(0) {
        bail!("--threads 0: at least one thread is needed");
    }
    let mut set = settings(&args.set)?;
    set.extend(
        args.method
            .iter()
            .map(|m| ("time.method".to_string(), m.clone())),
    );
    set.extend(
        args.step
            .iter()
            .map(|h| ("time.step".to_string(), format!("{h:?}"))),
    );
    set.extend(
        args.until
            .iter()
            .map(|t| ("time.until".to_string(), format!("{t:?}"))),
    );
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.unwrap_or(0))
        .build()
        .context("the threads could not be started")?;
    let mut simulation = supple::open(&args.scene, &set)?;
    if !args.quiet {
        simulation
            .notices
            .iter()
            .for_each(|n| eprintln!("note: {n}"));
    }
    let out = args.out.clone().unwrap_or_else(|| default_out(&args.scene));
    let options = RunOptions {
        out,
        resume: args.resume.clone(),
    };
    // A second Ctrl-C while the step finishes ends the program as usual.
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    })
    .context("Ctrl-C could not be caught")?;
    let bar = bar(&simulation, args.quiet);
    let result = pool.install(|| {
        supple::run(&mut simulation, &options, &mut |progress| {
            show(&bar, progress);
            if STOP.load(Ordering::SeqCst) {
                Flow::Stop
            } else {
                Flow::On
            }
        })
    });
    bar.finish_and_clear();
    match result {
        Ok(report) => {
            if !args.quiet {
                summary(&report, &args, &options.out);
            }
            Ok(if report.status == Status::Interrupted {
                Outcome::Interrupted
            } else {
                Outcome::Fine
            })
        }
        Err(error @ RunError::Checkpoint(_)) => Err(error.into()),
        Err(error) => {
            complain(&error.into());
            Ok(Outcome::Failed)
        }
    }
}

/// `out/<scene name>`.
fn default_out(scene: &Path) -> PathBuf {
    Path::new("out").join(scene.file_stem().unwrap_or_default())
}

fn bar(simulation: &Simulation, quiet: bool) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr_with_hz(10));
    if quiet {
        bar.set_draw_target(ProgressDrawTarget::hidden());
        return bar;
    }
    let style = ProgressStyle::with_template("{prefix} {bar:32} {percent:>3} %  {msg}  left {eta}");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar.set_prefix(simulation.method.name());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn show(bar: &ProgressBar, p: &Progress) {
    let span = (p.until - p.from).max(f64::MIN_POSITIVE);
    bar.set_position((1000.0 * (p.t - p.from) / span) as u64);
    bar.set_message(format!(
        "t {:.3} of {:.3} s  step {}  energy {:.4e} J  Newton {}",
        p.t,
        p.until,
        p.steps,
        p.energies.total(),
        p.newton
    ));
}

fn summary(report: &Report, args: &RunArgs, out: &Path) {
    let seconds = report.wall_seconds;
    println!(
        "{}: {} unknowns, {} steps to t = {:.4} s in {seconds:.2} s ({:.2} Newton iterations a step, {} factorizations)",
        report.method,
        report.dofs,
        report.steps,
        report.t,
        report.newton_mean,
        report.factorizations
    );
    let e = &report.energy;
    println!(
        "energy: {:.6e} J at the start, {:.6e} J at the end",
        e.initial, e.last
    );
    println!(
        "{} frames in {}",
        report.frames,
        out.join("series.pvd").display()
    );
    if report.status == Status::Interrupted {
        let checkpoint = out.join("checkpoint.supple");
        println!("stopped at t = {:.6} s; go on with", report.t);
        println!(
            "  supple run {} -o {} --resume {}{}",
            args.scene.display(),
            out.display(),
            checkpoint.display(),
            repeated(args)
        );
    }
}

/// The options that make the same scene again.
fn repeated(args: &RunArgs) -> String {
    let method = args.method.iter().map(|m| format!(" --method {m}"));
    let step = args.step.iter().map(|h| format!(" --step {h:?}"));
    let until = args.until.iter().map(|t| format!(" --until {t:?}"));
    let set = args.set.iter().map(|s| format!(" --set '{s}'"));
    method.chain(step).chain(until).chain(set).collect()
}
