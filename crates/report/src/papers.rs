//! Pages of paper reproductions: `index.html` with plots, and a table in Markdown.

use std::fmt::Write;

use chart::Chart;

use crate::page::{Cell, Table, charts, document, escaped, figure};
use crate::player::{Playable, embedded};

/// Title of both documents.
const TITLE: &str = "The papers, computed again";

/// Result of a paper with its claims, our findings and the verdict.
pub struct PaperResult<'a> {
    /// Id on the command line.
    pub id: &'a str,
    /// One-line description.
    pub title: &'a str,
    /// Problem size: "quick" or "full".
    pub size: &'a str,
    /// Wall time, s.
    pub seconds: f64,
    /// "reproduced", "partly" or "not".
    pub verdict: &'a str,
    /// The paper's claims.
    pub claims: Vec<ClaimRow<'a>>,
    /// Plots.
    pub charts: Vec<&'a Chart>,
    /// Names and values of parameters.
    pub parameters: &'a [(String, String)],
    /// Choices where the paper gives no value or a wrong one, as sentences.
    pub choices: &'a [String],
    /// Motions of the result's scene.
    pub motions: Option<&'a Motions>,
}

/// The scene of a result in motion, under one to four integrators.
pub struct Motions {
    /// What is played, as a sentence.
    pub words: String,
    /// The motions with their curves.
    pub runs: Vec<Playable>,
}

/// Claim of a paper and whether it holds.
pub struct ClaimRow<'a> {
    /// Id, unique within the result.
    pub id: &'a str,
    /// Statement of the paper.
    pub says: &'a str,
    /// Our numbers, as a sentence.
    pub found: &'a str,
    /// Thresholds that the numbers are compared with.
    pub threshold: String,
    /// Whether every number is on the right side of its threshold.
    pub holds: bool,
}

/// Returns the HTML page of all results with plots.
pub fn page(results: &[PaperResult]) -> String {
    let mut table = Table::of_sentences().headings(&["result", "what it is", "verdict"]);
    for r in results {
        let link = format!("<a href=\"#{0}\">{0}</a>", r.id);
        let verdict = Cell::text(r.verdict).class(r.verdict);
        table.row([Cell::html(link), Cell::text(r.title), verdict]);
    }
    let sections: String = results.iter().map(section).collect();
    let body = format!(
        "<h1>{TITLE}</h1>\n{}{}{sections}",
        counts(results),
        table.html()
    );
    document(TITLE, &body)
}

/// Returns how many results have each verdict.
fn counts(results: &[PaperResult]) -> String {
    let mut names: Vec<&str> = vec!["reproduced"];
    for r in results {
        if !names.contains(&r.verdict) {
            names.push(r.verdict);
        }
    }
    let one = |name: &&str| {
        let count = results.iter().filter(|r| r.verdict == *name).count();
        format!("<span class=\"{name}\"><b>{count}</b> {name}</span>\n")
    };
    let counts: String = names.iter().map(one).collect();
    format!("<div class=\"verdicts\">\n{counts}</div>\n")
}

fn section(r: &PaperResult) -> String {
    let mut out = format!(
        "<section>\n<h2 id=\"{0}\" class=\"head\">{0} <em class=\"{4}\">{4}</em></h2>\n<p class=\"soft\">{1} ({2}, {3:.1} s)</p>\n",
        r.id,
        escaped(r.title),
        r.size,
        r.seconds,
        r.verdict,
    );
    let names = ["claim", "the paper says", "found", "threshold", ""];
    let mut table = Table::of_sentences().headings(&names);
    for c in &r.claims {
        let mark = if c.holds { "yes" } else { "no" };
        let words = [c.id, c.says, c.found, &c.threshold].map(Cell::text);
        table.row(words.into_iter().chain([Cell::text(mark).class(mark)]));
    }
    out += &table.html();
    if let Some(Motions { words, runs }) = r.motions {
        out += &embedded(runs, None);
        out += &format!("<p class=\"soft\">{}</p>\n", escaped(words));
    }
    if !r.charts.is_empty() {
        let plots: String = r.charts.iter().map(|c| figure(c, "")).collect();
        out += &charts(&plots);
    }
    let parameters = r.parameters.iter().map(|(k, v)| format!("{k}: {v}"));
    out += &list("Parameters", parameters);
    out + &list("Our choices", r.choices.iter().cloned()) + "</section>\n"
}

fn list(heading: &str, items: impl ExactSizeIterator<Item = String>) -> String {
    if items.len() == 0 {
        return String::new();
    }
    let items: String = items
        .map(|item| format!("<li>{}</li>\n", escaped(&item)))
        .collect();
    format!("<h3>{heading}</h3>\n<ul>\n{items}</ul>\n")
}

/// Returns the Markdown table of claims and verdicts.
pub fn markdown(results: &[PaperResult]) -> String {
    let mut out = format!(
        "# {TITLE}\n\n\
         Written by `supple paper all -o out/papers` (with `--quick` where a row says quick) as `papers.md`; plots, tables and\n\
         parameters of each result stand beside it in a folder of its name, and all of it in `index.html`.\n\n\
         | result | what it is | size | verdict |\n|---|---|---|---|\n",
    );
    for r in results {
        let verdict = match r.verdict {
            "reproduced" => r.verdict.to_string(),
            other => format!("**{other}**"),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(out, "| {} | {} | {} | {verdict} |", r.id, r.title, r.size);
    }
    for r in results {
        let _ = write!(out, "\n## {}\n\n{}.\n\n", r.id, r.title);
        claims(&mut out, r);
    }
    out
}

fn claims(out: &mut String, result: &PaperResult) {
    out.push_str("| claim | the paper says | found | threshold | holds |\n|---|---|---|---|---|\n");
    let bar = |text: &str| text.replace('|', "\\|");
    for c in &result.claims {
        let holds = if c.holds { "yes" } else { "**no**" };
        let [says, found, threshold] = [c.says, c.found, &c.threshold].map(bar);
        let id = c.id;
        let _ = writeln!(out, "| {id} | {says} | {found} | {threshold} | {holds} |");
    }
    if !result.choices.is_empty() {
        let _ = write!(out, "\n{}\n", result.choices.join(" "));
    }
}
