//! Viscosity and implicit stiffness damping: derivatives, rigid motion, and the decay of a bar's vibration.

mod common;
mod material_support;

use common::differences::{Case, NOW, along, distance, slope};
use common::{Body, DAMPING, KINDS, force, norm, tangent};
use march::{
    At, Curvature, DampingUpdate, Newton, Options, Parameters, PositionDamping, State,
    StateMeasures, System, TimeLoop, find,
};
use material_support::Dice;
use mesh::CellKind;
use solid::mass::MassKind;
use solid::material::Law;
use solid::model::{Model, PrescribedNodes};
use solid::motion::Motion;
use solid::potential::{DampingRate, SolidProperties, StiffnessDamping, Viscosity};
use sparse::{Backend, solver};

const NONE: StiffnessDamping = StiffnessDamping {
    factor: 0.0,
    rate: DampingRate::Implicit,
};

fn properties(law: &str, beta: f64, shear: f64, bulk: f64) -> SolidProperties {
    SolidProperties {
        law: Law::new(law, 2e4, 0.3).unwrap(),
        stiffness_damping: StiffnessDamping {
            factor: beta,
            ..NONE
        },
        viscosity: Viscosity { shear, bulk },
    }
}

fn at<'a>(t: f64, u: &'a [f64], v: &'a [f64]) -> At<'a> {
    At { t, u, v }
}

fn random(n: usize, size: f64, dice: &mut Dice) -> Vec<f64> {
    (0..n).map(|_| dice.between(-size, size)).collect()
}

/// Displacements of all nodes: perturbed, stretched, and inverted.
fn fields(rest: &[[f64; 3]], dice: &mut Dice) -> Vec<Vec<[f64; 3]>> {
    let gradients = [
        [[0.0; 3]; 3],
        [[0.5, 0.1, 0.0], [0.0, -0.3, 0.2], [-0.1, 0.0, 0.2]],
        [[0.1, 0.1, 0.0], [0.0, -1.9, 0.2], [-0.1, 0.0, 0.3]],
    ];
    let moved = |f: [[f64; 3]; 3]| {
        let one = |x: &[f64; 3]| {
            [0, 1, 2]
                .map(|i| (0..3).map(|j| f[i][j] * x[j]).sum::<f64>() + dice.between(-0.02, 0.02))
        };
        rest.iter().map(one).collect()
    };
    gradients.map(moved).into_iter().collect()
}

/// Force with damping at the state itself, as in a converged stage.
fn settled_force(model: &mut Model, t: f64, u: &[f64], v: &[f64]) -> Vec<f64> {
    model.update_damping(at(t, u, v), DampingUpdate::Whole);
    force(model, at(t, u, v))
}

/// A body with one shaken corner.
fn shaken(kind: CellKind, properties: SolidProperties) -> Model {
    let body = Body::shaped(kind, [1, 1, 1], |x| {
        [x[0] + 0.1 * x[1], x[1] - 0.2 * x[2], x[2] + 0.1 * x[0]]
    });
    let mut parts = body.parts_of(properties, 1000.0, MassKind::Lumped);
    parts.prescribed.push(PrescribedNodes {
        nodes: vec![0],
        axes: [true; 3],
        motion: Motion::Shake {
            axis: [0.6, 0.0, 0.8],
            amplitude: 0.1,
            frequency: 1.3,
        },
    });
    Model::new(parts).unwrap()
}

fn check(what: &str, got: &[f64], want: &[f64], close: f64) {
    let error = distance(got, want) / norm(want);
    assert!(error < close, "{what} is off by {error:.2e}");
}

#[test]
fn forces_and_matrices_are_derivatives_of_the_dissipation_function() {
    for kind in KINDS {
        let mut dice = Dice::new(7 + kind as u64);
        let mut model = shaken(kind, properties("stable-neo-hookean", 0.01, 300.0, 100.0));
        let (rest, n) = (model.rest().to_vec(), model.dofs());
        for (state, field) in fields(&rest, &mut dice).iter().enumerate() {
            let what = format!("{kind:?}, state {state}");
            let u = model.restrict(field);
            let [v, d] = [1.0, 1.0].map(|size| random(n, size, &mut dice));
            // An update at another state must have no lasting effect.
            model.update_damping(at(NOW, &along(&u, 0.1, &d), &v), DampingUpdate::Whole);
            let still = settled_force(&mut model, NOW, &u, &v);
            let again = model.update_damping(at(NOW, &u, &v), DampingUpdate::Whole);
            assert_eq!(again, 0.0, "{what}: the same state changes the damping");
            let mut case = Case {
                what: &what,
                model: &mut model,
                u: u.clone(),
                v: v.clone(),
                step: 2e-4,
            };
            case.potential(&d);
            case.matrices(&d, true);
            assert_eq!(still, settled_force(&mut model, NOW, &u, &v), "{what}");
            let matrix = tangent(&mut model, at(NOW, &u, &v), DAMPING, Curvature::Exact);
            let mut shifted = matrix.clone();
            shifted.add_diagonal(1e-11 * matrix.norm_inf());
            let definite = solver(Backend::Cholesky).factor(&shifted).is_ok();
            assert!(definite, "{what}: the damping matrix is indefinite");
            let loss = model.dissipation(NOW, &v).unwrap();
            // Powers use the damping of their own state, not that of the last update.
            let elsewhere = along(&u, 0.1, &d);
            model.update_damping(at(NOW, &elsewhere, &v), DampingUpdate::Whole);
            let powers = model.powers(at(NOW, &u, &v), &d);
            check(&what, &[powers.damping], &[-2.0 * loss], 1e-12);
        }
    }
}

/// Derivatives of damping for linearised methods, compared with differences of forces with damping at their own state.
#[test]
fn derivatives_of_damping_by_position_and_by_time() {
    for (kind, beta, shear) in [
        (CellKind::Tet4, 0.0, 300.0),
        (CellKind::Hex8, 0.0, 300.0),
        (CellKind::Hex8, 0.01, 0.0),
    ] {
        let mut dice = Dice::new(3);
        // Under tension no eigenvalue of arap is projected, so there are no kinks.
        let mut model = shaken(kind, properties("arap", beta, shear, 0.3 * shear));
        let rest = model.rest().to_vec();
        let stretched: Vec<_> = rest
            .iter()
            .map(|x| [0.4 * x[0], 0.3 * x[1], 0.5 * x[2]])
            .collect();
        let (n, u) = (model.dofs(), model.restrict(&stretched));
        let (v, d) = (random(n, 1.0, &mut dice), random(n, 1.0, &mut dice));
        model.prepare(at(NOW, &u, &v));
        let matrix = tangent(
            &mut model,
            at(NOW, &u, &v),
            common::STIFFNESS,
            Curvature::Exact,
        );
        let (mut rate, mut y, mut kd) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        model.force_rate(at(NOW, &u, &v), &mut rate);
        matrix.times(&d, &mut kd);
        model.damping_derivative(at(NOW, &u, &v), &d, &mut y);
        assert!(norm(&y) > 1e-3 * norm(&kd), "{kind:?}: too little damping");
        let want = slope(2e-4, |s| {
            settled_force(&mut model, NOW, &along(&u, -s, &d), &v)
        });
        check("−∂f/∂u", &along(&kd, 1.0, &y), &want, 1e-8);
        let want = slope(2e-4, |s| settled_force(&mut model, NOW + s, &u, &v));
        check("∂f/∂t", &rate, &want, 1e-7);
    }
}

#[test]
fn rigid_motion_of_any_shape_is_not_damped() {
    for kind in KINDS {
        let mut dice = Dice::new(5);
        let body = Body::block(kind, [1, 1, 1], [1.0, 0.8, 0.6]);
        let parts = body.parts_of(
            properties("stvk", 0.0, 300.0, 200.0),
            1000.0,
            MassKind::Lumped,
        );
        let mut model = Model::new(parts).unwrap();
        for field in fields(&body.rest, &mut dice) {
            let spin = [0.7, -1.1, 0.4];
            let turn = |(x, u): (&[f64; 3], &[f64; 3])| {
                let p = [0, 1, 2].map(|k| x[k] + u[k]);
                [0, 1, 2].map(|k| {
                    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                    spin[i] * p[j] - spin[j] * p[i] + 2.0
                })
            };
            let v: Vec<[f64; 3]> = body.rest.iter().zip(&field).map(turn).collect();
            let (u, v) = (model.restrict(&field), model.restrict(&v));
            let wild = random(u.len(), 1.0, &mut dice);
            model.update_damping(at(0.0, &u, &v), DampingUpdate::Whole);
            let rigid = model.dissipation(0.0, &v).unwrap();
            let all = model.dissipation(0.0, &wild).unwrap();
            assert!(rigid.abs() < 1e-13 * all, "{kind:?}: {rigid:e} of {all:e}");
        }
    }
}

/// Energy lost to damping over `turns` rotations of 40 steps each, and the energy at the end; `s` becomes the last state.
fn spun(model: &mut Model, s: &mut State, omega: f64, turns: u32) -> (f64, f64) {
    let options = Options {
        tolerance: 1e-12,
        ..Options::default()
    };
    let method = find("implicit-midpoint").unwrap();
    let stepper = method
        .stepper(&Parameters::default(), Newton::Minimise)
        .unwrap();
    let h = std::f64::consts::TAU / omega / 40.0;
    let end = s.t + f64::from(40 * turns) * h;
    let mut time = TimeLoop::fixed(stepper, options, s.clone(), h);
    time.keep_ledger(model);
    let (mut damping, mut steps) = (0.0, 0);
    time.run(model, end, &mut |_, step| {
        (damping, steps) = (damping + step.entry.damping, steps + 1);
        true
    })
    .unwrap();
    assert_eq!(steps, 40 * turns);
    s.copy_from(time.state());
    let energies = model.energies(s.t, &s.u, &s.v);
    (damping, energies.kinetic + energies.strain)
}

/// Damping loss and energy of a block that rotates about its short axis, after damping has brought it to its steady shape.
fn settled(properties: SolidProperties) -> (f64, f64) {
    let (size, omega) = ([1.0, 0.8, 0.4], 2.0);
    let body = Body::block(CellKind::Hex8, [2, 1, 1], size);
    let mut model = Model::new(body.parts_of(properties, 1000.0, MassKind::Consistent)).unwrap();
    let turn = |x: &[f64; 3]| [-omega * (x[1] - 0.4), omega * (x[0] - 0.5), 0.0];
    let v: Vec<[f64; 3]> = body.rest.iter().map(turn).collect();
    let v = model.restrict(&v);
    let u = vec![0.0; v.len()];
    let mut s = State { t: 0.0, u, v };
    spun(&mut model, &mut s, omega, 30);
    spun(&mut model, &mut s, omega, 100)
}

#[test]
fn a_settled_spinning_body_loses_nothing_to_viscosity() {
    let (damping, energy) = settled(properties("stable-neo-hookean", 0.0, 400.0, 200.0));
    assert!(energy > 50.0, "{energy} J");
    assert!(damping.abs() < 1e-9 * energy, "{damping:e} of {energy} J");
}

/// Stiffness damping also damps rotation: tension resists it.
#[test]
fn a_settled_spinning_body_loses_energy_to_stiffness_damping() {
    let (damping, energy) = settled(properties("stable-neo-hookean", 0.02, 0.0, 0.0));
    assert!(damping < -1e-4 * energy, "{damping:e} of {energy} J");
}

/// Decay rate of the fundamental axial vibration of a bar with one fixed end and free sides.
fn decay(viscosity: Viscosity) -> f64 {
    let (length, side, young, poisson, density) = (1.0, 0.05, 1e6, 0.3, 1000.0);
    let body = Body::block(CellKind::Hex8, [16, 1, 1], [length, side, side]);
    let properties = SolidProperties {
        law: Law::new("stable-neo-hookean", young, poisson).unwrap(),
        stiffness_damping: NONE,
        viscosity,
    };
    let mut parts = body.parts_of(properties, density, MassKind::Consistent);
    parts.prescribed.push(PrescribedNodes {
        nodes: body.nodes_where(|x| x[0] == 0.0),
        axes: [true, false, false],
        motion: Motion::Still,
    });
    let mut model = Model::new(parts).unwrap();
    let k = 0.5 * std::f64::consts::PI / length;
    let mode = |x: &[f64; 3]| {
        let across = -poisson * k * (k * x[0]).cos();
        [
            (k * x[0]).sin(),
            across * (x[1] - 0.5 * side),
            across * (x[2] - 0.5 * side),
        ]
        .map(|v| 1e-4 * v)
    };
    let v: Vec<[f64; 3]> = body.rest.iter().map(mode).collect();
    let v = model.restrict(&v);
    let mut s = State {
        t: 0.0,
        u: vec![0.0; v.len()],
        v,
    };
    let (steps, periods) = (60, 8);
    let period = std::f64::consts::TAU / (k * (young / density).sqrt());
    let mut energies = Vec::new();
    let method = find("implicit-midpoint").unwrap();
    let h = period / f64::from(steps);
    common::marching::march(
        &method,
        &mut model,
        &mut s,
        h,
        steps * periods,
        |model, s| {
            let e = model.energies(s.t, &s.u, &s.v);
            energies.push(e.kinetic + e.strain);
        },
    );
    let (first, last) = (energies[steps as usize - 1], energies[energies.len() - 1]);
    (first / last).ln() / (2.0 * period * f64::from(periods - 1))
}

#[test]
fn axial_vibration_of_a_slender_bar_decays_at_the_rate_of_its_viscosity() {
    let (poisson, density, k) = (0.3_f64, 1000.0, 0.5 * std::f64::consts::PI);
    for (shear, bulk) in [(80.0, 0.0), (0.0, 800.0), (60.0, 300.0)] {
        let axial =
            4.0 / 3.0 * shear * (1.0 + poisson).powi(2) + bulk * (1.0 - 2.0 * poisson).powi(2);
        let want = axial * k * k / (2.0 * density);
        let found = decay(Viscosity { shear, bulk });
        assert!(
            (found - want).abs() < 0.01 * want,
            "shear {shear}, bulk {bulk}: decays at {found:.5}, not {want:.5} 1/s"
        );
    }
}
