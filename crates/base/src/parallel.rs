//! A parallel map in which every call has its own thread pool.
//!
//! In a shared rayon pool a call that waits for its own parallel parts may execute parts of another call, and its measured
//! time would include both. With pools of their own, the wall times of calls are separate.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};

/// Returns `work(0)`, `work(1)`, … `work(count - 1)`. Calls begin in this order, at most `at_once` at a time, each in a
/// thread pool of `threads` threads.
pub fn map_in_pools<T: Send>(
    count: usize,
    at_once: usize,
    threads: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, ThreadPoolBuildError> {
    let workers = at_once.clamp(1, count.max(1));
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
                    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
                    let result = pool.map(|pool| pool.install(|| work(place)));
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
    fn results_keep_their_order_and_calls_their_threads() {
        for threads in [1, 2] {
            let squares = map_in_pools(7, 3, threads, |k| {
                assert_eq!(rayon::current_num_threads(), threads);
                k * k
            });
            assert_eq!(squares.unwrap(), [0, 1, 4, 9, 16, 25, 36]);
        }
        assert!(map_in_pools(0, 3, 1, |k| k).unwrap().is_empty());
    }

    #[test]
    fn no_more_calls_than_asked_for_run_at_once() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let calls = map_in_pools(8, 2, 1, |_| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::sleep(std::time::Duration::from_millis(2));
            now.fetch_sub(1, Ordering::SeqCst);
        });
        assert_eq!(calls.unwrap().len(), 8);
        assert!(most.into_inner() <= 2);
    }
}
