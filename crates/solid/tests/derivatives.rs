//! Forces are derivatives of energies, and matrices are derivatives of forces: every law on every element, with moving
//! boundaries, tethers, springs and damping, by finite differences of fourth order.

mod common;
mod material_support;

use common::differences::{Case, NOW, along, definite, distance, slope};
use common::{Body, KINDS, STIFFNESS, force, norm, tangent};
use march::{At, Curvature, System, Weights};
use material_support::Dice;
use mesh::CellKind;
use solid::load::{Push, Wind, WindLoad};
use solid::mass::MassKind;
use solid::material::{LAWS, Law, LawInfo};
use solid::model::{Model, PrescribedNodes};
use solid::motion::{Keyframe, Motion};
use solid::potential::{Spring, SpringEnd, SpringLaw, Springs, Tethers};

/// Two slightly distorted cells, or the tetrahedra of one cube.
fn body(kind: CellKind, dice: &mut Dice) -> Body {
    let cells = if matches!(kind, CellKind::Tet4 | CellKind::Tet10) {
        [1, 1, 1]
    } else {
        [2, 1, 1]
    };
    Body::shaped(kind, cells, |x| {
        [0, 1, 2].map(|k| x[k] * cells[k] as f64 + dice.between(-0.05, 0.05))
    })
}

fn turning() -> Motion {
    let keys = vec![
        Keyframe {
            t: 0.0,
            translate: [0.0; 3],
            rotate: [0.0; 3],
        },
        Keyframe {
            t: 1.0,
            translate: [0.05, -0.1, 0.02],
            rotate: [0.2, -0.1, 0.3],
        },
    ];
    Motion::Keyframes {
        keys,
        pivot: [0.1, 0.2, -0.3],
        ease: Default::default(),
    }
}

fn shaken() -> Motion {
    Motion::Shake {
        axis: [0.6, 0.0, 0.8],
        amplitude: 0.05,
        frequency: 0.7,
    }
}

/// Springs of all laws, with and without dampers, between nodes and to a point.
fn springs(last: u32) -> Springs {
    let spring = |law, b, stiffness, rest, damping| Spring {
        a: last,
        b,
        law,
        stiffness,
        rest,
        damping,
    };
    let list = vec![
        spring(SpringLaw::Hooke, SpringEnd::Node(0), 900.0, 0.7, 30.0),
        spring(SpringLaw::Squared, SpringEnd::Node(1), 700.0, 1.9, 0.0),
        spring(SpringLaw::Cubic, SpringEnd::Node(2), 500.0, 0.4, 20.0),
        spring(
            SpringLaw::Cubic,
            SpringEnd::Point([0.3, 2.0, -0.7]),
            400.0,
            0.0,
            10.0,
        ),
        spring(
            SpringLaw::Hooke,
            SpringEnd::Point([-0.3, 0.2, 0.7]),
            300.0,
            0.0,
            0.0,
        ),
        spring(
            SpringLaw::Squared,
            SpringEnd::Point([0.8, 0.2, 0.7]),
            200.0,
            0.3,
            15.0,
        ),
    ];
    Springs::new(list, common::frozen(0.03))
}

/// A body with gravity, loads, springs, tethers, damping and moving boundaries.
fn busy(kind: CellKind, law: Law, mass: MassKind, dice: &mut Dice) -> Model {
    let body = body(kind, dice);
    let mut parts = body.damped_parts(law, 1000.0, mass, 0.02);
    let last = body.rest.len() as u32 - 1;
    parts.mass_damping = vec![0.4; body.rest.len()];
    parts.gravity = [0.3, -9.81, 1.2];
    parts.loads = vec![Box::new(Push {
        nodes: vec![last, 3],
        force: [40.0, -70.0, 20.0],
        from: 0.0,
        to: 1.0,
    })];
    parts.potentials.push(Box::new(springs(last)));
    parts
        .potentials
        .push(Box::new(Tethers::new(vec![last, 2], 800.0, shaken())));
    parts
        .potentials
        .push(Box::new(Tethers::new(vec![3], 600.0, turning())));
    parts.prescribed.push(PrescribedNodes {
        nodes: vec![4, 6],
        axes: [true; 3],
        motion: turning(),
    });
    parts.prescribed.push(PrescribedNodes {
        nodes: vec![2, 6],
        axes: [false, true, false],
        motion: shaken(),
    });
    Model::new(parts).unwrap()
}

/// Displacements of all nodes: slightly perturbed, stretched by a half, and inverted.
fn states(rest: &[[f64; 3]], dice: &mut Dice) -> [(&'static str, Vec<[f64; 3]>); 3] {
    let mut deform = |f: [[f64; 3]; 3], noise: f64| {
        let one = |x: &[f64; 3]| {
            [0, 1, 2]
                .map(|i| (0..3).map(|j| f[i][j] * x[j]).sum::<f64>() + dice.between(-noise, noise))
        };
        rest.iter().map(one).collect::<Vec<_>>()
    };
    let still = deform([[0.0; 3]; 3], 0.02);
    let stretched = deform([[0.5, 0.1, 0.0], [0.0, -0.3, 0.2], [-0.1, 0.0, 0.2]], 0.01);
    let inverted = deform([[0.1, 0.1, 0.0], [0.0, -1.9, 0.2], [-0.1, 0.0, 0.3]], 0.01);
    [
        ("crooked", still),
        ("stretched", stretched),
        ("inverted", inverted),
    ]
}

fn random(n: usize, size: f64, dice: &mut Dice) -> Vec<f64> {
    (0..n).map(|_| dice.between(-size, size)).collect()
}

fn walk(info: &LawInfo, kind: CellKind, mass: MassKind, indefinite: &mut usize) {
    let mut dice = Dice::new(11 + kind as u64);
    let law = Law::new(info.name, 2e4, 0.3).unwrap();
    let mut model = busy(kind, law, mass, &mut dice);
    let rest = model.rest().to_vec();
    for (name, field) in states(&rest, &mut dice) {
        let (u, n) = (model.restrict(&field), model.dofs());
        let v = random(n, 1.0, &mut dice);
        let what = format!("{} {kind:?} {mass:?} {name}", info.name);
        if name == "inverted" && !info.survives_inversion {
            assert_eq!(model.potential(NOW, &u), Some(f64::INFINITY), "{what}");
            continue;
        }
        // Damping and frozen rotations belong to another state than the one that is checked.
        let before = along(&u, 0.01, &random(n, 1.0, &mut dice));
        model.prepare(At {
            t: NOW - 0.05,
            u: &before,
            v: &v,
        });
        let mut case = Case {
            what: &what,
            model: &mut model,
            u,
            v,
            // At 2e-4 the error of the differences themselves reaches 2e-8 in inverted elements.
            step: 1e-4,
        };
        for _ in 0..2 {
            let d = random(n, 1.0, &mut dice);
            case.potential(&d);
            case.matrices(&d, true);
        }
        case.rate();
        let (u, v) = (case.u.clone(), case.v.clone());
        let at = At {
            t: NOW,
            u: &u,
            v: &v,
        };
        let w = Weights {
            mass: 0.0,
            damping: 0.01,
            stiffness: 1.0,
        };
        let safe = tangent(&mut model, at, w, Curvature::Definite);
        assert!(
            definite(&safe, 1e-11 * safe.norm_inf()),
            "{what}: the projected tangent is indefinite"
        );
        let exact = tangent(&mut model, at, w, Curvature::Exact);
        *indefinite += usize::from(!definite(&exact, 1e-11 * safe.norm_inf()));
    }
}

#[test]
fn every_law_on_every_element() {
    let mut indefinite = 0;
    for info in LAWS {
        for (number, kind) in KINDS.into_iter().enumerate() {
            let mass = [MassKind::Consistent, MassKind::Lumped][number % 2];
            walk(info, kind, mass, &mut indefinite);
        }
    }
    // Otherwise the check of the projection would be empty.
    assert!(
        indefinite >= 10,
        "only {indefinite} exact tangents were indefinite"
    );
}

#[test]
fn at_rest_all_tangents_agree_with_hookes_law() {
    for kind in KINDS {
        let rest = |name: &str, c: Curvature| {
            let body = body(kind, &mut Dice::new(3));
            let mut model =
                Model::new(body.parts(Law::new(name, 2e4, 0.3).unwrap(), 1.0, MassKind::Lumped))
                    .unwrap();
            let zero = vec![0.0; model.dofs()];
            tangent(
                &mut model,
                At {
                    t: 0.0,
                    u: &zero,
                    v: &zero,
                },
                STIFFNESS,
                c,
            )
        };
        let hooke = rest("linear", Curvature::Exact);
        // The frozen rotation of corotated-frozen resists rotations, and arap has λ = 0.
        for info in LAWS
            .iter()
            .filter(|info| !["arap", "corotated-frozen"].contains(&info.name))
        {
            for c in [Curvature::Exact, Curvature::Definite] {
                let error =
                    distance(rest(info.name, c).values(), hooke.values()) / norm(hooke.values());
                assert!(error < 1e-12, "{} {kind:?} {c:?}: {error:.2e}", info.name);
            }
        }
    }
}

#[test]
fn wind_damping_is_the_derivative_of_the_wind_force() {
    for kind in [CellKind::Tet4, CellKind::Hex8] {
        let mut dice = Dice::new(17);
        let body = body(kind, &mut dice);
        let mut parts = body.damped_parts(
            Law::new("stvk", 2e4, 0.3).unwrap(),
            1000.0,
            MassKind::Consistent,
            0.02,
        );
        let n = body.rest.len() as u32;
        let winds = vec![
            Wind {
                velocity: [3.0, -7.0, 5.0],
                drag: 1.2,
                gust_amplitude: 0.5,
                gust_frequency: 0.7,
            },
            Wind {
                velocity: [0.0, 4.0, -2.0],
                drag: 0.8,
                gust_amplitude: 0.0,
                gust_frequency: 0.0,
            },
        ];
        let triangles = vec![[n - 1, n - 2, n - 3], [n - 3, n - 2, n - 4]];
        parts.loads = vec![Box::new(WindLoad::new(winds, triangles))];
        parts.prescribed.push(PrescribedNodes {
            nodes: vec![0],
            axes: [true; 3],
            motion: turning(),
        });
        let mut model = Model::new(parts).unwrap();
        let (u, v) = (
            random(model.dofs(), 0.05, &mut dice),
            random(model.dofs(), 0.5, &mut dice),
        );
        model.prepare(At {
            t: NOW,
            u: &u,
            v: &v,
        });
        let d = random(model.dofs(), 1.0, &mut dice);
        let mut case = Case {
            what: "wind",
            model: &mut model,
            u,
            v,
            step: 2e-4,
        };
        case.matrices(&d, false);
        case.rate();
        assert!(case.model.has_lagged_potential());
        // The potential takes the wind as a dead load of the last evaluation: its slope is the force at that evaluation.
        let (u, v) = (case.u.clone(), case.v.clone());
        let f = force(
            case.model,
            At {
                t: NOW,
                u: &u,
                v: &v,
            },
        );
        let work: f64 = f.iter().zip(&d).map(|(f, d)| f * d).sum();
        let energy = slope(2e-4, |s| {
            vec![case.model.potential(NOW, &along(&u, s, &d)).unwrap()]
        });
        let loss = slope(0.1, |s| {
            vec![case.model.dissipation(NOW, &along(&v, s, &d)).unwrap()]
        });
        case.check("force", &[-work], &[energy[0] + loss[0]], norm(&f));
    }
}
