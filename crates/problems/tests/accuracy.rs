//! Iterations that stop at a fraction of the error of the step: fewer iterations, the same order, nearly the same
//! error.

use march::{Accuracy, Newton, Options, Parameters, TimeLoop, find};
use problems::Chain;

const METHODS: [&str; 9] = [
    "backward-euler",
    "implicit-midpoint",
    "newmark",
    "bdf2",
    "sdirk2",
    "tr-bdf2",
    "sdirk3",
    "sdirk-ncs23",
    "sdirk-nc34",
];

/// Error at the end of a run of `steps` steps, and its Newton iterations.
fn run(name: &str, share: Option<f64>, tolerance: f64, steps: u32) -> (f64, u64) {
    let choice = find(name).unwrap();
    let order = choice.order();
    let mut chain = Chain::forced();
    let options = Options {
        tolerance,
        accuracy: share.map(|share| Accuracy { share, order }),
        ..Options::default()
    };
    let stepper = choice
        .stepper(&Parameters::default(), Newton::Minimise)
        .unwrap();
    let end = 1.5;
    let h = end / f64::from(steps);
    let mut iterations = 0;
    let mut time = TimeLoop::fixed(stepper, options, chain.exact(0.0), h);
    time.run(&mut chain, end, &mut |_, step| {
        iterations += step.report.counts.newton;
        true
    })
    .unwrap();
    let (s, exact) = (time.state(), chain.exact(end));
    let pairs = s.u.iter().zip(&exact.u).chain(s.v.iter().zip(&exact.v));
    let error = pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    (error, iterations)
}

#[test]
fn early_termination_keeps_the_order() {
    for name in METHODS {
        let claimed = f64::from(find(name).unwrap().order());
        let steps = if claimed < 3.0 { 320 } else { 160 };
        // The tolerance cannot be reached, so only the error of the step ends an iteration early.
        let [coarse, fine] = [steps, 2 * steps].map(|n| run(name, Some(0.01), 1e-14, n).0);
        let (truth, _) = run(name, None, 1e-14, 2 * steps);
        let order = (coarse / fine).log2();
        println!("{name:20} order {order:.3}, error {fine:.3e}, without `accuracy` {truth:.3e}");
        assert!(order > claimed - 0.15, "{name}: order {order:.3}");
        assert!(
            (fine / truth - 1.0).abs() < 0.1,
            "{name}: {fine:e}, {truth:e}"
        );
    }
}

#[test]
fn early_termination_saves_iterations() {
    let mut sums = [0; 2];
    for name in METHODS {
        let (error, some) = run(name, Some(0.01), 1e-8, 40);
        let (truth, all) = run(name, None, 1e-8, 40);
        println!(
            "{name:20} {some} iterations, without `accuracy` {all}; error {error:.3e}, without {truth:.3e}"
        );
        assert!(
            some <= all,
            "{name}: {some} iterations, without `accuracy` {all}"
        );
        assert!(
            (error / truth - 1.0).abs() < 0.05,
            "{name}: {error:e}, {truth:e}"
        );
        sums = [sums[0] + some, sums[1] + all];
    }
    assert!(5 * sums[0] < 4 * sums[1], "{sums:?}");
}
