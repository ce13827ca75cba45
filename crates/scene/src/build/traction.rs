//! Adds the surface loads of a body: follower pressures and dead tractions.

use mesh::Mesh;
use serde::Serialize;
use solid::load::{DeadTraction, FollowerPressure, Load, SurfaceFaces, TimeCourse};

use super::Assembly;
use super::body::BodyContext;
use super::select::select;
use crate::error::SceneError;
use crate::spec::{Body, Matter, Traction};

/// Extent and resultant of a surface load, as `supple check` prints them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SurfaceLoadSummary {
    /// Name of the body and key of the load, such as `beam.traction[0]`.
    pub load: String,
    /// Number of faces.
    pub faces: usize,
    /// Area of the undeformed faces, m².
    pub area: f64,
    /// Sum of the forces on the undeformed faces after the ramp, N.
    pub force: [f64; 3],
}

/// Adds all surface loads of a body. `name` is that of the body.
pub fn add_tractions(
    all: &mut Assembly,
    body: &Body,
    name: &str,
    mesh: &Mesh,
    first: u32,
    context: &BodyContext,
) -> Vec<SceneError> {
    let mut errors = Vec::new();
    for (i, traction) in body.traction.iter().enumerate() {
        let key = format!("traction[{i}]");
        if matches!(body.matter(), Some(Matter::Springs(_))) {
            let sentence = "acts on faces of a solid, but springs have none; use \"push\", or give the body a material";
            errors.push(context.error(&key, sentence));
            continue;
        }
        match selected_faces(traction, mesh, first) {
            Err(sentence) => errors.push(context.error(&format!("{key}.where"), sentence)),
            Ok(faces) => match load(traction, &faces, &all.parts.rest) {
                None => {
                    let sentence = "needs exactly one of \"pressure\" and \"force-per-area\"";
                    errors.push(context.error(&key, sentence));
                }
                Some((load, force)) => {
                    all.parts.loads.push(load);
                    all.surface_loads.push(SurfaceLoadSummary {
                        load: format!("{name}.{key}"),
                        faces: faces.len(),
                        area: faces.area(&all.parts.rest),
                        force,
                    });
                }
            },
        }
    }
    errors
}

/// Returns the boundary faces all of whose nodes are selected. The error is a message if there are none.
fn selected_faces(traction: &Traction, mesh: &Mesh, first: u32) -> Result<SurfaceFaces, String> {
    let nodes = select(&traction.nodes, mesh)?;
    let mut wanted = vec![false; mesh.points.len()];
    nodes.iter().for_each(|&i| wanted[i as usize] = true);
    let faces = SurfaceFaces::of_boundary(mesh, first, |node| wanted[node as usize]);
    if !faces.is_empty() {
        return Ok(faces);
    }
    let count = match nodes.len() {
        1 => "1 node".into(),
        n => format!("{n} nodes"),
    };
    Err(format!(
        "selects {count} but no face of the surface: a face is loaded if all of its nodes, those on its edges included, \
         are selected; select a larger part of the surface, such as a plane or a box around it"
    ))
}

/// Returns the load and its total force on the undeformed faces after the ramp. Returns `None` unless exactly one of its
/// values is given.
fn load(
    traction: &Traction,
    faces: &SurfaceFaces,
    rest: &[[f64; 3]],
) -> Option<(Box<dyn Load>, [f64; 3])> {
    let course = TimeCourse {
        from: traction.from,
        to: traction.to.unwrap_or(f64::INFINITY),
        ramp: traction.ramp,
    };
    match (traction.pressure, traction.force_per_area) {
        (Some(p), None) => {
            // The sum over a closed surface is zero up to rounding.
            let least = 1e-12 * faces.area(rest);
            let area = faces.area_vector(rest);
            let force = area.map(|a| if a.abs() > least { -p * a } else { 0.0 });
            let load = FollowerPressure::new(faces.clone(), p, course);
            Some((Box::new(load), force))
        }
        (None, Some(t)) => {
            let force = t.map(|t| t * faces.area(rest));
            let load = DeadTraction::new(faces, rest, t, course);
            Some((Box::new(load), force))
        }
        _ => None,
    }
}
