//! Projections on bodies: energy balance, momenta, rigid motion, and cases in which they miss their tolerance.

use scene::run::{Flow, RunOptions, run};

use crate::{record_steps, scene_file, simulation};

/// A bar on a shaken wall, with a mass matrix that couples held and free nodes.
const SHAKEN: &str = r#"
[time]
method = "{method}"
step = 0.02
until = 3.0
fps = 1.0
[time.stabilise]
kind = "project"
tolerance = 1e-9
[[body]]
mesh = { box = { size = [0.6, 0.2, 0.2], cells = [3, 1, 1], element = "hex8" } }
material = { law = "stable-neo-hookean", young = 1e5, poisson = 0.4, density = 1000 }
damping = { mass = 0.3 }
velocity = { angular = [0.0, 0.0, 2.0] }
[[body.fix]]
where = { x = 0.0 }
motion = { shake = { axis = "y", amplitude = 0.02, frequency = 2.0 } }
"#;

/// Prescribed nodes keep their motion while free velocities are scaled, and the energy equals the booked energy.
#[test]
fn the_energy_of_a_shaken_bar_equals_the_booked_energy() {
    for method in ["implicit-midpoint", "newmark", "bdf2", "sdirk2"] {
        let rows = record_steps(
            &mut simulation(&SHAKEN.replace("{method}", method), &[]),
            u64::MAX,
        );
        let mut most = 0.0f64;
        for row in &rows {
            let sum = rows[0].energy + row.work + row.damping + row.energy_error;
            most = most.max(row.energy.abs());
            assert!((row.energy - sum).abs() < 1e-9 * most, "{method}");
            assert!(
                row.energy_error.abs() < 1e-8 * most,
                "{method}: {}",
                row.energy_error
            );
            assert_eq!(row.blend, 0.0);
        }
        let last = rows.last().unwrap();
        assert!(last.work.abs() > 0.1 && last.damping < -0.1, "{last:?}");
    }
}

/// Backward Euler damps the vibration of a bent body. Projection returns the energy to non-rigid motion only: momenta are
/// those of backward Euler, and linear momentum is conserved.
#[test]
fn projection_changes_no_momentum_of_a_free_body() {
    let free = SHAKEN
        .split("[[body.fix]]")
        .next()
        .unwrap()
        .replace("damping = { mass = 0.3 }", "")
        .replace("[time]", "gravity = [0.0, 0.0, 0.0]\n[time]")
        .replace("velocity = {", "velocity = { linear = [1.0, 2.0, 0.5],");
    for mass in ["lumped", "consistent"] {
        let mut sim = simulation(
            &free.replace("{method}", "backward-euler"),
            &[("body[0].mass", mass), ("solver.tolerance", "1e-13")],
        );
        let look = |sim: &mut scene::session::Session| {
            let s = sim.state().clone();
            let energies = sim.model.energies(s.t, &s.u, &s.v);
            (sim.model.momentum(s.t, &s.u, &s.v), energies.total())
        };
        let mut plain = simulation(
            &free.replace("{method}", "backward-euler").replace(
                "[time.stabilise]\nkind = \"project\"\ntolerance = 1e-9\n",
                "",
            ),
            &[("body[0].mass", mass), ("solver.tolerance", "1e-13")],
        );
        let (_, start) = look(&mut sim);
        for _ in 0..20 {
            // The same step from the same state, projected and not.
            plain.start_from(&sim.state().clone());
            for sim in [&mut sim, &mut plain] {
                sim.step().unwrap();
            }
            let ((p, energy), (q, lost)) = (look(&mut sim), look(&mut plain));
            let size = q.angular.iter().map(|l| l.abs()).fold(1.0, f64::max);
            for k in 0..3 {
                let (pushed, turned) = (p.linear[k] - q.linear[k], p.angular[k] - q.angular[k]);
                let both = pushed.abs().max(turned.abs());
                assert!(both < 1e-10 * size, "{mass}: {pushed} {turned} of {size}");
            }
            assert!((energy - start).abs() < 1e-11 * start, "{mass}");
            assert!(lost < start * (1.0 - 1e-6), "{mass}: {lost} of {start}");
        }
    }
}

/// A free bar that spins, flies and vibrates, with a nonlinear law.
fn free_bar(method: &str, kind: &str) -> String {
    SHAKEN
        .split("[[body.fix]]")
        .next()
        .unwrap()
        .replace("{method}", method)
        .replace(
            "damping = { mass = 0.3 }",
            "disturb = { scatter = 0.01, seed = 4 }",
        )
        .replace("[time]", "gravity = [0.0, 0.0, 0.0]\n[time]")
        .replace("velocity = {", "velocity = { linear = [1.0, 2.0, 0.5],")
        .replace("project", kind)
}

/// Energy and both momenta of a free body after every step, relative to the start: largest deviations.
fn deviations(text: &str) -> [f64; 3] {
    let mut sim = simulation(text, &[("solver.tolerance", "1e-13")]);
    let look = |sim: &mut scene::session::Session| {
        let s = sim.state().clone();
        let energy = sim.model.energies(s.t, &s.u, &s.v).total();
        (sim.model.momentum(s.t, &s.u, &s.v), energy)
    };
    let (p, energy) = look(&mut sim);
    let norm = |x: [f64; 3]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let far = |x: [f64; 3], y: [f64; 3]| norm([0, 1, 2].map(|k| x[k] - y[k])) / norm(y);
    let mut most = [0.0f64; 3];
    for _ in 0..100 {
        sim.step().unwrap();
        let (q, e) = look(&mut sim);
        for (most, found) in most.iter_mut().zip([
            (e / energy - 1.0).abs(),
            far(q.linear, p.linear),
            far(q.angular, p.angular),
        ]) {
            *most = most.max(found);
        }
    }
    most
}

/// Energy, linear and angular momentum of a spinning body with large strains are kept to rounding, whatever the method loses.
#[test]
fn energy_and_both_momenta_of_a_free_body_are_kept() {
    for method in ["backward-euler", "sdirk2", "bdf2", "newmark", "ros3p"] {
        let [energy, linear, angular] = deviations(&free_bar(method, "fepr"));
        assert!(energy < 1e-9, "{method}: energy off by {energy:e}");
        assert!(linear < 1e-10, "{method}: momentum off by {linear:e}");
        assert!(angular < 1e-10, "{method}: spin off by {angular:e}");
    }
    // Velocity projection keeps the angular momentum that backward Euler leaves.
    let [energy, _, angular] = deviations(&free_bar("backward-euler", "project"));
    assert!(energy < 1e-8 && angular > 1e-3, "{energy:e} {angular:e}");
}

/// The angular momentum follows the torques of a load that acts on a free body.
#[test]
fn loads_turn_a_body_under_energy_momentum_projection() {
    let push =
        "[[body.push]]\nwhere = { x = 0.6 }\nforce = [0.0, 0.0, 3.0]\nfrom = 0.1\nto = 0.3\n";
    let turned = |kind: &str, step: &str| {
        let mut sim = simulation(
            &format!("{}{push}", free_bar("sdirk2", kind)),
            &[("solver.tolerance", "1e-12"), ("time.step", step)],
        );
        while sim.t() < 0.4 - 1e-9 {
            sim.step().unwrap();
        }
        let s = sim.state().clone();
        sim.model.momentum(s.t, &s.u, &s.v).angular
    };
    let (projected, reference) = (turned("fepr", "0.002"), turned("project", "0.0005"));
    let size = reference.iter().fold(0.0f64, |m, l| m.max(l.abs()));
    for (l, r) in projected.iter().zip(reference) {
        assert!((l - r).abs() < 1e-3 * size, "{projected:?} {reference:?}");
    }
}

/// A translation needs no projection: the states of the method are kept to the bit.
#[test]
fn the_projection_changes_no_rigid_translation() {
    let text = free_bar("backward-euler", "fepr")
        .replace("disturb = { scatter = 0.01, seed = 4 }", "")
        .replace(", angular = [0.0, 0.0, 2.0]", "");
    let plain = text.replace("[time.stabilise]\nkind = \"fepr\"\ntolerance = 1e-9\n", "");
    assert_ne!(text, plain);
    let [mut a, mut b] = [text, plain].map(|t| simulation(&t, &[]));
    for _ in 0..20 {
        a.step().unwrap();
        b.step().unwrap();
        assert_eq!(a.state(), b.state());
    }
}

/// The spring of [Dinev et al. 2018, fig. 2]: the midpoint rule moves it to where the potential alone exceeds the whole
/// energy, which no velocity can correct. Blending keeps the energy.
#[test]
fn projection_misses_a_tolerance_that_blending_keeps() {
    let missed = |kind: &str| {
        let set = [
            ("time.stabilise.kind", kind),
            ("time.until", "16.5"),
            ("time.fps", "1"),
        ];
        let mut sim = simulation(&scene_file("spring-004.toml"), &set);
        let dir = tempfile::tempdir().unwrap();
        let options = RunOptions {
            out: dir.path().into(),
            resume: None,
        };
        let report = run(&mut sim, &options, &mut |_| Flow::On).unwrap();
        (
            report.energy_missed,
            report.energy.max / report.energy.initial,
        )
    };
    let (blended, most) = missed("blend");
    assert_eq!(blended, 0);
    assert!(most < 1.0101, "{most}");
    let (projected, most) = missed("project");
    assert!(projected > 10 && most > 10.0, "{projected} {most}");
    // Positions move too: the energy is kept.
    let (projected, most) = missed("fepr");
    assert_eq!(projected, 0);
    assert!(most < 1.0101, "{most}");
}

/// The explicit base method of [Dinev et al. 2018, fig. 6, "ES"]: with a step far beyond its stability limit the cube keeps
/// its energy. Without momentum correction it loses its angular momentum.
#[test]
fn backward_euler_blends_stabilise_an_explicit_base() {
    let text = scene_file("cube-004.toml");
    for (word, keeps) in [("blend", false), ("keep", true)] {
        let set = [
            ("time.method", "symplectic-euler"),
            ("time.stabilise.angular-momentum", word),
            ("body.cube.mesh.box.cells", "[3, 3, 3]"),
            ("body.cube.velocity.angular", "[0.0, 5.0, 0.0]"),
            ("time.until", "33"),
            ("time.fps", "0.1"),
        ];
        let rows = record_steps(&mut simulation(&text, &set), u64::MAX);
        let target = rows[0].energy;
        for row in &rows {
            let off = (row.energy / target - 1.0).abs();
            assert!(off <= 0.01 + 1e-12, "{word}, t = {}: {off}", row.t);
        }
        let mean = rows.iter().map(|r| r.blend.abs()).sum::<f64>() / rows.len() as f64;
        let kept = rows.last().unwrap().spin() / rows[0].spin();
        assert!(mean > 0.5, "{word}: {mean}");
        assert!(
            if keeps {
                (kept - 1.0).abs() < 1e-6
            } else {
                kept < 0.5
            },
            "{word}: {kept}"
        );
    }
}
