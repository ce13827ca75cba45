//! Methods keep their order under damping that depends on positions, and drop to first order under frozen damping.

mod common;

use common::marching::{choices, march};
use common::{Body, norm, rate};
use march::methods::MethodChoice;
use march::{State, System, find};
use mesh::CellKind;
use solid::mass::MassKind;
use solid::material::Law;
use solid::model::{Model, PrescribedNodes};
use solid::motion::{Keyframe, Motion};
use solid::potential::{DampingRate, SolidProperties, StiffnessDamping, Viscosity};

/// Damping of the body under test.
type Damping = (StiffnessDamping, Viscosity);

const NONE: Viscosity = Viscosity {
    shear: 0.0,
    bulk: 0.0,
};
/// Stiffness damping at the positions of the stage.
const IMPLICIT: Damping = (
    StiffnessDamping {
        factor: 0.05,
        rate: DampingRate::Implicit,
    },
    NONE,
);
/// Stiffness damping at the start of the step.
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
    let body = Body::block(CellKind::Hex8, [2, 1, 1], [1.0, 0.5, 0.5]);
    let properties = SolidProperties {
        law: Law::new("stable-neo-hookean", 500.0, 0.3).unwrap(),
        stiffness_damping,
        viscosity,
    };
    let mut parts = body.parts_of(properties, 1000.0, MassKind::Consistent);
    let (axis, amplitude, frequency) = ([0.6, 0.0, 0.8], 0.3, 0.5);
    parts.prescribed.push(PrescribedNodes {
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

/// State of the shaken body at t = 0.6 s after this number of steps.
fn shaken_for(damping: Damping, choice: &MethodChoice, steps: u32) -> State {
    let (mut model, mut s) = shaken(damping);
    let h = 0.6 / f64::from(steps);
    march(choice, &mut model, &mut s, h, steps, |_, _| ());
    s
}

/// State of a body of `arap` with prescribed motion of all nodes but four, stretched by a half, a third and a fifth. No
/// eigenvalue of an element's stiffness is negative, so the projection has no kinks.
fn stretched_for(damping: Damping, choice: &MethodChoice, steps: u32) -> State {
    let (stiffness_damping, viscosity) = damping;
    let body = Body::block(CellKind::Hex8, [2, 1, 1], [1.0, 0.5, 0.5]);
    let properties = SolidProperties {
        law: Law::new("arap", 500.0, 0.3).unwrap(),
        stiffness_damping,
        viscosity,
    };
    let mut parts = body.parts_of(properties, 1000.0, MassKind::Consistent);
    for node in body.nodes_where(|x| x[0] != 0.5) {
        let x = body.rest[node as usize];
        let key = |t: f64, more: f64| Keyframe {
            t,
            translate: [x[0] * (0.5 + more), 0.33 * x[1] + more, 0.2 * x[2]],
            rotate: [0.0; 3],
        };
        parts.prescribed.push(PrescribedNodes {
            nodes: vec![node],
            axes: [true; 3],
            motion: Motion::Keyframes {
                keys: vec![key(0.0, 0.0), key(0.7, 0.2)],
                pivot: [0.0; 3],
                ease: Default::default(),
            },
        });
    }
    let mut model = Model::new(parts).unwrap();
    let u: Vec<[f64; 3]> = body
        .rest
        .iter()
        .map(|x| [0.5 * x[0], 0.33 * x[1], 0.2 * x[2]])
        .collect();
    let v: Vec<[f64; 3]> = body.rest.iter().map(|_| [0.3, -0.2, 0.1]).collect();
    let mut s = State {
        t: 0.0,
        u: model.restrict(&u),
        v: model.restrict(&v),
    };
    let h = 0.6 / f64::from(steps);
    march(choice, &mut model, &mut s, h, steps, |_, _| ());
    s
}

/// Convergence order of a method between runs of `steps` and 2 · `steps` steps.
fn order(steps: u32, exact: &State, run: impl Fn(u32) -> State) -> f64 {
    let error = |steps: u32| {
        let s = run(steps);
        let pairs = s.u.iter().zip(&exact.u).chain(s.v.iter().zip(&exact.v));
        norm(&pairs.map(|(x, y)| x - y).collect::<Vec<_>>())
    };
    rate(error(steps), error(2 * steps), 2.0)
}

/// Steps that are fine enough to be asymptotic and coarse enough to stay above rounding.
fn steps(choice: &MethodChoice) -> u32 {
    [200, 100, 160, 80][choice.order() as usize - 1]
}

/// Every method of the registry; two of them converge faster than they claim.
#[test]
fn viscosity_keeps_the_order_of_every_method() {
    let exact = shaken_for(VISCOUS, &find("rk4").unwrap(), 3000);
    for choice in choices() {
        let claimed = f64::from(choice.order());
        let order = order(steps(&choice), &exact, |n| shaken_for(VISCOUS, &choice, n));
        let (name, better) = (choice.name(), ["sdirk-3345", "sdirk-4347"]);
        assert!(
            (order - claimed).abs() < 0.16 || (better.contains(&&name[..]) && order > claimed),
            "{name} claims order {claimed}, measures {order:.3}",
        );
    }
}

#[test]
fn stiffness_damping_of_the_stage_keeps_the_order() {
    let exact = shaken_for(IMPLICIT, &find("rk4").unwrap(), 3000);
    for name in [
        "backward-euler",
        "implicit-midpoint",
        "newmark",
        "bdf2",
        "sdirk2",
        "tr-bdf2",
        "sdirk3",
        "ros3p",
        "rodas3",
        "s-sdirk2",
        "explicit-midpoint",
    ] {
        let choice = find(name).unwrap();
        let claimed = f64::from(choice.order());
        let order = order(steps(&choice), &exact, |n| shaken_for(IMPLICIT, &choice, n));
        assert!(
            (order - claimed).abs() < 0.15,
            "{name} claims order {claimed}, measures {order:.3}",
        );
    }
}

/// The projection of K has kinks where an eigenvalue changes sign; away from them even the fourth order is kept.
#[test]
fn stiffness_damping_without_kinks_keeps_the_fourth_order() {
    let exact = stretched_for(IMPLICIT, &find("rk4").unwrap(), 1600);
    for name in ["rk4", "rodas4", "sdirk-4447", "sdirk3"] {
        let choice = find(name).unwrap();
        let claimed = f64::from(choice.order());
        let order = order(20, &exact, |n| stretched_for(IMPLICIT, &choice, n));
        assert!(
            (order - claimed).abs() < 0.15,
            "{name} claims order {claimed}, measures {order:.3}",
        );
    }
}

#[test]
fn frozen_stiffness_damping_is_first_order() {
    let exact = shaken_for(IMPLICIT, &find("rk4").unwrap(), 3000);
    for name in ["sdirk2", "sdirk3", "rodas4"] {
        let choice = find(name).unwrap();
        let order = order(100, &exact, |n| shaken_for(FROZEN, &choice, n));
        assert!((order - 1.0).abs() < 0.05, "{name} measures {order:.3}");
    }
}
