//! Mesh files in and out: [`import`] reads them, [`export`] writes them.

pub mod export;
pub mod import;
