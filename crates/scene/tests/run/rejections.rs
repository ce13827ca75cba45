//! Forced rejections: a rejected attempt has no effect on the files of a run.

use std::collections::BTreeMap;
use std::path::Path;

use base::random::Random;
use march::methods;
use scene::run::{Flow, Report, RunOptions, run};

use super::{assert_same, contents, shaken, simulation};

/// Rejects about every second attempt, always the same ones.
fn veto(seed: u64) -> Box<march::Veto> {
    let mut random = Random::new(seed);
    Box::new(move |_| random.coin())
}

/// Runs a scene up to `stop` steps; if `seed` is given, half of its attempts are rejected.
fn run_with(text: &str, out: &Path, resume: bool, seed: Option<u64>, stop: u64) -> Report {
    let mut session = simulation(text);
    session.set_veto(seed.map(veto));
    let options = RunOptions {
        out: out.into(),
        resume: resume.then(|| out.join("checkpoint.supple")),
    };
    run(&mut session, &options, &mut |p| match p.steps >= stop {
        true => Flow::Stop,
        false => Flow::On,
    })
    .unwrap()
}

/// Reads all files of a run without the counts of rejections in `steps.csv`, the report and the checkpoint.
fn files_without_rejection_counts(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = contents(out);
    for name in ["report.json", "checkpoint.supple"] {
        files.remove(name);
    }
    if let Some(steps) = files.get_mut("steps.csv") {
        let text = String::from_utf8(steps.clone()).unwrap();
        let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        let rejected = header.iter().position(|c| *c == "rejected").unwrap();
        let cut = |line: &str| {
            let mut cells: Vec<&str> = line.split(',').collect();
            cells.remove(rejected);
            cells.join(",") + "\n"
        };
        *steps = text.lines().map(cut).collect::<String>().into_bytes();
    }
    files
}

/// Compares a run with one with forced rejections, and with one that is also stopped and resumed.
fn assert_rejections_have_no_effect(text: &str, what: &str) {
    let [plain, forced, resumed] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let one = run_with(text, plain.path(), false, None, u64::MAX);
    let two = run_with(text, forced.path(), false, Some(3), u64::MAX);
    run_with(text, resumed.path(), false, Some(7), 4);
    run_with(text, resumed.path(), true, Some(11), u64::MAX);
    assert!(two.rejected > one.rejected, "{what}: nothing was rejected");
    let wanted = files_without_rejection_counts(plain.path());
    assert!(wanted.len() > 4);
    assert_same(
        &files_without_rejection_counts(forced.path()),
        &wanted,
        what,
    );
    assert_same(
        &files_without_rejection_counts(resumed.path()),
        &wanted,
        &format!("{what}, resumed"),
    );
    // The work of rejected attempts is counted separately.
    let [one, two] = [&one, &two].map(|r| (r.factorizations, r.rejected_work.factorizations));
    assert_eq!(two.0 - two.1, one.0 - one.1, "{what}");
}

#[test]
fn rejected_attempts_have_no_effect_for_every_method() {
    for name in methods::names() {
        if name.ends_with("dirk") || name.ends_with("rosenbrock") {
            continue;
        }
        assert_rejections_have_no_effect(&shaken(&format!("\"{name}\"")), &name);
    }
}

#[test]
fn rejected_attempts_have_no_effect_on_energy_budget_damping_wind_and_frozen_laws() {
    let wind = "[[wind]]\nvelocity = [6.0, 0.0, 3.0]\ndrag = 1.2\n";
    let cases: [(&str, &str, &str); 11] = [
        ("tracking", "", "[time.stabilise]\ntolerance = 1e-9\n"),
        (
            "projection",
            "",
            "[time.stabilise]\nkind = \"project\"\ntolerance = 1e-9\n",
        ),
        (
            "energy and momentum projection",
            "",
            "[time.stabilise]\nkind = \"fepr\"\ntolerance = 1e-9\n",
        ),
        (
            "energy multiplier",
            "",
            "[time.stabilise]\nkind = \"multiplier\"\ntolerance = 1e-9\n",
        ),
        ("velocity damping", "drag = 1.0, rigid-free = 2.0, ", ""),
        (
            "velocity damping and tracking",
            "drag = 1.0, rigid-free = 2.0, ",
            "[time.stabilise]\ntolerance = 1e-9\n",
        ),
        ("wind", "", wind),
        (
            "factors of each step",
            "",
            "[solver]\nfactors = \"each-step\"\n",
        ),
        ("conjugate gradients", "", "[solver]\nlinear = \"cg\"\n"),
        (
            "steps chosen by the force error",
            "",
            "[time.control]\nkind = \"force-error\"\ntolerance = 1e-5\nmax = 0.002\n",
        ),
        ("frozen law", "", "frozen"),
    ];
    for (what, damping, more) in cases {
        for method in ["backward-euler", "bdf2", "newmark", "tr-bdf2", "s-sdirk2"] {
            let mut text = shaken(&format!("\"{method}\""))
                .replace("damping = { ", &format!("damping = {{ {damping}"));
            match more {
                "frozen" => text = text.replace("stable-neo-hookean", "corotated-frozen"),
                more => text += more,
            }
            assert_rejections_have_no_effect(&text, &format!("{what}, {method}"));
        }
    }
}

/// Every kind of step control: estimates, their history, the last errors and factors of several step lengths.
#[test]
fn rejected_attempts_have_no_effect_under_step_control() {
    let kinds = [
        "auto",
        "embedded",
        "doubling",
        "force-error",
        "speed",
        "stretch",
    ];
    for kind in kinds {
        for method in ["backward-euler", "bdf2", "newmark", "sdirk2", "rodas4"] {
            let control =
                format!("[time.control]\nkind = \"{kind}\"\ntolerance = 2e-4\nmax = 0.004\n");
            let text = shaken(&format!("\"{method}\"")) + &control;
            assert_rejections_have_no_effect(&text, &format!("{kind}, {method}"));
        }
    }
    let tracked = "[time.control]\nkind = \"auto\"\ntolerance = 1e-3\nmax = 0.004\n[time.stabilise]\ntolerance = 1e-6\n";
    assert_rejections_have_no_effect(&(shaken("\"bdf2\"") + tracked), "auto with tracking");
}

/// A scattered body starts with backward Euler; local/global iterations keep prefactored matrices.
#[test]
fn rejected_attempts_have_no_effect_on_startup_and_local_global_iterations() {
    for method in ["implicit-midpoint", "tr-bdf2"] {
        let text = shaken(&format!("\"{method}\"")).replace(
            "velocity = { linear",
            "disturb = { scatter = 0.3, seed = 1 }\nvelocity = { linear",
        );
        assert_rejections_have_no_effect(&text, &format!("scattered, {method}"));
        let text = shaken(&format!("\"{method}\"")).replace("stable-neo-hookean", "arap")
            + "[solver]\nnewton = \"local-global\"\n[time.stabilise]\ntolerance = 1e-6\n";
        assert_rejections_have_no_effect(&text, &format!("local/global, {method}"));
    }
}
