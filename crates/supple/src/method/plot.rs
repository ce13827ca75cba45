//! The curves of 003 Fig. 3 for one method, with backward Euler for comparison.

use std::fmt::Write;

use march::analysis::{Certificate, Mode, certificate::curve};
use march::{Newton, Parameters, Stepper, find};

/// Picture size and the frame of the first panel, px.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 664.0;
const LEFT: f64 = 78.0;
const RIGHT: f64 = 24.0;
const PANEL: f64 = 226.0;
const TOPS: [f64; 2] = [92.0, 372.0];
/// Range of hω, powers of ten.
const DECADES: [f64; 2] = [-1.3, 3.0];
const POINTS: i32 = 172;
const INK: &str = "#22262b";
const SOFT: &str = "#68707a";
const GRID: &str = "#e4e7eb";
const METHOD: &str = "#1f5fa8";
const OTHER: &str = "#c2703d";

/// One panel: what is drawn over hω.
struct Panel {
    top: f64,
    title: &'static str,
    range: [f64; 2],
    step: f64,
    value: fn(&Mode) -> f64,
    unit: &'static str,
}

impl Panel {
    fn y(&self, value: f64) -> f64 {
        let [low, high] = self.range;
        // Far outside is as good as infinitely far: keep the numbers short and the slope right.
        let value = value.clamp(low - 10.0 * (high - low), high + 10.0 * (high - low));
        self.top + PANEL * (high - value) / (high - low)
    }
}

fn x(hw: f64) -> f64 {
    let [low, high] = DECADES;
    LEFT + (WIDTH - LEFT - RIGHT) * (hw.log10() - low) / (high - low)
}

/// An SVG picture of a certificate.
pub fn svg(c: &Certificate, stepper: &mut dyn Stepper) -> anyhow::Result<String> {
    let [low, high] = DECADES;
    let at = |k: i32| 10.0_f64.powf(low + (high - low) * f64::from(k) / f64::from(POINTS));
    let samples: Vec<f64> = (0..=POINTS).map(at).collect();
    let mine = curve(stepper, &samples)?;
    let mut euler = find("backward-euler")?.stepper(&Parameters::default(), Newton::Minimise)?;
    let theirs = curve(euler.as_mut(), &samples)?;
    let panels = panels(&mine);
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = draw(&mut out, c, &panels, &mine, &theirs);
    Ok(out)
}

fn panels(mine: &[Mode]) -> [Panel; 2] {
    let gains = mine.iter().any(|m| m.d < -0.01);
    let fast = mine.iter().any(|m| m.e > 0.005);
    [
        Panel {
            top: TOPS[0],
            title: "numerical damping d/ω",
            range: [if gains { -0.8 } else { -0.04 }, 0.88],
            step: 0.2,
            value: |m| m.d,
            unit: "",
        },
        Panel {
            top: TOPS[1],
            title: "frequency error",
            range: [-105.0, if fast { 55.0 } else { 5.0 }],
            step: 25.0,
            value: |m| 100.0 * m.e,
            unit: " %",
        },
    ]
}

fn draw(
    out: &mut String,
    c: &Certificate,
    panels: &[Panel],
    mine: &[Mode],
    theirs: &[Mode],
) -> std::fmt::Result {
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-family="Helvetica, Arial, DejaVu Sans, sans-serif" font-size="13" fill="{INK}">"#
    )?;
    writeln!(
        out,
        r##"<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>"##
    )?;
    writeln!(
        out,
        r#"<text x="{LEFT}" y="30" font-size="19" font-weight="bold">{}</text>"#,
        c.name
    )?;
    writeln!(
        out,
        r#"<text x="{LEFT}" y="50" fill="{SOFT}">{}</text>"#,
        subtitle(c)
    )?;
    for (number, panel) in panels.iter().enumerate() {
        frame(out, panel, number)?;
        let drawn = theirs_differ(mine, theirs);
        if drawn {
            line(
                out,
                panel,
                number,
                theirs,
                OTHER,
                r#" stroke-dasharray="6 4" stroke-width="1.6""#,
            )?;
        }
        line(out, panel, number, mine, METHOD, r#" stroke-width="2.6""#)?;
        legend(out, panel, c, drawn)?;
    }
    let middle = 0.5 * (LEFT + WIDTH - RIGHT);
    let foot = TOPS[1] + PANEL + 42.0;
    writeln!(
        out,
        r#"<text x="{middle}" y="{foot}" text-anchor="middle">step × angular frequency hω</text>"#
    )?;
    writeln!(out, "</svg>")
}

fn subtitle(c: &Certificate) -> String {
    let s = &c.stability;
    let stable = match (s.l_stable, s.a_stable, s.limit) {
        (true, ..) => "L-stable".to_string(),
        (_, true, _) => format!("A-stable, |R(∞)| = {:.3}", s.r_inf.unwrap_or(1.0)),
        (.., Some(limit)) if limit > 0.0 => format!("stable up to hω = {limit:.3}"),
        _ => "vibrations grow at any step".to_string(),
    };
    let order = c.order.nonlinear.map_or("-".into(), |p| format!("{p:.2}"));
    format!("order {order} measured, {stable}; one step of q̈ + ω²q = 0, by stepping")
}

fn theirs_differ(mine: &[Mode], theirs: &[Mode]) -> bool {
    mine.len() != theirs.len()
        || mine
            .iter()
            .zip(theirs)
            .any(|(a, b)| (a.d - b.d).abs() > 1e-9)
}

fn frame(out: &mut String, panel: &Panel, number: usize) -> std::fmt::Result {
    let (top, bottom, right) = (panel.top, panel.top + PANEL, WIDTH - RIGHT);
    let width = right - LEFT;
    writeln!(
        out,
        r#"<clipPath id="panel{number}"><rect x="{LEFT}" y="{top}" width="{width}" height="{PANEL}"/></clipPath>"#
    )?;
    for decade in -1..=3 {
        let x = x(10.0_f64.powi(decade));
        writeln!(out, r#"<path d="M{x:.1} {top}V{bottom}" stroke="{GRID}"/>"#)?;
        let y = bottom + 18.0;
        let label = 10.0_f64.powi(decade);
        writeln!(
            out,
            r#"<text x="{x:.1}" y="{y}" text-anchor="middle" fill="{SOFT}">{label}</text>"#
        )?;
    }
    let [low, high] = panel.range.map(|r| r / panel.step);
    for k in low.ceil() as i32..=high.floor() as i32 {
        let value = f64::from(k) * panel.step;
        let y = panel.y(value);
        let stroke = if k == 0 { SOFT } else { GRID };
        writeln!(
            out,
            r#"<path d="M{LEFT} {y:.1}H{right}" stroke="{stroke}"/>"#
        )?;
        let digits = usize::from(panel.step < 1.0);
        let (x, y) = (LEFT - 8.0, y + 4.5);
        writeln!(
            out,
            r#"<text x="{x}" y="{y:.1}" text-anchor="end" fill="{SOFT}">{value:.digits$}{}</text>"#,
            panel.unit
        )?;
    }
    writeln!(
        out,
        r#"<rect x="{LEFT}" y="{top}" width="{width}" height="{PANEL}" fill="none" stroke="{SOFT}"/>"#
    )?;
    let title = top - 8.0;
    writeln!(
        out,
        r#"<text x="{LEFT}" y="{title}" font-weight="bold">{}</text>"#,
        panel.title
    )
}

fn line(
    out: &mut String,
    panel: &Panel,
    number: usize,
    modes: &[Mode],
    colour: &str,
    style: &str,
) -> std::fmt::Result {
    write!(
        out,
        r#"<polyline clip-path="url(#panel{number})" fill="none" stroke="{colour}"{style} points=""#
    )?;
    for mode in modes {
        write!(
            out,
            "{:.1},{:.1} ",
            x(mode.hw),
            panel.y((panel.value)(mode))
        )?;
    }
    writeln!(out, r#""/>"#)
}

/// Names beside short strokes, at the right end of the title line.
fn legend(out: &mut String, panel: &Panel, c: &Certificate, both: bool) -> std::fmt::Result {
    let y = panel.top - 12.0;
    let text = y + 4.0;
    let right = WIDTH - RIGHT;
    let mut entry = |end: f64, name: &str, colour: &str, style: &str| {
        // Letters of this size are about 7 px wide.
        let start = end - 7.0 * name.chars().count() as f64;
        let (from, to) = (start - 34.0, start - 6.0);
        writeln!(
            out,
            r#"<path d="M{from} {y}H{to}" stroke="{colour}"{style}/>"#
        )?;
        writeln!(out, r#"<text x="{start}" y="{text}">{name}</text>"#)?;
        Ok(from - 14.0)
    };
    let end = if both {
        entry(
            right,
            "backward-euler",
            OTHER,
            r#" stroke-dasharray="6 4" stroke-width="1.6""#,
        )?
    } else {
        right
    };
    entry(end, &c.name, METHOD, r#" stroke-width="2.6""#).map(|_| ())
}
