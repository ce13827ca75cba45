//! Step control by error estimates: steps, orders, resume, tables and refusals.

use scene::build::build;
use scene::run::{Flow, RunOptions, run};
use scene::session::Session;
use scene::spec::parse;

use super::session;

/// The hardening spring of [Linearized Force Error, fig. 1], with a first step of 1 ms and steps of at most 0.25 s.
fn spring(method: &str, tolerance: f64, exponent: f64) -> Session {
    session(&format!(
        r#"
gravity = [0.0, 0.0, 0.0]
[time]
method = "{method}"
step = 0.001
until = 2.0
[time.control]
kind = "force-error"
tolerance = {tolerance:?}
safety = 0.5
exponent = {exponent:?}
max = 0.25
min = 1e-9
[[particle]]
position = [-1.0, 0.0, 0.0]
mass = 1.0
[[spring]]
a = 0
b = [0.0, 0.0, 0.0]
law = "cubic"
stiffness = 100.0
damping = 1.0
rest = 0.0
"#
    ))
}

/// Accepted and rejected attempts of a run.
fn counts(method: &str, tolerance: f64, exponent: f64) -> (u64, u64) {
    let mut s = spring(method, tolerance, exponent);
    s.run_until(2.0, &mut |_, _| Flow::On).unwrap();
    assert_eq!(s.t(), 2.0);
    (s.totals().steps, s.totals().rejected)
}

/// Counts the steps by scalar formulas: ẍ = −100 (x + x³) − (v + v³), linearised backward Euler or Newmark steps, and the
/// step rule of [Linearized Force Error, eq. 12].
fn oracle(newmark: bool, tolerance: f64, exponent: f64) -> (u64, u64) {
    let force = |x: f64, v: f64| -100.0 * (x + x * x * x) - (v + v * v * v);
    let (mut t, mut x, mut v, mut h) = (0.0, -1.0f64, 0.0f64, 1e-3f64);
    let mut a = force(x, v);
    let (mut accepted, mut rejected) = (0, 0);
    while t < 2.0 - 1e-12 {
        let step = if t + h >= 2.0 - 1e-12 { 2.0 - t } else { h };
        let (k, d) = (100.0 * (1.0 + 3.0 * x * x), 1.0 + 3.0 * v * v);
        let (c_u, c_v, x0, v0) = match newmark {
            true => {
                let (q, w) = (0.25 * step * step, 0.5 * step);
                (q, w, x + step * v + q * a, v + w * a)
            }
            false => (step * step, step, x + step * v, v),
        };
        let new = (force(x, v) - k * (x0 - x) - d * (v0 - v)) / (1.0 + c_v * d + c_u * k);
        let (x1, v1) = (x0 + c_u * new, v0 + c_v * new);
        let error = c_u * (force(x1, v1) - new).abs();
        h = (step * (0.5 * tolerance / error).powf(exponent)).min(0.25);
        if error <= tolerance {
            (t, x, v, a) = (t + step, x1, v1, new);
            accepted += 1;
        } else {
            rejected += 1;
        }
    }
    (accepted, rejected)
}

/// The counts are those of an independent program for [Linearized Force Error, eq. 12], up to one step.
#[test]
fn the_published_step_rule_takes_the_expected_steps() {
    let wanted = [(1e-2, 21, 4), (1e-3, 34, 7), (1e-4, 60, 8)];
    for (tolerance, accepted, rejected) in wanted {
        let (a, r) = counts("s-backward-euler", tolerance, 1.0 / 3.0);
        assert!(a.abs_diff(accepted) <= 1, "{tolerance}: {a} accepted");
        assert!(r.abs_diff(rejected) <= 1, "{tolerance}: {r} rejected");
    }
}

#[test]
fn step_counts_match_scalar_formulas() {
    for tolerance in [3e-2, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6] {
        for exponent in [1.0 / 3.0, 0.25] {
            let found = counts("s-backward-euler", tolerance, exponent);
            assert_eq!(
                found,
                oracle(false, tolerance, exponent),
                "{tolerance}, {exponent}"
            );
            let found = counts("s-newmark", tolerance, exponent);
            assert_eq!(
                found,
                oracle(true, tolerance, exponent),
                "Newmark, {tolerance}, {exponent}"
            );
        }
    }
}

/// The force error of a smooth force is of order h⁴ for every implicit method.
#[test]
fn the_force_error_falls_with_the_fourth_power_of_the_step() {
    for method in [
        "backward-euler",
        "sdirk2",
        "newmark",
        "bdf2",
        "rodas4",
        "s-tr-bdf2",
    ] {
        let error = |h: f64| {
            let mut s = spring(method, 1e3, 0.25);
            // Initial velocity: at rest the leading error terms vanish.
            s.run_until(0.05, &mut |_, _| Flow::On).unwrap();
            s.set_step(h).unwrap();
            s.step().unwrap();
            let decisions = s.time_loop().decisions();
            decisions[decisions.len() - 1].measured[0].unwrap().error
        };
        let order = (error(2e-4) / error(1e-4)).log2();
        assert!((order - 4.0).abs() < 0.3, "{method}: {order}");
    }
}

/// The order is also h⁴ for a body with a moving boundary: F̃ includes the motion of prescribed nodes to first order;
/// without it the order would be h³.
#[test]
fn the_force_error_falls_with_the_fourth_power_on_a_shaken_body() {
    for method in ["backward-euler", "sdirk2", "rodas4"] {
        let shake = "motion = { shake = { axis = \"y\", amplitude = 0.05, frequency = 3.0 } }\n";
        let text = bar(method, "force-error", "1e3").replace(
            "where = { x = 0.0 }\n",
            &format!("where = {{ x = 0.0 }}\n{shake}"),
        );
        let error = |h: f64| {
            let mut s = session(&text);
            s.set_controller(Box::new(march::FixedSteps::new(0.001)));
            s.run_until(0.03, &mut |_, _| Flow::On).unwrap();
            s.set_controller(Box::new(force_control(h, 1e3, None)));
            s.step().unwrap();
            s.time_loop().decisions()[0].measured[0].unwrap().error
        };
        let order = (error(4e-4) / error(2e-4)).log2();
        assert!((order - 4.0).abs() < 0.4, "{method}: {order}");
    }
}

/// Creates a controller of the force error, alone or with another estimate, with a first step of length `h`.
fn force_control(h: f64, tolerance: f64, beside: Option<march::Estimate>) -> march::ErrorControl {
    let criterion = |estimate| march::Criterion {
        estimate,
        exponent: 0.25,
    };
    let settings = march::ErrorSettings {
        criteria: [
            Some(criterion(march::Estimate::Force)),
            beside.map(criterion),
        ],
        tolerance,
        per_unit_step: false,
        safety: 0.5,
        rule: march::StepRule::Plain,
        limits: march::StepLimits {
            min: 1e-9,
            max: 1.0,
        },
        estimates_need_history: false,
    };
    march::ErrorControl::new(Some(h), settings)
}

/// With another estimate M⁻¹ is applied by a few iterations instead of a factorization. Of the linear elements, hexahedra
/// have the widest spectrum of D⁻¹M.
#[test]
fn the_force_error_beside_another_estimate_is_that_alone_to_two_percent() {
    for method in ["sdirk2", "sdirk3", "rodas4"] {
        let step = |tolerance: f64, beside| {
            let mut s = session(&bar(method, "embedded", "1e3"));
            s.set_controller(Box::new(march::FixedSteps::new(0.001)));
            s.run_until(0.05, &mut |_, _| Flow::On).unwrap();
            let before = s.totals().work;
            s.set_controller(Box::new(force_control(0.004, tolerance, beside)));
            s.step().unwrap();
            let measured = s.time_loop().decisions()[0].measured;
            let force = measured
                .iter()
                .flatten()
                .find(|m| m.estimate == "force-error");
            (force.unwrap().error, s.totals().work.since(&before))
        };
        let (alone, work_alone) = step(1e3, None);
        let (beside, work_beside) = step(2.0 * alone, Some(march::Estimate::Embedded));
        let ratio = beside / alone;
        assert!(
            (ratio - 1.0).abs() < 0.02,
            "{method}: {beside} m, alone {alone} m"
        );
        assert!(
            work_beside.products > work_alone.products,
            "{method}: {work_beside:?}, alone {work_alone:?}"
        );
    }
}

const BAR: &str = r#"
[time]
method = "{method}"
step = 0.001
until = 0.2
[time.control]
kind = "{kind}"
tolerance = {tolerance}
[[body]]
mesh = { box = { size = [1.0, 0.2, 0.2], cells = [5, 1, 1], element = "hex8" } }
material = { law = "stable-neo-hookean", young = 1e5, poisson = 0.3, density = 1000 }
[[body.fix]]
where = { x = 0.0 }
[[probe]]
name = "tip"
body = "body-0"
near = [1.0, 0.2, 0.2]
"#;

pub(super) fn bar(method: &str, kind: &str, tolerance: &str) -> String {
    BAR.replace("{method}", method)
        .replace("{kind}", kind)
        .replace("{tolerance}", tolerance)
        .replace("body = \"body-0\"\n", "body = \"bar\"\n")
        .replace("[[body]]\n", "[[body]]\nname = \"bar\"\n")
}

/// Returns the final positions of the nodes and the number of steps.
fn end(text: &str) -> (Vec<[f64; 3]>, u64) {
    let mut s = session(text);
    s.run_until(0.2, &mut |_, _| Flow::On).unwrap();
    (s.positions(), s.totals().steps)
}

#[test]
fn a_tighter_tolerance_of_the_embedded_estimate_gives_a_smaller_error() {
    let distance = |a: &[[f64; 3]], b: &[[f64; 3]]| {
        let pairs = a.as_flattened().iter().zip(b.as_flattened());
        pairs.fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()))
    };
    for method in ["sdirk2", "sdirk3", "rodas4"] {
        let (fine, _) = end(&bar("rodas4", "embedded", "1e-9"));
        let (coarse, few) = end(&bar(method, "embedded", "1e-4"));
        let (better, many) = end(&bar(method, "embedded", "1e-6"));
        let (e1, e2) = (distance(&coarse, &fine), distance(&better, &fine));
        assert!(
            e2 < 0.2 * e1 && few < many,
            "{method}: {e1} {e2}, {few} {many} steps"
        );
    }
}

/// Runs a scene uninterrupted, and stopped after five steps and resumed; the tables must be equal. Returns the folder and
/// report of the first run.
fn resumed(text: &str) -> (tempfile::TempDir, scene::run::Report) {
    let open = || {
        let (scene, source) = parse("scene.toml", text).unwrap();
        build(scene, &source).unwrap()
    };
    let [whole, cut] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let options = |dir: &tempfile::TempDir, resume: bool| RunOptions {
        out: dir.path().into(),
        resume: resume.then(|| dir.path().join("checkpoint.supple")),
    };
    let report = run(&mut open(), &options(&whole, false), &mut |_| Flow::On).unwrap();
    run(
        &mut open(),
        &options(&cut, false),
        &mut |p| match p.steps >= 5 {
            true => Flow::Stop,
            false => Flow::On,
        },
    )
    .unwrap();
    run(&mut open(), &options(&cut, true), &mut |_| Flow::On).unwrap();
    for name in ["control.csv", "steps.csv", "ledger.csv", "probes.csv"] {
        let [a, b] = [&whole, &cut].map(|d| std::fs::read_to_string(d.path().join(name)).unwrap());
        assert_eq!(a, b, "{name}");
    }
    (whole, report)
}

/// Checkpoints include the next step, the last error, the history of the estimate and the factors of several step lengths.
#[test]
fn every_kind_of_control_resumes_bit_for_bit() {
    for kind in [
        "auto",
        "embedded",
        "doubling",
        "speed",
        "stretch",
        "force-error",
    ] {
        for method in ["newmark", "bdf2", "sdirk2"] {
            let text = bar(method, kind, "1e-3").replace("step = 0.001\n", "");
            resumed(&text);
        }
    }
    let tracked = bar("implicit-midpoint", "auto", "1e-3") + "[time.stabilise]\ntolerance = 1e-6\n";
    resumed(&tracked);
}

/// Every decision is a row of `control.csv`.
#[test]
fn decisions_are_written() {
    let text = bar("s-sdirk2", "force-error", "1e-5")
        .replace("tolerance = 1e-5", "tolerance = 1e-5\nexponent = 0.25");
    let (whole, report) = resumed(&text.replace("step = 0.001", "step = 0.05"));
    let control = std::fs::read_to_string(whole.path().join("control.csv")).unwrap();
    let rows: Vec<Vec<&str>> = control.lines().map(|l| l.split(',').collect()).collect();
    let columns = ["t", "h", "error", "estimate", "accepted", "reason"];
    assert_eq!(rows[0][..6], columns);
    assert_eq!(rows[0][6..], ["other_error", "other_estimate"]);
    let count = |word: &str| rows.iter().filter(|r| r[4] == word).count() as u64;
    assert_eq!(
        (count("true"), count("false")),
        (report.steps, report.rejected)
    );
    assert!(report.rejected > 0);
    for row in &rows[1..] {
        let error: f64 = row[2].parse().unwrap();
        assert_eq!(row[4] == "true", error <= 1e-5, "{row:?}");
        assert_eq!(row[3], "force-error");
    }
}

#[test]
fn unsuitable_step_controls_are_refused() {
    let refused = |text: &str| match parse("scene.toml", text) {
        Err(errors) => errors.to_string(),
        Ok((scene, source)) => match build(scene, &source) {
            Err(errors) => errors.to_string(),
            Ok(_) => panic!("should be refused"),
        },
    };
    let said = refused(&bar("rk4", "force-error", "1e-3"));
    assert!(said.contains("\"rk4\" is explicit"), "{said}");
    let own = bar("sdirk2", "embedded", "1e-3").replace(
        "method = \"sdirk2\"",
        "method = { name = \"dirk\", A = [[0.5]], b = [1.0] }",
    );
    let said = refused(&own);
    assert!(said.contains("has no weights b-hat"), "{said}");
    let said = refused(&bar("sdirk2", "speed", "1e-3\nsafety = 0.5"));
    assert!(said.contains("it takes tolerance, min, max"), "{said}");
    let said =
        refused(&bar("sdirk2", "auto", "1e-3").replace("kind = \"auto\"\ntolerance = 1e-3", ""));
    assert!(said.contains("neither kind nor tolerance"), "{said}");
    let said = refused(&bar("sdirk2", "retreat", "1e-3"));
    assert!(said.contains("does not use tolerance"), "{said}");
    for tolerance in ["0.0", "-1.0"] {
        let said = refused(&bar("sdirk2", "embedded", tolerance));
        assert!(said.contains("tolerance"), "{said}");
    }
    let text = bar("sdirk2", "embedded", "1e-3\nmin = 0.1\nmax = 0.01");
    let said = refused(&text);
    assert!(said.contains("less than min"), "{said}");
}

/// A tolerance that the smallest step cannot satisfy ends the run with its own message, and the decisions are written.
#[test]
fn an_unreachable_tolerance_is_reported() {
    let text = bar("backward-euler", "embedded", "1e-9\nmin = 0.001");
    let (scene, source) = parse("scene.toml", &text).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let options = RunOptions {
        out: dir.path().into(),
        resume: None,
    };
    let failure = run(&mut build(scene, &source).unwrap(), &options, &mut |_| {
        Flow::On
    });
    let said = failure.unwrap_err().to_string();
    assert!(
        said.contains("exceeds the tolerance even with the smallest step"),
        "{said}"
    );
    let control = std::fs::read_to_string(dir.path().join("control.csv")).unwrap();
    assert!(control.contains("at the shortest step"), "{control}");
}
