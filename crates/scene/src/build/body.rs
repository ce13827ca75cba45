//! A body: its mesh, its matter, and what holds and pushes it.

use std::path::Path;

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use solid::element::Element;
use solid::mass::{MassKind, add_masses};
use solid::material::{LAWS, Law};
use solid::mesh::{Kind, Mesh, edges, surface};
use solid::model::Fix;
use solid::motion::{Key, Motion};
use solid::potential::{End, Spring, Springs, Substance, Tethers, elastic};

use super::mesh::{Meshed, Wanted, make};
use super::select::{bounds, select};
use super::{Assembly, law};
use crate::error::SceneError;
use crate::spec::{self, Body, Matter, Moduli, Source, suggestion};

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
    fn error(&self, key: &str, sentence: impl ToString) -> SceneError {
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

/// A body's name; `body0`, `body1`, … where none is written.
pub fn name(body: &Body, number: usize) -> String {
    if body.name.is_empty() {
        format!("body{number}")
    } else {
        body.name.clone()
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
            .map(|n| format!("{}: {n}", name(body, number))),
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
    start(all, body, &meshed.mesh, first, masses_before, site);
    show(all, body, number, meshed, first);
    Ok(())
}

fn solid_matter(
    all: &mut Assembly,
    body: &Body,
    material: &spec::Material,
    mesh: &Mesh,
    first: u32,
    site: &Site,
) -> Result<(), Vec<SceneError>> {
    let law = find_law(material)
        .map_err(|(key, sentence)| vec![site.error(&format!("material.{key}"), sentence)])?;
    let mass = match body.mass {
        spec::Mass::Consistent => MassKind::Consistent,
        spec::Mass::Lumped => MassKind::Lumped,
    };
    for kind in Kind::ALL {
        let cells: Vec<usize> = (0..mesh.len()).filter(|&i| mesh.kinds[i] == kind).collect();
        if cells.is_empty() {
            continue;
        }
        let nodes: Vec<u32> = cells
            .iter()
            .flat_map(|&i| mesh.cell(i).iter().map(|n| n + first))
            .collect();
        let substance = Substance {
            law,
            stiffness_damping: body.damping.stiffness,
        };
        let potential = elastic(substance, kind, &nodes, &all.parts.rest).map_err(|e| {
            let e = match e {
                solid::potential::ElementError::Flat { element, jacobian } => {
                    solid::potential::ElementError::Flat {
                        element: cells[element],
                        jacobian,
                    }
                }
                other => other,
            };
            vec![site.error("mesh", e)]
        })?;
        all.parts.potentials.push(potential);
        let base = all.subject.mesh.len();
        all.measured
            .extend(cells.iter().map(|&i| (base + i) as u32));
        if let Some(element) = Element::of(kind) {
            add_masses(
                mass,
                &element,
                &nodes,
                &all.parts.rest,
                material.density,
                &mut all.parts.masses,
            );
        }
    }
    Ok(())
}

fn find_law(material: &spec::Material) -> Result<Law, (&'static str, String)> {
    if !LAWS.iter().any(|l| l.name == material.law) {
        let hint = suggestion(&material.law, LAWS.iter().map(|l| l.name));
        return Err(("law", format!("unknown law \"{}\"; {hint}", material.law)));
    }
    match material.moduli {
        Moduli::Young { young, poisson } => {
            Law::new(&material.law, young, poisson).map_err(|e| ("young", e.to_string()))
        }
        Moduli::Rivlin { c10, c01, kappa } if material.law == "mooney-rivlin" => {
            Law::mooney_rivlin(c10, c01, kappa).map_err(|e| ("c10", e.to_string()))
        }
        Moduli::Rivlin { .. } => Err((
            "c10",
            format!(
                "law \"{}\" takes young and poisson; c10, c01 and kappa are for mooney-rivlin",
                material.law
            ),
        )),
    }
}

fn spring_matter(
    all: &mut Assembly,
    body: &Body,
    springs: &spec::Springs,
    mesh: &Mesh,
    first: u32,
    site: &Site,
) -> Result<(), Vec<SceneError>> {
    let list = edges(mesh);
    let rest = |a: u32, b: u32| {
        let (p, q) = (mesh.points[a as usize], mesh.points[b as usize]);
        (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt()
    };
    let spring = |a: u32, b: u32, stiffness: f64| Spring {
        a: first + a,
        b: End::Node(first + b),
        law: law(springs.law),
        stiffness,
        rest: rest(a, b),
        damping: springs.damping,
    };
    let mut out: Vec<Spring> = list
        .iter()
        .map(|&[a, b]| spring(a, b, springs.stiffness))
        .collect();
    if springs.bend > 0.0 {
        out.extend(
            across(&list, mesh.points.len())
                .iter()
                .map(|&[a, b]| spring(a, b, springs.bend)),
        );
    }
    let shares = node_shares(mesh);
    let total: f64 = shares.iter().sum();
    if total <= 0.0 {
        return Err(vec![site.error(
            "mesh",
            "the cells have neither area nor volume, so springs on them have no mass",
        )]);
    }
    let density = springs
        .mass
        .map_or(springs.density.unwrap_or(1000.0), |m| m / total);
    let masses = shares
        .iter()
        .enumerate()
        .map(|(i, s)| (first + i as u32, first + i as u32, density * s));
    all.parts.masses.extend(masses);
    all.parts
        .potentials
        .push(Box::new(Springs::new(out, body.damping.stiffness)));
    Ok(())
}

/// Pairs of nodes two edges apart and not one: what bending springs join. Each pair once.
fn across(list: &[[u32; 2]], nodes: usize) -> Vec<[u32; 2]> {
    let mut near = vec![Vec::new(); nodes];
    for &[a, b] in list {
        near[a as usize].push(b);
        near[b as usize].push(a);
    }
    let mut out: Vec<[u32; 2]> = Vec::new();
    for around in &near {
        for (i, &a) in around.iter().enumerate() {
            out.extend(
                around[..i]
                    .iter()
                    .filter(|b| !near[a as usize].contains(b))
                    .map(|&b| [a.min(b), a.max(b)]),
            );
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// Volume, or area of a mesh without solids, shared equally by the nodes of each cell.
fn node_shares(mesh: &Mesh) -> Vec<f64> {
    let mut out = vec![0.0; mesh.points.len()];
    let solid = mesh.kinds.iter().any(|k| k.dimension() == 3);
    if solid {
        for (i, (_, nodes)) in mesh
            .cells()
            .enumerate()
            .filter(|(_, (k, _))| k.dimension() == 3)
        {
            let share = solid::mesh::volume(mesh, i) / nodes.len() as f64;
            nodes.iter().for_each(|&n| out[n as usize] += share);
        }
        return out;
    }
    for tri in surface(mesh).triangles {
        let [a, b, c] = tri.map(|i| mesh.points[i as usize]);
        let (p, q) = (
            [0, 1, 2].map(|k| b[k] - a[k]),
            [0, 1, 2].map(|k| c[k] - a[k]),
        );
        let normal =
            [0, 1, 2].map(|k| p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3]);
        let area = 0.5 * normal.iter().map(|n| n * n).sum::<f64>().sqrt();
        tri.iter().for_each(|&n| out[n as usize] += area / 3.0);
    }
    out
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
    subject.bodies.push(name(body, number));
    subject.mesh.points.extend_from_slice(&mesh.points);
    for (kind, nodes) in mesh.cells() {
        let nodes: Vec<u32> = nodes.iter().map(|n| n + first).collect();
        subject.mesh.push(kind, &nodes);
        subject.cell_body.push(number as u32);
    }
    let base = all.skin.weights.len() as u32;
    let skin = surface(&mesh);
    all.outside
        .extend(skin.triangles.iter().map(|t| t.map(|i| i + first)));
    match carried {
        Some(carried) => {
            let e = carried.embedding;
            all.skin.carried = true;
            for (tet, weights) in e.tets.iter().zip(&e.weights) {
                let nodes = mesh.cell(*tet as usize);
                all.skin
                    .weights
                    .push([0, 1, 2, 3].map(|a| (nodes[a] + first, weights[a])));
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
                        *at = all.skin.weights.len() as u32;
                        all.skin
                            .weights
                            .push([(i + first, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)]);
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
