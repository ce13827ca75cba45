//! Deformable solids in three dimensions and SI units: materials, elements, springs, loads, and the [`model::Model`] that
//! assembles them into a system of ordinary differential equations.
//!
//! Nothing in this crate depends on the time step or on the integration method.
//!
//! The force on a clamped beam under gravity, at rest:
//!
//! ```
//! use march::{At, System};
//! use mesh::Kind;
//! use mesh::element::Element;
//! use solid::mass::{MassKind, add_masses};
//! use solid::material::Law;
//! use solid::model::{Fix, Model, Parts};
//! use solid::motion::Motion;
//! use solid::potential::{StiffnessDamping, Substance, Viscosity, elastic};
//!
//! let shape = meshing::shapes::Box { size: [1.0, 0.1, 0.1], cells: [10, 1, 1], ..Default::default() };
//! let beam = shape.mesh()?; // hexahedra
//! let substance = Substance {
//!     law: Law::new("stable-neo-hookean", 1e6, 0.3)?, // Young's modulus in Pa, Poisson's ratio
//!     stiffness_damping: StiffnessDamping::default(),
//!     viscosity: Viscosity::default(),
//! };
//! let mut parts = Parts { rest: beam.points.clone(), gravity: [0.0, -9.81, 0.0], ..Parts::default() };
//! parts.potentials.push(elastic(substance, Kind::Hex8, &beam.nodes, &beam.points)?);
//! let element = Element::of(Kind::Hex8).ok_or("hexahedra carry stress")?;
//! add_masses(MassKind::Consistent, &element, &beam.nodes, &beam.points, 1000.0, &mut parts.masses);
//! let wall = (0..beam.points.len() as u32).filter(|&i| beam.points[i as usize][0] == 0.0);
//! parts.fixes.push(Fix { nodes: wall.collect(), axes: [true; 3], motion: Motion::Still });
//!
//! let mut model = Model::new(parts)?;
//! let rest = vec![0.0; model.dofs()];
//! let mut force = rest.clone();
//! model.force(At { t: 0.0, u: &rest, v: &rest }, &mut force);
//! // Its weight, without the half cell that the wall carries.
//! let weight: f64 = force.iter().sum();
//! assert!((weight + 0.95 * 10.0 * 9.81).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod blocks;
pub mod lanes;
pub mod load;
pub mod mass;
pub mod material;
pub mod model;
pub mod motion;
pub mod potential;
pub mod small3;
