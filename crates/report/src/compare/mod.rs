//! `index.html` of `supple compare`: table, charts and pictures of all runs.

mod curves;
mod headline;
mod ledger;

use std::fmt::Write;

use base::text::counted;
use chart::{Chart, Escaped, PALETTE};
use comparison::{ComparedRun, Comparison};
use scene::observe::Curves;

use crate::page::{Cell, Table, charts, document, figure, number, picture};
use crate::player::{Playable, embedded};
pub use curves::{REFERENCE_COLOUR, colour_code, shown_steps};

/// Curves and pictures that the page shows beside the numbers of the comparison.
pub struct ComparisonExhibits<'a> {
    /// Energies and counts of the compared runs, in the order of the rows.
    pub curves: Vec<&'a Curves>,
    /// Total energy of the reference over time, if it is known.
    pub reference_energy: Option<Vec<(f64, f64)>>,
    /// Pictures of the runs at one time, s.
    pub pictures: Option<(f64, Vec<Picture>)>,
    /// Motions of the reference and of some runs, at most four.
    pub motions: Vec<Playable>,
}

/// Picture of a run with its caption.
pub struct Picture {
    /// Caption.
    pub caption: String,
    /// `data:image/png;base64,…`.
    pub data: String,
}

/// Returns the complete page.
pub fn page(c: &Comparison, shown: &ComparisonExhibits) -> String {
    let mut body = String::new();
    // Writing to a String cannot fail.
    let _ = heading(&mut body, c);
    body += &headline::headline(c);
    if !shown.motions.is_empty() {
        let field = (shown.motions.len() > 1).then_some("distance");
        body += &format!("<h2>Motion</h2>\n{}", embedded(&shown.motions, field));
    }
    body += &table(c);
    body += &format!("<h2>Cost and accuracy</h2>\n{}", charts(&accuracy(c)));
    let at_steps = |caption: &str, chart: &dyn Fn(f64) -> Chart| {
        let steps = shown_steps(c).into_iter();
        let one = |step| {
            let chart = chart(step);
            figure(
                &chart,
                &format!("{caption}{}", curves::curves_beyond(&chart)),
            )
        };
        let figures: String = steps.map(one).collect();
        charts(&figures)
    };
    let energy = at_steps(
        "Kinetic, elastic, gravitational and contact energy together.",
        &|step| curves::energy(c, shown, step),
    );
    body += &format!("<h2>Energy</h2>\n{energy}");
    let _ = ledger::append_ledger_chart(&mut body, c);
    if shown.curves.iter().any(|c| !c.modes.is_empty()) {
        let modes = at_steps(
            "Mean over the last tenth of the run, by the number of the mode; dotted is the start. The modes are those of the initial state, the lowest first (modes.csv): which frequencies live, and which the integrator kills.",
            &|step| curves::modal_energy(c, shown, step),
        );
        body += &format!("<h2>Modes</h2>\n{modes}");
    }
    let newton = at_steps(
        "Summed over the stages of a step; methods that only solve linear systems take none.",
        &|step| curves::newton(c, shown, step),
    );
    body += &format!("<h2>Newton's method</h2>\n{newton}");
    if let Some((t, pictures)) = &shown.pictures {
        body += &gallery(*t, pictures);
    }
    let title = format!("{}: methods compared", c.info.scene);
    document(&title, &body)
}

/// Returns charts of error against cost and step length, or a sentence if errors are not known.
fn accuracy(c: &Comparison) -> String {
    if let Some(why) = &c.reference.no_frames {
        return format!(
            "<p class=\"bad\">Errors are not known: {}.</p>\n",
            Escaped(why)
        );
    }
    if c.runs.iter().all(|r| r.end_error().is_none()) {
        return "<p class=\"soft\">Errors are not known: there is no reference.</p>\n".into();
    }
    let count = "factorizations + solves";
    let mut out = figure(
        &curves::cost(c, count, ComparedRun::count, |r| r.front_count),
        "Each dot is a run. Counts do not depend on the machine.",
    );
    out += &figure(
        &curves::cost(c, "seconds", |r| r.cost.wall_seconds, |r| r.front_seconds),
        "Wall time instead of counts; the runs shared the machine.",
    );
    if shown_steps(c).len() > 1 {
        out += &figure(&curves::convergence(c), "A line of slope p is order p.");
    }
    for step in shown_steps(c) {
        let chart = curves::error_over_time(c, step);
        let caption =
            "Root of the mean square distance of all nodes from the reference, frame by frame.";
        let caption = format!("{caption}{}", curves::curves_beyond(&chart));
        out += &figure(&chart, &caption);
    }
    out
}

fn heading(out: &mut String, c: &Comparison) -> std::fmt::Result {
    let k = &c.info;
    writeln!(out, "<h1>{}</h1>", Escaped(&k.scene))?;
    let runs = c.runs.len();
    let failed = c.runs.iter().filter(|r| r.reason.is_some()).count();
    write!(
        out,
        "<p class=\"soft\">{} of {} s, {}, {}",
        counted(runs, "run", "runs"),
        k.until,
        counted(k.dofs, "unknown", "unknowns"),
        counted(c.orders.len(), "method", "methods")
    )?;
    if failed > 0 {
        write!(out, "; <span class=\"bad\">{failed} failed</span>")?;
    }
    writeln!(out, ". Supple {}.</p>", k.version)?;
    let mut reference = c.reference.sentence();
    if let Some(first) = reference.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    writeln!(out, "<p class=\"soft\">{}.</p>", Escaped(&reference))
}

fn table(c: &Comparison) -> String {
    let names = [
        "method",
        "step, s",
        "error at end\nRMS, m",
        "error at end\nmax, m",
        "error over frames\nRMS, m",
        "order",
        "Newton\nper step",
        "factor-\nizations",
        "solves",
        "seconds per\nsimulated s",
        "energy at end, J",
        "numerical\ndissipation, J",
    ];
    let mut table = Table::new().headings(&names);
    let mut last = "";
    for row in &c.runs {
        let classes = [
            (row.front_count, "front"),
            (row.method != last, "best"),
            (row.reason.is_some() || !row.warnings.is_empty(), "fails"),
        ];
        let classes: Vec<&str> = classes.iter().filter(|c| c.0).map(|c| c.1).collect();
        last = &row.method;
        table.row_of_class(&classes.join(" "), cells(c, row));
        if let Some(why) = &row.reason {
            let (why, _) = why.split_once(". Frames and").unwrap_or((why, ""));
            let why = Cell::text(format_args!("failed: {why}")).class("bad");
            table.row_of_class("why", [why.over_columns(names.len())]);
        }
        for warning in &row.warnings {
            let warning = Cell::text(format_args!("warning: {warning}")).class("bad");
            table.row_of_class("why", [warning.over_columns(names.len())]);
        }
    }
    format!(
        "<h2>Runs</h2>\n{}<p class=\"soft\">Shaded: no run has a smaller error at the end for as few factorizations and solves. \
         Order: log of the ratio of errors over log of the ratio of steps, from the step above.</p>\n",
        table.html()
    )
}

fn cells(c: &Comparison, row: &ComparedRun) -> Vec<Cell> {
    let d = row.error.as_ref();
    let known = |x: &f64| x.is_finite();
    let maybe = |x: Option<f64>| {
        x.filter(known)
            .map_or("–".to_string(), |x| format!("{x:.2e}"))
    };
    let order = c
        .orders
        .iter()
        .find(|o| o.method == row.method)
        .and_then(|o| {
            let at = o.steps.iter().position(|h| *h == row.step)?;
            *o.observed.get(at.checked_sub(1)?)?
        });
    let finite = |x: f64| match x.is_finite() {
        true => number(x),
        false => "–".into(),
    };
    let method = format!(
        "<span class=\"key\" style=\"background:{}\"></span>{}",
        PALETTE[curves::colour(c, &row.method)],
        Escaped(&row.method)
    );
    let rest = [
        row.step.to_string(),
        maybe(row.end_error()),
        maybe(d.and_then(|d| d.end_max)),
        maybe(d.map(|d| d.rms)),
        order.map_or("–".into(), |p| format!("{p:.2}")),
        format!("{:.2}", row.cost.newton_mean),
        row.cost.factorizations.to_string(),
        row.cost.solves.to_string(),
        number(row.cost.seconds_per_second),
        finite(row.energy.last),
        finite(0.0 - row.ledger.numerical),
    ];
    std::iter::once(Cell::html(method))
        .chain(rest.map(Cell::text))
        .collect()
}

fn gallery(t: f64, pictures: &[Picture]) -> String {
    let figures: String = pictures
        .iter()
        .map(|p| picture(&p.data, &p.caption))
        .collect();
    format!(
        "<h2>The same moment, t = {} s</h2>\n<div class=\"pictures\">\n{figures}</div>\n",
        number(t)
    )
}
