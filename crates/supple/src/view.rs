//! `supple view`: serves a page that plays results, or in which a scene runs.

use std::path::Path;

use anyhow::bail;
use scene::spec::Source;
use viewer::{Live, LiveOptions, Playback, Server};

use crate::Outcome;
use crate::cli::{ViewArgs, print_line, print_note};

/// Serves the page until Ctrl-C.
pub fn view(args: &ViewArgs) -> anyhow::Result<Outcome> {
    let scene = args.what.iter().find(|p| p.is_file());
    let server = match (scene, args.what.as_slice()) {
        (Some(scene), [_]) => Server::bind_live(args.port, live(scene, args)?)?,
        (Some(scene), _) => bail!(
            "{}: name one scene, or folders that `supple run` wrote",
            scene.display()
        ),
        (None, folders) => {
            if !args.with.is_empty() || args.record {
                bail!("--with and --record belong to a scene that runs; results are only played");
            }
            Server::bind(args.port, Playback::open(folders)?)?
        }
    };
    let address = server.address();
    print_line(&address)?;
    if !args.no_open {
        open_browser(&address);
    }
    server.run()?;
    Ok(Outcome::Success)
}

fn live(scene: &Path, args: &ViewArgs) -> anyhow::Result<Live> {
    let source = Source::read(scene)?;
    let default = || Path::new("out").join(scene.file_stem().unwrap_or_default());
    let options = LiveOptions {
        methods: args.with.clone(),
        out: args.out.clone().unwrap_or_else(default),
        record: args.record,
        paused: args.paused,
    };
    let live = Live::open(&source, &options)?;
    print_note(format!("results are kept in {}", options.out.display()));
    Ok(live)
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
