//! Rejected attempts and resumed runs of bodies: quantities that are frozen for a step or lag inside a stage belong to the
//! right step, to the bit.

mod common;
#[path = "../../problems/tests/common/mod.rs"]
mod time_loops;

use common::Body;
use march::methods::MethodChoice;
use march::{
    Controller, FixedSteps, MethodMemory, Newton, Options, StageSolver, State, TimeLoop,
    TimeLoopState,
};
use mesh::CellKind;
use solid::mass::MassKind;
use solid::material::Law;
use solid::model::Model;
use solid::potential::{DampingRate, Handle, SolidProperties, StiffnessDamping, Viscosity};
use time_loops::case::coin_veto;
use time_loops::{Record, RejectedTrials, WRAPPERS, Wrapper, assert_same, choices, take_step};

const H: f64 = 0.02;
const STEPS: u32 = 8;

/// A law and its damping.
#[derive(Clone, Copy, Debug)]
struct DampedLaw {
    law: &'static str,
    rate: DampingRate,
    viscosity: Viscosity,
}

/// Rotations frozen for a step, stiffness damping frozen for a step, and damping that lags inside a stage.
const DAMPED_LAWS: [DampedLaw; 3] = [
    DampedLaw {
        law: "corotated-frozen",
        rate: DampingRate::Frozen,
        viscosity: Viscosity {
            shear: 0.0,
            bulk: 0.0,
        },
    },
    DampedLaw {
        law: "stable-neo-hookean",
        rate: DampingRate::Implicit,
        viscosity: Viscosity {
            shear: 0.0,
            bulk: 0.0,
        },
    },
    DampedLaw {
        law: "stable-neo-hookean",
        rate: DampingRate::Frozen,
        viscosity: Viscosity {
            shear: 30.0,
            bulk: 20.0,
        },
    },
];

/// A body that falls, rotates and contracts so fast that a backward-Euler startup lasts for some steps.
fn body(damped_law: &DampedLaw) -> (Model, State) {
    let body = Body::block(CellKind::Hex8, [2, 1, 1], [1.0, 0.5, 0.4]);
    let properties = SolidProperties {
        law: Law::new(damped_law.law, 4e4, 0.3).unwrap(),
        stiffness_damping: StiffnessDamping {
            factor: 3e-3,
            rate: damped_law.rate,
        },
        viscosity: damped_law.viscosity,
    };
    let mut parts = body.parts_of(properties, 1000.0, MassKind::Consistent);
    parts.gravity = [0.0, -1.0, 0.0];
    let model = Model::new(parts).unwrap();
    let velocity = |x: &[f64; 3]| [2.0 - 4.0 * x[0] - x[1], x[0] - 0.5, 0.5 * x[0] * x[0]];
    let v = model.restrict(&body.rest.iter().map(velocity).collect::<Vec<_>>());
    let u = vec![0.0; v.len()];
    (model, State { t: 0.0, u, v })
}

/// A run to repeat.
#[derive(Clone, Copy, Debug)]
struct Run {
    choice: MethodChoice,
    wrapper: Wrapper,
    damped_law: DampedLaw,
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Run {
            choice,
            wrapper,
            damped_law,
        } = self;
        write!(f, "{} {wrapper:?}, {damped_law:?}", choice.name())
    }
}

impl Run {
    /// A new time loop with a ledger.
    fn begin(&self, controller: Box<dyn Controller>) -> (Model, TimeLoop<'static>) {
        let (mut model, start) = body(&self.damped_law);
        let stepper = self.wrapper.stepper(&self.choice, Newton::Minimise);
        let solver = StageSolver::new(Options::default());
        let mut time = TimeLoop::new(stepper, solver, controller, start);
        time.keep_ledger(&mut model);
        (model, time)
    }

    fn fixed(&self) -> (Model, TimeLoop<'static>) {
        self.begin(Box::new(FixedSteps::new(H)))
    }
}

/// Takes the steps from step `from` on. A handle is attached before the fifth step unless the run starts there. Returns the
/// state before each step and the step's record.
fn take_steps(
    (mut model, mut time): (Model, TimeLoop),
    from: u32,
) -> (Vec<TimeLoopState>, Vec<Record>) {
    let step = |k| {
        if k > from && k == 4 {
            model.grab(Handle {
                node: 0,
                stiffness: 1e3,
                target: [0.1, 0.2, 0.0],
            });
            time.book_disturbance(&mut model);
        }
        let before = time.save(&model);
        let record = take_step(&mut time, &mut model, f64::from(STEPS) * H)?;
        Some((before, record))
    };
    (from..STEPS).map_while(step).unzip()
}

#[test]
fn rejected_attempts_leave_no_trace_and_resumed_runs_are_equal_to_the_bit() {
    for damped_law in DAMPED_LAWS {
        for choice in choices() {
            for wrapper in WRAPPERS {
                let run = Run {
                    choice,
                    wrapper,
                    damped_law,
                };
                let (saved, plain) = take_steps(run.fixed(), 0);
                assert_eq!(plain.len(), STEPS as usize, "{run}");
                let settled =
                    |m: &MethodMemory| matches!(m, MethodMemory::Startup { settled: true, .. });
                assert!(!settled(&saved[3].method), "{run}");

                let (model, mut time) = run.fixed();
                time.set_veto(Some(coin_veto()));
                let (_, vetoed) = take_steps((model, time), 0);
                assert_same(&plain, &vetoed, &run);

                let trials = run.begin(Box::new(RejectedTrials::new(0.0, H)));
                let (_, after_trials) = take_steps(trials, 0);
                assert_same(&plain, &after_trials, &run);

                for k in [1, 3, 4, 7] {
                    let (mut model, mut time) = run.fixed();
                    time.restore(&mut model, &saved[k]).unwrap();
                    let (_, resumed) = take_steps((model, time), k as u32);
                    assert_same(&plain[k..], &resumed, &format!("{run} from step {k}"));
                }
            }
        }
    }
}
