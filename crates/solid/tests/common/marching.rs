//! Every method there is, and stepping a model with it.

use march::methods::{Choice, Family, names};
use march::{Newton, Options, Parameters, StageSolver, State, find};
use solid::model::Model;

/// Every method of the registry but users' own tables.
pub fn choices() -> Vec<Choice> {
    let own = |c: &Choice| {
        matches!(
            c.method.family,
            Family::OwnRungeKutta | Family::OwnRosenbrock
        )
    };
    names()
        .iter()
        .map(|n| find(n).unwrap())
        .filter(|c| !own(c))
        .collect()
}

/// Steps a model and shows every state on the way.
pub fn march(
    choice: &Choice,
    model: &mut Model,
    s: &mut State,
    h: f64,
    steps: u32,
    mut see: impl FnMut(&mut Model, &State),
) {
    let mut solver = StageSolver::new(Options {
        tolerance: 1e-13,
        ..Options::default()
    });
    let mut stepper = choice
        .stepper(&Parameters::default(), Newton::Minimise)
        .unwrap();
    for k in 1..=steps {
        stepper
            .step(model, &mut solver, s, h)
            .unwrap_or_else(|why| panic!("{}: {why}", choice.name()));
        s.t = f64::from(k) * h;
        see(model, s);
    }
}
