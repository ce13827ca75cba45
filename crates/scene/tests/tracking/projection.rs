//! Velocity projection on bodies: energy balance, momenta, and cases in which it misses its tolerance.

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
