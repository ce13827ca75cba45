//! Parallel runs with one thread each, so that their times can be measured.
//!
//! Inside rayon a run that waits for its own parallel parts may execute another run meanwhile, and its time would
//! include both. Here each run has a thread and a pool of its own.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::PaperError;

/// Computes `work(0)` … `work(count - 1)`, started in this order, as many at a time as there are threads; returns the
/// results in order.
pub fn run_in_parallel<T: Send>(
    count: usize,
    work: impl Fn(usize) -> Result<T, PaperError> + Sync,
) -> Result<Vec<T>, PaperError> {
    let workers = rayon::current_num_threads().min(count);
    let next = AtomicUsize::new(0);
    let ended = Mutex::new(Vec::with_capacity(count));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    if place >= count {
                        return;
                    }
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
                    let result = match pool {
                        Ok(pool) => pool.install(|| work(place)),
                        Err(why) => Err(PaperError::Threads(why.to_string())),
                    };
                    let mut ended = ended.lock().unwrap_or_else(|e| e.into_inner());
                    ended.push((place, result));
                }
            });
        }
    });
    let mut ended = ended.into_inner().unwrap_or_else(|e| e.into_inner());
    ended.sort_by_key(|(place, _)| *place);
    ended.into_iter().map(|(_, result)| result).collect()
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
