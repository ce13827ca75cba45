//! Every method of the registry has its order on a body with a moving boundary.

mod common;

use common::marching::{choices, march};
use common::{Body, norm, rate};
use march::methods::MethodChoice;
use march::{State, System, find};
use mesh::CellKind;
use solid::mass::MassKind;
use solid::material::Law;
use solid::model::{Model, PrescribedNodes};
use solid::motion::Motion;
use solid::potential::{Spring, SpringEnd, SpringLaw, Springs};

/// A soft body with a shaken end, gravity, Rayleigh damping and dampers whose force grows with the cube of the speed.
fn shaken() -> (Model, State) {
    let body = Body::block(CellKind::Hex8, [2, 1, 1], [1.0, 0.5, 0.5]);
    let mut parts = body.parts(
        Law::new("stable-neo-hookean", 500.0, 0.3).unwrap(),
        1000.0,
        MassKind::Consistent,
    );
    let (axis, amplitude, frequency) = ([0.6, 0.0, 0.8], 0.3, 0.5);
    let motion = Motion::Shake {
        axis,
        amplitude,
        frequency,
    };
    parts.prescribed.push(PrescribedNodes {
        nodes: body.nodes_where(|x| x[0] == 0.0),
        axes: [true; 3],
        motion,
    });
    parts.mass_damping = vec![0.5; body.rest.len()];
    parts.gravity = [0.0, -1.0, 0.0];
    let (law, b) = (SpringLaw::Cubic, SpringEnd::Point([0.5, -0.5, 0.3]));
    let damper = |a: u32| Spring {
        a,
        b,
        law,
        stiffness: 0.0,
        rest: 0.0,
        damping: 30.0,
    };
    let dampers = body
        .nodes_where(|x| x[0] == 1.0)
        .into_iter()
        .map(damper)
        .collect();
    parts
        .potentials
        .push(Box::new(Springs::new(dampers, common::frozen(0.0))));
    let model = Model::new(parts).unwrap();
    let n = model.dofs();
    let v = (0..n)
        .map(|i| axis[i % 3] * amplitude * frequency * std::f64::consts::TAU)
        .collect();
    (
        model,
        State {
            t: 0.0,
            u: vec![0.0; n],
            v,
        },
    )
}

/// State of the shaken body at t = 0.6 s after this number of steps.
fn shaken_for(choice: &MethodChoice, steps: u32) -> State {
    let (mut model, mut s) = shaken();
    march(
        choice,
        &mut model,
        &mut s,
        0.6 / f64::from(steps),
        steps,
        |_, _| (),
    );
    s
}

#[test]
fn every_method_has_its_order_on_a_body_with_a_moving_boundary() {
    let exact = shaken_for(&find("rk4").unwrap(), 5000);
    for choice in choices() {
        // Fine enough to be asymptotic, coarse enough to stay above rounding.
        let steps = [400, 100, 320, 160][choice.order() as usize - 1];
        let error = |steps: u32| {
            let s = shaken_for(&choice, steps);
            let pairs = s.u.iter().zip(&exact.u).chain(s.v.iter().zip(&exact.v));
            norm(&pairs.map(|(x, y)| x - y).collect::<Vec<_>>())
        };
        let (order, claimed) = (
            rate(error(steps), error(2 * steps), 2.0),
            f64::from(choice.order()),
        );
        assert!(
            (order - claimed).abs() < 0.15,
            "{} claims order {claimed}, measures {order:.3}",
            choice.name()
        );
    }
}
