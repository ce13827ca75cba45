//! `mesh` and `place`: words into points and cells.

use solid::mesh::{Mesh, repair_orientation};

use crate::shapes::{self, Element, ShapeError, Split};
use crate::spec;

/// A body's mesh, and the surface it carries along where it is embedded.
pub struct Meshed {
    /// Points and cells, where the body is placed.
    pub mesh: Mesh,
    /// What a person should know.
    pub notices: Vec<String>,
}

/// Why there is no mesh.
#[derive(Debug, thiserror::Error)]
pub enum MeshError {
    /// A shape with impossible parameters.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// No cells to simulate.
    #[error("the mesh has no cells that can carry stress; solids are made of tet4, hex8, tet10, hex20 or hex27")]
    NoSolid,
}

/// Makes or reads the mesh of a body and puts it in its place.
pub fn make(body: &spec::Body) -> Result<Meshed, MeshError> {
    let mut mesh = shape(&body.mesh)?;
    let mut notices = Vec::new();
    place(&mut mesh, &body.place);
    let turned = repair_orientation(&mut mesh);
    if turned > 0 {
        notices.push(format!("{turned} cells were inside out and have been turned"));
    }
    Ok(Meshed { mesh, notices })
}

fn element(e: spec::Element) -> Element {
    match e {
        spec::Element::Hex8 => Element::Hex8,
        spec::Element::Tet4 => Element::Tet4,
        spec::Element::Hex20 => Element::Hex20,
        spec::Element::Tet10 => Element::Tet10,
    }
}
