//! Shorter steps after one that failed, and back again.
//!
//! A scene's step is an interval of time. Where a step over all of it fails, it is halved, and again; each pair of halves
//! that succeeded makes the next step twice as long, up to the whole. The place within the interval is counted in
//! parts of a power of two, so times are exact and a resumed run goes on as it would have.

use crate::spec::{ControlKind, Time};

/// Halvings allowed where the scene does not say.
const HALVINGS: u32 = 10;
/// Halvings that a place can count.
const MOST: u32 = 16;

/// Where a run stands within an interval, and how short its steps are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retreat {
    /// Halvings in force.
    level: u32,
    /// Parts of the interval behind us, of 2^[`MOST`].
    place: u64,
    deepest: u32,
}

impl Retreat {
    /// Whole steps, and as many halvings as the scene allows.
    pub fn new(time: &Time) -> Retreat {
        let shortest = match &time.control {
            Some(control) if control.kind == ControlKind::Retreat => control.min,
            _ => None,
        };
        let deepest = match shortest {
            Some(min) => (time.step / min).log2().floor().clamp(0.0, f64::from(MOST)) as u32,
            None => HALVINGS,
        };
        Retreat {
            level: 0,
            place: 0,
            deepest,
        }
    }

    fn part(&self) -> u64 {
        1 << (MOST - self.level)
    }

    /// Whether the next step begins its interval.
    pub fn begins(&self) -> bool {
        self.place == 0
    }

    /// Share of the interval behind us.
    pub fn share(&self) -> f64 {
        self.place as f64 / (1u64 << MOST) as f64
    }

    /// Begins an interval here, steps as short as they were.
    pub fn begin(&mut self) {
        self.place = 0;
    }

    /// Length and end of the next step within an interval.
    pub fn next(&self, start: f64, whole: f64, end: f64) -> (f64, f64) {
        if self.level == 0 {
            return (whole, end);
        }
        let all = (1u64 << MOST) as f64;
        let after = self.place + self.part();
        let until = if after == 1 << MOST {
            end
        } else {
            start + whole * (after as f64 / all)
        };
        (whole * (self.part() as f64 / all), until)
    }

    /// Notes a step taken; whether it ended the interval.
    pub fn took(&mut self) -> bool {
        self.place += self.part();
        if self.level > 0 && self.place.is_multiple_of(2 * self.part()) {
            self.level -= 1;
        }
        let ended = self.place == 1 << MOST;
        if ended {
            self.place = 0;
        }
        ended
    }

    /// Notes a step that failed; whether a shorter one may be tried.
    pub fn failed(&mut self) -> bool {
        let left = self.level < self.deepest;
        if left {
            self.level += 1;
        }
        left
    }

    /// As two numbers for a checkpoint.
    pub fn pack(&self) -> [u64; 2] {
        [u64::from(self.level), self.place]
    }

    /// Takes back what [`Retreat::pack`] wrote; whether it makes sense.
    pub fn unpack(&mut self, [level, place]: [u64; 2]) -> bool {
        let fits = level <= u64::from(MOST) && place < 1 << MOST;
        if fits {
            (self.level, self.place) = (level as u32, place);
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh() -> Retreat {
        Retreat {
            level: 0,
            place: 0,
            deepest: 3,
        }
    }

    #[test]
    fn halves_cover_the_interval_and_grow_back() {
        let mut retreat = fresh();
        assert!(retreat.failed() && retreat.failed());
        let mut t = 1.0;
        let mut lengths = Vec::new();
        loop {
            let (h, end) = retreat.next(1.0, 0.8, 1.8);
            assert!((end - t - h).abs() < 1e-15);
            (t, _) = (end, lengths.push(h));
            if retreat.took() {
                break;
            }
        }
        assert_eq!(t, 1.8);
        assert_eq!(lengths, [0.2, 0.2, 0.4]);
        assert_eq!(retreat, fresh(), "back to whole steps");
    }

    #[test]
    fn a_failure_late_in_the_interval_ends_on_its_end() {
        let mut retreat = fresh();
        retreat.failed();
        assert!(!retreat.took());
        retreat.failed();
        retreat.failed();
        let mut steps = 1;
        while !retreat.took() {
            steps += 1;
        }
        assert_eq!((steps, retreat.pack()[1]), (3, 0));
    }

    #[test]
    fn halvings_end() {
        let mut retreat = fresh();
        assert!((0..3).all(|_| retreat.failed()));
        assert!(!retreat.failed());
    }

    #[test]
    fn the_place_survives_packing() {
        let mut retreat = fresh();
        retreat.failed();
        retreat.took();
        let mut other = fresh();
        assert!(other.unpack(retreat.pack()));
        assert_eq!(other, retreat);
        assert!(!other.unpack([0, u64::MAX]));
        assert!(!other.unpack([99, 0]));
    }
}
