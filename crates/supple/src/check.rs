//! `supple check`.

use crate::Outcome;
use crate::cli::{CheckArgs, settings};

/// Builds a scene and says what a person would want to know before running it.
pub fn check(args: &CheckArgs) -> anyhow::Result<Outcome> {
    let mut simulation = supple::open(&args.scene, &settings(&args.set)?)?;
    let check = scene::check::check(&mut simulation)?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&check)?);
    } else {
        print!("{check}");
    }
    Ok(Outcome::Fine)
}
