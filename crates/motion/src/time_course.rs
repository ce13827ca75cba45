//! Time course of a load: a linear ramp, a constant value, and an end.

/// Factor of a load over time: it rises linearly from 0 to 1 during `ramp` after `from`, and falls to 0 at `to` at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeCourse {
    /// Start, s.
    pub from: f64,
    /// End, s; the factor is zero from then on.
    pub to: f64,
    /// Duration of the rise, s; zero for a jump.
    pub ramp: f64,
}

impl Default for TimeCourse {
    /// A factor of one from time zero on.
    fn default() -> TimeCourse {
        TimeCourse {
            from: 0.0,
            to: f64::INFINITY,
            ramp: 0.0,
        }
    }
}

impl TimeCourse {
    /// Returns the factor at a time.
    pub fn factor(&self, t: f64) -> f64 {
        if t < self.from || t >= self.to {
            return 0.0;
        }
        let since = t - self.from;
        if since < self.ramp {
            since / self.ramp
        } else {
            1.0
        }
    }

    /// Returns the rate of change of the factor, 1/s. At a kink it is the rate after it.
    pub fn rate(&self, t: f64) -> f64 {
        let rises = t >= self.from && t < self.to && t - self.from < self.ramp;
        if rises { 1.0 / self.ramp } else { 0.0 }
    }

    /// Returns the first time after `t` at which the factor jumps or has a kink, s; infinity if there is none.
    pub fn next_kink(&self, t: f64) -> f64 {
        let top = self.from + self.ramp;
        let kinks = [self.from, top.min(self.to), self.to].into_iter();
        kinks.filter(|&kink| kink > t).fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_rises_stays_and_ends() {
        let course = TimeCourse {
            from: 1.0,
            to: 5.0,
            ramp: 2.0,
        };
        let factors = [0.9, 1.0, 1.5, 2.5, 3.0, 4.9, 5.0].map(|t| course.factor(t));
        assert_eq!(factors, [0.0, 0.0, 0.25, 0.75, 1.0, 1.0, 0.0]);
        let rates = [0.9, 1.0, 2.9, 3.0, 5.0].map(|t| course.rate(t));
        assert_eq!(rates, [0.0, 0.5, 0.5, 0.0, 0.0]);
        let kinks = [0.0, 1.0, 3.0, 5.0].map(|t| course.next_kink(t));
        assert_eq!(kinks, [1.0, 3.0, 5.0, f64::INFINITY]);
    }

    #[test]
    fn a_course_without_a_ramp_jumps_and_one_that_ends_early_never_reaches_one() {
        let jump = TimeCourse {
            from: 1.0,
            to: 2.0,
            ramp: 0.0,
        };
        assert_eq!([0.5, 1.0, 2.0].map(|t| jump.factor(t)), [0.0, 1.0, 0.0]);
        assert_eq!([0.0, 1.0].map(|t| jump.next_kink(t)), [1.0, 2.0]);
        assert_eq!(jump.rate(1.0), 0.0);
        let early = TimeCourse { ramp: 4.0, ..jump };
        assert_eq!([1.5, 2.0].map(|t| early.factor(t)), [0.125, 0.0]);
        assert_eq!([1.0, 2.0].map(|t| early.next_kink(t)), [2.0, f64::INFINITY]);
        assert_eq!(TimeCourse::default().factor(0.0), 1.0);
    }
}
