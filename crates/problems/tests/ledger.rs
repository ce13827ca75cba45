//! Energy ledger on systems with known energy changes. The numerical part is a remainder, so every other channel is
//! checked.

mod common;

use common::{CORRECTIONS, TOLERANCE, WRAPPERS, Wrapper, choices};
use march::ledger::LedgerEntry;
use march::{Newton, Options, State, Stepper, System, TimeLoop, find};
use problems::Chain;

/// Takes steps with a ledger; returns the states before and after every step with its entry.
fn booked_run(
    name: &str,
    chain: &Chain,
    tolerance: f64,
    h: f64,
    steps: u32,
) -> Vec<(State, State, LedgerEntry)> {
    let stepper = Wrapper::Plain.stepper(&find(name).unwrap(), Newton::Minimise);
    booked(stepper, chain, tolerance, h, steps)
}

fn booked(
    stepper: Box<dyn Stepper>,
    chain: &Chain,
    tolerance: f64,
    h: f64,
    steps: u32,
) -> Vec<(State, State, LedgerEntry)> {
    let mut chain = chain.clone();
    let options = Options {
        tolerance,
        ..Options::default()
    };
    let start = if chain.motion.is_empty() {
        State {
            t: 0.0,
            u: vec![0.3, -0.2, 0.5],
            v: vec![1.0, 0.4, -0.7],
        }
    } else {
        chain.exact(0.0)
    };
    let mut time = TimeLoop::fixed(stepper, options, start, h);
    time.keep_ledger(&mut chain);
    let mut out = Vec::new();
    time.run(&mut chain, f64::from(steps) * h, &mut |time, step| {
        out.push((time.previous().clone(), time.state().clone(), step.entry));
        true
    })
    .unwrap();
    assert_eq!(out.len(), steps as usize);
    out
}

fn linear() -> Chain {
    let mut chain = Chain::new(3);
    chain.stiffness = 40.0;
    chain
}

/// xᵀM x and xᵀK x of a chain.
fn squares(chain: &mut Chain, x: &[f64]) -> (f64, f64) {
    let mut mx = vec![0.0; x.len()];
    chain.mass().times(x, &mut mx);
    let mass = mx.iter().zip(x).map(|(m, x)| m * x).sum();
    (
        mass,
        2.0 * chain.energy(&State {
            t: 0.0,
            u: x.to_vec(),
            v: vec![0.0; x.len()],
        }),
    )
}

#[test]
fn midpoint_and_trapezoid_have_no_numerical_part_on_linear_systems() {
    for name in ["implicit-midpoint", "trapezoid", "newmark"] {
        for (_, s, entry) in booked_run(name, &linear(), 1e-14, 0.1, 50) {
            let scale = linear().energy(&s);
            assert!(entry.numerical.abs() < 1e-12 * scale, "{name}: {entry:?}");
            assert_eq!((entry.damping, entry.work), (0.0, 0.0), "{name}");
        }
    }
}

#[test]
fn backward_euler_loses_half_the_squared_jumps() {
    for (before, after, entry) in booked_run("backward-euler", &linear(), 1e-14, 0.1, 20) {
        let difference =
            |x: &[f64], y: &[f64]| -> Vec<f64> { x.iter().zip(y).map(|(x, y)| x - y).collect() };
        let (jump, _) = squares(&mut linear(), &difference(&after.v, &before.v));
        let (_, stretch) = squares(&mut linear(), &difference(&after.u, &before.u));
        let want = -0.5 * jump - 0.5 * stretch;
        assert!(
            (entry.numerical - want).abs() < 1e-12 * want.abs().max(1.0),
            "{entry:?} {want}"
        );
    }
}

#[test]
fn midpoint_books_damping_exactly() {
    let mut chain = linear();
    chain.damping = 0.7;
    for (before, after, entry) in booked_run("implicit-midpoint", &chain, 1e-14, 0.1, 50) {
        let mean: Vec<f64> = before
            .v
            .iter()
            .zip(&after.v)
            .map(|(a, b)| 0.5 * (a + b))
            .collect();
        // v̄ᵀDv̄ with the damper's matrix, that of the springs times c/k.
        let (_, k) = squares(&mut linear(), &mean);
        let want = -0.1 * 0.7 / 40.0 * k;
        assert!((entry.damping - want).abs() < 1e-12, "{entry:?} {want}");
        assert!(entry.numerical.abs() < 1e-12, "{entry:?}");
    }
}

#[test]
fn loose_newton_shows_as_residual_and_not_as_numerical() {
    let mut chain = linear();
    chain.hardening = 400.0;
    let sums = |tolerance: f64| {
        let entries = booked_run("backward-euler", &chain, tolerance, 0.1, 30);
        let sum = |pick: fn(&LedgerEntry) -> f64| {
            entries.iter().map(|(_, _, e)| pick(e).abs()).sum::<f64>()
        };
        (sum(|e| e.residual), sum(|e| e.numerical))
    };
    let (tight, numerical) = sums(1e-13);
    let (loose, same) = sums(1e-2);
    assert!(loose > 1e6 * tight, "residual {loose} loose, {tight} tight");
    assert!(
        (same - numerical).abs() < 0.05 * numerical,
        "numerical {same} loose, {numerical} tight"
    );
}

/// The numerical part of wrapped methods is not checked: a correction or a start-up changes it.
#[test]
fn every_method_closes_and_its_numerical_part_vanishes_with_the_step() {
    let chain = Chain::forced();
    for choice in choices() {
        for wrapper in WRAPPERS {
            let name = format!("{} {wrapper:?}", choice.name());
            let worst = |h: f64| {
                let stepper = wrapper.stepper(&choice, Newton::Minimise);
                let entries = booked(stepper, &chain, 1e-13, h, (0.5 / h) as u32);
                for (before, after, e) in &entries {
                    let change = chain.energy(after) - chain.energy(before);
                    let sum =
                        e.damping + e.friction + e.contact + e.numerical + e.residual + e.work;
                    assert!(
                        (change - sum).abs() < 1e-10 * chain.energy(after),
                        "{name}: {e:?}"
                    );
                    assert!(e.damping < 0.0, "{name} books no damping: {e:?}");
                    assert!(e.work != 0.0, "{name} books no work: {e:?}");
                }
                entries
                    .iter()
                    .map(|(_, _, e)| e.numerical + e.residual)
                    .sum::<f64>()
                    .abs()
            };
            let (coarse, fine) = (worst(0.02), worst(0.005));
            assert!(
                wrapper != Wrapper::Plain || fine < 0.5 * coarse || fine < 1e-9,
                "{name}: {coarse:.2e} then {fine:.2e}"
            );
        }
    }
}

/// The numerical part of a corrected run is exactly the energy error that the correction left.
#[test]
fn corrected_methods_stay_on_the_budget_of_the_ledger() {
    let options = Options {
        tolerance: 1e-13,
        ..Options::default()
    };
    for wrapper in CORRECTIONS {
        let mut corrected = 0;
        for choice in choices() {
            let mut chain = Chain::forced();
            let start = chain.exact(0.0);
            let mut scale = chain.energy(&start);
            let stepper = wrapper.stepper(&choice, Newton::Minimise);
            let mut time = TimeLoop::fixed(stepper, options, start, 0.02);
            time.keep_ledger(&mut chain);
            let mut error = 0.0;
            time.run(&mut chain, 0.5, &mut |time, step| {
                error += step.entry.numerical + step.entry.residual;
                scale = time.energy().unwrap().kinetic_plus_strain().max(scale);
                let name = choice.name();
                if !step.report.tolerance_missed {
                    corrected += 1;
                    assert!(
                        error.abs() < 1.1 * TOLERANCE * scale,
                        "{name} {wrapper:?}: {error:e} J of {scale} J"
                    );
                }
                true
            })
            .unwrap();
        }
        assert!(corrected > 1000, "{wrapper:?}: {corrected}");
    }
}
