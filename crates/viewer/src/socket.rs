//! The WebSocket of a page. A page of results has nothing to say there; its messages are answered.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade, close_code};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::live::close;
use crate::server::{Content, Shared, wait_for_stop};

/// Largest message of a page, in bytes.
pub const MAX_MESSAGE: usize = 1 << 20;
/// Time within which a page must take a message.
const SEND_LIMIT: Duration = Duration::from_secs(10);

/// Opens a socket, unless too many are open.
pub async fn open(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    let Ok(permit) = shared.sockets.clone().try_acquire_owned() else {
        let sentence = "too many pages are open; close one";
        return (StatusCode::SERVICE_UNAVAILABLE, sentence).into_response();
    };
    upgrade
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .on_upgrade(async move |socket| {
            let stop = wait_for_stop(shared.stopping.clone());
            match &shared.content {
                Content::Live(live) => crate::live::talk(socket, live, stop).await,
                Content::Playback(_) => talk(socket, stop).await,
            }
            drop(permit);
        })
}

async fn talk(mut socket: WebSocket, stop: impl Future<Output = ()>) {
    tokio::pin!(stop);
    loop {
        let received = tokio::select! {
            () = &mut stop => return close(socket, close_code::AWAY, "the server stops").await,
            received = socket.recv() => received,
        };
        let answer = match received {
            None | Some(Ok(Message::Close(_))) => return,
            Some(Err(error)) => {
                let sentence = format!("the message was refused: {error}");
                eprintln!("{sentence}");
                return close(socket, close_code::SIZE, &sentence).await;
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
            Some(Ok(Message::Text(_) | Message::Binary(_))) => {
                "this page plays results; start `supple view SCENE` to interact"
            }
        };
        let answer = json!({ "type": "error", "message": answer }).to_string();
        let sent = tokio::time::timeout(SEND_LIMIT, socket.send(Message::Text(answer.into())));
        if !matches!(sent.await, Ok(Ok(()))) {
            return;
        }
    }
}
