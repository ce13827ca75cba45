//! Friction as a dissipation potential: derivatives, powers, coefficients of pairs, the smoothed law.

use march::{At, Curvature, DampingUpdate, PositionDamping, StateMeasures, System};
use solid::model::Model;
use solid::potential::contact::{
    FrictionCoefficients, FrictionMode, FrictionSettings, SmoothedCoulomb,
};

use crate::common::differences::{along, slope};
use crate::common::{DAMPING, force, norm, tangent};
use crate::crowd_with_friction;

/// Slip speed of the tests, m/s; random velocities are on both sides of it.
const SLIP_SPEED: f64 = 0.5;
const NOW: f64 = 0.37;

fn settings(mode: FrictionMode) -> FrictionSettings {
    FrictionSettings {
        coefficients: FrictionCoefficients {
            default: 0.4,
            ..FrictionCoefficients::default()
        },
        mode,
        law: SmoothedCoulomb {
            slip_speed: SLIP_SPEED,
        },
    }
}

/// The crowd with random velocities; friction is evaluated at its positions.
fn sliding_crowd(seed: u64, mode: FrictionMode) -> (Model, Vec<f64>, Vec<f64>) {
    let (mut model, u) = crowd_with_friction(seed, settings(mode));
    let mut random = base::random::Random::new(50 + seed);
    let v: Vec<f64> = u.iter().map(|_| random.between(-0.4, 0.4)).collect();
    let at = At {
        t: NOW,
        u: &u,
        v: &v,
    };
    model.prepare(at);
    (model, u, v)
}

#[test]
fn force_and_matrix_are_derivatives_of_the_dissipation_function() {
    for (seed, mode) in [
        (0, FrictionMode::Implicit),
        (1, FrictionMode::Lagged),
        (2, FrictionMode::Implicit),
    ] {
        let (mut model, u, v) = sliding_crowd(seed, mode);
        let mut random = base::random::Random::new(80 + seed);
        let d: Vec<f64> = u.iter().map(|_| random.between(-1.0, 1.0)).collect();
        let still = vec![0.0; u.len()];
        let at = |v| At { t: NOW, u: &u, v };
        let speeds: Vec<f64> = (model.contact_pairs(NOW, &u, &v).iter())
            .map(|p| p.slip)
            .collect();
        let fast = speeds.iter().filter(|s| **s > SLIP_SPEED).count();
        assert!(speeds.len() >= 4 && fast < speeds.len(), "{speeds:?}");
        // Nothing else depends on velocities.
        let full = force(&mut model, at(&v));
        let friction: Vec<f64> = slope(1e-5, |s| {
            let v = along(&v, s, &d);
            vec![model.dissipation(NOW, &v).unwrap()]
        });
        let without = {
            let (mut bare, _) = crate::crowd(seed);
            bare.prepare(at(&still));
            force(&mut bare, at(&still))
        };
        let own = along(&full, -1.0, &without);
        let power: f64 = own.iter().zip(&d).map(|(f, d)| f * d).sum();
        assert!(norm(&own) > 1.0);
        assert!(
            (power + friction[0]).abs() < 1e-8 * norm(&own) * norm(&d),
            "seed {seed}: {power} against {friction:?}"
        );
        let matrix = tangent(&mut model, at(&v), DAMPING, Curvature::Exact);
        let mut product = vec![0.0; u.len()];
        matrix.times(&d, &mut product);
        let differences = slope(1e-5, |s| {
            let v = along(&v, s, &d);
            let at = At {
                t: NOW,
                u: &u,
                v: &v,
            };
            force(&mut model, at)
        });
        let error = norm(&along(&product, 1.0, &differences)) / norm(&product);
        assert!(
            error < 1e-7,
            "seed {seed}: the matrix is off by {error:.2e}"
        );
    }
}

/// Friction takes energy at the sliding velocities; what moving obstacles drive by friction is work. Together they are the
/// power of the friction forces on the nodes.
#[test]
fn friction_never_adds_energy_at_sliding_velocities() {
    for seed in 0..6 {
        let (mut model, u, v) = sliding_crowd(seed, FrictionMode::Implicit);
        let at = At {
            t: NOW,
            u: &u,
            v: &v,
        };
        let with = model.powers(at, &v);
        let (mut bare, _) = crate::crowd(seed);
        bare.prepare(at);
        let without = bare.powers(at, &v);
        let own = along(&force(&mut model, at), -1.0, &force(&mut bare, at));
        let power: f64 = own.iter().zip(&v).map(|(f, v)| f * v).sum();
        let driven = with.work - without.work;
        assert!(with.friction < 0.0 && driven != 0.0);
        assert!(
            (with.friction + driven - power).abs() < 1e-9 * power.abs(),
            "{power} against {} and {driven}",
            with.friction
        );
        assert_eq!(with.damping, 0.0);
    }
}

/// An update at other positions changes the force at once; a relaxed one by a part of that.
#[test]
fn relaxed_updates_go_part_of_the_way() {
    let (mut model, u, v) = sliding_crowd(3, FrictionMode::Implicit);
    let mut random = base::random::Random::new(9);
    let moved: Vec<f64> = u.iter().map(|u| u + random.between(-2e-4, 2e-4)).collect();
    let at = At {
        t: NOW,
        u: &moved,
        v: &v,
    };
    let before = force(&mut model, at);
    let change = model.update_damping(at, DampingUpdate::Whole);
    let after = force(&mut model, at);
    let difference = norm(&along(&after, -1.0, &before));
    assert!(change > 0.0 && (change - difference).abs() < 1e-9 * change);
    assert_eq!(model.friction_change(), change);
    assert_eq!(model.update_damping(at, DampingUpdate::Whole), 0.0);
}

#[test]
fn coefficients_follow_the_precedence_of_pair_obstacle_body_and_default() {
    // Groups 0, 1, 2 are bodies, 3 and 4 obstacles.
    let all = FrictionCoefficients {
        default: 0.1,
        groups: vec![Some(0.2), Some(0.3), None, Some(0.05), None],
        obstacles: 3,
        pairs: vec![([0, 3], 0.9), ([1, 2], 0.0)],
    };
    let wanted = [
        ((0, 3), 0.9),  // the pair
        ((1, 2), 0.0),  // the pair, although it is smaller
        ((1, 3), 0.05), // the obstacle, although it is smaller
        ((2, 3), 0.05), // the obstacle
        ((0, 4), 0.2),  // the body: the obstacle has none
        ((0, 1), 0.3),  // the larger one of two bodies
        ((0, 2), 0.2),  // the only one of two bodies
        ((2, 4), 0.1),  // the default
        ((2, 2), 0.1),  // self-contact of a body without one
        ((0, 0), 0.2),  // self-contact of a body with one
    ];
    for ((a, b), friction) in wanted {
        assert_eq!(all.of(a, b), friction, "{a} and {b}");
        assert_eq!(all.of(b, a), friction, "{b} and {a}");
    }
    assert!(all.any());
    assert!(!FrictionCoefficients::default().any());
}

#[test]
fn the_smoothed_law_is_continuous_and_creeps_as_its_inverse_says() {
    let law = SmoothedCoulomb { slip_speed: 0.02 };
    for y in [0.0, 1e-4, 0.005, 0.0199, 0.0201, 0.7] {
        let d = 1e-7;
        let slope =
            |f: &dyn Fn(f64) -> f64| (f(y + d) - f((y - d).max(0.0))) / (y + d - (y - d).max(0.0));
        assert!((slope(&|y| law.dissipation(y)) - law.force(y)).abs() < 1e-5);
        assert!((slope(&|y| law.force(y)) - law.slope(y)).abs() < 1e-2);
    }
    assert_eq!(law.force(0.02), 1.0);
    assert!((law.dissipation(0.02 - 1e-12) - law.dissipation(0.02)).abs() < 1e-11);
    for q in [0.0, 0.3, 0.99] {
        assert!((law.force(law.creep(q)) - q).abs() < 1e-14);
    }
    // The closed form of Ascher et al. 2021 for tan θ = μ/2.
    assert!((law.creep(0.5) - 0.02 * (1.0 - 0.5f64.sqrt())).abs() < 1e-16);
}
