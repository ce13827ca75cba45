//! Step lengths on the grid 2^(k/4) s, so that factors of a length seen before can be used again.
//!
//! A step is made shorter as soon as the error asks for it, and longer only if the error allows more than the next length
//! of the grid: small changes of the error leave the step, and with it Newton's matrix, as it is (the deadband of
//! Hairer and Wanner, "Solving Ordinary Differential Equations II", section IV.8).

/// Lengths of the grid for each factor of two.
const LENGTHS_PER_OCTAVE: f64 = 4.0;
/// What the allowed step must exceed the next length of the grid by before the step grows to it.
const GROWTH_MARGIN: f64 = 1.1;
/// Relative distance from a length of the grid that is round-off.
const ROUND_OFF: f64 = 1e-9;

/// The length of the grid with this number, s.
fn length(k: f64) -> f64 {
    (k / LENGTHS_PER_OCTAVE).exp2()
}

/// The number of the longest step of the grid that is no longer than `h`.
fn number(h: f64) -> f64 {
    (LENGTHS_PER_OCTAVE * (h * (1.0 + ROUND_OFF)).log2()).floor()
}

/// The step after one of length `now` if the error allows `allowed`.
pub(super) fn next_on_grid(now: f64, allowed: f64) -> f64 {
    let (here, there) = (number(now), number(allowed));
    if there <= here {
        return length(there);
    }
    // One length longer only with a margin; two or more are beyond it anyway.
    let next = number(allowed / GROWTH_MARGIN).max(here);
    length(next)
}

/// The longest step of the grid that is no longer than `h`.
pub(super) fn on_grid(h: f64) -> f64 {
    length(number(h))
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
            assert_eq!(on_grid(h), h, "a length of the grid is its own");
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
            "above the next length, within the margin"
        );
        assert_eq!(next_on_grid(h, 1.35 * h), length(-19.0));
        assert_eq!(next_on_grid(h, 4.0 * h), length(-13.0));
    }
}
