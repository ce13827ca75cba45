//! Shapes: counts, volumes, Jacobians, conformity, surfaces and quality.

use std::f64::consts::PI;

use proptest::prelude::*;
use scene::shapes::{
    Axis, Ball, Blob, Box, Cylinder, Element, Mould, SHAPES, ShapeError, Sheet, Split, Torus,
};
use solid::mesh::{Kind, Mesh, Quality, quality, surface};

/// What every solid shape promises; returns its quality for more.
fn sound(mesh: &Mesh, genus: i64) -> Quality {
    let q = quality(mesh);
    assert_eq!((q.inverted, q.degenerate, q.duplicate_cells), (0, 0, 0));
    assert_eq!((q.unreferenced_points, q.duplicate_points), (0, 0));
    assert_eq!((q.components, q.crowded_faces), (1, 0));
    // Every inner face has two cells, or the surface would show it.
    assert!(q.surface.is_closed() && q.surface.is_manifold());
    assert_eq!((q.surface.clashing_edges, q.surface.components), (0, 1));
    assert_eq!(q.surface.genus, Some(genus));
    outward(mesh, q.volume);
    q
}

/// Skin normals point out: by the divergence theorem the skin encloses the cells' volume. Quadratic cells are curved
/// between the skin's corners, so theirs is near, not equal.
fn outward(mesh: &Mesh, volume: f64) {
    let linear = mesh.kinds.iter().all(|k| *k == Kind::Tet4);
    let inside: f64 = surface(mesh)
        .triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|n| mesh.points[n as usize]);
            (a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0]))
                / 6.0
        })
        .sum();
    let slack = if linear { 1e-10 } else { 0.35 };
    assert!(
        (inside - volume).abs() <= slack * volume,
        "{inside} {volume}"
    );
}

fn least_angle(q: &Quality) -> f64 {
    q.angles.unwrap().min
}

#[test]
fn box_counts_volumes_and_order() {
    let cells = [4, 3, 2];
    let size = [2.0, 1.5, 1.0];
    for (element, split, count, nodes) in [
        (Element::Hex8, Split::Six, 24, 60),
        (Element::Tet4, Split::Six, 144, 60),
        (Element::Tet4, Split::Five, 120, 60),
        (
            Element::Hex20,
            Split::Six,
            24,
            60 + 4 * 4 * 3 + 5 * 3 * 3 + 5 * 4 * 2,
        ),
        (Element::Tet10, Split::Six, 144, 5 * 7 * 9),
    ] {
        let mesh = Box {
            size,
            cells,
            element,
            split,
        }
        .mesh()
        .unwrap();
        assert_eq!(
            (mesh.len(), mesh.points.len()),
            (count, nodes),
            "{element:?} {split:?}"
        );
        let q = sound(&mesh, 0);
        assert!((q.volume - 3.0).abs() < 1e-13);
        assert_eq!(q.bounds, Some([[0.0; 3], size]));
        // x fastest, then y, then z.
        assert_eq!(mesh.points[1], [0.5, 0.0, 0.0]);
        assert_eq!(mesh.points[5], [0.0, 0.5, 0.0]);
        assert_eq!(mesh.points[20], [0.0, 0.0, 0.5]);
    }
}

#[test]
fn six_tets_share_the_main_diagonal() {
    let cube = Box {
        cells: [2; 3],
        element: Element::Tet4,
        ..Box::default()
    };
    let mesh = cube.mesh().unwrap();
    for (i, (_, t)) in mesh.cells().enumerate() {
        let g = i / 6;
        let low = (g / 4 * 9 + g / 2 % 2 * 3 + g % 2) as u32;
        assert_eq!((t[0], t[3]), (low, low + 13));
    }
    let q = sound(&mesh, 0);
    assert!((least_angle(&q) - 45.0).abs() < 1e-12 && (q.angles.unwrap().max - 90.0).abs() < 1e-12);
    let five = Box {
        split: Split::Five,
        ..cube
    }
    .mesh()
    .unwrap();
    let best = sound(&five, 0);
    assert!((least_angle(&best) - 2f64.sqrt().atan().to_degrees()).abs() < 1e-12);
}

#[test]
fn sheets_are_plates_or_membranes() {
    let sheet = Sheet {
        size: [2.0, 1.0],
        cells: [4, 2],
        thickness: Some(0.1),
        element: Element::Hex8,
    };
    let plate = sheet.mesh().unwrap();
    assert_eq!((plate.len(), plate.points.len()), (8, 30));
    let q = sound(&plate, 0);
    assert_eq!(q.bounds, Some([[0.0; 3], [2.0, 1.0, 0.1]]));
    let tets = Sheet {
        element: Element::Tet4,
        ..sheet
    }
    .mesh()
    .unwrap();
    assert_eq!(tets.len(), 48);
    sound(&tets, 0);
    for (element, kind, count) in [
        (Element::Hex8, Kind::Quad4, 8),
        (Element::Tet4, Kind::Tri3, 16),
        (Element::Hex20, Kind::Quad8, 8),
        (Element::Tet10, Kind::Tri6, 16),
    ] {
        let flat = Sheet {
            thickness: None,
            element,
            ..sheet
        }
        .mesh()
        .unwrap();
        assert!(flat.len() == count && flat.kinds.iter().all(|&k| k == kind));
        assert!(flat.points.iter().all(|p| p[2] == 0.0));
        let t = quality(&flat).surface;
        assert_eq!((t.open_edges, t.clashing_edges, t.euler), (12, 0, 1));
    }
}

/// The error of a volume falls as the square of the cell size, or as the fourth power for curved cells.
fn converges(exact: f64, order: f64, volume: impl Fn(usize) -> f64) {
    let error = |n: usize| (1.0 - volume(n) / exact).abs();
    let measured = (error(8) / error(16)).log2();
    assert!(
        (measured - order).abs() < 0.35,
        "order {measured}, wanted {order}"
    );
}

#[test]
fn ball_is_round_and_good() {
    for element in Element::ALL {
        for cells in [1, 2, 3, 4, 5, 7, 8, 9, 12] {
            let mesh = Ball {
                radius: 2.0,
                cells,
                element,
            }
            .mesh()
            .unwrap();
            let q = sound(&mesh, 0);
            let least = if element.is_tet() { 20.0 } else { 44.9 };
            assert!(
                least_angle(&q) >= least,
                "{element:?} {cells}: {}",
                least_angle(&q)
            );
            for f in surface(&mesh).triangles.iter().flatten() {
                let p = mesh.points[*f as usize];
                let r = p.iter().map(|x| x * x).sum::<f64>().sqrt();
                assert!((r - 2.0).abs() < 1e-14);
            }
        }
        let order = if element.is_quadratic() { 4.0 } else { 2.0 };
        converges(4.0 / 3.0 * PI, order, |n| {
            quality(
                &Ball {
                    radius: 1.0,
                    cells: n,
                    element,
                }
                .mesh()
                .unwrap(),
            )
            .volume
        });
    }
}

#[test]
fn cylinder_is_round_upright_and_good() {
    for element in Element::ALL {
        for cells in [1, 2, 3, 5, 8] {
            for axis in [Axis::X, Axis::Y, Axis::Z] {
                let shape = Cylinder {
                    radius: 0.5,
                    height: 3.0,
                    cells,
                    layers: Some(7),
                    element,
                    axis,
                };
                let mesh = shape.mesh().unwrap();
                let q = sound(&mesh, 0);
                let [low, high] = q.bounds.unwrap();
                let along = match axis {
                    Axis::X => 0,
                    Axis::Y => 1,
                    Axis::Z => 2,
                };
                assert_eq!((low[along], high[along]), (-1.5, 1.5));
                let radius = |p: [f64; 3]| p[(along + 1) % 3].hypot(p[(along + 2) % 3]);
                let widest = mesh.points.iter().map(|&p| radius(p)).fold(0.0, f64::max);
                assert!((widest - 0.5).abs() < 1e-15);
                assert!(least_angle(&q) >= if element.is_tet() { 12.0 } else { 44.9 });
            }
        }
        let order = if element.is_quadratic() { 4.0 } else { 2.0 };
        converges(PI, order, |n| {
            let shape = Cylinder {
                radius: 1.0,
                height: 1.0,
                cells: n,
                layers: Some(2),
                element,
                axis: Axis::Y,
            };
            quality(&shape.mesh().unwrap()).volume
        });
    }
    // Cells about as long as wide when layers are not given.
    let mesh = Cylinder {
        radius: 0.5,
        height: 2.0,
        cells: 4,
        ..Cylinder::default()
    }
    .mesh()
    .unwrap();
    assert_eq!(mesh.len(), 12 * 8);
}

#[test]
fn torus_has_one_hole() {
    for element in Element::ALL {
        for cells in [1, 2, 3, 6] {
            let mesh = Torus {
                cells,
                element,
                ..Torus::default()
            }
            .mesh()
            .unwrap();
            let q = sound(&mesh, 1);
            assert!(least_angle(&q) >= 20.0, "{element:?} {cells}");
            let [low, high] = q.bounds.unwrap();
            // Lies flat about y.
            assert!(high[1] - low[1] < 0.4 + 1e-12 && high[0] > 0.6 && low[2] < -0.6);
        }
    }
    for element in [Element::Hex8, Element::Hex20] {
        let order = if element.is_quadratic() { 4.0 } else { 2.0 };
        converges(2.0 * PI * PI * 0.5 * 0.04, order, |n| {
            quality(
                &Torus {
                    cells: n,
                    element,
                    ..Torus::default()
                }
                .mesh()
                .unwrap(),
            )
            .volume
        });
    }
}

#[test]
fn mould_stands_on_the_floor() {
    for element in Element::ALL {
        for cells in [8, 12, 20] {
            for (flute, taper, dome) in [(0.07, 0.3, 0.12), (0.1, 0.4, 0.2), (0.0, 0.0, 0.0)] {
                let mesh = Mould {
                    cells,
                    element,
                    flute,
                    taper,
                    dome,
                    ..Mould::default()
                }
                .mesh()
                .unwrap();
                let q = sound(&mesh, 0);
                assert!(
                    least_angle(&q) >= 8.0,
                    "{element:?} {cells}: {}",
                    least_angle(&q)
                );
                let [low, high] = q.bounds.unwrap();
                assert!(low[1] == 0.0 && (high[1] - 0.6).abs() < 1e-12);
            }
        }
    }
    // Without flutes, taper and dome only the rounded wall remains: ∫ π r² (1 − s⁴/16)² h ds.
    let exact = PI * 0.25 * 0.6 * (1.0 - 2.0 / 80.0 + 1.0 / (9.0 * 256.0));
    let plain = Mould {
        flute: 0.0,
        taper: 0.0,
        dome: 0.0,
        cells: 24,
        element: Element::Hex20,
        ..Mould::default()
    };
    assert!((quality(&plain.mesh().unwrap()).volume / exact - 1.0).abs() < 1e-3);
}

#[test]
fn blob_is_one_good_body() {
    for cells in [12, 17, 24, 33] {
        let mesh = Blob {
            cells,
            ..Blob::default()
        }
        .mesh()
        .unwrap();
        let q = sound(&mesh, 0);
        assert!(least_angle(&q) >= 10.0, "{cells}: {}", least_angle(&q));
        let [low, high] = q.bounds.unwrap();
        assert!(low[1] == 0.0 && (high[1] - 1.0).abs() < 0.06, "{high:?}");
        assert!((q.volume - 0.103).abs() < 0.006, "{}", q.volume);
    }
    let tall = Blob {
        height: 2.0,
        cells: 16,
        element: Element::Tet10,
    }
    .mesh()
    .unwrap();
    sound(&tall, 0);
}

#[test]
fn shapes_repeat_to_the_bit() {
    let again = || {
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
    let [a, b] = again();
    assert!(a == b);
}

#[test]
fn impossible_parameters_are_refused_in_a_sentence() {
    let said = |r: Result<Mesh, ShapeError>| r.unwrap_err().to_string();
    let unit = Box::default();
    assert_eq!(
        said(
            Box {
                cells: [4, 0, 4],
                ..unit
            }
            .mesh()
        ),
        "box: cells[1] is 0; a shape wants at least one cell along every direction"
    );
    assert_eq!(
        said(
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
        said(
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
        element: Element::Tet4,
        ..Torus::default()
    };
    assert!(said(odd.mesh()).ends_with("try 10"));
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
        said(
            Blob {
                element: Element::Hex8,
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
        let split = if five { Split::Five } else { Split::Six };
        let mesh = Box { size, cells, element: Element::ALL[e], split }.mesh().unwrap();
        let q = sound(&mesh, 0);
        let exact: f64 = size.iter().product();
        prop_assert!((q.volume / exact - 1.0).abs() < 1e-12);
        prop_assert_eq!(q.bounds, Some([[0.0; 3], size]));
    }

    #[test]
    fn any_round_shape(r in 0.01..10.0f64, ratio in 0.1..0.9f64, cells in 1usize..10, layers in 1usize..8, e in 0usize..4) {
        let element = Element::ALL[e];
        sound(&Ball { radius: r, cells, element }.mesh().unwrap(), 0);
        let cylinder = Cylinder { radius: r, height: r * layers as f64, cells, layers: Some(layers), element, axis: Axis::Y };
        sound(&cylinder.mesh().unwrap(), 0);
        let torus = Torus { radius: r, tube: r * ratio, cells, around: Some(4 + 2 * layers), element, axis: Axis::Z };
        let mesh = torus.mesh().unwrap();
        let q = sound(&mesh, 1);
        let share = q.volume / (2.0 * PI * PI * r * (r * ratio).powi(2));
        prop_assert!(share > 0.5 && share < 1.02, "{}", share);
    }
}
