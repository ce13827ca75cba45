//! Every method of the registry has the order it claims, measured on a forced, damped, nonlinear system with a
//! coupled mass matrix whose exact motion is known.

use march::methods::{Choice, Family, names};
use march::problems::Chain;
use march::{Newton, Options, Parameters, StageSolver, find};

/// Error at t = 1.5 s after steps of h, in position and velocity.
fn error(choice: &Choice, steps: u32) -> f64 {
    let mut chain = Chain::forced();
    let mut solver = StageSolver::new(Options { tolerance: 1e-13, ..Options::default() });
    let mut stepper = choice.stepper(&Parameters::default(), Newton::Minimise).unwrap();
    let (mut s, end) = (chain.exact(0.0), 1.5);
    let h = end / f64::from(steps);
    for _ in 0..steps {
        stepper.step(&mut chain, &mut solver, &mut s, h).unwrap();
    }
    let exact = chain.exact(end);
    let pairs = s.u.iter().zip(&exact.u).chain(s.v.iter().zip(&exact.v));
    pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

fn choices() -> Vec<Choice> {
    let own = |c: &Choice| matches!(c.method.family, Family::OwnRungeKutta | Family::OwnRosenbrock);
    names().iter().map(|n| find(n).unwrap()).filter(|c| !own(c)).collect()
}

#[test]
fn every_method_has_the_order_it_claims() {
    for choice in choices() {
        // Fine enough to be asymptotic, coarse enough to stay above round-off.
        let coarse = [160, 160, 1280, 320][choice.order() as usize - 1];
        let errors = [coarse, 2 * coarse].map(|steps| error(&choice, steps));
        let order = (errors[0] / errors[1]).log2();
        let claimed = f64::from(choice.order());
        println!("{:24} claims {claimed}, measures {order:.3} (errors {errors:?})", choice.name());
        assert!((order - claimed).abs() < 0.15, "{} claims order {claimed}, measures {order:.3}", choice.name());
    }
}
