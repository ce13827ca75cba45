//! Helpers shared by the other crates: atomic file writes, a seeded random generator, a parallel map, and counts in
//! sentences.
//!
//! ```
//! use base::random::Random;
//!
//! let mut random = Random::new(7);
//! let x = random.between(2.0, 3.0);
//! assert!((2.0..3.0).contains(&x));
//! assert_eq!(x, Random::new(7).between(2.0, 3.0)); // the same numbers for the same seed
//! ```

pub mod file;
pub mod parallel;
pub mod random;
pub mod text;
