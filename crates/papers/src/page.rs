//! Results for people: a page that opens without a network, and a table in Markdown.

use std::fmt::Write;

use crate::write::Done;
use crate::{Finding, Verdict};

const STYLE: &str = "body{font:16px/1.5 Helvetica,Arial,sans-serif;color:#22262b;max-width:60rem;margin:2rem auto;padding:0 1rem}\
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #e4e7eb;padding:.3rem .6rem;text-align:left;vertical-align:top}\
.reproduced,.yes{color:#1a7f37}.partly{color:#9a6700}.not,.no{color:#b42318}svg{max-width:40rem;display:block;margin:1rem 0}";

/// All results on one page, plots included.
pub fn page(done: &[Done]) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = whole(&mut out, done);
    out
}

fn whole(out: &mut String, done: &[Done]) -> std::fmt::Result {
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>The papers, computed again</title><style>{STYLE}</style></head><body>\n<h1>The papers, computed again</h1>\n<table><tr><th>result</th><th>what it is</th><th>verdict</th></tr>\n"
    )?;
    for d in done {
        let (id, verdict) = (d.reproduction.id, d.finding.verdict().name());
        writeln!(
            out,
            "<tr><td><a href=\"#{id}\">{id}</a></td><td>{}</td><td class=\"{verdict}\">{verdict}</td></tr>",
            escaped(d.reproduction.title)
        )?;
    }
    out.push_str("</table>\n");
    for d in done {
        section(out, d)?;
    }
    out.push_str("</body></html>\n");
    Ok(())
}

fn section(out: &mut String, d: &Done) -> std::fmt::Result {
    let id = d.reproduction.id;
    writeln!(
        out,
        "<h2 id=\"{id}\">{id}</h2>\n<p>{} ({}, {:.1} s)</p>\n<table><tr><th>claim</th><th>the paper says</th><th>found</th><th>threshold</th><th></th></tr>",
        escaped(d.reproduction.title),
        d.size.name(),
        d.seconds
    )?;
    for c in &d.finding.claims {
        let mark = if c.holds() { "yes" } else { "no" };
        writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"{mark}\">{mark}</td></tr>",
            escaped(&c.id),
            escaped(&c.says),
            escaped(&c.found),
            escaped(&c.threshold())
        )?;
    }
    out.push_str("</table>\n");
    for (_, chart) in &d.finding.charts {
        writeln!(out, "{}", chart.inline())?;
    }
    list(
        out,
        "Parameters",
        d.finding
            .parameters
            .iter()
            .map(|(k, v)| format!("{k}: {v}")),
    )?;
    list(out, "Our choices", d.finding.choices.iter().cloned())
}

fn list(
    out: &mut String,
    heading: &str,
    items: impl ExactSizeIterator<Item = String>,
) -> std::fmt::Result {
    if items.len() == 0 {
        return Ok(());
    }
    writeln!(out, "<h3>{heading}</h3>\n<ul>")?;
    for item in items {
        writeln!(out, "<li>{}</li>", escaped(&item))?;
    }
    writeln!(out, "</ul>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// The table of claims and verdicts.
pub fn markdown(done: &[Done]) -> String {
    let mut out = String::from(
        "# The papers, computed again\n\n\
         Written by `supple paper all -o out/papers` (with `--quick` where a row says quick) as `papers.md`; plots, tables and\n\
         parameters of each result stand beside it in a folder of its name, and all of it in `index.html`.\n\n\
         | result | what it is | size | verdict |\n|---|---|---|---|\n",
    );
    for d in done {
        let verdict = d.finding.verdict();
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            d.reproduction.id,
            d.reproduction.title,
            d.size.name(),
            emphasis(verdict)
        );
    }
    for d in done {
        let _ = write!(
            out,
            "\n## {}\n\n{}.\n\n",
            d.reproduction.id, d.reproduction.title
        );
        claims(&mut out, &d.finding);
    }
    out
}

fn emphasis(verdict: Verdict) -> String {
    match verdict {
        Verdict::Reproduced => verdict.name().into(),
        other => format!("**{}**", other.name()),
    }
}

fn claims(out: &mut String, finding: &Finding) {
    out.push_str("| claim | the paper says | found | threshold | holds |\n|---|---|---|---|---|\n");
    let bar = |text: &str| text.replace('|', "\\|");
    for c in &finding.claims {
        let holds = if c.holds() { "yes" } else { "**no**" };
        let [says, found, threshold] = [&c.says, &c.found, &c.threshold()].map(|t| bar(t));
        let id = &c.id;
        let _ = writeln!(out, "| {id} | {says} | {found} | {threshold} | {holds} |");
    }
    if !finding.choices.is_empty() {
        let _ = write!(out, "\n{}\n", finding.choices.join(" "));
    }
}
