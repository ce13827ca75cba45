//! A user-defined load: every method of the `Load` trait reaches the model's force, matrices, rates and kinks.

mod common;
mod material_support;

use common::Body;
use common::differences::{Case, NOW};
use march::{At, Curvature, StateMeasures, System};
use material_support::Dice;
use mesh::CellKind;
use solid::blocks::{Block, BlockPattern, Slot, add_block};
use solid::load::{ForceSum, Load, LoadState};
use solid::mass::MassKind;
use solid::material::Law;
use solid::model::Model;

/// A load that pulls two nodes together with stiffness k (1 + t) and damping c. Its force depends on time, positions and
/// velocities.
struct Pull {
    nodes: [u32; 2],
    stiffness: f64,
    damping: f64,
    slots: Vec<Slot>,
}

impl Pull {
    fn add(&self, factor: f64, field: &[[f64; 3]], mut add: impl FnMut(u32, [f64; 3])) {
        let [a, b] = self.nodes.map(|i| field[i as usize]);
        let force = [0, 1, 2].map(|k| factor * (b[k] - a[k]));
        add(self.nodes[0], force);
        add(self.nodes[1], force.map(|f| -f));
    }

    fn add_blocks(&self, factor: f64, blocks: &mut [Block]) {
        let unit = |f: f64| [f, 0.0, 0.0, 0.0, f, 0.0, 0.0, 0.0, f];
        for (slot, sign) in self.slots.iter().zip([1.0, 1.0, -1.0]) {
            add_block(&mut blocks[slot.index()], *slot, &unit(sign * factor));
        }
    }
}

impl Load for Pull {
    fn depends_on_state(&self) -> bool {
        true
    }

    fn add_force(&self, at: &LoadState, sum: &mut ForceSum) {
        self.add(self.stiffness * (1.0 + at.t), at.x, |i, f| sum.add(i, f));
        self.add(self.damping, at.v, |i, f| sum.add(i, f));
    }

    fn add_force_rate(&self, at: &LoadState, rate: &mut [[f64; 3]]) {
        self.add(self.stiffness, at.x, |i, f| {
            (0..3).for_each(|k| rate[i as usize][k] += f[k]);
        });
    }

    fn append_pairs(&self, pairs: &mut Vec<(u32, u32)>) {
        pairs.push((self.nodes[0], self.nodes[1]));
    }

    fn bind(&mut self, pattern: &BlockPattern) {
        let [a, b] = self.nodes;
        self.slots = [(a, a), (b, b), (a, b)]
            .map(|(i, j)| pattern.slot(i, j))
            .to_vec();
    }

    fn add_stiffness(&self, at: &LoadState, _c: Curvature, k: &mut [Block]) {
        self.add_blocks(self.stiffness * (1.0 + at.t), k);
    }

    fn has_damping(&self) -> bool {
        true
    }

    fn add_damping(&self, _at: &LoadState, d: &mut [Block]) {
        self.add_blocks(self.damping, d);
    }

    fn next_kink(&self, t: f64) -> f64 {
        if t < 7.0 { 7.0 } else { f64::INFINITY }
    }
}

fn random(n: usize, size: f64, dice: &mut Dice) -> Vec<f64> {
    (0..n).map(|_| dice.between(-size, size)).collect()
}

#[test]
fn a_user_defined_load_reaches_force_matrices_rates_and_kinks() {
    let mut dice = Dice::new(5);
    let body = Body::shaped(CellKind::Tet4, [1, 1, 1], |x| {
        x.map(|x| x + dice.between(-0.05, 0.05))
    });
    let law = Law::new("stvk", 2e4, 0.3).unwrap();
    let mut parts = body.damped_parts(law, 1000.0, MassKind::Lumped, 0.02);
    let last = body.rest.len() as u32 - 1;
    parts.loads.push(Box::new(Pull {
        nodes: [0, last],
        stiffness: 3e4,
        damping: 20.0,
        slots: Vec::new(),
    }));
    let mut model = Model::new(parts).unwrap();
    let n = model.dofs();
    let (u, v) = (random(n, 0.05, &mut dice), random(n, 0.5, &mut dice));
    let at = At {
        t: NOW,
        u: &u,
        v: &v,
    };
    model.prepare(at);
    assert!(
        model.has_lagged_potential(),
        "its potential is that of a dead load"
    );
    assert_eq!(model.next_kink(NOW), 7.0);
    let zero = vec![0.0; n];
    let work = model.powers(at, &zero).work;
    let [a, b] = [0, last as usize].map(|i| {
        let of = |x: &[f64]| [0, 1, 2].map(|k| x[3 * i + k]);
        let (u, v) = (of(&u), of(&v));
        ([0, 1, 2].map(|k| body.rest[i][k] + u[k]), v)
    });
    let expected: f64 = (0..3)
        .map(|k| {
            let force = 3e4 * (1.0 + NOW) * (b.0[k] - a.0[k]) + 20.0 * (b.1[k] - a.1[k]);
            force * (a.1[k] - b.1[k])
        })
        .sum();
    assert!((work - expected).abs() < 1e-9 * expected.abs(), "{work}");
    let d = random(n, 1.0, &mut dice);
    let mut case = Case {
        what: "a pull",
        model: &mut model,
        u,
        v,
        step: 2e-4,
    };
    case.matrices(&d, true);
    case.rate();
}
