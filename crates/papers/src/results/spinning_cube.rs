//! 004 Figs. 4 and 5: energy and angular momentum of a spinning cube at 33 ms.
//!
//! Started exactly in its rest shape, the cube of this mesh is driven by the centrifugal force alone: a few smooth modes,
//! on which implicit midpoint does well. A start with nodes out of place (by a third of a cell) excites all of them. Both are
//! run, as the paper does not say how its cube was started.

use chart::{Axis, Chart, Series};
use mesh::vector::norm;
use rayon::prelude::*;
use scene::run::Flow;
use scene::trial::{Trial, trial};

use crate::check::{Check, at_most, below, slug, that};
use crate::ways::{
    BDF2, BE, CUBE, Curve, EPSILON, MIDPOINT, NEWMARK, TRACKED, Way, curves_table, mean,
};
use crate::{Finding, Job, PaperError, Table};

const WAYS: [Way; 5] = [BE, BDF2, MIDPOINT, NEWMARK, TRACKED];
const STEP: f64 = 0.033;
const STARTS: [&str; 2] = ["exact start", "scattered start"];
/// The total energy is this often the start's: exploded.
const EXPLODED: f64 = 2.0;

/// One run.
struct Seen {
    trial: Trial,
    /// Energy and angular momentum, relative to the start.
    energy: Curve,
    momentum: Curve,
    /// |α|.
    blend: Curve,
    /// When the energy first was [`EXPLODED`] times the start's, in steps.
    exploded: Option<u64>,
}

impl Seen {
    /// What is left at the end: energy, angular momentum.
    fn left(&self) -> [f64; 2] {
        [&self.energy, &self.momentum].map(|c| c.last().map_or(f64::NAN, |p| p.1))
    }

    /// Largest relative change of energy.
    fn astray(&self) -> f64 {
        let start = self.trial.first.energies.total();
        let changes = self.trial.total.map(|e| (e / start - 1.0).abs());
        changes[0].max(changes[1])
    }
}

/// Computes both figures.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    // A cube of fewer cells takes more to explode.
    let (cells, steps, scatter) = job.size.pick((3, 3000, 0.4), (6, 5000, 0.3));
    let mut finding = Finding::default();
    finding.parameter(
        "cells",
        format!("{cells} x {cells} x {cells}, six tetrahedra each"),
    );
    finding.parameter(
        "material",
        "arap, E = 1e5 Pa, nu = 0.4, 1000 kg/m3, lumped mass",
    );
    finding.parameter("spin_rad_per_s", 5.0);
    finding.parameter("scatter_of_a_cell", scatter);
    finding.parameter("step_s", STEP);
    finding.parameter("steps", steps);
    finding.parameter("solver", "local/global, 10 iterations");
    finding.parameter("epsilon", EPSILON);
    finding.choice("The paper gives neither stiffness nor spin nor start. We start the cube in its rest shape, spinning rigidly, and once more with every node out of place by a share of a cell (scatter_of_a_cell). Exploded means that the energy has doubled.");
    let cases: Vec<(usize, Way)> = (0..STARTS.len())
        .flat_map(|k| WAYS.map(|way| (k, way)))
        .collect();
    let runs = cases.par_iter().map(|(start, way)| {
        let seen = spin(*way, cells, steps, [0.0, scatter][*start]);
        (job.tell)(&format!("{}, {}", way.name, STARTS[*start]));
        seen
    });
    let seen = runs.collect::<Result<Vec<Seen>, PaperError>>()?;
    let starts: Vec<&[Seen]> = seen.chunks(WAYS.len()).collect();
    finding.tables.push(summary(&starts));
    for (name, runs) in STARTS.iter().zip(&starts) {
        plots(&mut finding, name, runs);
    }
    claims(&mut finding, &starts);
    Ok(finding)
}

fn spin(way: Way, cells: u32, steps: u64, scatter: f64) -> Result<Seen, PaperError> {
    let set = [
        ("time.until", format!("{:?}", STEP * steps as f64)),
        (
            "body.cube.mesh.box.cells",
            format!("[{cells}, {cells}, {cells}]"),
        ),
        (
            "body.cube.disturb.scatter",
            format!("{:?}", scatter / f64::from(cells)),
        ),
    ];
    let mut sim = way.open(CUBE, &set)?;
    let every = steps.div_ceil(1000);
    let (mut energy, mut momentum, mut blend) = (Curve::new(), Curve::new(), Curve::new());
    let (mut start, mut exploded, mut k) = ([f64::NAN; 2], None, 0);
    let trial = trial(&mut sim, &mut |_, row| {
        let now = [row.energies.total(), norm(row.momentum.angular)];
        if k == 0 {
            start = now;
        }
        if now[0] > EXPLODED * start[0] && exploded.is_none() {
            exploded = Some(k);
        }
        if k % every == 0 || k == steps {
            energy.push((row.t, now[0] / start[0]));
            momentum.push((row.t, now[1] / start[1]));
        }
        if k > 0 {
            blend.push((row.t, row.blend.abs()));
        }
        k += 1;
        Flow::On
    });
    Ok(Seen {
        trial,
        energy,
        momentum,
        blend,
        exploded,
    })
}

fn summary(starts: &[&[Seen]]) -> Table {
    let columns = [
        "case",
        "steps",
        "energy_left",
        "most_astray",
        "momentum_left",
        "exploded_at_step",
        "mean_alpha",
    ];
    let mut table = Table::new("runs", columns);
    for (name, runs) in STARTS.iter().zip(starts) {
        for (way, s) in WAYS.iter().zip(*runs) {
            let [energy, momentum] = s.left();
            let exploded = s.exploded.map_or(f64::NAN, |k| k as f64);
            let values = [
                s.trial.steps as f64,
                energy,
                s.astray(),
                momentum,
                exploded,
                mean(&s.blend),
            ];
            table.line(&format!("{}, {name}", way.name), values);
        }
    }
    table
}

fn plots(finding: &mut Finding, start: &str, runs: &[Seen]) {
    let word = start.split(' ').next().unwrap_or(start);
    for (what, y) in [
        ("energy", Axis::log("total energy over that of the start")),
        (
            "momentum",
            Axis::linear("angular momentum over that of the start"),
        ),
    ] {
        let curve = |s: &Seen| {
            if what == "energy" {
                s.energy.clone()
            } else {
                s.momentum.clone()
            }
        };
        let curves: Vec<Curve> = runs.iter().map(curve).collect();
        let name = format!("{what}-{word}");
        let named = WAYS.iter().map(|w| w.name).zip(&curves);
        finding.tables.push(curves_table(&name, named.clone()));
        finding.plot(
            &name,
            Chart {
                title: format!("Spinning cube, {start}"),
                x: Axis::linear("time, s"),
                y,
                series: named.map(|(n, c)| Series::line(n, c.clone())).collect(),
            },
        );
    }
}

fn claims(finding: &mut Finding, starts: &[&[Seen]]) {
    let both = |words: &dyn Fn(&[Seen]) -> String| {
        let each = STARTS
            .iter()
            .zip(starts)
            .map(|(name, runs)| format!("{name}: {}", words(runs)));
        each.collect::<Vec<_>>().join("; ")
    };
    let each = |checks: &dyn Fn(&[Seen]) -> Vec<Check>| -> Vec<Check> {
        starts.iter().flat_map(|runs| checks(runs)).collect()
    };
    // As in WAYS.
    let [be, bdf2, midpoint, newmark, ours] = [0, 1, 2, 3, 4];
    finding.claim(
        "energy-within-1-percent",
        "the paper's method keeps the energy within 1 % in long runs (Fig. 5)",
        both(&|r| format!("at most {:.2} % astray", 100.0 * r[ours].astray())),
        each(&|r| {
            vec![
                that(r[ours].trial.failure.is_none(), "no failure"),
                at_most(r[ours].astray(), 1.02 * EPSILON).of("energy off"),
            ]
        }),
    );
    finding.claim(
        "others-damp",
        "backward Euler and BDF2 damp out most of the energy",
        both(&|r| format!("left {:.3} and {:.3}", r[be].left()[0], r[bdf2].left()[0])),
        each(&|r| {
            [be, bdf2]
                .map(|k| below(r[k].left()[0], 0.5).of("energy left"))
                .to_vec()
        }),
    );
    let lost = |s: &Seen| (1.0 - s.left()[1]).abs();
    finding.claim(
        "angular-momentum",
        "it preserves angular momentum better than BDF2 and much better than backward Euler",
        both(&|r| {
            let [ours, bdf2, be] = [ours, bdf2, be].map(|k: usize| r[k].left()[1]);
            format!("left {ours:.4}, against {bdf2:.3} and {be:.3}")
        }),
        each(&|r| {
            vec![
                below(lost(&r[ours]) / lost(&r[bdf2]), 1.0).of("lost over BDF2's"),
                below(lost(&r[ours]) / lost(&r[be]), 0.5).of("lost over backward Euler's"),
            ]
        }),
    );
    let fate = |s: &Seen| match s.exploded {
        Some(k) => format!(
            "doubled after {k} steps, {:.3e} times at most",
            1.0 + s.astray()
        ),
        None => format!("never doubled, at most {:.2} % astray", 100.0 * s.astray()),
    };
    for (k, start) in STARTS.iter().enumerate() {
        let r = starts[k];
        finding.claim(
            format!("midpoint-explodes-{}", slug(start)),
            format!("implicit midpoint explodes ({start})"),
            fate(&r[midpoint]),
            that(r[midpoint].exploded.is_some(), "energy doubled"),
        );
        finding.claim(
            format!("newmark-explodes-{}", slug(start)),
            format!("Newmark explodes ({start})"),
            fate(&r[newmark]),
            that(r[newmark].exploded.is_some(), "energy doubled"),
        );
    }
    let drift = |s: &Seen| {
        s.momentum
            .iter()
            .map(|p| (p.1 - 1.0).abs())
            .fold(0.0, f64::max)
    };
    finding.claim(
"midpoint-angular-momentum",
        "implicit midpoint preserves the angular momentum exactly (exact start; ten unconverged iterations)",
        both(&|r| format!("{:.1e} astray", drift(&r[midpoint]))), below(drift(&starts[0][midpoint]), 1e-4).of("off, exact start"),
);
    finding.claim(
        "blend-near-zero",
        "alpha is typically close to zero (Fig. 6)",
        both(&|r| format!("mean |alpha| {:.4}", mean(&r[ours].blend))),
        each(&|r| vec![below(mean(&r[ours].blend), 0.1).of("mean |alpha|")]),
    );
}
