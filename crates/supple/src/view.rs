//! `supple view`: serves a page that plays results.

use anyhow::bail;
use viewer::{Playback, Server};

use crate::Outcome;
use crate::cli::{ViewArgs, print_line, print_note};

/// Serves the page until Ctrl-C.
pub fn view(args: &ViewArgs) -> anyhow::Result<Outcome> {
    if let Some(scene) = args.what.iter().find(|p| p.is_file()) {
        bail!(
            "{}: expected the output folder of `supple run`; run the scene first",
            scene.display()
        );
    }
    let server = Server::bind(args.port, Playback::open(&args.what)?)?;
    let address = server.address();
    print_line(&address)?;
    if !args.no_open {
        open_browser(&address);
    }
    server.run()?;
    Ok(Outcome::Success)
}

/// Opens the address in the browser of the desktop.
fn open_browser(address: &str) {
    let command = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let mut browser = std::process::Command::new(command);
    let quiet = std::process::Stdio::null;
    let opened = browser.arg(address).stdout(quiet()).stderr(quiet()).spawn();
    if opened.is_err() {
        print_note("No browser could be started; open the address above in one.");
    }
}
