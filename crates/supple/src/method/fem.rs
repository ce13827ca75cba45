//! Measures the order of a method on a small finite element body.
//!
//! The body is soft, strains are large and one end is shaken. The mesh is coarse: a simulated second takes milliseconds.

use certify::{ConvergenceProblem, measure_order, order::Refinement};
use march::{Newton, Options, Parameters, State, Stepper, TimeLoop, find};
use scene::build::build;
use scene::error::SceneErrors;
use scene::session::Session;
use scene::spec::Source;

/// Scene of the body; `METHOD` is replaced by the method.
const BODY_SCENE: &str = r#"
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
const END_TIME: f64 = 1.6;
/// Number of steps of the reference solution: four times that of the finest run, with a fourth-order method.
const REFERENCE_STEPS: u32 = 2560;

/// Builds the body with a method, given as a TOML value.
pub fn body(method: &str) -> Result<Session, SceneErrors> {
    let source = Source::new("method", &BODY_SCENE.replace("METHOD", method))?;
    build(source.scene()?, &source)
}

/// Builds the body with implicit stiffness damping and viscosity.
pub fn viscous_body(method: &str) -> Result<Session, SceneErrors> {
    let text = BODY_SCENE
        .replace("METHOD", method)
        .replace("mass = 0.3", "stiffness = 0.01, rate = \"implicit\"")
        .replace(
            "density = 1000",
            "density = 1000, viscosity = { shear = 20.0, bulk = 10.0 }",
        );
    let source = Source::new("method", &text)?;
    build(source.scene()?, &source)
}

/// Measures the order of a stepper on the body against a fine run of rodas4.
pub fn order(body: &mut Session, stepper: &mut dyn Stepper) -> anyhow::Result<Option<f64>> {
    let refinement = Refinement {
        first: 20,
        last: 640,
        floor: 1e-10,
    };
    order_against(body, stepper, ("rodas4", REFERENCE_STEPS), refinement)
}

/// Measures the order of a stepper on the viscous body against a fine run of rk4.
///
/// Damping by a projected stiffness matrix has kinks where an eigenvalue changes sign. Each leaves an error of order h²
/// with a small factor, which is visible below 10⁻⁷. Errors above that show the order of the method.
pub fn viscous_order(body: &mut Session, stepper: &mut dyn Stepper) -> anyhow::Result<Option<f64>> {
    let refinement = Refinement {
        first: 20,
        last: 320,
        floor: 1e-7,
    };
    order_against(body, stepper, ("rk4", 2 * REFERENCE_STEPS), refinement)
}

fn order_against(
    body: &mut Session,
    stepper: &mut dyn Stepper,
    reference: (&str, u32),
    refinement: Refinement,
) -> anyhow::Result<Option<f64>> {
    // Below the error of the reference.
    let options = Options {
        tolerance: 1e-12,
        ..body.options
    };
    let truth = fine_run(body, options, reference)?;
    let (system, start) = body.model_and_state();
    let run = &mut ConvergenceProblem {
        system,
        start,
        truth: &truth,
        options,
    };
    Ok(measure_order(stepper, run, refinement)?.order)
}

fn fine_run(
    body: &mut Session,
    options: Options,
    (method, steps): (&str, u32),
) -> anyhow::Result<State> {
    let stepper = find(method)?.stepper(&Parameters::default(), Newton::Minimise)?;
    let h = END_TIME / f64::from(steps);
    let (system, start) = body.model_and_state();
    let mut time = TimeLoop::fixed(stepper, options, start.clone(), h);
    time.run(system, END_TIME, &mut |_, _| true)?;
    Ok(time.state().clone())
}
