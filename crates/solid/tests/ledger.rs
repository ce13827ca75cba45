//! Energy ledger of bodies: the work of moving boundaries, pushes and anchors equals the gain of energy.

mod common;
mod material_support;

use common::Body;
use march::ledger::LedgerEntry;
use march::{Newton, Options, Parameters, State, TimeLoop, find};
use mesh::CellKind;
use solid::load::Push;
use solid::mass::MassKind;
use solid::material::Law;
use solid::model::{Model, ModelDescription, PrescribedNodes};
use solid::motion::{Keyframe, Motion};
use solid::potential::Tethers;

/// A motion of 0.4 m in one second, which is fastest at t = 0.5 s.
fn ride() -> Motion {
    let key = |t, x| Keyframe {
        t,
        translate: [x, 0.3 * x, 0.0],
        rotate: [0.0; 3],
    };
    Motion::Keyframes {
        keys: vec![key(0.0, 0.0), key(1.0, 0.4)],
        pivot: [0.0; 3],
        ease: Default::default(),
    }
}

/// Sum of the ledger up to t = 0.5 s, and the kinetic energy at that time.
fn booked(name: &str, change: impl Fn(&Body, &mut ModelDescription)) -> (LedgerEntry, f64) {
    let body = Body::block(CellKind::Hex8, [2, 1, 1], [2.0, 1.0, 1.0]);
    let law = Law::new("stable-neo-hookean", 1e7, 0.3).unwrap();
    let mut parts = body.parts(law, 1000.0, MassKind::Consistent);
    change(&body, &mut parts);
    let mut model = Model::new(parts).unwrap();
    let n = model.unknowns();
    let start = State {
        t: 0.0,
        u: vec![0.0; n],
        v: vec![0.0; n],
    };
    let options = Options {
        tolerance: 1e-12,
        ..Options::default()
    };
    let stepper = find(name)
        .unwrap()
        .stepper(&Parameters::default(), Newton::Minimise)
        .unwrap();
    let mut sum = LedgerEntry::default();
    let before = model.energies(0.0, &start.u, &start.v).total();
    let mut time = TimeLoop::fixed(stepper, options, start, 0.001);
    time.keep_ledger(&mut model);
    time.run(&mut model, 0.5, &mut |_, step| {
        sum.add(&step.entry);
        true
    })
    .unwrap();
    let s = time.state();
    let energy = model.energies(s.t, &s.u, &s.v);
    let change = energy.total() - before;
    assert!(
        (sum.change - change).abs() < 1e-9 * energy.kinetic,
        "{name}: {sum:?}, but {change} J"
    );
    (sum, energy.kinetic)
}

const METHODS: [&str; 6] = [
    "implicit-midpoint",
    "trapezoid",
    "newmark",
    "sdirk3",
    "rodas4",
    "bdf2",
];

fn assert_worked(name: &str, sum: &LedgerEntry, kinetic: f64) {
    assert!(kinetic > 100.0, "{name}: the body gains only {kinetic} J");
    assert!(sum.work > 0.5 * kinetic, "{name}: {sum:?}");
    let missing = (sum.work - sum.change).abs();
    assert!(
        missing < 2e-4 * sum.change,
        "{name}: {missing} J missing of {sum:?}"
    );
    assert_eq!(sum.damping, 0.0, "{name}");
}

#[test]
fn the_work_of_a_moving_boundary_is_the_energy_that_the_body_gains() {
    for name in METHODS {
        let (sum, kinetic) = booked(name, |body, parts| {
            let nodes = body.nodes_where(|p| p[0] == 0.0);
            parts.prescribed.push(PrescribedNodes {
                nodes,
                axes: [true; 3],
                motion: ride(),
            });
        });
        assert_worked(name, &sum, kinetic);
    }
}

#[test]
fn the_work_of_pushes_and_moving_anchors_is_the_energy_that_the_body_gains() {
    for name in METHODS {
        let (sum, kinetic) = booked(name, |body, parts| {
            let nodes = body.nodes_where(|_| true);
            let force = [3000.0, 0.0, 0.0];
            parts.loads.push(Box::new(Push {
                nodes: nodes.clone(),
                force,
                from: 0.0,
                to: 9.0,
            }));
            parts
                .potentials
                .push(Box::new(Tethers::new(nodes, 1e4, ride())));
        });
        assert_worked(name, &sum, kinetic);
    }
}
