//! Rejected attempts and resumed runs of bodies: what is frozen for a step is that of the step, to the bit.

mod common;

use common::Body;
use common::marching::choices;
use march::families::startup::RannacherStartup;
use march::methods::Choice;
use march::{
    Corrected, EnergyTracking, Newton, Options, Parameters, State, Step, Stepper, TimeLoop,
    TimeLoopState, VelocityProjection,
};
use solid::mass::MassKind;
use solid::material::Law;
use solid::mesh::Kind;
use solid::model::Model;
use solid::potential::Handle;

const H: f64 = 0.002;
const STEPS: u32 = 8;

/// A body that falls and turns; its law freezes rotations at the start of a step, and its damping the stiffness there.
fn body(law: &str) -> (Model, State) {
    let body = Body::block(Kind::Hex8, [2, 1, 1], [1.0, 0.5, 0.4]);
    let law = Law::new(law, 1e4, 0.3).unwrap();
    let mut parts = body.damped_parts(law, 1000.0, MassKind::Consistent, 1e-3);
    parts.gravity = [0.0, -9.81, 0.0];
    let model = Model::new(parts).unwrap();
    let velocity = |x: &[f64; 3]| [-3.0 * x[1], 3.0 * x[0] + 2.0 * x[0] * x[0], 0.5 * x[0]];
    let v = model.restrict(&body.rest.iter().map(velocity).collect::<Vec<_>>());
    let u = vec![0.0; v.len()];
    (model, State { t: 0.0, u, v })
}

/// A method alone, corrected in two ways, and behind a start.
fn steppers(choice: &Choice) -> [Box<dyn Stepper>; 4] {
    let method = || {
        choice
            .stepper(&Parameters::default(), Newton::Minimise)
            .unwrap()
    };
    let tracking = EnergyTracking::new(Newton::Minimise, 1e-9);
    [
        method(),
        Box::new(Corrected::new(method(), tracking)),
        Box::new(Corrected::new(method(), VelocityProjection::new(1e-9))),
        Box::new(RannacherStartup::new(method())),
    ]
}

/// What a step began from, and every digit of what it did and left.
type Record = (TimeLoopState, String);

/// Takes the steps from step `from` on; before the fourth, but not at the beginning, a hand pulls at the body.
fn take_steps(time: &mut TimeLoop, model: &mut Model, from: u32) -> Vec<Record> {
    let record = |k| {
        if k > from && k == 4 {
            model.grab(Handle {
                node: 0,
                stiffness: 1e3,
                target: [0.1, 0.2, 0.0],
            });
            time.disturbed(model);
        }
        let before = time.save(model);
        let step = time.step(model, f64::from(STEPS) * H).unwrap()?;
        let Step {
            h, report, entry, ..
        } = step;
        let after = time.save(model);
        Some((before, format!("{h:?} {report:?} {entry:?} {after:?}")))
    };
    (from..STEPS).map_while(record).collect()
}

fn assert_same(plain: &[Record], other: &[Record], which: &str) {
    assert_eq!(plain.len(), other.len(), "{which}");
    for (k, ((_, a), (_, b))) in plain.iter().zip(other).enumerate() {
        assert!(a == b, "{which}, step {}:\n{a}\n{b}", k + 1);
    }
}

#[test]
fn rejected_attempts_leave_no_trace_and_resumed_runs_go_on_to_the_bit() {
    for law in ["corotated-frozen", "stable-neo-hookean"] {
        for choice in choices() {
            for (number, stepper) in steppers(&choice).into_iter().enumerate() {
                let which = format!("{} in wrapper {number}, {law}", choice.name());
                let begin = |stepper| {
                    let (mut model, start) = body(law);
                    let mut time = TimeLoop::fixed(stepper, Options::default(), start, H);
                    time.keep_ledger(&mut model);
                    (model, time)
                };
                let (mut model, mut time) = begin(stepper);
                let plain = take_steps(&mut time, &mut model, 0);
                assert_eq!(plain.len(), STEPS as usize, "{which}");

                let again = || steppers(&choice).into_iter().nth(number).unwrap();
                let (mut model, mut time) = begin(again());
                let mut attempts = 0;
                // One attempt of three is accepted.
                time.set_veto(Some(Box::new(move |_| {
                    attempts += 1;
                    attempts % 3 != 0
                })));
                let vetoed = take_steps(&mut time, &mut model, 0);
                assert_same(&plain, &vetoed, &which);

                for k in [1, 3, 4, 7] {
                    let (mut model, mut time) = begin(again());
                    time.restore(&mut model, &plain[k].0).unwrap();
                    let resumed = take_steps(&mut time, &mut model, k as u32);
                    assert_same(&plain[k..], &resumed, &format!("{which}, from step {k}"));
                }
            }
        }
    }
}
