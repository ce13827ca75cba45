//! `report.html` of a run: the numbers of `report.json`, charts of the tables, and a player of the motion.

mod control;
mod statics;

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use chart::{Axis, Chart, Escaped, Series};
use march::ledger::shown_channels;
use scene::observe::{Curves, FilmRecorder};
use scene::run::{Flow, Progress, Report, RunError, RunOptions, RunOutcome, Status};
use scene::session::Session;
use scene::table::Table as Columns;
use serde_json::Value;

use crate::modal_energy;
use crate::page::{Cell, Table, charts, document, figure, number};
use crate::player::{self, Playable};

/// Title of the chart of step lengths.
const STEP_LENGTHS: &str = "Step";

/// Runs a session to the end of its scene and writes its files and its page. `watch` is called at the start and after
/// every step; it can stop the run.
pub fn run(
    session: &mut Session,
    options: &RunOptions,
    watch: &mut dyn FnMut(&Progress) -> Flow,
) -> Result<Report, RunError> {
    let RunOutcome {
        report, failure, ..
    } = attempt(session, options, watch)?;
    failure.map_or(Ok(report), Err)
}

/// Runs a session like [`run`], but returns the report also if a step failed.
pub fn attempt(
    session: &mut Session,
    options: &RunOptions,
    watch: &mut dyn FnMut(&Progress) -> Flow,
) -> Result<RunOutcome, RunError> {
    let finished = scene::run::attempt(session, options, watch)?;
    let RunOutcome {
        report,
        curves,
        film,
        ..
    } = &finished;
    write(report, curves, film.as_ref(), &options.out)?;
    Ok(finished)
}

/// Writes the page of a run atomically.
///
/// A resumed run gives the same page as an uninterrupted one, except for wall-clock times and the number of threads.
pub fn write(
    report: &Report,
    curves: &Curves,
    film: Option<&FilmRecorder>,
    out: &Path,
) -> io::Result<()> {
    let control = match &report.control {
        Some(control) => control::section(control, out)?,
        None => String::new(),
    };
    let statics = match &report.statics {
        Some(statics) => statics::section(statics, &curves.steps, out)?,
        None => String::new(),
    };
    let page = page(report, curves, film, &[statics, control].concat());
    let path = out.join("report.html");
    base::file::write(&path, page.as_bytes()).map_err(|why| {
        let what = format!("{}: the page cannot be written: {why}", path.display());
        io::Error::new(why.kind(), what)
    })
}

/// Returns the page; `sections` are those of statics or step control.
fn page(report: &Report, curves: &Curves, film: Option<&FilmRecorder>, sections: &str) -> String {
    let mut body = String::new();
    // Writing to a String cannot fail.
    let _ = heading(&mut body, report);
    let _ = motion(&mut body, report, curves, film);
    let mut shown = curve_charts(&curves.steps, &curves.ledger);
    // Step control has a chart of its own, with the attempts that were rejected.
    shown.retain(|(chart, _)| chart.title != STEP_LENGTHS || report.control.is_none());
    let mut figures: String = shown.iter().map(|(c, words)| figure(c, words)).collect();
    if let Some((chart, caption)) = modal_energy::over_time(&curves.modes) {
        figures += &figure(&chart, &caption);
    }
    body += &format!("<h2>Curves</h2>\n{}", charts(&figures));
    body.push_str(sections);
    let mut numbers = Table::new();
    let all = serde_json::to_value(report).unwrap_or_default();
    rows(&mut numbers, "", &all);
    body += &format!("<h2>All numbers</h2>\n{}", numbers.html());
    document(&report.scene, &body)
}

fn heading(out: &mut String, report: &Report) -> std::fmt::Result {
    writeln!(out, "<h1>{}</h1>", Escaped(&report.scene))?;
    let class = if report.status == Status::Failed {
        "bad"
    } else {
        "soft"
    };
    writeln!(
        out,
        "<p class=\"{class}\">{} at t = {} s under {}{}</p>",
        report.status.name(),
        number(report.t),
        Escaped(&report.method),
        report
            .error
            .as_ref()
            .map_or(".".into(), |why| format!(": {}", Escaped(why)))
    )?;
    for warning in &report.warnings {
        writeln!(
            out,
            "<p class=\"warning\">Warning: {}.</p>",
            Escaped(warning)
        )?;
    }
    writeln!(out, "<div class=\"numbers\">")?;
    let e = &report.energy;
    let mut entry = |value: String, name: &str| {
        writeln!(
            out,
            "<div><b>{}</b><span>{name}</span></div>",
            Escaped(&value)
        )
    };
    entry(report.dofs.to_string(), "unknowns")?;
    entry(report.steps.to_string(), "steps")?;
    entry(number(report.newton_mean), "Newton iterations per step")?;
    entry(report.factorizations.to_string(), "factorizations")?;
    entry(format!("{} J", number(e.initial)), "energy at the start")?;
    entry(format!("{} J", number(e.last)), "energy at the end")?;
    if let Some(statics) = &report.statics {
        entry(number(statics.load), "load factor")?;
        entry(number(statics.largest_residual), "largest residual")?;
        return writeln!(out, "</div>");
    }
    let share = report.integrator_share();
    entry(format!("{} J", number(share.joules)), share.name)?;
    match share.percent {
        Some(Some(percent)) => entry(percent, &format!("{} of the available energy", share.name))?,
        Some(None) => entry(
            "0 %".into(),
            "numerical dissipation or gain of the available energy",
        )?,
        None => {}
    }
    if let Some(contact) = &report.contact {
        match contact.least_gap_over_reach {
            Some(share) => entry(number(share), "least gap over reach of the contact")?,
            None => entry("none".into(), "contacts")?,
        }
    }
    writeln!(out, "</div>")
}

/// Appends the player, or the reason why there is none.
fn motion(
    out: &mut String,
    report: &Report,
    curves: &Curves,
    film: Option<&FilmRecorder>,
) -> std::fmt::Result {
    writeln!(out, "<h2>Motion</h2>")?;
    let Some(recorder) = film else {
        return writeln!(
            out,
            "<p class=\"soft\">This run was resumed without its earlier frames in the format \"vtu\", so there is no motion to play.</p>"
        );
    };
    let Some(film) = recorder.film() else {
        return writeln!(
            out,
            "<p class=\"soft\">The surface is too large to be played in a page; `supple render` makes a video of it.</p>"
        );
    };
    let playable = Playable {
        name: String::new(),
        method: report.method.clone(),
        film,
        curves: player::curves(&curves.steps, &curves.ledger),
        colour: None,
    };
    writeln!(out, "{}", player::embedded(&[playable], None))
}

/// Returns charts of the tables with captions. Series that are zero throughout are omitted.
fn curve_charts(steps: &Columns, ledger: &Columns) -> Vec<(Chart, &'static str)> {
    let some = |points: &[(f64, f64)]| points.iter().any(|p| p.1 != 0.0);
    let lines = |list: Vec<(&str, Vec<(f64, f64)>)>| -> Vec<Series> {
        let drawn = list.into_iter().enumerate().filter(|(_, (_, p))| some(p));
        drawn
            .map(|(k, (name, p))| Series::line(name, p).colour(k))
            .collect()
    };
    let of = |name: &str| steps.points("t", name);
    let chart = |title: &str, y: &str, series: Vec<Series>| Chart {
        title: title.into(),
        x: Axis::linear("time, s"),
        y: Axis::linear(y),
        series,
    };
    let energies = ["kinetic", "elastic", "gravity", "contact", "", "", "total"];
    let energies = energies.map(|n| (n, of(n))).to_vec();
    let booked = shown_channels()
        .into_iter()
        .map(|(channel, shown)| (channel, shown, ledger.cumulative(channel.name)))
        .filter(|(_, _, points)| some(points))
        .map(|(channel, shown, points)| Series::line(channel.title, points).colour(shown.colour))
        .collect();
    let momenta = |names: [&'static str; 3]| lines(names.map(|n| (n, of(n))).to_vec());
    // The first row is the start, not a step.
    let counts = ["newton", "factorizations", "solves"];
    let counts = counts.map(|n| (n, of(n).split_off(1))).to_vec();
    let most = counts.iter().flat_map(|(_, p)| p.iter().map(|p| p.1));
    let most = most.fold(1.0, f64::max) * 1.1;
    let lengths = of("h").split_off(1);
    let varies = lengths.windows(2).any(|p| p[0].1 != p[1].1);
    let lengths = if varies { lengths } else { Vec::new() };
    let steps = chart(STEP_LENGTHS, "length, s", lines(vec![("step", lengths)]));
    let mut work = chart("Work of a step", "count", lines(counts));
    work.y.range = Some([0.0, most]);
    let all = vec![
        (
            chart("Energy", "energy, J", lines(energies)),
            "Kinetic, elastic, gravitational, contact, and their sum.",
        ),
        (
            chart(
                "Where the energy went",
                "energy given since the start, J",
                booked,
            ),
            "Cumulative ledger: energy added (above zero) or removed (below zero) since the start.",
        ),
        (
            chart(
                "Momentum",
                "linear momentum, kg m/s",
                momenta(["px", "py", "pz"]),
            ),
            "Of all nodes.",
        ),
        (
            chart(
                "Angular momentum",
                "about the origin, kg m²/s",
                momenta(["lx", "ly", "lz"]),
            ),
            "Of all nodes, about the origin.",
        ),
        (steps, "Length of each step."),
        (
            work,
            "Newton iterations, factorizations and solves of each step.",
        ),
    ];
    all.into_iter()
        .filter(|(c, _)| !c.series.is_empty())
        .collect()
}

/// Adds the numbers of the report, one row each, under their names in `report.json`.
fn rows(table: &mut Table, name: &str, value: &Value) {
    let text = match value {
        Value::Object(map) => {
            for (key, value) in map {
                match name {
                    "" => rows(table, key, value),
                    above => rows(table, &format!("{above}.{key}"), value),
                }
            }
            return;
        }
        Value::Array(list) => {
            let list: Vec<String> = list.iter().map(Value::to_string).collect();
            list.join(", ")
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    table.row([name, &text].map(Cell::text));
}
