//! Charts of modal energies: over time for one run, and what is left of them for compared runs.

use chart::{Axis, Chart, Dash, PALETTE, Series};
use scene::table::Table;

/// Largest number of modes in the chart over time.
const MAX_SHOWN: usize = 24;
/// Part of a run at its end over which energies are averaged.
const LAST: f64 = 0.1;

/// Returns the columns of `modes.csv`, without the time.
fn columns(modes: &Table) -> impl Iterator<Item = (usize, &[f64])> {
    let column = |k: usize| (k, modes.column(&format!("e{k}")));
    (1..).map(column).take_while(|(_, e)| !e.is_empty())
}

/// Returns the chart of the energies of the lowest modes over time with its caption; `None` if the scene writes none.
pub fn over_time(modes: &Table) -> Option<(Chart, String)> {
    let t = modes.column("t");
    let line = |(k, energies): (usize, &[f64])| {
        let points = t.iter().copied().zip(energies.iter().copied());
        Series::line(format!("mode {k}"), points.filter(|p| p.1 > 0.0).collect())
            .colour((k - 1) % PALETTE.len())
            .dash(Dash::ALL[(k - 1) / PALETTE.len() % Dash::ALL.len()])
    };
    let count = columns(modes).count();
    let series: Vec<Series> = columns(modes).take(MAX_SHOWN).map(line).collect();
    if series.iter().all(|s| s.points.is_empty()) {
        return None;
    }
    let chart = Chart {
        title: "Energy of the modes".into(),
        x: Axis::linear("time, s"),
        y: Axis::log("energy, J"),
        series,
    };
    let which = match count > MAX_SHOWN {
        true => format!("The {MAX_SHOWN} lowest of {count} modes"),
        false => "The lowest modes".into(),
    };
    let caption = format!(
        "{which} of the initial state, kinetic and strain energy together (modes.csv). A curve that falls is a frequency that damping or the integrator takes."
    );
    Some((chart, caption))
}

/// Returns the points (mode, mean energy over the last tenth of the run), and those of the start.
pub fn at_both_ends(modes: &Table) -> [Vec<(f64, f64)>; 2] {
    let rows = modes.column("t").len();
    let last = ((LAST * rows as f64).ceil() as usize).clamp(1, rows.max(1));
    let mean = |e: &[f64]| e[e.len() - last..].iter().sum::<f64>() / last as f64;
    let positive = |of: &dyn Fn(&[f64]) -> f64| {
        let points = columns(modes).map(|(k, e)| (k as f64, of(e)));
        points.filter(|p| p.1 > 0.0).collect()
    };
    [positive(&|e| e[0]), positive(&mean)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: u32) -> Table {
        let mut table = Table::new("t,e1,e2,e3");
        for k in 0..rows {
            let t = f64::from(k);
            table.push(&[t, 2.0, 8.0 * 0.5_f64.powf(t), 0.0]);
        }
        table
    }

    #[test]
    fn modes_without_energy_have_no_points() {
        let (chart, caption) = over_time(&table(5)).unwrap();
        let lengths: Vec<usize> = chart.series.iter().map(|s| s.points.len()).collect();
        assert_eq!(lengths, [5, 5, 0]);
        assert!(caption.starts_with("The lowest modes of"), "{caption}");
        assert!(over_time(&Table::default()).is_none());
        assert!(over_time(&Table::new("t,e1")).is_none());
    }

    #[test]
    fn what_is_left_is_a_mean_over_the_last_tenth() {
        let [start, end] = at_both_ends(&table(20));
        assert_eq!(start, [(1.0, 2.0), (2.0, 8.0)]);
        let left = 4.0 * (0.5_f64.powi(18) + 0.5_f64.powi(19));
        assert_eq!(end, [(1.0, 2.0), (2.0, left)]);
        assert_eq!(at_both_ends(&Table::default()), [vec![], vec![]]);
    }
}
