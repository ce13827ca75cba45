//! Section of `report.html` about statics: load–displacement curve, stability, reactions, warnings.

use std::io;
use std::path::Path;

use chart::{Axis, Chart, Escaped, Series};
use scene::run::StaticsReport;
use scene::table::Table as Columns;

use crate::page::{Cell, Table, charts, figure, number};

/// Returns the section of a static run, with the curves of `steps.csv` and `probes.csv`.
pub(super) fn section(statics: &StaticsReport, steps: &Columns, out: &Path) -> io::Result<String> {
    let mut html = format!(
        "<h2>Statics</h2>\n<p>{}.</p>\n",
        Escaped(&capitalised(&statics.to_string()))
    );
    for warning in statics.warnings() {
        html += &format!("<p class=\"bad\">Warning: {}.</p>\n", Escaped(&warning));
    }
    let mut curves = vec![Series::line(
        "largest displacement",
        steps.points("displacement", "load"),
    )];
    let probes = out.join("probes.csv");
    if probes.exists() {
        let table = Columns::read(&probes).map_err(io::Error::other)?;
        let names = probe_names(&probes)?;
        curves.extend(names.iter().enumerate().map(|(k, name)| {
            let points = displacements(&table, name).zip(steps.column("load").iter().copied());
            Series::line(name, points.collect()).colour(k + 1)
        }));
    }
    let shown = [
        (
            chart(
                "Load and displacement",
                "displacement, m",
                "load factor",
                curves,
            ),
            "Load factor over the largest displacement of a node, and over the displacements of the probes.",
        ),
        (
            chart(
                "Residual",
                "load factor",
                "relative to the forces",
                vec![Series::line("residual", steps.points("load", "residual"))],
            ),
            "Norm of the forces that do not balance at each equilibrium.",
        ),
        (
            chart(
                "Stability",
                "load factor",
                "negative pivots",
                vec![Series::line(
                    "negative pivots",
                    finite(steps.points("load", "negative_pivots")),
                )],
            ),
            "Negative pivots of the tangent stiffness: 0 where the equilibrium is stable.",
        ),
    ];
    let figures: String = shown.iter().map(|(c, words)| figure(c, words)).collect();
    html += &charts(&figures);
    if !statics.reactions.is_empty() {
        html += &reactions(statics);
    }
    Ok(html)
}

fn reactions(statics: &StaticsReport) -> String {
    let mut table = Table::new();
    let head = ["support", "fx", "fy", "fz", "mx", "my", "mz"];
    table.row(head.map(Cell::text));
    for r in &statics.reactions {
        let numbers = [r.force, r.moment].concat();
        let words: Vec<String> = numbers.iter().map(|x| number(*x)).collect();
        let cells = std::iter::once(r.name.as_str()).chain(words.iter().map(String::as_str));
        table.row(cells.map(Cell::text));
    }
    format!(
        "<h3>Reactions</h3>\n<p>Force (N) and moment about the origin (N m) that each support exerts on its body.</p>\n{}",
        table.html()
    )
}

/// Distances of a probe from its first position.
fn displacements<'a>(table: &'a Columns, name: &str) -> impl Iterator<Item = f64> + 'a {
    let [x, y, z] = ["x", "y", "z"].map(|k| table.column(&format!("{name}.{k}")));
    (0..x.len()).map(move |i| {
        let square: f64 = [x, y, z].iter().map(|c| (c[i] - c[0]).powi(2)).sum();
        square.sqrt()
    })
}

/// Names of the probes, from the header of their table.
fn probe_names(path: &Path) -> io::Result<Vec<String>> {
    let text = std::fs::read_to_string(path)?;
    let header = text.lines().next().unwrap_or_default();
    let names = header.split(',').filter_map(|c| c.strip_suffix(".x"));
    Ok(names.map(String::from).collect())
}

fn finite(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.into_iter().filter(|p| p.1.is_finite()).collect()
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().collect::<String>() + letters.as_str()
    })
}

fn chart(title: &str, x: &str, y: &str, series: Vec<Series>) -> Chart {
    Chart {
        title: title.into(),
        x: Axis::linear(x),
        y: Axis::linear(y),
        series,
    }
}
