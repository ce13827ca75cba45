//! Builds the integrator and its solver options from `[time]` and `[solver]`.

use certify::order::nonlinear;
use march::families::startup::RannacherStartup;
use march::methods::{self, Family, MethodChoice, Stability};
use march::{
    Accuracy, Backend, Corrected, EnergyMomentumProjection, EnergyMultiplier, EnergyTracking,
    FactorLifetime, HessianProjection, MethodError, Newton, Options, Parameters, Prefix, Stepper,
    VelocityProjection,
};

use super::control;
use crate::error::SceneError;
use crate::spec::{self, AngularMomentum, ContactEnergy, Scene, Source, StabiliseKind, suggestion};

/// Finds the method of a scene and checks its parameters. Returns `None` after adding an error.
pub fn choose(
    scene: &Scene,
    source: &Source,
    errors: &mut Vec<SceneError>,
) -> Option<(MethodChoice, Parameters)> {
    let written = &scene.time.method;
    let choice = match methods::find(&written.name) {
        Ok(choice) => choice,
        Err(_) if scene.time.is_static() => MethodChoice::statics(),
        Err(MethodError::Unknown { name }) => {
            let mut all = methods::names();
            all.push(methods::STATIC.name.into());
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
    let local_global = scene.solver.newton == spec::Newton::LocalGlobal;
    if local_global && matches!(choice.method.family, Family::Additive(..)) {
        let sentence = format!(
            "{} takes its modes out of the matrix of its stages, which local/global iterations keep constant; use newton = \"minimise\"",
            choice.name()
        );
        errors.push(source.error("solver.newton", sentence));
        return None;
    }
    if let Err(error) = choice.stepper(&parameters, Newton::Minimise) {
        errors.push(source.error("time.method", error.to_string()));
        return None;
    }
    Some((choice, parameters))
}

/// Returns the parameters of the scene's method.
pub fn parameters(scene: &Scene) -> Parameters {
    scene.time.method.params.clone()
}

/// A key of the scene and the error message for its value.
pub type KeyedMessage = (&'static str, String);

/// When an integrator is built; only the start of a scene gets a Rannacher start-up for scattered bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartContext {
    /// At the start of the scene.
    SceneStart,
    /// When the method is changed during a run.
    MethodSwitch,
}

/// A stepper with its solver options, and a notice for the user.
pub struct Integrator {
    /// The method with its energy correction, start-up and error estimate.
    pub stepper: Box<dyn Stepper>,
    /// Options of the stage solver.
    pub options: Options,
    /// Notice for the user, if the start-up is used.
    pub note: Option<String>,
}

/// Builds the stepper of a scene: the method with its energy correction, start-up and the error estimate of step control.
pub fn integrator(
    scene: &Scene,
    choice: &MethodChoice,
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
        let stepper = match note {
            Some(_) => Box::new(RannacherStartup::new(stepper)) as Box<dyn Stepper>,
            None => stepper,
        };
        Ok(super::contact::corrector::wrap(scene, stepper))
    };
    Ok(Integrator {
        stepper: control::with_estimate(scene, choice, parameters, make)?,
        options,
        note,
    })
}

/// Returns a notice if the Rannacher start-up is used: a scattered body, and a method that would not damp it because it is
/// not L-stable, solves linearised stages, or has an explicit first stage. Returns `None` otherwise.
fn startup_note(choice: &MethodChoice, scene: &Scene) -> Option<String> {
    let scattered = |b: &spec::Body| b.disturb.as_ref().is_some_and(|d| d.scatter > 0.0);
    let method = choice.method;
    let damps = method.stability == Stability::L;
    let iterates = choice.prefix == Prefix::Full && !method.has_linear_stages();
    let first_stage_is_explicit = match method.family {
        Family::RungeKutta(table) => table.a[0][0] == 0.0,
        // Its first step is a step of tr-bdf2.
        Family::Bdf2 => true,
        _ => false,
    };
    if !method.is_implicit()
        || choice.is_static()
        || (damps && iterates && !first_stage_is_explicit)
        || !scene.time.calm_start
        || scene.time.stabilise.is_some()
        || !scene.body.iter().any(scattered)
    {
        return None;
    }
    Some(format!(
        "the initial state is scattered and {} would not damp it: backward Euler steps are taken until one dissipates less than a tenth of the energy (time.calm-start = false disables this)",
        choice.name()
    ))
}

/// Error message for local/global iterations with forces that are not projections.
pub const NOT_PROJECTIVE: &str = "local-global needs forces that are projections: bodies of law \"arap\" or \"corotated\" and springs of law \"hooke\"; use newton = \"minimise\" for others";

/// Error message for local/global iterations with viscosity.
pub const NOT_VISCOUS: &str = "local-global iterates with a constant matrix, but the viscosity matrix depends on the positions; use newton = \"minimise\", or damping.stiffness instead of viscosity";

/// Wraps a stepper in energy tracking or a projection if the scene has `[time.stabilise]`.
fn corrected(
    stepper: Box<dyn Stepper>,
    choice: &MethodChoice,
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
            "energy tracking needs the same energy function in every step, but law \"corotated-frozen\" changes it; use \"corotated\"".into(),
        ));
    }
    if stabilise.contact_energy.is_some()
        && (scene.contact.is_none() || stabilise.kind == StabiliseKind::Project)
    {
        return Err((
            "time.stabilise.contact-energy",
            "applies to kind = \"blend\" in scenes with [contact] only; leave the key out".into(),
        ));
    }
    // The end of an explicit step may be far off: it is no initial guess for backward Euler.
    let newton = match options(scene, choice).newton {
        newton if choice.method.is_implicit() => newton.for_near_start(),
        newton => newton,
    };
    let kind = stabilise.kind;
    if kind != StabiliseKind::Blend && stabilise.angular_momentum.is_some() {
        return Err((
            "time.stabilise.angular-momentum",
            format!(
                "applies to kind = \"blend\" only, and the kind is \"{}\"; leave the key out",
                kind.name()
            ),
        ));
    }
    let tolerance = stabilise.tolerance;
    Ok(match kind {
        StabiliseKind::Blend => {
            let tracking = EnergyTracking::new(newton, tolerance);
            let tracking = match stabilise.angular_momentum {
                Some(AngularMomentum::Blend) => tracking.without_momentum_correction(),
                Some(AngularMomentum::Keep) | None => tracking,
            };
            let tracking = match stabilise.contact_energy {
                Some(ContactEnergy::Exclude) => tracking.without_contact_energy(),
                Some(ContactEnergy::Include) | None => tracking,
            };
            Box::new(Corrected::new(stepper, tracking))
        }
        StabiliseKind::Project => {
            Box::new(Corrected::new(stepper, VelocityProjection::new(tolerance)))
        }
        StabiliseKind::Fepr => Box::new(Corrected::new(
            stepper,
            EnergyMomentumProjection::new(tolerance),
        )),
        StabiliseKind::Multiplier => Box::new(Corrected::new(
            stepper,
            EnergyMultiplier::new(newton, tolerance),
        )),
    })
}

/// Returns a notice with the measured order of a user's own tableau. Returns `None` for methods of the registry.
pub fn measured_order_notice(choice: &MethodChoice, parameters: &Parameters) -> Option<String> {
    if !matches!(
        choice.method.family,
        Family::UserRungeKutta | Family::UserRosenbrock
    ) {
        return None;
    }
    let mut stepper = choice.stepper(parameters, Newton::Minimise).ok()?;
    let measured = nonlinear(stepper.as_mut()).ok().and_then(|c| c.order);
    Some(match measured {
        Some(order) => format!(
            "your tableau has order {order:.2}, measured on a forced, damped, nonlinear system"
        ),
        None => "the order of your tableau could not be measured: its steps do not converge".into(),
    })
}

/// Share of the error of a step that Newton's method may leave in a step in contact if the scene has no `accuracy`.
const CONTACT_ACCURACY: f64 = 0.01;

/// Returns the accuracy at which iterations in contact end. `None` where the end of a step is extrapolated, which amplifies the
/// error that a stage leaves in its acceleration, and where the scene asks for a smaller residual than the default.
fn contact_accuracy(solver: &spec::Solver, choice: &MethodChoice) -> Option<Accuracy> {
    let converges =
        solver.accuracy.is_none() && solver.tolerance < spec::Solver::default().tolerance;
    (super::contact::ends_on_stage(choice) && !converges).then(|| Accuracy {
        share: solver.accuracy.unwrap_or(CONTACT_ACCURACY),
        order: choice.order(),
    })
}

/// Returns the options of the stage solver for a method.
pub fn options(scene: &Scene, choice: &MethodChoice) -> Options {
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
        contact_accuracy: contact_accuracy(s, choice),
        settled_steps: super::contact::ends_on_stage(choice),
        projection: match s.projection {
            spec::Projection::OnDemand => HessianProjection::OnDemand,
            spec::Projection::Always => HessianProjection::Always,
            spec::Projection::Never => HessianProjection::Never,
        },
        factor_lifetime: match s.factors {
            spec::Factors::Keep => FactorLifetime::WhileCheaper,
            spec::Factors::EachStep => FactorLifetime::WithinStep,
        },
        factor_slots: control::factor_slots(scene),
        // Scenes of particles and springs are compared with exact solutions.
        to_roundoff: scene.body.is_empty(),
        max_iterations: u64::from(s.max_iterations),
        linear: match s.linear {
            spec::Linear::Auto => Backend::Auto,
            spec::Linear::Cholesky => Backend::Cholesky,
            spec::Linear::Lu => Backend::Lu,
            spec::Linear::Cg => Backend::Cg,
        },
    }
}
