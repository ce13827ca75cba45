//! [Dinev et al. 2018, Appendices A and B]: in a convex potential forward Euler never loses energy and backward Euler
//! never gains any.
//!
//! With g = ∇E and ‖g‖² in the norm of M⁻¹, the change of the Hamiltonian is E(x₁) − E(x₀) − (x₁ − x₀)·g(x₀) +
//! ½h²‖g(x₀)‖² for forward Euler [Dinev et al. 2018, eq. 43], and the negative of E(x₀) − E(x₁) + (x₁ − x₀)·g(x₁) +
//! ½h²‖g(x₁)‖² for backward Euler [Dinev et al. 2018, eq. 45]. Convexity gives the signs.

use base::random::Random;
use chart::{Axis, Chart, Series};
use march::{Curvature, Options, State, Stepper, System};
use problems::Chain;
use sparse::{Cholesky, LinearSolver};

use crate::check::{above, below};
use crate::potential_system::{PotentialEnergy, PotentialSystem};
use crate::scenes::{stepper, take_one_step};
use crate::{Finding, Job, PaperError, Table};

const N: usize = 4;

/// A convex potential ½ Σ aⱼ (dⱼ·u)² + ¼ Σ bⱼ (dⱼ·u)⁴ along random directions dⱼ with aⱼ, bⱼ ≥ 0.
struct Quartic {
    terms: Vec<(f64, f64, [f64; N])>,
}

impl Quartic {
    fn along<'a>(&'a self, u: &'a [f64]) -> impl Iterator<Item = (f64, f64, f64, &'a [f64; N])> {
        let dot = move |d: &[f64; N]| d.iter().zip(u).map(|(d, u)| d * u).sum::<f64>();
        self.terms.iter().map(move |(a, b, d)| (*a, *b, dot(d), d))
    }
}

impl PotentialEnergy for Quartic {
    fn energy(&self, u: &[f64]) -> f64 {
        let each = self.along(u);
        each.map(|(a, b, s, _)| 0.5 * a * s * s + 0.25 * b * s.powi(4))
            .sum()
    }

    fn derivative(&self, u: &[f64], i: usize) -> f64 {
        let each = self.along(u);
        each.map(|(a, b, s, d)| (a * s + b * s.powi(3)) * d[i])
            .sum()
    }

    fn second_derivative(&self, u: &[f64], i: usize, j: usize, _c: Curvature) -> f64 {
        let each = self.along(u);
        each.map(|(a, b, s, d)| (a + 3.0 * b * s * s) * d[i] * d[j])
            .sum()
    }
}

/// Returns a system with a random convex potential and a random mass matrix.
fn random_system(random: &mut Random) -> PotentialSystem<Quartic> {
    let terms = (0..6).map(|_| {
        let d = [(); N].map(|()| random.signed());
        (
            random.log_between(1e-2, 1e3),
            random.log_between(1e-2, 1e3),
            d,
        )
    });
    let potential = Quartic {
        terms: terms.collect(),
    };
    let rows: Vec<[f64; N]> = (0..N).map(|_| [(); N].map(|()| random.signed())).collect();
    let product = |i: usize, j: usize| (0..N).map(|k| rows[i][k] * rows[j][k]).sum::<f64>();
    PotentialSystem::new(
        N,
        |i, j| product(i, j) + if i == j { 0.3 } else { 0.0 },
        potential,
    )
}

/// One step of forward and one of backward Euler from the same start.
struct Pair {
    h: f64,
    /// The change of energy relative to the larger energy, and that by eqs. 43 and 45, for both methods.
    change: [f64; 2],
    formula: [f64; 2],
}

fn step(
    field: &mut PotentialSystem<Quartic>,
    stepper: &mut dyn Stepper,
    s: &State,
    h: f64,
) -> Result<State, PaperError> {
    let options = Options {
        tolerance: 1e-13,
        to_roundoff: true,
        ..Options::default()
    };
    take_one_step(Box::new(stepper), options, field, s.clone(), h)
        .map_err(PaperError::from_failure(format!("a step of {h} s")))
}

/// Returns the change of energy by eqs. 43 and 45: the deviation of the potential from its tangent where the force
/// acts, ± ½h²‖g‖².
fn formula(
    field: &PotentialSystem<Quartic>,
    path: [&State; 2],
    at: &State,
    signed_square: f64,
) -> f64 {
    let [from, to] = path;
    let g: Vec<f64> = (0..N)
        .map(|i| field.potential.derivative(&at.u, i))
        .collect();
    let mut a = g.clone();
    let mut mass = Cholesky::default();
    let solved = mass.factor(field.mass()).is_ok() && mass.solve(&mut a).is_ok();
    let norm: f64 = g.iter().zip(&a).map(|(g, a)| g * a).sum();
    let along: f64 = (0..N).map(|i| (to.u[i] - from.u[i]) * g[i]).sum();
    let bend = field.potential.energy(&to.u) - field.potential.energy(&from.u) - along;
    if solved {
        bend + 0.5 * signed_square * norm
    } else {
        f64::NAN
    }
}

fn pair(random: &mut Random) -> Result<Pair, PaperError> {
    let mut field = random_system(random);
    let mut vector = |size: f64| (0..N).map(|_| size * random.signed()).collect();
    let s = State {
        t: 0.0,
        u: vector(2.0),
        v: vector(10.0),
    };
    let h = random.log_between(1e-3, 1.0);
    let before = field.hamiltonian(&s.u, &s.v);
    let forward = step(&mut field, stepper("forward-euler")?.as_mut(), &s, h)?;
    let backward = step(&mut field, stepper("backward-euler")?.as_mut(), &s, h)?;
    let of = |end: &State, at: &State, signed_square: f64| {
        let after = field.hamiltonian(&end.u, &end.v);
        let scale = before.max(after);
        let formula = formula(&field, [&s, end], at, signed_square);
        ((after - before) / scale, formula / scale)
    };
    let forward = of(&forward, &s, h * h);
    let backward = of(&backward, &backward, -h * h);
    Ok(Pair {
        h,
        change: [forward.0, backward.0],
        formula: [forward.1, backward.1],
    })
}

/// Computes the changes of energy and checks the claims of the paper against the numbers.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let mut finding = Finding::default();
    let starts = job.size.pick(2000, 50_000);
    finding.parameter("starts", starts);
    finding.parameter("unknowns", N);
    finding.choice("Potentials are six random terms a/2 s^2 + b/4 s^4 along random directions with a and b from 1e-2 to 1e3; mass matrices are random; steps range from 1 ms to 1 s. Changes are relative to the larger of the two energies.");
    let mut random = Random::new(4);
    let pairs: Vec<Pair> = (0..starts)
        .map(|_| pair(&mut random))
        .collect::<Result<_, _>>()?;
    let names = ["forward-euler", "backward-euler"];
    let mut table = Table::new("changes", ["method", "least", "greatest", "off_formula"]);
    let mut worst = [0.0f64; 2];
    for (k, name) in names.into_iter().enumerate() {
        let all = || pairs.iter().map(|p| p.change[k]);
        let (least, most) = all().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), x| {
            (l.min(x), m.max(x))
        });
        let off = pairs.iter().map(|p| (p.change[k] - p.formula[k]).abs());
        worst[k] = off.fold(0.0, f64::max);
        table.line(name, [least, most, worst[k]]);
        let (id, says, check) = if k == 0 {
            (
                "forward-euler",
                "forward Euler never decreases the Hamiltonian of a convex potential (App. A)",
                above(least, -1e-13).of("relative change"),
            )
        } else {
            (
                "backward-euler",
                "backward Euler never increases the Hamiltonian of a convex potential (App. B)",
                below(most, 1e-13).of("relative change"),
            )
        };
        finding.claim(
            id,
            says,
            format!("relative changes from {least:.2e} to {most:.2e}"),
            check,
        );
    }
    finding.tables.push(table);
    finding.claim(
        "formulas",
        "the changes are those of eqs. (43) and (45)",
        format!(
            "they differ by at most {:.1e} and {:.1e}",
            worst[0], worst[1]
        ),
        worst.map(|w| below(w, 1e-11).of("difference")),
    );
    oscillator(&mut finding)?;
    let series = names.iter().enumerate().map(|(k, name)| {
        let points = pairs.iter().take(1500).map(|p| (p.h, p.change[k]));
        Series::markers(*name, points.collect())
    });
    finding.plot(
        "changes",
        Chart {
            title: "Change of energy in one step, convex potentials".into(),
            x: Axis::log("step, s"),
            y: Axis::linear("relative change"),
            series: series.collect(),
        },
    );
    Ok(finding)
}

/// Adds the claim that ½v² + ½w²u² grows by 1 + (hw)² under forward Euler and shrinks by it under backward Euler.
fn oscillator(finding: &mut Finding) -> Result<(), PaperError> {
    let mut worst = 0.0f64;
    for hw in [0.01, 0.3, 1.0, 7.0] {
        for (method, power) in [("forward-euler", 1.0), ("backward-euler", -1.0)] {
            let mut system = Chain::oscillator(hw);
            let start = State {
                t: 0.0,
                u: vec![0.4],
                v: vec![-0.9],
            };
            let before = system.energy(&start);
            let s = take_one_step(
                stepper(method)?,
                Options::default(),
                &mut system,
                start,
                1.0,
            )
            .map_err(PaperError::from_failure(method))?;
            let wanted = f64::powf(1.0 + hw * hw, power);
            worst = worst.max((system.energy(&s) / before / wanted - 1.0).abs());
        }
    }
    finding.claim(
        "oscillator",
        "on one oscillator the factors are 1 + (hw)^2 and its inverse",
        format!("they differ by at most {worst:.1e}"),
        below(worst, 1e-12).of("difference"),
    );
    Ok(())
}
