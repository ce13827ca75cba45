//! The server against wrong tokens, foreign pages, paths outside of the folder, huge messages and sockets that vanish.

mod served;

use std::io::Write;

use scene::run::{RunOptions, run};
use scene::session::Flow;
use scene::spec::Source;
use served::Served;
use tungstenite::Message;
use viewer::{Playback, Server};

const SCENE: &str = r#"
[time]
step = 0.01
until = 0.05
[[body]]
mesh = { box = { size = [1, 1, 1], cells = [2, 2, 2] } }
material = { young = 1e4, poisson = 0.3, density = 1000 }
"#;

/// Serves a short result; beside its folder is a file that must not be served.
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
    Served::new(server, folder)
}

#[test]
fn only_own_pages_with_the_token_are_answered() {
    let served = start();
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
    let served = start();
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
    let served = start();
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
    let served = start();
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
    let served = start();
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
