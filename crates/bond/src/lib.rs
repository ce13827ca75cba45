//! Bond-based peridynamics [Silling 2000] without time: which particles are bonded, how stiff and how strong their bonds
//! are, which of them a prescribed crack cuts, into which fragments the others hold the particles together, and how the cells of
//! the mesh look along broken bonds.
//!
//! A bond between particles i and j at rest distance r = |ξ|, stretched by s = (|ξ + η| − r)/r, stores
//! ½ c ω(r) s² r V_i V_j: it is a spring of stiffness c ω(r) V_i V_j / r. An isotropic solid of such bonds has Poisson's
//! ratio ¼; its constants follow from [`influence`]. Sums over particles differ from the integrals behind these constants,
//! which [`calibration`] corrects.
//!
//! ```
//! use bond::{BondSettings, Influence, Network};
//!
//! let n = 7;
//! let points: Vec<[f64; 3]> = (0..n * n * n).map(|i| [i % n, i / n % n, i / n / n].map(f64::from)).collect();
//! let settings = BondSettings { horizon: 3.0, micromodulus: 1.0, influence: Influence::Constant, calibrated: true };
//! let network = Network::new(&points, &vec![1.0; points.len()], &settings)?;
//! assert_eq!(network.spacing, 1.0);
//! // Six bonds of length 1 meet inside a cubic lattice, and 122 within three spacings.
//! let centre = (points.len() / 2) as u32;
//! assert_eq!(network.bonds.iter().filter(|b| b.ends.contains(&centre)).count(), 122);
//! # Ok::<(), bond::NetworkError>(())
//! ```

pub mod calibration;
pub mod crack;
pub mod fragments;
pub mod influence;
pub mod neighbours;
pub mod network;
pub mod split;

pub use crack::Crack;
pub use fragments::label_fragments;
pub use influence::Influence;
pub use network::{Bond, BondSettings, Network, NetworkError};
pub use split::{IntactBonds, SplitCells};
