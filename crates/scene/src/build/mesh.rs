//! `mesh` and `place`: words into points and cells.

use std::path::Path;

use mesh::{CellKind, Group, Mesh, repair_orientation, surface};

use crate::spec;
use meshing::fill::{Embedding, FillError, fill};
use meshing::shapes::{self, ElementKind, ShapeError};
use meshio::import::{self, ImportError};

/// A body's mesh, where the body is placed.
pub struct Meshed {
    /// Points and cells; every point belongs to a cell.
    pub mesh: Mesh,
    /// The surface it carries along, where it was filled.
    pub carried: Option<Carried>,
    /// What a person should know.
    pub notices: Vec<String>,
}

/// A surface embedded in tetrahedra.
pub struct Carried {
    /// Its triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Where its vertices are in the tetrahedra.
    pub embedding: Embedding,
}

/// Why there is no mesh.
#[derive(Debug, thiserror::Error)]
pub enum MeshError {
    /// A shape with impossible parameters.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A file that cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A surface that cannot be filled.
    #[error(transparent)]
    Fill(#[from] FillError),
    /// Only surfaces or lines where a solid is wanted.
    #[error(
        "the mesh has no cells that can carry stress; solids are made of {}. A closed surface can be filled: add `fill = {{ cell = {cell:.2} }}`",
        mesh::element::element_names()
    )]
    NoSolid {
        /// A cell size that would do, m.
        cell: f64,
    },
    /// Nothing at all.
    #[error("the mesh has no cells")]
    Empty,
}

/// What the cells of a body are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Solid cells that carry stress.
    Solids,
    /// Any cells with edges.
    Edges,
}

/// Makes or reads the mesh of a body and puts it in its place. Files are found relative to `folder`.
pub fn make(body: &spec::Body, folder: &Path, wanted: Wanted) -> Result<Meshed, MeshError> {
    let mut notices = Vec::new();
    let (mut mesh, carried) = raw(&body.mesh, folder, &mut notices)?;
    place(&mut mesh.points, &body.place);
    let turned = repair_orientation(&mut mesh);
    if turned > 0 {
        notices.push(format!(
            "{turned} cells were inside out and have been turned"
        ));
    }
    let mesh = keep(mesh, wanted, &mut notices)?;
    Ok(Meshed {
        mesh,
        carried,
        notices,
    })
}

fn raw(
    mesh: &spec::Mesh,
    folder: &Path,
    notices: &mut Vec<String>,
) -> Result<(Mesh, Option<Carried>), MeshError> {
    let spec::Mesh::File(file) = mesh else {
        return Ok((shape(mesh)?, None));
    };
    let mut loaded = import::read(&folder.join(&file.path))?;
    notices.extend(loaded.notices.iter().map(ToString::to_string));
    loaded
        .mesh
        .points
        .as_flattened_mut()
        .iter_mut()
        .for_each(|x| *x *= file.scale);
    let Some(wish) = &file.fill else {
        return Ok((loaded.mesh, None));
    };
    let skin = surface(&loaded.mesh);
    let filled = fill(&loaded.mesh.points, &skin.triangles, wish.cell)?;
    notices.push(format!("filled with {} tetrahedra", filled.mesh.len()));
    let n = &filled.notices;
    if n.welded_vertices > 0 {
        notices.push(format!(
            "{} vertices of the surface lay exactly on others and were welded",
            n.welded_vertices
        ));
    }
    if n.mesh_components > n.surface_components {
        let sentence =
            "pieces of surface became {} bodies: thin features came apart; try a smaller cell";
        notices.push(format!(
            "{} {}",
            n.surface_components,
            sentence.replace("{}", &n.mesh_components.to_string())
        ));
    }
    Ok((
        filled.mesh,
        Some(Carried {
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

/// Scales, then rotates about x, y and z, then moves.
fn place(points: &mut [[f64; 3]], place: &spec::Place) {
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

/// Keeps the cells that are wanted and the points they use.
fn keep(mesh: Mesh, wanted: Wanted, notices: &mut Vec<String>) -> Result<Mesh, MeshError> {
    let useful = |kind: CellKind| match wanted {
        Wanted::Solids => kind.dimension() == 3,
        Wanted::Edges => kind.dimension() >= 1,
    };
    let mut new_cell = vec![u32::MAX; mesh.len()];
    let mut new_point = vec![u32::MAX; mesh.points.len()];
    let mut out = Mesh::with_points(Vec::with_capacity(mesh.points.len()));
    let mut used = vec![false; mesh.points.len()];
    for (kind, nodes) in mesh.cells().filter(|(kind, _)| useful(*kind)) {
        let _ = kind;
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
                cell: a_cell(&mesh),
            }
        });
    }
    let dropped = mesh.points.len() - out.points.len();
    if dropped > 0 {
        notices.push(format!(
            "{dropped} points belong to no cell and were left out"
        ));
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

/// A tenth of the largest extent.
fn a_cell(mesh: &Mesh) -> f64 {
    let (min, max) = super::select::bounds(&mesh.points);
    (0..3).map(|k| max[k] - min[k]).fold(0.0, f64::max) / 10.0
}
