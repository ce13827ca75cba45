//! The page of `supple view`: a server on the loopback interface that plays results in a browser.
//!
//! Every address carries a random token. Requests without it are answered with 401, requests from other origins or for
//! other hosts with 403 ([`access`]). The page itself is the player of `crates/report/player`.
//!
//! ```no_run
//! use viewer::{Playback, Server};
//!
//! let results = Playback::open(&["out/jello".into()])?;
//! let server = Server::bind(0, results)?;
//! println!("{}", server.address());
//! server.run()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
mod files;
mod packet;
mod playback;
mod server;
mod socket;

pub use access::Access;
pub use playback::{Playback, PlaybackError};
pub use server::{ServeError, Server};
