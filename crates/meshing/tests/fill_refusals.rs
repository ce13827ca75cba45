//! Surfaces that cannot be filled are refused with numbers.

mod fill_common;

use fill_common::{both, cube, moved, refused};
use meshing::fill::{FillError, fill};

#[test]
fn faults_are_refused_with_numbers() {
    let (points, triangles) = cube(1.0);
    let open = (points.clone(), triangles[1..].to_vec());
    assert!(matches!(
        refused(&open, 0.2),
        FillError::Open { edges: 3, .. }
    ));
    let mut crowded = triangles.clone();
    crowded.push([triangles[0][0], triangles[0][1], 7]);
    assert!(matches!(
        refused(&(points.clone(), crowded), 0.2),
        FillError::Crowded { .. }
    ));
    let mut clashing = triangles.clone();
    clashing[0].swap(1, 2);
    assert_eq!(
        refused(&(points.clone(), clashing), 0.2),
        FillError::Clashing { edges: 3 }
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
    let crossing = both(cube(1.0), moved(cube(1.0), [0.5; 3]));
    let FillError::SelfIntersecting { pairs, .. } = refused(&crossing, 0.2) else {
        panic!()
    };
    // Three edges of each cube go through the other.
    assert!((6..=24).contains(&pairs), "{pairs}");
    let crossing = both(cube(1.0), moved(cube(1.0), [0.3, 0.4, 0.6]));
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
fn messages_are_sentences() {
    let (points, triangles) = cube(1.0);
    let open = fill(&points, &triangles[1..], 0.2).unwrap_err().to_string();
    assert!(open.starts_with(
        "fill: the surface is open: 3 edges have a triangle on one side only, the first between"
    ));
    let fine = fill(&points, &triangles, 1e-3).unwrap_err().to_string();
    assert!(fine.contains("too fine: about 1.2e10 tetrahedra"), "{fine}");
}
