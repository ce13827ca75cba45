//! A seeded random generator with the same numbers on every machine.

/// The SplitMix64 random generator [Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators"].
#[derive(Clone, Copy, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator from a seed.
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a uniform random number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a uniform random number in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Returns a uniform random number in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Returns a random number between two positive bounds, uniform on a logarithmic scale.
    pub fn log_between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.unit())
    }

    /// Returns a random index below `n`, or 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n.max(1) as u64) as usize
    }

    /// Returns `true` with probability ½.
    pub fn coin(&mut self) -> bool {
        self.bits() >> 63 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// The first numbers of the authors' implementation for the seed 1234567.
    #[test]
    fn bits_are_those_of_the_reference() {
        let mut random = Random::new(1_234_567);
        let wanted = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(wanted, [(); 5].map(|()| random.bits()));
    }

    #[test]
    fn numbers_stay_in_their_ranges_and_fill_them() {
        let mut random = Random::new(7);
        let below = |numbers: &[f64], middle: f64| {
            let count = numbers.iter().filter(|x| **x < middle).count();
            assert!(
                (400..600).contains(&count),
                "{count} of 1000 below {middle}"
            );
        };
        let mut draw = |one: &mut dyn FnMut(&mut Random) -> f64, low: f64, high: f64| {
            let drawn: Vec<f64> = (0..1000).map(|_| one(&mut random)).collect();
            assert!(drawn.iter().all(|x| (low..high).contains(x)));
            drawn
        };
        below(&draw(&mut Random::unit, 0.0, 1.0), 0.5);
        below(&draw(&mut Random::signed, -1.0, 1.0), 0.0);
        below(&draw(&mut |r| r.between(2.0, 4.0), 2.0, 4.0), 3.0);
        below(&draw(&mut |r| r.log_between(1e-2, 1e2), 1e-2, 1e2), 1.0);
        below(&draw(&mut |r| r.below(10) as f64, 0.0, 10.0), 5.0);
        below(&draw(&mut |r| f64::from(u8::from(r.coin())), 0.0, 2.0), 1.0);
        assert_eq!(random.below(0), 0);
    }
}
