//! `supple schema`: prints the JSON Schema of scene files.

use crate::Outcome;
use crate::cli::print_line;

/// Prints the JSON Schema of scene files.
pub fn schema() -> anyhow::Result<Outcome> {
    print_line(scene::spec::schema_text().trim_end())?;
    Ok(Outcome::Success)
}
