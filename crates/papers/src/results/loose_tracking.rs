//! 004 Fig. 12: energy tracking with ε = 0.5 against ε = 0.01, by Algorithm 1 to the letter and by ours, which keeps
//! steps that are within ε already.

use chart::{Axis, Chart, Series};
use mesh::vector::norm;
use rayon::prelude::*;
use scene::run::Flow;
use scene::trial::{Trial, trial};

use crate::check::{above, below, that};
use crate::printed::printed_algorithm;
use crate::ways::{CUBE, Curve, EPSILON, Jitter, MIDPOINT, TRACKED, Way, curves_table, mean};
use crate::{Finding, Job, PaperError, Table};

const STEP: f64 = 0.033;
const LOOSE: f64 = 0.5;

/// Name, ε, and whether by the letter.
const CASES: [(&str, f64, bool); 4] = [
    ("printed, 0.01", EPSILON, true),
    ("printed, 0.5", LOOSE, true),
    ("ours, 0.01", EPSILON, false),
    ("ours, 0.5", LOOSE, false),
];

/// One run.
struct Seen {
    trial: Trial,
    /// Energy and angular momentum over those of the start.
    energy: Curve,
    spin: Curve,
    /// α: positive for backward, negative for forward Euler.
    alpha: Curve,
    /// Fast share of the kinetic energy.
    jitter: f64,
}

impl Seen {
    fn spin_left(&self) -> f64 {
        self.spin.last().map_or(f64::NAN, |p| p.1)
    }

    /// Mean of |α|, and changes of its sign a step.
    fn alphas(&self) -> [f64; 2] {
        let all: Curve = self.alpha.iter().map(|p| (p.0, p.1.abs())).collect();
        let changes = self.alpha.windows(2).filter(|w| w[0].1 * w[1].1 < 0.0);
        [mean(&all), changes.count() as f64 / all.len() as f64]
    }
}

/// Computes the figure.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let (cells, steps) = job.size.pick((3, 1000), (6, 3000));
    let mut finding = Finding::default();
    finding.parameter(
        "cells",
        format!("{cells} x {cells} x {cells}, six tetrahedra each"),
    );
    finding.parameter("epsilons", format!("{EPSILON}, {LOOSE}"));
    finding.parameter("step_s", STEP);
    finding.parameter("steps", steps);
    finding.parameter("solver", "local/global, 10 iterations");
    finding.choice("The paper does not say what moves in the figure; ours is the spinning cube of Fig. 5, started in its rest shape. Global motion is its angular momentum; vibration is the share of the kinetic energy that alternates from step to step. \"Printed\" is Algorithm 1 by the letter with a binary search that begins in the middle; \"ours\" keeps a step that is within epsilon already.");
    let runs = CASES.par_iter().map(|case| {
        let seen = spin(*case, cells, steps);
        (job.tell)(case.0);
        seen
    });
    let seen = runs.collect::<Result<Vec<Seen>, PaperError>>()?;
    let columns = [
        "case",
        "energy_left",
        "spin_left",
        "fast_share",
        "mean_alpha",
        "sign_changes_a_step",
    ];
    let mut table = Table::new("runs", columns);
    for (case, s) in CASES.iter().zip(&seen) {
        let left = s.energy.last().map_or(f64::NAN, |p| p.1);
        let [mean, changes] = s.alphas();
        table.line(case.0, [left, s.spin_left(), s.jitter, mean, changes]);
    }
    finding.tables.push(table);
    plots(&mut finding, &seen);
    claims(&mut finding, &seen);
    Ok(finding)
}

fn spin(case: (&str, f64, bool), cells: u32, steps: u64) -> Result<Seen, PaperError> {
    let (_, tolerance, printed) = case;
    let set = [
        ("time.until", format!("{:?}", STEP * steps as f64)),
        (
            "body.cube.mesh.box.cells",
            format!("[{cells}, {cells}, {cells}]"),
        ),
    ];
    let way = if printed {
        MIDPOINT
    } else {
        Way {
            tolerance: Some(tolerance),
            ..TRACKED
        }
    };
    let mut sim = way.open(CUBE, &set)?;
    if printed {
        sim.set_stepper(printed_algorithm(tolerance)?);
    }
    let mut jitter = Jitter::of(&sim, |_| true);
    let (mut energy, mut spin, mut alpha) = (Curve::new(), Curve::new(), Curve::new());
    let mut start = None;
    let trial = trial(&mut sim, &mut |sim, row| {
        let now = [row.energies.total(), norm(row.momentum.angular)];
        let [e, l] = *start.get_or_insert(now);
        energy.push((row.t, now[0] / e));
        spin.push((row.t, now[1] / l));
        alpha.push((row.t, row.blend));
        jitter.see(sim);
        Flow::On
    });
    Ok(Seen {
        trial,
        energy,
        spin,
        alpha,
        jitter: jitter.share(),
    })
}

fn plots(finding: &mut Finding, seen: &[Seen]) {
    for (name, y, curve) in [
        (
            "energy",
            "total energy over that of the start",
            (|s| &s.energy) as fn(&Seen) -> &Curve,
        ),
        ("spin", "angular momentum over that of the start", |s| {
            &s.spin
        }),
        ("alpha", "alpha, negative for forward Euler", |s| &s.alpha),
    ] {
        let named = CASES.iter().zip(seen).map(|(c, s)| (c.0, curve(s)));
        finding.tables.push(curves_table(name, named.clone()));
        // α from step to step is seen only in a short stretch.
        let shown = |c: &Curve| match name {
            "alpha" => c.iter().copied().take(100).collect(),
            _ => c.clone(),
        };
        finding.plot(
            name,
            Chart {
                title: "Spinning cube, energy tracked within epsilon".into(),
                x: Axis::linear("time, s"),
                y: Axis::linear(y),
                series: named.map(|(n, c)| Series::line(n, shown(c))).collect(),
            },
        );
    }
}

fn claims(finding: &mut Finding, seen: &[Seen]) {
    let [tight, loose, _, ours] = seen else {
        return;
    };
    let most = |s: &Seen| s.trial.total[1] / s.trial.first.energies.total();
    finding.claim(
        "no-explosion",
        "with epsilon = 0.5 the animation does not explode",
        format!(
            "energy at most {:.2} times the start's (printed), {:.2} (ours)",
            most(loose),
            most(ours)
        ),
        [loose, ours]
            .into_iter()
            .flat_map(|s| {
                [
                    that(s.trial.failure.is_none(), "no failure"),
                    below(most(s), 2.0).of("greatest energy over the start's"),
                ]
            })
            .collect::<Vec<_>>(),
    );
    finding.claim(
        "slows-down",
        "the global motion slows down",
        format!(
            "angular momentum left {:.3}, against {:.3} with epsilon = 0.01",
            loose.spin_left(),
            tight.spin_left()
        ),
        below(loose.spin_left() / tight.spin_left(), 0.8).of("ratio"),
    );
    finding.claim(
        "vibrates",
        "the mesh vibrates",
        format!(
            "fast share of the kinetic energy {:.4}, against {:.4}",
            loose.jitter, tight.jitter
        ),
        above(loose.jitter / tight.jitter, 1.5).of("ratio"),
    );
    let ([a, changes], [b, _]) = (loose.alphas(), tight.alphas());
    finding.claim(
        "blend-oscillates",
        "heavy oscillation between the damping of backward and the injection of forward Euler",
        format!(
            "mean |alpha| {a:.3}, against {b:.3}; alpha changes its sign {changes:.2} times a step"
        ),
        [
            above(a / b, 3.0).of("ratio of mean |alpha|"),
            above(changes, 0.2).of("changes of sign a step"),
        ],
    );
    finding.claim(
"steps-within-epsilon-kept",
        "ours: it is the search that does so; where steps within epsilon are kept, nothing slows down or vibrates",
        format!("angular momentum left {:.3}, fast share {:.4}, mean |alpha| {:.4}", ours.spin_left(), ours.jitter, ours.alphas()[0]), [above(ours.spin_left(), 0.95).of("angular momentum left"), below(ours.jitter / loose.jitter, 0.5).of("ratio of fast shares")],
);
}
