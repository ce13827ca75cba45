//! Dynamics of bodies with every method of the registry: free fall, momenta, energies, moving boundaries.

mod common;
mod material_support;

use common::marching::{choices, march};
use common::{Body, clamp, norm};
use march::methods::Family;
use march::{State, System, find};
use material_support::Dice;
use mesh::CellKind;
use solid::mass::MassKind;
use solid::material::{LAWS, Law};
use solid::model::{Model, ModelDescription, PrescribedNodes};
use solid::motion::{Keyframe, Motion};
use solid::potential::{Spring, SpringEnd, SpringLaw, Springs};

fn largest(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter().map(f64::abs).fold(0.0, f64::max)
}

/// u = v₀ t + g t²/2 is exact for every method of order two or more; first-order methods have the error g h t/2.
#[test]
fn bodies_fall_freely() {
    let (gravity, start) = ([0.4, -9.81, 1.3], [1.0, 2.0, -0.5]);
    let (h, steps) = (0.01, 100);
    for choice in choices() {
        for (kind, mass) in [
            (CellKind::Tet4, MassKind::Lumped),
            (CellKind::Hex8, MassKind::Consistent),
        ] {
            let body = Body::block(kind, [1; 3], [1.0; 3]);
            let mut parts = body.parts(
                Law::new("stable-neo-hookean", 1e4, 0.3).unwrap(),
                1000.0,
                mass,
            );
            parts.gravity = gravity;
            let mut model = Model::new(parts).unwrap();
            let n = model.dofs();
            let mut s = State {
                t: 0.0,
                u: vec![0.0; n],
                v: (0..n).map(|i| start[i % 3]).collect(),
            };
            march(&choice, &mut model, &mut s, h, steps, |_, _| ());
            // The time shift of the average acceleration in units of h/2.
            let late = match choice.method.name {
                "forward-euler" => -1.0,
                "symplectic-euler" | "backward-euler" => 1.0,
                _ => 0.0,
            };
            // Rigid motions are modes, which exponential methods move exactly.
            let modal = matches!(choice.method.family, Family::Additive(..));
            assert_eq!(
                late == 0.0,
                choice.order() >= 2 || modal,
                "{}",
                choice.name()
            );
            let error = largest((0..n).flat_map(|i| {
                let (v0, g) = (start[i % 3], gravity[i % 3]);
                let u = v0 * s.t + 0.5 * g * s.t * (s.t + late * h);
                [s.u[i] - u, s.v[i] - v0 - g * s.t]
            }));
            assert!(
                error < 1e-12 * 9.81,
                "{} {kind:?}: off by {error:.2e}",
                choice.name()
            );
        }
    }
}

/// A free body with translation, rotation and random velocities.
fn thrown() -> (Model, State) {
    let body = Body::block(CellKind::Hex8, [2, 1, 1], [1.0, 0.5, 0.4]);
    let law = Law::new("stable-neo-hookean", 1e4, 0.3).unwrap();
    let model = Model::new(body.parts(law, 1000.0, MassKind::Consistent)).unwrap();
    let mut dice = Dice::new(23);
    let spin = [1.0, -2.0, 3.0];
    let velocity = |x: &[f64; 3]| {
        [0, 1, 2].map(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            0.7 + spin[i] * x[j] - spin[j] * x[i] + dice.between(-0.3, 0.3)
        })
    };
    let v = model.restrict(&body.rest.iter().map(velocity).collect::<Vec<_>>());
    (
        model,
        State {
            t: 0.0,
            u: vec![0.0; v.len()],
            v,
        },
    )
}

#[test]
fn free_bodies_keep_their_momenta() {
    for choice in choices() {
        let (mut model, mut s) = thrown();
        let before = model.momentum(0.0, &s.u, &s.v);
        let (mut linear, mut angular) = (0.0f64, 0.0f64);
        march(&choice, &mut model, &mut s, 0.005, 100, |model, s| {
            let now = model.momentum(s.t, &s.u, &s.v);
            linear = linear.max(
                largest((0..3).map(|k| now.linear[k] - before.linear[k])) / norm(&before.linear),
            );
            angular = angular.max(
                largest((0..3).map(|k| now.angular[k] - before.angular[k])) / norm(&before.angular),
            );
        });
        assert!(
            linear < 1e-12,
            "{}: linear momentum changed by {linear:.2e}",
            choice.name()
        );
        if [
            "implicit-midpoint",
            "symplectic-euler",
            "central-difference",
        ]
        .contains(&choice.name().as_str())
        {
            assert!(
                angular < 1e-12,
                "{}: angular momentum changed by {angular:.2e}",
                choice.name()
            );
        }
    }
}

/// A linear elastic cantilever with random initial velocities.
fn struck(kind: CellKind, gravity: [f64; 3]) -> (Model, State) {
    let body = Body::block(kind, [6, 1, 1], [1.0, 0.2, 0.2]);
    let mut parts = body.parts(
        Law::new("linear", 1e5, 0.3).unwrap(),
        1000.0,
        MassKind::Consistent,
    );
    parts
        .prescribed
        .push(clamp(body.nodes_where(|x| x[0] == 0.0)));
    parts.gravity = gravity;
    let model = Model::new(parts).unwrap();
    let mut dice = Dice::new(31);
    let n = model.dofs();
    let v = (0..n).map(|_| dice.between(-1.0, 1.0)).collect();
    (
        model,
        State {
            t: 0.0,
            u: vec![0.0; n],
            v,
        },
    )
}

#[test]
fn symmetric_methods_keep_the_energy_of_linear_beams() {
    for name in [
        "trapezoid",
        "implicit-midpoint",
        "newmark",
        "ilddirk22",
        "s-trapezoid",
        "s-implicit-midpoint",
    ] {
        for kind in [CellKind::Tet4, CellKind::Hex8] {
            let (mut model, mut s) = struck(kind, [0.0, -9.81, 0.0]);
            let before = model.energies(0.0, &s.u, &s.v).total();
            let mut drift = 0.0f64;
            march(
                &find(name).unwrap(),
                &mut model,
                &mut s,
                0.02,
                200,
                |model, s| {
                    drift = drift.max((model.energies(s.t, &s.u, &s.v).total() - before).abs());
                },
            );
            assert!(
                drift < 1e-12 * before.abs(),
                "{name} {kind:?}: energy drifts by {:.2e}",
                drift / before.abs()
            );
        }
    }
}

/// A net of zero-length springs that hangs from a corner.
fn net() -> (Model, State) {
    let side = 5;
    let mut parts = ModelDescription {
        gravity: [0.0, -9.81, 0.0],
        ..ModelDescription::default()
    };
    let mut springs = Vec::new();
    for i in 0..side * side {
        let (x, y) = (i % side, i / side);
        parts.rest.push([f64::from(x), 0.0, f64::from(y)]);
        parts.masses.push((i, i, 0.2));
        let spring = |b| Spring {
            a: i,
            b: SpringEnd::Node(b),
            law: SpringLaw::Hooke,
            stiffness: 50.0,
            rest: 0.0,
            damping: 0.0,
        };
        springs.extend(
            (x + 1 < side)
                .then(|| spring(i + 1))
                .into_iter()
                .chain((y + 1 < side).then(|| spring(i + side))),
        );
    }
    parts
        .potentials
        .push(Box::new(Springs::new(springs, common::frozen(0.0))));
    parts.prescribed.push(clamp(vec![0]));
    let model = Model::new(parts).unwrap();
    let n = model.dofs();
    (
        model,
        State {
            t: 0.0,
            u: vec![0.0; n],
            v: vec![0.3; n],
        },
    )
}

#[test]
fn backward_euler_never_gains_energy_where_the_energy_is_convex() {
    let bodies = [
        struck(CellKind::Tet4, [0.0, -9.81, 0.0]),
        struck(CellKind::Hex8, [0.0; 3]),
        net(),
    ];
    for (number, (mut model, start)) in bodies.into_iter().enumerate() {
        for h in [0.002, 0.05, 1.0] {
            let mut s = start.clone();
            let mut energy = model.energies(0.0, &s.u, &s.v);
            let scale = energy.kinetic + energy.strain.abs() + 1e-3;
            let mut lost = 0.0;
            march(
                &find("backward-euler").unwrap(),
                &mut model,
                &mut s,
                h,
                100,
                |model, s| {
                    let now = model.energies(s.t, &s.u, &s.v);
                    let gain = now.total() - energy.total();
                    assert!(
                        gain <= 1e-11 * (scale + energy.gravitational.abs()),
                        "body {number}, step {h} s: gains {gain:.2e} J"
                    );
                    lost -= gain;
                    energy = now;
                },
            );
            assert!(
                lost > 1e-3 * scale,
                "body {number}, step {h} s: lost only {lost:.2e} J"
            );
        }
    }
}

/// A body follows a boundary that rotates and translates; at rest again, it has moved as a rigid body.
#[test]
fn a_body_follows_its_moving_boundary_as_a_rigid_body() {
    let (turn, shift, pivot) = ([0.3, -0.4, 1.2], [0.5, -0.2, 0.7], [0.1, 0.2, -0.3]);
    let key = |t: f64, s: f64| Keyframe {
        t,
        translate: shift.map(|x| s * x),
        rotate: turn.map(|x| s * x),
    };
    let motion = Motion::Keyframes {
        keys: vec![key(0.5, 0.0), key(2.0, 1.0)],
        pivot,
        ease: Default::default(),
    };
    for info in LAWS.iter().filter(|info| info.objective) {
        let body = Body::block(CellKind::Hex8, [2, 1, 1], [1.0, 0.5, 0.5]);
        let mut parts = body.parts(
            Law::new(info.name, 4e4, 0.3).unwrap(),
            1000.0,
            MassKind::Consistent,
        );
        parts.prescribed.push(PrescribedNodes {
            nodes: body.nodes_where(|x| x[0] == 0.0),
            axes: [true; 3],
            motion: motion.clone(),
        });
        parts.mass_damping = vec![6.0; body.rest.len()];
        let mut model = Model::new(parts).unwrap();
        let n = model.dofs();
        let mut s = State {
            t: 0.0,
            u: vec![0.0; n],
            v: vec![0.0; n],
        };
        march(
            &find("backward-euler").unwrap(),
            &mut model,
            &mut s,
            0.05,
            600,
            |_, _| (),
        );
        let (u, _) = model.expand(s.t, &s.u, &s.v);
        let error = largest(body.rest.iter().zip(u).flat_map(|(x, u)| {
            let mut p = [0, 1, 2].map(|k| x[k] - pivot[k]);
            for k in 0..3 {
                let ((sin, cos), (i, j)) = (turn[k].sin_cos(), ((k + 1) % 3, (k + 2) % 3));
                (p[i], p[j]) = (cos * p[i] - sin * p[j], sin * p[i] + cos * p[j]);
            }
            [0, 1, 2].map(|k| x[k] + u[k] - p[k] - pivot[k] - shift[k])
        }));
        // A frozen rotation lags by a step, so corotated-frozen converges more slowly.
        let allowed = if info.name == "corotated-frozen" {
            1e-6
        } else {
            1e-13
        };
        assert!(error < allowed, "{}: off by {error:.2e} m", info.name);
    }
}
