//! The integrator's share in the loss of energy.
//!
//! What there was to lose: the energy at the start above the least potential energy (elastic, gravity, contact) of the
//! run, which an oscillating body passes at its equilibrium and a damped one ends at, plus all work the outside put in,
//! step by step: W = E(0) − min V + Σ max(work, 0). The share is −Σ numerical / W: 93 % says that of every 100 J that
//! could have been in motion the integrator itself ate 93.

use std::io;
use std::path::Path;

use crate::table::Table;

/// The share of a run from the tables in its folder.
pub fn of(out: &Path) -> io::Result<Option<f64>> {
    let table = |name: &str| Table::read(&out.join(name)).map_err(io::Error::other);
    Ok(percent(&table("steps.csv")?, &table("ledger.csv")?))
}

/// The share in percent: positive where the integrator removed energy, negative where it added some. Nothing where it is
/// not meaningful: where there was nothing to lose beyond round-off, or the share is not between −100 and 100 % (energy
/// went in and out through the integrator more than once, or the run blew up).
fn percent(steps: &Table, ledger: &Table) -> Option<f64> {
    let [elastic, gravity, contact] = ["elastic", "gravity", "contact"].map(|n| steps.column(n));
    let potential = (0..elastic.len()).map(|k| elastic[k] + gravity[k] + contact[k]);
    let least = potential.fold(f64::INFINITY, f64::min);
    let total = steps.column("total");
    let put_in: f64 = ledger.column("work").iter().map(|w| w.max(0.0)).sum();
    let to_lose = total.first()? - least + put_in;
    let size = total.iter().fold(put_in, |size, e| size.max(e.abs()));
    // Summed rounding of the energies themselves is no share of anything.
    if to_lose.is_nan() || to_lose <= 1e-9 * size {
        return None;
    }
    let removed: f64 = 0.0 - ledger.column("numerical").iter().sum::<f64>();
    let percent = 100.0 * removed / to_lose;
    (percent.abs() <= 100.0 + 1e-6).then_some(percent)
}

#[cfg(test)]
mod tests {
    use super::percent;
    use crate::table::Table;

    fn tables(steps: &str, ledger: &str) -> [Table; 2] {
        let folder = tempfile::tempdir().unwrap();
        let table = |name: &str, text: String| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            Table::read(&path).unwrap()
        };
        [
            table("a", format!("t,elastic,gravity,contact,total\n{steps}")),
            table("b", format!("t,numerical,work\n{ledger}")),
        ]
    }

    #[test]
    fn shares_of_what_there_was_to_lose() {
        // 5 J at the start, 3 J at the equilibrium, 2 J put in and 1 J taken out again: 4 J to lose, 1 J eaten.
        let [steps, ledger] = tables("0,4,1,0,5\n1,1,2,0,6\n2,3,2,0,5\n", "1,-0.5,2\n2,-0.5,-1\n");
        assert_eq!(percent(&steps, &ledger), Some(25.0));
    }

    #[test]
    fn nothing_to_lose_and_too_much_lost_have_no_share() {
        let [steps, ledger] = tables("0,3,0,0,3\n1,3,0,0,3\n", "1,-1e-17,0\n");
        assert_eq!(percent(&steps, &ledger), None);
        let [steps, ledger] = tables("0,3,0,0,3\n1,2,0,0,900\n", "1,897,0\n");
        assert_eq!(percent(&steps, &ledger), None);
    }
}
