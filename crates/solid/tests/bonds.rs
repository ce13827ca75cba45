//! Bonds: derivatives by finite differences, breaking at commits only, saved history.

mod common;

use base::random::Random;
use common::differences::Case;
use march::{At, State, System};
use solid::model::{Model, ModelDescription};
use solid::potential::{BondParticles, Bonds, StiffnessDamping};

/// Scattered particles, bonded if they are near, of which every seventh bond is cut.
fn parts(critical: f64) -> (BondParticles, Vec<[f64; 3]>) {
    let mut random = Random::new(11);
    let rest: Vec<[f64; 3]> = (0..24).map(|_| [0, 1, 2].map(|_| random.unit())).collect();
    let mut parts = BondParticles {
        nodes: 0..rest.len() as u32,
        ..BondParticles::default()
    };
    for a in 0..rest.len() {
        for b in a + 1..rest.len() {
            let square: f64 = (0..3).map(|k| (rest[a][k] - rest[b][k]).powi(2)).sum();
            if square < 0.3 {
                parts.cut.push(parts.ends.len() % 7 == 3);
                parts.ends.push([a as u32, b as u32]);
                parts.rest.push(square.sqrt());
                parts.stiffness.push(random.between(50.0, 200.0));
                parts.critical.push(critical);
            }
        }
    }
    (parts, rest)
}

fn model(critical: f64) -> Model {
    let (parts, rest) = parts(critical);
    let mut description = ModelDescription {
        masses: (0..rest.len() as u32).map(|i| (i, i, 0.5)).collect(),
        mass_damping: vec![0.3; rest.len()],
        rest,
        ..ModelDescription::default()
    };
    let bonds = Bonds::new(parts, StiffnessDamping::default());
    description.potentials.push(Box::new(bonds));
    Model::new(description).unwrap()
}

fn bonds(model: &Model) -> &Bonds {
    model.bonds().next().unwrap()
}

fn random_vector(n: usize, size: f64, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    (0..n).map(|_| size * random.signed()).collect()
}

/// Displacements of a uniform expansion.
fn expanded(model: &Model, strain: f64) -> Vec<f64> {
    let rest = model.rest().to_vec();
    model.restrict(
        &rest
            .iter()
            .map(|x| x.map(|x| strain * x))
            .collect::<Vec<_>>(),
    )
}

#[test]
fn forces_and_matrices_are_derivatives_at_random_and_stretched_states() {
    let mut model = model(f64::INFINITY);
    let n = model.dofs();
    let states = [
        random_vector(n, 0.1, 1),
        random_vector(n, 0.5, 2),
        expanded(&model, 0.4),
        expanded(&model, -0.3),
    ];
    for (number, u) in states.into_iter().enumerate() {
        for seed in 3..6 {
            let d = random_vector(n, 1.0, seed);
            let mut case = Case {
                what: &format!("state {number}"),
                model: &mut model,
                u: u.clone(),
                v: vec![0.0; n],
                step: 3e-4,
            };
            case.potential(&d);
            case.matrices(&d, true);
        }
    }
}

/// Evaluations never break a bond. A commit breaks those beyond the critical stretch, releases their energy, and no later
/// state heals them.
#[test]
fn bonds_break_at_commits_only_and_release_their_energy() {
    let mut model = model(0.2);
    let n = model.dofs();
    let cut = bonds(&model).broken();
    assert!(cut > 5);
    let (zero, far) = (vec![0.0; n], expanded(&model, 0.1));
    let mut some = random_vector(n, 0.15, 8);
    for (x, far) in some.iter_mut().zip(&far) {
        *x += far;
    }
    let at = |t: f64, u| At { t, u, v: &zero };
    model.commit(at(0.0, &zero));
    let mut f = vec![0.0; n];
    model.force(at(0.1, &some), &mut f);
    model.prepare(at(0.0, &zero));
    assert_eq!(bonds(&model).broken(), cut);
    let before = model.potential(0.1, &some).unwrap();
    model.commit(at(0.1, &some));
    let broken = bonds(&model).broken();
    assert!(broken > cut + 5 && broken < bonds(&model).len());
    let after = model.potential(0.1, &some).unwrap();
    let released = model.fracture_change_at_commit();
    assert!(released < 0.0 && (after - before - released).abs() < 1e-12 * before);
    // The same state again: nothing changes.
    model.commit(at(0.1, &some));
    assert_eq!(bonds(&model).broken(), broken);
    assert_eq!(model.fracture_change_at_commit(), released);
    model.commit(at(0.2, &zero));
    assert_eq!(bonds(&model).broken(), broken);
    assert_eq!(model.fracture_change_at_commit(), 0.0);
}

#[test]
fn saved_history_is_restored_and_that_of_other_bonds_is_refused() {
    let mut model = model(0.2);
    let n = model.dofs();
    let start = {
        let mut saved = Vec::new();
        model.save(&mut saved);
        saved
    };
    let state = State {
        t: 0.1,
        u: random_vector(n, 0.2, 8),
        v: vec![0.0; n],
    };
    model.commit(state.at());
    let (mut saved, broken) = (Vec::new(), bonds(&model).broken());
    model.save(&mut saved);
    let mut damage = Vec::new();
    assert!(model.damage(&mut damage));
    assert!(model.load(&start));
    assert!(bonds(&model).broken() < broken);
    assert!(model.load(&saved));
    let mut again = Vec::new();
    model.damage(&mut again);
    assert_eq!((again, bonds(&model).broken()), (damage, broken));
    assert!(!model.load(&saved[..saved.len() - 3]));
}

/// The damage of a particle is the share of its bonds that are broken.
#[test]
fn damage_is_the_share_of_broken_bonds() {
    let model = model(f64::INFINITY);
    let (parts, rest) = parts(f64::INFINITY);
    let mut damage = Vec::new();
    assert!(model.damage(&mut damage));
    for i in 0..rest.len() as u32 {
        let own = || (0..parts.ends.len()).filter(|b| parts.ends[*b].contains(&i));
        let cut = own().filter(|b| parts.cut[*b]).count();
        assert_eq!(damage[i as usize], cut as f64 / own().count() as f64);
    }
}
