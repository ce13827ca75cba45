//! The HTTP server: routes, refusals, headers and a clean shutdown.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

use crate::access::Access;
use crate::files;
use crate::live::Live;
use crate::playback::{Playback, PlayedResult};
use crate::socket;

/// Policy of the page: only its own scripts and data, never inside another page.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
     media-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Policy of files in result folders: their scripts run without access to the server.
const FILE_POLICY: &str = "sandbox allow-scripts allow-popups allow-downloads";
/// Number of sockets that may be open at a time.
pub const MAX_SOCKETS: usize = 32;
/// Number of frames that are read from files at a time.
const MAX_READERS: usize = 4;
/// Time that open requests have to finish after a stop.
const GRACE: Duration = Duration::from_secs(2);

/// Error of the server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The port cannot be used.
    #[error(
        "port {port} of 127.0.0.1 cannot be used: {why}; choose another one, or --port 0 for a free one"
    )]
    Port {
        /// Number of the port.
        port: u16,
        /// Error of the operating system.
        why: io::Error,
    },
    /// Another error of the operating system.
    #[error("the server stopped: {0}")]
    Io(#[from] io::Error),
}

/// What all requests share.
pub struct Shared {
    pub access: Access,
    pub content: Content,
    /// Becomes true when the server stops.
    pub stopping: watch::Receiver<bool>,
    pub sockets: Arc<Semaphore>,
    readers: Semaphore,
}

/// What a server shows.
#[derive(Debug)]
pub enum Content {
    /// Results.
    Playback(Playback),
    /// Sessions that run.
    Live(Box<Live>),
}

impl Shared {
    fn result(&self, k: usize) -> Option<&PlayedResult> {
        match &self.content {
            Content::Playback(playback) => playback.result(k),
            Content::Live(_) => None,
        }
    }
}

type SharedState = State<Arc<Shared>>;

/// A server that listens on the loopback interface.
pub struct Server {
    listener: std::net::TcpListener,
    access: Access,
    content: Content,
}

impl Server {
    /// Listens on a port of 127.0.0.1 with a page that plays results; port 0 takes a free one.
    pub fn bind(port: u16, playback: Playback) -> Result<Server, ServeError> {
        Server::bind_content(port, Content::Playback(playback))
    }

    /// Listens on a port of 127.0.0.1 with a page of live sessions; port 0 takes a free one.
    pub fn bind_live(port: u16, live: Live) -> Result<Server, ServeError> {
        Server::bind_content(port, Content::Live(Box::new(live)))
    }

    fn bind_content(port: u16, content: Content) -> Result<Server, ServeError> {
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = std::net::TcpListener::bind(wanted);
        let listener = listener.map_err(|why| ServeError::Port { port, why })?;
        listener.set_nonblocking(true)?;
        let access = Access::new(listener.local_addr()?.port())?;
        Ok(Server {
            listener,
            access,
            content,
        })
    }

    /// Returns the address of the page, with its token.
    pub fn address(&self) -> String {
        self.access.address()
    }

    /// Answers requests until Ctrl-C or SIGTERM.
    pub fn run(self) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(2 * MAX_READERS)
            .enable_all()
            .build()?;
        let served = runtime.block_on(self.serve(stop_signal()));
        runtime.shutdown_timeout(GRACE);
        served
    }

    /// Answers requests until `stop` is ready. Sockets are then closed and requests have a short time to finish.
    pub async fn serve(self, stop: impl Future<Output = ()>) -> Result<(), ServeError> {
        let (stopped, stopping) = watch::channel(false);
        let shared = Arc::new(Shared {
            access: self.access,
            content: self.content,
            stopping: stopping.clone(),
            sockets: Arc::new(Semaphore::new(MAX_SOCKETS)),
            readers: Semaphore::new(MAX_READERS),
        });
        let listener = TcpListener::from_std(self.listener)?;
        let serving = axum::serve(listener, router(shared.clone()))
            .with_graceful_shutdown(async move { wait_for_stop(stopping).await });
        let serving = tokio::spawn(serving.into_future());
        stop.await;
        // The receivers may be gone already.
        let _ = stopped.send(true);
        let served = match tokio::time::timeout(GRACE, serving).await {
            Ok(Ok(served)) => served,
            // Requests that did not finish in time are dropped.
            Ok(Err(_)) | Err(_) => Ok(()),
        };
        let ended = tokio::task::spawn_blocking(move || {
            if let Content::Live(live) = &shared.content {
                live.finish();
            }
        });
        // A panic has written its message already.
        let _ = ended.await;
        Ok(served?)
    }
}

/// Waits until the server stops.
pub async fn wait_for_stop(mut stopping: watch::Receiver<bool>) {
    // An error means that the sender is gone: the server has stopped.
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// Waits for Ctrl-C or SIGTERM.
async fn stop_signal() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = interrupt.await;
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/player.js", get(script))
        .route("/player.css", get(style))
        .route("/licenses.txt", get(licenses))
        .route("/ws", get(socket::open))
        .route("/api/page", get(about_page))
        .route("/api/live/state", get(live_state))
        .route("/api/live/topology", get(live_topology))
        .route("/api/result/{k}", get(about_result))
        .route("/api/result/{k}/topology", get(topology))
        .route("/api/result/{k}/frame/{i}", get(frame))
        .route("/api/result/{k}/files/{*path}", get(file))
        .fallback(|| async { not_found("there is no such address on this server") })
        .layer(middleware::from_fn_with_state(shared.clone(), guard))
        .with_state(shared)
}

/// Refuses requests without access and sets the headers of all replies.
async fn guard(State(shared): SharedState, request: Request, next: Next) -> Response {
    if let Err(refusal) = shared.access.check(request.uri(), request.headers()) {
        eprintln!(
            "refused {} {}: {}",
            request.method(),
            request.uri().path(),
            refusal.sentence()
        );
        return text(refusal.status(), refusal.sentence());
    }
    let mut response = next.run(request).await;
    let set = |headers: &mut HeaderMap, name, value| {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    };
    let headers = response.headers_mut();
    set(headers, header::CONTENT_SECURITY_POLICY, PAGE_POLICY);
    set(headers, header::CACHE_CONTROL, "no-store");
    set(headers, header::REFERRER_POLICY, "no-referrer");
    set(headers, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    response
}

fn text(status: StatusCode, sentence: impl Into<String>) -> Response {
    let head = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    (status, head, sentence.into()).into_response()
}

fn not_found(sentence: impl Into<String>) -> Response {
    text(StatusCode::NOT_FOUND, sentence)
}

fn content(kind: &'static str, body: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, kind)], body.into()).into_response()
}

fn binary(bytes: Vec<u8>) -> Response {
    content("application/octet-stream", bytes)
}

async fn page(State(shared): SharedState) -> Response {
    let mode = match &shared.content {
        Content::Playback(_) => "playback",
        Content::Live(_) => "live",
    };
    let page = report::player::view_page("Supple", mode, shared.access.token());
    content("text/html; charset=utf-8", page)
}

async fn script() -> Response {
    let head = [
        (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
        (header::CONTENT_ENCODING, "gzip"),
    ];
    (head, report::player::SCRIPT_GZ).into_response()
}

async fn style() -> Response {
    content("text/css; charset=utf-8", report::player::STYLE)
}

async fn licenses() -> Response {
    content("text/plain; charset=utf-8", report::player::LICENSES)
}

async fn about_page(State(shared): SharedState) -> Response {
    let about = match &shared.content {
        Content::Playback(playback) => playback.about().to_string(),
        Content::Live(live) => live.about().to_string(),
    };
    content("application/json", about)
}

async fn live_topology(State(shared): SharedState) -> Response {
    match &shared.content {
        Content::Live(live) => content("application/octet-stream", live.topology()),
        Content::Playback(_) => not_live(),
    }
}

async fn live_state(State(shared): SharedState) -> Response {
    match &shared.content {
        Content::Live(live) => content("application/json", live.state()),
        Content::Playback(_) => not_live(),
    }
}

fn not_live() -> Response {
    not_found("this page plays results; start `supple view SCENE` for live sessions")
}

fn no_result(k: usize) -> Response {
    not_found(format!("this page has no result {k}"))
}

async fn about_result(State(shared): SharedState, Path(k): Path<usize>) -> Response {
    match shared.result(k) {
        Some(result) => content("application/json", result.about().to_string()),
        None => no_result(k),
    }
}

async fn topology(State(shared): SharedState, Path(k): Path<usize>) -> Response {
    match shared.result(k) {
        Some(result) => binary(result.topology()),
        None => no_result(k),
    }
}

#[derive(Deserialize)]
struct FrameQuery {
    field: Option<String>,
}

async fn frame(
    State(shared): SharedState,
    Path((k, i)): Path<(usize, usize)>,
    Query(query): Query<FrameQuery>,
) -> Response {
    let Some(result) = shared.result(k) else {
        return no_result(k);
    };
    if i >= result.frames() {
        let sentence = format!("result {k} has frames 0 to {}", result.frames() - 1);
        return not_found(sentence);
    }
    let Ok(_permit) = shared.readers.acquire().await else {
        return text(StatusCode::SERVICE_UNAVAILABLE, "the server stops");
    };
    let reader = shared.clone();
    let read = tokio::task::spawn_blocking(move || {
        let result = reader.result(k)?;
        Some(result.frame(i, query.field.as_deref()))
    });
    match read.await {
        Ok(Some(Ok(bytes))) => binary(bytes),
        Ok(Some(Err(error))) => not_found(error.to_string()),
        Ok(None) | Err(_) => text(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("frame {i} of result {k} could not be read"),
        ),
    }
}

async fn file(State(shared): SharedState, Path((k, path)): Path<(usize, String)>) -> Response {
    let Some(result) = shared.result(k) else {
        return no_result(k);
    };
    let Some(found) = files::resolve(result.folder(), &path) else {
        return not_found(format!("the folder of result {k} has no file {path}"));
    };
    let kind = files::media_type(&found);
    let read = tokio::task::spawn_blocking(move || std::fs::read(found));
    match read.await {
        Ok(Ok(bytes)) => {
            let policy = [(header::CONTENT_SECURITY_POLICY, FILE_POLICY)];
            (policy, content(kind, bytes)).into_response()
        }
        _ => not_found(format!("{path} cannot be read")),
    }
}
