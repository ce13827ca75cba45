//! The page of `supple view`: a server on the loopback interface that plays results in a browser, or lets sessions run there.
//!
//! Every address carries a random token. Requests without it are answered with 401, requests from other origins or for
//! other hosts with 403 ([`Access`]). The page itself is the player of `crates/report/player`.
//!
//! ```
//! use viewer::{Playback, Server};
//!
//! // One to four folders of results; a folder without frames is an error.
//! assert!(Playback::open(&["nowhere".into()]).is_err());
//! let server = Server::bind(0, Playback::open(&[])?)?;
//! assert!(server.address().starts_with("http://127.0.0.1:"));
//! // server.run()? answers requests until Ctrl-C.
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
mod files;
mod live;
mod packet;
mod playback;
mod server;
mod skin_values;
mod socket;

pub use access::Access;
pub use live::{Live, LiveError, LiveOptions, RECORDED_SCENE};
pub use playback::{Playback, PlaybackError};
pub use server::{ServeError, Server};
