//! `supple view`: the printed address, its refusals, and a clean end by Ctrl-C and SIGTERM with results kept.

#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use super::{ProgramOutput, Workspace};

/// A running `supple view` and what it printed first.
struct Viewer {
    child: Child,
    out: BufReader<ChildStdout>,
    place: String,
    query: String,
}

impl Viewer {
    fn start(workspace: &Workspace, args: &[&str]) -> Viewer {
        let mut command = workspace.command(&["view", "--no-open"]);
        let mut child = command
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("http://127.0.0.1:");
        let (port, token) = address.unwrap().split_once("/?token=").unwrap();
        let hexadecimal = token.chars().all(|c| c.is_ascii_hexdigit());
        assert!(token.len() == 32 && hexadecimal, "{line}");
        assert_ne!(port.parse::<u16>().unwrap(), 0);
        Viewer {
            child,
            out,
            place: format!("127.0.0.1:{port}"),
            query: format!("token={token}"),
        }
    }

    /// Returns status and body of a reply.
    fn get(&self, path: &str, head: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.place).unwrap();
        let limit = Some(Duration::from_secs(60));
        stream.set_read_timeout(limit).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\n{head}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).unwrap();
        let reply = String::from_utf8_lossy(&reply).into_owned();
        let status = reply.split(' ').nth(1).unwrap().parse().unwrap();
        let (_, body) = reply.split_once("\r\n\r\n").unwrap();
        (status, body.into())
    }

    fn own(&self, path: &str) -> (u16, String) {
        self.get(
            &format!("{path}?{}", self.query),
            &format!("Host: {}\r\n", self.place),
        )
    }

    /// Ends it by a signal and checks that it ends well and has printed nothing more.
    fn end(mut self, signal: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(sent.success());
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
        let output: ProgramOutput = self.child.wait_with_output().unwrap().into();
        output.success();
    }
}

#[test]
fn results_are_served_to_those_who_have_the_token() {
    let workspace = Workspace::new();
    workspace.supple(&["run", "bar.toml", "-q"]).success();
    let viewer = Viewer::start(&workspace, &["out/bar", "--port", "0"]);
    assert_eq!(viewer.own("/").0, 200);
    assert_eq!(viewer.own("/api/result/0").0, 200);
    let host = format!("Host: {}\r\n", viewer.place);
    assert_eq!(viewer.get("/", &host).0, 401);
    let page = format!("/?{}", viewer.query);
    assert_eq!(viewer.get(&page, "Host: evil.example\r\n").0, 403);
    let foreign = format!("{host}Origin: http://evil.example\r\n");
    assert_eq!(viewer.get(&page, &foreign).0, 403);
    let (status, body) = viewer.own("/api/result/0/files/..%2f..%2fbar.toml");
    assert!(status == 404 && !body.contains("[[body]]"), "{body}");
    viewer.end("-INT");
}

#[test]
fn a_live_scene_keeps_its_results_after_both_signals() {
    for signal in ["-INT", "-TERM"] {
        let workspace = Workspace::new();
        let viewer = Viewer::start(&workspace, &["bar.toml", "--record"]);
        let ran = (0..3000).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            let state: serde_json::Value =
                serde_json::from_str(&viewer.own("/api/live/state").1).unwrap();
            state["t"].as_f64() > Some(0.1)
        });
        assert!(ran, "the scene runs without a page");
        viewer.end(signal);
        let report: serde_json::Value =
            serde_json::from_str(&workspace.read("out/bar/report.json")).unwrap();
        let steps = report["steps"].as_u64().unwrap();
        assert!(steps >= 10, "{steps}");
        let rows = workspace.read("out/bar/steps.csv").lines().count() as u64;
        assert_eq!(rows, steps + 2, "a head, the start, and the steps");
        assert!(workspace.read("out/bar/recorded.toml").contains("[time]"));
    }
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let workspace = Workspace::new();
    let view = |args: &[&str]| workspace.supple(&[&["view", "--no-open"], args].concat());
    let missing = view(&["nowhere"]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
    assert!(missing.err.contains("nowhere"), "{missing:?}");
    let wrong = view(&["bar.toml", "--with", "bdf9"]);
    assert!(wrong.code != Some(0) && wrong.err.contains("bdf9"), "{wrong:?}");
    let results = view(&["out", "--record"]);
    assert!(results.err.contains("belong to a scene"), "{results:?}");
}
