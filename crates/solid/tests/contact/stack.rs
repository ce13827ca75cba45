//! A stack of ten blocks between walls without friction stands still.

use contact::obstacle::{Frame, Obstacle};
use march::{Newton, Options, Parameters, StageSolver, State, StepHalving, TimeLoop, find};
use solid::model::Model;
use solid::motion::Motion;

use crate::bodies::{assemble, settings};
use crate::{block, shape};

const SIZE: f64 = 0.2;
const REACH: f64 = 0.004;
const COUNT: usize = 10;

fn stack() -> Model {
    let plane = |point: [f64; 3], normal: [f64; 3]| {
        shape(Obstacle::Plane, Frame::along(point, normal), Motion::Still)
    };
    let room = 0.7 * REACH;
    let walls = vec![
        plane([0.0; 3], [0.0, 1.0, 0.0]),
        plane([-room, 0.0, 0.0], [1.0, 0.0, 0.0]),
        plane([SIZE + room, 0.0, 0.0], [-1.0, 0.0, 0.0]),
        plane([0.0, 0.0, -room], [0.0, 0.0, 1.0]),
        plane([0.0, 0.0, SIZE + room], [0.0, 0.0, -1.0]),
    ];
    let parts: Vec<_> = (0..COUNT)
        .map(|k| {
            let y = REACH / 2.0 + k as f64 * (SIZE + REACH / 2.0);
            let mut part = block([2, 2, 2], [SIZE; 3], [0.0, y, 0.0], 1e6, 0.3);
            part.damping = 0.02;
            part
        })
        .collect();
    let mut all = assemble(&parts, walls, settings(REACH, 5e4, false));
    all.gravity = [0.0, -9.81, 0.0];
    Model::new(all).unwrap()
}

#[test]
fn a_stack_of_ten_between_walls_stands_for_a_minute() {
    let mut model = stack();
    let n = model.unknowns();
    let start = State {
        t: 0.0,
        u: vec![0.0; n],
        v: vec![0.0; n],
    };
    let stepper = find("backward-euler").unwrap();
    let stepper = stepper.stepper(&Parameters::default(), Newton::Minimise);
    let controller = Box::new(StepHalving::new(0.04, None));
    let solver = StageSolver::new(Options::default());
    let mut time = TimeLoop::new(stepper.unwrap(), solver, controller, start);
    let (mut settled, mut analyses) = (None::<State>, 0);
    let mut most_factorizations = 0;
    while let Some(step) = time.step(&mut model, 60.0).unwrap() {
        let state = time.state();
        if settled.is_none() && state.t >= 20.0 {
            settled = Some(state.clone());
            analyses = time.solver().analyses();
        } else if settled.is_some() {
            most_factorizations = most_factorizations.max(step.report.counts.factorizations);
        }
    }
    let (first, last) = (settled.unwrap(), time.state());
    let moved = (first.u.iter().zip(&last.u)).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    let speed = last.v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let more = time.solver().analyses() - analyses;
    println!(
        "moved {moved:.2e} m, speed {speed:.2e} m/s, {more} analyses, at most {most_factorizations} factorizations a step"
    );
    assert!(moved < 1e-6 && speed < 1e-6);
    assert_eq!(more, 0);
    assert!(most_factorizations <= 1);
    let pairs = model.contact_pairs(last.t, &last.u, &last.v);
    let floor = pairs
        .iter()
        .find(|p| p.groups == [0, COUNT as u32])
        .unwrap();
    let weight = COUNT as f64 * 1000.0 * SIZE.powi(3) * 9.81;
    assert!((floor.normal_force / weight - 1.0).abs() < 1e-5);
}
