//! A run of a scene with the independent checks, and its row of the table.

use std::io;
use std::path::Path;
use std::time::Instant;

use scene::build::build;
use scene::run::{ResultsWriter, Status};
use scene::session::{Flow, Row, Session};
use scene::spec::Source;

use crate::tally::{Tallies, cpu_seconds};
use crate::watch::{Findings, Watch};

/// Titles of the columns of the table.
pub const HEADER: &str = "trial,method,step_s,vertices,end_s,steps,rejected,newton_per_stage,contact_steps,newton_per_stage_in_contact,factorizations_per_stage_in_contact,flight_step_ms,contact_step_ms,analyses,least_gap_over_reach,intersections,inside,end_speed_m_s,cpu_s,outcome";

/// Processor time after which the row of a run that goes on is kept again, s.
const KEEP_AFTER: f64 = 20.0;

/// What is printed besides the rows.
#[derive(Clone, Copy, Default)]
pub struct Detail {
    /// A line for each step.
    pub steps: bool,
    /// The Newton iterations of the last stage of each step.
    pub iterations: bool,
}

/// A session with what was found so far.
pub struct Run {
    name: String,
    session: Session,
    watch: Watch,
    found: Found,
    results: Option<ResultsWriter>,
}

/// What a run found, besides the totals of its session.
#[derive(Default)]
struct Found {
    tallies: Tallies,
    /// Sum of the findings of all steps.
    worst: Findings,
    /// Processor time of the steps, without the independent checks, s.
    seconds: f64,
}

impl Run {
    /// Builds the session of a scene.
    pub fn new(name: &str, source: &Source) -> Result<Run, Box<dyn std::error::Error>> {
        let session = build(source.scene()?, source)?;
        let watch = Watch::new(&session).ok_or("the scene has no contact")?;
        Ok(Run {
            name: name.into(),
            session,
            watch,
            found: Found::default(),
            results: None,
        })
    }

    /// Name of the trial with its method and step.
    pub fn title(&self) -> String {
        let step = 1e3 * self.session.scene.time.nominal_step();
        format!("{}-{}-{step}ms", self.name, self.session.method.name())
    }

    /// Writes tables and frames into a folder, as `supple run` does.
    pub fn write_results(&mut self, out: &Path) -> io::Result<()> {
        self.results = Some(ResultsWriter::open(&mut self.session, out)?);
        Ok(())
    }

    /// Runs to the end and returns the row of the table. `keep` gets the row up to then from time to time.
    pub fn finish(
        self,
        detail: Detail,
        keep: &dyn Fn(&str) -> io::Result<()>,
    ) -> io::Result<String> {
        let Run {
            name,
            mut session,
            watch,
            mut found,
            results,
        } = self;
        let clock = Instant::now();
        let now = || cpu_seconds().unwrap_or_else(|| clock.elapsed().as_secs_f64());
        let (mut since, mut kept) = (now(), 0.0);
        let mut written = Ok(());
        let until = session.scene.time.until;
        let outcome = session.run_until(until, &mut |session, row| {
            let seconds = now() - since;
            found.seconds += seconds;
            found.tallies.add(row.energies.contact, &row.work, seconds);
            let here = watch.check(session);
            found.worst.intersections += here.intersections;
            found.worst.inside += here.inside;
            if detail.steps {
                print_step(&name, row, here);
            }
            if detail.iterations {
                print_trace(session);
            }
            if found.seconds > kept + KEEP_AFTER {
                kept = found.seconds;
                written = keep(&table_row(&name, session, &found, "not finished"));
            }
            since = now();
            match written {
                Ok(()) => Flow::On,
                Err(_) => Flow::Stop,
            }
        });
        written?;
        if let Some(results) = results {
            let status = match outcome {
                Ok(_) => Status::Finished,
                Err(_) => Status::Failed,
            };
            results.close(&mut session, status)?;
        }
        let outcome = match outcome {
            Ok(_) => "finished".to_string(),
            Err(e) => format!("failed: {e}").replace([',', '\n'], ";"),
        };
        Ok(table_row(&name, &mut session, &found, &outcome))
    }
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
fn table_row(name: &str, session: &mut Session, found: &Found, outcome: &str) -> String {
    let velocities = session.velocities();
    let speed = velocities.iter().map(|v| v.iter().map(|x| x * x).sum());
    let speed = speed.fold(0.0f64, f64::max).sqrt();
    let totals = session.totals();
    let reach = session
        .contact
        .as_ref()
        .map_or(f64::NAN, |c| c.settings().barrier.reach());
    let gap = totals.contact.least_gap.map_or(1.0, |gap| gap / reach);
    let newton = totals.work.newton as f64 / totals.work.stages.max(1) as f64;
    let Tallies {
        contact, flight, ..
    } = found.tallies;
    let [in_contact, with_factors] = [
        contact.newton_per_stage(),
        contact.factorizations_per_stage(),
    ];
    let [flight_ms, contact_ms] = [flight.milliseconds(), contact.milliseconds()];
    format!(
        "{name},{},{},{},{:.3},{},{},{newton:.2},{},{},{},{},{},{},{gap:.2e},{},{},{speed:.2e},{:.1},{outcome}",
        session.method.name(),
        session.scene.time.nominal_step(),
        session.model.nodes(),
        session.t(),
        totals.steps,
        totals.rejected,
        contact.steps,
        shown(in_contact),
        shown(with_factors),
        shown(flight_ms),
        shown(contact_ms),
        session.time_loop().solver().analyses(),
        found.worst.intersections,
        found.worst.inside,
        found.seconds,
    )
}

/// A mean, or nothing if it is one of no steps.
fn shown(mean: f64) -> String {
    match mean.is_finite() {
        true => format!("{mean:.2}"),
        false => String::new(),
    }
}

/// Adds a row to a table, in place of the row of the same trial, method and step.
pub fn keep(path: &Path, row: &str) -> io::Result<()> {
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
