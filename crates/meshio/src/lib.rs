//! Mesh files: [`import`] reads them, [`export`] writes them.

pub mod export;
pub mod import;
