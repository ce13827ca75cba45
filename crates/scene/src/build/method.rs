//! Words of `[time]` and `[solver]` into a method and its settings.

use march::analysis::order::nonlinear;
use march::families::startup::RannacherStartup;
use march::methods::{self, Choice, Family, Stability};
use march::{
    Accuracy, Backend, Controller, Corrected, EnergyTracking, ErrorControl, ErrorSettings,
    Estimate, FixedSteps, Life, MethodError, Newton, Options, Parameters, Prefix, Projection,
    StepHalving, Stepper, VelocityProjection,
};

use crate::error::SceneError;
use crate::spec::{
    self, AngularMomentum, Control, ControlKind, Scene, Source, StabiliseKind, suggestion,
};

/// The method of a scene with its parameters.
pub fn choose(
    scene: &Scene,
    source: &Source,
    errors: &mut Vec<SceneError>,
) -> Option<(Choice, Parameters)> {
    let written = &scene.time.method;
    let choice = match methods::find(&written.name) {
        Ok(choice) => choice,
        Err(MethodError::Unknown { name }) => {
            let all = methods::names();
            let hint = suggestion(&name, all.iter().map(String::as_str));
            errors.push(source.error("time.method", format!("unknown method \"{name}\"; {hint}")));
            return None;
        }
        Err(other) => {
            errors.push(source.error("time.method", other.to_string()));
            return None;
        }
    };
    let parameters = parameters(scene);
    if let Err(error) = choice.stepper(&parameters, Newton::Minimise) {
        errors.push(source.error("time.method", error.to_string()));
        return None;
    }
    Some((choice, parameters))
}

/// Parameters of the scene's method.
pub fn parameters(scene: &Scene) -> Parameters {
    scene.time.method.params.clone()
}

/// A key of the scene and what is wrong with its value.
pub type Objection = (&'static str, String);

/// A method as the scene asks for it, its correction included, and the settings of its solver.
pub fn integrator(
    scene: &Scene,
    choice: &Choice,
    parameters: &Parameters,
) -> Result<(Box<dyn Stepper>, Options), Objection> {
    let options = options(scene, choice);
    let stepper = choice
        .stepper(parameters, options.newton)
        .map_err(|e| ("time.method", e.to_string()))?;
    Ok((corrected(stepper, choice, scene)?, options))
}

/// The controller of a scene: steps are halved if one fails, but not those of explicit methods, which have no stage that
/// could fail: what fails is the motion.
pub fn controller(
    scene: &Scene,
    choice: &Choice,
    parameters: &Parameters,
) -> Result<Box<dyn Controller>, Objection> {
    let solves = choice.method.implicit() || scene.time.stabilise.is_some();
    let control = scene.time.control.as_ref();
    Ok(match control {
        Some(c) if c.kind == ControlKind::ForceError => {
            if !choice.method.implicit() {
                return Err((
                    "time.control.kind",
                    format!(
                        "force-error measures the linearised forces of implicit stages, and \"{}\" is explicit; take an implicit method, or steps of one length",
                        choice.name()
                    ),
                ));
            }
            // For smooth forces the force error falls with h⁴.
            Box::new(error_control(scene, c, Estimate::Force, 0.25))
        }
        Some(c) if c.kind == ControlKind::Embedded => {
            let order = match choice.embedded() {
                Some(embedded) => embedded.order.min(choice.order()),
                None if parameters.b_hat.is_some() => 1,
                None => {
                    return Err((
                        "time.control.kind",
                        format!(
                            "embedded compares with a second result, and \"{}\" has no weights for one; take a method that has, such as sdirk2 or rodas4, or give b-hat with a table of your own",
                            choice.name()
                        ),
                    ));
                }
            };
            let exponent = 1.0 / f64::from(order + 1);
            Box::new(error_control(scene, c, Estimate::Embedded, exponent))
        }
        Some(c) if c.kind == ControlKind::Fixed => Box::new(FixedSteps::new(scene.time.step)),
        _ if !solves => Box::new(FixedSteps::new(scene.time.step)),
        _ => Box::new(StepHalving::new(
            scene.time.step,
            control.and_then(|c| c.min),
        )),
    })
}

/// Share of the tolerance that the next step aims at, if the scene does not say ["Adaptive Time-Stepping with Linearized
/// Force Error Estimation", §3.4].
const SAFETY: f64 = 0.5;
/// Error allowed in a step, if the scene does not say, m.
const TOLERANCE: f64 = 1e-3;
/// Shortest step, if the scene does not say, in first steps.
const SHORTEST: f64 = 1e-6;

fn error_control(
    scene: &Scene,
    control: &Control,
    estimate: Estimate,
    exponent: f64,
) -> ErrorControl {
    let (step, until) = (scene.time.step, scene.time.until);
    let min = control.min.unwrap_or(SHORTEST * step);
    ErrorControl::new(
        step,
        ErrorSettings {
            estimate,
            tolerance: control.tolerance.unwrap_or(TOLERANCE),
            safety: control.safety.unwrap_or(SAFETY),
            exponent: control.exponent.unwrap_or(exponent),
            min,
            max: control.max.unwrap_or(until).max(min),
        },
    )
}

/// Puts a backward-Euler start before a method that would not damp the motion of a scattered body: one that keeps stiff
/// modes going, solves a linearised stage, or begins with an explicit stage. Also returns what a person should know.
pub fn with_startup(
    stepper: Box<dyn Stepper>,
    choice: &Choice,
    scene: &Scene,
) -> (Box<dyn Stepper>, Option<String>) {
    let scattered = |b: &spec::Body| b.disturb.as_ref().is_some_and(|d| d.scatter > 0.0);
    let method = choice.method;
    let damps = method.stability == Stability::L;
    let iterates = choice.prefix == Prefix::Full && !matches!(method.family, Family::Rosenbrock(_));
    let first_stage_is_explicit = match method.family {
        Family::RungeKutta(table) => table.a[0][0] == 0.0,
        // Its first step is one of tr-bdf2.
        Family::Bdf2 => true,
        _ => false,
    };
    if !method.implicit()
        || (damps && iterates && !first_stage_is_explicit)
        || !scene.time.calm_start
        || scene.time.stabilise.is_some()
        || !scene.body.iter().any(scattered)
    {
        return (stepper, None);
    }
    let note = format!(
        "the start is scattered, and {} would not damp it: steps are backward Euler's until one takes less than a tenth of the energy (time.calm-start = false leaves them out)",
        choice.name()
    );
    (Box::new(RannacherStartup::new(stepper)), Some(note))
}

/// Why local/global iterations are refused.
pub const NOT_PROJECTIVE: &str = "local-global needs forces that are projections: bodies of law \"arap\" or \"corotated\" and springs of law \"hooke\"; say newton = \"minimise\" for others";

/// Why local/global iterations are refused beside viscosity.
pub const NOT_VISCOUS: &str = "local-global iterates with a constant matrix, and that of viscosity changes with the positions; say newton = \"minimise\", or damping.stiffness instead of viscosity";

/// Energy tracking or velocity projection around a method, if the scene asks for it.
fn corrected(
    stepper: Box<dyn Stepper>,
    choice: &Choice,
    scene: &Scene,
) -> Result<Box<dyn Stepper>, Objection> {
    let Some(stabilise) = &scene.time.stabilise else {
        return Ok(stepper);
    };
    let frozen = |b: &spec::Body| {
        b.material
            .as_ref()
            .is_some_and(|m| m.law == "corotated-frozen")
    };
    if scene.body.iter().any(frozen) {
        return Err((
            "time.stabilise",
            "energy tracking needs an energy that stays the same from step to step, and that of law \"corotated-frozen\" does not; say \"corotated\"".into(),
        ));
    }
    // The end of an explicit step of this length is no start for backward Euler.
    let newton = match options(scene, choice).newton {
        newton if choice.method.implicit() => newton.from_near(),
        newton => newton,
    };
    Ok(match stabilise.kind {
        StabiliseKind::Blend => {
            let tracking = EnergyTracking::new(newton, stabilise.tolerance);
            let tracking = match stabilise.angular_momentum {
                Some(AngularMomentum::Blend) => tracking.without_momentum_correction(),
                Some(AngularMomentum::Keep) | None => tracking,
            };
            Box::new(Corrected::new(stepper, tracking))
        }
        StabiliseKind::Project if stabilise.angular_momentum.is_some() => {
            return Err((
                "time.stabilise.angular-momentum",
                "only kind = \"blend\" has a choice here: \"project\" leaves the rigid motion of free bodies alone".into(),
            ));
        }
        StabiliseKind::Project => Box::new(Corrected::new(
            stepper,
            VelocityProjection::new(stabilise.tolerance),
        )),
    })
}

/// What order a user's own table turns out to have; nothing for methods of the registry.
pub fn own_order(choice: &Choice, parameters: &Parameters) -> Option<String> {
    if !matches!(
        choice.method.family,
        Family::OwnRungeKutta | Family::OwnRosenbrock
    ) {
        return None;
    }
    let mut stepper = choice.stepper(parameters, Newton::Minimise).ok()?;
    let measured = nonlinear(stepper.as_mut()).ok().and_then(|c| c.order);
    Some(match measured {
        Some(order) => format!(
            "your table has order {order:.2}, measured on a forced, damped, nonlinear system"
        ),
        None => "the order of your table could not be measured: its steps do not converge".into(),
    })
}

/// Settings of the solvers for a method.
pub fn options(scene: &Scene, choice: &Choice) -> Options {
    let s = &scene.solver;
    Options {
        newton: match s.newton {
            spec::Newton::Minimise => Newton::Minimise,
            spec::Newton::Residual => Newton::Residual,
            spec::Newton::LeastSquares => Newton::LeastSquares,
            spec::Newton::LocalGlobal => Newton::LocalGlobal {
                iterations: u64::from(s.iterations),
            },
        },
        tolerance: s.tolerance,
        accuracy: s.accuracy.map(|share| Accuracy {
            share,
            order: choice.order(),
        }),
        projection: match s.projection {
            spec::Projection::OnDemand => Projection::OnDemand,
            spec::Projection::Always => Projection::Always,
            spec::Projection::Never => Projection::Never,
        },
        life: match s.factors {
            spec::Factors::Keep => Life::Worth,
            spec::Factors::EachStep => Life::Step,
        },
        // Particles and springs are there to be compared with exact answers.
        to_rounding: scene.body.is_empty(),
        max_iterations: u64::from(s.max_iterations),
        linear: match s.linear {
            spec::Linear::Auto => Backend::Auto,
            spec::Linear::Cholesky => Backend::Cholesky,
            spec::Linear::Lu => Backend::Lu,
            spec::Linear::Cg => Backend::Cg,
        },
    }
}
