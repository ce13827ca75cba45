//! No method assembles, factors or solves more than its mathematics needs: counts per step on a linear system.

use certify::cost::count_work;
use march::methods::{AdditiveScheme, AdditiveStages, Family, MethodChoice, names};
use march::{Counts, FactorLifetime, Newton, Options, Parameters, TimeLoop, find};
use problems::Chain;

/// Settings without reuse of factors over steps: the counts are those of the method itself.
fn own_factors() -> Options {
    Options {
        factor_lifetime: FactorLifetime::WithinStep,
        ..Options::default()
    }
}

/// Counts of each of `steps` steps of a method from the exact motion of a chain, and the symbolic analyses of the run.
fn counted(name: &str, options: Options, chain: &Chain, h: f64, steps: u32) -> (Vec<Counts>, u64) {
    let mut chain = chain.clone();
    let stepper = find(name)
        .unwrap()
        .stepper(&Parameters::default(), Newton::Minimise)
        .unwrap();
    let mut time = TimeLoop::fixed(stepper, options, chain.exact(0.0), h);
    let mut counts = Vec::new();
    time.run(&mut chain, f64::from(steps) * h, &mut |_, step| {
        counts.push(step.report.counts);
        true
    })
    .unwrap();
    assert_eq!(counts.len(), steps as usize, "{name}");
    (counts, time.solver().analyses())
}

fn sum(counts: &[Counts]) -> Counts {
    let mut sum = Counts::default();
    counts.iter().for_each(|c| sum.add(c));
    sum
}

/// Cost that a step of a method must have: assemblies, factorizations, solves, force evaluations.
fn needed(choice: &MethodChoice) -> [u64; 4] {
    // A stage solved by Newton's method on linear forces: one solve, and one force evaluation before and one after it
    // for the convergence check; `s-` methods have no check.
    let semi = choice.prefix == march::Prefix::Semi;
    let forces = if semi { 1 } else { 2 };
    match choice.method.family {
        Family::RungeKutta(table) => {
            let mut diagonal: Vec<f64> = table
                .a
                .iter()
                .filter_map(|row| row.last().copied())
                .collect();
            diagonal.retain(|x| *x != 0.0);
            let implicit = diagonal.len() as u64;
            // Consecutive stages with the same diagonal share a matrix; `s-` linearises each at its own state.
            diagonal.dedup_by(|x, y| (*x - *y).abs() < 1e-12);
            let matrices = if semi {
                implicit
            } else {
                diagonal.len() as u64
            };
            let stages = table.b.len() as u64;
            let ends_on_stage = table.a.last().is_some_and(|row| *row == table.b);
            // An explicit first stage is the last stage of the previous step, if that is the result.
            let cached = u64::from(implicit > 0 && ends_on_stage && implicit < stages);
            let explicit = stages - implicit - cached;
            [
                matrices,
                matrices,
                implicit + explicit,
                forces * implicit + explicit,
            ]
        }
        Family::Rosenbrock(table) => {
            let stages = table.m.len() as u64;
            [1, 1, stages, stages]
        }
        Family::SymplecticEuler | Family::CentralDifference => [0, 0, 1, 1],
        // The modes of linear forces never change: their correction takes no solve. The rates at the start of a step take a
        // solve with the mass matrix, and the force of the inner stage is evaluated again where it is the start of the
        // second.
        Family::Additive(scheme, stages) => {
            let linearised = semi || stages == AdditiveStages::Linearised;
            // The first iteration extrapolates loads linearly in time, so a second one follows.
            let (iterations, forces) = if linearised { (1, 1) } else { (2, 3) };
            match scheme {
                AdditiveScheme::BackwardEuler | AdditiveScheme::Bdf2 => [1, 1, iterations, forces],
                AdditiveScheme::TrBdf2 => [2, 2, 2 * iterations + 1, 2 * forces],
                AdditiveScheme::ExactTrBdf2 => [1, 1, 2 * iterations + 1, 2 * forces],
            }
        }
        _ => [1, 1, 1, forces],
    }
}

#[test]
fn a_step_costs_what_its_mathematics_needs() {
    let linear = Chain::forced().cubic(0.0, 0.0);
    let steps = 10;
    for name in names() {
        let choice = find(&name).unwrap();
        if matches!(
            choice.method.family,
            // The exponential takes as many products as its error needs.
            Family::UserRungeKutta | Family::UserRosenbrock | Family::ExponentialEuler
        ) {
            continue;
        }
        let mut stepper = choice
            .stepper(&Parameters::default(), Newton::Minimise)
            .unwrap();
        let r = count_work(stepper.as_mut(), &linear, 0.05, steps).unwrap();
        let found = [r.assemblies, r.factorizations, r.solves, r.forces];
        let want = needed(&choice).map(|each| each * u64::from(steps));
        assert_eq!(
            found, want,
            "{name}: assemblies, factorizations, solves, forces of {steps} steps"
        );
        assert_eq!([r.projections, r.backtracks], [0, 0], "{name}");
    }
}

#[test]
fn the_mass_matrix_is_factored_once() {
    for name in [
        "forward-euler",
        "symplectic-euler",
        "explicit-midpoint",
        "rk4",
        "central-difference",
    ] {
        let (counts, _) = counted(name, own_factors(), &Chain::forced(), 0.01, 25);
        let sum = sum(&counts);
        assert_eq!(sum.factorizations, 1, "{name}");
        assert_eq!(sum.assemblies, 0, "{name}");
    }
}

#[test]
fn the_pattern_is_analysed_once() {
    for name in [
        "backward-euler",
        "sdirk2",
        "bdf2",
        "newmark",
        "ros3p",
        "s-tr-bdf2",
    ] {
        let (counts, analyses) = counted(name, own_factors(), &Chain::forced(), 0.01, 25);
        assert!(sum(&counts).factorizations >= 25, "{name}");
        assert_eq!(analyses, 1, "{name}");
    }
}

#[test]
fn a_method_that_starts_explicitly_solves_with_the_mass_once() {
    for name in [
        "tr-bdf2",
        "tr-bdf2-bathe",
        "trapezoid",
        "newmark",
        "generalized-alpha",
        "hht-alpha",
    ] {
        let linear = Chain::forced().cubic(0.0, 0.0);
        let (counts, _) = counted(name, own_factors(), &linear, 0.05, 4);
        let counts: Vec<_> = counts
            .iter()
            .map(|c| [c.factorizations, c.solves])
            .collect();
        let later = counts[1];
        assert_eq!(
            counts[0],
            later.map(|x| x + 1),
            "{name}: the first step factors and solves with the mass too"
        );
        assert_eq!(counts[1..], [later; 3], "{name}");
    }
}

/// On a linear system the first factors are reused by all steps of every method whose stages share a matrix; on a
/// nonlinear one they are renewed, less often the shorter the steps are.
#[test]
fn factors_are_reused_over_steps_while_they_converge() {
    let factorizations_of = |name: &str, chain: &Chain, h: f64| {
        sum(&counted(name, Options::default(), chain, h, 40).0).factorizations
    };
    for name in ["backward-euler", "implicit-midpoint", "sdirk2", "sdirk3"] {
        let linear = factorizations_of(name, &Chain::forced().cubic(0.0, 0.0), 0.05);
        assert_eq!(linear, 1, "{name}");
        let factorizations =
            [0.2, 0.02, 0.002].map(|h| factorizations_of(name, &Chain::forced(), h));
        assert!(
            factorizations.is_sorted_by(|a, b| a > b),
            "{name}: {factorizations:?}"
        );
        assert!(factorizations[2] <= 8, "{name}: {factorizations:?}");
    }
    // Semi-implicit and Rosenbrock methods need the exact tangent at the start of every step.
    for name in ["s-backward-euler", "ros3p"] {
        assert_eq!(
            factorizations_of(name, &Chain::forced(), 0.002),
            40,
            "{name}"
        );
    }
}
