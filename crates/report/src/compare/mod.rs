//! `index.html` of `supple compare`: runs side by side.

mod charts;
mod ledger;

use std::fmt::Write;

use chart::{Escaped, PALETTE};
use scene::compare::{ComparedRun, Comparison};
use scene::observe::Curves;

use crate::page::{document, figure, number};
pub use charts::shown_steps;

/// What the page shows beside the numbers of the comparison.
pub struct Exhibits<'a> {
    /// Energies and counts of the compared runs, in the order of the rows.
    pub curves: Vec<&'a Curves>,
    /// Total energy of the reference over time, if it is known.
    pub reference_energy: Option<Vec<(f64, f64)>>,
    /// Pictures of the runs at one time, s.
    pub pictures: Option<(f64, Vec<Picture>)>,
}

/// A picture and what it shows.
pub struct Picture {
    /// Words below it.
    pub caption: String,
    /// `data:image/png;base64,…`.
    pub data: String,
}

/// The whole page.
pub fn page(c: &Comparison, shown: &Exhibits) -> String {
    let mut body = String::new();
    // Writing to a String cannot fail.
    let _ = heading(&mut body, c);
    let _ = table(&mut body, c);
    body.push_str("<h2>Cost and accuracy</h2>\n<div class=\"charts\">\n");
    if c.runs.iter().any(|r| r.end_error().is_some()) {
        let count = "factorizations + solves";
        body.push_str(&figure(
            &charts::cost(c, count, ComparedRun::count, |r| r.front_count),
            "Each dot is a run. Counts are the same on every machine.",
        ));
        body.push_str(&figure(
            &charts::cost(c, "seconds", |r| r.cost.wall_seconds, |r| r.front_seconds),
            "The same by the clock; runs shared the machine.",
        ));
        if charts::shown_steps(c).len() > 1 {
            body.push_str(&figure(
                &charts::convergence(c),
                "A line of slope p is order p.",
            ));
        }
        for step in charts::shown_steps(c) {
            body.push_str(&figure(
                &charts::error_over_time(c, step),
                "Root of the mean square distance of all nodes from the reference, frame by frame.",
            ));
        }
    } else {
        body.push_str("<p class=\"soft\">Errors are not known: there is no reference.</p>\n");
    }
    body.push_str("</div>\n<h2>Energy</h2>\n<div class=\"charts\">\n");
    for step in charts::shown_steps(c) {
        body.push_str(&figure(
            &charts::energy(c, shown, step),
            "Kinetic, elastic, gravitational and contact energy together.",
        ));
    }
    body.push_str("</div>\n");
    let _ = ledger::split(&mut body, c);
    body.push_str("<h2>Newton's method</h2>\n<div class=\"charts\">\n");
    for step in charts::shown_steps(c) {
        body.push_str(&figure(
            &charts::newton(c, shown, step),
            "Summed over the stages of a step; methods that only solve linear systems take none.",
        ));
    }
    body.push_str("</div>\n");
    if let Some((t, pictures)) = &shown.pictures {
        let _ = gallery(&mut body, *t, pictures);
    }
    let title = format!("{}: methods compared", c.info.scene);
    document(&title, &body)
}

fn heading(out: &mut String, c: &Comparison) -> std::fmt::Result {
    let k = &c.info;
    writeln!(out, "<h1>{}</h1>", Escaped(&k.scene))?;
    let runs = c.runs.len();
    let failed = c.runs.iter().filter(|r| r.reason.is_some()).count();
    write!(
        out,
        "<p class=\"soft\">{runs} runs of {} s, {} unknowns, {} methods",
        k.until,
        k.dofs,
        c.orders.len()
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

fn table(out: &mut String, c: &Comparison) -> std::fmt::Result {
    writeln!(
        out,
        "<h2>Runs</h2>\n<div class=\"scroll\"><table>\n<tr><th>method</th><th>step, s</th><th>error at end<br>RMS, m</th>\
         <th>error at end<br>max, m</th><th>error over frames<br>RMS, m</th><th>order</th><th>Newton<br>a step</th>\
         <th>factor-<br>izations</th><th>solves</th><th>seconds per<br>simulated s</th><th>energy at end, J</th>\
         <th>taken by the<br>integrator, J</th></tr>"
    )?;
    let mut last = "";
    for row in &c.runs {
        let mut classes = Vec::new();
        if row.front_count {
            classes.push("front");
        }
        if row.method != last {
            classes.push("best");
        }
        if row.reason.is_some() {
            classes.push("fails");
        }
        last = &row.method;
        writeln!(
            out,
            "<tr class=\"{}\">{}</tr>",
            classes.join(" "),
            cells(c, row)
        )?;
        if let Some(why) = &row.reason {
            let (why, _) = why.split_once(". Frames and").unwrap_or((why, ""));
            writeln!(
                out,
                "<tr class=\"why\"><td class=\"bad\" colspan=\"12\">failed: {}</td></tr>",
                Escaped(why)
            )?;
        }
    }
    writeln!(
        out,
        "</table></div>\n<p class=\"soft\">Shaded: no run has a smaller error at the end for as few factorizations and solves. \
         Order: log of the ratio of errors over log of the ratio of steps, from the step above.</p>"
    )
}

fn cells(c: &Comparison, row: &ComparedRun) -> String {
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
    format!(
        "<td><span class=\"key\" style=\"background:{}\"></span>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
         <td>{:.2}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>",
        PALETTE[charts::colour(c, &row.method)],
        Escaped(&row.method),
        row.step,
        maybe(row.end_error()),
        maybe(d.and_then(|d| d.end_max)),
        maybe(d.map(|d| d.rms)),
        order.map_or("–".into(), |p| format!("{p:.2}")),
        row.cost.newton_mean,
        row.cost.factorizations,
        row.cost.solves,
        number(row.cost.seconds_per_second),
        finite(row.energy.last),
        finite(0.0 - row.ledger.numerical),
    )
}

fn gallery(out: &mut String, t: f64, pictures: &[Picture]) -> std::fmt::Result {
    writeln!(
        out,
        "<h2>The same moment, t = {} s</h2>\n<div class=\"pictures\">",
        number(t)
    )?;
    for picture in pictures {
        let caption = Escaped(&picture.caption);
        writeln!(
            out,
            "<figure><img alt=\"{caption}\" src=\"{}\"><figcaption>{caption}</figcaption></figure>",
            picture.data
        )?;
    }
    writeln!(out, "</div>")
}
