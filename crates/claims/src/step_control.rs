//! Runs under step-size control [Linearized Force Error, sec. 4]: their work, and their error against a fine reference.

use march::{State, dense};
use rayon::prelude::*;
use scene::session::Session;

use crate::PaperError;
use crate::runs::open_scene;

/// The hardening spring of [Linearized Force Error, Fig. 1].
pub const SPRING: &str = include_str!("../scenes/spring.toml");
/// The longest step allowed on the spring, in seconds.
pub const MAX_STEP: f64 = 0.25;

/// A method of [Linearized Force Error, Fig. 1] with one linearised step per time step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearizedMethod {
    /// The name in tables and plots.
    pub name: &'static str,
    /// The name in the registry.
    pub method: &'static str,
    /// Whether every step evaluates the force at its start, as in the equations of the paper. Otherwise Newmark's
    /// method continues from the acceleration at the end of the previous linearised step, as `s-newmark` does.
    pub restart_each_step: bool,
}

/// Backward Euler, which stores no acceleration.
pub const EULER: LinearizedMethod = LinearizedMethod {
    name: "backward Euler",
    method: "s-backward-euler",
    restart_each_step: false,
};
/// Newmark's method of [Linearized Force Error, sec. 3.3], with the force evaluated at the start of each step.
pub const NEWMARK: LinearizedMethod = LinearizedMethod {
    name: "Newmark",
    method: "s-newmark",
    restart_each_step: true,
};
/// Newmark's method as implemented by `s-newmark`, with the acceleration of the previous step.
pub const NEWMARK_KEPT_ACCELERATION: LinearizedMethod = LinearizedMethod {
    name: "Newmark with kept accelerations",
    restart_each_step: false,
    ..NEWMARK
};
/// The step of the spring's reference solution by the classical Runge–Kutta method, in seconds.
const REFERENCE_STEP: f64 = 1e-4;

/// The number of equidistant times at which interpolated errors are measured.
const ERROR_SAMPLES: usize = 1000;

/// A step-size control: its kind and exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepControl {
    /// The name in tables and plots.
    pub name: &'static str,
    /// The value of `time.control.kind`.
    pub kind: &'static str,
    /// The value of `time.control.exponent`; `None` for the default of the kind.
    pub exponent: Option<f64>,
}

impl StepControl {
    /// Creates a control of this kind with default settings.
    pub const fn new(kind: &'static str) -> StepControl {
        StepControl {
            name: kind,
            kind,
            exponent: None,
        }
    }

    /// The force-error control of [Linearized Force Error, eq. 12] with exponent ⅓.
    pub const FORCE_ERROR_EQ12: StepControl = StepControl {
        name: "force-error, printed",
        kind: "force-error",
        exponent: Some(1.0 / 3.0),
    };

    /// Fixed steps; the tolerance is the step in seconds.
    pub const FIXED: StepControl = StepControl::new("fixed");

    /// Returns the keys of a scene for this control with a longest step in seconds.
    pub fn keys(&self, tolerance: f64, longest: f64) -> Vec<(&'static str, String)> {
        let mut keys = vec![("time.control.kind", self.kind.to_string())];
        if *self == StepControl::FIXED {
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

/// Opens the spring with a method and a step-size control.
pub fn spring(method: &str, steering: &StepControl, tolerance: f64) -> Result<Session, PaperError> {
    let mut keys = vec![("time.method", method.to_string())];
    keys.extend(steering.keys(tolerance, MAX_STEP));
    open_scene(SPRING, &keys)
}

/// Computes the reference solution of the spring and its uncertainty in metres, the change when the step is doubled.
pub fn spring_reference() -> Result<(ReferenceSolution, f64), PaperError> {
    let with = |step| ReferenceSolution::compute(&mut spring("rk4", &StepControl::FIXED, step)?);
    let fine = with(REFERENCE_STEP)?;
    let trust = fine.difference(&with(2.0 * REFERENCE_STEP)?);
    Ok((fine, trust))
}

/// Runs the spring at many tolerances; omits runs that solve more than `max_solves` linear systems.
pub fn spring_runs(
    method: &LinearizedMethod,
    steering: &StepControl,
    tolerances: &[f64],
    reference: &ReferenceSolution,
    max_solves: u64,
) -> Result<Vec<ControlledRun>, PaperError> {
    let runs = tolerances.par_iter().map(|&tolerance| {
        let mut sim = spring(method.method, steering, tolerance)?;
        Ok(run_and_measure(
            &mut sim,
            reference,
            tolerance,
            max_solves,
            method.restart_each_step,
        ))
    });
    let runs = runs.collect::<Result<Vec<_>, PaperError>>()?;
    Ok(runs.into_iter().flatten().collect())
}

/// A solution on a fine grid of times with cubic interpolation.
pub struct ReferenceSolution {
    states: Vec<State>,
    spacing: f64,
}

impl ReferenceSolution {
    /// Runs a session with fixed steps to its end and stores every state.
    pub fn compute(sim: &mut Session) -> Result<ReferenceSolution, PaperError> {
        let (until, step) = (sim.scene.time.until, sim.scene.time.nominal_step());
        let mut states = vec![sim.state().clone()];
        while sim
            .step_towards(until)
            .map_err(PaperError::from_session("the fine reference"))?
        {
            states.push(sim.state().clone());
        }
        Ok(ReferenceSolution {
            states,
            spacing: step,
        })
    }

    /// Interpolates the state at a time.
    pub fn at(&self, t: f64, out: &mut State) {
        let last = self.states.len() - 1;
        let k = ((t / self.spacing) as usize).min(last.saturating_sub(1));
        dense::interpolate(&self.states[k], &self.states[(k + 1).min(last)], t, out);
    }

    /// Returns the largest difference in metres from a coarser reference at its times, which estimates the uncertainty.
    pub fn difference(&self, coarser: &ReferenceSolution) -> f64 {
        let mut here = State::default();
        let off = coarser.states.iter().map(|state| {
            self.at(state.t, &mut here);
            max_abs_diff(state, &here)
        });
        off.fold(0.0, f64::max)
    }

    /// Returns an unknown over time.
    pub fn curve(&self, dof: usize) -> Vec<(f64, f64)> {
        self.states.iter().map(|s| (s.t, s.u[dof])).collect()
    }
}

/// Returns the largest difference of an unknown in metres; infinite if a difference is NaN.
fn max_abs_diff(a: &State, b: &State) -> f64 {
    let each = a.u.iter().zip(&b.u).map(|(a, b)| (a - b).abs());
    each.fold(0.0, |most, x| {
        if x.is_nan() {
            f64::INFINITY
        } else {
            x.max(most)
        }
    })
}

/// The work and the errors of a run.
#[derive(Clone, Debug)]
pub struct ControlledRun {
    /// The tolerance in metres, or the fixed step in seconds.
    pub tolerance: f64,
    /// The number of accepted steps.
    pub steps: u64,
    /// The number of rejected attempts.
    pub rejected: u64,
    /// The number of accepted steps in the second half of the time.
    pub second_half_steps: u64,
    /// The number of linear systems solved with the matrix of a stage, rejected attempts included. Solves with the
    /// diagonal mass matrix do not count.
    pub solves: u64,
    /// The number of factorizations, rejected attempts included.
    pub factorizations: u64,
    /// The largest error at the ends of steps in metres.
    pub step_end_error: f64,
    /// The largest error of the interpolating cubics in metres.
    pub dense_error: f64,
    /// The root mean square over time of the error of the interpolating cubics in metres.
    pub rms_dense_error: f64,
}

/// Runs a session to its end and measures work and errors. Returns `None` if a step fails or more than `max_solves`
/// linear systems are solved. With `restart_each_step` the method is restarted before each step.
pub fn run_and_measure(
    sim: &mut Session,
    reference: &ReferenceSolution,
    tolerance: f64,
    max_solves: u64,
    restart_each_step: bool,
) -> Option<ControlledRun> {
    let until = sim.scene.time.until;
    let mut here = State::default();
    let (mut step_end_error, mut between, mut squares) = (0.0_f64, 0.0_f64, 0.0);
    let (mut sample, mut late) = (1, 0);
    loop {
        if restart_each_step {
            sim.restart_method();
        }
        if !sim.step_towards(until).ok()? {
            break;
        }
        if sim.totals().work.newton > max_solves {
            return None;
        }
        let t = sim.t();
        late += u64::from(t > 0.5 * until);
        reference.at(t, &mut here);
        step_end_error = step_end_error.max(max_abs_diff(sim.state(), &here));
        while sample <= ERROR_SAMPLES {
            let time = until * sample as f64 / ERROR_SAMPLES as f64;
            if time > t {
                break;
            }
            reference.at(time, &mut here);
            let off = max_abs_diff(&sim.state_at(time), &here);
            between = between.max(off);
            squares += off * off;
            sample += 1;
        }
    }
    let totals = sim.totals();
    Some(ControlledRun {
        tolerance,
        steps: totals.steps,
        rejected: totals.rejected,
        second_half_steps: late,
        solves: totals.work.newton,
        factorizations: totals.work.factorizations,
        step_end_error,
        dense_error: between,
        rms_dense_error: f64::sqrt(squares / ERROR_SAMPLES as f64),
    })
}

/// Returns numbers from `from` to `to`, `each` per decade.
pub fn log_spaced(from: f64, to: f64, each: usize) -> Vec<f64> {
    let count = ((to / from).log10() * each as f64).round() as usize;
    let at = |k: usize| from * (to / from).powf(k as f64 / count as f64);
    (0..=count).map(at).collect()
}

/// Returns the run of median step-end error among those whose work is within the fraction `slack` of a budget, or
/// nearest to it. The median avoids a tolerance that is accurate by chance.
pub fn median_run_at_budget(
    runs: &[ControlledRun],
    budget: f64,
    slack: f64,
    work: fn(&ControlledRun) -> u64,
) -> Option<&ControlledRun> {
    let off = |run: &ControlledRun| (work(run) as f64 / budget - 1.0).abs();
    let nearest = runs.iter().map(off).fold(f64::INFINITY, f64::min);
    let mut close: Vec<&ControlledRun> = runs
        .iter()
        .filter(|run| off(run) <= slack.max(nearest))
        .collect();
    close.sort_by(|a, b| a.step_end_error.total_cmp(&b.step_end_error));
    close.get(close.len().saturating_sub(1) / 2).copied()
}

/// Returns the median, the mean of the middle two for an even number of values; `None` if there are none.
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

    fn run(solves: u64, step_end_error: f64) -> ControlledRun {
        ControlledRun {
            tolerance: 1.0,
            steps: solves,
            rejected: 0,
            second_half_steps: 0,
            solves,
            factorizations: 0,
            step_end_error,
            dense_error: step_end_error,
            rms_dense_error: step_end_error,
        }
    }

    #[test]
    fn budgets_take_the_median_of_the_runs_nearby() {
        let runs =
            [(50, 9.0), (99, 3.0), (100, 1.0), (101, 2.0), (150, 8.0)].map(|(s, e)| run(s, e));
        let at = |budget| median_run_at_budget(&runs, budget, 0.02, |r| r.solves).unwrap();
        assert_eq!(at(100.0).step_end_error, 2.0);
        // None is within the slack: the nearest.
        assert_eq!(at(60.0).solves, 50);
        assert!(median_run_at_budget(&[], 1.0, 0.1, |r| r.solves).is_none());
    }

    #[test]
    fn medians() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), Some(2.0));
        assert_eq!(median([4.0, 1.0].into_iter()), Some(2.5));
        assert_eq!(median([].into_iter()), None);
    }

    /// Compares with an independent program of ours in another language that implements [Linearized Force Error, eq. 12].
    #[test]
    fn eq12_takes_the_steps_of_an_independent_program() {
        let (reference, trust) = spring_reference().unwrap();
        assert!(trust < 1e-9, "{trust}");
        for (tolerance, steps, rejected, error) in [
            (1e-2, 21, 4, None),
            (1e-4, 60, 8, None),
            (7.5e-5, 67, 13, Some(6.297e-2)),
        ] {
            let mut sim = spring(
                "s-backward-euler",
                &StepControl::FORCE_ERROR_EQ12,
                tolerance,
            )
            .unwrap();
            let run = run_and_measure(&mut sim, &reference, tolerance, 1000, false).unwrap();
            assert_eq!((run.steps, run.rejected), (steps, rejected));
            assert_eq!(run.solves, steps + rejected);
            if let Some(error) = error {
                let error: f64 = error;
                assert!(
                    (run.step_end_error / error - 1.0).abs() < 0.02,
                    "{}",
                    run.step_end_error
                );
            }
        }
    }

    #[test]
    fn steps_by_doubling_cost_three_solves() {
        let (reference, _) = spring_reference().unwrap();
        let mut sim = spring("s-newmark", &StepControl::new("doubling"), 0.01).unwrap();
        let run = run_and_measure(&mut sim, &reference, 0.01, 1000, false).unwrap();
        assert_eq!(run.solves, 3 * (run.steps + run.rejected));
        let mut sim = spring("s-newmark", &StepControl::FIXED, 0.02).unwrap();
        let run = run_and_measure(&mut sim, &reference, 0.02, 1000, false).unwrap();
        assert_eq!((run.steps, run.solves), (100, 100));
    }

    /// Compares with the same program, with forces evaluated at the start of steps and with accelerations kept.
    #[test]
    fn newmark_of_the_paper_evaluates_forces_at_the_start_of_steps() {
        let (reference, _) = spring_reference().unwrap();
        for (method, error) in [(NEWMARK, 6.036e-3), (NEWMARK_KEPT_ACCELERATION, 2.610e-2)] {
            let runs =
                spring_runs(&method, &StepControl::FIXED, &[0.025], &reference, 100).unwrap();
            let found = runs[0].step_end_error;
            assert!(
                (found / error - 1.0).abs() < 1e-3,
                "{}: {found}",
                method.name
            );
        }
    }
}
