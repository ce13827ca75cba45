//! Tests of shapes: counts, volumes, Jacobians, conformity, surfaces and quality.

mod shapes_common;

use std::f64::consts::PI;

use mesh::{CellKind, quality, surface};
use meshing::shapes::{
    Axis, Ball, Blob, Box, Cylinder, ElementKind, Figure, HexSplit, Mould, Sheet, Torus,
};
use shapes_common::{check_mesh, least_angle};

#[test]
fn boxes_have_the_expected_counts_volumes_and_node_order() {
    let cells = [4, 3, 2];
    let size = [2.0, 1.5, 1.0];
    for (element, split, count, nodes) in [
        (ElementKind::Hex8, HexSplit::Six, 24, 60),
        (ElementKind::Tet4, HexSplit::Six, 144, 60),
        (ElementKind::Tet4, HexSplit::Five, 120, 60),
        (
            ElementKind::Hex20,
            HexSplit::Six,
            24,
            60 + 4 * 4 * 3 + 5 * 3 * 3 + 5 * 4 * 2,
        ),
        (ElementKind::Tet10, HexSplit::Six, 144, 5 * 7 * 9),
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
        let q = check_mesh(&mesh, 0);
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
        element: ElementKind::Tet4,
        ..Box::default()
    };
    let mesh = cube.mesh().unwrap();
    for (i, (_, t)) in mesh.cells().enumerate() {
        let g = i / 6;
        let low = (g / 4 * 9 + g / 2 % 2 * 3 + g % 2) as u32;
        assert_eq!((t[0], t[3]), (low, low + 13));
    }
    let q = check_mesh(&mesh, 0);
    assert!((least_angle(&q) - 45.0).abs() < 1e-12 && (q.angles.unwrap().max - 90.0).abs() < 1e-12);
    let five = Box {
        split: HexSplit::Five,
        ..cube
    }
    .mesh()
    .unwrap();
    let best = check_mesh(&five, 0);
    assert!((least_angle(&best) - 2f64.sqrt().atan().to_degrees()).abs() < 1e-12);
}

#[test]
fn sheets_are_plates_with_thickness_and_membranes_without() {
    let sheet = Sheet {
        size: [2.0, 1.0],
        cells: [4, 2],
        thickness: Some(0.1),
        element: ElementKind::Hex8,
    };
    let plate = sheet.mesh().unwrap();
    assert_eq!((plate.len(), plate.points.len()), (8, 30));
    let q = check_mesh(&plate, 0);
    assert_eq!(q.bounds, Some([[0.0; 3], [2.0, 1.0, 0.1]]));
    let tets = Sheet {
        element: ElementKind::Tet4,
        ..sheet
    }
    .mesh()
    .unwrap();
    assert_eq!(tets.len(), 48);
    check_mesh(&tets, 0);
    for (element, kind, count) in [
        (ElementKind::Hex8, CellKind::Quad4, 8),
        (ElementKind::Tet4, CellKind::Tri3, 16),
        (ElementKind::Hex20, CellKind::Quad8, 8),
        (ElementKind::Tet10, CellKind::Tri6, 16),
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
        assert_eq!((t.open_edges, t.inconsistent_edges, t.euler), (12, 0, 1));
    }
}

/// Checks the order of convergence of a volume with the cell size: 2, or 4 for curved cells.
fn check_convergence(exact: f64, order: f64, volume: impl Fn(usize) -> f64) {
    let error = |n: usize| (1.0 - volume(n) / exact).abs();
    let measured = (error(8) / error(16)).log2();
    assert!(
        (measured - order).abs() < 0.35,
        "order {measured}, wanted {order}"
    );
}

#[test]
fn balls_are_round_and_have_good_angles() {
    for element in ElementKind::ALL {
        for cells in [1, 2, 3, 4, 5, 7, 8, 9, 12] {
            let mesh = Ball {
                radius: 2.0,
                cells,
                element,
            }
            .mesh()
            .unwrap();
            let q = check_mesh(&mesh, 0);
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
        check_convergence(4.0 / 3.0 * PI, order, |n| {
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
fn cylinders_are_round_and_have_good_angles() {
    for element in ElementKind::ALL {
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
                let q = check_mesh(&mesh, 0);
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
        check_convergence(PI, order, |n| {
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
fn tori_have_genus_one() {
    for element in ElementKind::ALL {
        for cells in [1, 2, 3, 6] {
            let mesh = Torus {
                cells,
                element,
                ..Torus::default()
            }
            .mesh()
            .unwrap();
            let q = check_mesh(&mesh, 1);
            assert!(least_angle(&q) >= 20.0, "{element:?} {cells}");
            let [low, high] = q.bounds.unwrap();
            // The axis is y.
            assert!(high[1] - low[1] < 0.4 + 1e-12 && high[0] > 0.6 && low[2] < -0.6);
        }
    }
    for element in [ElementKind::Hex8, ElementKind::Hex20] {
        let order = if element.is_quadratic() { 4.0 } else { 2.0 };
        check_convergence(2.0 * PI * PI * 0.5 * 0.04, order, |n| {
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
fn moulds_stand_on_y_zero() {
    for element in ElementKind::ALL {
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
                let q = check_mesh(&mesh, 0);
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
    // Without flutes, taper and dome the volume is ∫ π r² (1 − s⁴/16)² h ds.
    let exact = PI * 0.25 * 0.6 * (1.0 - 2.0 / 80.0 + 1.0 / (9.0 * 256.0));
    let plain = Mould {
        flute: 0.0,
        taper: 0.0,
        dome: 0.0,
        cells: 24,
        element: ElementKind::Hex20,
        ..Mould::default()
    };
    assert!((quality(&plain.mesh().unwrap()).volume / exact - 1.0).abs() < 1e-3);
}

#[test]
fn blobs_are_connected_and_have_good_angles() {
    for cells in [12, 17, 24, 33] {
        let mesh = Blob {
            cells,
            ..Blob::default()
        }
        .mesh()
        .unwrap();
        let q = check_mesh(&mesh, 0);
        assert!(least_angle(&q) >= 10.0, "{cells}: {}", least_angle(&q));
        let [low, high] = q.bounds.unwrap();
        assert!(low[1] == 0.0 && (high[1] - 1.0).abs() < 0.06, "{high:?}");
        assert!((q.volume - 0.103).abs() < 0.006, "{}", q.volume);
    }
    let tall = Blob {
        height: 2.0,
        cells: 16,
        element: ElementKind::Tet10,
        ..Blob::default()
    }
    .mesh()
    .unwrap();
    check_mesh(&tall, 0);
}

#[test]
fn trees_are_connected_and_have_separate_branches() {
    for cells in [24, 33, 48] {
        let mesh = Blob {
            figure: Figure::Tree,
            cells,
            ..Blob::default()
        }
        .mesh()
        .unwrap();
        let q = check_mesh(&mesh, 0);
        assert!(least_angle(&q) >= 10.0, "{cells}: {}", least_angle(&q));
        let [low, high] = q.bounds.unwrap();
        assert!(low[1] == 0.0 && (high[1] - 1.0).abs() < 0.08, "{high:?}");
        assert!((q.volume - 0.0285).abs() < 0.002, "{}", q.volume);
        // At three quarters of the height the twelve twigs and the boughs below them are far apart: they fill little of a
        // crown that is wide in all directions.
        for axis in [0, 2] {
            assert!(low[axis] < -0.2 && high[axis] > 0.35, "{low:?} {high:?}");
        }
    }
    let coarse = Blob {
        figure: Figure::Tree,
        cells: 23,
        ..Blob::default()
    };
    assert!(coarse.mesh().is_err());
}

#[test]
fn cacti_are_connected_and_have_two_separate_arms() {
    for cells in [12, 17, 24, 33] {
        let mesh = Blob {
            figure: Figure::Cactus,
            cells,
            ..Blob::default()
        }
        .mesh()
        .unwrap();
        let q = check_mesh(&mesh, 0);
        assert!(least_angle(&q) >= 10.0, "{cells}: {}", least_angle(&q));
        let [low, high] = q.bounds.unwrap();
        assert!(low[1] == 0.0 && (high[1] - 0.98).abs() < 0.06, "{high:?}");
        assert!(low[0] < -0.27 && high[0] > 0.29, "{low:?} {high:?}");
        // The tips of the arms are separate from the trunk if the cells are small enough to resolve the gap.
        let between = |p: &&[f64; 3]| p[1] > 0.68 && (0.15..0.19).contains(&p[0].abs());
        let gap = mesh.points.iter().filter(between).count();
        assert!(gap == 0 || cells < 24, "{cells}: {gap} points in the gap");
        assert!((q.volume - 0.055).abs() < 0.006, "{}", q.volume);
    }
}
