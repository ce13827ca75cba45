//! Ctrl-C: the step is finished, the checkpoint written, and the command that resumes the run printed.

#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{BAR, ProgramOutput, Workspace};

/// Waits until a file is not empty: the run has started.
fn wait_for(path: &Path, child: &mut Child) {
    let started = Instant::now();
    while !path.metadata().is_ok_and(|m| m.len() > 0) {
        assert!(
            child.try_wait().unwrap().is_none(),
            "the run ended by itself"
        );
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "the run does not begin"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn interrupted(workspace: &Workspace, args: &[&str], under_way: &str) -> ProgramOutput {
    let mut child = workspace
        .command(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&workspace.path(under_way), &mut child);
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    child.wait_with_output().unwrap().into()
}

#[test]
fn the_printed_command_finishes_the_run() {
    let workspace = Workspace::new();
    // Names that a shell would split, and options that the printed command must repeat.
    workspace.write(
        "it's a bar.toml",
        &BAR.replace("until = 0.05", "until = 1000.0"),
    );
    let args = [
        "run",
        "it's a bar.toml",
        "-o",
        "a folder",
        "--step",
        "0.02",
        "--set",
        "title=A bar",
        "--threads",
        "1",
    ];
    let output = interrupted(&workspace, &args, "a folder/frames/00010.vtu");
    assert_eq!(output.code, Some(130), "{output:?}");
    assert!(workspace.path("a folder/checkpoint.supple").exists());
    let report: serde_json::Value =
        serde_json::from_str(&workspace.read("a folder/report.json")).unwrap();
    assert_eq!(report["status"].as_str(), Some("interrupted"));
    assert!(
        output.err.contains("stopped at t = ")
            && output.err.contains("; resume with\n  supple run "),
        "{}",
        output.err
    );

    let command = output.err.lines().last().unwrap().trim();
    let program = env!("CARGO_BIN_EXE_supple");
    let steps = report["steps"].as_u64().unwrap();
    let end = 0.02 * (steps + 3) as f64;
    let line = format!(
        "{} --until {end}",
        command.replacen("supple", &format!("'{program}'"), 1)
    );
    let output = Command::new("sh")
        .arg("-c")
        .arg(&line)
        .current_dir(workspace.path(""))
        .output()
        .unwrap();
    let out = ProgramOutput::from(output).success();
    assert!(out.contains(&format!("{} steps to t", steps + 3)), "{out}");

    let straight = [
        "run",
        "it's a bar.toml",
        "-o",
        "straight",
        "-q",
        "--step",
        "0.02",
        "--until",
        &end.to_string(),
    ];
    workspace.supple(&straight).success();
    for file in ["steps.csv", "probes.csv", "checkpoint.supple", "series.pvd"] {
        assert!(
            workspace.read_bytes("a folder", file) == workspace.read_bytes("straight", file),
            "{file} differs"
        );
    }
}

#[test]
fn a_quiet_run_prints_how_to_resume() {
    let workspace = Workspace::new();
    let output = interrupted(
        &workspace,
        &["run", "bar.toml", "--quiet", "--until", "1000"],
        "out/bar/frames/00003.vtu",
    );
    assert_eq!(
        (output.code, output.out.as_str()),
        (Some(130), ""),
        "{output:?}"
    );
    assert!(
        output
            .err
            .contains("--resume out/bar/checkpoint.supple --until 1000.0 --quiet"),
        "{}",
        output.err
    );
}

impl Workspace {
    fn read_bytes(&self, folder: &str, file: &str) -> Vec<u8> {
        std::fs::read(self.path(folder).join(file)).unwrap()
    }
}
