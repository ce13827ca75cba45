//! Energy, forces and tangent are the same to the bit for any number of threads.

mod common;
mod material_support;

use common::{Body, clamp, frozen};
use march::{At, Curvature, System, Weights};
use material_support::Dice;
use mesh::CellKind;
use solid::mass::MassKind;
use solid::material::Law;
use solid::model::Model;
use solid::potential::{DampingRate, SolidProperties, StiffnessDamping, Viscosity};

/// Bits of force, energies, momenta and tangent of a model at one state.
fn evaluate_bits(body: &Body, properties: SolidProperties, threads: usize) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(|| {
        let mut parts = body.parts_of(properties, 1000.0, MassKind::Consistent);
        parts
            .prescribed
            .push(clamp(body.nodes_where(|x| x[0] == 0.0)));
        let mut model = Model::new(parts).unwrap();
        let mut dice = Dice::new(5);
        let n = model.dofs();
        let mut random = |size: f64| {
            (0..n)
                .map(|_| dice.between(-size, size))
                .collect::<Vec<_>>()
        };
        let (u, v) = (random(0.02), random(1.0));
        let at = At {
            t: 0.0,
            u: &u,
            v: &v,
        };
        model.prepare(at);
        let (mut f, mut k) = (vec![0.0; n], model.zero_matrix());
        model.force(at, &mut f);
        let mut out = f;
        out.push(model.force_scale());
        out.push(model.potential(0.0, &u).unwrap());
        out.push(model.dissipation(0.0, &v).unwrap());
        for c in [Curvature::Exact, Curvature::Definite] {
            model.tangent(
                at,
                Weights {
                    mass: 1.0,
                    damping: 0.1,
                    stiffness: 0.01,
                },
                c,
                &mut k,
            );
            out.extend_from_slice(k.values());
        }
        let e = model.energies(0.0, &u, &v);
        let p = model.momentum(0.0, &u, &v);
        out.extend([e.kinetic, e.strain, e.gravitational]);
        out.extend(p.linear.into_iter().chain(p.angular));
        assert!(out.iter().all(|x| x.is_finite()));
        out.into_iter().map(f64::to_bits).collect()
    })
}

#[test]
fn threads_change_no_bit() {
    for (kind, cells) in [(CellKind::Tet4, [8; 3]), (CellKind::Hex8, [13; 3])] {
        let body = Body::block(kind, cells, [1.0; 3]);
        assert!(body.nodes.len() / kind.node_count() >= 2000);
        let implicit = StiffnessDamping {
            factor: 0.01,
            rate: DampingRate::Implicit,
        };
        for (name, stiffness_damping, shear) in [
            ("stable-neo-hookean", frozen(0.01), 0.0),
            ("corotated-frozen", frozen(0.01), 0.0),
            ("stable-neo-hookean", implicit, 30.0),
        ] {
            let properties = SolidProperties {
                law: Law::new(name, 1e5, 0.4).unwrap(),
                stiffness_damping,
                viscosity: Viscosity {
                    shear,
                    bulk: 2.0 * shear,
                },
            };
            let one = evaluate_bits(&body, properties, 1);
            for threads in [2, 4, 4] {
                let many = evaluate_bits(&body, properties, threads);
                let differs = one.iter().zip(&many).filter(|(a, b)| a != b).count();
                assert!(
                    differs == 0,
                    "{kind:?} {name}: {differs} of {} numbers differ on {threads} threads",
                    one.len()
                );
            }
        }
    }
}
