//! [Ascher et al. 2021, Fig. 3]: numerical damping d/ω = −2 ln ρ/(hω) of q̈ + ω²q = 0 against hω, and the frequency
//! error, measured by stepping.

use certify::ModeResponse;
use certify::modes::mode_response;
use chart::{Axis, Chart, Series};

use crate::check::{above, below, condition, near, within};
use crate::scenes::stepper;
use crate::{Finding, Job, PaperError, Table};

/// The methods, and d/ω at hω = 1 from their stability functions.
const METHODS: [(&str, f64); 5] = [
    ("backward-euler", 0.6931),
    ("bdf2", 0.1380),
    ("tr-bdf2-bathe", 0.0059),
    ("tr-bdf2", 0.0063),
    ("sdirk2", 0.0063),
];

/// Computes the damping curves and checks the claims of the paper against them.
pub fn compute(_job: &Job) -> Result<Finding, PaperError> {
    let mut finding = Finding::default();
    finding.parameter("hw", "0.01 to 1000, 20 per decade");
    finding.choice("The \"SDIRK\" of the paper is TR-BDF2 with gamma = 2 - sqrt 2 (eq. 9; docs/references.md, E10), listed here as tr-bdf2. Alexander's SDIRK2 has the same stability function.");
    let mut curves: Vec<Vec<ModeResponse>> = Vec::new();
    for (name, _) in METHODS {
        let mut stepper = stepper(name)?;
        let at = |k: i32| 10.0_f64.powf(f64::from(k) / 20.0);
        let curve = (-40..=60).map(|k| mode_response(stepper.as_mut(), at(k)));
        curves.push(
            curve
                .collect::<Result<_, _>>()
                .map_err(PaperError::from_step(name))?,
        );
    }
    let names = || METHODS.iter().map(|m| m.0);
    for (file, value) in [
        ("damping", (|m| m.damping) as fn(&ModeResponse) -> f64),
        ("dispersion", |m| m.frequency_error),
    ] {
        let mut table = Table::new(file, std::iter::once("hw").chain(names()));
        for k in 0..curves[0].len() {
            let values = curves.iter().map(|c| value(&c[k]));
            table.row(std::iter::once(curves[0][k].hw).chain(values));
        }
        finding.tables.push(table);
    }
    let chart = |title: &str, y: Axis, value: fn(&ModeResponse) -> f64| Chart {
        title: title.into(),
        x: Axis::log("step × angular frequency hω"),
        y,
        series: names()
            .zip(&curves)
            .map(|(name, c)| Series::line(name, c.iter().map(|m| (m.hw, value(m))).collect()))
            .collect(),
    };
    finding.plot(
        "damping",
        chart("Numerical damping", Axis::linear("d/ω"), |m| m.damping),
    );
    finding.plot(
        "dispersion",
        chart("Frequency error", Axis::linear("relative error"), |m| {
            m.frequency_error
        }),
    );
    claims(&mut finding, &curves);
    Ok(finding)
}

/// Returns d/ω at an hω of the curve.
fn at(c: &[ModeResponse], hw: f64) -> f64 {
    c.iter()
        .find(|m| (m.hw / hw - 1.0).abs() < 1e-9)
        .map_or(f64::NAN, |m| m.damping)
}

fn claims(finding: &mut Finding, curves: &[Vec<ModeResponse>]) {
    for ((name, wanted), c) in METHODS.iter().zip(curves) {
        let found = at(c, 1.0);
        finding.claim(
            format!("damping-{name}"),
            format!("d/w of {name} at hw = 1 is {wanted:.4}"),
            format!("{found:.6}"),
            near(found, *wanted, 0.5e-4).of("d/w"),
        );
    }
    let [euler, bdf2, bathe, tr, sdirk2] = curves else {
        return;
    };
    let difference = tr
        .iter()
        .zip(sdirk2)
        .map(|(a, b)| (a.damping - b.damping).abs())
        .fold(0.0, f64::max);
    finding.claim(
        "one-stability-function",
        "TR-BDF2(2 - sqrt 2) and SDIRK2 have the same stability function (docs/references.md, E10)",
        format!("d/w differs by at most {difference:.1e}"),
        below(difference, 1e-7).of("difference"),
    );
    let off = bathe
        .iter()
        .zip(tr)
        .map(|(a, b)| (a.damping - b.damping).abs())
        .fold(0.0, f64::max);
    let most = tr.iter().map(|m| m.damping).fold(0.0, f64::max);
    finding.claim(
"dirk-curves-close",
        "the two DIRK curves are close to each other, TR-BDF2 damping slightly less",
        format!(
            "they differ by at most {off:.3}, with a largest value of {most:.3}; {:.4} against {:.4} at hw = 1",
            at(bathe, 1.0),
            at(tr, 1.0)
        ), [below(off / most, 0.25).of("difference relative to the largest value"), below(at(bathe, 1.0) / at(tr, 1.0), 1.0).of("ratio at hw = 1")],
);
    against_bdf2(finding, euler, bdf2, tr);
}

/// Adds the claims on the curve of BDF2.
fn against_bdf2(
    finding: &mut Finding,
    euler: &[ModeResponse],
    bdf2: &[ModeResponse],
    tr: &[ModeResponse],
) {
    let far = [100.0, 1000.0];
    let less = far.iter().all(|hw| at(bdf2, *hw) < at(tr, *hw));
    finding.claim(
        "bdf2-against-tr-bdf2",
        "BDF2 damps significantly more around hw = 1 and less when hw >> 1",
        format!(
            "{:.1} times at 1; {:.4} against {:.4} at 100",
            at(bdf2, 1.0) / at(tr, 1.0),
            at(bdf2, 100.0),
            at(tr, 100.0)
        ),
        [
            above(at(bdf2, 1.0) / at(tr, 1.0), 3.0).of("ratio at hw = 1"),
            condition(less, "less at hw = 100 and 1000"),
        ],
    );
    let peak = |c: &[ModeResponse]| c.iter().map(|m| m.damping).fold(0.0, f64::max);
    let ratio = peak(euler) / peak(bdf2);
    finding.claim(
        "euler-twice-bdf2",
        "the backward Euler curve has the shape of BDF2's, roughly twice as large",
        format!(
            "largest values {:.3} and {:.3}, ratio {ratio:.2}",
            peak(euler),
            peak(bdf2)
        ),
        within(ratio, 1.5, 2.6).of("ratio of largest values"),
    );
}
