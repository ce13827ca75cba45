//! The headline of a comparison: how much of the available energy each integrator lost or added.

use chart::{Escaped, PALETTE};
use comparison::{ComparedRun, Comparison};

use super::curves::{colour, shown_steps};

/// Largest length of a bar, in percent of the available energy; longer ones end in an arrow.
const LONGEST: f64 = 100.0;

/// Returns bars for the runs with the longest step, the largest loss first.
pub fn headline(c: &Comparison) -> String {
    let Some(step) = shown_steps(c).first().copied() else {
        return String::new();
    };
    let known = |r: &&ComparedRun| r.step == step && r.reason.is_none();
    let runs = c.runs.iter().filter(known);
    let mut runs: Vec<(&ComparedRun, f64)> = runs
        .filter_map(|r| Some((r, r.integrator_percent?)))
        .collect();
    // Positive percentages are losses.
    runs.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (Some((worst, percent)), Some(_)) = (runs.first(), runs.get(1)) else {
        return String::new();
    };
    let sentence = match *percent > 0.005 {
        true => format!(
            "At a step of {step} s, {} loses {} of the available energy.",
            Escaped(&worst.method),
            share(*percent)
        ),
        false => format!("At a step of {step} s, no method loses energy of its own."),
    };
    let longest = runs
        .iter()
        .map(|r| r.1.abs())
        .fold(1e-9, f64::max)
        .min(LONGEST);
    let bar = |(run, percent): &(&ComparedRun, f64)| {
        let width = (100.0 * percent.abs() / longest).min(100.0);
        let beyond = if percent.abs() > longest { " ▸" } else { "" };
        let what = match *percent {
            p if p.abs() < 0.005 => "keeps its energy".to_string(),
            p if p > 0.0 => format!("loses {}{beyond}", share(p)),
            p => format!("gains {}{beyond}", share(p)),
        };
        format!(
            "<div><span>{}</span><i><b style=\"width:{width:.1}%;background:{}\"></b></i><em>{what}</em></div>\n",
            Escaped(&run.method),
            PALETTE[colour(c, &run.method)],
        )
    };
    let bars: String = runs.iter().map(bar).collect();
    format!("<p class=\"headline\">{sentence}</p>\n<div class=\"bars\">\n{bars}</div>\n")
}

fn share(percent: f64) -> String {
    match percent.abs() {
        size if size < 1.0 => format!("{size:.2} %"),
        size if size < 1e4 => format!("{size:.0} %"),
        size => format!("{size:.1e} %"),
    }
}
