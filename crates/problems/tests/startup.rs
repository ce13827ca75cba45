//! Rannacher start-up on an oscillator.

use march::families::startup::RannacherStartup;
use march::{Newton, Options, Parameters, State, System, TimeLoop, find};
use problems::Chain;

/// Energy of an oscillator after twenty steps of 1 s, relative to the start.
fn energy_ratio(w: f64) -> f64 {
    let method = find("implicit-midpoint").unwrap();
    let method = method.stepper(&Parameters::default(), Newton::Minimise);
    let stepper = Box::new(RannacherStartup::new(method.unwrap()));
    let mut chain = Chain::oscillator(w);
    let options = Options {
        tolerance: 1e-13,
        ..Options::default()
    };
    let start = State {
        t: 0.0,
        u: vec![1.0],
        v: vec![0.0],
    };
    let energy =
        |chain: &mut Chain, at: &State| (chain as &mut dyn System).energy_at(at.at()).total();
    let first = energy(&mut chain, &start);
    let mut time = TimeLoop::fixed(stepper, options, start, 1.0);
    time.run(&mut chain, 20.0, &mut |_, _| true).unwrap();
    energy(&mut chain, time.state()) / first
}

/// Backward Euler keeps 1/(1 + (hω)²) of the energy of an oscillator in every step, the midpoint rule all of it.
#[test]
fn backward_euler_continues_while_it_dissipates_more_than_a_tenth() {
    let step = |w: f64| 1.0 / (1.0 + w * w);
    for (w, expected) in [(0.32, step(0.32)), (0.35, step(0.35).powi(20))] {
        let ratio = energy_ratio(w);
        assert!((ratio - expected).abs() < 1e-10, "{w}: {ratio}");
    }
}
