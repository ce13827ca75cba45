//! Curves of a run for the plots of a page.

use std::path::Path;

use scene::table::{Table, TableError};
use serde_json::Value;

/// Reads `steps.csv` and `ledger.csv` of a result folder; `null` if there are none.
pub fn read(folder: &Path) -> Result<Value, TableError> {
    if !folder.join("steps.csv").exists() {
        return Ok(Value::Null);
    }
    let steps = Table::read(&folder.join("steps.csv"))?;
    let ledger = match folder.join("ledger.csv") {
        path if path.exists() => Table::read(&path)?,
        _ => Table::default(),
    };
    Ok(report::player::curves(&steps, &ledger))
}
