//! Which methods carry a barrier.

use march::Prefix;
use march::methods::{Family, METHODS, Method, MethodChoice};

use crate::spec::{self, Scene};

/// How a method treats a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BarrierSupport {
    /// The end of a step is a stage, in which the barrier is part of the equation.
    EndsOnStage,
    /// Stages are solved with the barrier, the end of a step is extrapolated from them and checked.
    Extrapolates,
    /// No line search keeps its states free.
    Unsuitable,
}

fn support(method: &Method) -> BarrierSupport {
    match method.family {
        Family::RungeKutta(table) if method.is_implicit() => {
            let last = table.a.last().copied().unwrap_or_default();
            match last == table.b {
                true => BarrierSupport::EndsOnStage,
                false => BarrierSupport::Extrapolates,
            }
        }
        Family::Newmark | Family::Bdf2 => BarrierSupport::EndsOnStage,
        Family::GeneralizedAlpha | Family::HhtAlpha | Family::UserRungeKutta => {
            BarrierSupport::Extrapolates
        }
        _ => BarrierSupport::Unsuitable,
    }
}

/// Returns `true` if the method solves every stage with the barrier and ends its steps on one of them.
pub(crate) fn ends_on_stage(choice: &MethodChoice) -> bool {
    support(choice.method) == BarrierSupport::EndsOnStage
}

/// Returns the time of a stage outside the step, in steps, if there is one.
fn stage_outside(a: &[&[f64]]) -> Option<f64> {
    // Sums of rows have rounding errors.
    let outside = |c: &f64| *c < -1e-9 || *c > 1.0 + 1e-9;
    a.iter().map(|row| row.iter().sum()).find(outside)
}

fn names(wanted: BarrierSupport) -> String {
    let suitable = METHODS.iter().filter(|m| support(m) == wanted);
    suitable.map(|m| m.name).collect::<Vec<_>>().join(", ")
}

/// Returns the key and the error message if a method cannot carry the barrier.
pub(crate) fn refuse_method(
    scene: &Scene,
    choice: &MethodChoice,
) -> Option<(&'static str, String)> {
    let contact = scene.contact.as_ref()?;
    match contact.kind {
        spec::ContactKind::Corrector => return super::corrector::refuse(scene, choice),
        spec::ContactKind::Penalty => return refuse_modes(scene, contact, choice),
        spec::ContactKind::Barrier => {}
    }
    if scene.solver.newton == spec::Newton::LocalGlobal {
        let sentence = "local-global iterates with a constant matrix and no line search, which a barrier needs; use newton = \"minimise\", or kind = \"penalty\" or \"corrector\"";
        return Some(("solver.newton", sentence.into()));
    }
    if let Family::RungeKutta(table) = choice.method.family
        && let Some(c) = stage_outside(table.a)
        && let Some(obstacle) = scene.obstacle.iter().find(|o| o.motion.is_some())
    {
        let number = scene.obstacle.iter().take_while(|o| *o != obstacle).count();
        return Some((
            "time.method",
            format!(
                "{} has a stage at {c:.3} of the step, outside it, so obstacle[{number}] would move forth and back within a step; use one of {}, or an obstacle without motion",
                choice.name(),
                names(BarrierSupport::EndsOnStage),
            ),
        ));
    }
    let why = match (choice.prefix, support(choice.method)) {
        (Prefix::Semi, _) => "solves each stage by one Newton iteration",
        (_, BarrierSupport::Unsuitable) if !choice.method.is_implicit() => "is explicit",
        (_, BarrierSupport::Unsuitable) if matches!(choice.method.family, Family::Additive(..)) => {
            "moves its modes by exponentials"
        }
        (_, BarrierSupport::Unsuitable) => "solves linear stages",
        _ => return None,
    };
    Some((
        "time.method",
        format!(
            "{} {why}, without a line search that keeps surfaces apart, so it cannot carry kind = \"barrier\"; use one of {}, or with shorter steps in contact {}; kind = \"corrector\" and kind = \"penalty\" serve {} too",
            choice.name(),
            names(BarrierSupport::EndsOnStage),
            names(BarrierSupport::Extrapolates),
            choice.name(),
        ),
    ))
}

/// Refuses methods with modes where springs between bodies come and go: their modes are those of a matrix with a fixed pattern.
fn refuse_modes(
    scene: &Scene,
    contact: &spec::Contact,
    choice: &MethodChoice,
) -> Option<(&'static str, String)> {
    let bodies_touch = scene.body.len() > 1 || contact.self_contact || !scene.emit.is_empty();
    let has_modes = choice.method.parameters.contains(&"modes");
    (bodies_touch && has_modes).then(|| {
        let sentence = format!(
            "{} computes modes, which springs between bodies would change in every step, so it carries kind = \"penalty\" against obstacles only; use kind = \"corrector\", or another method",
            choice.name()
        );
        ("time.method", sentence)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_classified_by_their_tables() {
        assert_eq!(
            names(BarrierSupport::EndsOnStage),
            "backward-euler, trapezoid, newmark, bdf2, sdirk2, sdirk3, tr-bdf2, tr-bdf2-bathe"
        );
        assert_eq!(
            names(BarrierSupport::Extrapolates),
            "implicit-midpoint, generalized-alpha, hht-alpha, sdirk-ncs23, sdirk-nc34, sdirk-3345, sdirk-4347, sdirk-4447, ilddirk22, dirk"
        );
    }
}
