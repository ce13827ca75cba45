//! [Dinev et al. 2018, Appendix C]: backward Euler in the non-convex potential E(x) = k (√(x² + 1) − √2)² (eq. 47).
//!
//! E'' = 2k (1 − √2/(x² + 1)^(3/2)) vanishes at x² + 1 = 2^(1/3), so the steepest slope in [−1, 1] is at x_max =
//! −√(2^(1/3) − 1). β solves E(β) = E(0) + (β + 1) E'(x_max) (eq. 54), independently of k.

use std::f64::consts::SQRT_2;

use base::random::Random;
use chart::{Axis, Chart, Series};
use march::{Curvature, Options, State, TimeLoop};

use crate::check::{above, at_most, below, near};
use crate::potential_system::{PotentialEnergy, PotentialSystem};
use crate::scenes::stepper;
use crate::{Finding, Job, PaperError, Table};

/// Two springs of rest length √2 from (0, ±1) to a mass on the x axis.
struct TwoSprings {
    k: f64,
}

impl TwoSprings {
    fn at(&self, x: f64) -> f64 {
        self.k * ((x * x + 1.0).sqrt() - SQRT_2).powi(2)
    }

    fn derivative_at(&self, x: f64) -> f64 {
        2.0 * self.k * x * (1.0 - SQRT_2 / (x * x + 1.0).sqrt())
    }
}

impl PotentialEnergy for TwoSprings {
    fn energy(&self, u: &[f64]) -> f64 {
        self.at(u[0])
    }

    fn derivative(&self, u: &[f64], _i: usize) -> f64 {
        self.derivative_at(u[0])
    }

    fn second_derivative(&self, u: &[f64], _i: usize, _j: usize, c: Curvature) -> f64 {
        let exact = 2.0 * self.k * (1.0 - SQRT_2 / (u[0] * u[0] + 1.0).powf(1.5));
        match c {
            Curvature::Exact | Curvature::Unsymmetric => exact,
            Curvature::Definite => exact.max(0.0),
        }
    }
}

/// Computes β by bisection between 1, where E = 0, and 10.
fn beta() -> f64 {
    let potential = TwoSprings { k: 1.0 };
    let steepest = potential.derivative_at(-(2f64.cbrt() - 1.0).sqrt());
    let (mut low, mut high) = (1.0, 10.0);
    for _ in 0..200 {
        let x = 0.5 * (low + high);
        if potential.at(x) < potential.at(0.0) + (x + 1.0) * steepest {
            low = x;
        } else {
            high = x;
        }
    }
    0.5 * (low + high)
}

/// A motion under backward Euler.
struct Motion {
    field: PotentialSystem<TwoSprings>,
    time: TimeLoop<'static>,
    mass: f64,
    h: f64,
}

impl Motion {
    fn new(k: f64, mass: f64, h: f64, x: f64, v: f64) -> Result<Motion, PaperError> {
        let options = Options {
            tolerance: 1e-13,
            to_roundoff: true,
            ..Options::default()
        };
        let start = State {
            t: 0.0,
            u: vec![x],
            v: vec![v],
        };
        Ok(Motion {
            field: PotentialSystem::new(1, |_, _| mass, TwoSprings { k }),
            time: TimeLoop::fixed(stepper("backward-euler")?, options, start, h),
            mass,
            h,
        })
    }

    fn hamiltonian(&self) -> f64 {
        self.field
            .hamiltonian(&self.time.state().u, &self.time.state().v)
    }

    fn step(&mut self) -> Result<(), PaperError> {
        self.time
            .step(&mut self.field, f64::INFINITY)
            .map_err(PaperError::from_failure("backward-euler"))?;
        Ok(())
    }

    /// Returns H_c = E(0) + m/2 ((β + 1)/h)² [Dinev et al. 2018, Lemma 3].
    fn bound(&self, beta: f64) -> f64 {
        self.field.potential.at(0.0) + 0.5 * self.mass * ((beta + 1.0) / self.h).powi(2)
    }
}

/// The largest violations of the lemmas and the theorem over all random starts.
#[derive(Default)]
struct Worst {
    steps: u64,
    /// The number of steps that gained energy.
    gains: u64,
    /// The largest relative gain in steps that must not gain energy by Lemma 1 and Lemma 2.
    lemma: [f64; 2],
    /// The number of steps to which each lemma applies.
    asked: [u64; 2],
    /// The number of motions whose Hamiltonian rose above the start.
    above: u64,
    /// The largest Hamiltonian relative to the bound of Theorem 1.
    theorem: f64,
    /// (h²k/m, largest H relative to the bound) of each start.
    points: Vec<(f64, f64)>,
}

/// Runs backward Euler from random starts.
fn starts(count: usize, steps: usize, beta: f64) -> Result<Worst, PaperError> {
    let mut random = Random::new(18);
    let mut worst = Worst::default();
    for _ in 0..count {
        let (k, mass) = (random.log_between(1e-2, 1e4), random.log_between(1e-1, 1e1));
        let h = random.log_between(1e-3, 1.0);
        let x = 5.0 * random.signed();
        // From slow to crossing both wells in a step.
        let v = random.log_between(1e-2, 10.0) / h * random.signed();
        let mut motion = Motion::new(k, mass, h, x, v)?;
        let start = motion.hamiltonian();
        let bound = start.max(motion.bound(beta));
        let mut most = 0.0f64;
        // At rest H is a difference of nearly equal numbers, so gains are relative to the barrier between the wells.
        let height = motion.field.potential.at(0.0);
        for _ in 0..steps {
            let (before, from) = (motion.hamiltonian(), motion.time.state().u[0].abs());
            motion.step()?;
            let (after, to) = (motion.hamiltonian(), motion.time.state().u[0].abs());
            let gain = (after - before) / before.max(after).max(height);
            worst.steps += 1;
            worst.gains += u64::from(gain > 1e-12);
            let applies = [to > 1.0, to <= 1.0 && from >= beta];
            for (lemma, _) in applies.iter().enumerate().filter(|(_, yes)| **yes) {
                worst.asked[lemma] += 1;
                worst.lemma[lemma] = worst.lemma[lemma].max(gain);
            }
            most = most.max(after);
        }
        worst.above += u64::from(most > start * (1.0 + 1e-12));
        worst.theorem = worst.theorem.max(most / bound);
        worst.points.push((h * h * k / mass, most / bound));
    }
    Ok(worst)
}

/// Computes β, the bound and the step that gains energy.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let mut finding = Finding::default();
    let (count, steps) = job.size.pick((400, 50), (10_000, 200));
    finding.parameter("starts", count);
    finding.parameter("steps_each", steps);
    finding.choice("Random starts: k from 1e-2 to 1e4 N/m, m from 0.1 to 10 kg, h from 1 ms to 1 s, |x| up to 5 m, speeds up to 10 m per step. A gain counts above 1e-12 of the energy or of the barrier between the wells, whichever is larger, because H of a motion at rest is rounding.");
    let beta = beta();
    finding.claim(
        "beta",
        "beta is about 2.209 (Lemma 2)",
        format!("{beta:.5}"),
        near(beta, 2.209, 5e-4).of("beta"),
    );
    let worst = starts(count, steps, beta)?;
    for (k, says) in [
        "a step that ends outside [-1, 1] gains no energy (Lemma 1)",
        "a step from beyond beta into [-1, 1] gains no energy (Lemma 2)",
    ]
    .into_iter()
    .enumerate()
    {
        let (asked, gain) = (worst.asked[k], worst.lemma[k]);
        finding.claim(
            format!("lemma-{}", k + 1),
            says,
            format!("largest gain {gain:.1e} of the energy in {asked} such steps"),
            [
                above(asked as f64, 0.0).of("steps"),
                below(gain, 1e-11).of("gain"),
            ],
        );
    }
    finding.claim(
"theorem-1",
        "the Hamiltonian never exceeds the larger of its start and H_c (Theorem 1)",
        format!(
            "at most {:.9} of the bound in {} steps; {} of them gained energy, and {} motions rose above their start",
            worst.theorem, worst.steps, worst.gains, worst.above
        ), [at_most(worst.theorem, 1.0 + 1e-11).of("H over the bound"), above(worst.above as f64, 0.0).of("motions above their start")],
);
    finding.plot(
        "bound",
        Chart {
            title: "Largest Hamiltonian relative to the bound of Theorem 1".into(),
            x: Axis::log("h²k/m"),
            y: Axis::log("H / bound"),
            series: vec![Series::markers("starts", worst.points)],
        },
    );
    gaining_step(&mut finding)?;
    bumps(&mut finding)?;
    Ok(finding)
}

/// Adds the claim on the step from x₀ with v₀ = −x₀/h to x₁ = 0 with v₁ = v₀, which gains E(0) − E(x₀).
fn gaining_step(finding: &mut Finding) -> Result<(), PaperError> {
    let mut table = Table::new(
        "gaining-step",
        ["x_0", "x_1", "v_1_over_v_0", "gain_J", "formula_J"],
    );
    let mut off = 0.0f64;
    for x in [0.2, 0.5, 0.9, 1.1] {
        // h²k = 1/4 < 1/(2(√2 − 1)), so x = 0 minimises the incremental potential.
        let mut motion = Motion::new(25.0, 1.0, 0.1, x, -x / 0.1)?;
        let (before, speed) = (motion.hamiltonian(), motion.time.state().v[0]);
        motion.step()?;
        let gain = motion.hamiltonian() - before;
        let wanted = motion.field.potential.at(0.0) - motion.field.potential.at(x);
        let (to, kept) = (motion.time.state().u[0], motion.time.state().v[0] / speed);
        off = off
            .max((gain - wanted).abs())
            .max(to.abs())
            .max((kept - 1.0).abs());
        table.row([x, to, kept, gain, wanted]);
    }
    finding.tables.push(table);
    finding.claim(
"gain-of-one-step",
        "from x_0 with v_0 = -x_0/h backward Euler reaches x_1 = 0 with v_1 = v_0 and gains E(0) - E(x_0)",
        format!("the difference is at most {off:.1e}, also from x_0 = 1.1"), below(off, 1e-10).of("difference"),
);
    Ok(())
}

/// Adds the claim of [Dinev et al. 2018, Fig. 18]: small rises of a Hamiltonian that decreases overall.
fn bumps(finding: &mut Finding) -> Result<(), PaperError> {
    let (k, mass, h, steps) = (1.0, 1.0, 0.033, 1200);
    finding.parameter(
        "fig18",
        format!("k = {k} N/m, m = {mass} kg, h = {h} s, from x = 2, at rest"),
    );
    let mut motion = Motion::new(k, mass, h, 2.0, 0.0)?;
    let mut points = vec![(0.0, motion.hamiltonian())];
    let (mut gains, mut runs, mut rising) = (0u64, 0u64, false);
    for n in 1..=steps {
        let before = motion.hamiltonian();
        motion.step()?;
        let now = motion.hamiltonian();
        let gained = now > before * (1.0 + 1e-12);
        gains += u64::from(gained);
        runs += u64::from(gained && !rising);
        rising = gained;
        points.push((f64::from(n) * h, now));
    }
    let (first, last) = (points[0].1, points[points.len() - 1].1);
    finding.claim(
"bumps",
        "backward Euler can increase the Hamiltonian over several steps in a row, against an overall decrease (Fig. 18)",
        format!("{runs} rises of {:.1} steps each; H decreases from {first:.4} J to {last:.4} J", gains as f64 / runs.max(1) as f64), [above(runs as f64, 0.0).of("bumps"), above(gains as f64 / runs.max(1) as f64, 2.0).of("steps a bump"), below(last / first, 1.0).of("H at the end over the start's")],
);
    finding.plot(
        "fig18",
        Chart {
            title: "Hamiltonian under backward Euler, two springs".into(),
            x: Axis::linear("time, s"),
            y: Axis::linear("J"),
            series: vec![Series::line("backward-euler", points)],
        },
    );
    Ok(())
}
