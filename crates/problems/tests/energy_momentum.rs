//! Projection onto energy and momenta, and the energy multiplier, on systems with closed forms.

mod common;

use common::Wrapper;
use march::{Newton, Options, State, TimeLoop, find};
use problems::Chain;

const W: f64 = 3.0;

fn energy(s: &State) -> f64 {
    0.5 * s.v[0] * s.v[0] + 0.5 * W * W * s.u[0] * s.u[0]
}

/// Time at the end, s: the velocity does not vanish before, where the change of energy per change of velocity would.
const UNTIL: f64 = 0.5;

/// Distance from the exact motion u = A cos ωt + B sin ωt from (−0.6, 1.1).
fn distance(s: &State) -> f64 {
    let (a, b) = (-0.6, 1.1 / W);
    let (sin, cos) = (W * s.t).sin_cos();
    let (u, v) = (a * cos + b * sin, W * (b * cos - a * sin));
    (s.u[0] - u).hypot((s.v[0] - v) / W)
}

/// Final state of an oscillator that starts at (−0.6, 1.1), and the largest distance from the exact motion and
/// energy error on the way.
fn swing(wrapper: Wrapper, method: &str, steps: u32) -> (State, f64, f64) {
    let mut chain = Chain::oscillator(W);
    let start = State {
        t: 0.0,
        u: vec![-0.6],
        v: vec![1.1],
    };
    let wanted = energy(&start);
    let stepper = wrapper.stepper(&find(method).unwrap(), Newton::Minimise);
    let options = Options {
        tolerance: 1e-14,
        to_roundoff: true,
        ..Options::default()
    };
    let mut time = TimeLoop::fixed(stepper, options, start, UNTIL / f64::from(steps));
    time.keep_ledger(&mut chain);
    let (mut error, mut drift): (f64, f64) = (0.0, 0.0);
    while let Some(step) = time.step(&mut chain, UNTIL).unwrap() {
        assert!(!step.report.tolerance_missed, "{wrapper:?} {method}");
        error = error.max(distance(time.state()));
        drift = drift.max((energy(time.state()) / wanted - 1.0).abs());
        let entry = step.entry;
        let sum = entry.damping + entry.work + entry.residual + entry.numerical;
        assert!((entry.change - sum).abs() < 1e-12 * wanted);
    }
    (time.state().clone(), error, drift)
}

/// The corrections keep the energy, and the order of a one-step method. A multistep method starts anew after a corrected step.
#[test]
fn energy_is_kept_and_so_is_the_order() {
    for wrapper in [Wrapper::EnergyMomentumProjection, Wrapper::EnergyMultiplier] {
        for (method, order) in [
            ("backward-euler", 1.0),
            ("symplectic-euler", 1.0),
            ("sdirk2", 2.0),
            ("tr-bdf2", 2.0),
            ("sdirk3", 3.0),
            ("rk4", 4.0),
        ] {
            let runs = [160, 320].map(|steps| swing(wrapper, method, steps));
            for (_, _, drift) in &runs {
                assert!(*drift < 1.1e-9, "{wrapper:?} {method}: {drift:e}");
            }
            let [coarse, fine] = runs.map(|(_, error, _)| error);
            let measured = (coarse / fine).log2();
            assert!(
                (measured - order).abs() < 0.3,
                "{wrapper:?} {method}: {measured} ({coarse:e}, {fine:e})"
            );
        }
    }
}

/// Around the trapezoidal rule the multiplier solves the equations of Hughes, Caughey & Liu: for one unknown they determine
/// both λ and the step, with v = 2 (u − u₀)/h − v₀ and the energy of the start. A trapezoidal step of a linear oscillator has
/// that energy already, so λ = 0.
#[test]
fn a_linear_oscillator_needs_no_multiplier() {
    let (end, _, drift) = swing(Wrapper::EnergyMultiplier, "trapezoid", 10);
    let (plain, ..) = swing(Wrapper::Plain, "trapezoid", 10);
    assert!(drift < 1e-13);
    assert_eq!(end, plain);
}
