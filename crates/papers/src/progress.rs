//! Long runs say how far they are.

use std::time::{Duration, Instant};

use scene::run::Flow;
use scene::session::Session;
use scene::trial::{Row, Trial, trial};

use crate::Job;

/// Time between two words about a run.
const PAUSE: Duration = Duration::from_secs(30);

/// [`trial`] of a run with this name; of a long one it tells now and then how much is done and how long the rest will take.
pub fn watched(
    job: &Job,
    name: &str,
    sim: &mut Session,
    watch: &mut dyn FnMut(&mut Session, &Row) -> Flow,
) -> Trial {
    let (start, end) = (sim.t(), sim.scene.time.until);
    let began = Instant::now();
    let mut told = began;
    trial(sim, &mut |sim, row| {
        if told.elapsed() >= PAUSE {
            told = Instant::now();
            let share = (row.t - start) / (end - start);
            (job.tell)(&word(name, share, began.elapsed()));
        }
        watch(sim, row)
    })
}

/// What is said when a share of a run has taken so long.
fn word(name: &str, share: f64, so_far: Duration) -> String {
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
        assert_eq!(word("a", 0.25, minute), "a: 25 %, 3 min left");
        assert_eq!(word("a", 0.5, minute), "a: 50 %, 60 s left");
        assert_eq!(word("a", 0.0, minute), "a: begun");
    }
}
