//! The server against wrong tokens, foreign pages, paths outside of the folder, huge messages and sockets that vanish.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use scene::run::{RunOptions, run};
use scene::session::Flow;
use scene::spec::Source;
use tungstenite::{Message, WebSocket};
use viewer::{Playback, Server};

const SCENE: &str = r#"
[time]
step = 0.01
until = 0.05
[[body]]
mesh = { box = { size = [1, 1, 1], cells = [2, 2, 2] } }
material = { young = 1e4, poisson = 0.3, density = 1000 }
"#;

/// A running server and the folder of its result.
struct Served {
    folder: tempfile::TempDir,
    port: u16,
    token: String,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Served {
    fn start() -> Served {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("result");
        std::fs::write(folder.path().join("secret"), "secret").unwrap();
        let source = Source::new("box.toml", SCENE).unwrap();
        let mut session = scene::build::build(source.scene().unwrap(), &source).unwrap();
        let options = RunOptions {
            out: out.clone(),
            resume: None,
        };
        run(&mut session, &options, &mut |_| Flow::On).unwrap();
        let server = Server::bind(0, Playback::open(&[out]).unwrap()).unwrap();
        let address = server.address();
        let (place, token) = address.split_once("/?token=").unwrap();
        let port = place.rsplit(':').next().unwrap().parse().unwrap();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .unwrap();
            let stop = async {
                let _ = stopped.await;
            };
            runtime.block_on(server.serve(stop)).unwrap();
        });
        Served {
            folder,
            port,
            token: token.into(),
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let limit = Some(Duration::from_secs(20));
        stream.set_read_timeout(limit).unwrap();
        stream.set_write_timeout(limit).unwrap();
        stream
    }

    /// Sends a request with its headers and returns the status and the whole reply.
    fn request(&self, path: &str, headers: &[(&str, &str)]) -> (u16, Vec<u8>) {
        let mut stream = self.connect();
        let mut text = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text += &format!("Host: 127.0.0.1:{}\r\n", self.port);
        }
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        stream.write_all((text + "\r\n").as_bytes()).unwrap();
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).unwrap();
        let head = String::from_utf8_lossy(&reply[..reply.len().min(16)]).into_owned();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), reply)
    }

    fn with_token(&self, path: &str) -> String {
        format!("{path}?token={}", self.token)
    }

    fn is_alive(&self) -> bool {
        self.request(&self.with_token("/api/page"), &[]).0 == 200
    }

    fn socket(&self) -> WebSocket<TcpStream> {
        let address = format!("ws://127.0.0.1:{}{}", self.port, self.with_token("/ws"));
        tungstenite::client(address, self.connect()).unwrap().0
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(std::thread::panicking() || ended.is_ok());
        }
    }
}

#[test]
fn only_own_pages_with_the_token_are_answered() {
    let served = Served::start();
    for path in ["/", "/api/page", "/player.js", "/ws", "/nowhere"] {
        assert_eq!(served.request(path, &[]).0, 401, "{path}");
        let wrong = format!("{path}?token={}", "0".repeat(32));
        assert_eq!(served.request(&wrong, &[]).0, 401, "{path}");
        let page = served.with_token(path);
        let foreign = [("Origin", "http://evil.example")];
        assert_eq!(served.request(&page, &foreign).0, 403, "{path}");
        let host = [("Host", "evil.example")];
        assert_eq!(served.request(&page, &host).0, 403, "{path}");
    }
    assert_eq!(served.request(&served.with_token("/"), &[]).0, 200);
    assert_eq!(served.request(&served.with_token("/nowhere"), &[]).0, 404);
}

#[test]
fn no_path_leaves_the_folder() {
    let served = Served::start();
    let file = |path: &str| served.with_token(&format!("/api/result/0/files/{path}"));
    assert_eq!(served.request(&file("report.json"), &[]).0, 200);
    let outside = [
        "../secret",
        "..%2fsecret",
        "frames/..%2f..%2fsecret",
        "%2fetc%2fpasswd",
        "..%5csecret",
        "%00",
    ];
    for path in outside {
        let (status, reply) = served.request(&file(path), &[]);
        assert!(status >= 400, "{path}: {status}");
        let reply = String::from_utf8_lossy(&reply);
        assert!(
            !reply.ends_with("secret\n") && !reply.contains("root:"),
            "{path}"
        );
    }
    assert!(served.folder.path().join("secret").exists());
    for path in ["/api/result/7", "/api/result/0/frame/99", "/api/result/x"] {
        let status = served.request(&served.with_token(path), &[]).0;
        assert!((400..500).contains(&status), "{path}: {status}");
    }
}

#[test]
fn frames_are_binary_and_fields_are_named() {
    let served = Served::start();
    let frame = served.with_token("/api/result/0/frame/1");
    let (status, reply) = served.request(&format!("{frame}&field=velocity"), &[]);
    assert_eq!(status, 200);
    let text = String::from_utf8_lossy(&reply);
    assert!(text.contains("\"positions\"") && text.contains("\"field\""));
    // 26 nodes on the surface of a box of 2 × 2 × 2 cells.
    assert!(text.contains("\"length\":78"));
    assert_eq!(served.request(&format!("{frame}&field=none"), &[]).0, 404);
}

#[test]
fn messages_are_answered_and_huge_ones_refused() {
    let served = Served::start();
    let mut socket = served.socket();
    for message in [
        Message::Text("{".into()),
        Message::Binary(vec![255; 9].into()),
    ] {
        socket.send(message).unwrap();
        let answer = socket.read().unwrap().into_text().unwrap();
        assert!(answer.contains("\"error\""), "{answer}");
    }
    // The server may close before all bytes are sent.
    let _ = socket.send(Message::Binary(vec![0; 100 << 20].into()));
    while let Ok(message) = socket.read() {
        assert!(message.is_close(), "{message}");
    }
    assert!(served.is_alive());
}

#[test]
fn many_pages_and_sockets_that_vanish() {
    let served = Served::start();
    let mut open: Vec<_> = (0..8).map(|_| served.socket()).collect();
    for socket in &mut open {
        socket.send(Message::Text("x".into())).unwrap();
        assert!(socket.read().unwrap().is_text());
    }
    // Closed in the middle of a frame: a header that promises 1000 bytes, and nothing after it.
    for socket in open {
        let mut stream = socket.into_inner();
        stream
            .write_all(&[0x82, 0xfe, 0x03, 0xe8, 1, 2, 3, 4, 5])
            .unwrap();
        drop(stream);
    }
    // Requests that stop in the middle.
    for _ in 0..8 {
        served.connect().write_all(b"GET /?token=").unwrap();
    }
    assert!(served.is_alive());
    // Places are free again.
    let again: Vec<_> = (0..16).map(|_| served.socket()).collect();
    assert_eq!(again.len(), 16);
}
