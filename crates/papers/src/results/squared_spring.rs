//! [Dinev et al. 2018, Figs. 2 and 3]: a stretched spring thrown sideways under implicit midpoint, in two potentials:
//! k/2 (|x|² − 1)² (eq. 7) and Hooke's k (|x| − 1)², whose energy is the one stated in the paper (docs/references.md,
//! E15).

use chart::{Axis, Chart, Series};
use scene::session::Session;

use crate::check::{above, below};
use crate::energy_history::{
    EnergyCorrection, EnergyHistory, SPRING, open_with_correction, record_energies,
};
use crate::finding::Cell;
use crate::{Finding, Job, PaperError, Table};

/// The small step in seconds.
const SMALL_STEP: f64 = 0.00033;
/// The methods whose energy is tracked.
const BASE_METHODS: [&str; 4] = ["implicit-midpoint", "sdirk2", "trapezoid", "newmark"];

/// A potential of the spring.
#[derive(Clone, Copy)]
struct Potential {
    name: &'static str,
    law: &'static str,
    stiffness: &'static str,
    /// The initial force divided by the distance from the origin in N/m.
    force_over_distance: f64,
}

const POTENTIALS: [Potential; 2] = [
    Potential {
        name: "eq. (7)",
        law: "squared",
        stiffness: "1e5",
        force_over_distance: 2.0 * 1e5 * (1.5 * 1.5 - 1.0),
    },
    // k (|x| − 1)² is k'/2 (|x| − 1)² with k' = 2k.
    Potential {
        name: "Hooke",
        law: "hooke",
        stiffness: "2e5",
        force_over_distance: 2e5 * (1.0 - 1.0 / 1.5),
    },
];

impl Potential {
    /// Runs the spring with a method; returns the energies and the positions of its end after each step.
    fn run(
        &self,
        method: &str,
        keep: EnergyCorrection,
        step: f64,
        steps: usize,
    ) -> Result<(EnergyHistory, Vec<[f64; 2]>), PaperError> {
        let set = [
            ("spring[0].law", self.law.to_string()),
            ("spring[0].stiffness", self.stiffness.to_string()),
            ("time.step", format!("{step:?}")),
        ];
        let mut sim = open_with_correction(SPRING, method, keep, &set)?;
        let mut places = Vec::new();
        let history = record_energies(&mut sim, steps, &mut |sim: &mut Session| {
            let rest = sim.model.rest()[0];
            let (u, _) = sim.expanded();
            places.push([rest[0] + u[0][0], rest[1] + u[0][1]]);
        });
        Ok((history, places))
    }
}

/// Returns the largest distance from the origin.
fn radius(places: &[[f64; 2]]) -> f64 {
    places.iter().map(|p| p[0].hypot(p[1])).fold(0.0, f64::max)
}

/// Computes both figures and checks the claims of the paper against the numbers.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let mut finding = Finding::default();
    finding.parameter("k_N_per_m", 1e5);
    finding.parameter("mass_kg", 0.5);
    finding.parameter("steps_s", "0.00033 and 0.033");
    finding.choice("Eq. (7) with the parameters of the paper has 78,150 J at the start; k (|x| - 1)^2 has 25,025 J, the 25,000 J stated in the paper (docs/references.md, E15). We compute both.");
    finding.choice("The paper shows this spring under implicit midpoint only. We apply the claims of secs. 4 and 5 on energy tracking and angular momentum to it.");
    let mut momentum = Table::new(
        "angular-momentum",
        [
            "potential",
            "method",
            "least",
            "greatest",
            "last",
            "mean_blend",
        ],
    );
    for potential in POTENTIALS {
        claim_small_step(&mut finding, job, potential)?;
        claim_large_step(&mut finding, potential)?;
        claim_substeps(&mut finding, job, potential)?;
        let own = claim_tracked_energy(&mut finding, job, potential, &mut momentum)?;
        claim_angular_momentum(&mut finding, potential, own, &mut momentum)?;
    }
    finding.tables.push(momentum);
    Ok(finding)
}

/// Adds the claim of [Dinev et al. 2018, Fig. 2, left].
fn claim_small_step(
    finding: &mut Finding,
    job: &Job,
    potential: Potential,
) -> Result<(), PaperError> {
    let steps = job.size.pick(3000, 100_000);
    let (_, places) = potential.run(
        "implicit-midpoint",
        EnergyCorrection::None,
        SMALL_STEP,
        steps,
    )?;
    let most = radius(&places);
    finding.claim(
        format!("{}-small-step", potential.law),
        format!(
            "{}: at 0.33 ms the spring stays within the circle through its start",
            potential.name
        ),
        format!("largest distance {most:.6} m in {steps} steps, from 1.5 m at the start"),
        below(most / 1.5, 1.0 + 1e-3).of("farthest over 1.5 m"),
    );
    Ok(())
}

/// Adds the claims of [Dinev et al. 2018, Fig. 2, right, and Fig. 3].
fn claim_large_step(finding: &mut Finding, potential: Potential) -> Result<(), PaperError> {
    let name = potential.name;
    let (history, places) =
        potential.run("implicit-midpoint", EnergyCorrection::None, 0.033, 1000)?;
    let early = radius(&places[..6]);
    finding.claim(
        format!("{}-leaves-the-circle", potential.law),
        format!("{name}: at 33 ms the spring leaves the circle within the first few steps"),
        format!("largest distance {early:.3} m within five steps"),
        above(early, 1.5).of("farthest, m"),
    );
    let most = history.max_energy_ratio() * history.samples[0].total;
    let limit = if potential.law == "squared" { 1e9 } else { 1e7 };
    finding.claim(
        format!("{}-energy-grows", potential.law),
        format!("{name}: the energy reaches levels several orders of magnitude higher (Fig. 3)"),
        format!(
            "from {:.0} J to {most:.2e} J in 1000 steps",
            history.samples[0].total
        ),
        above(most, limit).of("energy, J"),
    );
    let off = history.momentum_error();
    finding.claim(
        format!("{}-angular-momentum", potential.law),
        format!("{name}: angular momentum is still conserved (Fig. 3)"),
        format!("the relative change is {off:.1e}"),
        below(off, 1e-9).of("change"),
    );
    let file = format!("energy-{}", potential.law);
    finding.plot(
        &file,
        Chart {
            title: format!("Energy under implicit midpoint at 33 ms, {name}"),
            x: Axis::linear("time, s"),
            y: Axis::log("J"),
            series: vec![Series::line("total", history.curve(|l| l.total))],
        },
    );
    let circle = (0..=100).map(|k| {
        let angle = std::f64::consts::TAU * f64::from(k) / 100.0;
        (1.5 * angle.cos(), 1.5 * angle.sin())
    });
    let (_, fine) = potential.run("implicit-midpoint", EnergyCorrection::None, SMALL_STEP, 600)?;
    let points = |places: &[[f64; 2]]| places.iter().map(|p| (p[0], p[1])).collect();
    finding.plot(
        &format!("path-{}", potential.law),
        Chart {
            title: format!("Positions of the end: 600 steps of 0.33 ms, 20 of 33 ms, {name}"),
            x: Axis::linear("x, m"),
            y: Axis::linear("y, m"),
            series: vec![
                Series::line("start", circle.collect()),
                Series::markers("0.33 ms", points(&fine)),
                Series::markers("33 ms", points(&places[..21])),
            ],
        },
    );
    Ok(())
}

/// Adds the claim on steps of 33 ms divided into substeps [Dinev et al. 2018, Table 2].
fn claim_substeps(
    finding: &mut Finding,
    job: &Job,
    potential: Potential,
) -> Result<(), PaperError> {
    let steps = job.size.pick(100, 1000);
    let mut table = Table::new(
        &format!("substeps-{}", potential.law),
        ["substeps", "step_s", "most_energy", "least_energy"],
    );
    let mut found = Vec::new();
    for n in [1, 5, 10, 20, 100] {
        let h = 0.033 / n as f64;
        let (history, _) =
            potential.run("implicit-midpoint", EnergyCorrection::None, h, n * steps)?;
        let least = history
            .samples
            .iter()
            .map(|l| l.total)
            .fold(f64::INFINITY, f64::min);
        table.row([
            n as f64,
            h,
            history.max_energy_ratio(),
            least / history.samples[0].total,
        ]);
        found.push((n, history.max_energy_ratio()));
    }
    let listed: Vec<String> = (found.iter())
        .map(|(n, most)| format!("{most:.2} with {n}"))
        .collect();
    let [(_, one), .., (_, hundred)] = found[..] else {
        return Ok(());
    };
    finding.claim(
        format!("{}-substeps", potential.law),
        format!(
            "{}: substeps improve implicit midpoint (Table 2)",
            potential.name
        ),
        format!(
            "largest energy relative to the start: {}",
            listed.join(", ")
        ),
        [
            below(hundred, 1.1).of("with 100"),
            below(hundred / one, 0.1).of("ratio to one"),
        ],
    );
    finding.tables.push(table);
    Ok(())
}

/// Adds the claim on tracked energy for all base methods; returns the largest change of angular momentum under tracked
/// midpoint.
fn claim_tracked_energy(
    finding: &mut Finding,
    job: &Job,
    potential: Potential,
    momentum: &mut Table,
) -> Result<f64, PaperError> {
    let mut worst = Vec::new();
    let mut checks = Vec::new();
    let mut own = 0.0;
    for base in BASE_METHODS {
        let midpoint = base == BASE_METHODS[0];
        let long = job.size.pick(2000, 10_000);
        let steps = if midpoint { 10_000 } else { long };
        let (history, _) = potential.run(base, EnergyCorrection::Blend, 0.033, steps)?;
        worst.push(format!("{base} {:.5}", history.energy_error()));
        checks.push(history.energy_check());
        if midpoint {
            own = history.momentum_error();
        }
        note(momentum, potential, &format!("{base}, tracked"), &history);
    }
    finding.claim(
format!("{}-tracked", potential.law),
        format!("{}: with tracking, the energy stays within 1 % for every base method (10 000 steps for midpoint)", potential.name),
        format!("largest relative change: {}", worst.join(", ")), checks,
);
    Ok(own)
}

/// Adds a row with the smallest, largest and final angular momentum relative to the start.
fn note(momentum: &mut Table, potential: Potential, method: &str, history: &EnergyHistory) {
    let spin = || {
        history
            .samples
            .iter()
            .map(|l| l.angular_momentum / history.samples[0].angular_momentum)
    };
    let (least, most) = (
        spin().fold(f64::INFINITY, f64::min),
        spin().fold(0.0, f64::max),
    );
    let numbers = [
        least,
        most,
        history.final_momentum_ratio(),
        history.mean_blend_share(),
    ];
    let words = [potential.name, method].map(Cell::from);
    momentum.row(words.into_iter().chain(numbers.map(Cell::from)));
}

/// Adds the claims on angular momentum under tracking (with the largest change `own`) and under dissipative methods.
fn claim_angular_momentum(
    finding: &mut Finding,
    potential: Potential,
    own: f64,
    momentum: &mut Table,
) -> Result<(), PaperError> {
    let name = potential.name;
    let (forward, _) = potential.run("forward-euler", EnergyCorrection::None, 0.033, 1)?;
    // (x + h v) × (v − h g x) = (1 + h² g) x × v.
    let factor = 1.0 + 0.033f64.powi(2) * potential.force_over_distance / 0.5;
    finding.claim(
format!("{}-forward-euler-factor", potential.law),
        format!("{name}: forward Euler, the other method of the blend, multiplies angular momentum by 1 + h^2 |f|/(m |x|) (our claim)"),
        format!("by {:.3} in the first step; the formula gives {factor:.3}", forward.final_momentum_ratio()), below((forward.final_momentum_ratio() / factor - 1.0).abs(), 1e-12).of("relative difference"),
);
    let mut others = [0.0; 2];
    for (off, method) in others.iter_mut().zip(["bdf2", "backward-euler"]) {
        let (history, _) = potential.run(method, EnergyCorrection::None, 0.033, 2000)?;
        *off = history.momentum_error();
        note(momentum, potential, method, &history);
    }
    let [bdf2, euler] = others;
    finding.claim(
format!("{}-against-bdf", potential.law),
        format!("{name}: tracking preserves angular momentum much better than BDF1 or BDF2 (sec. 5, stated for the cube)"),
        format!("it changes by up to {own:.2} of its start, by {bdf2:.2} under bdf2 and {euler:.2} under backward-euler"), [below(own / bdf2, 1.0).of("over that of bdf2"), below(own / euler, 1.0).of("over that of backward Euler")],
);
    let (kept, _) = potential.run(
        BASE_METHODS[0],
        EnergyCorrection::BlendKeepingMomentum,
        0.033,
        10_000,
    )?;
    note(
        momentum,
        potential,
        "implicit-midpoint, tracked and turned back",
        &kept,
    );
    let off = kept.momentum_error();
    finding.claim(
format!("{}-turned-back", potential.law),
        format!("{name}: blends corrected to the angular momentum of midpoint preserve it and the energy (our method, the default)"),
        format!("relative changes in 10 000 steps: angular momentum {off:.1e}, energy {:.5}", kept.energy_error()), [kept.energy_check(), below(off, 1e-9).of("change of angular momentum")],
);
    Ok(())
}
