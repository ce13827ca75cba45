//! Tests of shapes with arbitrary parameters: validity, refusals, determinism, registry.

mod shapes_common;

use std::f64::consts::PI;

use mesh::Mesh;
use meshing::shapes::{
    Axis, Ball, Blob, Box, Cylinder, ElementKind, HexSplit, Mould, SHAPES, ShapeError, Sheet, Torus,
};
use proptest::prelude::*;
use shapes_common::check_mesh;

#[test]
fn meshes_are_the_same_to_the_bit_for_any_number_of_threads() {
    let meshes = || {
        let pool = |n| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(n)
                .build()
                .unwrap()
        };
        [1, 3].map(|n| {
            pool(n).install(|| {
                Blob {
                    cells: 18,
                    ..Blob::default()
                }
                .mesh()
                .unwrap()
            })
        })
    };
    let [a, b] = meshes();
    assert!(a == b);
}

#[test]
fn impossible_parameters_are_refused_in_a_sentence() {
    let message = |r: Result<Mesh, ShapeError>| r.unwrap_err().to_string();
    let unit = Box::default();
    assert_eq!(
        message(
            Box {
                cells: [4, 0, 4],
                ..unit
            }
            .mesh()
        ),
        "box: cells[1] is 0; a shape needs at least one cell along every direction"
    );
    assert_eq!(
        message(
            Box {
                size: [1.0, -2.0, 1.0],
                ..unit
            }
            .mesh()
        ),
        "box: size[1] is -2 m; lengths must be positive and finite"
    );
    for bad in [0.0, f64::NAN, f64::INFINITY, -1.0] {
        assert!(
            Ball {
                radius: bad,
                ..Ball::default()
            }
            .mesh()
            .is_err()
        );
        assert!(
            Sheet {
                thickness: Some(bad),
                ..Sheet::default()
            }
            .mesh()
            .is_err()
        );
        assert!(
            Cylinder {
                height: bad,
                ..Cylinder::default()
            }
            .mesh()
            .is_err()
        );
        assert!(
            Torus {
                tube: bad,
                ..Torus::default()
            }
            .mesh()
            .is_err()
        );
        assert!(
            Blob {
                height: bad,
                ..Blob::default()
            }
            .mesh()
            .is_err()
        );
        assert!(
            Mould {
                radius: bad,
                ..Mould::default()
            }
            .mesh()
            .is_err()
        );
    }
    assert!(
        message(
            Torus {
                tube: 0.5,
                ..Torus::default()
            }
            .mesh()
        )
        .contains("tube < radius")
    );
    let odd = Torus {
        around: Some(9),
        element: ElementKind::Tet4,
        ..Torus::default()
    };
    assert!(message(odd.mesh()).ends_with("try 10"));
    assert!(
        Torus {
            around: Some(2),
            ..Torus::default()
        }
        .mesh()
        .is_err()
    );
    assert!(
        Mould {
            flutes: 100,
            ..Mould::default()
        }
        .mesh()
        .is_err()
    );
    assert!(
        message(
            Blob {
                element: ElementKind::Hex8,
                ..Blob::default()
            }
            .mesh()
        )
        .contains("tet4 or tet10")
    );
    assert!(
        Blob {
            cells: 3,
            ..Blob::default()
        }
        .mesh()
        .is_err()
    );
    let many = usize::MAX / 2;
    for result in [
        Box {
            cells: [many; 3],
            ..unit
        }
        .mesh(),
        Sheet {
            cells: [many; 2],
            ..Sheet::default()
        }
        .mesh(),
        Ball {
            cells: many,
            ..Ball::default()
        }
        .mesh(),
        Cylinder {
            cells: many,
            ..Cylinder::default()
        }
        .mesh(),
        Cylinder {
            height: 1e300,
            ..Cylinder::default()
        }
        .mesh(),
        Torus {
            cells: many,
            ..Torus::default()
        }
        .mesh(),
        Torus {
            tube: 1e-300,
            ..Torus::default()
        }
        .mesh(),
        Mould {
            cells: many,
            ..Mould::default()
        }
        .mesh(),
        Blob {
            cells: many,
            ..Blob::default()
        }
        .mesh(),
    ] {
        assert!(
            matches!(result, Err(ShapeError::TooManyCells { .. })),
            "{result:?}"
        );
    }
}

#[test]
fn registry_names_every_shape_once() {
    let names: Vec<&str> = SHAPES.iter().map(|s| s.name).collect();
    assert_eq!(
        names,
        ["box", "sheet", "ball", "cylinder", "torus", "mould", "blob"]
    );
    assert!(
        SHAPES
            .iter()
            .all(|s| !s.description.is_empty() && s.keys.iter().all(|k| !k.description.is_empty()))
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(11), ..ProptestConfig::default() })]

    #[test]
    fn any_box(size in prop::array::uniform3(0.01..10.0f64), cells in prop::array::uniform3(1usize..6), e in 0usize..4, five: bool) {
        let split = if five { HexSplit::Five } else { HexSplit::Six };
        let mesh = Box { size, cells, element: ElementKind::ALL[e], split }.mesh().unwrap();
        let q = check_mesh(&mesh, 0);
        let exact: f64 = size.iter().product();
        prop_assert!((q.volume / exact - 1.0).abs() < 1e-12);
        prop_assert_eq!(q.bounds, Some([[0.0; 3], size]));
    }

    #[test]
    fn any_round_shape(r in 0.01..10.0f64, ratio in 0.1..0.9f64, cells in 1usize..10, layers in 1usize..8, e in 0usize..4) {
        let element = ElementKind::ALL[e];
        check_mesh(&Ball { radius: r, cells, element }.mesh().unwrap(), 0);
        let cylinder = Cylinder { radius: r, height: r * layers as f64, cells, layers: Some(layers), element, axis: Axis::Y };
        check_mesh(&cylinder.mesh().unwrap(), 0);
        let torus = Torus { radius: r, tube: r * ratio, cells, around: Some(4 + 2 * layers), element, axis: Axis::Z };
        let mesh = torus.mesh().unwrap();
        let q = check_mesh(&mesh, 1);
        let share = q.volume / (2.0 * PI * PI * r * (r * ratio).powi(2));
        prop_assert!(share > 0.5 && share < 1.02, "{}", share);
    }
}
