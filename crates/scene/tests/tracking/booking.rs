//! Work and damping are booked in the ledger, and the energy target includes them.

use crate::{record_steps, simulation};

/// A cube of eight equal masses, each on a tether of 50 N/m whose anchor shakes along x: it moves as one mass.
const TETHERED: &str = r#"
gravity = [0.0, 0.0, 0.0]
[time]
method = "implicit-midpoint"
step = 0.01
until = 2.0
[solver]
tolerance = 1e-12
[[body]]
mesh = { box = { size = [1.0, 1.0, 1.0], cells = [1, 1, 1], element = "hex8" } }
material = { law = "arap", young = 1e4, poisson = 0.3, density = 10 }
mass = "lumped"
[[body.tether]]
where = "all"
stiffness = 50.0
motion = { shake = { axis = "x", amplitude = 0.2, frequency = 0.7 } }
"#;

/// ∫ −K (x − a) ȧ dt along the exact motion m ẍ = −K (x − a), a = A sin pt, from rest with x = 0.
fn exact_work(until: f64) -> f64 {
    let (mass, stiffness, amplitude) = (10.0, 400.0, 0.2);
    let (w, p) = (f64::sqrt(stiffness / mass), std::f64::consts::TAU * 0.7);
    let forced = amplitude * w * w / (w * w - p * p);
    let x = |t: f64| forced * ((p * t).sin() - p / w * (w * t).sin());
    let power = |t: f64| {
        let (a, rate) = (amplitude * (p * t).sin(), amplitude * p * (p * t).cos());
        -stiffness * (x(t) - a) * rate
    };
    let n = 20_000;
    let h = until / f64::from(n);
    (0..n)
        .map(|i| {
            let t = h * f64::from(i);
            h / 6.0 * (power(t) + 4.0 * power(t + 0.5 * h) + power(t + h))
        })
        .sum()
}

#[test]
fn the_work_of_moving_anchors_is_the_integral_of_their_power() {
    let exact = exact_work(2.0);
    let error = |h: &str| {
        let rows = record_steps(&mut simulation(TETHERED, &[("time.step", h)]), u64::MAX);
        rows.last().unwrap().work - exact
    };
    let (coarse, fine) = (error("0.01"), error("0.005"));
    assert!(fine.abs() < 2e-3 * exact.abs(), "{fine} of {exact}");
    assert!((coarse / fine - 4.0).abs() < 0.4, "{coarse} {fine}");
}

/// H = H₀ + work + damping + energy error, and tracking keeps the energy error within its tolerance.
#[test]
fn the_energy_target_includes_work_and_damping() {
    for (what, more) in [
        ("anchors", ""),
        ("Rayleigh", "body[0].damping.mass"),
        ("rigid-free", "body[0].damping.rigid-free"),
        ("drag", "body[0].damping.drag"),
    ] {
        let mut set = vec![
            ("time.step", "0.033"),
            ("time.until", "10"),
            ("time.stabilise.tolerance", "1e-4"),
            ("body[0].velocity.angular", "[1.0, 2.0, 3.0]"),
        ];
        if !more.is_empty() {
            set.push((more, "0.5"));
        }
        let rows = record_steps(&mut simulation(TETHERED, &set), u64::MAX);
        let mut most = 0.0f64;
        for row in &rows {
            let sum = rows[0].energy + row.work + row.damping + row.energy_error;
            most = most.max(row.energy);
            assert!((row.energy - sum).abs() < 1e-9 * most, "{what}");
            assert!(
                row.energy_error.abs() <= 1.1e-4 * most,
                "{what}: {} of {most}",
                row.energy_error
            );
        }
        let last = rows.last().unwrap();
        assert_eq!(
            last.damping < -0.1,
            !more.is_empty(),
            "{what}: {}",
            last.damping
        );
        assert!(last.work.abs() > 0.1);
    }
}

/// A free body that rotates and bends.
const TURNING: &str = r#"
gravity = [0.0, 0.0, 0.0]
[time]
step = 0.001
until = 1.0
[[body]]
mesh = { box = { size = [1.0, 0.4, 0.3], cells = [3, 2, 1], element = "hex8" } }
material = { law = "stable-neo-hookean", young = 1e4, poisson = 0.3, density = 10 }
mass = "{mass}"
damping = { rigid-free = 2.0 }
velocity = { linear = [1.0, -2.0, 0.5], angular = [1.0, 2.0, 3.0] }
"#;

#[test]
fn rigid_free_damping_keeps_both_momenta_and_all_rigid_motion() {
    for mass in ["lumped", "consistent"] {
        let mut sim = simulation(&TURNING.replace("{mass}", mass), &[]);
        // Pure rigid motion: nothing to damp.
        let mut s = sim.state().clone();
        let lost = sim.model.damp_velocities(0.1, &mut s);
        let kinetic = sim.model.energies(0.0, &s.u, &s.v).kinetic;
        assert!(lost.abs() < 1e-13 * kinetic, "{mass}: {lost}");
        let worst = (s.v.iter().zip(&sim.state().v)).map(|(a, b)| (a - b).abs());
        assert!(worst.fold(0.0, f64::max) < 1e-13, "{mass}");
        // Any motion: momenta are conserved, the rest decays by e^(−kh) for any step length.
        for (i, v) in s.v.iter_mut().enumerate() {
            *v += ((i * i) as f64 * 0.7).sin();
            s.u[i] = 0.05 * ((i * 3) as f64).cos();
        }
        let before = sim.model.momentum(0.0, &s.u, &s.v);
        let mut whole = s.clone();
        let at_once = sim.model.damp_velocities(0.3, &mut whole);
        let after = sim.model.momentum(0.0, &whole.u, &whole.v);
        for k in 0..3 {
            assert!((before.linear[k] - after.linear[k]).abs() < 1e-12, "{mass}");
            assert!(
                (before.angular[k] - after.angular[k]).abs() < 1e-12,
                "{mass}"
            );
        }
        let mut cut = s.clone();
        let parts: f64 = [0.1, 0.05, 0.15]
            .map(|h| sim.model.damp_velocities(h, &mut cut))
            .iter()
            .sum();
        assert!(
            at_once < -0.1 && (parts - at_once).abs() < 1e-12,
            "{parts} {at_once}"
        );
        let mut still = s.clone();
        let all = sim.model.damp_velocities(1e9, &mut still);
        // The non-rigid part has energy −all; e^(−2kh) of it remains.
        let left = (all - at_once) / all;
        assert!((left - (-2.0 * 2.0 * 0.3f64).exp()).abs() < 1e-12, "{left}");
    }
}

#[test]
fn drag_decays_exactly_for_every_step_length() {
    let text = TURNING
        .replace("{mass}", "lumped")
        .replace("rigid-free = 2.0", "drag = 1.5")
        .replace("angular = [1.0, 2.0, 3.0]", "angular = [0.0, 0.0, 0.0]");
    for h in ["0.1", "0.01"] {
        let rows = record_steps(&mut simulation(&text, &[("time.step", h)]), u64::MAX);
        let last = rows.last().unwrap();
        let kept = last.energy / rows[0].energy;
        assert!((kept - (-3.0f64).exp()).abs() < 1e-9, "{h}: {kept}");
        assert!((last.damping + rows[0].energy - last.energy).abs() < 1e-9 * rows[0].energy);
    }
}
