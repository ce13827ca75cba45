//! Random starts that are the same everywhere.

/// Steele, Lea & Flood's SplitMix64.
#[derive(Clone, Copy, Debug)]
pub struct Chance(u64);

impl Chance {
    /// Begins at a seed.
    pub fn new(seed: u64) -> Chance {
        Chance(seed)
    }

    /// From −1 to 1.
    pub fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Between two positive numbers, every decade alike.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(0.5 * (self.signed() + 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_between_and_fill_the_range() {
        let mut chance = Chance::new(7);
        let drawn: Vec<f64> = (0..1000).map(|_| chance.between(1e-2, 1e2)).collect();
        assert!(drawn.iter().all(|x| (1e-2..=1e2).contains(x)));
        let below = drawn.iter().filter(|x| **x < 1.0).count();
        assert!((400..600).contains(&below), "{below}");
    }
}
