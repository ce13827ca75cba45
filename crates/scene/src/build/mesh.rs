//! Builds the mesh of a body: generates or reads it, fills surfaces, and applies the placement.

use std::path::Path;

use base::text::counted;
use mesh::{CellKind, Group, Mesh, conformity, repair_orientation, surface};

use crate::spec;
use meshing::fill::{Embedding, FillError, fill};
use meshing::shapes::{self, ElementKind, ShapeError};
use meshio::import::{self, ImportError, Severity};

/// Mesh of a body with its placement applied.
pub struct BodyMesh {
    /// Points and cells; every point belongs to a cell.
    pub mesh: Mesh,
    /// The surface embedded in the tetrahedra, if the body was made by filling one.
    pub carried: Option<SurfaceEmbedding>,
    /// Notices for the user.
    pub notices: Vec<String>,
    /// Warnings about the mesh for the user.
    pub warnings: Vec<String>,
}

/// A surface embedded in tetrahedra.
pub struct SurfaceEmbedding {
    /// Triangles of the surface.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra and barycentric weights of its vertices.
    pub embedding: Embedding,
}

/// Error while the mesh of a body is built.
#[derive(Debug, thiserror::Error)]
pub enum MeshError {
    /// A generated shape has invalid parameters.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A mesh file cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A surface cannot be filled.
    #[error(transparent)]
    Fill(#[from] FillError),
    /// The mesh has only surfaces or lines, but a solid is required.
    #[error(
        "the mesh has no solid cells; a material needs cells of type {}. A closed surface can be filled: add `fill = {{ cell = {cell:.2} }}`",
        mesh::element::element_names()
    )]
    NoSolid {
        /// Suggested cell size, m.
        cell: f64,
    },
    /// The mesh has no cells.
    #[error("the mesh has no cells")]
    Empty,
}

/// Cells that a body needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredCells {
    /// Solid cells, for a material.
    Solids,
    /// Cells with edges, for springs.
    Edges,
}

/// Generates or reads the mesh of a body and applies its placement. Mesh files are relative to `folder`.
pub fn make_body_mesh(
    body: &spec::Body,
    folder: &Path,
    wanted: RequiredCells,
) -> Result<BodyMesh, MeshError> {
    let (mut notices, mut warnings) = (Vec::new(), Vec::new());
    let (mut mesh, carried) = shape_or_file(&body.mesh, folder, &mut notices, &mut warnings)?;
    apply_placement(&mut mesh.points, &body.place);
    let turned = repair_orientation(&mut mesh);
    if turned > 0 {
        let cells = counted(turned, "inverted cell was", "inverted cells were");
        notices.push(format!("{cells} reoriented"));
    }
    let mesh = keep_required_cells(mesh, wanted, &mut notices)?;
    // Generated meshes are conforming.
    if matches!(&body.mesh, spec::Mesh::File(file) if file.fill.is_none()) {
        warnings.extend(nonconformity(&mesh));
    }
    Ok(BodyMesh {
        mesh,
        carried,
        notices,
        warnings,
    })
}

/// Returns a warning if neighbouring solid cells of a mesh do not share whole faces.
fn nonconformity(mesh: &Mesh) -> Option<String> {
    let found = conformity(mesh);
    let solid = mesh.kinds.iter().any(|k| k.dimension() == 3);
    if !solid || found.is_conforming() {
        return None;
    }
    let mut places = Vec::new();
    if let Some((node, cell)) = found.first_hanging {
        let nodes = counted(found.hanging_nodes, "node lies", "nodes lie");
        places.push(format!(
            "{nodes} on a face of a cell without being its node (first: node {node} on cell {cell})"
        ));
    }
    if found.shared_faces > 0 {
        let faces = counted(found.shared_faces, "face belongs", "faces belong");
        places.push(format!("{faces} to three cells or more"));
    }
    if found.non_manifold_edges > 0 {
        let edges = counted(
            found.non_manifold_edges,
            "edge of the boundary belongs",
            "edges of the boundary belong",
        );
        places.push(format!("{edges} to more than two faces"));
    }
    Some(format!(
        "the mesh is not conforming: {}. Cells that do not share whole faces separate like a crack; mesh the body again, \
         or merge the nodes of its parts",
        places.join(", ")
    ))
}

fn shape_or_file(
    mesh: &spec::Mesh,
    folder: &Path,
    notices: &mut Vec<String>,
    warnings: &mut Vec<String>,
) -> Result<(Mesh, Option<SurfaceEmbedding>), MeshError> {
    let spec::Mesh::File(file) = mesh else {
        return Ok((shape(mesh)?, None));
    };
    let mut loaded = import::read(&folder.join(&file.path))?;
    for notice in &loaded.notices {
        match notice.severity {
            Severity::Note => notices.push(notice.text.clone()),
            Severity::Warning => warnings.push(notice.text.clone()),
        }
    }
    loaded
        .mesh
        .points
        .as_flattened_mut()
        .iter_mut()
        .for_each(|x| *x *= file.scale);
    let Some(fill_spec) = &file.fill else {
        return Ok((loaded.mesh, None));
    };
    let skin = surface(&loaded.mesh);
    let filled = fill(&loaded.mesh.points, &skin.triangles, fill_spec.cell)?;
    notices.push(format!(
        "filled with {}",
        counted(filled.mesh.len(), "tetrahedron", "tetrahedra")
    ));
    let n = &filled.notices;
    if n.welded_vertices > 0 {
        let vertices = counted(
            n.welded_vertices,
            "vertex of the surface was",
            "vertices of the surface were",
        );
        notices.push(format!("{vertices} merged with others at the same place"));
    }
    if n.mesh_components > n.surface_components {
        warnings.push(format!(
            "{} became {} disconnected solids because thin features were lost; try a smaller cell",
            counted(
                n.surface_components,
                "piece of surface",
                "pieces of surface"
            ),
            n.mesh_components
        ));
    }
    Ok((
        filled.mesh,
        Some(SurfaceEmbedding {
            triangles: skin.triangles,
            embedding: filled.embedding,
        }),
    ))
}

fn shape(mesh: &spec::Mesh) -> Result<Mesh, ShapeError> {
    let count = |n: &Option<u32>| n.map(|n| n as usize);
    match mesh {
        spec::Mesh::Box(s) => {
            let split = match s.split {
                spec::Split::Six => shapes::HexSplit::Six,
                spec::Split::Five => shapes::HexSplit::Five,
            };
            let cells = s.cells.map(|n| n as usize);
            shapes::Box {
                size: s.size,
                cells,
                element: element(s.element),
                split,
            }
            .mesh()
        }
        spec::Mesh::Ball(s) => shapes::Ball {
            radius: s.radius,
            cells: s.cells as usize,
            element: element(s.element),
        }
        .mesh(),
        spec::Mesh::Sheet(s) => {
            let cells = s.cells.map(|n| n as usize);
            shapes::Sheet {
                size: s.size,
                cells,
                thickness: s.thickness,
                element: element(s.element),
            }
            .mesh()
        }
        spec::Mesh::Cylinder(s) => shapes::Cylinder {
            radius: s.radius,
            height: s.height,
            cells: s.cells as usize,
            layers: count(&s.layers),
            element: element(s.element),
            axis: axis(s.axis),
        }
        .mesh(),
        spec::Mesh::Torus(s) => shapes::Torus {
            radius: s.radius,
            tube: s.tube,
            cells: s.cells as usize,
            around: count(&s.around),
            element: element(s.element),
            axis: axis(s.axis),
        }
        .mesh(),
        spec::Mesh::Blob(s) => shapes::Blob {
            figure: match s.figure {
                spec::Figure::Armadillo => shapes::Figure::Armadillo,
                spec::Figure::Cactus => shapes::Figure::Cactus,
                spec::Figure::Tree => shapes::Figure::Tree,
            },
            height: s.height,
            cells: s.cells as usize,
            element: element(s.element),
        }
        .mesh(),
        spec::Mesh::Mould(s) => shapes::Mould {
            radius: s.radius,
            height: s.height,
            cells: s.cells as usize,
            layers: count(&s.layers),
            flutes: s.flutes as usize,
            flute: s.flute,
            taper: s.taper,
            dome: s.dome,
            element: element(s.element),
        }
        .mesh(),
        spec::Mesh::File(_) => Ok(Mesh::default()),
    }
}

fn element(e: spec::Element) -> ElementKind {
    match e {
        spec::Element::Hex8 => ElementKind::Hex8,
        spec::Element::Tet4 => ElementKind::Tet4,
        spec::Element::Hex20 => ElementKind::Hex20,
        spec::Element::Tet10 => ElementKind::Tet10,
    }
}

fn axis(a: spec::Axis) -> shapes::Axis {
    match a {
        spec::Axis::X => shapes::Axis::X,
        spec::Axis::Y => shapes::Axis::Y,
        spec::Axis::Z => shapes::Axis::Z,
    }
}

/// Scales, then rotates about x, y and z, then translates points.
pub(super) fn apply_placement(points: &mut [[f64; 3]], place: &spec::Placement) {
    let turns = place.rotate_deg.map(|d| d.to_radians().sin_cos());
    for p in points {
        let mut q = p.map(|x| place.scale * x);
        for (axis, (s, c)) in turns
            .iter()
            .enumerate()
            .filter(|(k, _)| place.rotate_deg[*k] != 0.0)
        {
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            (q[i], q[j]) = (c * q[i] - s * q[j], s * q[i] + c * q[j]);
        }
        *p = [0, 1, 2].map(|k| q[k] + place.translate[k]);
    }
}

/// Keeps the required cells and the points they use.
fn keep_required_cells(
    mesh: Mesh,
    wanted: RequiredCells,
    notices: &mut Vec<String>,
) -> Result<Mesh, MeshError> {
    let useful = |kind: CellKind| match wanted {
        RequiredCells::Solids => kind.dimension() == 3,
        RequiredCells::Edges => kind.dimension() >= 1,
    };
    let mut new_cell = vec![u32::MAX; mesh.len()];
    let mut new_point = vec![u32::MAX; mesh.points.len()];
    let mut out = Mesh::with_points(Vec::with_capacity(mesh.points.len()));
    let mut used = vec![false; mesh.points.len()];
    for (_, nodes) in mesh.cells().filter(|(kind, _)| useful(*kind)) {
        nodes.iter().for_each(|&i| used[i as usize] = true);
    }
    for (i, p) in mesh.points.iter().enumerate().filter(|(i, _)| used[*i]) {
        new_point[i] = out.points.len() as u32;
        out.points.push(*p);
    }
    let mut renamed = Vec::with_capacity(27);
    for (i, (kind, nodes)) in mesh
        .cells()
        .enumerate()
        .filter(|(_, (kind, _))| useful(*kind))
    {
        new_cell[i] = out.len() as u32;
        renamed.clear();
        renamed.extend(nodes.iter().map(|&n| new_point[n as usize]));
        out.push(kind, &renamed);
    }
    if out.is_empty() {
        return Err(if mesh.is_empty() {
            MeshError::Empty
        } else {
            MeshError::NoSolid {
                cell: suggested_cell_size(&mesh),
            }
        });
    }
    let dropped = mesh.points.len() - out.points.len();
    if dropped > 0 {
        let points = counted(
            dropped,
            "point that belongs to no cell was",
            "points that belong to no cell were",
        );
        notices.push(format!("{points} removed"));
    }
    let known = |list: &[u32], map: &[u32]| -> Vec<u32> {
        list.iter()
            .map(|&i| map[i as usize])
            .filter(|&i| i != u32::MAX)
            .collect()
    };
    out.groups = mesh
        .groups
        .iter()
        .map(|g| Group {
            name: g.name.clone(),
            cells: known(&g.cells, &new_cell),
            points: known(&g.points, &new_point),
        })
        .collect();
    Ok(out)
}

/// Suggests a cell size for filling: a tenth of the largest extent, m.
fn suggested_cell_size(mesh: &Mesh) -> f64 {
    let (min, max) = super::select::bounds(&mesh.points);
    (0..3).map(|k| max[k] - min[k]).fold(0.0, f64::max) / 10.0
}
