//! Bar chart of the energy ledger of each run.

use std::fmt::{self, Write};

use chart::{Escaped, PALETTE};
use comparison::{ComparedRun, Comparison};
use march::ledger::shown_channels;

use crate::page::number;

/// Width of the chart, px.
const WIDTH: f64 = 1000.0;
/// Width of the column of names, px.
const NAMES: f64 = 250.0;
/// Height of a row, px.
const ROW: f64 = 24.0;
/// Height of the legend, px.
const TOP: f64 = 34.0;

/// Appends the section with the bar chart.
pub fn append_ledger_chart(out: &mut String, c: &Comparison) -> fmt::Result {
    let rows: Vec<&ComparedRun> = c.runs.iter().collect();
    let reach = |row: &ComparedRun| {
        let parts = shown_channels().into_iter();
        let amounts: Vec<f64> = parts.map(|(c, _)| (c.of)(&row.ledger)).collect();
        let sum = |sign: f64| amounts.iter().map(|a| (sign * a).max(0.0)).sum::<f64>();
        [sum(-1.0), sum(1.0)]
    };
    // A run that blew up must not shrink the bars of the others to nothing.
    let calm = rows.iter().filter(|r| r.reason.is_none());
    let mut reaches: Vec<f64> = calm.map(|r| reach(r)[0].max(reach(r)[1])).collect();
    reaches.sort_by(f64::total_cmp);
    let usual = reaches.get(reaches.len() / 2).copied().unwrap_or(0.0);
    let kept = |x: f64| x.min(20.0 * usual);
    let [left, right] = rows
        .iter()
        .filter(|r| r.reason.is_none())
        .fold([0.0_f64; 2], |m, r| {
            let [down, up] = reach(r);
            [m[0].max(kept(down)), m[1].max(kept(up))]
        });
    writeln!(out, "<h2>Where the energy went</h2>")?;
    if left + right <= 0.0 {
        return writeln!(out, "<p class=\"soft\">No energy was gained or lost.</p>");
    }
    // The numbers are to the right of the bars.
    let scale = (WIDTH - NAMES - 150.0) / (left + right);
    let zero = NAMES + scale * left;
    let height = TOP + ROW * rows.len() as f64 + 6.0;
    writeln!(
        out,
        "<figure><svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"Where the energy went\" font-size=\"13\" fill=\"#22262b\">"
    )?;
    legend(out, &rows)?;
    for (k, row) in rows.iter().enumerate() {
        let y = TOP + ROW * k as f64;
        bar(out, row, y, [-left, right], |x: f64| zero + scale * x)?;
    }
    let end = height - 4.0;
    writeln!(
        out,
        "<path d=\"M{zero:.1} {:.1}V{end:.1}\" stroke=\"#22262b\"/></svg><figcaption>Energy removed (left) and added (right) over the whole run, in joules. The number is the numerical dissipation or gain of the \
         integrator; it is zero for a perfect integrator. Bars longer than twenty times the median are clipped, marked by a white zigzag.</figcaption></figure>",
        TOP - 4.0
    )
}

/// Appends the legend.
fn legend(out: &mut String, rows: &[&ComparedRun]) -> fmt::Result {
    let mut x = NAMES;
    for (channel, shown) in shown_channels() {
        let name = channel.title;
        if rows.iter().all(|r| (channel.of)(&r.ledger) == 0.0) {
            continue;
        }
        writeln!(
            out,
            "<rect x=\"{x}\" y=\"6\" width=\"12\" height=\"12\" rx=\"2\" fill=\"{}\"/><text x=\"{}\" y=\"16.5\">{name}</text>",
            PALETTE[shown.colour],
            x + 18.0
        )?;
        x += 44.0 + 7.0 * name.len() as f64;
    }
    Ok(())
}

/// Appends the bars of one run, clipped to the limits.
fn bar(
    out: &mut String,
    row: &ComparedRun,
    y: f64,
    limits: [f64; 2],
    place: impl Fn(f64) -> f64,
) -> fmt::Result {
    let [low, high] = limits;
    let text = y + 0.5 * ROW + 4.5;
    writeln!(
        out,
        "<text x=\"0\" y=\"{text:.1}\">{} <tspan fill=\"#5d656f\">at {} s{}</tspan></text>",
        Escaped(&row.method),
        row.step,
        if row.reason.is_some() { ", failed" } else { "" }
    )?;
    // The ledger of a run that blew up means nothing.
    if row.reason.is_some() {
        return Ok(());
    }
    let mut ends = [0.0_f64; 2];
    for (channel, shown) in shown_channels() {
        let amount = (channel.of)(&row.ledger);
        if !amount.is_finite() || amount == 0.0 {
            continue;
        }
        let end = &mut ends[usize::from(amount > 0.0)];
        let [a, b] = [*end, *end + amount].map(|x| place(x.clamp(low, high)));
        *end += amount;
        if (b - a).abs() >= 0.05 {
            writeln!(
                out,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\"/>",
                a.min(b),
                y + 4.0,
                (b - a).abs(),
                ROW - 8.0,
                PALETTE[shown.colour]
            )?;
        }
    }
    for (end, limit, inward) in [(ends[0], low, 8.0), (ends[1], high, -8.0)] {
        if end.abs() > limit.abs() * (1.0 + 1e-9) {
            let x = place(limit) + inward;
            writeln!(
                out,
                "<path d=\"M{x:.1} {:.1}l4 6l-8 6l4 6\" fill=\"none\" stroke=\"#fff\" stroke-width=\"3\"/>",
                y + 3.0
            )?;
        }
    }
    writeln!(
        out,
        "<text x=\"{WIDTH}\" y=\"{text:.1}\" text-anchor=\"end\" fill=\"#5d656f\">{} J</text>",
        number(row.ledger.numerical)
    )
}
