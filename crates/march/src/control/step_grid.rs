//! Step lengths on the grid 2^(k/4) s, which lets factors of earlier steps of the same length be reused.
//!
//! A step becomes shorter as soon as the error requires it, and longer only if the error allows clearly more than the
//! next length of the grid. Small changes of the error therefore leave the step and Newton's matrix unchanged (the
//! deadband of [Hairer & Wanner 1996, §IV.8]).

/// Number of grid lengths per factor of two.
const LENGTHS_PER_OCTAVE: f64 = 4.0;
/// Ratio of the allowed step to the next grid length above which the step grows.
const GROWTH_MARGIN: f64 = 1.1;
/// Relative distance from a grid length that counts as round-off.
const ROUND_OFF: f64 = 1e-9;

/// Returns the grid length with this index, s.
fn length(k: f64) -> f64 {
    (k / LENGTHS_PER_OCTAVE).exp2()
}

/// Returns the index of the longest grid length that is no longer than `h`.
fn index(h: f64) -> f64 {
    (LENGTHS_PER_OCTAVE * (h * (1.0 + ROUND_OFF)).log2()).floor()
}

/// Returns the step length after a step of length `now` if the error allows `allowed`.
pub(super) fn next_on_grid(now: f64, allowed: f64) -> f64 {
    let (here, there) = (index(now), index(allowed));
    if there <= here {
        return length(there);
    }
    // Growth by one length needs the margin; growth by two or more exceeds it anyway.
    let next = index(allowed / GROWTH_MARGIN).max(here);
    length(next)
}

/// Returns the longest grid length that is no longer than `h`.
pub(super) fn on_grid(h: f64) -> f64 {
    length(index(h))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_powers_of_the_fourth_root_of_two() {
        assert_eq!(on_grid(0.25), 0.25);
        assert_eq!(on_grid(0.2499), 2f64.powf(-9.0 / 4.0));
        for k in -80..8 {
            let h = length(f64::from(k));
            assert_eq!(on_grid(h), h, "a grid length maps to itself");
        }
    }

    #[test]
    fn a_step_shrinks_at_once_and_grows_beyond_the_margin() {
        let h = length(-20.0);
        assert_eq!(next_on_grid(h, 0.999 * h), length(-21.0));
        assert_eq!(next_on_grid(h, 1.05 * h), h);
        assert_eq!(
            next_on_grid(h, 1.25 * h),
            h,
            "above the next length but within the margin"
        );
        assert_eq!(next_on_grid(h, 1.35 * h), length(-19.0));
        assert_eq!(next_on_grid(h, 4.0 * h), length(-13.0));
    }
}
