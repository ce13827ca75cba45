//! Bounces of a particle on the barrier: restitution against step over contact time.
//!
//! Values from independent programs: squared logarithm with a force of 43.294 N at half a reach of 1 cm, 0.5 kg at 1 m/s
//! without gravity, mean of 20 phases of the impact in the step. `tools/bounce_restitution.py` computes all of them again.

use contact::CollisionSurface;
use march::{Newton, Options, Parameters, State, TimeLoop, find};
use solid::model::{Model, ModelDescription};
use solid::potential::contact::{BarrierContact, ContactDescription, FrictionSettings};

use crate::bodies::settings;
use crate::floor;

const REACH: f64 = 0.01;
const FORCE_AT_HALF_REACH: f64 = 43.294;
const MASS: f64 = 0.5;

/// A particle above the floor that counts with 1 m².
fn particle(height: f64) -> Model {
    let mut surfaces = CollisionSurface::default();
    let p = &mut surfaces.primitives;
    (p.points, p.particles, p.groups) = (vec![0], vec![0], vec![0]);
    (surfaces.vertex_areas, surfaces.rigid) = (vec![1.0], vec![false]);
    let rest = vec![[0.0, height, 0.0]];
    let description = ContactDescription {
        surfaces,
        names: vec!["particle".into(), "floor".into()],
        obstacles: vec![floor()],
        ignored: Vec::new(),
        settings: settings(REACH, FORCE_AT_HALF_REACH, false),
        friction: FrictionSettings::default(),
    };
    let contact = BarrierContact::new(description, &rest);
    Model::new(ModelDescription {
        rest,
        masses: vec![(0, 0, MASS)],
        potentials: vec![Box::new(contact)],
        ..ModelDescription::default()
    })
    .unwrap()
}

/// Time for which the particle is within reach: twice the time to the turning point, by quadrature of dt = dd/speed with
/// ½ m (1 − speed²) = B(d); the substitution d = d₀ + (reach − d₀) s² removes the singularity at the turning point d₀.
fn contact_time() -> f64 {
    let barrier = settings(REACH, FORCE_AT_HALF_REACH, false).barrier;
    let energy = |d: f64| FORCE_AT_HALF_REACH * barrier.value(d);
    let (mut low, mut high) = (0.0, REACH);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if energy(middle) > 0.5 * MASS {
            low = middle
        } else {
            high = middle
        }
    }
    let n = 20000;
    let cell = |k: i32| {
        let s = (f64::from(k) + 0.5) / f64::from(n);
        let d = high + (REACH - high) * s * s;
        let speed = (1.0 - 2.0 * energy(d) / MASS).max(1e-30).sqrt();
        2.0 * s * (REACH - high) / speed / f64::from(n)
    };
    2.0 * (0..n).map(cell).sum::<f64>()
}

fn restitution(name: &str, h: f64) -> f64 {
    let phases = 20;
    let one = |k: i32| {
        let height = REACH + h * (1.0 + f64::from(k) / f64::from(phases));
        let mut model = particle(height);
        let start = State {
            t: 0.0,
            u: vec![0.0; 3],
            v: vec![0.0, -1.0, 0.0],
        };
        let stepper = find(name).unwrap();
        let stepper = stepper.stepper(&Parameters::default(), Newton::Minimise);
        let options = Options {
            tolerance: 1e-12,
            ..Options::default()
        };
        let mut time = TimeLoop::fixed(stepper.unwrap(), options, start, h);
        let mut away = f64::NAN;
        time.run(&mut model, f64::INFINITY, &mut |time, _| {
            let (y, v) = (height + time.state().u[1], time.state().v[1]);
            assert!(y > 0.0, "{name}: {y}");
            // The velocity of a multistep method still changes after the last contact.
            let settled = (v - away).abs() <= 1e-12 * v.abs();
            away = v;
            !(v > 0.0 && y > REACH && settled)
        })
        .unwrap();
        away
    };
    (0..phases).map(one).sum::<f64>() / f64::from(phases)
}

#[test]
fn restitution_depends_on_the_step_as_measured_elsewhere() {
    let time = contact_time();
    println!("contact time {time:.6} s");
    let ratios = [2.0, 1.0, 0.5, 0.25, 0.1, 0.03];
    let table: [(&str, [f64; 6]); 6] = [
        ("backward-euler", [0.03, 0.07, 0.16, 0.32, 0.59, 0.84]),
        ("sdirk2", [0.68, 0.85, 0.95, 0.990, 0.999, 1.0]),
        ("tr-bdf2", [0.89, 0.92, 0.96, 0.993, 0.999, 1.0]),
        // The first two by a second independent program, with the velocity that the method settles to after the contact.
        ("bdf2", [0.756, 0.701, 0.76, 0.88, 0.976, 0.999]),
        ("trapezoid", [1.49, 1.24, 0.997, 1.001, 1.0, 1.0]),
        ("newmark", [1.49, 1.24, 0.997, 1.001, 1.0, 1.0]),
    ];
    let mut wrong = Vec::new();
    for (name, wanted) in table {
        let got = ratios.map(|ratio| restitution(name, ratio * time));
        println!("{name}: {got:.3?}");
        for (got, wanted) in got.iter().zip(wanted) {
            if (got - wanted).abs() > 0.03 {
                wrong.push(format!("{name}: {got:.3} instead of {wanted}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
