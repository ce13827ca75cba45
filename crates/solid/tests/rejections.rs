//! Rejected attempts and resumed runs of bodies: what is frozen for a step, or lags inside of it, is that of the step, to
//! the bit.

mod common;
#[path = "../../march/tests/common/mod.rs"]
mod time_loops;

use common::Body;
use march::methods::Choice;
use march::{
    Controller, FixedSteps, Memory, Newton, Options, StageSolver, State, TimeLoop, TimeLoopState,
};
use mesh::CellKind;
use solid::mass::MassKind;
use solid::material::Law;
use solid::model::Model;
use solid::potential::{DampingRate, Handle, StiffnessDamping, Substance, Viscosity};
use time_loops::case::coin_veto;
use time_loops::{Record, RejectedTrials, WRAPPERS, Wrapper, assert_same, choices, take_step};

const H: f64 = 0.02;
const STEPS: u32 = 8;

/// A law and its damping.
#[derive(Clone, Copy, Debug)]
struct Stuff {
    law: &'static str,
    rate: DampingRate,
    viscosity: Viscosity,
}

/// Rotations frozen for a step, stiffness damping frozen for a step, and damping that lags inside a stage.
const STUFFS: [Stuff; 3] = [
    Stuff {
        law: "corotated-frozen",
        rate: DampingRate::Frozen,
        viscosity: Viscosity {
            shear: 0.0,
            bulk: 0.0,
        },
    },
    Stuff {
        law: "stable-neo-hookean",
        rate: DampingRate::Implicit,
        viscosity: Viscosity {
            shear: 0.0,
            bulk: 0.0,
        },
    },
    Stuff {
        law: "stable-neo-hookean",
        rate: DampingRate::Frozen,
        viscosity: Viscosity {
            shear: 30.0,
            bulk: 20.0,
        },
    },
];

/// A body that falls and turns, and shrinks so fast that a backward-Euler start lasts for some steps.
fn body(stuff: &Stuff) -> (Model, State) {
    let body = Body::block(CellKind::Hex8, [2, 1, 1], [1.0, 0.5, 0.4]);
    let substance = Substance {
        law: Law::new(stuff.law, 4e4, 0.3).unwrap(),
        stiffness_damping: StiffnessDamping {
            factor: 3e-3,
            rate: stuff.rate,
        },
        viscosity: stuff.viscosity,
    };
    let mut parts = body.parts_of(substance, 1000.0, MassKind::Consistent);
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
    choice: Choice,
    wrapper: Wrapper,
    stuff: Stuff,
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Run {
            choice,
            wrapper,
            stuff,
        } = self;
        write!(f, "{} {wrapper:?}, {stuff:?}", choice.name())
    }
}

impl Run {
    /// A loop at its beginning, with a ledger.
    fn begin(&self, controller: Box<dyn Controller>) -> (Model, TimeLoop<'static>) {
        let (mut model, start) = body(&self.stuff);
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

/// Takes the steps from step `from` on; before the fifth, but not at the beginning, a hand takes hold of the body.
/// Returns each step with what it began from.
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
            time.disturbed(&mut model);
        }
        let before = time.save(&model);
        let record = take_step(&mut time, &mut model, f64::from(STEPS) * H)?;
        Some((before, record))
    };
    (from..STEPS).map_while(step).unzip()
}

#[test]
fn rejected_attempts_leave_no_trace_and_resumed_runs_go_on_to_the_bit() {
    for stuff in STUFFS {
        for choice in choices() {
            for wrapper in WRAPPERS {
                let run = Run {
                    choice,
                    wrapper,
                    stuff,
                };
                let (saved, plain) = take_steps(run.fixed(), 0);
                assert_eq!(plain.len(), STEPS as usize, "{run}");
                let settled = |m: &Memory| matches!(m, Memory::Startup { settled: true, .. });
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
