//! Deformable solids in three dimensions and SI units: materials, elements, springs, loads, and the [`model::Model`] that
//! assembles them into a system of ordinary differential equations.
//!
//! Nothing in this crate depends on the time step or on the integration method.
//!
//! The force on a clamped beam under gravity, at rest:
//!
//! ```
//! use march::{At, System};
//! use mesh::CellKind;
//! use mesh::element::Element;
//! use solid::mass::{MassKind, add_masses};
//! use solid::material::Law;
//! use solid::model::{Model, ModelDescription, PrescribedNodes};
//! use solid::motion::Motion;
//! use solid::potential::{SolidProperties, StiffnessDamping, Viscosity, elastic};
//!
//! let shape = meshing::shapes::Box { size: [1.0, 0.1, 0.1], cells: [10, 1, 1], ..Default::default() };
//! let beam = shape.mesh()?; // hexahedra
//! let rubber = SolidProperties {
//!     law: Law::new("stable-neo-hookean", 1e6, 0.3)?, // Young's modulus in Pa, Poisson's ratio
//!     stiffness_damping: StiffnessDamping::default(),
//!     viscosity: Viscosity::default(),
//! };
//! let mut description = ModelDescription { rest: beam.points.clone(), gravity: [0.0, -9.81, 0.0], ..ModelDescription::default() };
//! description.potentials.push(elastic(rubber, CellKind::Hex8, &beam.nodes, &beam.points)?);
//! let element = Element::of(CellKind::Hex8).ok_or("hexahedra are solid elements")?;
//! add_masses(MassKind::Consistent, &element, &beam.nodes, &beam.points, 1000.0, &mut description.masses);
//! let wall = (0..beam.points.len() as u32).filter(|&i| beam.points[i as usize][0] == 0.0);
//! description.prescribed.push(PrescribedNodes { nodes: wall.collect(), axes: [true; 3], motion: Motion::Still });
//!
//! let mut model = Model::new(description)?;
//! let rest = vec![0.0; model.dofs()];
//! let mut force = rest.clone();
//! model.force(At { t: 0.0, u: &rest, v: &rest }, &mut force);
//! // Its weight, without that of the half cell at the wall.
//! let weight: f64 = force.iter().sum();
//! assert!((weight + 0.95 * 10.0 * 9.81).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use load;
pub use material;
pub use material::{lanes, small3};
pub use motion;
pub use sparse::blocks;

pub mod mass;
pub mod model;
pub mod potential;
