//! Ctrl-C: the step is finished, the checkpoint written, and the way back printed.

#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{BAR, Desk, Said};

/// Waits until a file has something in it; the run is under way then.
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

fn interrupted(desk: &Desk, args: &[&str], under_way: &str) -> Said {
    let mut child = desk
        .command(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&desk.path(under_way), &mut child);
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    child.wait_with_output().unwrap().into()
}

#[test]
fn the_printed_command_finishes_the_run() {
    let desk = Desk::new();
    // Names a shell would take apart, and options the way back must not forget.
    desk.write(
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
    let said = interrupted(&desk, &args, "a folder/frames/00010.vtu");
    assert_eq!(said.code, Some(130), "{said:?}");
    assert!(desk.path("a folder/checkpoint.supple").exists());
    let report: serde_json::Value =
        serde_json::from_str(&desk.read("a folder/report.json")).unwrap();
    assert_eq!(report["status"].as_str(), Some("interrupted"));
    assert!(
        said.err.contains("stopped at t = ") && said.err.contains("; go on with\n  supple run "),
        "{}",
        said.err
    );

    let command = said.err.lines().last().unwrap().trim();
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
        .current_dir(desk.path(""))
        .output()
        .unwrap();
    let out = Said::from(output).fine();
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
    desk.supple(&straight).fine();
    for file in ["steps.csv", "probes.csv", "checkpoint.supple", "series.pvd"] {
        assert!(
            desk.read_bytes("a folder", file) == desk.read_bytes("straight", file),
            "{file} differs"
        );
    }
}

#[test]
fn a_quiet_run_too_says_how_to_go_on() {
    let desk = Desk::new();
    let said = interrupted(
        &desk,
        &["run", "bar.toml", "--quiet", "--until", "1000"],
        "out/bar/frames/00003.vtu",
    );
    assert_eq!((said.code, said.out.as_str()), (Some(130), ""), "{said:?}");
    assert!(
        said.err
            .contains("--resume out/bar/checkpoint.supple --until 1000.0 --quiet"),
        "{}",
        said.err
    );
}

impl Desk {
    fn read_bytes(&self, folder: &str, file: &str) -> Vec<u8> {
        std::fs::read(self.path(folder).join(file)).unwrap()
    }
}
