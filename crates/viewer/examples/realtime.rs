//! Measures how fast live sessions run, on the side of the server: a corotated jelly of 2.6 thousand vertices, and a solid of 4913
//! vertices with local/global steps and energy tracking. A page is connected, takes every frame, and pulls a vertex.
//!
//! `cargo run --example realtime [-- SECONDS]`. Prints simulated seconds in a second of the clock, from
//! `GET /api/live/state`, and seconds of processor time for a simulated second, which depend little on other programs. On a rented
//! machine it also prints the share of the cores' time that its host gave to others.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use scene::spec::Source;
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};
use viewer::{Live, LiveOptions, Server};

const JELLY: &str = r#"
title = "Corotated jelly"
[time]
method = "backward-euler"
step = 0.0333333333
until = 1000.0
[solver]
tolerance = 1e-2
[[body]]
name = "jelly"
mesh = { mould = { radius = 0.15, height = 0.18, cells = 16, element = "tet4" } }
material = { law = "corotated", young = 2e4, poisson = 0.45, density = 1000 }
damping = { stiffness = 0.002 }
[[body.fix]]
where = { y = 0.0 }
"#;

const SOLID: &str = r#"
title = "Solid under local/global steps and energy tracking"
[time]
method = "implicit-midpoint"
step = 0.0333333333
until = 1000.0
[time.stabilise]
tolerance = 0.01
[solver]
newton = "local-global"
[[body]]
name = "solid"
mesh = { box = { size = [1.0, 1.0, 1.0], cells = [16, 16, 16], element = "tet4" } }
material = { law = "arap", young = 5e5, poisson = 0.3, density = 1000 }
mass = "lumped"
[[body.fix]]
where = { x = 0.0 }
"#;

/// Distance of the hand from the place where it took the vertex, m.
const PULL: f32 = 0.05;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let seconds = std::env::args().nth(1).map_or(Ok(10.0), |s| s.parse())?;
    for (name, text) in [("jelly", JELLY), ("solid", SOLID)] {
        measure(name, text, seconds)?;
    }
    Ok(())
}

fn measure(name: &str, text: &str, seconds: f64) -> Result<(), Failure> {
    let out = std::env::temp_dir().join(format!("supple-realtime-{}", std::process::id()));
    let options = LiveOptions {
        methods: Vec::new(),
        out: out.clone(),
        record: false,
        paused: false,
    };
    let live = Live::open(&Source::new(&format!("{name}.toml"), text)?, &options)?;
    let server = Server::bind_live(0, live)?;
    let address = server.address();
    std::thread::spawn(move || server.run());
    let (place, query) = address.split_once("/?").ok_or("an address with a token")?;
    let place = place.trim_start_matches("http://");
    let stream = TcpStream::connect(place)?;
    let (mut page, _) = tungstenite::client(format!("ws://{place}/ws?{query}"), stream)?;
    let mut ran = Page::default();
    ran.watch(&mut page, 2.0)?;
    let (t, cpu, host) = (ran.t, processor_seconds(), HostTime::now());
    (ran.bytes, ran.frames) = (0, 0);
    ran.milliseconds.clear();
    ran.watch(&mut page, seconds)?;
    let cost = (processor_seconds() - cpu) / (ran.t - t);
    let taken = 100.0 * host.taken_by_host();
    let state = get(place, &format!("/api/live/state?{query}"))?;
    ran.milliseconds.sort_by(f64::total_cmp);
    let at = |q: f64| {
        let last = ran.milliseconds.len().saturating_sub(1);
        let found = ran.milliseconds.get((q * last as f64).round() as usize);
        found.copied().unwrap_or(f64::NAN)
    };
    println!(
        "{name}: {} drawn vertices, {:.2} x real time over {seconds} s (now {:.2} x), {cost:.2} s of processor time for 1 s; a step of 33.3 ms takes {:.1} ms, {:.1} ms at the 95th percentile; {:.0} frames/s of {:.0} kB; the host took {taken:.0} % of the cores",
        ran.vertices,
        (ran.t - t) / seconds,
        state["rate"].as_f64().unwrap_or(f64::NAN),
        at(0.5),
        at(0.95),
        ran.frames as f64 / seconds,
        ran.bytes as f64 / ran.frames.max(1) as f64 / 1e3,
    );
    page.close(None)?;
    let _ = std::fs::remove_dir_all(out);
    Ok(())
}

/// What a page has received.
#[derive(Default)]
struct Page {
    t: f64,
    vertices: usize,
    frames: usize,
    bytes: usize,
    /// Time of each step that was seen, ms.
    milliseconds: Vec<f64>,
    /// Place of the vertex when the hand took it, m.
    taken_at: Option<[f32; 3]>,
}

impl Page {
    /// Takes and acknowledges frames for some seconds, and moves a hand in circles.
    fn watch(&mut self, page: &mut WebSocket<TcpStream>, seconds: f64) -> Result<(), Failure> {
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs_f64(seconds) {
            let Message::Binary(bytes) = page.read()? else {
                continue;
            };
            let length = u32::from_le_bytes(bytes[..4].try_into()?) as usize;
            let header: Value = serde_json::from_slice(&bytes[4..4 + length])?;
            let state = &header["state"];
            let t = state["t"].as_f64().unwrap_or(0.0);
            if t > self.t {
                let spent = state["sessions"][0]["ms"].as_f64();
                self.milliseconds.extend(spent);
            }
            self.t = t;
            self.frames += 1;
            self.bytes += bytes.len();
            let positions: Vec<f32> = bytes[4 + length..]
                .chunks_exact(4)
                .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                .collect();
            self.vertices = positions.len() / 3;
            let mut say = |what: Value| page.send(Message::Text(what.to_string().into()));
            say(json!({ "type": "ack", "frame": state["frame"] }))?;
            let at = |vertex: usize| [0, 1, 2].map(|k| positions[3 * vertex + k]);
            if self.taken_at.is_none() {
                let highest = (0..self.vertices).max_by(|a, b| at(*a)[1].total_cmp(&at(*b)[1]));
                let top = highest.ok_or("a frame without vertices")?;
                say(json!({ "type": "grab", "vertex": top }))?;
                self.taken_at = Some(at(top));
            }
            let Some([x, y, z]) = self.taken_at else {
                continue;
            };
            let (sin, cos) = (3.0 * self.t as f32).sin_cos();
            say(json!({ "type": "drag", "to": [x + PULL * cos, y + PULL, z + PULL * sin] }))?;
        }
        Ok(())
    }
}

fn get(place: &str, path: &str) -> Result<Value, Failure> {
    let mut stream = TcpStream::connect(place)?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n\r\n"
    )?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply)?;
    let (_, body) = reply.split_once("\r\n\r\n").ok_or("a reply with a body")?;
    Ok(serde_json::from_str(body)?)
}

/// Returns the processor time of this program, s; NaN where the system does not tell it.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit(") ").next().unwrap_or_default();
    let ticks = after_name.split(' ').skip(11).take(2);
    let ticks: Vec<f64> = ticks.filter_map(|n| n.parse().ok()).collect();
    match ticks[..] {
        // Linux counts hundredths of seconds for programs.
        [user, system] => (user + system) / 100.0,
        _ => f64::NAN,
    }
}

/// Time of all cores, in ticks, and what the host of a rented machine took of it.
struct HostTime {
    all: f64,
    taken: f64,
}

impl HostTime {
    /// Reads the counters; zero where the system has none.
    fn now() -> HostTime {
        let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
        let line = text.lines().next().unwrap_or_default();
        let ticks: Vec<f64> = line.split(' ').filter_map(|n| n.parse().ok()).collect();
        HostTime {
            all: ticks.iter().take(8).sum(),
            taken: ticks.get(7).copied().unwrap_or(0.0),
        }
    }

    /// Returns the share of the time since then that the host took.
    fn taken_by_host(&self) -> f64 {
        let now = HostTime::now();
        (now.taken - self.taken) / (now.all - self.all).max(1.0)
    }
}
