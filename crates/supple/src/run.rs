//! `supple run`: runs a scene with a progress bar and prints a summary.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use base::text::counted;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use scene::run::CHECKPOINT;
use supple::{Flow, Progress, Report, RunError, RunOptions, Session, Status};

use crate::Outcome;
use crate::cli::{RunArgs, parse_settings, print_error, print_line, print_note, print_warning};

/// Whether Ctrl-C was pressed.
static STOP: AtomicBool = AtomicBool::new(false);

/// Largest number of threads that `--threads` accepts.
const MAX_THREADS: usize = 1024;

/// Runs a scene and prints its progress and summary.
pub fn run(args: RunArgs) -> anyhow::Result<Outcome> {
    check_thread_count(args.threads)?;
    let mut set = parse_settings(&args.set)?;
    set.extend(
        args.method
            .iter()
            .map(|m| ("time.method".to_string(), m.clone())),
    );
    set.extend(
        args.step
            .iter()
            .map(|h| ("time.step".to_string(), toml_number(*h))),
    );
    set.extend(
        args.until
            .iter()
            .map(|t| ("time.until".to_string(), toml_number(*t))),
    );
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.unwrap_or(0))
        .build()
        .context("the threads could not be started")?;
    let mut simulation = match args.statics {
        true => open_static(&args, &set)?,
        false => supple::open(&args.scene, &set)?,
    };
    if !args.quiet {
        simulation
            .notices
            .iter()
            .for_each(|n| print_note(format_args!("note: {n}")));
        simulation
            .warnings
            .iter()
            .for_each(|w| print_note(format_args!("warning: {w}")));
    }
    let out = args.out.clone().unwrap_or_else(|| default_out(&args.scene));
    let options = RunOptions {
        out,
        resume: args.resume.clone(),
    };
    install_interrupt_handler()?;
    let bar = progress_bar(&simulation, args.quiet);
    let result = pool.install(|| {
        supple::run(&mut simulation, &options, &mut |progress| {
            update_bar(&bar, progress);
            interrupt_flow()
        })
    });
    bar.finish_and_clear();
    match result {
        Ok(report) => {
            if !args.quiet {
                print_summary(&report, &options.out)?;
            }
            if report.status == Status::Interrupted {
                print_note(format_args!(
                    "stopped at t = {:.6} s; resume with\n  {}",
                    report.t,
                    resume_command(&args, &options.out)
                ));
                return Ok(Outcome::Interrupted);
            }
            Ok(Outcome::Success)
        }
        Err(error @ RunError::Checkpoint(_)) => Err(error.into()),
        Err(error) => {
            print_error(&error.into());
            Ok(Outcome::Failed)
        }
    }
}

/// Opens a scene for `--static`; says which of its keys have no effect in statics and are left out.
fn open_static(args: &RunArgs, set: &[(String, String)]) -> anyhow::Result<Session> {
    let (simulation, unused) = supple::open_static(&args.scene, set)?;
    if !args.quiet && !unused.is_empty() {
        let keys = unused.join(", ");
        print_note(format_args!("note: --static leaves out {keys}"));
    }
    Ok(simulation)
}

/// Refuses `--threads 0` and more than [`MAX_THREADS`] threads.
pub fn check_thread_count(threads: Option<usize>) -> anyhow::Result<()> {
    match threads {
        Some(0) => bail!("--threads 0: at least one thread is needed"),
        Some(n) if n > MAX_THREADS => {
            bail!("--threads {n}: at most {MAX_THREADS}; leave the option out to use all cores")
        }
        _ => Ok(()),
    }
}

/// Makes Ctrl-C request a stop after the current step. A second Ctrl-C ends the program at once.
pub fn install_interrupt_handler() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    })
    .context("Ctrl-C could not be caught")
}

/// Returns [`Flow::Stop`] once Ctrl-C was pressed, [`Flow::On`] before.
pub fn interrupt_flow() -> Flow {
    if STOP.load(Ordering::SeqCst) {
        Flow::Stop
    } else {
        Flow::On
    }
}

/// Returns the default output folder, `out/<scene name>`.
fn default_out(scene: &Path) -> PathBuf {
    Path::new("out").join(scene.file_stem().unwrap_or_default())
}

fn progress_bar(simulation: &Session, quiet: bool) -> ProgressBar {
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

fn update_bar(bar: &ProgressBar, p: &Progress) {
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

fn print_summary(report: &Report, out: &Path) -> anyhow::Result<()> {
    let seconds = report.wall_seconds;
    print_line(format_args!(
        "{}: {}, {} to t = {:.4} s in {seconds:.2} s ({:.2} Newton iterations per step, {})",
        report.method,
        counted(report.dofs, "unknown", "unknowns"),
        counted(report.steps, "step", "steps"),
        report.t,
        report.newton_mean,
        counted(report.factorizations, "factorization", "factorizations")
    ))?;
    if let Some(statics) = &report.statics {
        print_line(format_args!("statics: {statics}"))?;
        for warning in statics.warnings() {
            print_line(format_args!("warning: {warning}"))?;
        }
    }
    if let Some(control) = &report.control {
        print_line(format_args!("{}: {control}", control.kind))?;
    }
    let e = &report.energy;
    print_line(format_args!(
        "energy: {:.6e} J at the start, {:.6e} J at the end",
        e.initial, e.last
    ))?;
    let l = &report.ledger;
    if report.statics.is_some() {
        print_line(format_args!(
            "ledger: work of loads and supports {:.4e} J, error of its quadrature {:.4e} J",
            l.work,
            l.numerical.abs()
        ))?;
        return print_frames(report, out);
    }
    print_ledger(report)?;
    print_frames(report, out)
}

/// Prints the sums of the ledger, and the share of the integrator.
fn print_ledger(report: &Report) -> anyhow::Result<()> {
    let (l, e) = (&report.ledger, &report.energy);
    let share = report.integrator_share();
    let numerical = share.name;
    // 0 − x: avoids printing −0.
    let rarer = [
        ("lost by friction", 0.0 - l.friction),
        ("lost by fracture", 0.0 - l.fracture),
        ("changed by contact", l.contact),
    ];
    let rarer = rarer.iter().filter(|(_, joules)| *joules != 0.0);
    let rarer: String = rarer
        .map(|(what, joules)| format!("{what} {joules:.4e} J, "))
        .collect();
    let parts = match l.residual.abs() > (1e-3 * l.numerical.abs()).max(1e-6 * e.initial.abs()) {
        true => format!(
            " (integrator {:.4e} J, unconverged iterations {:.4e} J)",
            l.numerical, l.residual
        ),
        false => String::new(),
    };
    print_line(format_args!(
        "ledger: external work {:.4e} J, dissipated by damping {:.4e} J, {rarer}{numerical} {:.4e} J{parts}",
        l.work,
        0.0 - l.damping,
        share.joules
    ))?;
    match share.percent {
        Some(Some(percent)) => print_line(format_args!(
            "{numerical}: {percent} of the available energy"
        ))?,
        Some(None) => print_line(format_args!(
            "{numerical}: less than 0.005 % of the available energy"
        ))?,
        None => {}
    }
    Ok(())
}

/// Prints where the frames are, and then the warnings.
fn print_frames(report: &Report, out: &Path) -> anyhow::Result<()> {
    let frames = counted(report.frames, "frame", "frames");
    match out.join("series.pvd") {
        series if series.exists() => print_line(format_args!("{frames} in {}", series.display()))?,
        _ => print_line(format_args!("{frames} in {}", out.display()))?,
    }
    // Last, where they are seen.
    report.warnings.iter().try_for_each(print_warning)
}

/// Returns the shell command that resumes this run from its checkpoint.
fn resume_command(args: &RunArgs, out: &Path) -> String {
    let mut words = vec![
        "supple".to_string(),
        "run".into(),
        args.scene.display().to_string(),
    ];
    let mut option = |name: &str, value: String| words.extend([name.to_string(), value]);
    option("-o", out.display().to_string());
    option("--resume", out.join(CHECKPOINT).display().to_string());
    if args.statics {
        words.push("--static".into());
    }
    let mut option = |name: &str, value: String| words.extend([name.to_string(), value]);
    args.method
        .iter()
        .for_each(|m| option("--method", m.clone()));
    args.step
        .iter()
        .for_each(|h| option("--step", toml_number(*h)));
    args.until
        .iter()
        .for_each(|t| option("--until", toml_number(*t)));
    args.set.iter().for_each(|s| option("--set", s.clone()));
    args.threads
        .iter()
        .for_each(|n| option("--threads", n.to_string()));
    if args.quiet {
        words.push("--quiet".into());
    }
    words
        .iter()
        .map(|w| shell_quoted(w))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Quotes an argument for a POSIX shell if it needs quotes.
fn shell_quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=+:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Formats a number as TOML.
pub fn toml_number(x: f64) -> String {
    if x.is_nan() {
        "nan".into()
    } else {
        format!("{x:?}")
    }
}
