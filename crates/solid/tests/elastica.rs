//! Large bending: a slender beam under a dead end load, compared with the inextensible elastica.

mod common;

use common::{Body, clamp, equilibrium, rate};
use march::System;
use mesh::CellKind;
use solid::load::Push;
use solid::mass::MassKind;
use solid::material::Law;
use solid::model::Model;

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
    let body = Body::block(CellKind::Hex20, [cells, 1, 1], [1.0, thickness, thickness]);
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
        let mut parts = body.parts(Law::new("stvk", young, 0.0).unwrap(), 1.0, MassKind::Lumped);
        parts
            .prescribed
            .push(clamp(body.nodes_where(|x| x[0] == 0.0)));
        // A uniform traction on an eight-node face: −1/12 at corners, 1/3 at edge midpoints.
        for (nodes, share) in [(&corners, -1.0 / 3.0), (&middles, 4.0 / 3.0)] {
            parts.loads.push(Box::new(Push {
                nodes: nodes.clone(),
                force: [0.0, 0.0, share * load],
                from: -1.0,
                to: 1.0,
            }));
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
fn a_slender_beam_bends_like_the_elastica() {
    let alphas = [1.0, 2.0, 4.0];
    let file = testdata::reference("analytic/elastica_cantilever_end_load.json");
    for row in file["rows"].as_array().unwrap() {
        let number = |k: usize| row[k].as_str().unwrap().parse::<f64>().unwrap();
        let own = elastica(number(0));
        assert!((own[0] - number(1)).abs() < 1e-10 && (own[1] - number(2)).abs() < 1e-10);
    }
    let [rough, coarse, fine] = [5, 10, 20].map(|n| bent(n, 0.05, &alphas));
    let slender = bent(40, 0.025, &alphas);
    for (k, alpha) in alphas.into_iter().enumerate() {
        let exact = elastica(alpha);
        for (j, what) in ["deflection", "shortening"].into_iter().enumerate() {
            let order = rate(rough[k][j] - coarse[k][j], coarse[k][j] - fine[k][j], 2.0);
            // Shear and stretch, which the elastica does not have, decrease with the thickness squared.
            let [thick, thin] = [&fine, &slender].map(|x| x[k][j] - exact[j]);
            let limit = (4.0 * slender[k][j] - fine[k][j]) / 3.0;
            let ratio = thick / thin;
            assert!(
                (3.3..4.5).contains(&order),
                "{what} at {alpha}: the mesh converges with order {order:.2}"
            );
            assert!(
                (ratio - 4.0).abs() < 0.1,
                "{what} at {alpha}: half the thickness reduces the error by a factor {ratio:.2}"
            );
            assert!(
                (limit - exact[j]).abs() < 1e-5,
                "{what} at {alpha}: {limit} in the limit, exact {}",
                exact[j]
            );
        }
    }
}
