//! A seeded random number generator with the same sequence on every machine.

/// The SplitMix64 generator of Steele, Lea & Flood.
#[derive(Clone, Copy, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Creates a generator with this seed.
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64(seed)
    }

    /// Returns a uniformly distributed number in [−1, 1).
    pub fn uniform_signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Returns a log-uniformly distributed number between two positive numbers.
    pub fn log_uniform(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(0.5 * (self.uniform_signed() + 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_between_and_fill_the_range() {
        let mut random = SplitMix64::new(7);
        let drawn: Vec<f64> = (0..1000).map(|_| random.log_uniform(1e-2, 1e2)).collect();
        assert!(drawn.iter().all(|x| (1e-2..=1e2).contains(x)));
        let below = drawn.iter().filter(|x| **x < 1.0).count();
        assert!((400..600).contains(&below), "{below}");
    }
}
