//! `supple check`: sizes, mesh quality, frequencies, cost and warnings of a scene.

use crate::Outcome;
use crate::cli::{CheckArgs, parse_settings, print_line};

/// Builds a scene and prints its sizes, frequencies, cost and warnings without running it.
pub fn check(args: &CheckArgs) -> anyhow::Result<Outcome> {
    let mut simulation = supple::open(&args.scene, &parse_settings(&args.set)?)?;
    let check = scene::check::check(&mut simulation)?;
    if args.json {
        print_line(serde_json::to_string_pretty(&check)?)?;
    } else {
        print_line(check.to_string().trim_end())?;
    }
    Ok(Outcome::Success)
}
