//! Runs under a step-size control (001): their work, and their error against a fine reference.

use march::{State, dense};
use rayon::prelude::*;
use scene::session::Session;

use crate::PaperError;
use crate::bodies::open;

/// The hardening spring of ["Adaptive Time-Stepping with Linearized Force Error Estimation", Fig. 1].
pub const SPRING: &str = include_str!("../scenes/spring.toml");
/// Longest step allowed on the spring, s.
pub const LONGEST: f64 = 0.25;

/// A method of the same figure with one linearised step, as in the paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linearised {
    /// For people.
    pub name: &'static str,
    /// Name in the registry.
    pub method: &'static str,
    /// Whether every step evaluates the force at its start, as the paper's equations do. Otherwise Newmark's method
    /// goes on from the acceleration that the linearised step before ended with, as s-newmark does.
    pub anew: bool,
}

/// Backward Euler, which has no acceleration to keep.
pub const EULER: Linearised = Linearised {
    name: "backward Euler",
    method: "s-backward-euler",
    anew: false,
};
/// Newmark's method as printed (section 3.3 there).
pub const NEWMARK: Linearised = Linearised {
    name: "Newmark",
    method: "s-newmark",
    anew: true,
};
/// Newmark's method as shipped.
pub const KEPT_NEWMARK: Linearised = Linearised {
    name: "Newmark with kept accelerations",
    anew: false,
    ..NEWMARK
};
/// Step of the spring's reference by the classical Runge–Kutta method, s.
const SPRING_FINE: f64 = 1e-4;

/// Times between the start and the end at which interpolated errors are measured.
const SAMPLES: usize = 1000;

/// How the steps of a run are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steering {
    /// For people.
    pub name: &'static str,
    /// `time.control.kind`.
    pub kind: &'static str,
    /// `time.control.exponent`, if it is not the kind's own.
    pub exponent: Option<f64>,
}

impl Steering {
    /// A kind of control with its own settings.
    pub const fn new(kind: &'static str) -> Steering {
        Steering {
            name: kind,
            kind,
            exponent: None,
        }
    }

    /// The force error with the rule as printed (eq. 12 there), exponent ⅓.
    pub const PRINTED: Steering = Steering {
        name: "force-error, printed",
        kind: "force-error",
        exponent: Some(1.0 / 3.0),
    };

    /// Steps of one length, for which the tolerance is the length, s.
    pub const FIXED: Steering = Steering::new("fixed");

    /// The keys of a scene that steer it so, with steps of at most `longest`, s.
    pub fn keys(&self, tolerance: f64, longest: f64) -> Vec<(&'static str, String)> {
        let mut keys = vec![("time.control.kind", self.kind.to_string())];
        if *self == Steering::FIXED {
            keys.push(("time.step", format!("{tolerance:?}")));
            return keys;
        }
        keys.push(("time.control.tolerance", format!("{tolerance:?}")));
        keys.push(("time.control.max", format!("{longest:?}")));
        if let Some(exponent) = self.exponent {
            keys.push(("time.control.exponent", format!("{exponent:?}")));
        }
        keys
    }
}

/// The spring under a method.
pub fn spring(method: &str, steering: &Steering, tolerance: f64) -> Result<Session, PaperError> {
    let mut keys = vec![("time.method", method.to_string())];
    keys.extend(steering.keys(tolerance, LONGEST));
    open(SPRING, &keys)
}

/// The true motion of the spring, and how far it can be trusted (m): the difference that twice the step makes.
pub fn spring_reference() -> Result<(Reference, f64), PaperError> {
    let with = |step| Reference::of(&mut spring("rk4", &Steering::FIXED, step)?);
    let fine = with(SPRING_FINE)?;
    let trust = fine.difference(&with(2.0 * SPRING_FINE)?);
    Ok((fine, trust))
}

/// Runs of the spring at many tolerances; those that solve more than `most` linear systems are left out.
pub fn spring_runs(
    method: &Linearised,
    steering: &Steering,
    tolerances: &[f64],
    reference: &Reference,
    most: u64,
) -> Result<Vec<Run>, PaperError> {
    let runs = tolerances.par_iter().map(|&tolerance| {
        let mut sim = spring(method.method, steering, tolerance)?;
        Ok(measure(&mut sim, reference, tolerance, most, method.anew))
    });
    let runs = runs.collect::<Result<Vec<_>, PaperError>>()?;
    Ok(runs.into_iter().flatten().collect())
}

/// A solution on a fine grid of times, with cubics in between.
pub struct Reference {
    states: Vec<State>,
    spacing: f64,
}

impl Reference {
    /// Runs a session with fixed steps to its end, keeping every state.
    pub fn of(sim: &mut Session) -> Result<Reference, PaperError> {
        let (until, step) = (sim.scene.time.until, sim.scene.time.nominal_step());
        let mut states = vec![sim.state().clone()];
        while sim
            .step_towards(until)
            .map_err(PaperError::session("the fine reference"))?
        {
            states.push(sim.state().clone());
        }
        Ok(Reference {
            states,
            spacing: step,
        })
    }

    /// The state at a time.
    pub fn at(&self, t: f64, out: &mut State) {
        let last = self.states.len() - 1;
        let k = ((t / self.spacing) as usize).min(last.saturating_sub(1));
        dense::interpolate(&self.states[k], &self.states[(k + 1).min(last)], t, out);
    }

    /// Largest difference from a coarser reference at the coarser one's times, m: how far the finer one can be trusted.
    pub fn difference(&self, coarser: &Reference) -> f64 {
        let mut here = State::default();
        let off = coarser.states.iter().map(|state| {
            self.at(state.t, &mut here);
            distance(state, &here)
        });
        off.fold(0.0, f64::max)
    }

    /// An unknown over time.
    pub fn curve(&self, dof: usize) -> Vec<(f64, f64)> {
        self.states.iter().map(|s| (s.t, s.u[dof])).collect()
    }
}

/// Largest difference of an unknown, m; infinite if there is none.
fn distance(a: &State, b: &State) -> f64 {
    let each = a.u.iter().zip(&b.u).map(|(a, b)| (a - b).abs());
    each.fold(0.0, |most, x| {
        if x.is_nan() {
            f64::INFINITY
        } else {
            x.max(most)
        }
    })
}

/// A run, its work and its errors.
#[derive(Clone, Debug)]
pub struct Run {
    /// Tolerance (m), or the length of fixed steps (s).
    pub tolerance: f64,
    /// Steps accepted.
    pub steps: u64,
    /// Attempts rejected.
    pub rejected: u64,
    /// Steps accepted in the second half of the time.
    pub late: u64,
    /// Linear systems solved with the matrix of a stage, those of rejected attempts included; solves with the mass
    /// matrix, which is diagonal, are left out.
    pub solves: u64,
    /// Matrices factored, those of rejected attempts included.
    pub factorizations: u64,
    /// Largest error at the ends of steps, m.
    pub at_nodes: f64,
    /// Largest error of the cubics through the ends of steps, m.
    pub between: f64,
    /// Root mean square over time of the error of the cubics, m.
    pub mean: f64,
}

/// Runs a session to its end and measures it; `None` if a step fails or more than `most` linear systems are solved. With
/// `anew` the method forgets what it kept of earlier steps before each step.
pub fn measure(
    sim: &mut Session,
    reference: &Reference,
    tolerance: f64,
    most: u64,
    anew: bool,
) -> Option<Run> {
    let until = sim.scene.time.until;
    let mut here = State::default();
    let (mut at_nodes, mut between, mut squares) = (0.0_f64, 0.0_f64, 0.0);
    let (mut sample, mut late) = (1, 0);
    loop {
        if anew {
            sim.restart_method();
        }
        if !sim.step_towards(until).ok()? {
            break;
        }
        if sim.totals().work.newton > most {
            return None;
        }
        let t = sim.t();
        late += u64::from(t > 0.5 * until);
        reference.at(t, &mut here);
        at_nodes = at_nodes.max(distance(sim.state(), &here));
        while sample <= SAMPLES {
            let time = until * sample as f64 / SAMPLES as f64;
            if time > t {
                break;
            }
            reference.at(time, &mut here);
            let off = distance(&sim.state_at(time), &here);
            between = between.max(off);
            squares += off * off;
            sample += 1;
        }
    }
    let totals = sim.totals();
    Some(Run {
        tolerance,
        steps: totals.steps,
        rejected: totals.rejected,
        late,
        solves: totals.work.newton,
        factorizations: totals.work.factorizations,
        at_nodes,
        between,
        mean: f64::sqrt(squares / SAMPLES as f64),
    })
}

/// Numbers from `from` to `to`, `each` a decade.
pub fn decades(from: f64, to: f64, each: usize) -> Vec<f64> {
    let count = ((to / from).log10() * each as f64).round() as usize;
    let at = |k: usize| from * (to / from).powf(k as f64 / count as f64);
    (0..=count).map(at).collect()
}

/// Of the runs whose work is within a share `slack` of a budget (or of the nearest, if none is), the one of median error
/// at the ends of steps: a single tolerance may be lucky.
pub fn at_budget(runs: &[Run], budget: f64, slack: f64, work: fn(&Run) -> u64) -> Option<&Run> {
    let off = |run: &Run| (work(run) as f64 / budget - 1.0).abs();
    let nearest = runs.iter().map(off).fold(f64::INFINITY, f64::min);
    let mut close: Vec<&Run> = runs
        .iter()
        .filter(|run| off(run) <= slack.max(nearest))
        .collect();
    close.sort_by(|a, b| a.at_nodes.total_cmp(&b.at_nodes));
    close.get(close.len().saturating_sub(1) / 2).copied()
}

/// The median; the mean of the middle two if their number is even, and `None` of nothing.
pub fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let n = values.len();
    match n {
        0 => None,
        _ => Some(0.5 * (values[(n - 1) / 2] + values[n / 2])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(solves: u64, at_nodes: f64) -> Run {
        Run {
            tolerance: 1.0,
            steps: solves,
            rejected: 0,
            late: 0,
            solves,
            factorizations: 0,
            at_nodes,
            between: at_nodes,
            mean: at_nodes,
        }
    }

    #[test]
    fn budgets_take_the_median_of_the_runs_nearby() {
        let runs =
            [(50, 9.0), (99, 3.0), (100, 1.0), (101, 2.0), (150, 8.0)].map(|(s, e)| run(s, e));
        let at = |budget| at_budget(&runs, budget, 0.02, |r| r.solves).unwrap();
        assert_eq!(at(100.0).at_nodes, 2.0);
        // None is within the slack: the nearest.
        assert_eq!(at(60.0).solves, 50);
        assert!(at_budget(&[], 1.0, 0.1, |r| r.solves).is_none());
    }

    #[test]
    fn medians() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), Some(2.0));
        assert_eq!(median([4.0, 1.0].into_iter()), Some(2.5));
        assert_eq!(median([].into_iter()), None);
    }

    /// Against a program of our own in another language, which has the rule as printed.
    #[test]
    fn the_printed_rule_takes_the_steps_of_an_independent_program() {
        let (reference, trust) = spring_reference().unwrap();
        assert!(trust < 1e-9, "{trust}");
        for (tolerance, steps, rejected, error) in [
            (1e-2, 21, 4, None),
            (1e-4, 60, 8, None),
            (7.5e-5, 67, 13, Some(6.297e-2)),
        ] {
            let mut sim = spring("s-backward-euler", &Steering::PRINTED, tolerance).unwrap();
            let run = measure(&mut sim, &reference, tolerance, 1000, false).unwrap();
            assert_eq!((run.steps, run.rejected), (steps, rejected));
            assert_eq!(run.solves, steps + rejected);
            if let Some(error) = error {
                let error: f64 = error;
                assert!(
                    (run.at_nodes / error - 1.0).abs() < 0.02,
                    "{}",
                    run.at_nodes
                );
            }
        }
    }

    #[test]
    fn steps_by_doubling_cost_three_solves() {
        let (reference, _) = spring_reference().unwrap();
        let mut sim = spring("s-newmark", &Steering::new("doubling"), 0.01).unwrap();
        let run = measure(&mut sim, &reference, 0.01, 1000, false).unwrap();
        assert_eq!(run.solves, 3 * (run.steps + run.rejected));
        let mut sim = spring("s-newmark", &Steering::FIXED, 0.02).unwrap();
        let run = measure(&mut sim, &reference, 0.02, 1000, false).unwrap();
        assert_eq!((run.steps, run.solves), (100, 100));
    }

    /// Against the same program, with forces evaluated at the start of steps and with accelerations kept.
    #[test]
    fn newmark_as_printed_evaluates_forces_anew() {
        let (reference, _) = spring_reference().unwrap();
        for (method, error) in [(NEWMARK, 6.036e-3), (KEPT_NEWMARK, 2.610e-2)] {
            let runs = spring_runs(&method, &Steering::FIXED, &[0.025], &reference, 100).unwrap();
            let found = runs[0].at_nodes;
            assert!(
                (found / error - 1.0).abs() < 1e-3,
                "{}: {found}",
                method.name
            );
        }
    }
}
