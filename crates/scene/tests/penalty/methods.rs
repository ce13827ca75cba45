//! Every method of the registry carries penalty contact, and local/global iterations agree with Newton's method.

use march::methods::METHODS;

use super::{run, session, try_session, two_cubes};

/// Every method runs two cubes that fall on each other and on obstacles; the ledger closes and friction takes energy.
#[test]
fn every_method_carries_penalty_contact() {
    let mut count = 0;
    let implicit = METHODS.iter().filter(|m| m.is_implicit());
    let semi: Vec<String> = implicit.map(|m| format!("s-{}", m.name)).collect();
    for name in METHODS
        .iter()
        .map(|m| m.name)
        .chain(semi.iter().map(String::as_str))
    {
        let text = two_cubes(name, "friction = 0.3\nrestitution = 0.8\n", "")
            .replace("until = 0.12", "until = 0.07");
        let Ok(mut s) = try_session(&text) else {
            continue;
        };
        let explicit = !s.method.method.is_implicit();
        if s.method.is_static() || ["forward-euler", "explicit-midpoint"].contains(&name) {
            continue;
        }
        // Linearised stages do not see that a contact begins within the step.
        let linearised = name.contains("ros") || name.contains("rodas");
        if explicit || linearised {
            s = session(&text.replace("step = 0.004", "step = 0.0005"));
        }
        let mut before = s.energies().total();
        let mut touched = false;
        run(&mut s, |s| {
            let row = *s.row();
            let total = row.energies.total();
            let e = row.entry;
            let sum =
                e.damping + e.friction + e.contact + e.numerical + e.residual + e.work + e.fracture;
            assert!(
                (sum - (total - before)).abs() < 1e-10 * 100.0,
                "{name}: {e:?}"
            );
            assert!(e.friction <= 0.0, "{name}: {e:?}");
            before = total;
            touched |= s.contacts()[1].len() > 1;
        });
        assert!(touched, "{name}: nothing touched");
        assert!(
            s.positions()
                .as_flattened()
                .iter()
                .all(|x| x.is_finite() && x.abs() < 2.0),
            "{name}"
        );
        count += 1;
    }
    assert!(count >= 30, "{count} methods");
}

/// With many iterations local/global steps are those of Newton's method, contact included.
#[test]
fn local_global_iterations_converge_to_the_newton_step() {
    let newton = two_cubes("backward-euler", "", "[solver]\ntolerance = 1e-11\n");
    let other = "[solver]\nnewton = \"local-global\"\niterations = 400\n";
    let iterated = two_cubes("backward-euler", "", other);
    let (mut a, mut b) = (session(&newton), session(&iterated));
    let mut worst = 0.0_f64;
    while a.t() < 0.08 {
        a.step().unwrap();
        b.step().unwrap();
        for (x, y) in a
            .positions()
            .as_flattened()
            .iter()
            .zip(b.positions().as_flattened())
        {
            worst = worst.max((x - y).abs());
        }
    }
    assert!(a.contacts()[1].len() >= 2, "two pairs should touch");
    assert!(worst < 1e-5, "{worst} m apart");
}

/// A cube that falls on spheres keeps its energy under energy tracking and returns to near its height; backward Euler does not.
#[test]
fn a_cube_on_spheres_returns_with_energy_tracking() {
    let tracked = include_str!("../../../../scenes/spheres.toml")
        .replace("[6, 6, 6]", "[4, 4, 4]")
        .replace("until = 2.0", "until = 0.9");
    let plain = tracked
        .replace("implicit-midpoint", "backward-euler")
        .replace("[time.stabilise]\nkind = \"blend\"\n", "");
    assert!(!plain.contains("stabilise"));
    let mut highest = Vec::new();
    for text in [tracked, plain] {
        let mut s = session(&text);
        let mass: f64 = s.model.node_mass().iter().sum();
        let start = s.energies();
        let (mut low, mut high, mut drift) = (f64::INFINITY, f64::NEG_INFINITY, 0.0_f64);
        let mut most_kinetic = 0.0_f64;
        run(&mut s, |s| {
            let (row, height) = (s.row(), s.row().energies.gravitational / (mass * super::G));
            assert_eq!(
                row.entry.contact, 0.0,
                "gaps from spheres are evaluated exactly"
            );
            most_kinetic = most_kinetic.max(row.energies.kinetic);
            drift = drift.max((row.energies.total() - start.total()).abs());
            if height < low {
                (low, high) = (height, height);
            }
            high = high.max(height);
        });
        let fall = start.gravitational / (mass * super::G) - low;
        highest.push(((high - low) / fall, drift / most_kinetic));
    }
    let [(tracked, drift), (plain, _)] = highest[..] else {
        panic!("two runs");
    };
    assert!(drift < 0.05, "the energy drifts by {drift}");
    assert!(
        tracked > 0.7 && tracked > plain + 0.2,
        "returns {tracked} and {plain}"
    );
}

/// A ring is pressed flat until its inner walls meet: springs of a body and itself keep them apart.
#[test]
fn a_body_touches_itself() {
    let gap = |own: bool| {
        let text = format!(
            r#"
gravity = [0, 0, 0]
[time]
method = "backward-euler"
step = 0.01
until = 1.0
[[body]]
name = "ring"
mesh = {{ torus = {{ radius = 0.2, tube = 0.05, cells = 3, around = 24, axis = "z" }} }}
material = {{ young = 1e4, poisson = 0.3, density = 1000 }}
damping = {{ mass = 2.0 }}
[[body.fix]]
where = {{ min = [-0.1, 0.22, -0.1], max = [0.1, 0.3, 0.1] }}
motion = {{ keys = [{{ t = 0 }}, {{ t = 1, translate = [0, -0.35, 0] }}] }}
[[body.fix]]
where = {{ min = [-0.1, -0.3, -0.1], max = [0.1, -0.22, 0.1] }}
[contact]
kind = "penalty"
self = {own}
reach = 0.01
stiffness = 2e4
"#
        );
        let mut s = session(&text);
        let rest = s.positions();
        let inner = |sign: f64| {
            let near = rest
                .iter()
                .enumerate()
                .filter(move |(_, x)| x[0].abs() < 0.03 && (0.0..0.17).contains(&(sign * x[1])));
            near.map(|(i, _)| i).collect::<Vec<_>>()
        };
        let [top, bottom] = [inner(1.0), inner(-1.0)];
        assert!(!top.is_empty() && !bottom.is_empty());
        run(&mut s, |_| {});
        let x = s.positions();
        let least = top.iter().map(|&i| x[i][1]).fold(f64::INFINITY, f64::min);
        let most = bottom
            .iter()
            .map(|&i| x[i][1])
            .fold(f64::NEG_INFINITY, f64::max);
        least - most
    };
    let (touches, passes) = (gap(true), gap(false));
    println!("gaps {touches} and {passes} m");
    assert!(passes < -0.01, "without contact the walls pass: {passes} m");
    assert!(touches > -0.005, "the walls overlap by {touches} m");
}
