//! Quick forms of `scenes/benchmarks`: published displacements, the elastica, a strip rolled into a circle.
//!
//! docs/benchmarks.md has the full ones and their numbers.

use std::f64::consts::PI;
use std::path::Path;

use scene::build::build;
use scene::session::Session;
use scene::spec::Source;

use super::{position, rows};

/// Opens a scene of `scenes/benchmarks` with these keys set.
fn open(name: &str, set: &[(&str, &str)]) -> Session {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/benchmarks");
    let mut source = Source::read(&folder.join(name)).unwrap_or_else(|e| panic!("{e}"));
    for (key, value) in set {
        source.set(key, value).unwrap();
    }
    let scene = source.scene().unwrap_or_else(|e| panic!("{e}"));
    build(scene, &source).unwrap_or_else(|e| panic!("{e}"))
}

/// Displacement of the point A of Turek & Hron.
fn point_a(session: &mut Session) -> [f64; 2] {
    let x = position(session, [0.6, 0.2, 0.0]);
    [x[0] - 0.6, x[1] - 0.2]
}

#[test]
fn turek_hron_csm1_and_csm2_have_the_published_displacements() {
    for (name, wanted) in [
        ("turek-hron-csm1.toml", [-7.187e-3, -66.10e-3]),
        ("turek-hron-csm2.toml", [-0.469e-3, -16.97e-3]),
    ] {
        let mut session = open(name, &[]);
        let rows = rows(&mut session);
        let found = point_a(&mut session);
        for k in 0..2 {
            let error = found[k] / wanted[k] - 1.0;
            assert!(error.abs() < 5e-4, "{name}: {found:?}, {error:.1e} off");
        }
        let stable = |r: &scene::session::Row| r.load_step.unwrap().negative_pivots == Some(0);
        assert!(rows.iter().all(stable));
        // The disc carries the weight: 2 m/s² on the mass of the bar.
        let mass: f64 = session.model.node_mass().iter().sum();
        let support = session.reactions().unwrap()[0].force[1];
        assert!((support / (2.0 * mass) - 1.0).abs() < 1e-7);
    }
}

/// The first swing of CSM3 with twice the step: the lowest point, −63.607 − 65.160 mm in the published row.
#[test]
fn turek_hron_csm3_swings_as_deep_as_published() {
    let mut session = open(
        "turek-hron-csm3.toml",
        &[("time.step", "0.01"), ("time.until", "0.5")],
    );
    let mut lowest = 0.0f64;
    session
        .run_until(0.5, &mut |session, _| {
            lowest = lowest.min(point_a(session)[1]);
            scene::run::Flow::On
        })
        .unwrap();
    assert!((lowest / -128.767e-3 - 1.0).abs() < 0.01, "{lowest}");
    // Converged in time and mesh: −129.71 mm.
    assert!((lowest / -129.71e-3 - 1.0).abs() < 2e-3, "{lowest}");
}

#[test]
fn the_elastica_has_the_deflections_of_elliptic_integrals() {
    let mut session = open("elastica.toml", &[]);
    let start = position(&mut session, [1.0, 0.0025, 0.0]);
    let wanted = [
        (1, 0.301720773799814, 0.056433236283377),
        (2, 0.493457480396712, 0.160641720825167),
        (5, 0.713791523611913, 0.387628360724430),
        (10, 0.810609024880296, 0.554995597753751),
    ];
    let mut seen = 0;
    for load in 1..=10 {
        session.step().unwrap();
        let tip = position(&mut session, [1.0, 0.0025, 0.0]);
        if let Some((_, w, u)) = wanted.iter().find(|(l, ..)| *l == load) {
            let found = [tip[1] - start[1], 1.0 - tip[0]];
            assert!((found[0] / w - 1.0).abs() < 5e-4, "{load}: {found:?}");
            assert!((found[1] / u - 1.0).abs() < 5e-4, "{load}: {found:?}");
            seen += 1;
        }
    }
    assert_eq!(seen, wanted.len());
}

/// Energy ½ EI (2π/L)² L and moment 2π EI/L of a strip rolled into a circle.
#[test]
fn a_strip_rolls_into_a_circle() {
    let mut session = open("roll-up.toml", &[]);
    rows(&mut session);
    let stiffness = 1e9 * 0.005f64.powi(4) / 12.0;
    let energy = session.energies().total() / (2.0 * PI * PI * stiffness);
    assert!((energy - 1.0).abs() < 2e-3, "{energy}");
    let reactions = session.reactions().unwrap();
    for (support, sign) in [(0, -1.0), (1, 1.0)] {
        let moment = reactions[support].moment[2] / (sign * 2.0 * PI * stiffness);
        assert!((moment - 1.0).abs() < 0.01, "{moment}");
    }
}
