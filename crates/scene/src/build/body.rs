//! A body: its mesh, its matter, and what holds and pushes it.

use std::path::Path;

use mesh::{Mesh, surface};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use solid::model::{Fix, Loose, Relaxation};
use solid::motion::{Key, Motion};
use solid::potential::Tethers;

use super::Assembly;
use super::matter::{frozen_damping_notice, solid_matter, spring_matter};
use super::mesh::{Meshed, Wanted, make};
use super::select::{bounds, select};
use crate::error::SceneError;
use crate::spec::{self, Body, Matter, Source};

/// Where in the file a body is described.
pub struct Site<'a> {
    /// The file.
    pub source: &'a Source,
    /// Path of the body's key.
    pub path: String,
    /// The scene's seed.
    pub seed: u64,
}

impl Site<'_> {
    /// A mistake at a key of the body.
    pub fn error(&self, key: &str, sentence: impl ToString) -> SceneError {
        self.source
            .error(&format!("{}.{key}", self.path), sentence.to_string())
    }

    /// Folder of the scene file, to which mesh files are relative.
    fn folder(&self) -> &Path {
        Path::new(&self.source.name)
            .parent()
            .unwrap_or(Path::new(""))
    }
}

/// Adds a body to the assembly.
pub fn add(
    all: &mut Assembly,
    body: &Body,
    number: usize,
    site: &Site,
) -> Result<(), Vec<SceneError>> {
    let wanted = if body.springs.is_some() {
        Wanted::Edges
    } else {
        Wanted::Solids
    };
    let meshed = make(body, site.folder(), wanted).map_err(|e| vec![site.error("mesh", e)])?;
    let first = all.parts.rest.len() as u32;
    all.first.push(first);
    all.notices.extend(
        meshed
            .notices
            .iter()
            .map(|n| format!("{}: {n}", body.name_or_number(number))),
    );
    all.notices.extend(
        frozen_damping_notice(body).map(|n| format!("{}: {n}", body.name_or_number(number))),
    );
    all.parts.rest.extend_from_slice(&meshed.mesh.points);
    let masses_before = all.parts.masses.len();
    match body.matter() {
        Some(Matter::Solid(material)) => {
            solid_matter(all, body, material, &meshed.mesh, first, site)?
        }
        Some(Matter::Springs(springs)) => {
            spring_matter(all, body, springs, &meshed.mesh, first, site)?
        }
        _ => return Err(vec![site.error("", "the body has no material")]),
    }
    hold(all, body, &meshed.mesh, first, site)?;
    if body.damping.mass > 0.0 || !all.parts.mass_damping.is_empty() {
        all.parts.mass_damping.resize(first as usize, 0.0);
        all.parts
            .mass_damping
            .resize(all.parts.rest.len(), body.damping.mass);
    }
    if body.damping.drag > 0.0 || body.damping.rigid_free > 0.0 {
        all.parts.relaxations.push(Relaxation {
            nodes: first..all.parts.rest.len() as u32,
            drag: body.damping.drag,
            rigid_free: body.damping.rigid_free,
        });
    }
    if body.fix.is_empty() && body.tether.is_empty() {
        let nodes = first..all.parts.rest.len() as u32;
        all.parts.loose.push(Loose { nodes, pivot: None });
    }
    start(all, body, &meshed.mesh, first, masses_before, site);
    show(all, body, number, meshed, first);
    Ok(())
}

fn motion(written: &Option<spec::Motion>, nodes: &[u32], mesh: &Mesh) -> Motion {
    match written {
        None => Motion::Still,
        Some(spec::Motion::Shake(s)) => Motion::Shake {
            axis: s.axis.unit(),
            amplitude: s.amplitude,
            frequency: s.frequency,
        },
        Some(spec::Motion::Keys { keys, about }) => {
            let mean = |k: usize| {
                nodes
                    .iter()
                    .map(|&i| mesh.points[i as usize][k])
                    .sum::<f64>()
                    / nodes.len() as f64
            };
            let key = |k: &spec::MotionKey| Key {
                t: k.t,
                translate: k.translate,
                rotate: k.rotate_deg.map(f64::to_radians),
            };
            Motion::Keys {
                keys: keys.iter().map(key).collect(),
                pivot: about.unwrap_or_else(|| [0, 1, 2].map(mean)),
            }
        }
    }
}

fn hold(
    all: &mut Assembly,
    body: &Body,
    mesh: &Mesh,
    first: u32,
    site: &Site,
) -> Result<(), Vec<SceneError>> {
    let mut errors = Vec::new();
    let mut chosen = |place: &spec::Where, key: String| match select(place, mesh) {
        Ok(nodes) => Some(nodes),
        Err(sentence) => {
            errors.push(site.error(&format!("{key}.where"), sentence));
            None
        }
    };
    let numbered = |nodes: &[u32]| nodes.iter().map(|i| i + first).collect::<Vec<_>>();
    for (i, fix) in body.fix.iter().enumerate() {
        if let Some(nodes) = chosen(&fix.place, format!("fix[{i}]")) {
            let motion = motion(&fix.motion, &nodes, mesh);
            all.parts.fixes.push(Fix {
                nodes: numbered(&nodes),
                axes: fix.axes.0,
                motion,
            });
        }
    }
    for (i, tether) in body.tether.iter().enumerate() {
        if let Some(nodes) = chosen(&tether.place, format!("tether[{i}]")) {
            let motion = motion(&tether.motion, &nodes, mesh);
            all.parts.potentials.push(Box::new(Tethers::new(
                numbered(&nodes),
                tether.stiffness,
                motion,
            )));
        }
    }
    for (i, push) in body.push.iter().enumerate() {
        if let Some(nodes) = chosen(&push.place, format!("push[{i}]")) {
            let to = push.to.unwrap_or(f64::INFINITY);
            let push = solid::load::Push {
                nodes: numbered(&nodes),
                force: push.force,
                from: push.from,
                to,
            };
            all.parts.pushes.push(push);
        }
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

/// Displacements and velocities at the start.
fn start(
    all: &mut Assembly,
    body: &Body,
    mesh: &Mesh,
    first: u32,
    masses_before: usize,
    site: &Site,
) {
    let mut moment = [0.0; 4];
    for &(i, j, m) in &all.parts.masses[masses_before..] {
        // Row sums: an entry off the diagonal counts for both its nodes.
        let ends = if i == j { vec![i] } else { vec![i, j] };
        for node in ends {
            let p = mesh.points[(node - first) as usize];
            (0..3).for_each(|k| moment[k] += m * p[k]);
            moment[3] += m;
        }
    }
    let centre = [0, 1, 2].map(|k| moment[k] / moment[3]);
    let spec::Velocity { linear, angular } = body.velocity;
    for p in &mesh.points {
        let r = [0, 1, 2].map(|k| p[k] - centre[k]);
        all.v.push([0, 1, 2].map(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            linear[k] + angular[i] * r[j] - angular[j] * r[i]
        }));
    }
    let Some(disturb) = &body.disturb else {
        all.u.resize(all.parts.rest.len(), [0.0; 3]);
        return;
    };
    let (min, max) = bounds(&mesh.points);
    let reach = disturb.scatter * (0..3).map(|k| max[k] - min[k]).fold(0.0, f64::max);
    let mut random = Pcg64Mcg::seed_from_u64(disturb.seed.unwrap_or(site.seed));
    let mut uniform = || (random.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
    all.u.extend(
        mesh.points
            .iter()
            .map(|_| [0; 3].map(|_| reach * uniform())),
    );
}

/// Adds the body to what frames show.
fn show(all: &mut Assembly, body: &Body, number: usize, meshed: Meshed, first: u32) {
    let Meshed { mesh, carried, .. } = meshed;
    let subject = &mut all.subject;
    subject.bodies.push(body.name_or_number(number));
    subject.mesh.points.extend_from_slice(&mesh.points);
    for (kind, nodes) in mesh.cells() {
        let nodes: Vec<u32> = nodes.iter().map(|n| n + first).collect();
        subject.mesh.push(kind, &nodes);
        subject.cell_body.push(number as u32);
    }
    let base = all.skin.len() as u32;
    let skin = surface(&mesh);
    all.outside
        .extend(skin.triangles.iter().map(|t| t.map(|i| i + first)));
    match carried {
        Some(carried) => {
            let e = carried.embedding;
            all.skin.carried = true;
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
            subject
                .triangles
                .extend(carried.triangles.iter().map(|t| t.map(|i| i + base)));
        }
        None => {
            let mut vertex = vec![u32::MAX; mesh.points.len()];
            for tri in &skin.triangles {
                let renamed = tri.map(|i| {
                    let at = &mut vertex[i as usize];
                    if *at == u32::MAX {
                        *at = all.skin.len() as u32;
                        all.skin.push([(i + first, 1.0)]);
                    }
                    *at
                });
                subject.triangles.push(renamed);
            }
        }
    }
    subject
        .triangle_body
        .resize(subject.triangles.len(), number as u32);
}
