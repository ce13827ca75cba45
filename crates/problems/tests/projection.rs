//! Energy projection of velocities, on steps with closed forms.

use march::{Corrected, Newton, Options, Parameters, State, TimeLoop, VelocityProjection, find};
use problems::Chain;

const W: f64 = 3.0;
const H: f64 = 0.4;

/// Time loop with steps of length `h` of a projected method, with a ledger.
fn projected(base: &str, chain: &mut Chain, start: State, h: f64) -> TimeLoop<'static> {
    let base = find(base).unwrap();
    let base = base
        .stepper(&Parameters::default(), Newton::Minimise)
        .unwrap();
    let options = Options {
        tolerance: 1e-14,
        to_roundoff: true,
        ..Options::default()
    };
    let stepper = Corrected::new(base, VelocityProjection::new(1e-12));
    let mut time = TimeLoop::fixed(Box::new(stepper), options, start, h);
    time.keep_ledger(chain);
    time
}

fn state(u: f64, v: f64) -> State {
    State {
        t: 0.0,
        u: vec![u],
        v: vec![v],
    }
}

fn energy(u: f64, v: f64) -> f64 {
    0.5 * v * v + 0.5 * W * W * u * u
}

/// u₁ = (u + h v)/(1 + h²w²) is the backward Euler step; v₁ has its sign, and the magnitude that the energy requires.
#[test]
fn backward_euler_projected_has_the_energy_of_its_start() {
    let mut chain = Chain::oscillator(W);
    let mut time = projected("backward-euler", &mut chain, state(0.6, 1.1), H);
    let wanted = energy(0.6, 1.1);
    let (mut u, mut v) = (0.6, 1.1);
    for step in 0..100 {
        let taken = time.step(&mut chain, 100.0 * H).unwrap().unwrap();
        let s = time.state();
        let x: f64 = (u + H * v) / (1.0 + H * H * W * W);
        let y = v - H * W * W * x;
        // The tolerance is met while the potential energy of backward Euler stays below the total.
        v = y.signum() * (2.0 * wanted - W * W * x * x).sqrt();
        u = x;
        assert!(
            (s.u[0] - u).abs() < 1e-9 && (s.v[0] - v).abs() < 1e-9,
            "{step}"
        );
        assert!(
            (energy(s.u[0], s.v[0]) / wanted - 1.0).abs() < 1e-13,
            "{step}"
        );
        assert!(!taken.report.tolerance_missed);
        assert_eq!(taken.report.blend, 0.0);
        // The loss of backward Euler and the gain of the projection are both numerical and cancel.
        let entry = taken.entry;
        assert!(entry.numerical.abs() < 1e-12 * wanted, "{entry:?}");
        assert!(entry.residual.abs() < 1e-12 * wanted, "{entry:?}");
    }
}

/// From u = 0 forward Euler reaches h v, whose potential energy is (h w)² times the initial energy.
#[test]
fn kinetic_energy_cannot_be_less_than_zero() {
    let mut chain = Chain::oscillator(W);
    let mut time = projected("forward-euler", &mut chain, state(0.0, 2.0), H);
    let step = time.step(&mut chain, H).unwrap().unwrap();
    let s = time.state();
    assert!((s.u[0] - 2.0 * H).abs() < 1e-15);
    assert_eq!(s.v[0], 0.0);
    assert!(step.report.tolerance_missed);
    let entry = step.entry;
    let over = (H * W).powi(2) - 1.0;
    assert!((entry.change - 2.0 * over).abs() < 1e-12, "{entry:?}");
    assert!((entry.numerical - 2.0 * over).abs() < 1e-12, "{entry:?}");
    // Half the step is short enough: 0.6² of the energy is potential.
    let h = 0.5 * H;
    let mut time = projected("forward-euler", &mut chain, state(0.0, 2.0), h);
    let step = time.step(&mut chain, h).unwrap().unwrap();
    assert!((time.state().v[0] - 2.0 * 0.8).abs() < 1e-13);
    assert!(!step.report.tolerance_missed);
}

/// A body at rest has no velocity to scale.
#[test]
fn rest_stays_rest() {
    let mut chain = Chain::oscillator(W);
    let mut time = projected("backward-euler", &mut chain, state(0.0, 0.0), H);
    let step = time.step(&mut chain, H).unwrap().unwrap();
    let s = time.state();
    assert_eq!((s.u[0], s.v[0]), (0.0, 0.0));
    assert!(!step.report.tolerance_missed);
}
