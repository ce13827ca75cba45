//! Help, registries, schema, completions and `supple check`.

use serde_json::Value;

use super::{Workspace, repository};

const REGISTRIES: [&str; 8] = [
    "methods",
    "materials",
    "elements",
    "controls",
    "contacts",
    "dampings",
    "shapes",
    "formats",
];

#[test]
fn every_command_has_help() {
    let workspace = Workspace::new();
    let all = workspace.supple(&["--help"]).success();
    for command in [
        "run",
        "check",
        "list",
        "mesh",
        "render",
        "schema",
        "completions",
    ] {
        assert!(
            all.contains(&format!("\n  {command} ")),
            "{command} is not in {all}"
        );
        let help = workspace.supple(&[command, "--help"]).success();
        assert!(help.contains(&format!("Usage: supple {command}")), "{help}");
        assert!(help.lines().next().is_some_and(|l| l.len() > 10), "{help}");
    }
    assert!(all.contains("supple run scenes/jello.toml"), "{all}");
    let run = workspace.supple(&["run", "--help"]).success();
    for option in [
        "--out",
        "--method",
        "--step",
        "--until",
        "--set",
        "--threads",
        "--resume",
        "--quiet",
    ] {
        assert!(run.contains(option), "{option} is not in {run}");
    }
    assert_eq!(
        workspace.supple(&["--version"]).success().trim(),
        concat!("supple ", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn every_registry_is_listed_as_text_and_json() {
    let workspace = Workspace::new();
    for registry in REGISTRIES {
        let text = workspace.supple(&["list", registry]).success();
        assert!(!text.trim().is_empty(), "{registry}");
        let json: Value =
            serde_json::from_str(&workspace.supple(&["list", registry, "--json"]).success())
                .unwrap();
        for entry in json.as_array().unwrap() {
            for key in ["name", "description"] {
                let word = entry[key].as_str().unwrap_or_default();
                assert!(!word.is_empty(), "{registry}: {entry} lacks {key}");
                assert!(
                    text.contains(word),
                    "{registry}: {word} is in the JSON, not in the text"
                );
            }
        }
        let least = match registry {
            "methods" => 25,
            "materials" => 8,
            "controls" => 4,
            "contacts" => 1,
            _ => 2,
        };
        assert!(
            json.as_array().unwrap().len() >= least,
            "{registry} has {} entries",
            json.as_array().unwrap().len()
        );
    }
    // Laws of the contract, by name.
    let laws = workspace.supple(&["list", "materials"]).success();
    for law in
        "stable-neo-hookean neo-hookean stvk linear corotated corotated-frozen arap mooney-rivlin"
            .split(' ')
    {
        assert!(
            laws.lines().any(|l| l.split(' ').next() == Some(law)),
            "{law} is not in {laws}"
        );
    }
}

#[test]
fn the_schema_is_the_file_in_the_repository() {
    let printed = Workspace::new().supple(&["schema"]).success();
    let kept = std::fs::read_to_string(repository().join("schema/scene.schema.json")).unwrap();
    let differs = printed.lines().zip(kept.lines()).position(|(a, b)| a != b);
    assert!(
        printed == kept,
        "schema/scene.schema.json is stale from line {:?}",
        differs.map(|i| i + 1)
    );
    let json: Value = serde_json::from_str(&printed).unwrap();
    assert!(json["properties"]["time"].is_object());
}

#[test]
fn completion_scripts_are_printed() {
    let workspace = Workspace::new();
    for (shell, word) in [
        ("bash", "complete "),
        ("zsh", "#compdef supple"),
        ("fish", "complete -c supple"),
    ] {
        let script = workspace.supple(&["completions", shell]).success();
        assert!(
            script.contains(word) && script.contains("resume"),
            "{shell}: {script}"
        );
    }
}

/// A closed pipe (`supple list methods | head -1`) is no error, a full disk is one; neither panics.
#[cfg(unix)]
#[test]
fn closed_pipes_and_full_disks_do_not_panic() {
    use std::process::Stdio;
    let workspace = Workspace::new();
    for args in [
        &["list", "methods"][..],
        &["schema"],
        &["completions", "bash"],
        &["list", "methods", "--json"],
        &["method", "backward-euler"],
    ] {
        let mut child = workspace
            .command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = super::ProgramOutput::from(child.wait_with_output().unwrap());
        assert_eq!(
            (output.code, output.err.as_str()),
            (Some(0), ""),
            "{args:?}"
        );
    }
    if let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") {
        let output = workspace
            .command(&["schema"])
            .stdout(full)
            .output()
            .unwrap();
        super::ProgramOutput::from(output).refuses(1, &["standard output", "space"]);
    }
}

#[test]
fn check_prints_sizes_frequencies_and_cost() {
    let workspace = Workspace::new();
    let text = workspace.supple(&["check", "bar.toml"]).success();
    for words in [
        "20 nodes, 4 cells, 48 unknowns",
        "4.000000 kg in 0.004000 m³",
        "lowest",
        "highest",
        "sdirk2 at 0.01 s",
    ] {
        assert!(text.contains(words), "{words:?} is not in {text}");
    }
    let json: Value =
        serde_json::from_str(&workspace.supple(&["check", "bar.toml", "--json"]).success())
            .unwrap();
    assert_eq!(
        (json["nodes"].as_u64(), json["dofs"].as_u64()),
        (Some(20), Some(48))
    );
    assert!((json["mass"].as_f64().unwrap() - 4.0).abs() < 1e-12);
    let [low, high] = ["lowest_hz", "highest_hz"].map(|k| json[k].as_f64().unwrap());
    assert!(low > 0.0 && high > 10.0 * low, "{low} {high}");
    let hw = json["h_omega"][1].as_f64().unwrap();
    assert!((hw - std::f64::consts::TAU * high * 0.01).abs() < 1e-9 * hw);
    assert!(json["seconds_per_simulated_second"].as_f64().unwrap() > 0.0);
    assert_eq!(json["warnings"].as_array().unwrap().len(), 0);
    assert!(!workspace.path("out").exists());
}

#[test]
fn check_warns_of_suspicious_units() {
    let workspace = Workspace::new();
    for (key, value, words) in [
        ("body.bar.material.density", "1", "density 1 kg/m³"),
        ("body.bar.material.young", "1", "Young's modulus 1 Pa"),
        (
            "body.bar.place.scale",
            "1000",
            "the scene is 400 m in extent",
        ),
        ("time.method", "rk4", "beyond the limit of rk4"),
    ] {
        let text = workspace
            .supple(&["check", "bar.toml", "--set", &format!("{key}={value}")])
            .success();
        assert!(
            text.contains("warning") && text.contains(words),
            "{words:?} is not in {text}"
        );
    }
}
