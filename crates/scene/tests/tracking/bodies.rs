//! The spinning cube of [Dinev et al. 2018, fig. 5], and local/global iterations.

use march::vector::norm;

use crate::{StepSample, record_steps, scene_file, simulation};

/// The cube of `scenes/cube-004.toml` on a coarser mesh.
const CUBE: &str = r#"
gravity = [0.0, 0.0, 0.0]
[time]
method = "implicit-midpoint"
step = 0.033
until = 400.0
fps = 0.1
[time.stabilise]
tolerance = 0.01
[solver]
newton = "local-global"
[[body]]
mesh = { box = { size = [1.0, 1.0, 1.0], cells = [2, 2, 2], element = "tet4" } }
material = { law = "arap", young = 1e5, poisson = 0.4, density = 1000 }
mass = "lumped"
velocity = { angular = [0.0, 5.0, 0.0] }
"#;

fn plain() -> String {
    CUBE.replace("[time.stabilise]\ntolerance = 0.01\n", "")
}

/// Largest relative change of the magnitude of the angular momentum.
fn slowing(rows: &[StepSample]) -> f64 {
    let spin = rows[0].spin();
    rows.iter()
        .map(|r| (r.spin() / spin - 1.0).abs())
        .fold(0.0, f64::max)
}

fn within(rows: &[StepSample], what: &str) {
    let target = rows[0].energy;
    for row in rows {
        let off = (row.energy / target - 1.0).abs();
        assert!(off <= 0.01 + 1e-12, "{what} at t = {}: {off}", row.t);
    }
}

#[test]
fn the_tracked_cube_keeps_its_energy_and_spin() {
    let rows = record_steps(&mut simulation(CUBE, &[]), 10_000);
    within(&rows, "tracked");
    let mean = rows.iter().map(|r| r.blend.abs()).sum::<f64>() / rows.len() as f64;
    assert!(mean < 0.1, "{mean}");
    let others = ["bdf2", "backward-euler"].map(|method| {
        slowing(&record_steps(
            &mut simulation(&plain(), &[("time.method", method)]),
            1000,
        ))
    });
    let [bdf2, euler] = others;
    let own = slowing(&rows);
    assert!(
        own < 0.2 * bdf2 && bdf2 < euler && euler > 0.5,
        "{own} {others:?}"
    );
}

/// A faster cube, which blends without momentum correction [Dinev et al. 2018, Algorithm 1] slow down.
#[test]
fn blends_of_a_free_body_keep_its_angular_momentum() {
    let fast = |more: &[(&str, &str)]| {
        let mut set = vec![
            ("body[0].velocity.angular", "[0.0, 20.0, 0.0]"),
            ("body[0].mesh.box.cells", "[3, 3, 3]"),
        ];
        set.extend(more);
        let rows = record_steps(&mut simulation(CUBE, &set), 1500);
        within(&rows, "fast");
        slowing(&rows)
    };
    let own = fast(&[]);
    let printed = fast(&[("time.stabilise.angular-momentum", "blend")]);
    assert!(own < 0.01 && printed > 0.05, "{own} {printed}");
}

#[test]
fn tracking_holds_the_cube_with_every_base_method() {
    for base in ["sdirk2", "trapezoid", "newmark", "tr-bdf2"] {
        let rows = record_steps(&mut simulation(CUBE, &[("time.method", base)]), 1000);
        within(&rows, base);
    }
}

/// At 15 rad/s the midpoint rule blows up within a minute, and tracking keeps the energy. At 5 rad/s the energy of the
/// midpoint rule drifts by 1.5 % without blow-up, converged or not. A hundred times stiffer and converged it blows up and
/// conserves its angular momentum meanwhile.
#[test]
fn midpoint_alone_is_unstable_on_the_fast_and_the_stiff_cube() {
    let text = scene_file("cube-004.toml");
    let rows = record_steps(&mut simulation(&text, &[("time.fps", "0.1")]), 1500);
    within(&rows, "as it is");
    let mean = rows.iter().map(|r| r.blend.abs()).sum::<f64>() / rows.len() as f64;
    assert!(mean < 0.1 && slowing(&rows) < 0.02, "{mean}");
    let alone = text.replace(
        "[time.stabilise]\ntolerance = 0.01    # of the energy\n",
        "",
    );
    assert_ne!(alone, text);
    let rows = record_steps(&mut simulation(&alone, &[("time.fps", "0.1")]), 1500);
    let worst = rows.iter().map(|r| r.energy).fold(0.0, f64::max);
    assert!(worst > 10.0 * rows[0].energy, "{worst}");
    let slow = [
        ("body.cube.velocity.angular", "[0.0, 5.0, 0.0]"),
        ("time.fps", "0.1"),
    ];
    let rows = record_steps(&mut simulation(&alone, &slow), 250);
    let off = (rows.iter()).map(|r| (r.energy / rows[0].energy - 1.0).abs());
    let off = off.fold(0.0, f64::max);
    assert!(off > 0.005 && off < 0.02, "{off}");
    let stiff = [
        ("body.cube.material.young", "1e7"),
        ("body.cube.mesh.box.cells", "[4, 4, 4]"),
        ("solver.newton", "minimise"),
        ("body.cube.velocity.angular", "[0.0, 5.0, 0.0]"),
        ("time.fps", "0.1"),
    ];
    let rows = record_steps(&mut simulation(&alone, &stiff), 300);
    let worst = rows.iter().map(|r| r.energy).fold(0.0, f64::max);
    assert!(worst > 10.0 * rows[0].energy, "{worst}");
    assert!(slowing(&rows) < 1e-6, "{}", slowing(&rows));
    within(
        &record_steps(&mut simulation(&text, &stiff), 300),
        "stiff and tracked",
    );
}

/// The undisturbed cube rotates so smoothly that the energy of the midpoint rule drifts slowly; disturbed it blows up.
#[test]
fn a_shaken_cube_explodes_under_midpoint_and_not_when_tracked() {
    let shaken = [
        ("body[0].disturb.scatter", "0.1"),
        ("body[0].mesh.box.cells", "[3, 3, 3]"),
        ("seed", "7"),
        ("time.calm-start", "false"),
    ];
    let rows = record_steps(&mut simulation(&plain(), &shaken), 3000);
    let worst = rows.iter().map(|r| r.energy).fold(0.0, f64::max);
    assert!(worst > 10.0 * rows[0].energy, "{worst}");
    let rows = record_steps(&mut simulation(CUBE, &shaken), 3000);
    within(&rows, "shaken and tracked");
}

/// State after a few steps.
fn after(text: &str, set: &[(&str, &str)], steps: u64) -> (Vec<f64>, f64) {
    let mut sim = simulation(text, set);
    for _ in 0..steps {
        sim.step().unwrap();
    }
    (
        sim.state().u.clone(),
        sim.time_loop().solver().local_global_residual(),
    )
}

fn max_abs_diff(a: &[f64], b: &[f64]) -> f64 {
    let d: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    norm(&d) / norm(b)
}

const SHEET: &str = r#"
[time]
method = "backward-euler"
step = 0.033
until = 10.0
[solver]
newton = "local-global"
[[body]]
mesh = { sheet = { size = [1.0, 1.0], cells = [6, 6] } }
springs = { stiffness = 300.0, bend = 20.0, mass = 0.3, damping = 0.02 }
damping = { mass = 0.3, stiffness = 0.003 }
[[body.fix]]
where = { near = [0.0, 0.0, 0.0] }
axes = "xy"
[[body.tether]]
where = { near = [1.0, 0.0, 0.0] }
stiffness = 200.0
"#;

/// With many iterations, local/global converges to Newton's solution: for solids, for springs with dampers, with nodes
/// fixed along some axes only, and for every family of stages.
#[test]
fn local_global_converges_to_newton() {
    for (text, methods) in [
        (plain(), &["implicit-midpoint", "sdirk2", "newmark"][..]),
        (
            plain().replace("arap", "corotated"),
            &["backward-euler", "implicit-midpoint"],
        ),
        (SHEET.to_string(), &["backward-euler", "bdf2"]),
        (SHEET.replace("axes = \"xy\"\n", ""), &["backward-euler"]),
    ] {
        for method in methods {
            let with = |more: &[(&str, &str)]| {
                let set = [&[("time.method", *method)], more].concat();
                after(&text, &set, 4)
            };
            let (newton, _) = with(&[("solver.newton", "minimise"), ("solver.tolerance", "1e-11")]);
            let (long, gap) = with(&[("solver.iterations", "1500")]);
            assert!(
                max_abs_diff(&long, &newton) < 1e-6,
                "{method}: {}",
                max_abs_diff(&long, &newton)
            );
            assert!(gap < 1e-5, "{method}: {gap}");
            let (short, wide) = with(&[]);
            assert!(
                wide > gap && max_abs_diff(&short, &newton) > max_abs_diff(&long, &newton),
                "{method}"
            );
        }
    }
}

/// One matrix for the midpoint rule and one for backward Euler; nothing is factored later.
#[test]
fn matrices_are_factored_once() {
    let mut sim = simulation(CUBE, &[("time.stabilise.tolerance", "1e-9")]);
    let mut work = Vec::new();
    for _ in 0..20 {
        sim.step().unwrap();
        work.push(sim.row().work);
    }
    assert_eq!(sim.time_loop().solver().prefactorizations(), 2);
    assert!(work[1..].iter().all(|w| w.factorizations == 0));
    assert!(
        work[1..].iter().all(|w| (10..=12).contains(&w.solves)),
        "{work:?}"
    );
}

/// Hands come and go without a new factorization, and pull as they do under Newton: one moves, two more are at the same node.
#[test]
fn hands_need_no_factorization() {
    let after = |set: &[(&str, &str)]| {
        let mut sim = simulation(&plain(), set);
        sim.step().unwrap();
        let before = sim.time_loop().solver().prefactorizations();
        let hand = sim.grab(26, 2e4).unwrap();
        let pins = [sim.grab(3, 4e5).unwrap(), sim.grab(3, 1e4).unwrap()];
        for k in 1..5 {
            sim.move_handle(hand, [1.2, 1.0 + 0.1 * f64::from(k), 1.1])
                .unwrap();
            sim.step().unwrap();
        }
        for pin in pins {
            sim.release(pin).unwrap();
        }
        sim.step().unwrap();
        let made = sim.time_loop().solver().prefactorizations() - before;
        (sim.state().u.clone(), made)
    };
    for method in ["backward-euler", "implicit-midpoint"] {
        let method = ("time.method", method);
        let newton = [("solver.newton", "minimise"), ("solver.tolerance", "1e-11")];
        let (newton, _) = after(&[method, newton[0], newton[1]]);
        let (long, made) = after(&[method, ("solver.iterations", "1500")]);
        assert_eq!(made, 0, "{method:?}");
        let (off, moved) = (max_abs_diff(&long, &newton), norm(&newton));
        assert!(off < 1e-6 && moved > 0.1, "{method:?}: {off} {moved}");
    }
}

#[test]
fn laws_without_projections_are_refused() {
    let text = CUBE.replace("\"arap\"", "\"stable-neo-hookean\"");
    let source = scene::spec::Source::new("scene.toml", &text).unwrap();
    let Err(errors) = scene::build::build(source.scene().unwrap(), &source) else {
        panic!("should be refused")
    };
    let said = errors.to_string();
    assert!(
        said.contains("solver.newton") && said.contains("arap"),
        "{said}"
    );
}
