//! Methods keep their order under damping that depends on positions, and drop to the first under frozen one.

mod common;

use common::marching::{choices, march};
use common::{Body, norm, rate};
use march::methods::Choice;
use march::{State, System, find};
use solid::mass::MassKind;
use solid::material::Law;
use solid::mesh::Kind;
use solid::model::{Fix, Model};
use solid::motion::Motion;
use solid::potential::{DampingRate, StiffnessDamping, Substance, Viscosity};

/// Damping of the body under test.
type Damping = (StiffnessDamping, Viscosity);

const NONE: Viscosity = Viscosity {
    shear: 0.0,
    bulk: 0.0,
};
/// Stiffness damping of the stage's own positions.
const IMPLICIT: Damping = (
    StiffnessDamping {
        factor: 0.05,
        rate: DampingRate::Implicit,
    },
    NONE,
);
/// Stiffness damping of the start of the step.
const FROZEN: Damping = (
    StiffnessDamping {
        factor: 0.05,
        rate: DampingRate::Frozen,
    },
    NONE,
);
/// Viscosity.
const VISCOUS: Damping = (
    StiffnessDamping {
        factor: 0.0,
        rate: DampingRate::Implicit,
    },
    Viscosity {
        shear: 30.0,
        bulk: 20.0,
    },
);

/// A soft body under gravity with a shaken end.
fn shaken((stiffness_damping, viscosity): Damping) -> (Model, State) {
    let body = Body::block(Kind::Hex8, [2, 1, 1], [1.0, 0.5, 0.5]);
    let substance = Substance {
        law: Law::new("stable-neo-hookean", 500.0, 0.3).unwrap(),
        stiffness_damping,
        viscosity,
    };
    let mut parts = body.parts_of(substance, 1000.0, MassKind::Consistent);
    let (axis, amplitude, frequency) = ([0.6, 0.0, 0.8], 0.3, 0.5);
    parts.fixes.push(Fix {
        nodes: body.nodes_where(|x| x[0] == 0.0),
        axes: [true; 3],
        motion: Motion::Shake {
            axis,
            amplitude,
            frequency,
        },
    });
    parts.gravity = [0.0, -1.0, 0.0];
    let model = Model::new(parts).unwrap();
    let n = model.dofs();
    let v = (0..n)
        .map(|i| axis[i % 3] * amplitude * frequency * std::f64::consts::TAU)
        .collect();
    let u = vec![0.0; n];
    (model, State { t: 0.0, u, v })
}

/// State of the shaken body after so many steps.
fn shaken_for(damping: Damping, choice: &Choice, steps: u32) -> State {
    let (mut model, mut s) = shaken(damping);
    let h = 0.6 / f64::from(steps);
    march(choice, &mut model, &mut s, h, steps, |_, _| ());
    s
}

fn order(damping: Damping, choice: &Choice, exact: &State) -> f64 {
    let steps = [200, 100, 160, 80][choice.order() as usize - 1];
    let error = |steps: u32| {
        let s = shaken_for(damping, choice, steps);
        let pairs = s.u.iter().zip(&exact.u).chain(s.v.iter().zip(&exact.v));
        norm(&pairs.map(|(x, y)| x - y).collect::<Vec<_>>())
    };
    rate(error(steps), error(2 * steps), 2.0)
}

#[test]
fn explore() {
    for (name, damping) in [("implicit", IMPLICIT), ("frozen", FROZEN), ("viscous", VISCOUS)] {
        let exact = shaken_for(if name == "frozen" {IMPLICIT} else {damping}, &find("rk4").unwrap(), 3000);
        let fine = shaken_for(if name == "frozen" {IMPLICIT} else {damping}, &find("sdirk3").unwrap(), 1500);
        let pairs = fine.u.iter().zip(&exact.u).chain(fine.v.iter().zip(&exact.v));
        println!("{name} sdirk3-rk4 {:e}", norm(&pairs.map(|(x, y)| x - y).collect::<Vec<_>>()));
        for choice in choices() {
            let t = std::time::Instant::now();
            println!("{name} {} claims {} has {:.3} ({:?})", choice.name(), choice.order(), order(damping, &choice, &exact), t.elapsed());
        }
    }
}
