//! Method of manufactured solutions: a given displacement, its body force, and the convergence order of every element.

mod common;

use common::{Body, clamp, equilibrium, rate};
use march::System;
use mesh::CellKind;
use mesh::element::Element;
use solid::load::Push;
use solid::mass::MassKind;
use solid::material::{Lame, Law, Linear};
use solid::model::Model;
use solid::potential::inverse_jacobian;

/// The solution u = c sin πx sin πy sin πz, zero on the faces of the unit cube, its gradient and its body force.
struct Manufactured {
    c: [f64; 3],
    lame: Lame,
}

impl Manufactured {
    /// φ = sin πx sin πy sin πz and its first and second derivatives.
    fn bump(x: [f64; 3]) -> (f64, [f64; 3], [[f64; 3]; 3]) {
        use std::f64::consts::PI;
        let (s, c) = (x.map(|x| (PI * x).sin()), x.map(|x| (PI * x).cos()));
        // The product of sines, differentiated once for each axis in `at`.
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

    /// Errors in L² and in the H¹ seminorm on n³ smoothly distorted cells.
    fn errors(&self, kind: CellKind, n: usize) -> [f64; 2] {
        let body = Body::shaped(kind, [n; 3], |x| {
            let (bump, _, _) = Manufactured::bump(x);
            [x[0] + 0.06 * bump, x[1] - 0.05 * bump, x[2] + 0.04 * bump]
        });
        let element = Element::of(kind).unwrap();
        let mut parts = body.parts(Law::Linear(Linear::new(self.lame)), 1.0, MassKind::Lumped);
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
        for (i, force) in loads.into_iter().enumerate() {
            parts.loads.push(Box::new(Push {
                nodes: vec![i as u32],
                force,
                from: -1.0,
                to: 1.0,
            }));
        }
        parts.prescribed.push(clamp(
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
fn manufactured_solutions_converge_with_the_order_of_the_element() {
    let problem = Manufactured {
        c: [0.1, -0.06, 0.03],
        lame: Lame::from_young_poisson(1e3, 0.3).unwrap(),
    };
    for (kind, degree, n) in [
        (CellKind::Tet4, 1.0, 8),
        (CellKind::Hex8, 1.0, 6),
        (CellKind::Tet10, 2.0, 4),
        (CellKind::Hex20, 2.0, 4),
        (CellKind::Hex27, 2.0, 3),
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
