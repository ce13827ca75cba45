//! Follower pressure in time steps: convergence of Newton's method with and without the antisymmetric part of the
//! tangent, and the work of the pressure in the energy ledger.

mod common;
mod material_support;

use common::Body;
use march::ledger::LedgerEntry;
use march::{Newton, Options, Parameters, State, TimeLoop, find};
use mesh::CellKind;
use solid::load::{FollowerPressure, ForceSum, Load, LoadState, TimeCourse};
use solid::mass::MassKind;
use solid::material::Law;
use solid::model::Model;
use sparse::Backend;

/// A clamped strip with a pressure on its upper side.
fn strip(kind: CellKind, pressure: f64) -> Model {
    let body = Body::block(kind, [6, 1, 1], [3.0, 0.5, 0.5]);
    let law = Law::new("stable-neo-hookean", 1e5, 0.3).unwrap();
    let mut parts = body.parts(law, 1000.0, MassKind::Consistent);
    parts
        .prescribed
        .push(common::clamp(body.nodes_where(|x| x[0] == 0.0)));
    let faces = body.faces_where(|x| x[1] == 0.5);
    let load = FollowerPressure::new(faces, pressure, TimeCourse::default());
    parts.loads.push(Box::new(load));
    Model::new(parts).unwrap()
}

/// A clamped cube with a pressure of a tenth of Young's modulus on one side, which shears it.
fn cube(kind: CellKind) -> Model {
    let body = Body::block(kind, [2; 3], [1.0; 3]);
    let law = Law::new("stable-neo-hookean", 1e5, 0.3).unwrap();
    let mut parts = body.parts(law, 1000.0, MassKind::Consistent);
    parts
        .prescribed
        .push(common::clamp(body.nodes_where(|x| x[1] == 0.0)));
    let faces = body.faces_where(|x| x[0] == 1.0);
    let load = FollowerPressure::new(faces, 1e4, TimeCourse::default());
    parts.loads.push(Box::new(load));
    Model::new(parts).unwrap()
}

fn at_rest(model: &Model) -> State {
    let n = model.unknowns();
    State {
        t: 0.0,
        u: vec![0.0; n],
        v: vec![0.0; n],
    }
}

/// Residuals of Newton's method in one long step of backward Euler, relative to the first, and the end of the step.
fn residuals(kind: CellKind, linear: Backend) -> (Vec<f64>, State) {
    let mut model = cube(kind);
    let options = Options {
        newton: Newton::Residual,
        tolerance: 1e-12,
        linear,
        ..Options::default()
    };
    let stepper = find("backward-euler")
        .unwrap()
        .stepper(&Parameters::default(), options.newton)
        .unwrap();
    let mut time = TimeLoop::fixed(stepper, options, at_rest(&model), 10.0);
    time.step(&mut model, 10.0).unwrap();
    let rows = &time.solver().trace().iterations;
    let found = rows.iter().map(|row| row.residual / rows[0].residual);
    (found.collect(), time.state().clone())
}

#[test]
fn newton_with_the_whole_tangent_converges_quadratically() {
    for kind in [CellKind::Hex8, CellKind::Tet10] {
        let (whole, end) = residuals(kind, Backend::Lu);
        let (symmetric, same_end) = residuals(kind, Backend::Cholesky);
        let deflection = end.u.iter().fold(0.0f64, |a, u| a.max(u.abs()));
        assert!(deflection > 0.2, "{kind:?}: {deflection} m");
        let apart = common::differences::distance(&end.u, &same_end.u);
        assert!(apart < 1e-9 * common::norm(&end.u), "{kind:?}: {apart:.1e}");
        // The order of convergence, from the last three residuals that are not round-off.
        let clear: Vec<f64> = whole.iter().copied().filter(|r| *r > 1e-12).collect();
        let [a, b, c] = clear[clear.len() - 3..] else {
            unreachable!("three residuals were taken")
        };
        let order = (c / b).ln() / (b / a).ln();
        // The mean contraction of the last six iterations.
        let last = &symmetric[symmetric.len() - 7..];
        let contraction = (last[6] / last[0]).powf(1.0 / 6.0);
        println!(
            "{kind:?}: {} and {} iterations, order {order:.2}, contraction {contraction:.2}",
            whole.len(),
            symmetric.len()
        );
        assert!(order > 1.6, "{kind:?}: {whole:?}");
        assert!(contraction > 0.1, "{kind:?}: {symmetric:?}");
        assert!(2 * whole.len() < symmetric.len(), "{kind:?}");
    }
}

/// The antisymmetric part restores the order of linearised methods, which need the exact Jacobian.
#[test]
fn a_rosenbrock_method_keeps_its_order_with_the_whole_tangent() {
    let end = |linear: Backend, steps: u32| {
        let mut model = strip(CellKind::Hex8, 300.0);
        let options = Options {
            linear,
            ..Options::default()
        };
        let method = find("rodas4").unwrap();
        let stepper = method
            .stepper(&Parameters::default(), options.newton)
            .unwrap();
        let h = 0.02 / f64::from(steps);
        let mut time = TimeLoop::fixed(stepper, options, at_rest(&model), h);
        time.run(&mut model, 0.02, &mut |_, _| true).unwrap();
        time.state().u.clone()
    };
    let exact = end(Backend::Lu, 128);
    let order = |linear: Backend| {
        let error = |steps: u32| common::differences::distance(&end(linear, steps), &exact);
        common::rate(error(8), error(16), 2.0)
    };
    let (whole, symmetric) = (order(Backend::Lu), order(Backend::Cholesky));
    println!("orders {whole:.2} and {symmetric:.2}");
    assert!(whole > 3.6, "{whole}");
    assert!(symmetric < 3.4, "{symmetric}");
}

/// Runs a method and returns the sum of the ledger, the change of the measured energy and the end.
fn booked(name: &str, newton: Newton, h: f64, model: &mut Model) -> (LedgerEntry, f64, State) {
    let start = at_rest(model);
    let options = Options {
        newton,
        tolerance: 1e-13,
        ..Options::default()
    };
    let method = find(name).unwrap();
    let stepper = method.stepper(&Parameters::default(), newton).unwrap();
    let before = model.energies(0.0, &start.u, &start.v).total();
    let mut sum = LedgerEntry::default();
    let mut time = TimeLoop::fixed(stepper, options, start, h);
    time.keep_ledger(model);
    time.run(model, 0.05, &mut |_, step| {
        sum.add(&step.entry);
        true
    })
    .unwrap();
    let end = time.state().clone();
    let change = model.energies(end.t, &end.u, &end.v).total() - before;
    (sum, change, end)
}

#[test]
fn the_ledger_of_a_follower_pressure_closes() {
    for name in ["backward-euler", "sdirk2", "newmark", "rk4"] {
        let mut model = strip(CellKind::Hex8, 2e3);
        let (sum, change, _) = booked(name, Newton::Minimise, 2.5e-4, &mut model);
        assert!(sum.work > 1.0, "{name}: the pressure works only {sum:?}");
        let all: f64 = sum.as_array()[1..].iter().sum();
        for (what, found) in [("channels", all), ("booked change", sum.change)] {
            let error = (found - change).abs() / sum.work;
            assert!(error < 1e-10, "{name}: {what} off by {error:.1e}");
        }
        assert!(sum.residual.abs() < 1e-10 * sum.work, "{name}: {sum:?}");
        let integrator = (sum.work - change).abs() / sum.work;
        println!(
            "{name}: work {:.6} J, integrator {integrator:.1e}",
            sum.work
        );
        let allowed = match name {
            "backward-euler" => 0.2,
            "rk4" => 1e-6,
            _ => 1e-2,
        };
        assert!(integrator < allowed, "{name}: {sum:?}, but {change} J");
    }
}

/// In backward Euler the work of a step is h f(x₁)·v₁, here with f computed by the load alone.
#[test]
fn the_booked_work_is_force_times_velocity() {
    let body = Body::block(CellKind::Tet10, [2, 1, 1], [1.0; 3]);
    let law = Law::new("stable-neo-hookean", 1e5, 0.3).unwrap();
    let mut parts = body.parts(law, 1000.0, MassKind::Lumped);
    let load = || {
        let faces = body.faces_where(|x| x[0] == 1.0);
        let rise = TimeCourse {
            ramp: 0.04,
            ..TimeCourse::default()
        };
        FollowerPressure::new(faces, -3e3, rise)
    };
    parts.loads.push(Box::new(load()));
    let mut model = Model::new(parts).unwrap();
    let options = Options {
        tolerance: 1e-13,
        ..Options::default()
    };
    let method = find("backward-euler").unwrap();
    let stepper = method
        .stepper(&Parameters::default(), Newton::Minimise)
        .unwrap();
    let h = 0.01;
    let mut time = TimeLoop::fixed(stepper, options, at_rest(&model), h);
    time.keep_ledger(&mut model);
    let own = load();
    for _ in 0..5 {
        let step = time.step(&mut model, 1.0).unwrap().unwrap();
        let entry = step.entry;
        let s = time.state();
        let (u, v) = model.expand(s.t, &s.u, &s.v);
        let x: Vec<[f64; 3]> = (u.iter().zip(&body.rest))
            .map(|(u, x)| mesh::vector::add(*u, *x))
            .collect();
        let mut f = vec![[0.0; 3]; x.len()];
        own.add_force(&LoadState { t: s.t, x: &x, v }, &mut ForceSum::onto(&mut f));
        let power: f64 = f
            .iter()
            .flatten()
            .zip(v.iter().flatten())
            .map(|(f, v)| f * v)
            .sum();
        let error = (entry.work - h * power).abs() / entry.work.abs();
        assert!(power > 0.0 && error < 1e-10, "{} J, {power} W", entry.work);
    }
}

/// A constant pressure on a closed surface has the potential p V: its work is −p times the change of volume.
#[test]
fn the_work_on_a_closed_surface_is_minus_pressure_times_change_of_volume() {
    let body = Body::block(CellKind::Hex20, [2, 1, 1], [1.0, 0.5, 0.5]);
    let (law, p) = (Law::new("stable-neo-hookean", 1e5, 0.3).unwrap(), 2e4);
    let mut parts = body.parts(law, 1000.0, MassKind::Lumped);
    let faces = body.faces_where(|_| true);
    let load = FollowerPressure::new(faces, p, TimeCourse::default());
    parts.loads.push(Box::new(load));
    let volume = |x: Vec<[f64; 3]>| {
        let mut mesh = body.mesh();
        mesh.points = x;
        (0..mesh.len())
            .map(|i| mesh::cell_volume(&mesh, i))
            .sum::<f64>()
    };
    let mut model = Model::new(parts).unwrap();
    let (sum, change, end) = booked("rk4", Newton::Minimise, 1e-4, &mut model);
    let (u, _) = model.expand(end.t, &end.u, &end.v);
    let x = u
        .iter()
        .zip(&body.rest)
        .map(|(u, x)| mesh::vector::add(*u, *x));
    let squeezed = volume(body.rest.clone()) - volume(x.collect());
    assert!(squeezed > 1e-3, "{squeezed}");
    for (what, found) in [("work", sum.work), ("energy", change)] {
        let error = (found / (p * squeezed) - 1.0).abs();
        println!("{what}: {error:.1e}");
        assert!(error < 1e-8, "{what}: {found} J, {} J", p * squeezed);
    }
}
