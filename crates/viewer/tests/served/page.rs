//! A page of live sessions without a browser.
#![allow(dead_code)]

use std::net::TcpStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use scene::spec::Source;
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};
use viewer::{Live, LiveOptions, Server};

use super::Served;

/// Time after which a condition that does not hold fails the test.
const PATIENCE: Duration = Duration::from_secs(60);

/// A served live page and a socket to it.
pub struct Page {
    pub served: Served,
    pub socket: WebSocket<TcpStream>,
    out: PathBuf,
    /// Names and lengths of the arrays of the last frame.
    arrays: Value,
}

impl Page {
    pub fn open(text: &str, methods: &[&str], record: bool) -> Page {
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
            arrays: Value::Null,
        };
        page.frame();
        page
    }

    pub fn send(&mut self, message: Value) {
        let text = message.to_string();
        self.socket.send(Message::Text(text.into())).unwrap();
    }

    /// Reads messages until the next frame and acknowledges it. Returns its state and its bytes.
    pub fn frame(&mut self) -> (Value, Vec<u8>) {
        loop {
            match self.socket.read().unwrap() {
                Message::Binary(bytes) => {
                    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
                    let header: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
                    let state = header["state"].clone();
                    self.arrays = header["arrays"].clone();
                    self.send(json!({ "type": "ack", "frame": state["frame"] }));
                    return (state, bytes[4 + length..].to_vec());
                }
                Message::Text(text) => panic!("{text}"),
                _ => {}
            }
        }
    }

    /// Returns an array of the last frame, which has these bytes.
    pub fn array(&self, bytes: &[u8], name: &str) -> Option<Vec<f32>> {
        let mut at = 0;
        for array in self.arrays.as_array().unwrap() {
            let end = at + 4 * array["length"].as_u64().unwrap() as usize;
            if array["name"] == name {
                let numbers = bytes[at..end].chunks_exact(4);
                return Some(
                    numbers
                        .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
                        .collect(),
                );
            }
            at = end;
        }
        None
    }

    /// Reads messages until one is an answer.
    pub fn answer(&mut self) -> String {
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
    pub fn until(&mut self, message: Value, holds: impl Fn(&Value) -> bool) -> (Value, Vec<u8>) {
        self.send(message);
        let started = Instant::now();
        loop {
            let (state, bytes) = self.frame();
            if holds(&state) {
                return (state, bytes);
            }
            assert!(started.elapsed() < PATIENCE, "waits in vain: {state:#}");
        }
    }

    pub fn steps(&mut self, count: usize) -> Value {
        let mut state = self.state();
        for _ in 0..count {
            let before = state["t"].as_f64().unwrap();
            let stepped = |s: &Value| s["t"].as_f64().unwrap() > before;
            state = self.until(json!({ "type": "step" }), stepped).0;
        }
        state
    }

    /// The state that the API tells.
    pub fn state(&self) -> Value {
        let path = self.served.with_token("/api/live/state");
        let (status, reply) = self.served.request(&path, &[]);
        assert_eq!(status, 200);
        let text = String::from_utf8_lossy(&reply).into_owned();
        serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    /// Ends the server and returns the folder of results, which lives on.
    pub fn end(self) -> (tempfile::TempDir, PathBuf) {
        let Page {
            served,
            socket,
            out,
            ..
        } = self;
        drop(socket);
        (served.end(), out)
    }
}

/// Energy that no channel of the ledger explains, and the work.
pub fn balance(session: &Value) -> (f64, f64) {
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
