//! Bodies in motion under every method of the registry: free fall, momenta, energies, frequencies and orders.

mod common;
mod material_support;

use common::{Body, STIFFNESS, clamp, norm, rate, reference, tangent};
use march::methods::{Choice, Family, names};
use march::{At, Curvature, Newton, Options, Parameters, StageSolver, State, System, find};
use material_support::Dice;
use solid::mass::MassKind;
use solid::material::{LAWS, Law};
use solid::mesh::Kind;
use solid::model::{Fix, Model, Parts};
use solid::motion::{Key, Motion};
use solid::potential::{End, Spring, SpringLaw, Springs};

/// Every method of the registry but users' own tables.
fn choices() -> Vec<Choice> {
    let own = |c: &Choice| {
        matches!(
            c.method.family,
            Family::OwnRungeKutta | Family::OwnRosenbrock
        )
    };
    names()
        .iter()
        .map(|n| find(n).unwrap())
        .filter(|c| !own(c))
        .collect()
}

/// Steps a model and shows every state on the way.
fn march(
    choice: &Choice,
    model: &mut Model,
    s: &mut State,
    h: f64,
    steps: u32,
    mut see: impl FnMut(&mut Model, &State),
) {
    let mut solver = StageSolver::new(Options {
        tolerance: 1e-13,
        ..Options::default()
    });
    let mut stepper = choice
        .stepper(&Parameters::default(), Newton::Minimise)
        .unwrap();
    for k in 1..=steps {
        stepper
            .step(model, &mut solver, s, h)
            .unwrap_or_else(|why| panic!("{}: {why}", choice.name()));
        s.t = f64::from(k) * h;
        see(model, s);
    }
}

fn largest(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter().map(f64::abs).fold(0.0, f64::max)
}

/// u = v₀ t + g t²/2 exactly by every method of order two or more; the first-order ones err by g h t/2, as they should.
#[test]
fn bodies_fall_freely() {
    let (gravity, start) = ([0.4, -9.81, 1.3], [1.0, 2.0, -0.5]);
    let (h, steps) = (0.01, 100);
    for choice in choices() {
        for (kind, mass) in [
            (Kind::Tet4, MassKind::Lumped),
            (Kind::Hex8, MassKind::Consistent),
        ] {
            let body = Body::block(kind, [1; 3], [1.0; 3]);
            let mut parts = body.parts(
                Law::new("stable-neo-hookean", 1e4, 0.3).unwrap(),
                1000.0,
                mass,
            );
            parts.gravity = gravity;
            let mut model = Model::new(parts).unwrap();
            let n = model.dofs();
            let mut s = State {
                t: 0.0,
                u: vec![0.0; n],
                v: (0..n).map(|i| start[i % 3]).collect(),
            };
            march(&choice, &mut model, &mut s, h, steps, |_, _| ());
            // The share of h/2 by which the average acceleration comes early or late.
            let late = match choice.method.name {
                "forward-euler" => -1.0,
                "symplectic-euler" | "backward-euler" => 1.0,
                _ => 0.0,
            };
            assert_eq!(late == 0.0, choice.order() >= 2, "{}", choice.name());
            let error = largest((0..n).flat_map(|i| {
                let (v0, g) = (start[i % 3], gravity[i % 3]);
                let u = v0 * s.t + 0.5 * g * s.t * (s.t + late * h);
                [s.u[i] - u, s.v[i] - v0 - g * s.t]
            }));
            assert!(
                error < 1e-12 * 9.81,
                "{} {kind:?}: off by {error:.2e}",
                choice.name()
            );
        }
    }
}

/// A free body thrown and spun, shivering.
fn thrown() -> (Model, State) {
    let body = Body::block(Kind::Hex8, [2, 1, 1], [1.0, 0.5, 0.4]);
    let law = Law::new("stable-neo-hookean", 1e4, 0.3).unwrap();
    let model = Model::new(body.parts(law, 1000.0, MassKind::Consistent)).unwrap();
    let mut dice = Dice::new(23);
    let spin = [1.0, -2.0, 3.0];
    let velocity = |x: &[f64; 3]| {
        [0, 1, 2].map(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            0.7 + spin[i] * x[j] - spin[j] * x[i] + dice.between(-0.3, 0.3)
        })
    };
    let v = model.restrict(&body.rest.iter().map(velocity).collect::<Vec<_>>());
    (
        model,
        State {
            t: 0.0,
            u: vec![0.0; v.len()],
            v,
        },
    )
}

#[test]
fn free_bodies_keep_their_momenta() {
    for choice in choices() {
        let (mut model, mut s) = thrown();
        let before = model.momentum(0.0, &s.u, &s.v);
        let (mut linear, mut angular) = (0.0f64, 0.0f64);
        march(&choice, &mut model, &mut s, 0.005, 100, |model, s| {
            let now = model.momentum(s.t, &s.u, &s.v);
            linear = linear.max(
                largest((0..3).map(|k| now.linear[k] - before.linear[k])) / norm(&before.linear),
            );
            angular = angular.max(
                largest((0..3).map(|k| now.angular[k] - before.angular[k])) / norm(&before.angular),
            );
        });
        assert!(
            linear < 1e-12,
            "{}: linear momentum changed by {linear:.2e}",
            choice.name()
        );
        if [
            "implicit-midpoint",
            "symplectic-euler",
            "central-difference",
        ]
        .contains(&choice.name().as_str())
        {
            assert!(
                angular < 1e-12,
                "{}: angular momentum changed by {angular:.2e}",
                choice.name()
            );
        }
    }
}

/// A beam along x, a square of side `thickness` across.
fn beam(kind: Kind, cells: [usize; 3], length: f64, thickness: f64) -> Body {
    Body::block(kind, cells, [length, thickness, thickness])
}

/// The lowest circular frequencies.
fn frequencies(parts: Parts, count: usize) -> Vec<f64> {
    let mut model = Model::new(parts).unwrap();
    let zero = vec![0.0; model.dofs()];
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
    sparse::lowest(&k, model.mass(), count, 1e-9)
        .unwrap()
        .into_iter()
        .map(|(squared, _)| squared.sqrt())
        .collect()
}

/// Roots of cos x cosh x = ±1 by bisection around (n + ½) π.
fn bending_root(clamped_at_both_ends: bool, n: u32) -> f64 {
    let sign = if clamped_at_both_ends { 1.0 } else { -1.0 };
    let f = |x: f64| x.cos() - sign / x.cosh();
    let middle =
        (f64::from(n) + if clamped_at_both_ends { 0.5 } else { -0.5 }) * std::f64::consts::PI;
    let (mut low, mut high) = (middle - 0.4, middle + 0.4);
    for _ in 0..60 {
        let x = 0.5 * (low + high);
        *(if f(x) * f(high) <= 0.0 {
            &mut low
        } else {
            &mut high
        }) = x;
    }
    low
}

/// How a beam is held.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ends {
    Clamped,
    ClampedFree,
    Free,
}

/// Bending frequencies of a beam of unit length over those of Euler and Bernoulli, pairs for a square section.
fn bending(kind: Kind, cells: [usize; 3], thickness: f64, ends: Ends, modes: usize) -> Vec<f64> {
    let (young, density) = (1e6, 1000.0f64);
    let body = beam(kind, cells, 1.0, thickness);
    let mut parts = body.parts(
        Law::new("linear", young, 0.0).unwrap(),
        density,
        MassKind::Consistent,
    );
    if ends != Ends::Free {
        parts.fixes.push(clamp(
            body.nodes_where(|x| x[0] == 0.0 || (ends == Ends::Clamped && x[0] == 1.0)),
        ));
    }
    let rigid = if ends == Ends::Free { 6 } else { 0 };
    let unit = (young * thickness * thickness / (12.0 * density)).sqrt();
    let list = frequencies(parts, rigid + 2 * modes).split_off(rigid);
    for pair in list.chunks(2) {
        assert!(
            (pair[0] - pair[1]).abs() < 1e-7 * pair[0],
            "a square section bends both ways alike: {list:?}"
        );
    }
    (0..modes)
        .map(|m| {
            list[2 * m] / (unit * bending_root(ends != Ends::ClampedFree, m as u32 + 1).powi(2))
        })
        .collect()
}

#[test]
fn beams_have_their_frequencies() {
    if let Some(file) = reference("analytic/beam_frequency_roots.json") {
        for (key, both) in [
            ("clamped_clamped_and_free_free", true),
            ("clamped_free", false),
        ] {
            for n in 1..=10 {
                let want: f64 = file[key][n - 1].as_str().unwrap().parse().unwrap();
                assert!(
                    (bending_root(both, n as u32) - want).abs() < 1e-13 * want,
                    "{key} {n}"
                );
            }
        }
    }
    for ends in [Ends::Clamped, Ends::ClampedFree, Ends::Free] {
        let fine = bending(Kind::Hex20, [24, 1, 1], 0.04, ends, 3);
        let slender = bending(Kind::Hex20, [48, 1, 1], 0.02, ends, 3);
        for m in 0..3 {
            let [thick, thin] = [&fine, &slender].map(|x| 1.0 - x[m]);
            let limit = (4.0 * slender[m] - fine[m]) / 3.0;
            let ratio = thick / thin;
            // Shear and rotary inertia make a solid beam slower, by the thickness squared.
            assert!(
                thin > 0.0 && (ratio - 4.0).abs() < 0.2,
                "{ends:?} mode {m}: {thick:.2e} and {thin:.2e} below"
            );
            assert!(
                (limit - 1.0).abs() < 5e-4,
                "{ends:?} mode {m}: {limit} of the slender beam's frequency"
            );
        }
        // Eigenvalues converge at twice the rate of gradients, once elements are shorter than the beam is thick.
        for (kind, across, levels, order) in [
            (Kind::Hex8, 2, [20, 40, 80], 2.0),
            (Kind::Hex20, 1, [5, 10, 20], 4.0),
        ] {
            let thickness = 0.2 / f64::from(across);
            let [a, b, c] = levels.map(|n| {
                bending(
                    kind,
                    [n, across as usize, across as usize],
                    thickness,
                    ends,
                    1,
                )[0]
            });
            let measured = rate(a - b, b - c, 2.0);
            assert!(
                (measured - order).abs() < 0.25,
                "{kind:?} {ends:?}: order {measured:.2}"
            );
        }
    }
}

/// Stretching waves of a bar with ν = 0: linear elements have a known dispersion, and order two.
#[test]
fn bars_have_their_frequencies() {
    let (young, density, length) = (1e6, 1000.0f64, 2.0);
    let speed = (young / density).sqrt();
    let axial = |mass: MassKind, cells: usize| {
        let body = beam(Kind::Hex8, [cells, 1, 1], length, 0.1);
        let mut parts = body.parts(Law::new("linear", young, 0.0).unwrap(), density, mass);
        parts.fixes.push(Fix {
            nodes: body.nodes_where(|_| true),
            axes: [false, true, true],
            motion: Motion::Still,
        });
        parts.fixes.push(clamp(body.nodes_where(|x| x[0] == 0.0)));
        frequencies(parts, 3)
    };
    for mass in [MassKind::Consistent, MassKind::Lumped] {
        let [coarse, fine] = [12, 24].map(|n| axial(mass, n));
        for m in 0..3 {
            let wave = (2.0 * m as f64 + 1.0) * std::f64::consts::FRAC_PI_2 / length;
            for (n, got) in [(12.0, coarse[m]), (24.0, fine[m])] {
                let h: f64 = length / n;
                let c = (wave * h).cos();
                let squared = match mass {
                    MassKind::Consistent => 6.0 * (1.0 - c) / (2.0 + c),
                    MassKind::Lumped => 2.0 * (1.0 - c),
                };
                let want = speed / h * squared.sqrt();
                assert!(
                    (got - want).abs() < 1e-9 * want,
                    "{mass:?} mode {m}: {got} rad/s, linear elements have {want}"
                );
            }
            let order = rate(
                (coarse[m] / (speed * wave) - 1.0).abs(),
                (fine[m] / (speed * wave) - 1.0).abs(),
                2.0,
            );
            assert!(
                (order - 2.0).abs() < 0.1,
                "{mass:?} mode {m} converges with order {order:.2}"
            );
        }
    }
}

/// A cantilever of Hooke's law, hit.
fn struck(kind: Kind, gravity: [f64; 3]) -> (Model, State) {
    let body = beam(kind, [6, 1, 1], 1.0, 0.2);
    let mut parts = body.parts(
        Law::new("linear", 1e5, 0.3).unwrap(),
        1000.0,
        MassKind::Consistent,
    );
    parts.fixes.push(clamp(body.nodes_where(|x| x[0] == 0.0)));
    parts.gravity = gravity;
    let model = Model::new(parts).unwrap();
    let mut dice = Dice::new(31);
    let n = model.dofs();
    let v = (0..n).map(|_| dice.between(-1.0, 1.0)).collect();
    (
        model,
        State {
            t: 0.0,
            u: vec![0.0; n],
            v,
        },
    )
}

#[test]
fn symmetric_methods_keep_the_energy_of_linear_beams() {
    for name in [
        "trapezoid",
        "implicit-midpoint",
        "newmark",
        "ilddirk22",
        "s-trapezoid",
        "s-implicit-midpoint",
    ] {
        for kind in [Kind::Tet4, Kind::Hex8] {
            let (mut model, mut s) = struck(kind, [0.0, -9.81, 0.0]);
            let before = model.energies(0.0, &s.u, &s.v).total();
            let mut drift = 0.0f64;
            march(
                &find(name).unwrap(),
                &mut model,
                &mut s,
                0.02,
                200,
                |model, s| {
                    drift = drift.max((model.energies(s.t, &s.u, &s.v).total() - before).abs());
                },
            );
            assert!(
                drift < 1e-12 * before.abs(),
                "{name} {kind:?}: energy drifts by {:.2e}",
                drift / before.abs()
            );
        }
    }
}

/// A net of springs without rest length, hung by a corner.
fn net() -> (Model, State) {
    let side = 5;
    let mut parts = Parts {
        gravity: [0.0, -9.81, 0.0],
        ..Parts::default()
    };
    let mut springs = Vec::new();
    for i in 0..side * side {
        let (x, y) = (i % side, i / side);
        parts.rest.push([f64::from(x), 0.0, f64::from(y)]);
        parts.masses.push((i, i, 0.2));
        let spring = |b| Spring {
            a: i,
            b: End::Node(b),
            law: SpringLaw::Hooke,
            stiffness: 50.0,
            rest: 0.0,
            damping: 0.0,
        };
        springs.extend(
            (x + 1 < side)
                .then(|| spring(i + 1))
                .into_iter()
                .chain((y + 1 < side).then(|| spring(i + side))),
        );
    }
    parts.potentials.push(Box::new(Springs::new(springs, 0.0)));
    parts.fixes.push(clamp(vec![0]));
    let model = Model::new(parts).unwrap();
    let n = model.dofs();
    (
        model,
        State {
            t: 0.0,
            u: vec![0.0; n],
            v: vec![0.3; n],
        },
    )
}

#[test]
fn backward_euler_never_gains_energy_where_the_energy_is_convex() {
    let bodies = [
        struck(Kind::Tet4, [0.0, -9.81, 0.0]),
        struck(Kind::Hex8, [0.0; 3]),
        net(),
    ];
    for (number, (mut model, start)) in bodies.into_iter().enumerate() {
        for h in [0.002, 0.05, 1.0] {
            let mut s = start.clone();
            let mut energy = model.energies(0.0, &s.u, &s.v);
            let scale = energy.kinetic + energy.elastic.abs() + 1e-3;
            let mut lost = 0.0;
            march(
                &find("backward-euler").unwrap(),
                &mut model,
                &mut s,
                h,
                100,
                |model, s| {
                    let now = model.energies(s.t, &s.u, &s.v);
                    let gain = now.total() - energy.total();
                    assert!(
                        gain <= 1e-11 * (scale + energy.gravity.abs()),
                        "body {number}, step {h} s: gains {gain:.2e} J"
                    );
                    lost -= gain;
                    energy = now;
                },
            );
            assert!(
                lost > 1e-3 * scale,
                "body {number}, step {h} s: lost only {lost:.2e} J"
            );
        }
    }
}

/// A soft body with a shaken end, gravity, Rayleigh's damping and dampers whose pull grows with the cube of speed.
fn shaken() -> (Model, State) {
    let body = Body::block(Kind::Hex8, [2, 1, 1], [1.0, 0.5, 0.5]);
    let mut parts = body.parts(
        Law::new("stable-neo-hookean", 500.0, 0.3).unwrap(),
        1000.0,
        MassKind::Consistent,
    );
    let (axis, amplitude, frequency) = ([0.6, 0.0, 0.8], 0.3, 0.5);
    let motion = Motion::Shake {
        axis,
        amplitude,
        frequency,
    };
    parts.fixes.push(Fix {
        nodes: body.nodes_where(|x| x[0] == 0.0),
        axes: [true; 3],
        motion,
    });
    parts.mass_damping = vec![0.5; body.rest.len()];
    parts.gravity = [0.0, -1.0, 0.0];
    let (law, b) = (SpringLaw::Cubic, End::Point([0.5, -0.5, 0.3]));
    let damper = |a: u32| Spring {
        a,
        b,
        law,
        stiffness: 0.0,
        rest: 0.0,
        damping: 30.0,
    };
    let dampers = body
        .nodes_where(|x| x[0] == 1.0)
        .into_iter()
        .map(damper)
        .collect();
    parts.potentials.push(Box::new(Springs::new(dampers, 0.0)));
    let model = Model::new(parts).unwrap();
    let n = model.dofs();
    let v = (0..n)
        .map(|i| axis[i % 3] * amplitude * frequency * std::f64::consts::TAU)
        .collect();
    (
        model,
        State {
            t: 0.0,
            u: vec![0.0; n],
            v,
        },
    )
}

/// State of the shaken body after so many steps.
fn shaken_for(choice: &Choice, steps: u32) -> State {
    let (mut model, mut s) = shaken();
    march(
        choice,
        &mut model,
        &mut s,
        0.6 / f64::from(steps),
        steps,
        |_, _| (),
    );
    s
}

#[test]
fn every_method_has_its_order_on_a_body_with_a_moving_boundary() {
    let exact = shaken_for(&find("rk4").unwrap(), 5000);
    for choice in choices() {
        // Fine enough to be asymptotic, coarse enough to stay above rounding.
        let steps = [400, 100, 320, 160][choice.order() as usize - 1];
        let error = |steps: u32| {
            let s = shaken_for(&choice, steps);
            let pairs = s.u.iter().zip(&exact.u).chain(s.v.iter().zip(&exact.v));
            norm(&pairs.map(|(x, y)| x - y).collect::<Vec<_>>())
        };
        let (order, claimed) = (
            rate(error(steps), error(2 * steps), 2.0),
            f64::from(choice.order()),
        );
        assert!(
            (order - claimed).abs() < 0.15,
            "{} claims order {claimed}, measures {order:.3}",
            choice.name()
        );
    }
}

/// A body follows a boundary that turns and travels, and when all has settled it has moved as a rigid body.
#[test]
fn a_moving_boundary_carries_its_body_along() {
    let (turn, shift, pivot) = ([0.3, -0.4, 1.2], [0.5, -0.2, 0.7], [0.1, 0.2, -0.3]);
    let key = |t: f64, s: f64| Key {
        t,
        translate: shift.map(|x| s * x),
        rotate: turn.map(|x| s * x),
    };
    let motion = Motion::Keys {
        keys: vec![key(0.5, 0.0), key(2.0, 1.0)],
        pivot,
    };
    for info in LAWS.iter().filter(|info| info.objective) {
        let body = Body::block(Kind::Hex8, [2, 1, 1], [1.0, 0.5, 0.5]);
        let mut parts = body.parts(
            Law::new(info.name, 4e4, 0.3).unwrap(),
            1000.0,
            MassKind::Consistent,
        );
        parts.fixes.push(Fix {
            nodes: body.nodes_where(|x| x[0] == 0.0),
            axes: [true; 3],
            motion: motion.clone(),
        });
        parts.mass_damping = vec![6.0; body.rest.len()];
        let mut model = Model::new(parts).unwrap();
        let n = model.dofs();
        let mut s = State {
            t: 0.0,
            u: vec![0.0; n],
            v: vec![0.0; n],
        };
        march(
            &find("backward-euler").unwrap(),
            &mut model,
            &mut s,
            0.05,
            600,
            |_, _| (),
        );
        let (u, _) = model.expand(s.t, &s.u, &s.v);
        let error = largest(body.rest.iter().zip(u).flat_map(|(x, u)| {
            let mut p = [0, 1, 2].map(|k| x[k] - pivot[k]);
            for k in 0..3 {
                let ((sin, cos), (i, j)) = (turn[k].sin_cos(), ((k + 1) % 3, (k + 2) % 3));
                (p[i], p[j]) = (cos * p[i] - sin * p[j], sin * p[i] + cos * p[j]);
            }
            [0, 1, 2].map(|k| x[k] + u[k] - p[k] - pivot[k] - shift[k])
        }));
        // A frozen rotation catches up a little every step, the more slowly the shorter the step.
        let allowed = if info.name == "corotated-frozen" {
            1e-6
        } else {
            1e-13
        };
        assert!(error < allowed, "{}: off by {error:.2e} m", info.name);
    }
}
