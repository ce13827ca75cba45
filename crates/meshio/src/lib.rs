//! Mesh files: [`import`] reads them, [`export`] writes them, [`record`] writes moving meshes frame by frame.
//!
//! ```
//! use meshio::export::{Encoding, to_bytes};
//! use meshio::import::{Format, read_bytes};
//!
//! let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
//! let imported = read_bytes(obj.as_bytes(), Format::Obj, "triangle.obj")?;
//! assert_eq!(imported.mesh.len(), 1);
//! let vtu = to_bytes(&imported.mesh, Format::Vtu, Encoding::Text)?;
//! assert!(vtu.starts_with(b"<?xml") || vtu.starts_with(b"<VTKFile"));
//!
//! let error = read_bytes(b"v 0 0 0\nf 1 2 3\n", Format::Obj, "bad.obj").unwrap_err();
//! println!("{error}"); // file, line, what is wrong and what to try
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`import::read`] and [`export::write`] do the same with files.

pub mod export;
pub mod import;
pub mod npz;
pub mod record;
