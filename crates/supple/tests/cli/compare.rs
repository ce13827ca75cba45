//! `supple compare`: its files, errors, orders and references.

use serde_json::Value;

use super::Workspace;

fn json(workspace: &Workspace, out: &str) -> Value {
    serde_json::from_str(&workspace.read(&format!("{out}/compare.json"))).expect("JSON")
}

fn run<'a>(json: &'a Value, method: &str, step: f64) -> &'a Value {
    let runs = json["runs"].as_array().expect("runs");
    let same = |r: &&Value| r["method"] == method && r["step"].as_f64() == Some(step);
    runs.iter()
        .find(same)
        .unwrap_or_else(|| panic!("no {method} at {step}"))
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is not a number"))
}

/// Removes what depends on the clock and the machine.
fn timeless(mut json: Value) -> Value {
    json["threads"] = Value::Null;
    for run in json["runs"].as_array_mut().expect("runs") {
        run["cost"]["wall_seconds"] = Value::Null;
        run["cost"]["seconds_per_second"] = Value::Null;
        run["front_seconds"] = Value::Null;
    }
    json
}

#[test]
fn orders_are_observed_and_do_not_depend_on_threads() {
    let workspace = Workspace::new();
    let methods = r#"backward-euler,sdirk2,{ name = "newmark", beta = 0.3, gamma = 0.6 }"#;
    let args = |out: &'static str, threads: &'static str| {
        let mut args = vec![
            "compare",
            "bar.toml",
            "--methods",
            methods,
            "--steps",
            "0.002,0.004,0.001",
        ];
        args.extend([
            "--until",
            "0.04",
            "--set",
            "body.bar.material.young=1e4",
            "-o",
            out,
            "--threads",
            threads,
        ]);
        args
    };
    let output = workspace.supple(&args("one", "2")).success();
    assert!(
        output.contains("reference: rodas4 at a step of 0.00025 s"),
        "{output}"
    );
    let found = json(&workspace, "one");
    let runs = found["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 9);

    // Halving the step divides the error by four at second order, by two at first order.
    let error = |method: &str, step: f64| number(&run(&found, method, step)["error"]["end_rms"]);
    for (method, times) in [("sdirk2", 4.0), ("backward-euler", 2.0)] {
        let ratio = error(method, 0.002) / error(method, 0.001);
        assert!(
            (ratio / times - 1.0).abs() < 0.2,
            "{method} falls {ratio} times"
        );
        let order = found["orders"]
            .as_array()
            .unwrap()
            .iter()
            .find(|o| o["method"] == method);
        let seen = number(&order.unwrap()["seen"][1]);
        assert!((seen - ratio.log2()).abs() < 1e-9);
    }
    let own = number(&found["reference"]["own_error"]);
    assert!(
        own < 0.05 * error("sdirk2", 0.001),
        "the reference is {own} m from itself"
    );
    // The finest second-order run is on the Pareto front.
    assert_eq!(run(&found, "sdirk2", 0.001)["front_count"], true);

    assert_eq!(
        run(&found, "newmark beta=0.3 gamma=0.6", 0.004)["status"],
        "finished"
    );

    for folder in ["sdirk2@0.001", "newmark_beta=0.3_gamma=0.6@0.002"] {
        assert!(
            workspace
                .path(&format!("one/runs/{folder}/steps.csv"))
                .exists(),
            "{folder}"
        );
    }
    let csv = workspace.read("one/compare.csv");
    assert_eq!(
        (
            csv.lines().count(),
            csv.starts_with("method,step,status,t,")
        ),
        (10, true)
    );

    // The same numbers with another number of threads.
    workspace.supple(&args("two", "1")).success();
    assert_eq!(timeless(found), timeless(json(&workspace, "two")));
}

#[test]
fn a_failed_run_is_listed_on_a_page_without_external_resources() {
    let workspace = Workspace::new();
    let args = [
        "compare",
        "bar.toml",
        "--methods",
        "forward-euler,backward-euler",
        "--steps",
        "0.05",
        "--until",
        "10",
    ];
    let more = ["--set", "time.fps=2", "--set", "output.modes=4"];
    workspace
        .supple(&[&args[..], &more, &["-o", "one"]].concat())
        .success();
    let found = json(&workspace, "one");
    let failed = run(&found, "forward-euler", 0.05);
    assert_eq!(failed["status"], "failed", "{failed}");
    assert!(failed["reason"].as_str().unwrap().contains("blown up"));
    assert!(failed["error"]["end_rms"].is_null() && number(&failed["t"]) < 10.0);
    assert_eq!(failed["front_count"], false);
    let other = run(&found, "backward-euler", 0.05);
    assert_eq!(other["status"], "finished");
    assert!(number(&other["error"]["end_rms"]) > 0.0);
    let page = workspace.read("one/index.html");
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("src=\"p"));
    for words in [
        "forward-euler",
        "blown up",
        "data:image/png;base64,",
        "Where the energy went",
        "Energy of the modes at a step of 0.05 s",
        "<svg",
    ] {
        assert!(page.contains(words), "the page lacks {words}");
    }
}

#[test]
fn an_earlier_run_can_be_the_reference() {
    let workspace = Workspace::new();
    workspace
        .supple(&[
            "run", "bar.toml", "--method", "rodas4", "--step", "0.001", "-o", "fine", "--quiet",
        ])
        .success();
    let args = [
        "compare",
        "bar.toml",
        "--methods",
        "sdirk2,rodas4",
        "--steps",
        "0.001",
        "--reference",
        "fine",
    ];
    workspace.supple(&args).success();
    let found = json(&workspace, "out/bar-compare");
    assert_eq!(found["reference"]["method"], "fine");
    // The same method at the same step is the reference itself.
    assert_eq!(number(&run(&found, "rodas4", 0.001)["error"]["max"]), 0.0);
    assert!(number(&run(&found, "sdirk2", 0.001)["error"]["max"]) > 0.0);
    let mut shorter = args.to_vec();
    shorter.extend(["--until", "0.02"]);
    workspace.supple(&shorter).refuses(
        2,
        &["--reference fine: the run ends at t = 0.05 s", "0.02 s"],
    );
    let mut other = args.to_vec();
    other.extend(["--set", "body.bar.mesh.box.cells=[2,1,1]"]);
    workspace
        .supple(&other)
        .refuses(2, &["has 20 nodes, the scene 12", "the same scene"]);
    let lost = ["compare", "bar.toml", "--reference", "nowhere"];
    workspace
        .supple(&lost)
        .refuses(2, &["nowhere: no results here"]);
}

#[test]
fn wrong_arguments_are_refused_before_the_first_run() {
    let workspace = Workspace::new();
    let refuse = |args: &[&str], words: &[&str]| {
        let mut all = vec!["compare", "bar.toml", "-o", "never"];
        all.extend(args);
        workspace.supple(&all).refuses(2, words);
        assert!(!workspace.path("never").exists(), "{args:?} began");
    };
    refuse(
        &["--methods", "sdirk2,backward-eular"],
        &["unknown method \"backward-eular\"; did you mean \"backward-euler\"?"],
    );
    refuse(&["--methods", " , "], &["no method is named"]);
    refuse(
        &["--methods", "{ name = \"newmark\", bata = 0.3 }"],
        &["bata", "did you mean \"beta\"?"],
    );
    refuse(&["--steps", "0.01,-0.5"], &["time.step"]);
    refuse(
        &["--set", "body.bar.material.young"],
        &["expected KEY=VALUE"],
    );
    refuse(&["--threads", "0"], &["at least one thread"]);
}
