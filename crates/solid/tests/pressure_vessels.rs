//! Thick cylinder and sphere under internal pressure against Lamé's formulas, with mesh convergence, and Cook's membrane.
//!
//! All problems are linear: the equilibrium is one solve with the stiffness at rest. The pressures are so small that their
//! own stiffness does not matter.

mod common;
mod material_support;

use std::collections::HashMap;

use common::{Body, STIFFNESS, force, rate, tangent};
use march::{At, Curvature, Newton, Options, Parameters, State, System, TimeLoop, find};
use mesh::CellKind;
use mesh::vector::{norm, scale, sub};
use solid::load::{DeadTraction, FollowerPressure, SurfaceFaces, TimeCourse};
use solid::mass::MassKind;
use solid::material::Law;
use solid::model::{Model, PrescribedNodes};
use solid::motion::Motion;
use sparse::{Backend, solver};

const YOUNG: f64 = 1e6;
const POISSON: f64 = 0.3;
const PRESSURE: f64 = 1e-3;
/// Inner and outer radius, m.
const INNER: f64 = 1.0;
const OUTER: f64 = 2.0;

fn law(young: f64, poisson: f64) -> Law {
    Law::new("linear", young, poisson).unwrap()
}

/// Nodes held along one axis.
fn slide(nodes: Vec<u32>, axis: usize) -> PrescribedNodes {
    PrescribedNodes {
        nodes,
        axes: [0, 1, 2].map(|k| k == axis),
        motion: Motion::Still,
    }
}

/// Displacements of all nodes in the equilibrium of a linear model.
fn linear_equilibrium(model: &mut Model) -> Vec<[f64; 3]> {
    let zero = vec![0.0; model.dofs()];
    let rest = At {
        t: 0.0,
        u: &zero,
        v: &zero,
    };
    let mut u = force(model, rest);
    let k = tangent(model, rest, STIFFNESS, Curvature::Exact);
    let mut cholesky = solver(Backend::Cholesky);
    cholesky.factor(&k).unwrap();
    cholesky.solve(&mut u).unwrap();
    model.expand(0.0, &u, &zero).0.to_vec()
}

/// A body of curved elements: every node of a block, mid-edge nodes included, is mapped from the unit cube.
fn curved(kind: CellKind, cells: [usize; 3], map: impl Fn([f64; 3]) -> [f64; 3]) -> Body {
    let mut body = Body::block(kind, cells, [1.0; 3]);
    body.rest.iter_mut().for_each(|x| *x = map(*x));
    body
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// The faces on the inner wall, where `radius` is `INNER` at all nodes.
fn inner_wall(body: &Body, radius: impl Fn([f64; 3]) -> f64) -> SurfaceFaces {
    let faces = body.faces_where(|x| near(radius(x), INNER));
    assert!(!faces.is_empty());
    faces
}

fn pressurized(body: &Body, faces: SurfaceFaces, held: Vec<PrescribedNodes>) -> Model {
    let mut parts = body.parts(law(YOUNG, POISSON), 1.0, MassKind::Lumped);
    parts.prescribed = held;
    let load = FollowerPressure::new(faces, PRESSURE, TimeCourse::default());
    parts.loads.push(Box::new(load));
    Model::new(parts).unwrap()
}

/// A quarter of a cylinder in plane strain, one element along its axis.
fn cylinder(kind: CellKind, n: usize) -> (Body, Model) {
    let body = curved(kind, [n, 2 * n, 1], |[r, angle, z]| {
        let (sin, cos) = (std::f64::consts::FRAC_PI_2 * angle).sin_cos();
        let r = INNER + (OUTER - INNER) * r;
        [r * cos, r * sin, 0.5 * z / n as f64]
    });
    let held = vec![
        slide(body.nodes_where(|x| near(x[0], 0.0)), 0),
        slide(body.nodes_where(|x| near(x[1], 0.0)), 1),
        slide(body.nodes_where(|_| true), 2),
    ];
    let faces = inner_wall(&body, |x| x[0].hypot(x[1]));
    let model = pressurized(&body, faces, held);
    (body, model)
}

/// Largest error of the displacements of all nodes, relative to the largest displacement; `lame` is the radial
/// displacement at a radius, which is measured in the first `axes` coordinates.
fn error(body: &Body, u: &[[f64; 3]], axes: usize, lame: impl Fn(f64) -> f64) -> f64 {
    let off = body.rest.iter().zip(u).map(|(x, u)| {
        let mut along = *x;
        along[axes..].fill(0.0);
        let r = norm(along);
        norm(sub(*u, scale(lame(r) / r, along)))
    });
    off.fold(0.0, f64::max) / lame(INNER)
}

/// Plane strain [Timoshenko & Goodier 1970, §28].
fn lame_cylinder(r: f64) -> f64 {
    let (a2, b2) = (INNER * INNER, OUTER * OUTER);
    let scale = PRESSURE * a2 * (1.0 + POISSON) / (YOUNG * (b2 - a2));
    scale * ((1.0 - 2.0 * POISSON) * r + b2 / r)
}

/// [Timoshenko & Goodier 1970, §136].
fn lame_sphere(r: f64) -> f64 {
    let (a3, b3) = (INNER.powi(3), OUTER.powi(3));
    let scale = PRESSURE * a3 / (YOUNG * (b3 - a3));
    scale * ((1.0 - 2.0 * POISSON) * r + (1.0 + POISSON) * b3 / (2.0 * r * r))
}

/// Kinds, numbers of cells across the wall, largest error on the finest mesh and least observed order.
const CASES: [(CellKind, [usize; 2], f64, f64); 5] = [
    (CellKind::Tet4, [6, 12], 2e-2, 1.6),
    (CellKind::Hex8, [6, 12], 2e-3, 1.9),
    (CellKind::Tet10, [3, 6], 5e-4, 2.7),
    (CellKind::Hex20, [3, 6], 3e-5, 3.6),
    (CellKind::Hex27, [3, 6], 3e-5, 3.6),
];

#[test]
fn a_thick_cylinder_under_pressure_converges_to_lames_formula() {
    for (kind, cells, allowed, order) in CASES {
        let errors = cells.map(|n| {
            let (body, mut model) = cylinder(kind, n);
            let u = linear_equilibrium(&mut model);
            error(&body, &u, 2, lame_cylinder)
        });
        let observed = rate(errors[0], errors[1], 2.0);
        println!("cylinder {kind:?}: errors {errors:?}, order {observed:.2}");
        assert!(errors[1] < allowed, "{kind:?}: {errors:?}");
        assert!(observed > order, "{kind:?}: order {observed}");
    }
}

/// An eighth of a sphere: three blocks around the axes x, y and z, joined at common nodes.
fn sphere(kind: CellKind, n: usize) -> (Body, Model) {
    let patch = curved(kind, [n, n, n], |[r, a, b]| {
        let tan = |s: f64| (std::f64::consts::FRAC_PI_4 * s).tan();
        let along = [1.0, tan(a), tan(b)];
        scale((INNER + (OUTER - INNER) * r) / norm(along), along)
    });
    let mut body = Body {
        kind,
        rest: Vec::new(),
        nodes: Vec::new(),
    };
    let mut known = HashMap::new();
    for turn in 0..3 {
        let number = |x: &[f64; 3]| {
            let x = [0, 1, 2].map(|k| x[(k + turn) % 3]);
            let key = x.map(|x| (1e9 * x).round() as i64);
            *known.entry(key).or_insert_with(|| {
                body.rest.push(x);
                body.rest.len() as u32 - 1
            })
        };
        let numbers: Vec<u32> = patch.rest.iter().map(number).collect();
        let nodes = patch.nodes.iter().map(|&i| numbers[i as usize]);
        body.nodes.extend(nodes);
    }
    let held = (0..3).map(|k| slide(body.nodes_where(|x| near(x[k], 0.0)), k));
    let held = held.collect();
    let faces = inner_wall(&body, norm);
    let model = pressurized(&body, faces, held);
    (body, model)
}

#[test]
fn a_thick_sphere_under_pressure_converges_to_lames_formula() {
    let cases = [
        (CellKind::Hex8, [4, 8], 2e-2, 1.75),
        (CellKind::Hex20, [2, 4], 1e-3, 3.2),
        (CellKind::Hex27, [2, 4], 1e-3, 3.2),
    ];
    for (kind, cells, allowed, order) in cases {
        let errors = cells.map(|n| {
            let (body, mut model) = sphere(kind, n);
            let u = linear_equilibrium(&mut model);
            error(&body, &u, 3, lame_sphere)
        });
        let observed = rate(errors[0], errors[1], 2.0);
        println!("sphere {kind:?}: errors {errors:?}, order {observed:.2}");
        assert!(errors[1] < allowed, "{kind:?}: {errors:?}");
        assert!(observed > order, "{kind:?}: order {observed}");
    }
}

/// One backward Euler step of 10⁶ s gives the equilibrium as well: inertia is negligible.
#[test]
fn one_long_step_of_backward_euler_is_the_static_solution() {
    let (_, mut model) = cylinder(CellKind::Hex20, 2);
    let want = linear_equilibrium(&mut model);
    let want = model.restrict(&want);
    let n = model.dofs();
    let start = State {
        t: 0.0,
        u: vec![0.0; n],
        v: vec![0.0; n],
    };
    let options = Options {
        tolerance: 1e-12,
        ..Options::default()
    };
    let method = find("backward-euler").unwrap();
    let stepper = method
        .stepper(&Parameters::default(), Newton::Minimise)
        .unwrap();
    let mut time = TimeLoop::fixed(stepper, options, start, 1e6);
    time.step(&mut model, 1e6).unwrap();
    let apart = common::differences::distance(&time.state().u, &want);
    assert!(apart < 1e-7 * common::norm(&want), "{apart:.1e}");
}

/// Cook's membrane, plane stress, under a uniform shear traction [Cook 1974]: a plate of thickness 1 with free sides.
#[test]
fn cooks_membrane_under_shear_traction_reaches_the_published_deflection() {
    let Some(file) = testdata::shared("data/reference_values/fem_published/benchmarks.json") else {
        return;
    };
    let all: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let cook = all["benchmarks"].as_array().unwrap().iter();
    let mut cook = cook.filter(|b| b["id"] == "Cook_membrane_linear");
    let published = cook.next().unwrap()["value"].as_f64().unwrap();
    let deflection = |kind: CellKind, n: usize| {
        let body = curved(kind, [n, n, 1], |[s, t, z]| {
            [48.0 * s, 44.0 * s + t * (44.0 - 28.0 * s), 0.5 * z]
        });
        let mut parts = body.parts(law(1.0, 1.0 / 3.0), 1.0, MassKind::Lumped);
        // The lower half of the thickness; its middle plane is z = 0.
        parts.prescribed = vec![
            slide(body.nodes_where(|x| near(x[2], 0.0)), 2),
            slide(body.nodes_where(|x| near(x[0], 0.0)), 0),
            slide(body.nodes_where(|x| near(x[0], 0.0)), 1),
        ];
        let faces = body.faces_where(|x| near(x[0], 48.0));
        let shear = [0.0, 1.0 / 16.0, 0.0];
        let load = DeadTraction::new(&faces, &body.rest, shear, TimeCourse::default());
        parts.loads.push(Box::new(load));
        let mut model = Model::new(parts).unwrap();
        let u = linear_equilibrium(&mut model);
        let tip = body.nodes_where(|x| near(x[0], 48.0) && near(x[1], 52.0) && near(x[2], 0.0));
        u[tip[0] as usize][1]
    };
    let coarse = deflection(CellKind::Hex20, 4);
    let fine = deflection(CellKind::Hex20, 16);
    println!("Cook's membrane: {coarse:.3}, {fine:.3}, published {published}");
    assert!((coarse / published - 1.0).abs() < 2e-2, "{coarse}");
    // The literature has 23.91 to 23.97; a plate of finite thickness is a little stiffer at its clamped edge.
    assert!((fine / published - 1.0).abs() < 3e-3, "{fine}");
}
