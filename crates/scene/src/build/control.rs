//! Builds the step controller of `[time.control]` and the error estimate that it needs.

use march::methods::MethodChoice;
use march::{
    BreakLimit, Controller, Criterion, ErrorControl, ErrorSettings, Estimate, FixedSteps,
    Parameters, SpeedLimit, StepDoubling, StepHalving, StepLimits, StepRule, Stepper,
    VelocityDifferences,
};

use super::method::KeyedMessage;
use crate::spec::{Control, ControlKind, Scene};

/// Default safety factor: fraction of the tolerance that the next step aims at [Linearized Force Error, sec. 3.2].
const DEFAULT_SAFETY: f64 = 0.5;
/// Default safety factor of the stretch limit, which is measured more accurately than an error.
const DEFAULT_STRETCH_SAFETY: f64 = 0.8;
/// Default error tolerance, m.
const DEFAULT_TOLERANCE: f64 = 1e-3;
/// Default smallest step as a fraction of the first step.
const DEFAULT_MIN_STEP_PER_FIRST_STEP: f64 = 1e-6;
/// Default smallest step as a fraction of the whole run, if the scene does not give the first step.
const DEFAULT_MIN_STEP_PER_DURATION: f64 = 1e-9;
/// Order of the force error for smooth forces: h⁴ per step, h³ per unit step (docs/references.md, E6).
const FORCE_ERROR_ORDER: u32 = 4;

/// Highest order of methods whose error is estimated from past velocities.
const MAX_ORDER_BY_VELOCITIES: u32 = 3;
/// Number of step lengths whose factors are cached.
const CACHED_STEP_LENGTHS: usize = 3;

/// The solution that a step is compared with to estimate its error, and the order of h of their difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ComparisonSolution {
    source: Source,
    order: u32,
}

/// Origin of a comparison solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// Embedded weights of the method's tableau.
    EmbeddedPair,
    /// Differences of past velocities.
    PastVelocities,
    /// Two steps of half the length.
    HalfSteps,
}

/// Returns the embedded pair of a method, or `None` if its tableau has none.
fn embedded_pair(choice: &MethodChoice, parameters: &Parameters) -> Option<ComparisonSolution> {
    let order = match choice.embedded() {
        Some(embedded) => embedded.order.min(choice.order()) + 1,
        // Weights of a scene file are only known to sum to one.
        None => parameters.b_hat.as_ref().map(|_| 2)?,
    };
    Some(ComparisonSolution {
        source: Source::EmbeddedPair,
        order,
    })
}

/// Returns two half steps as comparison solution (step doubling).
fn half_steps(choice: &MethodChoice) -> ComparisonSolution {
    ComparisonSolution {
        source: Source::HalfSteps,
        order: choice.order() + 1,
    }
}

/// Returns differences of past velocities as error estimate. Returns `None` if the error constant of the method is not
/// known, or if its order is too high: in forced stiff motion derivatives of the motion do not estimate fourth-order
/// errors, which depend on powers of the stiffness.
fn velocity_differences(
    choice: &MethodChoice,
    parameters: &Parameters,
) -> Option<ComparisonSolution> {
    choice.error_constant(parameters)?;
    if choice.order() > MAX_ORDER_BY_VELOCITIES {
        return None;
    }
    Some(ComparisonSolution {
        source: Source::PastVelocities,
        order: choice.order() + 1,
    })
}

/// Returns what `auto` compares with: the embedded pair, or two half steps. A first-order embedded solution estimates the
/// error of a second-order method poorly (per unit step it would limit the step to the tolerance itself); differences of
/// past velocities replace it.
fn auto_comparison(choice: &MethodChoice, parameters: &Parameters) -> ComparisonSolution {
    let informative = |pair: &ComparisonSolution| pair.order > 2 || choice.order() < 2;
    match embedded_pair(choice, parameters) {
        None => half_steps(choice),
        Some(pair) if informative(&pair) => pair,
        Some(pair) => velocity_differences(choice, parameters).unwrap_or(pair),
    }
}

/// Returns what `embedded` compares with: the embedded pair, past velocities, or two half steps.
fn embedded_comparison(
    choice: &MethodChoice,
    parameters: &Parameters,
) -> Result<ComparisonSolution, KeyedMessage> {
    let second = embedded_pair(choice, parameters).or(velocity_differences(choice, parameters));
    if let Some(second) = second {
        return Ok(second);
    }
    // Half steps need the order, which is not known for a tableau in the scene file.
    if !choice.method.parameters.contains(&"b") {
        return Ok(half_steps(choice));
    }
    Err((
        "time.control.kind",
        format!(
            "embedded needs a second solution, but the tableau of \"{}\" has no weights b-hat; give b-hat, or use kind = \"doubling\"",
            choice.name()
        ),
    ))
}

/// Returns the solution that a kind of control compares with, or `None` if it needs none.
fn comparison_solution(
    kind: ControlKind,
    choice: &MethodChoice,
    parameters: &Parameters,
) -> Result<Option<ComparisonSolution>, KeyedMessage> {
    Ok(match kind {
        ControlKind::Auto => Some(auto_comparison(choice, parameters)),
        ControlKind::Doubling => Some(half_steps(choice)),
        ControlKind::Embedded => Some(embedded_comparison(choice, parameters)?),
        _ => None,
    })
}

/// Returns the kind of step control of a scene, or `None` if it has none.
fn kind_of(scene: &Scene) -> Option<ControlKind> {
    scene.time.control.as_ref().map(Control::kind)
}

/// Returns whether the step control of a scene measures errors.
pub fn measures_errors(scene: &Scene) -> bool {
    kind_of(scene).is_some_and(|kind| !matches!(kind, ControlKind::Retreat | ControlKind::Fixed))
}

/// Returns the error tolerance of a step control, m.
pub fn tolerance(control: &Control) -> f64 {
    control.tolerance.unwrap_or(DEFAULT_TOLERANCE)
}

/// Returns whether the tolerance of a kind of control is per second of motion (error per unit step) instead of per step.
pub fn per_unit_step(kind: ControlKind) -> bool {
    matches!(kind, ControlKind::Auto | ControlKind::Doubling)
}

/// Returns the number of factored matrices to cache: those of the last step lengths, if steps are chosen from a grid.
pub fn factor_slots(scene: &Scene) -> usize {
    let Some(control) = &scene.time.control else {
        return 1;
    };
    match (measures_errors(scene), control.kind()) {
        // A step and its half step.
        (true, ControlKind::Doubling | ControlKind::Auto) => 2 * CACHED_STEP_LENGTHS,
        (true, _) if rule(control) != StepRule::Plain => CACHED_STEP_LENGTHS,
        _ => 1,
    }
}

/// Returns the rule that computes the next step from the error; an exponent in the scene file selects the plain rule.
fn rule(control: &Control) -> StepRule {
    match (control.kind(), control.exponent) {
        (ControlKind::Stretch | ControlKind::Speed, _) | (_, Some(_)) => StepRule::Plain,
        (ControlKind::ForceError, None) => StepRule::OnGrid,
        (_, None) => StepRule::Predictive,
    }
}

/// Wraps a method in the error estimate that the step control needs; `make` builds the method without history.
pub fn with_estimate(
    scene: &Scene,
    choice: &MethodChoice,
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

/// Builds the step controller of a scene. Failed steps are halved by default, but not those of explicit methods: they have
/// no nonlinear stage that could fail to converge.
pub fn controller(
    scene: &Scene,
    choice: &MethodChoice,
    parameters: &Parameters,
) -> Result<Box<dyn Controller>, KeyedMessage> {
    let solves = choice.method.is_implicit() || scene.time.stabilise.is_some();
    let step = scene.time.nominal_step();
    let Some(control) = &scene.time.control else {
        return Ok(match solves {
            true => Box::new(StepHalving::new(step, None)),
            false => Box::new(FixedSteps::new(step)),
        });
    };
    let controller: Box<dyn Controller> = match control.kind() {
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
    };
    Ok(match control.break_limit {
        Some(limit) => Box::new(BreakLimit::new(controller, limit)),
        None => controller,
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

/// Returns the settings of a controller that measures an error.
fn settings(
    scene: &Scene,
    control: &Control,
    kind: ControlKind,
    choice: &MethodChoice,
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
        ControlKind::ForceError if !choice.method.is_implicit() => {
            return Err((
                "time.control.kind",
                format!(
                    "force-error measures the linearised forces of implicit stages, but \"{}\" is explicit; use an implicit method, or kind = \"auto\"",
                    choice.name()
                ),
            ));
        }
        ControlKind::ForceError => criterion(Estimate::Force, FORCE_ERROR_ORDER),
        ControlKind::Auto if choice.method.is_implicit() => {
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
