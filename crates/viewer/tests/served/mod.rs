//! A server in a thread of the test, and requests to it.

pub mod page;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use tungstenite::WebSocket;
use viewer::Server;

/// A running server and the folder of its result.
pub struct Served {
    pub folder: tempfile::TempDir,
    port: u16,
    token: String,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Served {
    /// Serves until it is dropped.
    pub fn new(server: Server, folder: tempfile::TempDir) -> Served {
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

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let limit = Some(Duration::from_secs(20));
        stream.set_read_timeout(limit).unwrap();
        stream.set_write_timeout(limit).unwrap();
        stream
    }

    /// Sends a request with its headers and returns the status and the whole reply.
    pub fn request(&self, path: &str, headers: &[(&str, &str)]) -> (u16, Vec<u8>) {
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

    pub fn with_token(&self, path: &str) -> String {
        format!("{path}?token={}", self.token)
    }

    #[allow(dead_code)]
    pub fn is_alive(&self) -> bool {
        self.request(&self.with_token("/api/page"), &[]).0 == 200
    }

    pub fn socket(&self) -> WebSocket<TcpStream> {
        let address = format!("ws://127.0.0.1:{}{}", self.port, self.with_token("/ws"));
        tungstenite::client(address, self.connect()).unwrap().0
    }
}

impl Served {
    /// Ends the server and returns the folder.
    #[allow(dead_code)]
    pub fn end(mut self) -> tempfile::TempDir {
        self.stop();
        std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap())
    }

    fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(std::thread::panicking() || ended.is_ok());
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop();
    }
}
