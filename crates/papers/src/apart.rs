//! Runs side by side, one thread each.
//!
//! Inside rayon a run that waits for its own parts may take up another run meanwhile: its clock would count both. Here a
//! run keeps its thread to itself, so its seconds are its own.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::PaperError;

/// Computes `work(0)`, `work(1)`, … `work(count - 1)`, begun in this order, as many at once as there are threads.
pub fn apart<T: Send>(
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
