//! Trials of barrier contact: every accepted step is checked for intersections by an independent exact test.
//!
//! ```text
//! cargo run --release -p supple-scene --example contact_trials -- all [--small] [--verbose] [--out FOLDER] [METHOD …]
//! ```
//!
//! Names are mat, rollers, funnel, bullet, folds, hundred, ball, cubes and all. A row is printed for each trial, method and step. With
//! `--out`, the scene file of each run and `trials.csv` are written into that folder; a row replaces the one of an earlier
//! run of the same trial. `--verbose` prints a line for each step, `--trace` also the Newton
//! iterations of its last stage. `supple run` of the scene files writes frames for pictures.

mod scenes;
mod tally;
mod watch;

use std::path::{Path, PathBuf};
use std::time::Instant;

use scene::build::build;
use scene::session::{Flow, Row, Session};
use scene::spec::Source;

use scenes::{Trial, trials};
use tally::{Tallies, cpu_seconds};
use watch::{Findings, Watch};

/// Methods that run if none is named.
const METHODS: [&str; 3] = ["backward-euler", "sdirk2", "tr-bdf2"];

/// Titles of the columns of the table.
const HEADER: &str = "trial,method,step_s,vertices,end_s,steps,rejected,newton_per_stage,contact_steps,newton_per_stage_in_contact,factorizations_per_stage_in_contact,flight_step_ms,contact_step_ms,analyses,least_gap_over_reach,intersections,inside,cpu_s,outcome";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (mut small, mut verbose, mut trace) = (false, false, false);
    let (mut out, mut words) = (None, Vec::new());
    while let Some(word) = arguments.next() {
        match word.as_str() {
            "--small" => small = true,
            "--verbose" => verbose = true,
            "--trace" => (verbose, trace) = (true, true),
            "--out" => out = arguments.next().map(PathBuf::from),
            _ => words.push(word),
        }
    }
    let all = trials(small);
    let is_trial = |w: &String| w == "all" || all.iter().any(|t| t.name == w);
    let (names, methods): (Vec<String>, Vec<String>) = words.into_iter().partition(is_trial);
    if names.is_empty() {
        return Err(
            "name a trial: mat, rollers, funnel, bullet, folds, hundred, ball, cubes or all".into(),
        );
    }
    let methods = match methods.is_empty() {
        true => METHODS.map(String::from).to_vec(),
        false => methods,
    };
    println!("{HEADER}");
    for trial in all.iter() {
        if !names.iter().any(|n| n == "all" || n == trial.name) {
            continue;
        }
        for &step in trial.steps {
            for method in &methods {
                let row = run(trial, method, step, out.as_deref(), [verbose, trace])?;
                println!("{row}");
                if let Some(folder) = &out {
                    keep(&folder.join("trials.csv"), &row)?;
                }
            }
        }
    }
    Ok(())
}

/// Runs a trial and returns its row of the table.
fn run(
    trial: &Trial,
    method: &str,
    step: f64,
    out: Option<&Path>,
    [verbose, trace]: [bool; 2],
) -> Result<String, Box<dyn std::error::Error>> {
    let temporary = std::env::temp_dir().join(format!("contact-trials-{}", std::process::id()));
    let folder = out.unwrap_or(&temporary);
    std::fs::create_dir_all(folder)?;
    for (name, text) in &trial.files {
        std::fs::write(folder.join(name), text)?;
    }
    let file = folder.join(format!("{}-{method}-{}ms.toml", trial.name, 1e3 * step));
    std::fs::write(&file, trial.scene(method, step))?;
    let source = Source::read(&file)?;
    let mut session = build(source.scene()?, &source)?;
    let watch = Watch::new(&session).ok_or("the scene has no contact")?;
    let clock = Instant::now();
    let now = || cpu_seconds().unwrap_or_else(|| clock.elapsed().as_secs_f64());
    let mut result = TrialResult::default();
    let mut since = now();
    let outcome = session.run_until(trial.until, &mut |session, row| {
        let seconds = now() - since;
        result.seconds += seconds;
        result.tallies.add(row.energies.contact, &row.work, seconds);
        let found = watch.check(session);
        result.worst.intersections += found.intersections;
        result.worst.inside += found.inside;
        if verbose {
            print_step(trial.name, row, found);
        }
        if trace {
            print_trace(session);
        }
        since = now();
        Flow::On
    });
    result.outcome = match outcome {
        Ok(_) => "finished".to_string(),
        Err(e) => format!("failed: {e}").replace([',', '\n'], ";"),
    };
    Ok(table_row(trial, method, step, &session, &result))
}

/// What a trial found, besides the totals of its session.
#[derive(Default)]
struct TrialResult {
    tallies: Tallies,
    /// Sum of the findings of all steps.
    worst: Findings,
    /// Processor time of the steps, without the independent checks, s.
    seconds: f64,
    outcome: String,
}

/// Prints a line about a step.
fn print_step(name: &str, row: &Row, found: Findings) {
    let work = &row.work;
    eprintln!(
        "{name} t {:.3} h {:.5} newton {}/{} factorizations {} rejected {} backtracks {} {found:?}",
        row.t, row.h, work.newton, work.stages, work.factorizations, row.rejected, work.backtracks
    );
}

/// Prints the Newton iterations of the last stage of a step.
fn print_trace(session: &Session) {
    for i in &session.time_loop().solver().trace().iterations {
        eprintln!(
            "    residual {:.2e} of {:.2e} N, merit {:.9e} J, {:11} increment {:.2e} m, fraction {:.3}, backtracks {}",
            i.residual,
            i.wanted,
            i.merit,
            i.tangent.name(),
            i.increment,
            i.fraction,
            i.backtracks
        );
    }
}

/// A row of the table.
fn table_row(
    trial: &Trial,
    method: &str,
    step: f64,
    session: &Session,
    result: &TrialResult,
) -> String {
    let totals = session.totals();
    let reach = session
        .contact
        .as_ref()
        .map_or(f64::NAN, |c| c.settings().barrier.reach());
    let gap = totals.contact.least_gap.map_or(1.0, |gap| gap / reach);
    let newton = totals.work.newton as f64 / totals.work.stages.max(1) as f64;
    let Tallies {
        contact, flight, ..
    } = result.tallies;
    format!(
        "{},{method},{step},{},{:.3},{},{},{newton:.2},{},{:.2},{:.2},{:.2},{:.2},{},{gap:.2e},{},{},{:.1},{}",
        trial.name,
        session.model.nodes(),
        session.t(),
        totals.steps,
        totals.rejected,
        contact.steps,
        contact.newton_per_stage(),
        contact.factorizations_per_stage(),
        flight.milliseconds(),
        contact.milliseconds(),
        session.time_loop().solver().analyses(),
        result.worst.intersections,
        result.worst.inside,
        result.seconds,
        result.outcome,
    )
}

/// Adds a row to a table, in place of the row of the same trial, method and step.
fn keep(path: &Path, row: &str) -> std::io::Result<()> {
    let key = |line: &str| {
        line.split(',')
            .take(3)
            .map(String::from)
            .collect::<Vec<_>>()
    };
    let old = std::fs::read_to_string(path).unwrap_or_default();
    let mut lines: Vec<&str> = old.lines().skip(1).filter(|l| key(l) != key(row)).collect();
    lines.push(row);
    lines.sort_unstable();
    std::fs::write(path, format!("{HEADER}\n{}\n", lines.join("\n")))
}
