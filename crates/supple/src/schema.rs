//! `supple schema`.

use crate::Outcome;

/// Prints the JSON Schema of scene files.
pub fn schema() -> anyhow::Result<Outcome> {
    println!("{}", serde_json::to_string_pretty(&supple::schema())?);
    Ok(Outcome::Fine)
}
