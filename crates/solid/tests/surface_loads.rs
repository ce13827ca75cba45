//! Surface loads: patch tests, resultants over closed and open surfaces, derivatives by differences.

mod common;
mod material_support;

use common::differences::{Case, NOW, along, definite, distance, slope};
use common::{Body, KINDS, STIFFNESS, equilibrium, force, norm, tangent};
use march::{At, Curvature, System, Weights};
use material_support::{Dice, at, diag, stress};
use mesh::vector::{add, cross, scale, sub};
use mesh::{CellKind, face_nodes, surface};
use solid::load::{DeadTraction, FollowerPressure, ForceSum, Load, LoadState, TimeCourse};
use solid::mass::MassKind;
use solid::material::{LAWS, Law};
use solid::model::{Model, PrescribedNodes};
use solid::motion::Motion;
use sparse::Matrix;

/// Nodal forces of a load at these positions.
fn nodal_forces(load: &dyn Load, t: f64, x: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let mut f = vec![[0.0; 3]; x.len()];
    let v = vec![[0.0; 3]; x.len()];
    load.add_force(&LoadState { t, x, v: &v }, &mut ForceSum::onto(&mut f));
    f
}

/// Sum of forces and of their moments about the origin.
fn resultant(f: &[[f64; 3]], x: &[[f64; 3]]) -> ([f64; 3], [f64; 3]) {
    let moments = f.iter().zip(x).map(|(f, x)| cross(*x, *f));
    (
        f.iter().fold([0.0; 3], |s, f| add(s, *f)),
        moments.fold([0.0; 3], add),
    )
}

/// A body whose nodes were moved far, so that edges and faces are curved and some cells inverted.
fn crumpled(kind: CellKind, dice: &mut Dice) -> (Body, Vec<[f64; 3]>) {
    let body = Body::block(kind, [2, 1, 2], [1.3, 0.8, 1.1]);
    let moved = body.rest.iter();
    let x = moved.map(|x| x.map(|x| 1.5 * x + dice.between(-0.3, 0.3)));
    let x = x.collect();
    (body, x)
}

/// Uniform traction on one side of a block of distorted elements gives a uniform uniaxial stress.
#[test]
fn a_uniform_traction_stretches_distorted_elements_uniformly() {
    let (young, poisson, traction) = (1e4, 0.3, 150.0);
    for kind in KINDS {
        let mut dice = Dice::new(3);
        let body = Body::shaped(kind, [2; 3], |x| {
            let inside = x.iter().all(|x| *x > 0.0 && *x < 1.0);
            x.map(|x| {
                x + if inside {
                    dice.between(-0.15, 0.15)
                } else {
                    0.0
                }
            })
        });
        let law = Law::new("linear", young, poisson).unwrap();
        let mut parts = body.parts(law, 1.0, MassKind::Lumped);
        parts.prescribed = slides(&body);
        let faces = body.faces_where(|x| x[0] > 1.0 - 1e-9);
        assert_eq!(
            faces.len(),
            if kind.corner_count() == 4 { 8 } else { 4 },
            "{kind:?}"
        );
        let load = DeadTraction::new(
            &faces,
            &body.rest,
            [traction, 0.0, 0.0],
            TimeCourse::default(),
        );
        parts.loads.push(Box::new(load));
        let mut model = Model::new(parts).unwrap();
        let zero = vec![0.0; model.dofs()];
        let u = equilibrium(&mut model, &zero);
        let strain = traction / young;
        let stretch = [strain, -poisson * strain, -poisson * strain];
        let exact: Vec<[f64; 3]> = body
            .rest
            .iter()
            .map(|x| [0, 1, 2].map(|k| stretch[k] * x[k]))
            .collect();
        let error = distance(&u, &model.restrict(&exact)) / norm(&u);
        assert!(error < 1e-12, "{kind:?}: off by {error:.2e}");
    }
}

/// Sliding supports on the three coordinate planes.
fn slides(body: &Body) -> Vec<PrescribedNodes> {
    let slide = |k: usize| PrescribedNodes {
        nodes: body.nodes_where(|x| x[k].abs() < 1e-9),
        axes: [0, 1, 2].map(|i| i == k),
        motion: Motion::Still,
    };
    (0..3).map(slide).collect()
}

/// The Cauchy stress of a body scaled by 0.8 and rotated is a pressure, and that pressure holds every node.
#[test]
fn a_pressure_all_round_balances_a_uniformly_compressed_body() {
    let s = 0.8;
    for kind in KINDS {
        for info in LAWS.iter().filter(|l| l.name != "linear") {
            let mut dice = Dice::new(11);
            let body = Body::shaped(kind, [2, 1, 1], |x| x.map(|x| x + dice.between(-0.1, 0.1)));
            let law = Law::new(info.name, 1e4, 0.3).unwrap();
            // P = −p J F⁻ᵀ with F = s 1.
            let pressure = -stress(&law, at(&diag([s; 3])))[0][0] / (s * s);
            let mut parts = body.parts(law, 1.0, MassKind::Lumped);
            let faces = body.faces_where(|_| true);
            let load = FollowerPressure::new(faces, pressure, TimeCourse::default());
            parts.loads.push(Box::new(load));
            let mut model = Model::new(parts).unwrap();
            let u: Vec<f64> = body.rest.iter().flatten().map(|x| (s - 1.0) * x).collect();
            let v = vec![0.0; u.len()];
            let f = force(
                &mut model,
                At {
                    t: 0.0,
                    u: &u,
                    v: &v,
                },
            );
            let left = norm(&f) / model.force_scale();
            assert!(left < 1e-13, "{kind:?} {}: {left:.2e}", info.name);
        }
    }
}

#[test]
fn a_pressure_on_a_closed_surface_has_neither_resultant_nor_moment() {
    for kind in KINDS {
        let (body, x) = crumpled(kind, &mut Dice::new(5));
        let load = FollowerPressure::new(body.faces_where(|_| true), 3.0, TimeCourse::default());
        let f = nodal_forces(&load, 0.0, &x);
        let size: f64 = f.iter().map(|f| mesh::vector::norm(*f)).sum();
        let (sum, moment) = resultant(&f, &x);
        assert!(size > 1.0);
        for residue in [sum, moment] {
            let residue = mesh::vector::norm(residue) / size;
            assert!(residue < 1e-15, "{kind:?}: {residue:.2e}");
        }
    }
}

/// Integral ½ ∮ x × dx over the edges of a face; those of quadratic faces are parabolas, for which Simpson's rule is exact.
fn area_vector_of_boundary(corners: usize, x: &[[f64; 3]]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for i in 0..corners {
        let (a, c) = (x[i], x[(i + 1) % corners]);
        let b = match x.get(corners + i) {
            Some(b) => *b,
            None => scale(0.5, add(a, c)),
        };
        // Derivatives of the parabola through a, b, c at parameters −1, 0, 1.
        let slope = |s: f64| {
            let out = add(scale(s - 0.5, a), scale(s + 0.5, c));
            add(out, scale(-2.0 * s, b))
        };
        for (x, s, w) in [(a, -1.0, 1.0), (b, 0.0, 4.0), (c, 1.0, 1.0)] {
            sum = add(sum, scale(0.5 * w / 3.0, cross(x, slope(s))));
        }
    }
    sum
}

#[test]
fn a_pressure_on_an_open_surface_has_the_resultant_of_its_boundary_curve() {
    for kind in KINDS {
        let (body, x) = crumpled(kind, &mut Dice::new(6));
        let on_side = |x: [f64; 3]| x[0] > 1.3 - 1e-9;
        let faces = body.faces_where(on_side);
        let p = 2.5;
        let load = FollowerPressure::new(faces.clone(), p, TimeCourse::default());
        let (sum, _) = resultant(&nodal_forces(&load, 0.0, &x), &x);
        let mesh = body.mesh();
        let mut area = [0.0; 3];
        for face in surface(&mesh).faces {
            let nodes = face_nodes(&mesh, &face);
            if nodes.iter().all(|&i| on_side(body.rest[i as usize])) {
                let x: Vec<[f64; 3]> = nodes.iter().map(|&i| x[i as usize]).collect();
                area = add(area, area_vector_of_boundary(face.nodes().len(), &x));
            }
        }
        let size = mesh::vector::norm(area);
        for (name, found) in [
            ("force", scale(-1.0 / p, sum)),
            ("area", faces.area_vector(&x)),
        ] {
            let error = mesh::vector::norm(sub(found, area)) / size;
            assert!(size > 0.5 && error < 1e-14, "{kind:?} {name}: {error:.2e}");
        }
        // At rest the normal is +x and the area that of the side.
        let rest = faces.area_vector(&body.rest);
        assert!((rest[0] - 0.88).abs() < 1e-14, "{kind:?}: {rest:?}");
        assert!((faces.area(&body.rest) - 0.88).abs() < 1e-14, "{kind:?}");
    }
}

/// Shares of the force on a face at its corners and mid-edge nodes, as textbooks have them.
#[test]
fn quadratic_faces_have_the_textbook_nodal_forces() {
    let one = TimeCourse::default();
    let body = Body::block(CellKind::Hex20, [1; 3], [2.0, 1.0, 3.0]);
    let side = body.faces_where(|x| x[1] == 1.0);
    let dead = DeadTraction::new(&side, &body.rest, [0.0, -5.0, 0.0], one);
    let pressure = FollowerPressure::new(side, 5.0, one);
    for load in [&dead as &dyn Load, &pressure] {
        let f = nodal_forces(load, 1.0, &body.rest);
        for (i, (x, f)) in body.rest.iter().zip(&f).enumerate() {
            let share = match (x[1] == 1.0, i < 8) {
                (false, _) => 0.0,
                (true, true) => -1.0 / 12.0,
                (true, false) => 1.0 / 3.0,
            };
            assert!((f[1] + 30.0 * share).abs() < 1e-13, "{x:?}: {f:?}");
        }
    }
    let body = Body::block(CellKind::Tet10, [1; 3], [1.0; 3]);
    let side = body.faces_where(|x| x[2] == 0.0);
    assert_eq!(side.len(), 2);
    let f = nodal_forces(&FollowerPressure::new(side, 6.0, one), 0.0, &body.rest);
    for (x, f) in body.rest.iter().zip(&f).filter(|(x, _)| x[2] == 0.0) {
        let middles = x.iter().filter(|x| **x == 0.5).count();
        // The diagonal belongs to both triangles.
        let share = [0.0, 1.0, 2.0][middles];
        assert!((f[2] - share).abs() < 1e-14, "{x:?}: {f:?}");
    }
}

/// A model of one body with a pressure on one side that rises during a second, and the same model without it.
fn pressed(kind: CellKind) -> [Model; 2] {
    let body = Body::block(kind, [1, 2, 1], [1.0; 3]);
    let build = |pressure: f64| {
        let law = Law::new("stvk", 2e4, 0.3).unwrap();
        let mut parts = body.parts(law, 1000.0, MassKind::Lumped);
        parts
            .prescribed
            .push(common::clamp(body.nodes_where(|x| x == [0.0; 3])));
        let rise = TimeCourse {
            ramp: 1.0,
            ..TimeCourse::default()
        };
        let faces = body.faces_where(|x| x[0] == 1.0);
        let load = FollowerPressure::new(faces, pressure, rise);
        parts.loads.push(Box::new(load));
        Model::new(parts).unwrap()
    };
    [build(7e3), build(0.0)]
}

#[test]
fn derivatives_of_a_pressure_match_differences_on_strongly_deformed_faces() {
    for kind in KINDS {
        let mut dice = Dice::new(9);
        let [mut model, _] = pressed(kind);
        let n = model.dofs();
        for size in [0.05, 0.5, 2.0] {
            let mut random =
                |size: f64| -> Vec<f64> { (0..n).map(|_| dice.between(-size, size)).collect() };
            let (u, v, d) = (random(size), random(1.0), random(1.0));
            let now = At {
                t: NOW,
                u: &u,
                v: &v,
            };
            let want = slope(1e-3 * size, |s| {
                let u = along(&u, -s, &d);
                force(&mut model, At { u: &u, ..now })
            });
            let mut got = vec![0.0; n];
            let whole = tangent(&mut model, now, STIFFNESS, Curvature::Unsymmetric);
            assert!(!whole.is_symmetric());
            whole.times(&d, &mut got);
            let error = distance(&got, &want) / norm(&want);
            assert!(error < 1e-8, "{kind:?} {size}: {error:.2e}");
            // Products with the matrices of the last tangent.
            let (mut product, zero) = (vec![0.0; n], vec![0.0; n]);
            model.tangent_times(&d, &zero, &mut product);
            assert!(distance(&product, &got) < 1e-12 * norm(&got), "{kind:?}");
            // The symmetric part alone.
            let half = tangent(&mut model, now, STIFFNESS, Curvature::Exact);
            assert!(half.is_symmetric());
            for (i, j) in (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                let mean = 0.5 * (whole.entry(i, j) + whole.entry(j, i));
                let off = (half.entry(i, j) - mean).abs();
                assert!(off < 1e-9, "{kind:?} ({i}, {j}): {off:.1e}");
            }
            half.times(&d, &mut got);
            assert!(distance(&got, &want) > 1e-5 * norm(&want), "{kind:?}");
            let mut case = Case {
                what: "a pressure",
                model: &mut model,
                u,
                v,
                step: 1e-4,
            };
            case.rate();
        }
    }
}

/// Part of a matrix that the pressure adds.
fn added(models: &mut [Model; 2], at: At, c: Curvature) -> Matrix {
    let [with, without] = models;
    let mut k = tangent(with, at, STIFFNESS, c);
    k.add_scaled(-1.0, &tangent(without, at, STIFFNESS, c));
    k
}

#[test]
fn the_definite_variant_is_the_positive_part_of_the_matrix_of_each_face() {
    for kind in KINDS {
        let mut dice = Dice::new(21);
        // One face, so that the sum over faces is the projection itself; none of its nodes is held.
        let body = Body::block(kind, [1; 3], [1.0; 3]);
        let one = |x: [f64; 3]| x[0] == 1.0 && (kind.corner_count() == 8 || x[1] <= x[2]);
        let faces = || body.faces_where(one);
        assert_eq!(faces().len(), 1, "{kind:?}");
        let build = |p: f64| {
            let law = Law::new("linear", 1e3, 0.3).unwrap();
            let mut parts = body.parts(law, 1.0, MassKind::Lumped);
            let load = FollowerPressure::new(faces(), p, TimeCourse::default());
            parts.loads.push(Box::new(load));
            Model::new(parts).unwrap()
        };
        let mut models = [build(4e3), build(0.0)];
        let n = models[0].dofs();
        let u: Vec<f64> = (0..n).map(|_| dice.between(-0.4, 0.4)).collect();
        let zero = vec![0.0; n];
        let now = At {
            t: 0.0,
            u: &u,
            v: &zero,
        };
        let exact = added(&mut models, now, Curvature::Exact);
        let projected = added(&mut models, now, Curvature::Definite);
        let size = exact.norm_inf();
        assert!(!definite(&exact, 1e-3 * size), "{kind:?}");
        assert!(definite(&projected, 1e-12 * size), "{kind:?}");
        // P − S is the negative part: positive semi-definite, and its product with P is zero.
        let mut rest = projected.clone();
        rest.add_scaled(-1.0, &exact);
        assert!(definite(&rest, 1e-12 * size), "{kind:?}");
        let d: Vec<f64> = (0..n).map(|_| dice.between(-1.0, 1.0)).collect();
        let (mut a, mut b) = (vec![0.0; n], vec![0.0; n]);
        rest.times(&d, &mut a);
        projected.times(&a, &mut b);
        assert!(norm(&a) > 1e-3 * size, "{kind:?}");
        assert!(norm(&b) < 1e-11 * size * norm(&a), "{kind:?}");
    }
}

/// The antisymmetric part is an integral over the boundary of the surface, so a closed one has none.
#[test]
fn the_tangent_of_a_pressure_on_a_closed_surface_is_symmetric() {
    let w = Weights {
        mass: 1.0,
        damping: 0.0,
        stiffness: 0.3,
    };
    for kind in KINDS {
        let (body, x) = crumpled(kind, &mut Dice::new(8));
        let law = Law::new("linear", 1.0, 0.3).unwrap();
        let mut parts = body.parts(law, 1.0, MassKind::Lumped);
        let load = FollowerPressure::new(body.faces_where(|_| true), 5.0, TimeCourse::default());
        parts.loads.push(Box::new(load));
        let mut model = Model::new(parts).unwrap();
        let moved = x.iter().zip(&body.rest).map(|(x, r)| sub(*x, *r));
        let u = model.restrict(&moved.collect::<Vec<_>>());
        let zero = vec![0.0; u.len()];
        let now = At {
            t: 0.0,
            u: &u,
            v: &zero,
        };
        let k = tangent(&mut model, now, w, Curvature::Unsymmetric);
        let largest = k.antisymmetric().iter().fold(0.0f64, |a, x| a.max(x.abs()));
        assert!(largest < 1e-14, "{kind:?}: {largest:.1e}");
    }
}
