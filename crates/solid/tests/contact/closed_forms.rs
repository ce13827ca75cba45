//! Contact against closed forms: Hertz, bars, a press, the gap at rest.

use contact::obstacle::{Frame, Obstacle};
use march::{Newton, Options, Parameters, State, TimeLoop, find};
use mesh::CellKind;
use solid::material::Law;
use solid::model::{Model, PrescribedNodes};
use solid::motion::Motion;

use crate::bodies::{Part, assemble, settings};
use crate::common::{Body, equilibrium, moved};
use crate::{block, floor, shape};

/// The lower half of a unit ball, its pole at (0, −1, 0) and its flat face at y = 0. Cells are `grading` times smaller at the
/// pole than on average.
fn half_ball(cells: usize, grading: f64) -> Body {
    let fine = |s: f64| s * (1.0 / grading + (1.0 - 1.0 / grading) * s * s);
    let signed = |s: f64| fine(s.abs()).copysign(s);
    Body::shaped(CellKind::Hex8, [2 * cells, cells, 2 * cells], |p| {
        let (x, z) = (signed(2.0 * p[0] - 1.0), signed(2.0 * p[2] - 1.0));
        let y = fine(p[1]) - 1.0;
        // The cube is mapped to the ball so that its faces become the sphere.
        let round = |a: f64, b: f64, c: f64| {
            a * (1.0 - b * b / 2.0 - c * c / 2.0 + b * b * c * c / 3.0)
                .max(0.0)
                .sqrt()
        };
        [round(x, y, z), round(y, x, z), round(z, x, y)]
    })
}

/// Force on a half ball that is pressed by its flat face on a plane, and the approach of the face and the plane.
fn pressed_half_ball(cells: usize, grading: f64, depth: f64) -> (f64, f64) {
    let (young, poisson) = (1e6, 0.3);
    let body = half_ball(cells, grading);
    let face = body.nodes_where(|p| p[1].abs() < 1e-9);
    let axis = body.nodes_where(|p| p[0].abs() + p[2].abs() < 1e-9);
    let line = body.nodes_where(|p| p[1].abs() + p[2].abs() < 1e-9);
    let part = Part {
        body,
        law: Law::new("linear", young, poisson).unwrap(),
        density: 1000.0,
        damping: 0.0,
    };
    let reach = 2e-3;
    let plane = shape(
        Obstacle::Plane,
        Frame::along([0.0, -1.0 - reach, 0.0], [0.0, 1.0, 0.0]),
        Motion::Still,
    );
    let mut all = assemble(&[part], vec![plane], settings(reach, 0.1 * young, false));
    // A symmetry plane: nodes slide in it, but for those on the axis and one line.
    all.prescribed.push(moved(
        face,
        [false, true, false],
        [0.0, -depth - reach, 0.0],
    ));
    all.prescribed
        .push(moved(axis, [true, false, true], [0.0; 3]));
    all.prescribed
        .push(moved(line, [false, false, true], [0.0; 3]));
    let mut model = Model::new(all).unwrap();
    // The start hangs from the face like a rigid body, pushed up where it would be inside the plane.
    let rest = model.rest().to_vec();
    let lift = |p: [f64; 3]| {
        let down = p[1] - depth - reach + 1.0 + reach;
        [0.0, -depth - reach + (reach / 2.0 - down).max(0.0), 0.0]
    };
    let all: Vec<[f64; 3]> = rest.iter().map(|p| lift(*p)).collect();
    let start = model.restrict(&all);
    let u = equilibrium(&mut model, &start);
    let v = vec![0.0; u.len()];
    let pairs = model.contact_pairs(0.0, &u, &v);
    assert_eq!(pairs.len(), 1);
    // The barrier holds the pole off the plane by its gap.
    (pairs[0].normal_force, depth + reach - pairs[0].gap)
}

#[test]
fn a_half_ball_on_a_plane_follows_hertz() {
    let modulus = 1e6 / (1.0 - 0.3 * 0.3);
    let mut errors = Vec::new();
    for (cells, grading) in [(4, 3.0), (8, 3.0)] {
        let (force, approach) = pressed_half_ball(cells, grading, 0.02);
        let hertz = 4.0 / 3.0 * modulus * approach.powf(1.5);
        // The symmetry plane of the ball is not at infinity: the load on its other half moves it by F f/(πE)
        // [Tatara 1991, eq. 4], with f for a contact radius that is small beside R = 1.
        let far = force * (2.0 * 1.3 / 8.0 + 0.91 / 2.0) / (std::f64::consts::PI * 1e6);
        let corrected = 4.0 / 3.0 * modulus * (approach + far).max(0.0).powf(1.5);
        let contact_radius = approach.sqrt();
        println!(
            "{cells}: force {force:.1} N, Hertz {hertz:.1} ({:.3}), with the far field {corrected:.1} ({:.3}); radius {contact_radius:.3}",
            force / hertz,
            force / corrected
        );
        errors.push([force / hertz - 1.0, force / corrected - 1.0]);
    }
    assert!(
        errors
            .iter()
            .all(|e| e[0].abs() < 0.12 && e[1].abs() < 0.05),
        "{errors:?}"
    );
    assert!(errors[1][1].abs() < errors[0][1].abs(), "{errors:?}");
}

/// Runs a model with a fixed step.
fn run(
    name: &str,
    model: &mut Model,
    start: State,
    h: f64,
    until: f64,
    mut see: impl FnMut(&mut Model, &State),
) -> State {
    let stepper = find(name).unwrap();
    let stepper = stepper.stepper(&Parameters::default(), Newton::Minimise);
    let mut time = TimeLoop::fixed(stepper.unwrap(), Options::default(), start, h);
    while time.step(model, until).unwrap().is_some() {
        let state = time.state().clone();
        see(model, &state);
    }
    time.state().clone()
}

fn bar(at: f64, cells: usize) -> Part {
    block([cells, 1, 1], [1.0, 0.1, 0.1], [at, 0.0, 0.0], 1e6, 0.0)
}

/// Mean velocity along x of a range of nodes.
fn mean_velocity(s: &State, nodes: std::ops::Range<usize>) -> f64 {
    let n = nodes.len() as f64;
    nodes.map(|i| s.v[3 * i]).sum::<f64>() / n
}

fn thrown(model: &Model, velocity: impl Fn(usize) -> f64) -> State {
    let n = model.unknowns();
    let mut v = vec![0.0; n];
    for i in 0..n / 3 {
        v[3 * i] = velocity(i);
    }
    State {
        t: 0.0,
        u: vec![0.0; n],
        v,
    }
}

#[test]
fn a_bar_bounces_off_a_wall_after_two_wave_times() {
    // Wave speed √(E/ρ) = 31.6 m/s: 2 L/c = 63.2 ms.
    let reach = 1e-3;
    let wall = shape(
        Obstacle::Plane,
        Frame::along([0.0; 3], [1.0, 0.0, 0.0]),
        Motion::Still,
    );
    let mut model = Model::new(assemble(
        &[bar(1.2 * reach, 60)],
        vec![wall],
        settings(reach, 1e5, false),
    ))
    .unwrap();
    let start = thrown(&model, |_| -0.3);
    let (mut first, mut last, mut rest) = (f64::NAN, f64::NAN, None);
    let end = run("sdirk2", &mut model, start, 2.5e-4, 0.1, |m, s| {
        let pairs = m.contact_pairs(s.t, &s.u, &s.v);
        if !pairs.is_empty() {
            first = first.min(s.t);
            last = s.t;
            rest = Some(pairs[0].clone());
        }
    });
    let (time, speed) = (last - first, mean_velocity(&end, 0..end.v.len() / 3));
    println!("contact time {time:.5}, speed back {:.4}", speed / 0.3);
    assert!((time / (2.0 / 1000f64.sqrt()) - 1.0).abs() < 0.05, "{time}");
    assert!(speed / 0.3 > 0.95, "{speed}");
}

#[test]
fn two_equal_bars_exchange_their_velocities() {
    let reach = 1e-3;
    let parts = [bar(0.0, 60), bar(1.0 + 1.2 * reach, 60)];
    let nodes = parts[0].body.rest.len();
    let mut model = Model::new(assemble(&parts, Vec::new(), settings(reach, 1e5, false))).unwrap();
    let start = thrown(&model, |i| if i < nodes { 0.3 } else { 0.0 });
    let before = model.momentum(0.0, &start.u, &start.v).linear;
    let end = run("sdirk2", &mut model, start, 2.5e-4, 0.1, |_, _| {});
    let [a, b] = [0..nodes, nodes..2 * nodes].map(|range| mean_velocity(&end, range) / 0.3);
    println!("velocities after: {a:.4} {b:.4}");
    assert!(a.abs() < 0.05 && (b - 1.0).abs() < 0.05);
    let after = model.momentum(end.t, &end.u, &end.v).linear;
    for k in 0..3 {
        assert!(
            (after[k] - before[k]).abs() < 1e-10 * before[0].abs(),
            "{after:?}"
        );
    }
}

#[test]
fn a_press_holds_the_pressure_of_the_strain() {
    let reach = 2e-3;
    let part = block([4, 4, 4], [1.0; 3], [0.0; 3], 1e6, 0.0);
    let plane = |y: f64, up: f64| {
        shape(
            Obstacle::Plane,
            Frame::along([0.0, y, 0.0], [0.0, up, 0.0]),
            Motion::Still,
        )
    };
    let planes = vec![
        plane(-reach / 2.0 + 0.005, 1.0),
        plane(1.0 + reach / 2.0 - 0.005, -1.0),
    ];
    let mut all = assemble(&[part], planes, settings(reach, 1e4, false));
    // One node keeps the block from sliding away.
    all.prescribed.push(PrescribedNodes {
        nodes: vec![0],
        axes: [true, false, true],
        motion: Motion::Still,
    });
    let mut model = Model::new(all).unwrap();
    let rest = model.rest().to_vec();
    let start: Vec<[f64; 3]> = rest
        .iter()
        .map(|p| [0.0, 0.02 * (0.5 - p[1]) * 0.52, 0.0])
        .collect();
    let start = model.restrict(&start);
    let u = equilibrium(&mut model, &start);
    let v = vec![0.0; u.len()];
    let pairs = model.contact_pairs(0.0, &u, &v);
    let (full, _) = model.expand(0.0, &u, &v);
    let mean = |y: f64| {
        let list: Vec<f64> = rest
            .iter()
            .zip(full)
            .filter(|(p, _)| (p[1] - y).abs() < 1e-9)
            .map(|(_, u)| u[1])
            .collect();
        list.iter().sum::<f64>() / list.len() as f64
    };
    let strain = mean(0.0) - mean(1.0);
    let pressure = pairs[0].normal_force;
    println!(
        "strain {strain:.5}, pressure {pressure:.1} Pa, area {:.5}",
        pairs[0].area
    );
    assert!(strain > 0.005 && (pressure / (1e6 * strain) - 1.0).abs() < 0.03);
    assert!((pairs[0].area - 1.0).abs() < 1e-9);
}

/// Gap of a block that rests on the floor, for a mesh, method and step.
fn rest_gap(cells: [usize; 3], name: &str, h: f64) -> f64 {
    let reach = 0.01;
    let mut part = block(cells, [0.5; 3], [0.0, reach / 2.0, 0.0], 1e6, 0.0);
    part.damping = 0.02;
    let mut all = assemble(&[part], vec![floor()], settings(reach, 1e4, false));
    all.gravity = [0.0, -9.81, 0.0];
    let mut model = Model::new(all).unwrap();
    let n = model.unknowns();
    let start = State {
        t: 0.0,
        u: vec![0.0; n],
        v: vec![0.0; n],
    };
    let end = run(name, &mut model, start, h, 4.0, |_, _| {});
    let pairs = model.contact_pairs(end.t, &end.u, &end.v);
    let weight = 1000.0 * 0.125 * 9.81;
    println!(
        "{cells:?} {name} {h}: force/weight {:.5} gap {:.6}",
        pairs[0].normal_force / weight,
        pairs[0].gap
    );
    pairs[0].gap
}

#[test]
fn the_gap_at_rest_depends_on_neither_mesh_nor_method_nor_step() {
    let gaps = [
        rest_gap([2, 2, 2], "backward-euler", 0.02),
        rest_gap([4, 3, 5], "backward-euler", 0.02),
        rest_gap([6, 4, 3], "sdirk2", 0.02),
        rest_gap([3, 2, 3], "sdirk2", 0.005),
        rest_gap([2, 2, 2], "bdf2", 0.01),
    ];
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    assert!(
        gaps.iter().all(|g| (g / mean - 1.0).abs() < 0.02),
        "{gaps:?}"
    );
    assert!(mean > 0.0 && mean < 0.01);
}
