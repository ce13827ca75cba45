//! Parallel runs with one thread each, so that their times can be measured.
//!
//! Inside rayon a run that waits for its own parallel parts may execute another run meanwhile, and its time would
//! include both. Here each run has a thread and a pool of its own.

use base::parallel::map_in_pools;

use crate::PaperError;

/// Computes `work(0)` … `work(count - 1)`, started in this order, as many at a time as there are threads; returns the
/// results in order.
pub fn run_in_parallel<T: Send>(
    count: usize,
    work: impl Fn(usize) -> Result<T, PaperError> + Sync,
) -> Result<Vec<T>, PaperError> {
    let runs = map_in_pools(count, rayon::current_num_threads(), 1, work);
    let runs = runs.map_err(|why| PaperError::Threads(why.to_string()))?;
    runs.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_their_order_and_runs_have_one_thread() {
        let squares = run_in_parallel(7, |k| {
            assert_eq!(rayon::current_num_threads(), 1);
            Ok(k * k)
        });
        assert_eq!(squares.unwrap(), [0, 1, 4, 9, 16, 25, 36]);
    }

    #[test]
    fn a_failure_is_returned() {
        let failed = run_in_parallel(3, |k| match k {
            1 => Err(PaperError::Threads("none".into())),
            _ => Ok(k),
        });
        assert!(failed.is_err());
    }
}
