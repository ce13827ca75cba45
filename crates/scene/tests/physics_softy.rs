//! Static boxes of neo-Hookean tetrahedra solved by softy (its tests `box_nl`), if their files are available: energies,
//! forces and equilibrium.

#[path = "../../solid/tests/common/mod.rs"]
mod common;

use common::{Body, equilibrium, force, moved};
use march::At;
use mesh::CellKind;
use meshio::import::{DataArray, ImportedMesh, read};
use solid::mass::MassKind;
use solid::material::{Lame, Law, NeoHookean};
use solid::model::Model;

/// A box solved by softy: rest mesh, final positions, energy and forces.
struct Solved {
    body: Body,
    law: Law,
    u: Vec<[f64; 3]>,
    loaded: ImportedMesh,
}

fn array<'a>(list: &'a [DataArray], name: &str) -> &'a [f64] {
    &list.iter().find(|a| a.name == name).unwrap().values
}

fn solved(name: &str) -> Option<Solved> {
    let folder = testdata::shared("data/reference_values/peer_tests/softy_box")?;
    let file = folder.join(name);
    let loaded = read(&file).unwrap();
    assert!(loaded.mesh.kinds.iter().all(|k| *k == CellKind::Tet4));
    let triples = |values: &[f64]| {
        values
            .chunks_exact(3)
            .map(|x| [x[0], x[1], x[2]])
            .collect::<Vec<_>>()
    };
    let rest = triples(array(&loaded.point_data, "ref"));
    let u = loaded
        .mesh
        .points
        .iter()
        .zip(&rest)
        .map(|(x, r)| [0, 1, 2].map(|k| x[k] - r[k]))
        .collect();
    let [mu, lambda] = ["mu", "lambda"].map(|name| array(&loaded.cell_data, name)[0]);
    let law = Law::NeoHookean(NeoHookean::new(Lame { mu, lambda }));
    Some(Solved {
        body: Body {
            kind: CellKind::Tet4,
            rest,
            nodes: loaded.mesh.nodes.clone(),
        },
        law,
        u,
        loaded,
    })
}

fn check(name: &str, energy_error: f64, force_error: f64, position_error: f64) {
    let Some(Solved {
        body,
        law,
        u,
        loaded,
    }) = solved(name)
    else {
        return;
    };
    // All nodes free: energy and forces at softy's solution.
    let mut model = Model::new(body.parts(law, 1.0, MassKind::Lumped)).unwrap();
    let zero = vec![0.0; 3 * u.len()];
    let stored = model.energies(0.0, u.as_flattened(), &zero).strain;
    let theirs: f64 = array(&loaded.cell_data, "strain_energy").iter().sum();
    let error = (stored / theirs - 1.0).abs();
    assert!(error < energy_error, "{name}: energy is off by {error:.2e}");
    let own = force(
        &mut model,
        At {
            t: 0.0,
            u: u.as_flattened(),
            v: &zero,
        },
    );
    let theirs = array(&loaded.point_data, "elastic_force");
    let largest = |x: &mut dyn Iterator<Item = f64>| x.map(f64::abs).fold(0.0, f64::max);
    let scale = largest(&mut theirs.iter().copied());
    let error = largest(&mut own.iter().zip(theirs).map(|(a, b)| a - b)) / scale;
    assert!(error < force_error, "{name}: forces are off by {error:.2e}");
    // With softy's fixed nodes, the others converge to its solution from a disturbed state.
    let held: Vec<usize> = (0..u.len())
        .filter(|&i| array(&loaded.point_data, "fixed")[i] != 0.0)
        .collect();
    assert_eq!(held.len(), 50);
    let mut parts = body.parts(law, 1.0, MassKind::Lumped);
    parts.prescribed = held
        .iter()
        .map(|&i| moved(vec![i as u32], [true; 3], u[i]))
        .collect();
    let mut model = Model::new(parts).unwrap();
    let wanted = model.restrict(&u);
    let start: Vec<f64> = wanted
        .iter()
        .enumerate()
        .map(|(i, u)| u + 0.01 * (i as f64).sin())
        .collect();
    let found = equilibrium(&mut model, &start);
    let error = largest(&mut found.iter().zip(&wanted).map(|(a, b)| a - b));
    assert!(
        error < position_error,
        "{name}: positions are off by {error:.2e} m"
    );
}

#[test]
fn the_twisted_box_matches_softy() {
    check("box_twisted.vtk", 1e-13, 1e-12, 1e-9);
}

/// This file is itself no closer to its equilibrium than 3e-8, and holds rest positions in single precision.
#[test]
fn the_stretched_box_matches_softy() {
    check("box_stretched.vtk", 2e-7, 1e-6, 5e-8);
}
