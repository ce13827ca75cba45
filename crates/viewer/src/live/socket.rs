//! The WebSocket of a page with live sessions: frames go out one at a time, the newest only; messages come in.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message as Sent, WebSocket, close_code};
use serde_json::json;
use tokio::sync::mpsc;

use super::Live;
use super::command::{Command, Message};

/// Time within which a page must take a message.
const SEND_LIMIT: Duration = Duration::from_secs(10);
/// Number of answers that wait for a page.
const MAX_ANSWERS: usize = 16;

/// Talks to a page until it leaves or the server stops.
pub async fn talk(mut socket: WebSocket, live: &Live, stop: impl Future<Output = ()>) {
    let (client, (answers, mut answered)) = (live.new_client(), mpsc::channel(MAX_ANSWERS));
    let mut frames = live.frames.clone();
    frames.mark_changed();
    // Number of the frame that the page has not acknowledged.
    let mut in_flight: Option<u64> = None;
    tokio::pin!(stop);
    loop {
        let out = tokio::select! {
            () = &mut stop => {
                close(socket, close_code::AWAY, "the server stops").await;
                break;
            }
            received = socket.recv() => match received {
                None | Some(Ok(Sent::Close(_))) => break,
                Some(Err(error)) => {
                    let sentence = format!("the message was refused: {error}");
                    eprintln!("{sentence}");
                    close(socket, close_code::SIZE, &sentence).await;
                    break;
                }
                Some(Ok(Sent::Ping(_) | Sent::Pong(_))) => continue,
                Some(Ok(Sent::Binary(_))) => error_message("binary messages are not understood; send JSON"),
                Some(Ok(Sent::Text(text))) => match serde_json::from_str(&text) {
                    Err(why) => {
                        eprintln!("a message was refused: {why}");
                        error_message(&format!("the message was refused: {why}"))
                    }
                    Ok(Message::Ack { frame }) => {
                        if in_flight == Some(frame) {
                            in_flight = None;
                        }
                        continue;
                    }
                    Ok(message) => {
                        let command = Command { client, message, answers: answers.clone() };
                        match live.send(command) {
                            Ok(()) => continue,
                            Err(sentence) => error_message(sentence),
                        }
                    }
                },
            },
            Some(sentence) = answered.recv() => error_message(&sentence),
            changed = frames.changed(), if in_flight.is_none() => {
                if changed.is_err() {
                    break;
                }
                let frame = frames.borrow_and_update().clone();
                if frame.number == 0 {
                    continue;
                }
                in_flight = Some(frame.number);
                Sent::Binary(frame.bytes.clone())
            }
        };
        let sent = tokio::time::timeout(SEND_LIMIT, socket.send(out));
        if !matches!(sent.await, Ok(Ok(()))) {
            break;
        }
    }
    // A page that is gone holds nothing.
    live.drags.leave(client);
}

fn error_message(sentence: &str) -> Sent {
    let text = json!({ "type": "error", "message": sentence }).to_string();
    Sent::Text(text.into())
}

/// Sends a close frame; a page that does not take it is left.
pub async fn close(mut socket: WebSocket, code: u16, reason: &str) {
    // The reason of a close frame has at most 123 bytes.
    let reason: String = reason.chars().take(100).collect();
    let frame = CloseFrame {
        code,
        reason: reason.into(),
    };
    let sent = socket.send(Sent::Close(Some(frame)));
    let _ = tokio::time::timeout(Duration::from_secs(1), sent).await;
}
