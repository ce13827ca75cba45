//! `supple schema`.

use crate::Outcome;
use crate::cli::say;

/// Prints the JSON Schema of scene files.
pub fn schema() -> anyhow::Result<Outcome> {
    say(scene::spec::schema_text().trim_end())?;
    Ok(Outcome::Fine)
}
