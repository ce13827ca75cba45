//! Runs side by side, one thread each, so that the seconds of a run are its own.

use base::parallel::map_in_pools;

use crate::PaperError;

/// Computes `work(0)`, `work(1)`, … `work(count - 1)`, begun in this order, as many at once as there are threads.
pub fn apart<T: Send>(
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
        let squares = apart(7, |k| {
            assert_eq!(rayon::current_num_threads(), 1);
            Ok(k * k)
        });
        assert_eq!(squares.unwrap(), [0, 1, 4, 9, 16, 25, 36]);
    }

    #[test]
    fn a_failure_is_told() {
        let failed = apart(3, |k| match k {
            1 => Err(PaperError::Threads("none".into())),
            _ => Ok(k),
        });
        assert!(failed.is_err());
    }
}
