//! `supple check`.

use crate::Outcome;
use crate::cli::{CheckArgs, say, settings};

/// Builds a scene and says what a person would want to know before running it.
pub fn check(args: &CheckArgs) -> anyhow::Result<Outcome> {
    let mut simulation = supple::open(&args.scene, &settings(&args.set)?)?;
    let check = scene::check::check(&mut simulation)?;
    if args.json {
        say(serde_json::to_string_pretty(&check)?)?;
    } else {
        say(check.to_string().trim_end())?;
    }
    Ok(Outcome::Fine)
}
