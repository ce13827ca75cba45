//! All integration methods, and time stepping of a model with one of them.

use march::methods::{Family, MethodChoice, names};
use march::{Newton, Options, Parameters, State, TimeLoop, find};
use solid::model::Model;

/// All methods of the registry except users' own tables.
pub fn choices() -> Vec<MethodChoice> {
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

/// Integrates a model, calls `see` with every state, and leaves the last state in `s`.
pub fn march(
    choice: &MethodChoice,
    model: &mut Model,
    s: &mut State,
    h: f64,
    steps: u32,
    mut see: impl FnMut(&mut Model, &State),
) {
    let options = Options {
        tolerance: 1e-13,
        ..Options::default()
    };
    let stepper = choice
        .stepper(&Parameters::default(), Newton::Minimise)
        .unwrap();
    let end = s.t + f64::from(steps) * h;
    let mut time = TimeLoop::fixed(stepper, options, s.clone(), h);
    for _ in 0..steps {
        let step = time
            .step(model, end)
            .unwrap_or_else(|why| panic!("{}: {why}", choice.name()));
        assert!(
            step.is_some(),
            "{}: fewer steps than asked for",
            choice.name()
        );
        see(model, time.state());
    }
    s.copy_from(time.state());
}
