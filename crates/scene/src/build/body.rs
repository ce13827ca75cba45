//! Adds a body to the assembly: mesh, material, constraints, loads, initial state and output surface.

use mesh::{Mesh, surface};
use solid::model::{FreeBody, PrescribedNodes, VelocityDamping};
use solid::potential::Tethers;

use super::bonds::add_bonds;
use super::matter::{add_solid, add_springs, frozen_damping_notice};
use super::mesh::{BodyMesh, RequiredCells, make_body_mesh};
use super::motion::motion;
use super::select::select;
use super::start::add_initial_state;
use super::traction::add_tractions;
use super::{Assembly, SplitBody};
use crate::error::SceneError;
use crate::spec::{self, Body, Matter, Source};

/// Location of a body in its scene file, for error messages and relative paths.
pub struct BodyContext<'a> {
    /// The scene file.
    pub source: &'a Source,
    /// Key of the body, such as `body[1]`.
    pub path: String,
    /// Seed of the scene.
    pub seed: u64,
}

impl BodyContext<'_> {
    /// Returns an error at a key of the body.
    pub fn error(&self, key: &str, sentence: impl ToString) -> SceneError {
        self.source
            .error(&format!("{}.{key}", self.path), sentence.to_string())
    }
}

/// Adds a body to the assembly.
pub fn add(
    all: &mut Assembly,
    body: &Body,
    number: usize,
    context: &BodyContext,
) -> Result<(), Vec<SceneError>> {
    let wanted = if body.springs.is_some() {
        RequiredCells::Edges
    } else {
        RequiredCells::Solids
    };
    let body_mesh = make_body_mesh(body, context.source.folder(), wanted)
        .map_err(|e| vec![context.error("mesh", e)])?;
    let first = all.parts.rest.len() as u32;
    all.first.push(first);
    let name = body.name_or_number(number);
    let notices = body_mesh.notices.iter().map(String::as_str);
    let notices = notices.chain(frozen_damping_notice(body));
    all.notices.extend(notices.map(|n| format!("{name}: {n}")));
    let warnings = body_mesh.warnings.iter();
    all.warnings
        .extend(warnings.map(|w| format!("{name}: {w}")));
    all.parts.rest.extend_from_slice(&body_mesh.mesh.points);
    let masses_before = all.parts.masses.len();
    match body.matter() {
        Some(Matter::Solid(material)) => {
            add_solid(all, body, material, &body_mesh.mesh, first, context)?
        }
        Some(Matter::Springs(springs)) => {
            add_springs(all, body, springs, &body_mesh.mesh, first, context)?
        }
        Some(Matter::Bonds(bonds)) => {
            add_bonds(all, body, bonds, &body_mesh.mesh, first, &name, context)?
        }
        None => return Err(vec![context.error("", "the body has no material")]),
    }
    add_constraints_and_loads(all, body, &name, &body_mesh.mesh, first, context)?;
    let errors = add_tractions(all, body, &name, &body_mesh.mesh, first, context);
    if !errors.is_empty() {
        return Err(errors);
    }
    if body.damping.mass > 0.0 || !all.parts.mass_damping.is_empty() {
        all.parts.mass_damping.resize(first as usize, 0.0);
        all.parts
            .mass_damping
            .resize(all.parts.rest.len(), body.damping.mass);
    }
    if body.damping.drag > 0.0 || body.damping.rigid_free > 0.0 {
        all.parts.velocity_damping.push(VelocityDamping {
            nodes: first..all.parts.rest.len() as u32,
            drag: body.damping.drag,
            rigid_free: body.damping.rigid_free,
        });
    }
    if body.fix.is_empty() && body.tether.is_empty() {
        let nodes = first..all.parts.rest.len() as u32;
        all.parts.free_bodies.push(FreeBody { nodes, pivot: None });
    }
    add_initial_state(all, body, &body_mesh.mesh, first, masses_before, context)
        .map_err(|e| vec![e])?;
    add_to_output_mesh(all, body, number, body_mesh, first);
    Ok(())
}

fn add_constraints_and_loads(
    all: &mut Assembly,
    body: &Body,
    name: &str,
    mesh: &Mesh,
    first: u32,
    context: &BodyContext,
) -> Result<(), Vec<SceneError>> {
    let mut errors = Vec::new();
    let mut chosen = |place: &spec::NodeSelection, key: String| match select(place, mesh) {
        Ok(nodes) => Some(nodes),
        Err(sentence) => {
            errors.push(context.error(&format!("{key}.where"), sentence));
            None
        }
    };
    let numbered = |nodes: &[u32]| nodes.iter().map(|i| i + first).collect::<Vec<_>>();
    for (i, fix) in body.fix.iter().enumerate() {
        if let Some(nodes) = chosen(&fix.nodes, format!("fix[{i}]")) {
            all.fixes.push(format!("{name}.fix[{i}]"));
            let motion = motion(&fix.motion, &nodes, mesh);
            all.parts.prescribed.push(PrescribedNodes {
                nodes: numbered(&nodes),
                axes: fix.axes.0,
                motion,
            });
        }
    }
    for (i, tether) in body.tether.iter().enumerate() {
        if let Some(nodes) = chosen(&tether.nodes, format!("tether[{i}]")) {
            all.tethers.push(format!("{name}.tether[{i}]"));
            let motion = motion(&tether.motion, &nodes, mesh);
            all.parts.potentials.push(Box::new(Tethers::new(
                numbered(&nodes),
                tether.stiffness,
                motion,
            )));
        }
    }
    for load in body.loads() {
        if let Some(nodes) = chosen(load.nodes, load.key) {
            all.parts.loads.push((load.build)(numbered(&nodes)));
        }
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

/// Adds the cells and the surface of a body to the output mesh.
fn add_to_output_mesh(
    all: &mut Assembly,
    body: &Body,
    number: usize,
    body_mesh: BodyMesh,
    first: u32,
) {
    let BodyMesh { mesh, carried, .. } = body_mesh;
    let output_mesh = &mut all.output_mesh;
    output_mesh.bodies.push(body.name_or_number(number));
    output_mesh.mesh.points.extend_from_slice(&mesh.points);
    for (kind, nodes) in mesh.cells() {
        let nodes: Vec<u32> = nodes.iter().map(|n| n + first).collect();
        output_mesh.mesh.push(kind, &nodes);
        output_mesh.cell_body.push(number as u32);
    }
    let base = all.skin.vertices() as u32;
    let skin = surface(&mesh);
    all.outside
        .extend(skin.triangles.iter().map(|t| t.map(|i| i + first)));
    match carried {
        _ if body.bonds.as_ref().is_some_and(|b| b.can_break()) => {
            let cells = bond::SplitCells::new(&mesh);
            for particle in cells.vertex_particles() {
                all.skin.push([(particle + first, 1.0)]);
            }
            let triangles = cells.triangles();
            output_mesh
                .triangles
                .extend(triangles.iter().map(|t| t.map(|i| i + base)));
            all.skin.embedded = true;
            all.skin.split.push(SplitBody {
                cells,
                first_node: first,
                first_vertex: base,
            });
        }
        Some(carried) => {
            let e = carried.embedding;
            all.skin.embedded = true;
            let mut far = e.extrapolated.iter().peekable();
            for (vertex, (tet, weights)) in e.tets.iter().zip(&e.weights).enumerate() {
                match far.next_if(|(number, _)| *number as usize == vertex) {
                    Some((_, fit)) => all.skin.push(fit.iter().map(|&(n, w)| (n + first, w))),
                    None => {
                        let nodes = mesh.cell(*tet as usize).iter().map(|n| n + first);
                        all.skin.push(nodes.zip(weights.iter().copied()));
                    }
                }
            }
            output_mesh
                .triangles
                .extend(carried.triangles.iter().map(|t| t.map(|i| i + base)));
        }
        None => {
            let mut vertex = vec![u32::MAX; mesh.points.len()];
            for tri in &skin.triangles {
                let renamed = tri.map(|i| {
                    let at = &mut vertex[i as usize];
                    if *at == u32::MAX {
                        *at = all.skin.vertices() as u32;
                        all.skin.push([(i + first, 1.0)]);
                    }
                    *at
                });
                output_mesh.triangles.push(renamed);
            }
        }
    }
    output_mesh
        .triangle_body
        .resize(output_mesh.triangles.len(), number as u32);
}
