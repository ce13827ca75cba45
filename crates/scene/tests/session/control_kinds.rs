//! Properties of each kind of step control.

use scene::run::Flow;

use super::control::bar;
use super::session;

/// A free block, pushed from 0.1 to 0.15 s with 10 N along x.
fn pushed(method: &str, control: &str) -> String {
    format!(
        r#"
gravity = [0.0, 0.0, 0.0]
[time]
method = "{method}"
until = 0.4
{control}
[[body]]
mesh = {{ box = {{ size = [0.2, 0.1, 0.1], cells = [2, 1, 1], element = "hex8" }} }}
material = {{ law = "stable-neo-hookean", young = 1e5, poisson = 0.3, density = 1000 }}
[[body.push]]
where = {{ x = 0.2 }}
force = [10.0, 0.0, 0.0]
from = 0.1
to = 0.15
"#
    )
}

const KINDS: [&str; 6] = [
    "auto",
    "embedded",
    "doubling",
    "force-error",
    "speed",
    "stretch",
];

/// Steps end at the start and end of the push, and no stage evaluates it outside: the momentum equals the impulse up to
/// rounding, also for stiffly accurate methods.
#[test]
fn steps_end_at_the_start_and_end_of_a_push() {
    for kind in KINDS {
        for method in ["backward-euler", "trapezoid", "bdf2", "newmark", "rodas4"] {
            let control =
                format!("control = {{ kind = \"{kind}\", tolerance = 1e-2, max = 0.03 }}");
            let mut s = session(&pushed(method, &control));
            let mut times = Vec::new();
            s.run_until(0.4, &mut |_, row| {
                times.push(row.t);
                Flow::On
            })
            .unwrap();
            for kink in [0.1, 0.15, 0.4] {
                assert!(times.contains(&kink), "{kind}, {method}: {times:?}");
            }
            let momentum = s.row().momentum.linear[0];
            assert!(
                (momentum - 0.5).abs() < 1e-9,
                "{kind}, {method}: {momentum} kg m/s"
            );
        }
    }
}

/// Before the push the body is at rest and the step is the largest allowed; during the push it is short.
#[test]
fn steps_are_long_at_rest_and_short_in_motion() {
    let control = "control = { tolerance = 1e-4 }";
    let mut s = session(&pushed("sdirk2", control));
    let mut steps = Vec::new();
    s.run_until(0.4, &mut |_, row| {
        steps.push((row.t, row.h));
        Flow::On
    })
    .unwrap();
    let longest = |from: f64, to: f64| {
        let within = steps.iter().filter(|(t, _)| *t > from && *t <= to);
        within.fold(0.0, |m: f64, (_, h)| m.max(*h))
    };
    assert!(longest(0.0, 0.1) > 4.0 * longest(0.1, 0.2), "{steps:?}");
}

/// h = tolerance / max ‖v‖ at the start of every step, except steps that are shortened to end at a given time.
#[test]
fn speed_lets_the_fastest_node_travel_the_tolerance() {
    let mut s = session(&bar("sdirk2", "speed", "5e-3\nmax = 0.05"));
    let mut fastest = 0.0f64;
    let mut seen = 0;
    s.run_until(0.2, &mut |s, row| {
        let wanted = (5e-3 / fastest).min(0.05);
        if row.t < 0.2 && fastest > 0.0 {
            assert!((row.h - wanted).abs() < 1e-12, "{} {wanted}", row.h);
            seen += 1;
        }
        let speeds = s.velocities();
        fastest = speeds
            .iter()
            .map(|v| v.iter().map(|v| v * v).sum::<f64>().sqrt())
            .fold(0.0, f64::max);
        Flow::On
    })
    .unwrap();
    assert!(seen > 5);
}

/// The length of the spring changes by at most the tolerance in a step, and by nearly that much in some.
#[test]
fn stretch_limits_the_change_of_a_springs_length() {
    let text = r#"
gravity = [0.0, 0.0, 0.0]
[time]
method = "sdirk2"
step = 0.001
until = 2.0
control = { kind = "stretch", tolerance = 0.05, max = 0.25 }
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
"#;
    let mut s = session(text);
    let (mut before, mut most) = (1.0f64, 0.0f64);
    s.run_until(2.0, &mut |s, _| {
        let x = s.positions()[0][0].abs();
        most = most.max((x - before).abs());
        before = x;
        Flow::On
    })
    .unwrap();
    assert!(most <= 0.05 && most > 0.03, "{most}");
}

/// For linear forces the linearised force has no error: `force-error` alone uses the largest step, `auto` does not.
#[test]
fn auto_controls_errors_of_linear_forces() {
    let steps = |kind: &str| {
        let text = bar("sdirk2", kind, "1e-3\nmax = 0.1").replace("stable-neo-hookean", "linear");
        let mut s = session(&text);
        s.run_until(0.2, &mut |_, _| Flow::On).unwrap();
        s.totals().steps
    };
    assert!(steps("force-error") < 12);
    assert!(steps("auto") > 30);
}

/// Without `step` the first step is estimated: shorter for smaller tolerances, and not rejected.
#[test]
fn the_first_step_is_estimated() {
    let first = |tolerance: &str, more: &str| {
        let text = bar("sdirk2", "auto", tolerance).replace("step = 0.001\n", more);
        let mut s = session(&text);
        s.step().unwrap();
        (s.row().h, s.totals().rejected)
    };
    let [(loose, _), (tight, rejected)] = ["1e-2", "1e-6"].map(|tolerance| first(tolerance, ""));
    assert!(loose > 4.0 * tight, "{loose} {tight}");
    assert!(rejected <= 2, "{rejected} rejected");
    let (h, _) = first("1e-3", "step = 0.001\n");
    assert!(
        h <= 0.001 && h > 0.0008,
        "a step that is given is taken, on the grid: {h}"
    );
}

/// Without an explicit exponent, step lengths are on the grid 2^(k/4), and cached lengths are not factored again.
#[test]
fn steps_are_on_the_grid_and_factors_of_a_length_are_kept() {
    let run = |more: &str| {
        let text = bar("sdirk2", "auto", "1e-4").replace("until = 0.2", "until = 0.6") + more;
        let mut s = session(&text);
        let mut lengths = Vec::new();
        s.run_until(0.6, &mut |_, row| {
            lengths.push(4.0 * row.h.log2());
            Flow::On
        })
        .unwrap();
        let on_grid = |k: &&f64| (**k - k.round()).abs() < 1e-6;
        let off = lengths.len() - lengths.iter().filter(on_grid).count();
        assert!(off <= 1, "only the last step is cut: {lengths:?}");
        let changes = lengths.windows(2).filter(|w| w[0] != w[1]).count();
        (s.totals().work.factorizations, changes)
    };
    let (kept, changes) = run("");
    let (anew, _) = run("[solver]\nfactors = \"each-step\"\n");
    assert!(changes >= 4, "the step changes its length: {changes}");
    assert!(2 * kept < anew, "{kept} factorizations instead of {anew}");
}

/// Local/global iterations cache the factored matrices of recent step lengths.
#[test]
fn local_global_steps_keep_their_matrices() {
    let text = bar("backward-euler", "embedded", "2e-3")
        .replace("stable-neo-hookean", "arap")
        .replace("until = 0.2", "until = 0.6")
        + "[solver]\nnewton = \"local-global\"\n";
    let mut s = session(&text);
    let mut lengths = std::collections::BTreeSet::new();
    s.run_until(0.6, &mut |_, row| {
        lengths.insert(row.h.to_bits());
        Flow::On
    })
    .unwrap();
    let (made, steps) = (s.time_loop().solver().prefactorizations(), s.totals().steps);
    assert!(steps > 3 * made, "{made} matrices in {steps} steps");
    assert!(
        made <= 2 * lengths.len() as u64,
        "{made} for {} lengths",
        lengths.len()
    );
}

/// A change of method during the run keeps the step and adapts the control to the new order.
#[test]
fn a_change_of_method_keeps_the_step() {
    let mut s = session(&bar("sdirk2", "auto", "1e-4"));
    for _ in 0..20 {
        s.step().unwrap();
    }
    let h = s.row().h;
    s.set_method("sdirk3").unwrap();
    s.step().unwrap();
    assert!(s.row().h <= h && s.row().h > 0.5 * h, "{h} {}", s.row().h);
}

/// The energy balance closes for every kind of control, including half steps.
#[test]
fn the_ledger_closes_under_every_kind() {
    for kind in KINDS {
        for method in ["implicit-midpoint", "bdf2", "sdirk2", "central-difference"] {
            if (kind, method) == ("force-error", "central-difference") {
                continue;
            }
            let mut s = session(&bar(method, kind, "1e-3\nmax = 0.002"));
            let first = s.energies().total();
            let mut sum = 0.0;
            s.run_until(0.1, &mut |_, row| {
                sum += row.entry.change;
                let parts: f64 = row.entry.as_array()[1..].iter().sum();
                assert!((parts - row.entry.change).abs() < 1e-10, "{kind}, {method}");
                Flow::On
            })
            .unwrap();
            let change = s.energies().total() - first;
            assert!(
                (sum - change).abs() < 1e-9,
                "{kind}, {method}: {sum} {change}"
            );
        }
    }
    // The midpoint rule conserves energy up to higher-order terms: a half step booked twice or not at all would be visible.
    let mut s = session(&bar("implicit-midpoint", "doubling", "1e-3\nmax = 0.002"));
    s.run_until(0.1, &mut |_, _| Flow::On).unwrap();
    let share = s.totals().integrator_percent().unwrap_or(0.0).abs();
    assert!(share < 1.0, "{share} %");
}

/// Steps and results are identical for 1, 2 and 4 threads.
#[test]
fn steps_do_not_depend_on_the_number_of_threads() {
    for kind in KINDS {
        let text = bar("sdirk2", kind, "1e-3").replace("cells = [5, 1, 1]", "cells = [12, 4, 4]");
        let runs = [1, 2, 4].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| {
                let mut s = session(&text);
                s.run_until(0.05, &mut |_, _| Flow::On).unwrap();
                (s.state().clone(), s.totals().steps)
            })
        });
        assert!(runs[0] == runs[1] && runs[0] == runs[2], "{kind}");
    }
}
