//! Initial displacements and velocities: affine fields of a body, random displacements, and the state of an earlier run.

use std::path::Path;

use march::State;
use mesh::Mesh;
use meshio::import::{self, PointFields};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use solid::model::{Model, PrescribedNodes};

use super::Assembly;
use super::body::BodyContext;
use super::select::bounds;
use crate::checkpoint::Checkpoint;
use crate::error::SceneError;
use crate::spec::{self, Body, Vec3};

/// Distance of a held node from its prescribed place that is taken for rounding, relative to the extent of the nodes.
const RELATIVE_TOLERANCE: f64 = 1e-9;

/// First bytes of checkpoints and capsules.
const CHECKPOINT_START: &[u8] = b"supple ";

/// Product of a matrix, given by rows, and a vector.
fn product(a: &[Vec3; 3], x: Vec3) -> Vec3 {
    [0, 1, 2].map(|i| a[i][0] * x[0] + a[i][1] * x[1] + a[i][2] * x[2])
}

/// Adds the initial displacements and velocities of a body.
pub fn add_initial_state(
    all: &mut Assembly,
    body: &Body,
    mesh: &Mesh,
    first: u32,
    masses_before: usize,
    context: &BodyContext,
) -> Result<(), SceneError> {
    let centre = centre_of_mass(all, mesh, first, masses_before);
    let deformation = body.initial_deformation();
    let spec::Velocity {
        linear,
        angular,
        gradient,
    } = body.velocity;
    let affine = gradient != [[0.0; 3]; 3];
    for p in &mesh.points {
        let mut r = [0, 1, 2].map(|k| p[k] - centre[k]);
        let mut u = [0.0; 3];
        if let Some((_, f)) = &deformation {
            let deformed = product(f, r);
            u = [0, 1, 2].map(|k| deformed[k] - r[k]);
            r = deformed;
        }
        let mut v = [0, 1, 2].map(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            linear[k] + angular[i] * r[j] - angular[j] * r[i]
        });
        if affine {
            let rate = product(&gradient, r);
            (0..3).for_each(|k| v[k] += rate[k]);
        }
        all.u.push(u);
        all.v.push(v);
    }
    if let Some((key, _)) = deformation
        && let Some(off) = first_displaced(&all.parts.prescribed, first, &all.u, &all.parts.rest)
    {
        return Err(context.error(
            key,
            format!("moves {off}; hold other nodes, or give this `fix` a motion that starts there"),
        ));
    }
    let Some(disturb) = &body.disturb else {
        return Ok(());
    };
    let (min, max) = bounds(&mesh.points);
    let reach = disturb.scatter * (0..3).map(|k| max[k] - min[k]).fold(0.0, f64::max);
    let mut random = Pcg64Mcg::seed_from_u64(disturb.seed.unwrap_or(context.seed));
    let mut uniform = || (random.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
    for u in &mut all.u[first as usize..] {
        let shift = [0; 3].map(|_| reach * uniform());
        (0..3).for_each(|k| u[k] += shift[k]);
    }
    Ok(())
}

fn centre_of_mass(all: &Assembly, mesh: &Mesh, first: u32, masses_before: usize) -> Vec3 {
    let mut moment = [0.0; 4];
    for &(i, j, m) in &all.parts.masses[masses_before..] {
        // Row sums: an off-diagonal entry counts for both of its nodes.
        let ends = if i == j { vec![i] } else { vec![i, j] };
        for node in ends {
            let p = mesh.points[(node - first) as usize];
            (0..3).for_each(|k| moment[k] += m * p[k]);
            moment[3] += m;
        }
    }
    [0, 1, 2].map(|k| moment[k] / moment[3])
}

/// Describes the first held node, from node `first` on, whose displacement differs from its prescribed one at t = 0.
fn first_displaced(
    prescribed: &[PrescribedNodes],
    first: u32,
    u: &[Vec3],
    rest: &[Vec3],
) -> Option<String> {
    let (min, max) = bounds(rest);
    let extent = (0..3).map(|k| max[k] - min[k]).fold(0.0, f64::max);
    let mut found: Option<(u32, f64)> = None;
    for held in prescribed {
        for &node in held.nodes.iter().filter(|&&n| n >= first) {
            let i = node as usize;
            let [wanted, ..] = held.motion.at(0.0, rest[i]);
            let off = |k: usize| {
                if held.axes[k] {
                    u[i][k] - wanted[k]
                } else {
                    0.0
                }
            };
            let distance = (0..3).map(|k| off(k).powi(2)).sum::<f64>().sqrt();
            let earlier = found.is_some_and(|(other, _)| other <= node);
            if distance > RELATIVE_TOLERANCE * extent && !earlier {
                found = Some((node, distance));
            }
        }
    }
    let (node, distance) = found?;
    let [x, y, z] = rest[node as usize];
    Some(format!(
        "held node {node} at ({x}, {y}, {z}) to {distance:.3e} m from its prescribed place at t = 0"
    ))
}

/// Replaces the initial state by that of a frame or checkpoint. The error is a sentence.
pub fn start_from_file(
    path: &Path,
    model: &mut Model,
    prescribed: &[PrescribedNodes],
    state: &mut State,
    notices: &mut Vec<String>,
) -> Result<(), String> {
    let name = path.display();
    let bytes = std::fs::read(path).map_err(|why| format!("{name} cannot be read: {why}"))?;
    if bytes.starts_with(CHECKPOINT_START) {
        let saved = Checkpoint::parse(&bytes).map_err(|what| format!("{name}: {what}"))?;
        let found = saved.session.state();
        if found.u.len() != state.u.len() {
            return Err(format!(
                "{name} has {} unknowns, this scene has {}; give a checkpoint of a scene with the same mesh and the same held nodes, or a frame",
                found.u.len(),
                state.u.len()
            ));
        }
        (state.u, state.v) = (found.u.clone(), found.v.clone());
        return Ok(());
    }
    let PointFields { points, fields } = import::read_points(&bytes, path).map_err(|why| {
        format!("{why}. A start is a frame (.vtu or .vtk) or a checkpoint (checkpoint.supple)")
    })?;
    if points.len() != model.nodes() {
        return Err(format!(
            "{name} has {} nodes, this scene has {}; give a frame of a scene with the same mesh",
            points.len(),
            model.nodes()
        ));
    }
    let displacement = |(x, rest): (&Vec3, &Vec3)| [0, 1, 2].map(|k| x[k] - rest[k]);
    let u: Vec<Vec3> = points.iter().zip(model.rest()).map(displacement).collect();
    if let Some(off) = first_displaced(prescribed, 0, &u, model.rest()) {
        return Err(format!(
            "{name} moves {off}; give its `fix` a motion that starts there, or hold other nodes"
        ));
    }
    state.u = model.restrict(&u);
    let is_velocity =
        |f: &&import::DataArray| f.name.eq_ignore_ascii_case("velocity") && f.components == 3;
    let Some(velocity) = fields.iter().find(is_velocity) else {
        state.v.fill(0.0);
        notices.push(format!(
            "{name} has no field \"velocity\" with three components: the scene starts at rest"
        ));
        return Ok(());
    };
    if velocity.values.iter().any(|v| !v.is_finite()) {
        return Err(format!("{name}: a velocity is not a finite number"));
    }
    let v: Vec<Vec3> = velocity
        .values
        .chunks_exact(3)
        .map(|v| [v[0], v[1], v[2]])
        .collect();
    state.v = model.restrict(&v);
    Ok(())
}
