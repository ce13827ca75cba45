//! Words of `[time]` and `[solver]` into a method and its settings.

use march::analysis::order::nonlinear;
use march::families::startup::RannacherStartup;
use march::methods::{self, Choice, Family, Stability};
use march::{
    Accuracy, Backend, Corrected, EnergyTracking, Life, MethodError, Newton, Options, Parameters,
    Prefix, Projection, Stepper, VelocityProjection,
};

use super::control;
use crate::error::SceneError;
use crate::spec::{self, AngularMomentum, Scene, Source, StabiliseKind, suggestion};

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
pub type KeyedMessage = (&'static str, String);

/// Whether a method that begins is put behind a backward-Euler start where a scattered body needs one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartContext {
    /// The beginning of a scene.
    SceneStart,
    /// A change of method on the way.
    MethodSwitch,
}

/// A method as a scene asks for it, and what a person should know about it.
pub struct Integrator {
    /// The method with its correction, its start and its error estimate.
    pub stepper: Box<dyn Stepper>,
    /// Settings of its solver.
    pub options: Options,
    /// What a person should know.
    pub note: Option<String>,
}

/// A method as the scene asks for it, its correction, its start and the error estimate of its step control included.
pub fn integrator(
    scene: &Scene,
    choice: &Choice,
    parameters: &Parameters,
    context: StartContext,
) -> Result<Integrator, KeyedMessage> {
    let options = options(scene, choice);
    let note = match context {
        StartContext::SceneStart => startup_note(choice, scene),
        StartContext::MethodSwitch => None,
    };
    let make = || {
        let stepper = choice
            .stepper(parameters, options.newton)
            .map_err(|e| ("time.method", e.to_string()))?;
        let stepper = corrected(stepper, choice, scene)?;
        Ok(match note {
            Some(_) => Box::new(RannacherStartup::new(stepper)),
            None => stepper,
        })
    };
    Ok(Integrator {
        stepper: control::with_estimate(scene, choice, parameters, make)?,
        options,
        note,
    })
}

/// What a person should know if a method is put behind a backward-Euler start, because it would not damp the motion of a
/// scattered body: one that keeps stiff modes going, solves a linearised stage, or begins with an explicit stage.
fn startup_note(choice: &Choice, scene: &Scene) -> Option<String> {
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
        return None;
    }
    Some(format!(
        "the start is scattered, and {} would not damp it: steps are backward Euler's until one takes less than a tenth of the energy (time.calm-start = false leaves them out)",
        choice.name()
    ))
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
) -> Result<Box<dyn Stepper>, KeyedMessage> {
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
pub fn measured_order_notice(choice: &Choice, parameters: &Parameters) -> Option<String> {
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
        factor_slots: control::factor_slots(scene),
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
