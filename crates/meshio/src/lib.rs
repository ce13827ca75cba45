//! Mesh files in and out: [`import`] reads them, [`export`] writes them.
//!
//! Formats are Gmsh 2.2 and 4.1, VTK legacy, VTU, Medit, TetGen, Vega, OBJ, PLY, STL and OFF; they are recognised by the
//! ending of the name or by content ([`import::FORMATS`]).
//!
//! ```
//! use meshio::export::{Encoding, to_bytes};
//! use meshio::import::{Format, read_bytes};
//!
//! let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
//! let loaded = read_bytes(obj.as_bytes(), Format::Obj, "triangle.obj")?;
//! assert_eq!(loaded.mesh.len(), 1);
//! let vtu = to_bytes(&loaded.mesh, Format::Vtu, Encoding::Text)?;
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
