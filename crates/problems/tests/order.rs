//! Every method of the registry has its declared order, measured on a forced, damped, nonlinear system with a coupled
//! mass matrix whose exact motion is known.

use march::methods::{Family, MethodChoice, Refresh, names};
use march::{Newton, Options, Parameters, TimeLoop, find};
use problems::Chain;

/// Error in position and velocity at `end` after `steps` steps.
fn error(choice: &MethodChoice, chain: &Chain, end: f64, steps: u32) -> f64 {
    let mut chain = chain.clone();
    let options = Options {
        tolerance: 1e-14,
        ..Options::default()
    };
    // Modes that are computed again at some step would make the error jump with the step length.
    let fixed = Parameters {
        refresh: Some(Refresh::Once),
        ..Parameters::default()
    };
    let stepper = choice
        .stepper(&fixed, Newton::Minimise)
        .or_else(|_| choice.stepper(&Parameters::default(), Newton::Minimise))
        .unwrap();
    let h = end / f64::from(steps);
    let mut time = TimeLoop::fixed(stepper, options, chain.exact(0.0), h);
    time.run(&mut chain, end, &mut |_, _| true).unwrap();
    let (s, exact) = (time.state(), chain.exact(end));
    let pairs = s.u.iter().zip(&exact.u).chain(s.v.iter().zip(&exact.v));
    pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// Observed order: the smallest over three runs, because the errors of one may cancel by chance.
fn order(choice: &MethodChoice) -> f64 {
    let hard = Chain::forced();
    let mut soft = hard.clone();
    (soft.hardening, soft.cubic_damping) = (3.0, 0.2);
    // Fine enough to be asymptotic, coarse enough to stay above round-off.
    let coarse = [320, 320, 1280, 800][choice.order() as usize - 1];
    let slope = |(chain, end): (&Chain, f64)| {
        let [e, finer] = [coarse, 2 * coarse].map(|steps| error(choice, chain, end, steps));
        (e / finer).log2()
    };
    [(&hard, 1.5), (&hard, 1.1), (&soft, 1.5)]
        .map(slope)
        .into_iter()
        .fold(f64::INFINITY, f64::min)
}

fn choices() -> Vec<MethodChoice> {
    let own = |c: &MethodChoice| {
        matches!(
            c.method.family,
            Family::UserRungeKutta | Family::UserRosenbrock
        )
    };
    names()
        .iter()
        .map(|n| find(n).unwrap())
        .filter(|c| !own(c))
        .collect()
}

#[test]
fn every_method_has_its_declared_order() {
    for choice in choices() {
        let order = order(&choice);
        let claimed = f64::from(choice.order());
        println!(
            "{:24} declared {claimed}, measured {order:.3}",
            choice.name()
        );
        assert!(
            (order - claimed).abs() < 0.15,
            "{} declares order {claimed}; measured {order:.3}",
            choice.name()
        );
    }
}
