//! Geometry of contact, without time, materials or matrices.
//!
//! - [`distance`]: squared distances of points, edges and triangles with closest features, gradients and Hessians;
//! - [`mollifier()`]: the factor that smooths the potential of nearly parallel edges;
//! - [`Barrier`]: functions of the distance that grow without bound towards contact;
//! - [`ccd`]: how far primitives can move along straight paths, never too far;
//! - [`collision`]: the stencils within reach, with their weights;
//! - [`search`]: candidates that are reused while points move little;
//! - [`broad`]: candidates for contact by bounding boxes;
//! - [`CollisionSurface`]: the points, edges and triangles of a mesh that can touch, with their areas;
//! - [`penalty`]: repulsion springs at signed distances, and impulses of friction and restitution;
//! - [`obstacle`]: planes, spheres, capsules and boxes as signed distances, and triangulations of them;
//! - [`enclosure`]: points inside closed surfaces, and how deep;
//! - [`intersect`]: an exact test whether edges pass through triangles.
//!
//! ```
//! use contact::{Barrier, BarrierShape, ccd, distance};
//!
//! let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let stencil = |height: f64| [[0.2, 0.2, height], triangle[0], triangle[1], triangle[2]];
//! let (feature, d2) = distance::point_triangle(&stencil(0.5));
//! assert_eq!((feature, d2), (distance::Feature::PointTriangle, 0.25));
//!
//! // A point that would fall through the triangle may go until a tenth of the gap is left.
//! let free = ccd::point_triangle(&stencil(0.5), &stencil(-0.5), &ccd::CcdOptions::default());
//! assert!(free > 0.449 && free <= 0.45);
//!
//! // The barrier's pressure is 1 at half its reach.
//! let barrier = Barrier::new(BarrierShape::SquaredLog, 1e-3);
//! assert!((barrier.derivatives(0.5e-3)[1] + 1.0).abs() < 1e-14);
//! ```

mod barrier;
pub mod broad;
pub mod ccd;
pub mod collision;
pub mod distance;
pub mod enclosure;
pub mod intersect;
mod mollifier;
pub mod obstacle;
pub mod penalty;
pub mod search;
mod surface;

pub use barrier::{Barrier, BarrierShape};
pub use distance::Point;
pub use mollifier::{mollifier, mollifier_of, mollifier_threshold, squared_area};
pub use surface::{CodimensionalSizes, CollisionSurface, VertexSide};
