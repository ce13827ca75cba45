//! The barrier potential: derivatives, rest, collisions.

mod bodies;
mod closed_forms;
#[path = "../common/mod.rs"]
mod common;
mod friction;
mod no_intersections;
mod restitution;
mod settle;
mod stack;

use contact::obstacle::{Frame, Obstacle};
use march::{At, Curvature, State, System, find};
use mesh::CellKind;
use solid::material::Law;
use solid::motion::{Ease, Keyframe, Motion};
use solid::potential::contact::{FrictionSettings, MovingObstacle, ObstacleShape};

use bodies::{Part, model, settings};
use common::{Body, STIFFNESS, force, norm, tangent};

fn block(cells: [usize; 3], size: [f64; 3], at: [f64; 3], young: f64, poisson: f64) -> Part {
    let mut body = Body::block(CellKind::Hex8, cells, size);
    for p in &mut body.rest {
        (0..3).for_each(|k| p[k] += at[k]);
    }
    Part {
        body,
        law: Law::new("stable-neo-hookean", young, poisson).unwrap(),
        density: 1000.0,
        damping: 0.0,
    }
}

fn shape(shape: Obstacle, frame: Frame, motion: Motion) -> MovingObstacle {
    MovingObstacle {
        shape: Some(ObstacleShape { shape, frame }),
        motion,
        ..MovingObstacle::default()
    }
}

fn floor() -> MovingObstacle {
    shape(
        Obstacle::Plane,
        Frame::along([0.0; 3], [0.0, 1.0, 0.0]),
        Motion::Still,
    )
}

/// Two blocks, one turned, above a tilted plane, between a moving ball and a turning box with corners and edges.
fn crowd(seed: u64) -> (solid::model::Model, Vec<f64>) {
    crowd_with_friction(seed, FrictionSettings::default())
}

fn crowd_with_friction(seed: u64, friction: FrictionSettings) -> (solid::model::Model, Vec<f64>) {
    let mut random = base::random::Random::new(seed);
    let a = block([2, 2, 2], [1.0, 1.0, 1.0], [0.0; 3], 1e5, 0.3);
    let mut b = block([2, 1, 2], [0.8, 0.5, 0.7], [0.1, 1.03, 0.15], 1e5, 0.3);
    let angle = 0.3f64;
    for p in &mut b.body.rest {
        let (x, z) = (p[0] - 0.5, p[2] - 0.5);
        p[0] = 0.5 + angle.cos() * x - angle.sin() * z;
        p[2] = 0.5 + angle.sin() * x + angle.cos() * z;
    }
    let keys = |translate, rotate| Motion::Keyframes {
        keys: vec![
            Keyframe {
                t: 0.0,
                translate: [0.0; 3],
                rotate: [0.0; 3],
            },
            Keyframe {
                t: 1.0,
                translate,
                rotate,
            },
        ],
        pivot: [2.0, 0.3, 0.1],
        ease: Ease::default(),
    };
    let ball = shape(
        Obstacle::Sphere { radius: 0.5 },
        Frame::along([-0.55, 0.5, 0.5], [0.0, 0.0, 1.0]),
        keys([0.02, 0.01, 0.0], [0.0; 3]),
    );
    let corners: Vec<[f64; 3]> = (0..8)
        .map(|k| {
            [
                1.05 + 0.5 * (k & 1) as f64,
                0.2 + 0.3 * (k >> 1 & 1) as f64,
                0.3 + 0.4 * (k >> 2) as f64,
            ]
        })
        .collect();
    let edges = (0..8u32)
        .flat_map(|a| [1, 2, 4].map(|bit| [a, a ^ bit]))
        .filter(|[a, b]| a < b)
        .collect();
    let cuboid = MovingObstacle {
        points: corners,
        edges,
        area: 0.01,
        ..shape(
            Obstacle::OrientedBox {
                half_extents: [0.25, 0.15, 0.2],
            },
            Frame {
                origin: [1.3, 0.35, 0.5],
                ..Frame::IDENTITY
            },
            keys([-0.01, 0.02, 0.01], [0.02, 0.01, 0.03]),
        )
    };
    let plane = shape(
        Obstacle::Plane,
        Frame::along([0.0, -0.06, 0.0], [0.03, 1.0, -0.02]),
        Motion::Still,
    );
    let mut settings = settings(0.1, 1e4, false);
    settings.thickness = 1e-3;
    let obstacles = vec![ball, cuboid, plane];
    let all = bodies::assemble_with_friction(&[a, b], obstacles, settings, friction);
    let model = solid::model::Model::new(all).unwrap();
    let u = (0..model.unknowns())
        .map(|_| random.between(-0.004, 0.004))
        .collect();
    (model, u)
}

fn slope(step: f64, mut f: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    common::differences::slope(step, &mut f)
}

#[test]
fn forces_and_stiffness_are_derivatives_of_the_energy() {
    let t = 0.37;
    for seed in 0..6 {
        let (mut model, u) = crowd(seed);
        let mut random = base::random::Random::new(100 + seed);
        let n = u.len();
        let v = vec![0.0; n];
        let d: Vec<f64> = (0..n).map(|_| random.between(-1.0, 1.0)).collect();
        let along = |s: f64| common::differences::along(&u, s, &d);
        let contact = |model: &mut solid::model::Model, u: &[f64]| model.energies(t, u, &v).contact;
        let pairs = model.contact_pairs(t, &u, &v);
        assert!(pairs.len() >= 4, "{pairs:?}");
        assert!(contact(&mut model, &u) > 0.0);
        let f = force(&mut model, At { t, u: &u, v: &v });
        let power: f64 = f.iter().zip(&d).map(|(f, d)| f * d).sum();
        let energy = slope(1e-6, |s| vec![model.potential(t, &along(s)).unwrap()]);
        assert!(
            (power + energy[0]).abs() < 1e-6 * norm(&f),
            "{power} {energy:?}"
        );
        // The exact matrix against differences of the force.
        let k = tangent(
            &mut model,
            At { t, u: &u, v: &v },
            STIFFNESS,
            Curvature::Exact,
        );
        let mut kd = vec![0.0; n];
        k.times(&d, &mut kd);
        let by_differences = slope(1e-6, |s| {
            force(
                &mut model,
                At {
                    t,
                    u: &along(s),
                    v: &v,
                },
            )
        });
        let sum: Vec<f64> = kd.iter().zip(&by_differences).map(|(k, f)| k + f).collect();
        let error = norm(&sum) / norm(&kd);
        assert!(error < 1e-5, "seed {seed}: stiffness is off by {error:.2e}");
        // The force rate of moving obstacles.
        let mut rate = vec![0.0; n];
        model.force_rate(At { t, u: &u, v: &v }, &mut rate);
        let by_differences = slope(1e-6, |s| {
            force(
                &mut model,
                At {
                    t: t + s,
                    u: &u,
                    v: &v,
                },
            )
        });
        let sum: Vec<f64> = rate
            .iter()
            .zip(&by_differences)
            .map(|(a, b)| a - b)
            .collect();
        let error = norm(&sum) / norm(&rate);
        assert!(
            norm(&rate) > 0.0 && error < 1e-5,
            "seed {seed}: force rate is off by {error:.2e}"
        );
        // Work of the obstacles at resting nodes.
        let work = march::StateMeasures::powers(&mut model, At { t, u: &u, v: &v }, &v).work;
        let energy = slope(1e-6, |s| vec![contact_at(&mut model, t + s, &u)]);
        assert!(
            (work - energy[0]).abs() < 1e-6 * energy[0].abs(),
            "{work} {energy:?}"
        );
    }
}

fn contact_at(model: &mut solid::model::Model, t: f64, u: &[f64]) -> f64 {
    let v = vec![0.0; u.len()];
    model.energies(t, u, &v).contact
}

#[test]
fn a_block_dropped_on_the_floor_bounces_and_never_enters_it() {
    for name in ["backward-euler", "sdirk2", "tr-bdf2", "bdf2"] {
        let part = block([3, 3, 3], [0.5; 3], [0.0, 0.1, 0.0], 1e5, 0.3);
        let mut all = bodies::assemble(&[part], vec![floor()], settings(0.01, 1e4, false));
        all.gravity = [0.0, -9.81, 0.0];
        let mut model = solid::model::Model::new(all).unwrap();
        let n = model.unknowns();
        let mut s = State {
            t: 0.0,
            u: vec![0.0; n],
            v: vec![0.0; n],
        };
        let mut highest = f64::MIN;
        let mut lowest = f64::MAX;
        let mut touched = false;
        common::marching::march(
            &find(name).unwrap(),
            &mut model,
            &mut s,
            0.005,
            120,
            |m, s| {
                let (u, _) = m.expand(s.t, &s.u, &s.v);
                let u = u.to_vec();
                let low = m
                    .rest()
                    .iter()
                    .zip(&u)
                    .map(|(x, u)| x[1] + u[1])
                    .fold(f64::MAX, f64::min);
                lowest = lowest.min(low);
                touched |= low < 0.01;
                if touched {
                    highest = highest.max(low);
                }
            },
        );
        println!("{name}: lowest {lowest:.4e} rises to {highest:.4}");
        assert!(lowest > 0.0 && touched && highest > 0.011, "{name}");
    }
}

#[test]
fn two_blocks_exchange_momentum_and_keep_its_sum() {
    let a = block([2, 2, 2], [0.5; 3], [0.0; 3], 1e5, 0.3);
    let b = block([3, 3, 3], [0.5; 3], [0.55, 0.03, 0.02], 1e5, 0.3);
    let mut model = model(&[a, b], Vec::new(), settings(0.02, 1e4, false));
    let n = model.unknowns();
    let first = 27;
    let mut v = vec![0.0; n];
    for i in 0..n / 3 {
        v[3 * i] = if i < first { 1.0 } else { -1.0 };
    }
    let mut s = State {
        t: 0.0,
        u: vec![0.0; n],
        v,
    };
    let before = model.momentum(0.0, &s.u, &s.v).linear;
    let mut force = 0.0f64;
    common::marching::march(
        &find("sdirk2").unwrap(),
        &mut model,
        &mut s,
        0.005,
        60,
        |m, s| {
            let pairs = m.contact_pairs(s.t, &s.u, &s.v);
            force = force.max(pairs.first().map_or(0.0, |p| p.normal_force));
            let now = m.momentum(s.t, &s.u, &s.v).linear;
            for k in 0..3 {
                assert!((now[k] - before[k]).abs() < 1e-9, "{now:?} {before:?}");
            }
        },
    );
    let mean = |range: std::ops::Range<usize>| {
        range.clone().map(|i| s.v[3 * i]).sum::<f64>() / range.len() as f64
    };
    println!(
        "force {force:.1}, velocities {:.3} {:.3}",
        mean(0..first),
        mean(first..n / 3)
    );
    assert!(force > 0.0 && mean(0..first) < -0.4 && mean(first..n / 3) > 0.4);
}
