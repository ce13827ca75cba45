//! Exponential methods, modal energies and modal damping in scenes.

use march::State;
use scene::build::build;
use scene::session::Session;
use scene::spec::parse;

/// Cantilever with one body, of a linear law unless replaced.
const BAR: &str = r#"
gravity = [0.0, 0.0, 0.0]
[time]
method = {method}
step = {step}
until = 10.0
[[body]]
name = "bar"
mesh = { box = { size = [1.0, 0.1, 0.15], cells = [8, 1, 1], element = "hex8" } }
material = { law = "linear", young = 1e6, poisson = 0.3, density = 1000 }
velocity = { linear = [0.0, 1.0, 0.3] }
{damping}
[[body.fix]]
where = { x = 0.0 }
[output]
modes = 6
"#;

fn text(method: &str, step: f64, damping: &str) -> String {
    BAR.replace("{method}", method)
        .replace("{step}", &format!("{step:?}"))
        .replace("{damping}", damping)
}

fn open(text: &str) -> Session {
    let (scene, source) = parse("scene.toml", text).unwrap();
    build(scene, &source).unwrap_or_else(|why| panic!("{why}"))
}

fn refusal(text: &str) -> String {
    let refused = parse("scene.toml", text).map(|(scene, source)| build(scene, &source));
    match refused {
        Ok(Ok(_)) => panic!("accepted"),
        Ok(Err(why)) => why.to_string(),
        Err(why) => why.to_string(),
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

/// One long step of a linear body ends where many short ones end: held, with an end that moves at constant speed, under a
/// load that grows linearly, and free, where the stiffness is singular. All have gravity and Rayleigh damping.
#[test]
fn ere_is_exact_on_linear_bodies_at_any_step() {
    let hold = "[[body.fix]]\nwhere = { x = 0.0 }\n";
    let pull = "[[body.fix]]\nwhere = { x = 1.0 }\nmotion = { speed = { translate = [0.02, 0.1, 0.0] } }\n";
    let load =
        "[[body.traction]]\nwhere = { x = 1.0 }\nforce-per-area = [0.0, 90.0, -40.0]\nramp = 2.0\n";
    let cases = [
        ("held", hold.to_owned()),
        ("pulled", format!("{hold}{pull}")),
        ("loaded", format!("{hold}{load}")),
        ("free", String::new()),
        ("free and loaded", load.to_owned()),
    ];
    let damping = "damping = { mass = 0.7, stiffness = 1e-4 }";
    for (case, boundary) in cases {
        let run = |step: f64, steps: u32| {
            let scene = text("\"ere\"", step, damping)
                .replace("[0.0, 0.0, 0.0]", "[0.0, 0.0, -9.81]")
                .replace(hold, &boundary);
            let mut sim = open(&scene);
            (0..steps).for_each(|_| {
                sim.step().unwrap();
            });
            sim.state().clone()
        };
        let fine = run(0.01, 50);
        for (step, steps) in [(0.5, 1), (0.1, 5)] {
            let coarse = run(step, steps);
            for (a, b) in [(&coarse.u, &fine.u), (&coarse.v, &fine.v)] {
                let error = difference(a, b) / largest(b);
                assert!(error < 1e-10, "{case}, step {step}: {error:e}");
            }
        }
    }
}

/// Starts in a mode, with displacement and velocity, and returns the largest error of its motion relative to its size.
fn error_on_mode(method: &str, mode: usize, step: f64) -> f64 {
    let mut sim = open(&text(method, step, ""));
    let (x, w) = (
        sim.modes[mode].vector.clone(),
        sim.modes[mode].square.sqrt(),
    );
    let start = State {
        t: 0.0,
        u: x.iter().map(|x| 1e-3 * x).collect(),
        v: x.iter().map(|x| 2e-3 * w * x).collect(),
    };
    sim.start_from(&start);
    let mut worst = 0.0_f64;
    for _ in 0..7 {
        sim.step().unwrap();
        let (s, c) = (w * sim.t()).sin_cos();
        let u: Vec<f64> = x.iter().map(|x| x * (1e-3 * c + 2e-3 * s)).collect();
        let v: Vec<f64> = x.iter().map(|x| x * w * (2e-3 * c - 1e-3 * s)).collect();
        worst = worst
            .max(difference(&sim.state().u, &u) / (3e-3 * largest(&x)))
            .max(difference(&sim.state().v, &v) / (3e-3 * w * largest(&x)));
    }
    worst
}

#[test]
fn siere_be_ere_and_the_exact_variant_are_exact_on_their_modes() {
    for name in [
        "siere",
        "be-ere",
        "tr-bdf2-ere-exact",
        "s-tr-bdf2-ere-exact",
    ] {
        let method = format!("{{ name = \"{name}\", modes = 4 }}");
        for mode in [0, 1, 3] {
            for step in [0.01, 0.2] {
                let error = error_on_mode(&method, mode, step);
                assert!(error < 1e-7, "{name}, mode {mode}, step {step}: {error:e}");
            }
        }
        // The fifth mode is not among the four: it is damped by the implicit method.
        let outside = error_on_mode(&method, 4, 0.2);
        assert!(outside > 1e-2, "{name}: {outside:e}");
    }
}

/// Amplitude of the first mode after a time, by the energy of the mode. The bar is stiff enough to swing several times within
/// a half-life.
fn amplitude(method: &str, step: f64, until: f64, damping: &str) -> f64 {
    let text = text(&format!("\"{method}\""), step, damping);
    let mut sim = open(&text.replace("young = 1e6", "young = 5e7"));
    let start = State {
        t: 0.0,
        u: sim.modes[0].vector.iter().map(|x| 1e-3 * x).collect(),
        v: vec![0.0; sim.state().v.len()],
    };
    sim.start_from(&start);
    while sim.t() < until - 0.5 * step {
        sim.step().unwrap();
    }
    sim.modes[0].energy(sim.state()).sqrt()
}

#[test]
fn modal_damping_has_its_half_life_under_every_method_and_step() {
    let half_life = 0.4;
    let band = format!(
        "damping = {{ modal = [{{ from-hz = 1.0, to-hz = 8.0, half-life = {half_life} }}] }}"
    );
    for method in ["backward-euler", "sdirk2", "newmark"] {
        for step in [0.002, 0.01, 0.04] {
            // Net of the damping of the method, which backward Euler has much of.
            let until = 2.4;
            let own = amplitude(method, step, until, "");
            let both = amplitude(method, step, until, &band);
            let found = until * std::f64::consts::LN_2 / (own / both).ln();
            assert!(
                (found / half_life - 1.0).abs() < 0.05,
                "{method}, step {step}: half-life {found} s"
            );
        }
    }
}

/// Modes outside the band are not damped.
#[test]
fn modal_damping_leaves_other_modes_alone() {
    let band = "damping = { modal = [{ from-hz = 30.0, to-hz = 60.0, half-life = 0.05 }] }";
    let (own, both) = (
        amplitude("newmark", 0.002, 0.4, ""),
        amplitude("newmark", 0.002, 0.4, band),
    );
    assert!((own / both - 1.0).abs() < 1e-6, "{own} and {both}");
}

#[test]
fn half_lives_that_stop_the_oscillation_are_refused() {
    let band = "damping = { modal = [{ from-hz = 1.0, to-hz = 8.0, half-life = 1e-4 }] }";
    let sentence = refusal(&text("\"sdirk2\"", 0.01, band));
    assert!(
        sentence.contains("half-life") && sentence.contains("Hz"),
        "{sentence}"
    );
}

/// Where a mode would no longer oscillate from step to step, damping of its velocity does not have the half-life. The step of the
/// message does.
#[test]
fn steps_that_cannot_have_the_half_life_are_refused_with_one_that_can() {
    let band = "damping = { modal = [{ from-hz = 1.0, to-hz = 8.0, half-life = 0.05 }] }";
    for (method, step) in [("backward-euler", 0.4), ("newmark", 1.0), ("tr-bdf2", 0.6)] {
        let scene = |step: f64| {
            let scene = text(&format!("\"{method}\""), step, band);
            scene.replace("young = 1e6", "young = 5e7")
        };
        let sentence = refusal(&scene(step));
        let words = ["half-life", method, "Hz", "use time.step = "];
        assert!(words.iter().all(|w| sentence.contains(w)), "{sentence}");
        let (_, named) = sentence.split_once("use time.step = ").unwrap();
        let named: f64 = named.split_whitespace().next().unwrap().parse().unwrap();
        assert!(named < step, "{sentence}");
        open(&scene(named));
        let until = 40.0 * named;
        let [own, both] = ["", band].map(|band| amplitude(method, named, until, band));
        let found = until * std::f64::consts::LN_2 / (own / both).ln();
        let error = (found / 0.05 - 1.0).abs();
        assert!(error < 0.05, "{method}, step {named}: half-life {found} s");
    }
}

/// What changes the end of a step keeps the modes: `refresh` alone says when they are computed.
#[test]
fn damping_tracking_and_contact_keep_the_modes() {
    let method = "{ name = \"siere\", modes = 4, refresh = \"once\" }";
    let factorizations = |damping: &str, more: &str| {
        let mut sim = open(&format!("{}{more}", text(method, 0.01, damping)));
        (0..6).for_each(|_| {
            sim.step().unwrap();
        });
        sim.totals().work.factorizations
    };
    let plain = factorizations("", "");
    for damping in [
        "damping = { drag = 0.5 }",
        "damping = { modal = [{ from-hz = 0.1, to-hz = 8.0, half-life = 9.0 }] }",
    ] {
        assert_eq!(factorizations(damping, ""), plain, "{damping}");
    }
    let tracked = |modes: &str| {
        let scene =
            text(modes, 0.01, "") + "[time.stabilise]\nkind = \"project\"\ntolerance = 1e-9\n";
        let mut sim = open(&scene);
        (0..6).for_each(|_| {
            sim.step().unwrap();
        });
        sim.totals().work.solves
    };
    let every_step = tracked("{ name = \"siere\", modes = 4, refresh = 1 }");
    assert!(tracked(method) + 100 < every_step, "{every_step}");
}

#[test]
fn numbers_of_modes_are_checked() {
    for (method, words) in [
        ("{ name = \"siere\", modes = 0 }", ["modes", "1"]),
        (
            "{ name = \"siere\", modes = 5000 }",
            ["5000 modes", "unknowns"],
        ),
        (
            "{ name = \"siere\", refresh = \"often\" }",
            ["refresh", "once"],
        ),
        ("{ name = \"sdirk2\", modes = 3 }", ["sdirk2", "modes"]),
    ] {
        let sentence = refusal(&text(method, 0.01, ""));
        let found = words.iter().all(|w| sentence.contains(w));
        assert!(found, "{method}: {sentence}");
    }
    let many = text("\"sdirk2\"", 0.01, "").replace("modes = 6", "modes = 999");
    let sentence = refusal(&many);
    assert!(sentence.contains("999 modes"), "{sentence}");
}

/// Conjugate gradients have no factors: solves are approximate, modes are computed by a factorization of their own.
#[test]
fn conjugate_gradients_serve_methods_with_modes() {
    let scene = text("{ name = \"siere\", modes = 4 }", 0.01, "");
    let run = |scene: &str| {
        let mut sim = open(scene);
        (0..10).for_each(|_| {
            sim.step().unwrap();
        });
        sim.state().u.clone()
    };
    let direct = run(&scene);
    let iterative = run(&format!("{scene}\n[solver]\nlinear = \"cg\"\n"));
    let error = difference(&direct, &iterative) / largest(&direct);
    assert!(error < 1e-6, "{error:e}");
}

#[test]
fn modal_energies_of_exact_methods_are_constant() {
    let mut sim = open(&text("{ name = \"siere\", modes = 6 }", 0.05, ""));
    let energies =
        |sim: &Session| -> Vec<f64> { sim.modes.iter().map(|m| m.energy(sim.state())).collect() };
    let before = energies(&sim);
    (0..10).for_each(|_| {
        sim.step().unwrap();
    });
    for (a, b) in before.iter().zip(energies(&sim)) {
        assert!((a - b).abs() <= 1e-8 * before[0], "{before:?}");
    }
    assert!(before[0] > 0.0);
}
