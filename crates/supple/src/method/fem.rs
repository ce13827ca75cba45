//! A finite element body with a moving boundary: soft, large strains, shaken at one end, coarse enough that a second
//! of it takes milliseconds.

use march::analysis::{Run, order::Ladder, order_on};
use march::{Newton, Options, Parameters, State, Stepper, TimeLoop, find};
use scene::build::build;
use scene::error::SceneErrors;
use scene::session::Session;
use scene::spec::Source;

/// `METHOD` stands for the method in question.
const BODY: &str = r#"
gravity = [0.0, 0.0, 0.0]
[time]
step = 0.01
until = 1.0
method = METHOD
[[body]]
mesh = { box = { size = [2.0, 1.0, 1.0], cells = [2, 1, 1], element = "hex8" } }
material = { law = "stable-neo-hookean", young = 1e3, poisson = 0.3, density = 1000 }
damping = { mass = 0.3 }
velocity = { angular = [0.0, 0.0, 0.4] }
[[body.fix]]
where = { x = 0.0 }
motion = { shake = { axis = "y", amplitude = 0.1, frequency = 0.4 } }
"#;

/// End of the run, s.
const END: f64 = 1.6;
/// Steps of the reference, four times those of the finest run; its method is of the highest order there is.
const REFERENCE: u32 = 2560;

/// The body, to be marched by the method of these words.
pub fn body(method: &str) -> Result<Session, SceneErrors> {
    let source = Source::new("method", &BODY.replace("METHOD", method))?;
    build(source.scene()?, &source)
}

/// The order of a stepper on the body, against a fine run of rodas4.
pub fn order(body: &mut Session, stepper: &mut dyn Stepper) -> anyhow::Result<Option<f64>> {
    // Below what the reference is good for.
    let options = Options {
        tolerance: 1e-12,
        ..body.options
    };
    let truth = reference(body, options)?;
    let (system, start) = body.model_and_state();
    let run = &mut Run {
        system,
        start,
        truth: &truth,
        options,
    };
    let ladder = Ladder {
        first: 20,
        last: 640,
        floor: 1e-10,
    };
    Ok(order_on(stepper, run, ladder)?.order)
}

fn reference(body: &mut Session, options: Options) -> anyhow::Result<State> {
    let stepper = find("rodas4")?.stepper(&Parameters::default(), Newton::Minimise)?;
    let h = END / f64::from(REFERENCE);
    let (system, start) = body.model_and_state();
    let mut time = TimeLoop::fixed(stepper, options, start.clone(), h);
    time.run(system, END, &mut |_, _| true)?;
    Ok(time.state().clone())
}
