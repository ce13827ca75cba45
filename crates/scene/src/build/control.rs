//! Words of `[time.control]` into a controller and the error estimate it needs.

use march::methods::Choice;
use march::{
    Controller, Criterion, ErrorControl, ErrorSettings, Estimate, FixedSteps, Parameters,
    SpeedLimit, StepDoubling, StepHalving, StepLimits, StepRule, Stepper, VelocityDifferences,
};

use super::method::KeyedMessage;
use crate::spec::{Control, ControlKind, Scene};

/// Share of the tolerance that the next step aims at, if the scene does not say ["Adaptive Time-Stepping with Linearized
/// Force Error Estimation", §3.2].
const DEFAULT_SAFETY: f64 = 0.5;
/// The same for a change of lengths, which is known better than an error.
const DEFAULT_STRETCH_SAFETY: f64 = 0.8;
/// Error allowed, if the scene does not say, m.
const DEFAULT_TOLERANCE: f64 = 1e-3;
/// Shortest step, if the scene does not say, in first steps.
const DEFAULT_MIN_STEP_PER_FIRST_STEP: f64 = 1e-6;
/// Shortest step, if the scene says neither this nor the first, of the whole run.
const DEFAULT_MIN_STEP_PER_DURATION: f64 = 1e-9;
/// For smooth forces the force error falls with h⁴, per unit step with h³.
const FORCE_ERROR_ORDER: u32 = 4;

/// Highest order of methods whose error is estimated from past velocities.
const MAX_ORDER_BY_VELOCITIES: u32 = 3;
/// Lengths of steps whose factors are kept.
const CACHED_STEP_LENGTHS: usize = 3;

/// Where the second result of a method comes from, and the power of h with which its difference falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ComparisonSolution {
    source: Source,
    order: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// Weights of the method's table.
    EmbeddedPair,
    /// Differences of past velocities.
    PastVelocities,
    /// Two steps of half the length.
    HalfSteps,
}

/// The pair of a method's table, if it has one.
fn embedded_pair(choice: &Choice, parameters: &Parameters) -> Option<ComparisonSolution> {
    let order = match choice.embedded() {
        Some(embedded) => embedded.order.min(choice.order()) + 1,
        // Of weights in a scene file nothing is known but that they add up to one.
        None => parameters.b_hat.as_ref().map(|_| 2)?,
    };
    Some(ComparisonSolution {
        source: Source::EmbeddedPair,
        order,
    })
}

/// Two halves against one step.
fn half_steps(choice: &Choice) -> ComparisonSolution {
    ComparisonSolution {
        source: Source::HalfSteps,
        order: choice.order() + 1,
    }
}

/// The method against the differences of its velocities, if its error constant is known. In forced, stiff motion the
/// derivative of the motion says little of errors of fourth order, which depend on powers of the stiffness.
fn velocity_differences(choice: &Choice, parameters: &Parameters) -> Option<ComparisonSolution> {
    choice.error_constant(parameters)?;
    if choice.order() > MAX_ORDER_BY_VELOCITIES {
        return None;
    }
    Some(ComparisonSolution {
        source: Source::PastVelocities,
        order: choice.order() + 1,
    })
}

/// What `auto` compares with: the table's pair, or two halves. The error of a first-order companion says little of a
/// second-order method (per unit step it would hold the step to the tolerance itself): there the velocities of past steps
/// tell more.
fn auto_comparison(choice: &Choice, parameters: &Parameters) -> ComparisonSolution {
    let informative = |pair: &ComparisonSolution| pair.order > 2 || choice.order() < 2;
    match embedded_pair(choice, parameters) {
        None => half_steps(choice),
        Some(pair) if informative(&pair) => pair,
        Some(pair) => velocity_differences(choice, parameters).unwrap_or(pair),
    }
}

/// What `embedded` compares with: the table's pair, past velocities, or two halves.
fn embedded_comparison(
    choice: &Choice,
    parameters: &Parameters,
) -> Result<ComparisonSolution, KeyedMessage> {
    let second = embedded_pair(choice, parameters).or(velocity_differences(choice, parameters));
    if let Some(second) = second {
        return Ok(second);
    }
    // Of a table in the scene file the order is not known, which halves would need.
    match choice.error_constant(parameters) {
        Some(_) => Ok(half_steps(choice)),
        None => Err((
            "time.control.kind",
            format!(
                "embedded compares with a second result, and the table of \"{}\" has no weights b-hat for one; give b-hat, or take kind = \"doubling\"",
                choice.name()
            ),
        )),
    }
}

/// The second result that a kind of control compares with, if it does.
fn comparison_solution(
    kind: ControlKind,
    choice: &Choice,
    parameters: &Parameters,
) -> Result<Option<ComparisonSolution>, KeyedMessage> {
    Ok(match kind {
        ControlKind::Auto => Some(auto_comparison(choice, parameters)),
        ControlKind::Doubling => Some(half_steps(choice)),
        ControlKind::Embedded => Some(embedded_comparison(choice, parameters)?),
        _ => None,
    })
}

/// The kind of control of a scene, if it has any.
fn kind_of(scene: &Scene) -> Option<ControlKind> {
    scene.time.control.as_ref().map(Control::kind)
}

/// Whether the control of a scene measures errors.
pub fn measures_errors(scene: &Scene) -> bool {
    kind_of(scene).is_some_and(|kind| !matches!(kind, ControlKind::Retreat | ControlKind::Fixed))
}

/// The error allowed, m.
pub fn tolerance(control: &Control) -> f64 {
    control.tolerance.unwrap_or(DEFAULT_TOLERANCE)
}

/// Whether a kind of control allows the tolerance for each second of steps, and not for each step.
pub fn per_unit_step(kind: ControlKind) -> bool {
    matches!(kind, ControlKind::Auto | ControlKind::Doubling)
}

/// Matrices whose factors are kept: those of the lengths used last, if steps move on a grid.
pub fn factor_slots(scene: &Scene) -> usize {
    let Some(control) = &scene.time.control else {
        return 1;
    };
    match (measures_errors(scene), control.kind()) {
        // A step and its half.
        (true, ControlKind::Doubling | ControlKind::Auto) => 2 * CACHED_STEP_LENGTHS,
        (true, _) if rule(control) != StepRule::Plain => CACHED_STEP_LENGTHS,
        _ => 1,
    }
}

/// How the next step follows from the error: an exponent in the scene file asks for the plain rule.
fn rule(control: &Control) -> StepRule {
    match (control.kind(), control.exponent) {
        (ControlKind::Stretch | ControlKind::Speed, _) | (_, Some(_)) => StepRule::Plain,
        (ControlKind::ForceError, None) => StepRule::OnGrid,
        (_, None) => StepRule::Predictive,
    }
}

/// A method with the error estimate that the scene's control needs; `make` makes the method at its beginning.
pub fn with_estimate(
    scene: &Scene,
    choice: &Choice,
    parameters: &Parameters,
    make: impl Fn() -> Result<Box<dyn Stepper>, KeyedMessage>,
) -> Result<Box<dyn Stepper>, KeyedMessage> {
    let stepper = make()?;
    let Some(kind) = kind_of(scene) else {
        return Ok(stepper);
    };
    let second = comparison_solution(kind, choice, parameters)?;
    Ok(match second.map(|second| second.source) {
        Some(Source::HalfSteps) => Box::new(StepDoubling::new(stepper, make()?, choice.order())),
        Some(Source::PastVelocities) => match choice.error_constant(parameters) {
            Some(constant) => Box::new(VelocityDifferences::new(stepper, choice.order(), constant)),
            None => stepper,
        },
        Some(Source::EmbeddedPair) | None => stepper,
    })
}

/// The controller of a scene: steps are halved if one fails, but not those of explicit methods, which have no stage that
/// could fail: what fails is the motion.
pub fn controller(
    scene: &Scene,
    choice: &Choice,
    parameters: &Parameters,
) -> Result<Box<dyn Controller>, KeyedMessage> {
    let solves = choice.method.implicit() || scene.time.stabilise.is_some();
    let step = scene.time.nominal_step();
    let Some(control) = &scene.time.control else {
        return Ok(match solves {
            true => Box::new(StepHalving::new(step, None)),
            false => Box::new(FixedSteps::new(step)),
        });
    };
    Ok(match control.kind() {
        ControlKind::Fixed => Box::new(FixedSteps::new(step)),
        ControlKind::Retreat if solves => Box::new(StepHalving::new(step, control.min)),
        ControlKind::Retreat => Box::new(FixedSteps::new(step)),
        ControlKind::Speed => Box::new(SpeedLimit::new(
            scene.time.step,
            tolerance(control),
            limits(scene, control),
        )),
        kind => {
            let settings = settings(scene, control, kind, choice, parameters)?;
            Box::new(ErrorControl::new(scene.time.step, settings))
        }
    })
}

fn limits(scene: &Scene, control: &Control) -> StepLimits {
    let until = scene.time.until;
    let shortest = match scene.time.step {
        Some(step) => DEFAULT_MIN_STEP_PER_FIRST_STEP * step,
        None => DEFAULT_MIN_STEP_PER_DURATION * until,
    };
    let min = control.min.unwrap_or(shortest);
    StepLimits {
        min,
        max: control.max.unwrap_or(until).max(min),
    }
}

/// Settings of a controller that measures an error.
fn settings(
    scene: &Scene,
    control: &Control,
    kind: ControlKind,
    choice: &Choice,
    parameters: &Parameters,
) -> Result<ErrorSettings, KeyedMessage> {
    let second = comparison_solution(kind, choice, parameters)?;
    let per_unit_step = per_unit_step(kind);
    let criterion = |estimate, order: u32| {
        let order = order - u32::from(per_unit_step);
        let exponent = control.exponent.unwrap_or(1.0 / f64::from(order.max(1)));
        Some(Criterion { estimate, exponent })
    };
    let force = match kind {
        ControlKind::ForceError if !choice.method.implicit() => {
            return Err((
                "time.control.kind",
                format!(
                    "force-error measures the linearised forces of implicit stages, and \"{}\" is explicit; take an implicit method, or kind = \"auto\"",
                    choice.name()
                ),
            ));
        }
        ControlKind::ForceError => criterion(Estimate::Force, FORCE_ERROR_ORDER),
        ControlKind::Auto if choice.method.implicit() => {
            criterion(Estimate::Force, FORCE_ERROR_ORDER)
        }
        ControlKind::Stretch => criterion(Estimate::Stretch, 1),
        _ => None,
    };
    let second_criterion = second.and_then(|second| {
        let estimate = match second.source {
            Source::HalfSteps => Estimate::Doubling,
            Source::EmbeddedPair | Source::PastVelocities => Estimate::Embedded,
        };
        criterion(estimate, second.order)
    });
    Ok(ErrorSettings {
        criteria: [force, second_criterion],
        tolerance: tolerance(control),
        per_unit_step,
        safety: control.safety.unwrap_or(match kind {
            ControlKind::Stretch => DEFAULT_STRETCH_SAFETY,
            _ => DEFAULT_SAFETY,
        }),
        rule: rule(control),
        limits: limits(scene, control),
        estimates_need_history: second.is_some_and(|s| s.source == Source::PastVelocities),
    })
}
