//! Names for the shapes of vibration modes: bending, torsion, axial, stretching, shear and others.
//!
//! ```
//! use modal::{BodyFrame, ModeKind, describe};
//!
//! // Eleven nodes on a line that move across it like the first mode of a cantilever.
//! let line: Vec<[f64; 3]> = (0..11).map(|i| [f64::from(i), 0.0, 0.0]).collect();
//! let bent = line.iter().map(|x| [0.0, x[0] * x[0], 0.0]).collect();
//! let body = BodyFrame::new("beam".into(), (0..11).collect(), &line, &[1.0; 11]);
//! let modes = describe(&[body], &mut [(100.0, bent)], 1e-6);
//! assert_eq!(modes[0].kind, ModeKind::Bending);
//! ```

mod shape;

pub use shape::{BodyFrame, Mode, ModeKind, describe};
