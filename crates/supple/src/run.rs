//! `supple run`.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use scene::run::CHECKPOINT;
use supple::{Flow, Progress, Report, RunError, RunOptions, Session, Status};

use crate::Outcome;
use crate::cli::{RunArgs, complain, say, settings, tell};

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// More threads than any machine has cores.
const MOST_THREADS: usize = 1024;

/// Runs a scene.
pub fn run(args: RunArgs) -> anyhow::Result<Outcome> {
    check_threads(args.threads)?;
    let mut set = settings(&args.set)?;
    set.extend(
        args.method
            .iter()
            .map(|m| ("time.method".to_string(), m.clone())),
    );
    set.extend(
        args.step
            .iter()
            .map(|h| ("time.step".to_string(), number(*h))),
    );
    set.extend(
        args.until
            .iter()
            .map(|t| ("time.until".to_string(), number(*t))),
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
            .for_each(|n| tell(format_args!("note: {n}")));
    }
    let out = args.out.clone().unwrap_or_else(|| default_out(&args.scene));
    let options = RunOptions {
        out,
        resume: args.resume.clone(),
    };
    catch_stop()?;
    let bar = bar(&simulation, args.quiet);
    let result = pool.install(|| {
        supple::run(&mut simulation, &options, &mut |progress| {
            show(&bar, progress);
            flow()
        })
    });
    bar.finish_and_clear();
    match result {
        Ok(report) => {
            if !args.quiet {
                summary(&report, &options.out)?;
            }
            if report.status == Status::Interrupted {
                tell(format_args!(
                    "stopped at t = {:.6} s; go on with\n  {}",
                    report.t,
                    resumption(&args, &options.out)
                ));
                return Ok(Outcome::Interrupted);
            }
            Ok(Outcome::Fine)
        }
        Err(error @ RunError::Checkpoint(_)) => Err(error.into()),
        Err(error) => {
            complain(&error.into());
            Ok(Outcome::Failed)
        }
    }
}

/// Refuses numbers of threads that cannot be meant.
pub fn check_threads(threads: Option<usize>) -> anyhow::Result<()> {
    match threads {
        Some(0) => bail!("--threads 0: at least one thread is needed"),
        Some(n) if n > MOST_THREADS => {
            bail!("--threads {n}: at most {MOST_THREADS}; all cores are used without it")
        }
        _ => Ok(()),
    }
}

/// Lets Ctrl-C ask for an end; a second one, while the step finishes, ends the program as usual.
pub fn catch_stop() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    })
    .context("Ctrl-C could not be caught")
}

/// What runs should do: stop once Ctrl-C was pressed.
pub fn flow() -> Flow {
    if STOP.load(Ordering::SeqCst) {
        Flow::Stop
    } else {
        Flow::On
    }
}

/// `out/<scene name>`.
fn default_out(scene: &Path) -> PathBuf {
    Path::new("out").join(scene.file_stem().unwrap_or_default())
}

fn bar(simulation: &Session, quiet: bool) -> ProgressBar {
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

fn summary(report: &Report, out: &Path) -> anyhow::Result<()> {
    let seconds = report.wall_seconds;
    say(format_args!(
        "{}: {} unknowns, {} steps to t = {:.4} s in {seconds:.2} s ({:.2} Newton iterations a step, {} factorizations)",
        report.method,
        report.dofs,
        report.steps,
        report.t,
        report.newton_mean,
        report.factorizations
    ))?;
    if let Some(control) = &report.control {
        say(format_args!("{}: {control}", control.kind))?;
    }
    let e = &report.energy;
    say(format_args!(
        "energy: {:.6e} J at the start, {:.6e} J at the end",
        e.initial, e.last
    ))?;
    let l = &report.ledger;
    let share = report.integrator_share();
    let doing = share.verb;
    // 0 − damping: no minus sign before nothing.
    say(format_args!(
        "ledger: the outside worked {:.4e} J, damping took {:.4e} J, the integrator itself {doing} {:.4e} J",
        l.work,
        0.0 - l.damping,
        share.joules
    ))?;
    match share.percent {
        Some(Some(percent)) => say(format_args!(
            "the integrator itself {doing} {percent} of the energy"
        ))?,
        Some(None) => say("the integrator itself left the energy alone")?,
        None => {}
    }
    if report.lagged_damping > 0 {
        say(format_args!(
            "warning: the damping of {} stages did not settle and is that of positions nearby; shorter steps or damping.rate = \"frozen\" avoid it",
            report.lagged_damping
        ))?;
    }
    match out.join("series.pvd") {
        series if series.exists() => say(format_args!(
            "{} frames in {}",
            report.frames,
            series.display()
        )),
        _ => say(format_args!(
            "{} frames in {}",
            report.frames,
            out.display()
        )),
    }
}

/// The command that goes on from where this one was stopped, ready to paste into a shell.
fn resumption(args: &RunArgs, out: &Path) -> String {
    let mut words = vec![
        "supple".to_string(),
        "run".into(),
        args.scene.display().to_string(),
    ];
    let mut option = |name: &str, value: String| words.extend([name.to_string(), value]);
    option("-o", out.display().to_string());
    option("--resume", out.join(CHECKPOINT).display().to_string());
    args.method
        .iter()
        .for_each(|m| option("--method", m.clone()));
    args.step.iter().for_each(|h| option("--step", number(*h)));
    args.until
        .iter()
        .for_each(|t| option("--until", number(*t)));
    args.set.iter().for_each(|s| option("--set", s.clone()));
    args.threads
        .iter()
        .for_each(|n| option("--threads", n.to_string()));
    if args.quiet {
        words.push("--quiet".into());
    }
    words
        .iter()
        .map(|w| quoted(w))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A word as a shell takes it for one.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=+:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A number as TOML writes it.
pub fn number(x: f64) -> String {
    if x.is_nan() {
        "nan".into()
    } else {
        format!("{x:?}")
    }
}
