//! Trial runs that report their progress.

use std::time::{Duration, Instant};

use scene::run::Flow;
use scene::session::Session;
use scene::trial::{Row, Trial, trial};

use crate::Job;

/// The time between two progress messages of a run.
const REPORT_INTERVAL: Duration = Duration::from_secs(30);

/// Runs [`trial`] and reports percentage and remaining time of long runs under this name.
pub fn trial_with_progress(
    job: &Job,
    name: &str,
    sim: &mut Session,
    watch: &mut dyn FnMut(&mut Session, &Row) -> Flow,
) -> Trial {
    let (start, end) = (sim.t(), sim.scene.time.until);
    let began = Instant::now();
    let mut last_message = began;
    trial(sim, &mut |sim, row| {
        if last_message.elapsed() >= REPORT_INTERVAL {
            last_message = Instant::now();
            let share = (row.t - start) / (end - start);
            (job.progress)(&progress_message(name, share, began.elapsed()));
        }
        watch(sim, row)
    })
}

/// Returns the message for a run of which `share` has taken `so_far`.
fn progress_message(name: &str, share: f64, so_far: Duration) -> String {
    let left = so_far.as_secs_f64() * (1.0 / share - 1.0);
    let percent = 100.0 * share;
    match left {
        _ if !left.is_finite() => format!("{name}: begun"),
        _ if left < 90.0 => format!("{name}: {percent:.0} %, {left:.0} s left"),
        _ => format!("{name}: {percent:.0} %, {:.0} min left", left / 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_follows_from_what_it_took() {
        let minute = Duration::from_secs(60);
        assert_eq!(progress_message("a", 0.25, minute), "a: 25 %, 3 min left");
        assert_eq!(progress_message("a", 0.5, minute), "a: 50 %, 60 s left");
        assert_eq!(progress_message("a", 0.0, minute), "a: begun");
    }
}
