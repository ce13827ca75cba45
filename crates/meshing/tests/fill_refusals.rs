//! Tests of the errors for surfaces that cannot be filled.

mod fill_common;

use fill_common::{cube, moved, refused, union};
use meshing::fill::{FillError, fill};

#[test]
fn defects_are_refused_with_their_counts() {
    let (points, triangles) = cube(1.0);
    let open = (points.clone(), triangles[1..].to_vec());
    assert!(matches!(
        refused(&open, 0.2),
        FillError::Open { edges: 3, .. }
    ));
    let mut non_manifold = triangles.clone();
    non_manifold.push([triangles[0][0], triangles[0][1], 7]);
    assert!(matches!(
        refused(&(points.clone(), non_manifold), 0.2),
        FillError::NonManifold { .. }
    ));
    let mut inconsistent = triangles.clone();
    inconsistent[0].swap(1, 2);
    assert_eq!(
        refused(&(points.clone(), inconsistent), 0.2),
        FillError::InconsistentOrientation { edges: 3 }
    );
    let flat = (
        points.iter().map(|p| [p[0], p[1], 0.0]).collect::<Vec<_>>(),
        triangles.clone(),
    );
    assert!(fill(&flat.0, &flat.1, 0.2).is_err());
    let thin = (
        points
            .iter()
            .map(|p| [p[0], p[1], 1e-14 * p[2]])
            .collect::<Vec<_>>(),
        triangles.clone(),
    );
    assert!(matches!(refused(&thin, 0.2), FillError::NoVolume { .. }));
    let crossing = union(cube(1.0), moved(cube(1.0), [0.5; 3]));
    let FillError::SelfIntersecting { pairs, .. } = refused(&crossing, 0.2) else {
        panic!()
    };
    // Three edges of each cube pass through the other.
    assert!((6..=24).contains(&pairs), "{pairs}");
    let crossing = union(cube(1.0), moved(cube(1.0), [0.3, 0.4, 0.6]));
    assert!(matches!(
        refused(&crossing, 0.2),
        FillError::SelfIntersecting { .. }
    ));
    assert!(matches!(
        refused(&cube(1.0), 0.002),
        FillError::TooFine { .. }
    ));
    let cell = 40.0;
    let FillError::TooCoarse { try_cell, .. } = refused(&moved(cube(1.0), [0.3, 0.1, 0.2]), cell)
    else {
        panic!()
    };
    assert!(fill(&points, &triangles, try_cell).is_ok());
    for cell in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            refused(&cube(1.0), cell),
            FillError::BadCell { .. }
        ));
    }
    assert_eq!(refused(&(points.clone(), vec![]), 0.1), FillError::Empty);
    assert!(matches!(
        refused(&(points.clone(), vec![[0, 1, 8]]), 0.1),
        FillError::NoSuchVertex { node: 8, .. }
    ));
    let mut nan = points;
    nan[3][1] = f64::NAN;
    assert_eq!(
        refused(&(nan, triangles), 0.1),
        FillError::NotFinite { vertex: 3 }
    );
}

#[test]
fn messages_name_counts_and_places() {
    let (points, triangles) = cube(1.0);
    let open = fill(&points, &triangles[1..], 0.2).unwrap_err().to_string();
    assert!(open.starts_with(
        "fill: the surface is open: 3 edges have a triangle on one side only, the first between"
    ));
    let fine = fill(&points, &triangles, 1e-3).unwrap_err().to_string();
    assert!(fine.contains("too fine: about 1.2e10 tetrahedra"), "{fine}");
}
