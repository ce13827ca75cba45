//! `report.html` of whole runs: shares, step control, and the same page after a resume.

use std::path::Path;

use report::run::run;
use scene::build::build;
use scene::run::{Flow, Report, RunOptions};
use scene::spec::parse;
use serde_json::Value;

/// A particle on a spring under this method.
fn spring(method: &str) -> String {
    format!(
        "gravity = [0, 0, 0]\n[time]\nmethod = \"{method}\"\nstep = 0.01\nuntil = 0.2\n\
         [[particle]]\nposition = [1, 0, 0]\nmass = 1\n\
         [[spring]]\na = 0\nb = [0, 0, 0]\nstiffness = 100\nrest = 0.5\n"
    )
}

/// Three soft hexahedra that start to move from rest, with these lines of `[time]`.
fn bar(time: &str) -> String {
    format!(
        "title = \"Bar\"\n[time]\nmethod = \"sdirk2\"\nfps = 300\n{time}\n\
         [[body]]\nmesh = {{ box = {{ size = [0.3, 0.1, 0.1], cells = [3, 1, 1], element = \"hex8\" }} }}\n\
         material = {{ law = \"stable-neo-hookean\", young = 1e5, poisson = 0.4, density = 1000 }}\n\
         velocity = {{ linear = [0.0, 0.3, 0.0], angular = [0.0, 0.0, 4.0] }}\n\
         [[body.fix]]\nwhere = {{ x = 0.0 }}\n\
         motion = {{ shake = {{ axis = \"y\", amplitude = 0.01, frequency = 9.0 }} }}\n"
    )
}

/// Runs until `stop` steps are taken, from the start or from the checkpoint in the folder.
fn run_until(text: &str, out: &Path, resume: bool, stop: u64) -> Report {
    let (scene, source) = parse("scene.toml", text).unwrap_or_else(|e| panic!("{e}"));
    let mut session = build(scene, &source).unwrap_or_else(|e| panic!("{e}"));
    let options = RunOptions {
        out: out.into(),
        resume: resume.then(|| out.join("checkpoint.supple")),
    };
    let mut watch = |p: &scene::run::Progress| match p.steps >= stop {
        true => Flow::Stop,
        false => Flow::On,
    };
    run(&mut session, &options, &mut watch).unwrap()
}

fn page(out: &Path) -> String {
    std::fs::read_to_string(out.join("report.html")).unwrap()
}

/// The page names dissipation or gain and shows a number without a sign, as the terminal does.
#[test]
fn page_and_report_agree_on_what_the_integrator_did() {
    let names = ["numerical dissipation", "numerical gain"];
    for (method, [name, other]) in [
        ("backward-euler", names),
        ("forward-euler", [names[1], names[0]]),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let report = run_until(&spring(method), dir.path(), false, u64::MAX);
        let percent = report.integrator_share().percent.flatten().unwrap();
        let page = page(dir.path());
        let words = format!("<b>{percent}</b><span>{name} of the available energy</span>");
        assert!(page.contains(&words), "{method}: the page lacks {words}");
        assert!(!page.contains(&format!("<span>{other} of the")), "{method}");
    }
}

#[test]
fn the_page_shows_steps_errors_and_why() {
    let dir = tempfile::tempdir().unwrap();
    let time = "step = 0.04\nuntil = 0.1\n[time.control]\nkind = \"auto\"\ntolerance = 1e-2";
    run_until(&bar(time), dir.path(), false, u64::MAX);
    let page = page(dir.path());
    let json = std::fs::read_to_string(dir.path().join("report.json")).unwrap();
    let json: Value = serde_json::from_str(&json).unwrap();
    let control = &json["control"];
    let (_, section) = page.split_once("<h2>Step control</h2>").unwrap();
    let section = section.split_once("<h2>").unwrap().0;
    for words in [
        ">Step</text>",
        ">Error and tolerance</text>",
        ">tolerance</text>",
        ">rejected</text>",
        ">force-error</text>",
        "error in a second, m</text>",
        "tolerance 0.01 m for each second of steps",
    ] {
        assert!(section.contains(words), "no {words} in {section}");
    }
    assert_eq!(page.matches(">Step</text>").count(), 1);
    for (name, e) in control["estimates"].as_object().unwrap() {
        let (ruled, rejected) = (&e["ruled"], &e["rejected"]);
        let row = format!("<td>{name}</td><td>{ruled}</td><td>{rejected}</td>");
        assert!(section.contains(&row), "no {row}");
    }
    let rejected = control["rejected"].as_u64().unwrap();
    assert!(rejected > 0);
    let why = format!(
        "rejected: the error is above the tolerance: a shorter step is tried</td><td>{rejected}</td>"
    );
    assert!(section.contains(&why), "{section}");
    // Diamonds: the rejected attempts in both charts, and one in each legend.
    let marks = section.matches("m0 -4.6l4.6 4.6").count() as u64;
    assert_eq!(marks, 2 * (rejected + 1), "{rejected} rejected");
}

#[test]
fn scenes_without_measured_errors_have_no_such_section() {
    let plain = "step = 0.001\nuntil = 0.0085";
    for time in [
        plain.to_string(),
        format!("{plain}\n[time.control]\nkind = \"retreat\""),
    ] {
        let dir = tempfile::tempdir().unwrap();
        run_until(&bar(&time), dir.path(), false, u64::MAX);
        let page = page(dir.path());
        assert!(!page.contains("Step control") && !page.contains("Error and tolerance"));
    }
}

/// Curves and motion of a run that was stopped go on; only the clock and the number of threads may differ.
#[test]
fn a_resumed_run_has_the_page_of_a_whole_one() {
    let timeless = |out: &Path| {
        let clock = ["<td>wall_seconds</td>", "<td>threads</td>"];
        let kept = |l: &&str| !clock.iter().any(|c| l.contains(c));
        page(out)
            .lines()
            .filter(kept)
            .collect::<Vec<_>>()
            .join("\n")
    };
    for time in [
        "step = 0.001\nuntil = 0.0085",
        "step = 0.04\nuntil = 0.1\n[time.control]\nkind = \"auto\"\ntolerance = 1e-2",
    ] {
        let text = bar(time) + "[output]\nmodes = 3\n";
        let whole = tempfile::tempdir().unwrap();
        run_until(&text, whole.path(), false, u64::MAX);
        for words in [">Energy of the modes</text>", ">mode 3</text>"] {
            assert!(page(whole.path()).contains(words), "no {words}");
        }
        for stop in [0, 1, 5] {
            let dir = tempfile::tempdir().unwrap();
            run_until(&text, dir.path(), false, stop);
            run_until(&text, dir.path(), true, u64::MAX);
            let same = timeless(dir.path()) == timeless(whole.path());
            assert!(same, "the page differs after a stop at step {stop}");
        }
    }
}
