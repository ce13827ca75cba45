//! Mesh generation: [`shapes`] meshes parametric bodies, [`fill`] meshes the inside of a closed surface.
//!
//! ```
//! use meshing::fill::fill;
//! use meshing::shapes::{Box, ElementKind};
//!
//! let beam = Box { size: [2.0, 0.1, 0.1], cells: [20, 1, 1], element: ElementKind::Tet4, ..Box::default() };
//! let mesh = beam.mesh()?; // six tetrahedra in each of 20 cells
//! assert_eq!(mesh.len(), 120);
//! let volume: f64 = (0..mesh.len()).map(|i| mesh::cell_volume(&mesh, i)).sum();
//! assert!((volume - 0.02).abs() < 1e-15);
//!
//! // Its surface filled anew by isosurface stuffing, with cells of 5 cm.
//! let skin = mesh::surface(&mesh);
//! let points: Vec<[f64; 3]> = mesh.points.clone();
//! let filled = fill(&points, &skin.triangles, 0.05)?;
//! assert!(filled.mesh.len() > 120);
//! # Ok::<(), std::boxed::Box<dyn std::error::Error>>(())
//! ```

pub mod fill;
pub mod shapes;
