//! What a page asks of live sessions.

use scene::spec::Changes;
use serde::Deserialize;
use tokio::sync::mpsc;

/// Identifier of a page that is connected.
pub type Client = u64;

/// A message of a page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Message {
    /// The page has drawn a frame and takes the next one.
    Ack {
        /// Number of the frame.
        frame: u64,
    },
    /// Grabs a drawn vertex; the page holds at most one.
    Grab {
        /// Number of the vertex.
        vertex: u32,
        /// Factor of the default stiffness of the hand.
        #[serde(default = "one")]
        grip: f64,
    },
    /// Moves the hand of the page.
    Drag {
        /// Position, m.
        to: [f64; 3],
    },
    /// Opens the hand of the page.
    Release,
    /// Holds a vertex where it is.
    Pin {
        /// Number of the vertex.
        vertex: u32,
    },
    /// Frees a pinned vertex.
    Unpin {
        /// Number of the vertex.
        vertex: u32,
    },
    /// Frees all pinned vertices.
    UnpinAll,
    /// Names the field that the page shows, for which the sessions have to compute it; none if left out.
    Show {
        /// Name of the field.
        #[serde(default)]
        field: Option<String>,
    },
    /// Stops the clock.
    Pause,
    /// Starts the clock.
    Run,
    /// Takes one step and stops the clock.
    Step,
    /// Starts all sessions again.
    Reset,
    /// Sets the simulated time that passes in a second.
    Speed {
        /// Simulated seconds in a second.
        value: f64,
    },
    /// Changes sessions as an event of a scene file does.
    Set {
        /// Number of the session; all if left out.
        #[serde(default)]
        session: Option<usize>,
        /// Name of the body; all if left out.
        #[serde(default)]
        body: Option<String>,
        /// What changes.
        set: Box<Changes>,
    },
}

fn one() -> f64 {
    1.0
}

/// A message with its sender, and where answers go.
#[derive(Debug)]
pub struct Command {
    /// The page.
    pub client: Client,
    /// What it asks for.
    pub message: Message,
    /// Sentences for the page; those that it does not take in time are dropped.
    pub answers: mpsc::Sender<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_and_others_are_refused_with_a_reason() {
        let read = |text: &str| serde_json::from_str::<Message>(text);
        assert_eq!(
            read(r#"{"type":"grab","vertex":3}"#).unwrap(),
            Message::Grab {
                vertex: 3,
                grip: 1.0
            }
        );
        let set = read(r#"{"type":"set","set":{"method":"bdf2","gravity":[0,1,0]}}"#).unwrap();
        assert!(
            matches!(set, Message::Set { session: None, set, .. } if set.gravity == Some([0.0, 1.0, 0.0]))
        );
        for bad in [
            "",
            "{}",
            r#"{"type":"fly"}"#,
            r#"{"type":"grab","vertex":-1}"#,
            r#"{"type":"drag","to":[0,1]}"#,
            r#"{"type":"set","set":{"density":1}}"#,
        ] {
            assert!(!read(bad).unwrap_err().to_string().is_empty(), "{bad}");
        }
    }
}
