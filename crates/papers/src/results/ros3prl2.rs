//! ROS3PRL2, with which the authors "were not able to obtain stable results" [Löschner et al. 2020, sec. 5.2].
//!
//! [Löschner et al. 2020, eq. 12] lacks ∂f/∂u before γ_ii Δt (v̂ + Σ c_ij/Δt U_j), and eq. 13 lacks the hat on v
//! (docs/references.md, E1 and E2). We run the method in the corrected form on the beam, and both forms on the
//! oscillator q̈ + ω²q = 0, where the published form shows a possible reason for the instability.

use certify::modes::spectral_radius;
use chart::{Axis, Chart, Dash, Series};
use march::tables::rosenbrock::{ROS3PL, ROS3PRL2, RosenbrockTable};
use rayon::prelude::*;

use crate::check::{above, condition};
use crate::scenes::{RunSettings, beam_cells, open_beam, run_recorded, stepper};
use crate::{Finding, Job, PaperError, Table};

const STEP: f64 = 0.005;
const TABLES: [(&str, &RosenbrockTable); 2] = [("ros3prl2", &ROS3PRL2), ("ros3pl", &ROS3PL)];

/// Computes the runs and the spectral radii.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let until = job.size.pick(10.0, 200.0);
    let mut finding = Finding::default();
    finding.parameter("cells", format!("{:?}", beam_cells(job.size)));
    finding.parameter("step_s", STEP);
    finding.parameter("until_s", until);
    finding.choice("The corrected formula (docs/references.md, E1 and E2): the last term of eq. (12) is multiplied by df/du, v in eq. (13) has a hat, and u, v are incremented by the sums of m_i U_i, m_i V_i.");
    let runs = TABLES.par_iter().map(|(method, _)| {
        let pace = RunSettings {
            method,
            step: STEP,
            until,
        };
        let mut sim = open_beam(job.size, &pace, 1e-8)?;
        let (kept, trial) = run_recorded(job, &pace.name(), &mut sim, 400);
        (job.progress)(&pace.name());
        Ok((*method, kept, trial))
    });
    let runs = runs.collect::<Result<Vec<_>, PaperError>>()?;
    let mut table = Table::new("runs", ["method", "steps", "loss", "gain"]);
    let mut series = Vec::new();
    for (method, kept, t) in &runs {
        let start = t.first.energies.total();
        let relative = |e: f64| (e - start) / t.max_kinetic;
        let (loss, gain) = (-relative(t.last.energies.total()), relative(t.total[1]));
        table.line(method, [t.steps as f64, loss, gain]);
        let points = kept.iter().map(|r| (r.t, relative(r.energies.total())));
        series.push(Series::line(*method, points.collect()));
        if *method == "ros3prl2" {
            let ended = t.failure.as_ref().map(ToString::to_string);
            let stable = ended.is_none() && gain <= 0.01;
            finding.claim(
"corrected-on-the-beam",
                "ROS3PRL2 gives no stable results (corrected formula, beam at 5 ms)",
                match &ended {
                    None => format!("{until} s without failure; energy lost {loss:.2e}, gained {gain:.2e} of the largest kinetic energy"),
                    Some(why) => why.clone(),
                }, condition(!stable, "a failure, or energy gained > 0.01"),
);
        }
    }
    finding.plot(
        "energy",
        Chart {
            title: "Beam, step 5 ms".into(),
            x: Axis::linear("time, s"),
            y: Axis::linear("change of energy / largest kinetic energy"),
            series,
        },
    );
    finding.tables.push(table);
    oscillator(&mut finding)?;
    Ok(finding)
}

/// Compares both forms on the oscillator.
fn oscillator(finding: &mut Finding) -> Result<(), PaperError> {
    let mut table = Table::new(
        "oscillator",
        [
            "hw",
            "ros3prl2",
            "ros3prl2_printed",
            "ros3pl",
            "ros3pl_printed",
        ],
    );
    let mut curves = [(); 4].map(|()| Vec::new());
    for k in -8..=24 {
        let hw = 10.0_f64.powf(f64::from(k) / 8.0);
        let mut row = vec![hw];
        for (method, numbers) in TABLES {
            let mut stepper = stepper(method)?;
            let right = spectral_radius(stepper.as_mut(), hw, 0.0)
                .map_err(PaperError::from_step(method))?;
            row.extend([right, published_spectral_radius(numbers, hw)]);
        }
        for (curve, rho) in curves.iter_mut().zip(&row[1..]) {
            curve.push((hw, *rho));
        }
        table.row(row);
    }
    let most = |curve: &[(f64, f64)]| curve.iter().map(|p| p.1).fold(0.0, f64::max);
    let [right, printed, ..] = &curves;
    finding.claim(
        "corrected-on-the-oscillator",
        "ROS3PRL2 gives no stable results (corrected formula, oscillator)",
        format!("spectral radius at most 1 + {:.1e}", most(right) - 1.0),
        above(most(right) - 1.0, 1e-7).of("spectral radius − 1"),
    );
    finding.claim(
        "as-printed-on-the-oscillator",
        "ROS3PRL2 gives no stable results (published eqs. 12 and 13, oscillator)",
        format!("spectral radius up to {:.2e}", most(printed)),
        above(most(printed) - 1.0, 1e-3).of("spectral radius − 1"),
    );
    let names = [
        "ros3prl2",
        "ros3prl2, published eqs. 12, 13",
        "ros3pl",
        "ros3pl, published eqs. 12, 13",
    ];
    let dashes = [Dash::Solid, Dash::Dashed, Dash::Solid, Dash::Dashed];
    let series = curves.into_iter().zip(names).zip(dashes);
    finding.plot(
        "oscillator",
        Chart {
            title: "Spectral radius of one step of q̈ + ω²q = 0".into(),
            x: Axis::log("step × angular frequency"),
            y: Axis::log("spectral radius"),
            series: series
                .map(|((points, name), dash)| Series::line(name, points).dash(dash))
                .collect(),
        },
    );
    finding.tables.push(table);
    Ok(())
}

/// Returns the spectral radius of [Löschner et al. 2020, eqs. 11 to 13] as published on q̈ + q = 0 with step h: the
/// last term of eq. 12 without ∂f/∂u, and v instead of v̂ in eq. 13.
fn published_spectral_radius(table: &RosenbrockTable, h: f64) -> f64 {
    let step = |mut u: f64, mut v: f64| {
        let g = table.gamma * h;
        let (u0, v0) = (u, v);
        let (mut us, mut vs): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        let sum = |row: &[f64], x: &[f64]| -> f64 { row.iter().zip(x).map(|(a, x)| a * x).sum() };
        for (a, c) in table.a.iter().zip(table.c) {
            let (u_hat, v_hat) = (u0 + sum(a, &us), v0 + sum(a, &vs));
            let (s_u, s_v) = (sum(c, &us) / h, sum(c, &vs) / h);
            // (1/γh − f_v − γh f_u) V = f(û) + Σ c/h V + γh (v̂ + Σ c/h U), f(u) = −u.
            let right = -u_hat + s_v + g * (v_hat + s_u);
            let v_i = right / (1.0 / g + g);
            us.push(g * (s_u + v0 + v_i));
            vs.push(v_i);
        }
        u += sum(table.m, &us);
        v += sum(table.m, &vs);
        (u, v)
    };
    let ((a, c), (b, d)) = (step(1.0, 0.0), step(0.0, 1.0));
    let (trace, determinant) = (a + d, a * d - b * c);
    let root = 0.25 * trace * trace - determinant;
    if root >= 0.0 {
        0.5 * trace.abs() + root.sqrt()
    } else {
        determinant.sqrt()
    }
}
