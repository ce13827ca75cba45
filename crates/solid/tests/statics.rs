//! Bodies at rest under loads: patch test, a published element matrix, manufactured solutions, homogeneous states and
//! the elastica.

mod common;
mod material_support;

use common::{Body, KINDS, STIFFNESS, clamp, equilibrium, moved, rate, reference, tangent};
use march::{At, Curvature, System};
use material_support::{Dice, at, diag, energy, stress};
use solid::element::Element;
use solid::load::Push;
use solid::mass::MassKind;
use solid::material::{LAWS, Lame, Law};
use solid::mesh::Kind;
use solid::model::{Fix, Model};
use solid::motion::Motion;
use solid::potential::inverse_jacobian;

const MASS: MassKind = MassKind::Lumped;

/// A linear displacement on the boundary of a patch of crooked elements is linear inside, stretched as it may be.
#[test]
fn patches_of_crooked_elements_deform_evenly() {
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
                    .fixes
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
    // The gradient at a corner is the normal of the opposite face over six volumes, towards the corner.
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
        kind: Kind::Tet4,
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
    let printed = reference("peer_tests/element_stiffness_matrices.json");
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
        if let Some(file) = &printed {
            let want = file["tet4"]["K"][i][j].as_f64().unwrap();
            assert!(
                (got - want).abs() < 1e-11,
                "({i}, {j}) is {got}, printed {want}"
            );
        }
    }
}

/// u = c sin πx sin πy sin πz, zero on the faces of the unit cube, its gradient, and the body force it asks for.
struct Manufactured {
    c: [f64; 3],
    lame: Lame,
}

impl Manufactured {
    /// φ, ∂φ and ∂∂φ.
    fn bump(x: [f64; 3]) -> (f64, [f64; 3], [[f64; 3]; 3]) {
        use std::f64::consts::PI;
        let (s, c) = (x.map(|x| (PI * x).sin()), x.map(|x| (PI * x).cos()));
        // A product of sines, those of the axes in `at` once differentiated.
        let product = |at: &[usize]| {
            (0..3)
                .map(|k| match at.iter().filter(|a| **a == k).count() {
                    0 => s[k],
                    1 => PI * c[k],
                    _ => -PI * PI * s[k],
                })
                .product::<f64>()
        };
        (
            product(&[]),
            [0, 1, 2].map(|i| product(&[i])),
            [0, 1, 2].map(|i| [0, 1, 2].map(|j| product(&[i, j]))),
        )
    }

    /// −div σ.
    fn load(&self, x: [f64; 3]) -> [f64; 3] {
        let Lame { mu, lambda } = self.lame;
        let (_, _, second) = Manufactured::bump(x);
        let laplacian: f64 = (0..3).map(|k| second[k][k]).sum();
        [0, 1, 2].map(|i| {
            let divergence: f64 = (0..3).map(|j| self.c[j] * second[i][j]).sum();
            -(lambda + mu) * divergence - mu * self.c[i] * laplacian
        })
    }

    /// Errors in L² and in the seminorm of H¹ on n³ cells, smoothly distorted.
    fn errors(&self, kind: Kind, n: usize) -> [f64; 2] {
        let body = Body::shaped(kind, [n; 3], |x| {
            let (bump, _, _) = Manufactured::bump(x);
            [x[0] + 0.06 * bump, x[1] - 0.05 * bump, x[2] + 0.04 * bump]
        });
        let element = Element::of(kind).unwrap();
        let mut parts = body.parts(
            Law::Linear(solid::material::Linear::new(self.lame)),
            1.0,
            MASS,
        );
        let mut loads = vec![[0.0; 3]; body.rest.len()];
        let at = |own: &[u32], n: &[f64]| {
            [0, 1, 2].map(|k| {
                own.iter()
                    .zip(n)
                    .map(|(i, n)| n * body.rest[*i as usize][k])
                    .sum::<f64>()
            })
        };
        for own in body.nodes.chunks_exact(kind.node_count()) {
            for p in &element.mass_points {
                let weight = p.weight * inverse_jacobian(own, &body.rest, &p.dn).1;
                let b = self.load(at(own, &p.n));
                for (&i, n) in own.iter().zip(&p.n) {
                    (0..3).for_each(|k| loads[i as usize][k] += weight * n * b[k]);
                }
            }
        }
        let push = |(i, force): (usize, [f64; 3])| Push {
            nodes: vec![i as u32],
            force,
            from: -1.0,
            to: 1.0,
        };
        parts.pushes = loads.into_iter().enumerate().map(push).collect();
        parts.fixes.push(clamp(
            body.nodes_where(|x| x.iter().any(|x| *x < 1e-9 || *x > 1.0 - 1e-9)),
        ));
        let mut model = Model::new(parts).unwrap();
        let zero = vec![0.0; model.dofs()];
        let u = equilibrium(&mut model, &zero);
        let u = model.expand(0.0, &u, &zero).0;
        let (mut value, mut slope) = (0.0, 0.0);
        for own in body.nodes.chunks_exact(kind.node_count()) {
            for p in &element.mass_points {
                let (inverse, jacobian) = inverse_jacobian(own, &body.rest, &p.dn);
                let (phi, gradient, _) = Manufactured::bump(at(own, &p.n));
                for i in 0..3 {
                    let nodal = |a: usize| u[own[a] as usize][i];
                    let got: f64 = (0..own.len()).map(|a| p.n[a] * nodal(a)).sum();
                    value += p.weight * jacobian * (got - self.c[i] * phi).powi(2);
                    for j in 0..3 {
                        let shape =
                            |a: usize| (0..3).map(|k| p.dn[a][k] * inverse[k][j]).sum::<f64>();
                        let got: f64 = (0..own.len()).map(|a| shape(a) * nodal(a)).sum();
                        slope += p.weight * jacobian * (got - self.c[i] * gradient[j]).powi(2);
                    }
                }
            }
        }
        [value.sqrt(), slope.sqrt()]
    }
}

/// Order p + 1 in L² and p in H¹ for elements of degree p.
#[test]
fn manufactured_solutions_converge_at_the_elements_rates() {
    let problem = Manufactured {
        c: [0.1, -0.06, 0.03],
        lame: Lame::from_young_poisson(1e3, 0.3).unwrap(),
    };
    for (kind, degree, n) in [
        (Kind::Tet4, 1.0, 8),
        (Kind::Hex8, 1.0, 6),
        (Kind::Tet10, 2.0, 4),
        (Kind::Hex20, 2.0, 4),
        (Kind::Hex27, 2.0, 3),
    ] {
        let [coarse, fine] = [n, 2 * n].map(|n| problem.errors(kind, n));
        let rates = [0, 1].map(|k| rate(coarse[k], fine[k], 2.0));
        assert!(
            (rates[0] - degree - 1.0).abs() < 0.15,
            "{kind:?}: rate {:.3} in L²",
            rates[0]
        );
        assert!(
            (rates[1] - degree).abs() < 0.15,
            "{kind:?}: rate {:.3} in H¹",
            rates[1]
        );
    }
}

/// A cube pulled along x and free to narrow: energy, lateral stretch and pull.
fn pulled(kind: Kind, law: Law, s: f64) -> (f64, f64) {
    let body = Body::block(kind, [1; 3], [1.0; 3]);
    let mut parts = body.parts(law, 1.0, MASS);
    let slide = |k: usize| Fix {
        nodes: body.nodes_where(|x| x[k] == 0.0),
        axes: [0, 1, 2].map(|i| i == k),
        motion: Motion::Still,
    };
    parts.fixes = (0..3).map(slide).collect();
    parts.fixes.push(moved(
        body.nodes_where(|x| x[0] == 1.0),
        [true, false, false],
        [s - 1.0, 0.0, 0.0],
    ));
    let mut model = Model::new(parts).unwrap();
    let zero = vec![0.0; model.dofs()];
    let u = equilibrium(&mut model, &zero);
    let stored = model.energies(0.0, &u, &zero).elastic;
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
            (Kind::Tet4, 1.3),
            (Kind::Hex8, 0.85),
            (Kind::Hex8, 1.4),
            (Kind::Tet10, 1.1),
            (Kind::Hex20, 1.2),
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
            // Castigliano: the pull is the slope of the stored energy.
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

/// Tip deflection and shortening of the inextensible elastica θ″ = −α cos θ, θ(0) = 0, θ′(1) = 0, by shooting.
fn elastica(alpha: f64) -> [f64; 2] {
    let steps = 1000;
    let shoot = |bend: f64| {
        let slope = |y: [f64; 4]| [y[1], -alpha * y[0].cos(), y[0].sin(), y[0].cos()];
        let (h, mut y) = (1.0 / f64::from(steps), [0.0, bend, 0.0, 0.0]);
        for _ in 0..steps {
            let ahead = |k: [f64; 4], s: f64| [0, 1, 2, 3].map(|i| y[i] + s * h * k[i]);
            let a = slope(y);
            let b = slope(ahead(a, 0.5));
            let c = slope(ahead(b, 0.5));
            let d = slope(ahead(c, 1.0));
            y = [0, 1, 2, 3].map(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
        }
        y
    };
    let (mut low, mut high) = (0.0, alpha);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        *(if shoot(middle)[1] > 0.0 {
            &mut high
        } else {
            &mut low
        }) = middle;
    }
    let [_, _, w, x] = shoot(low);
    [w, 1.0 - x]
}

/// Tip deflection and shortening of a beam of unit length with a dead load of α EI at its end.
fn bent(cells: usize, thickness: f64, alphas: &[f64]) -> Vec<[f64; 2]> {
    let young = 1e7;
    let body = Body::block(Kind::Hex20, [cells, 1, 1], [1.0, thickness, thickness]);
    let tip = body.nodes_where(|x| x[0] == 1.0);
    let corner = |i: &u32| {
        body.rest[*i as usize][1..]
            .iter()
            .all(|x| *x == 0.0 || *x == thickness)
    };
    let (corners, middles): (Vec<u32>, Vec<u32>) = tip.iter().partition(|i| corner(i));
    let mut start = Vec::new();
    let mut out = Vec::new();
    for alpha in alphas {
        let load = alpha * young * thickness.powi(4) / 12.0;
        let mut parts = body.parts(Law::new("stvk", young, 0.0).unwrap(), 1.0, MASS);
        parts.fixes.push(clamp(body.nodes_where(|x| x[0] == 0.0)));
        // An even traction on an eight-node face: −1/12 at corners, 1/3 between them.
        for (nodes, share) in [(&corners, -1.0 / 3.0), (&middles, 4.0 / 3.0)] {
            parts.pushes.push(Push {
                nodes: nodes.clone(),
                force: [0.0, 0.0, share * load],
                from: -1.0,
                to: 1.0,
            });
        }
        let mut model = Model::new(parts).unwrap();
        start.resize(model.dofs(), 0.0);
        start = equilibrium(&mut model, &start);
        let zero = vec![0.0; start.len()];
        let u = model.expand(0.0, &start, &zero).0;
        let mean = |k: usize| tip.iter().map(|i| u[*i as usize][k]).sum::<f64>() / tip.len() as f64;
        out.push([mean(2), -mean(0)]);
    }
    out
}

#[test]
fn a_slender_beam_bends_as_the_elastica() {
    let alphas = [1.0, 2.0, 4.0];
    if let Some(file) = reference("analytic/elastica_cantilever_end_load.json") {
        for row in file["rows"].as_array().unwrap() {
            let number = |k: usize| row[k].as_str().unwrap().parse::<f64>().unwrap();
            let own = elastica(number(0));
            assert!((own[0] - number(1)).abs() < 1e-10 && (own[1] - number(2)).abs() < 1e-10);
        }
    }
    let [rough, coarse, fine] = [5, 10, 20].map(|n| bent(n, 0.05, &alphas));
    let slender = bent(40, 0.025, &alphas);
    for (k, alpha) in alphas.into_iter().enumerate() {
        let exact = elastica(alpha);
        for (j, what) in ["deflection", "shortening"].into_iter().enumerate() {
            let order = rate(rough[k][j] - coarse[k][j], coarse[k][j] - fine[k][j], 2.0);
            // What a solid beam has and the elastica has not, shear and stretch, goes with the thickness squared.
            let [thick, thin] = [&fine, &slender].map(|x| x[k][j] - exact[j]);
            let limit = (4.0 * slender[k][j] - fine[k][j]) / 3.0;
            let ratio = thick / thin;
            assert!(
                (3.3..4.5).contains(&order),
                "{what} at {alpha}: the mesh converges with order {order:.2}"
            );
            assert!(
                (ratio - 4.0).abs() < 0.1,
                "{what} at {alpha}: half the thickness takes off a factor {ratio:.2}"
            );
            assert!(
                (limit - exact[j]).abs() < 1e-5,
                "{what} at {alpha}: {limit} in the limit, exact {}",
                exact[j]
            );
        }
    }
}
