//! Live sessions through their server: pulls, changes, lock-step, recordings, and pages that misbehave.

mod served;

use std::io::Write;
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use scene::run::{RunOptions, run};
use scene::session::Flow;
use scene::spec::Source;
use serde_json::{Value, json};
use served::Served;
use tungstenite::{Message, WebSocket};
use viewer::{Live, LiveOptions, RECORDED_SCENE, Server};

const SCENE: &str = r#"
[time]
method = "implicit-midpoint"
step = 0.01
until = 1
[[body]]
name = "cube"
mesh = { box = { size = [1, 1, 1], cells = [3, 3, 3], element = "tet4" } }
material = { young = 2e4, poisson = 0.3, density = 1000 }
[[body.fix]]
where = { y = 0 }
"#;

/// A served live page and a socket to it.
struct Page {
    served: Served,
    socket: WebSocket<TcpStream>,
    out: PathBuf,
}

impl Page {
    fn open(text: &str, methods: &[&str], record: bool) -> Page {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cube.toml");
        std::fs::write(&file, text).unwrap();
        let out = folder.path().join("out");
        let options = LiveOptions {
            methods: methods.iter().map(|m| m.to_string()).collect(),
            out: out.clone(),
            record,
            paused: true,
        };
        let live = Live::open(&Source::read(&file).unwrap(), &options).unwrap();
        let served = Served::new(Server::bind_live(0, live).unwrap(), folder);
        let socket = served.socket();
        let mut page = Page {
            served,
            socket,
            out,
        };
        page.frame();
        page
    }

    fn send(&mut self, message: Value) {
        let text = message.to_string();
        self.socket.send(Message::Text(text.into())).unwrap();
    }

    /// Reads messages until the next frame and acknowledges it. Returns its state and its bytes.
    fn frame(&mut self) -> (Value, Vec<u8>) {
        loop {
            match self.socket.read().unwrap() {
                Message::Binary(bytes) => {
                    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
                    let header: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
                    let state = header["state"].clone();
                    self.send(json!({ "type": "ack", "frame": state["frame"] }));
                    return (state, bytes[4 + length..].to_vec());
                }
                Message::Text(text) => panic!("{text}"),
                _ => {}
            }
        }
    }

    /// Reads messages until one is an answer.
    fn answer(&mut self) -> String {
        loop {
            match self.socket.read().unwrap() {
                Message::Text(text) => return text.to_string(),
                Message::Binary(bytes) => {
                    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
                    let header: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
                    self.send(json!({ "type": "ack", "frame": header["state"]["frame"] }));
                }
                _ => {}
            }
        }
    }

    /// Asks for something and reads frames until a condition holds.
    fn until(&mut self, message: Value, holds: impl Fn(&Value) -> bool) -> (Value, Vec<u8>) {
        self.send(message);
        loop {
            let (state, bytes) = self.frame();
            if holds(&state) {
                return (state, bytes);
            }
        }
    }

    fn steps(&mut self, count: usize) -> Value {
        let mut state = self.state();
        for _ in 0..count {
            let before = state["t"].as_f64().unwrap();
            let stepped = |s: &Value| s["t"].as_f64().unwrap() > before;
            state = self.until(json!({ "type": "step" }), stepped).0;
        }
        state
    }

    /// The state that the API tells.
    fn state(&self) -> Value {
        let path = self.served.with_token("/api/live/state");
        let (status, reply) = self.served.request(&path, &[]);
        assert_eq!(status, 200);
        let text = String::from_utf8_lossy(&reply).into_owned();
        serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    /// Ends the server and returns the folder of results, which lives on.
    fn end(self) -> (tempfile::TempDir, PathBuf) {
        let Page {
            served,
            socket,
            out,
        } = self;
        drop(socket);
        (served.end(), out)
    }
}

/// Energy that no channel of the ledger explains, and the work.
fn balance(session: &Value) -> (f64, f64) {
    let of = |name: &str| session["ledger"][name].as_f64().unwrap();
    let explained = [
        "damping",
        "friction",
        "contact",
        "numerical",
        "residual",
        "work",
        "fracture",
    ];
    let sum: f64 = explained.iter().map(|name| of(name)).sum();
    let change = session["total"].as_f64().unwrap() - session["start"].as_f64().unwrap();
    ((sum - change).abs(), of("work"))
}

/// A vertex at the top of the cube.
const TOP: u32 = 55;

#[test]
fn a_pull_adds_energy_that_the_ledger_explains_and_without_it_there_is_none() {
    let mut pulled = Page::open(SCENE, &[], false);
    pulled.steps(3);
    pulled.until(json!({ "type": "grab", "vertex": TOP }), |s| {
        s["held"] == json!([TOP])
    });
    for k in 1..20 {
        let to = [1.0 + 0.03 * f64::from(k), 1.2, 1.0];
        pulled.send(json!({ "type": "drag", "to": to }));
        pulled.steps(1);
    }
    pulled.until(json!({ "type": "release" }), |s| s["held"] == json!([]));
    let state = pulled.steps(5);
    let (open, work) = balance(&state["sessions"][0]);
    assert!(work > 10.0, "{work}");
    assert!(open < 1e-9 * work, "{open} of {work}");
    let mut left = Page::open(SCENE, &[], false);
    let state = left.steps(27);
    let (open, work) = balance(&state["sessions"][0]);
    assert_eq!(work, 0.0);
    assert!(open < 1e-9);
}

#[test]
fn two_sessions_stay_at_the_same_time_and_feel_the_same_hand() {
    let mut page = Page::open(SCENE, &["backward-euler", "implicit-midpoint"], false);
    page.send(json!({ "type": "grab", "vertex": TOP }));
    page.send(json!({ "type": "drag", "to": [1.4, 1.5, 1.0] }));
    page.send(json!({ "type": "run" }));
    let mut last = 0.0;
    while last < 0.3 {
        let (state, _) = page.frame();
        let times: Vec<f64> = (0..2)
            .map(|k| state["sessions"][k]["t"].as_f64().unwrap())
            .collect();
        assert_eq!(times[0], times[1]);
        last = times[0];
    }
    let (state, bytes) = page.until(json!({ "type": "pause" }), |s| s["running"] == false);
    for k in 0..2 {
        assert!(balance(&state["sessions"][k]).1 > 1.0);
    }
    let lost = |k: usize| {
        state["sessions"][k]["ledger"]["numerical"]
            .as_f64()
            .unwrap()
    };
    assert!(lost(0) < lost(1), "backward Euler loses more");
    // 56 drawn vertices, two sessions.
    assert_eq!(bytes.len(), 2 * 56 * 12);
}

#[test]
fn a_method_switch_keeps_the_state_and_refusals_are_sentences() {
    let mut page = Page::open(SCENE, &[], false);
    page.steps(10);
    let (_, before) = page.until(json!({ "type": "speed", "value": 0.5 }), |s| {
        s["speed"] == 0.5
    });
    let switch = json!({ "type": "set", "session": 0, "set": { "method": "bdf2" } });
    let (state, after) = page.until(switch, |s| s["sessions"][0]["method"] == "bdf2");
    assert_eq!(before, after);
    assert!((state["t"].as_f64().unwrap() - 0.1).abs() < 1e-12);
    for (message, wanted) in [
        (
            json!({ "type": "set", "set": { "method": "bdf9" } }),
            "bdf9",
        ),
        (
            json!({ "type": "set", "set": { "friction": 0.5 } }),
            "no [contact]",
        ),
        (
            json!({ "type": "set", "session": 3, "set": { "step": 0.1 } }),
            "no session 3",
        ),
        (
            json!({ "type": "grab", "vertex": 4_000_000 }),
            "does not exist",
        ),
        (json!({ "type": "grab", "vertex": 1, "grip": 1e9 }), "grip"),
        (json!({ "type": "unpin", "vertex": 1 }), "not pinned"),
        (json!({ "type": "speed", "value": -1 }), "speed"),
        (json!({ "type": "drag", "to": [0, 1] }), "refused"),
        (json!({ "type": "jump" }), "refused"),
    ] {
        page.send(message);
        let answer = page.answer();
        assert!(answer.contains(wanted), "{wanted}: {answer}");
    }
    let state = page.until(json!({ "type": "reset" }), |s| s["t"] == 0.0).0;
    assert_eq!(state["sessions"][0]["method"], "implicit-midpoint");
}

#[test]
fn a_recording_repeats_the_session_to_the_bit() {
    let mut page = Page::open(SCENE, &["sdirk2", "backward-euler"], true);
    let set = |set: Value| json!({ "type": "set", "set": set });
    page.steps(4);
    page.send(json!({ "type": "pin", "vertex": 40 }));
    page.send(json!({ "type": "grab", "vertex": TOP, "grip": 0.7 }));
    for k in 0..12 {
        let k = f64::from(k);
        page.send(
            json!({ "type": "drag", "to": [1.0 + 0.04 * k, 1.0 + 0.011 * k, 1.0 - 0.02 * k] }),
        );
        page.steps(1);
    }
    page.send(set(json!({ "stiffness": 0.5 })));
    page.send(set(
        json!({ "damping": { "stiffness": 0.003, "drag": 0.2 } }),
    ));
    page.steps(3);
    page.send(json!({ "type": "set", "session": 0, "set": { "method": "bdf2" } }));
    page.send(set(json!({ "gravity": [1.0, -3.0, 0.0] })));
    page.steps(3);
    page.send(json!({ "type": "release" }));
    page.send(set(json!({ "step": 0.007 })));
    page.steps(5);
    page.send(json!({ "type": "unpin", "vertex": 40 }));
    // One session with a shorter step is cut at the end of the step of the other.
    page.send(json!({ "type": "set", "session": 1, "set": { "step": 0.003 } }));
    page.steps(6);
    let (folder, out) = page.end();
    for method in ["sdirk2", "backward-euler"] {
        let live = out.join(method);
        let again = folder.path().join(format!("again-{method}"));
        repeat(&live.join(RECORDED_SCENE), &again);
        for name in ["steps.csv", "ledger.csv"] {
            let read = |folder: &Path| std::fs::read_to_string(folder.join(name)).unwrap();
            assert!(read(&live).lines().count() > 30);
            assert_eq!(read(&live), read(&again), "{method} {name}");
        }
    }
}

fn repeat(file: &Path, out: &Path) {
    let source = Source::read(file).unwrap_or_else(|e| panic!("{e}"));
    let scene = source.scene().unwrap_or_else(|e| panic!("{e}"));
    let mut session = scene::build::build(scene, &source).unwrap_or_else(|e| panic!("{e}"));
    let options = RunOptions {
        out: out.into(),
        resume: None,
    };
    run(&mut session, &options, &mut |_| Flow::On).unwrap();
}

#[test]
fn results_are_kept() {
    let mut page = Page::open(SCENE, &[], false);
    page.steps(20);
    let (_folder, out) = page.end();
    let report: Value =
        serde_json::from_slice(&std::fs::read(out.join("report.json")).unwrap()).unwrap();
    assert_eq!(report["steps"], 20);
    assert_eq!(
        viewer::Playback::open(&[out])
            .unwrap()
            .result(0)
            .unwrap()
            .frames(),
        7
    );
}

#[test]
fn eight_pages_fight_over_one_vertex_and_vanish() {
    let mut page = Page::open(SCENE, &[], false);
    let mut others: Vec<WebSocket<TcpStream>> = (0..8).map(|_| page.served.socket()).collect();
    for (k, socket) in others.iter_mut().enumerate() {
        let grab = json!({ "type": "grab", "vertex": TOP, "grip": 0.05 }).to_string();
        socket.send(Message::Text(grab.into())).unwrap();
        let drag = json!({ "type": "drag", "to": [1.0 + 0.02 * k as f64, 1.1, 1.0] }).to_string();
        socket.send(Message::Text(drag.into())).unwrap();
    }
    page.until(json!({ "type": "run" }), |s| {
        s["held"].as_array().unwrap().len() == 8
    });
    let state = page
        .until(json!({ "type": "pause" }), |s| s["running"] == false)
        .0;
    assert_eq!(state["sessions"][0]["error"], Value::Null);
    // They vanish in the middle of a message; their hands open.
    for socket in others {
        let mut stream = socket.into_inner();
        stream
            .write_all(&[0x82, 0xfe, 0x03, 0xe8, 1, 2, 3])
            .unwrap();
    }
    page.until(json!({ "type": "run" }), |s| s["held"] == json!([]));
    assert!(page.served.is_alive());
}

#[test]
fn floods_and_huge_messages_do_not_fill_memory() {
    let mut page = Page::open(SCENE, &[], false);
    page.steps(1);
    let before = resident_bytes();
    // This page never acknowledges a frame and sends as fast as it can.
    let mut rude = page.served.socket();
    for k in 0..20_000 {
        let drag = json!({ "type": "drag", "to": [f64::from(k), 0.0, 0.0] }).to_string();
        rude.send(Message::Text(drag.into())).unwrap();
    }
    for _ in 0..50 {
        rude.send(Message::Text("{".into())).unwrap();
    }
    let _ = rude.send(Message::Binary(vec![0; 100 << 20].into()));
    page.steps(20);
    assert!(page.served.is_alive());
    drop(rude);
    let grown = resident_bytes().saturating_sub(before);
    assert!(grown < 160 << 20, "{} MB", grown >> 20);
}

fn resident_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|n| n.parse::<usize>().ok());
    4096 * pages.unwrap_or(0)
}
