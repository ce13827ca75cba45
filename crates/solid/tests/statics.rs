//! Statics of bodies: patch test, a published element matrix and homogeneous states.

mod common;
mod material_support;

use common::{Body, KINDS, STIFFNESS, equilibrium, moved, tangent};
use march::{At, Curvature, System};
use material_support::{Dice, at, diag, energy, stress};
use mesh::CellKind;
use solid::mass::MassKind;
use solid::material::{LAWS, Lame, Law};
use solid::model::{Model, PrescribedNodes};
use solid::motion::Motion;

const MASS: MassKind = MassKind::Lumped;

/// Patch test: a linear displacement on the boundary of distorted elements gives a linear displacement inside.
#[test]
fn patches_of_distorted_elements_deform_homogeneously() {
    let gradient = [
        [0.12, 0.05, -0.02],
        [0.03, -0.04, 0.06],
        [-0.05, 0.02, 0.08],
    ];
    let field = |x: [f64; 3]| [0, 1, 2].map(|i| (0..3).map(|j| gradient[i][j] * x[j]).sum::<f64>());
    for kind in KINDS {
        let mut dice = Dice::new(7);
        let body = Body::shaped(kind, [3; 3], |x| {
            let inside = x.iter().all(|x| *x > 0.0 && *x < 1.0);
            x.map(|x| {
                x + if inside {
                    dice.between(-0.05, 0.05)
                } else {
                    0.0
                }
            })
        });
        for info in LAWS {
            let mut parts = body.parts(Law::new(info.name, 1e4, 0.3).unwrap(), 1.0, MASS);
            for i in body.nodes_where(|x| x.iter().any(|x| *x < 1e-9 || *x > 1.0 - 1e-9)) {
                parts
                    .prescribed
                    .push(moved(vec![i], [true; 3], field(body.rest[i as usize])));
            }
            let mut model = Model::new(parts).unwrap();
            let exact = model.restrict(&body.rest.iter().map(|x| field(*x)).collect::<Vec<_>>());
            let start: Vec<f64> = exact
                .iter()
                .map(|u| u + dice.between(-0.01, 0.01))
                .collect();
            let u = equilibrium(&mut model, &start);
            let error = u
                .iter()
                .zip(&exact)
                .map(|(u, e)| (u - e).abs())
                .fold(0.0, f64::max);
            assert!(
                error < 1e-13,
                "{kind:?} {}: off by {error:.2e} m",
                info.name
            );
        }
    }
}

/// BᵀDB of the linear tetrahedron from its barycentric gradients, node by node.
fn tetrahedron_stiffness(x: &[[f64; 3]; 4], Lame { mu, lambda }: Lame) -> [[f64; 12]; 12] {
    let minus = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|k| a[k] - b[k]);
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [0, 1, 2].map(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
    };
    let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| a[k] * b[k]).sum::<f64>();
    let six = dot(
        minus(x[1], x[0]),
        cross(minus(x[2], x[0]), minus(x[3], x[0])),
    );
    // The gradient of a corner is the normal of the opposite face over six volumes, pointing to the corner.
    let gradients = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]
        .map(|f| cross(minus(x[f[1]], x[f[0]]), minus(x[f[2]], x[f[0]])));
    let towards = |a: usize| dot(gradients[a], minus(x[a], x[(a + 1) % 4])).signum() / six;
    let b = |a: usize| gradients[a].map(|g| g * towards(a));
    // Columns of B in Voigt's order xx, yy, zz, xy, yz, zx.
    let column = |a: usize, k: usize| {
        let [x, y, z] = b(a);
        [
            [x, 0.0, 0.0, y, 0.0, z],
            [0.0, y, 0.0, x, z, 0.0],
            [0.0, 0.0, z, 0.0, y, x],
        ][k]
    };
    let d = |e: [f64; 6]| {
        let sum = lambda * (e[0] + e[1] + e[2]);
        [
            sum + 2.0 * mu * e[0],
            sum + 2.0 * mu * e[1],
            sum + 2.0 * mu * e[2],
            mu * e[3],
            mu * e[4],
            mu * e[5],
        ]
    };
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let (p, q) = (column(i / 3, i % 3), d(column(j / 3, j % 3)));
            six / 6.0 * (0..6).map(|k| p[k] * q[k]).sum::<f64>()
        })
    })
}

/// The tetrahedron of Felippa's lecture notes (ASEN 6367, ch. 9), whose matrix has integers only.
#[test]
fn the_linear_tetrahedron_has_its_published_matrix() {
    let corners = [
        [2.0, 3.0, 4.0],
        [6.0, 3.0, 2.0],
        [2.0, 5.0, 1.0],
        [4.0, 3.0, 6.0],
    ];
    let body = Body {
        kind: CellKind::Tet4,
        rest: corners.to_vec(),
        nodes: vec![0, 1, 2, 3],
    };
    let mut model =
        Model::new(body.parts(Law::new("linear", 480.0, 1.0 / 3.0).unwrap(), 1.0, MASS)).unwrap();
    let zero = [0.0; 12];
    let k = tangent(
        &mut model,
        At {
            t: 0.0,
            u: &zero,
            v: &zero,
        },
        STIFFNESS,
        Curvature::Exact,
    );
    let own = tetrahedron_stiffness(
        &corners,
        Lame {
            mu: 180.0,
            lambda: 360.0,
        },
    );
    let printed = testdata::reference("peer_tests/element_stiffness_matrices.json");
    for (i, j) in (0..12).flat_map(|i| (0..12).map(move |j| (i, j))) {
        let got = k.entry(i, j);
        assert!(
            (got - own[i][j]).abs() < 1e-11,
            "({i}, {j}) is {got}, BᵀDB {}",
            own[i][j]
        );
        assert!(
            (got - got.round()).abs() < 1e-11,
            "({i}, {j}) is {got}, no integer"
        );
        let want = printed["tet4"]["K"][i][j].as_f64().unwrap();
        assert!(
            (got - want).abs() < 1e-11,
            "({i}, {j}) is {got}, printed {want}"
        );
    }
}

/// A cube stretched along x with free sides: energy and lateral stretch.
fn pulled(kind: CellKind, law: Law, s: f64) -> (f64, f64) {
    let body = Body::block(kind, [1; 3], [1.0; 3]);
    let mut parts = body.parts(law, 1.0, MASS);
    let slide = |k: usize| PrescribedNodes {
        nodes: body.nodes_where(|x| x[k] == 0.0),
        axes: [0, 1, 2].map(|i| i == k),
        motion: Motion::Still,
    };
    parts.prescribed = (0..3).map(slide).collect();
    parts.prescribed.push(moved(
        body.nodes_where(|x| x[0] == 1.0),
        [true, false, false],
        [s - 1.0, 0.0, 0.0],
    ));
    let mut model = Model::new(parts).unwrap();
    let zero = vec![0.0; model.dofs()];
    let u = equilibrium(&mut model, &zero);
    let stored = model.energies(0.0, &u, &zero).strain;
    let full = model.expand(0.0, &u, &zero).0;
    let widest = body
        .rest
        .iter()
        .zip(full)
        .filter(|(x, _)| x[1] == 1.0)
        .map(|(_, u)| u[1])
        .fold(f64::NEG_INFINITY, f64::max);
    (stored, 1.0 + widest)
}

#[test]
fn a_cube_under_tension_follows_its_law() {
    for info in LAWS {
        let law = Law::new(info.name, 1e4, 0.3).unwrap();
        for (kind, s) in [
            (CellKind::Tet4, 1.3),
            (CellKind::Hex8, 0.85),
            (CellKind::Hex8, 1.4),
            (CellKind::Tet10, 1.1),
            (CellKind::Hex20, 1.2),
        ] {
            // Frozen rotations are the identity here, as in a body that was at rest.
            let state = |l: f64| at(&diag([s, l, l]));
            let (mut low, mut high) = (0.5, 1.4);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                *(if stress(&law, state(middle))[1][1] > 0.0 {
                    &mut high
                } else {
                    &mut low
                }) = middle;
            }
            let (stored, width) = pulled(kind, law, s);
            let wanted = energy(&law, state(low));
            assert!(
                (width - low).abs() < 1e-12,
                "{} {kind:?} at {s}: width {width}, law {low}",
                info.name
            );
            assert!(
                (stored - wanted).abs() < 1e-11 * wanted,
                "{} {kind:?} at {s}: {stored} J, law {wanted}",
                info.name
            );
            // Castigliano: the force is the derivative of the stored energy.
            let d = 1e-3;
            let [a, b, c, e] = [-2.0, -1.0, 1.0, 2.0].map(|k| pulled(kind, law, s + k * d).0);
            let pull = (8.0 * (c - b) - (e - a)) / (12.0 * d);
            let wanted = stress(&law, state(low))[0][0];
            assert!(
                (pull - wanted).abs() < 1e-6 * wanted.abs(),
                "{} {kind:?} at {s}: {pull} N, law {wanted}",
                info.name
            );
        }
    }
}
