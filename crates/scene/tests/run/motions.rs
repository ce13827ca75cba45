//! Prescribed motions: eases, constant speed, kinks and their work.

use super::simulation;

/// A block whose left face is moved.
fn moved(motion: &str, time: &str) -> String {
    format!(
        "gravity = [0, 0, 0]\n[time]\nstep = 0.01\nuntil = 0.4\n{time}\n[[body]]\n\
         mesh = {{ box = {{ size = [0.4, 0.1, 0.1], cells = [4, 1, 1] }} }}\n\
         material = {{ young = 1e5, poisson = 0.3, density = 1000 }}\n[[body.fix]]\nwhere = {{ x = 0 }}\nmotion = {motion}\n"
    )
}

const KEYS: &str = "keys = [{ t = 0 }, { t = 0.1, translate = [0, 0.02, 0] }, { t = 0.25, translate = [0, -0.01, 0], rotate-deg = [0, 0, 10] }]";

#[test]
fn held_nodes_follow_the_ease() {
    for (ease, quarter) in [
        ("quintic", 0.103_515_625),
        ("cubic", 0.156_25),
        ("linear", 0.25),
    ] {
        let mut sim = simulation(&moved(&format!("{{ {KEYS}, ease = \"{ease}\" }}"), ""));
        let y = |sim: &mut scene::session::Session| sim.positions()[0][1];
        let rest = sim.model.rest()[0][1];
        let at = sim.state_at(0.0);
        assert_eq!(at.t, 0.0);
        sim.run_until(0.02, &mut |_, _| scene::run::Flow::On)
            .unwrap();
        sim.set_controller(Box::new(march::FixedSteps::from(0.02, 0.005)));
        sim.step().unwrap();
        assert!((sim.t() - 0.025).abs() < 1e-12);
        assert!(
            (y(&mut sim) - rest - 0.02 * quarter).abs() < 1e-12,
            "{ease}"
        );
    }
    // The default is quintic.
    let plain = simulation(&moved(&format!("{{ {KEYS} }}"), "")).scene;
    let named = simulation(&moved(&format!("{{ {KEYS}, ease = \"quintic\" }}"), "")).scene;
    assert_eq!(plain, named);
}

#[test]
fn step_control_stops_at_the_keys_of_every_ease() {
    for ease in ["quintic", "cubic", "linear"] {
        let control = "control = { kind = \"auto\", tolerance = 1e-3 }";
        let mut sim = simulation(&moved(&format!("{{ {KEYS}, ease = \"{ease}\" }}"), control));
        let mut times = Vec::new();
        sim.run_until(0.4, &mut |_, row| {
            times.push(row.t);
            scene::run::Flow::On
        })
        .unwrap();
        for key in [0.1, 0.25] {
            assert!(
                times.contains(&key),
                "{ease}: no step ends at {key}: {times:?}"
            );
        }
    }
}

/// The velocity of the held nodes jumps at the keys of linear ease. The jump of kinetic energy is work of the support.
#[test]
fn jumps_of_the_speed_are_booked_as_work() {
    let numerical = |step: f64| {
        let keys = "keys = [{ t = 0 }, { t = 0.1, translate = [0, 0.02, 0] }, { t = 0.2 }]";
        let text = moved(
            &format!("{{ {keys}, ease = \"linear\" }}"),
            "method = \"implicit-midpoint\"",
        );
        let text = text.replace("step = 0.01", &format!("step = {step}"));
        let mut sim = simulation(&text);
        sim.run_until(0.3, &mut |_, _| scene::run::Flow::On)
            .unwrap();
        sim.totals().ledger.numerical.abs()
    };
    // Held nodes carry 1/8 of 4 kg; the jump by 0.4 m/s moves energy of about 0.5 kg · (0.2 m/s)²/2 = 10 mJ at each key.
    let [coarse, fine] = [0.005, 0.001].map(numerical);
    assert!(fine < 2e-3 && fine < 0.5 * coarse, "{coarse} {fine}");
}

#[test]
fn constant_speed_turns_a_free_bar_rigidly() {
    let speed =
        "{ speed = { translate = [0.3, 0, 0], rotate-deg = [0, 0, 90], about = [0, 0, 0] } }";
    let mut sim = simulation(&moved(speed, ""));
    sim.run_until(0.4, &mut |_, _| scene::run::Flow::On)
        .unwrap();
    let (x, v) = (sim.positions()[0], sim.velocities()[0]);
    let rest = sim.model.rest()[0];
    let (s, c) = (0.4 * std::f64::consts::FRAC_PI_2).sin_cos();
    let turned = [c * rest[0] - s * rest[1] + 0.12, s * rest[0] + c * rest[1]];
    let rate = std::f64::consts::FRAC_PI_2;
    let moving = [0.3 - rate * turned[1], rate * (turned[0] - 0.12)];
    for k in 0..2 {
        assert!((x[k] - turned[k]).abs() < 1e-12 && (v[k] - moving[k]).abs() < 1e-12);
    }
    let none = moved("{ speed = {} }", "");
    let refusal = scene::spec::parse("s.toml", &none).unwrap_err().to_string();
    assert!(
        refusal.contains("has neither translate nor rotate-deg"),
        "{refusal}"
    );
    let both = moved(
        "{ speed = { translate = [1, 0, 0] }, ease = \"linear\" }",
        "",
    );
    let refusal = scene::spec::parse("s.toml", &both).unwrap_err().to_string();
    assert!(refusal.contains("cannot be combined with"), "{refusal}");
}
