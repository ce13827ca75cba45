//! Curves of a run for the plots of a page, thinned to as many points as a screen shows.

use std::path::Path;

use march::ledger::shown_channels;
use scene::table::{Table, TableError};
use serde_json::{Value, json};

/// Largest number of points of a curve.
const MAX_POINTS: usize = 2000;

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
    let t = steps.column("t");
    let energies = ["kinetic", "elastic", "gravity", "contact", "total"]
        .map(|name| (name.to_string(), thinned(steps.column(name).iter())));
    let channels = shown_channels().into_iter().map(|(channel, _)| {
        let sums = ledger.cumulative(channel.name);
        // The ledger has a row for each step, the steps one more for the start.
        let start = vec![0.0; t.len().saturating_sub(sums.len())];
        let values: Vec<f64> = start.into_iter().chain(sums.iter().map(|p| p.1)).collect();
        json!({ "name": channel.name, "title": channel.title, "values": thinned(values.iter()) })
    });
    Ok(json!({
        "t": thinned(t.iter()),
        "energies": energies.into_iter().collect::<serde_json::Map<_, _>>(),
        "h": thinned(steps.column("h").iter()),
        "newton": thinned(steps.column("newton").iter()),
        "ledger": channels.collect::<Vec<_>>(),
    }))
}

/// Keeps every k-th number and the last.
fn thinned<'a>(values: impl ExactSizeIterator<Item = &'a f64>) -> Value {
    let (count, stride) = (values.len(), values.len().div_ceil(MAX_POINTS).max(1));
    let kept = values.enumerate();
    let kept = kept.filter(|(k, _)| k.is_multiple_of(stride) || k + 1 == count);
    kept.map(|(_, x)| *x).collect::<Vec<f64>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_curves_keep_their_ends() {
        let long: Vec<f64> = (0..10_001).map(f64::from).collect();
        let kept = thinned(long.iter());
        let kept = kept.as_array().unwrap();
        assert!(kept.len() <= MAX_POINTS + 1);
        assert_eq!(
            (&kept[0], &kept[kept.len() - 1]),
            (&0.0.into(), &10_000.0.into())
        );
        let short = [1.0, 2.0, 3.0];
        assert_eq!(thinned(short.iter()), json!([1.0, 2.0, 3.0]));
    }
}
