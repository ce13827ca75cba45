//! Builds contact: collision surfaces of bodies and particles, obstacles, the barrier with its defaults, and checks of them.
//!
//! Groups are numbered: bodies in the order of the file, then each particle, then obstacles. Every particle is a group of
//! its own, because particles touch each other.

pub(crate) mod corrector;
mod defaults;
mod friction;
mod method;
mod obstacles;
mod start;
mod untangle;

pub(crate) use method::{ends_on_stage, refuse_method};
pub use obstacles::ObstacleSurface;
pub use start::{Overlap, PairGap};
pub(super) use untangle::Movable;

use ::contact::{Barrier, Point};
use ::contact::{CodimensionalSizes, CollisionSurface};
use mesh::Mesh;
use mesh::vector::{norm, sub};
use serde::Serialize;
use solid::potential::Potential;
use solid::potential::contact::{
    BarrierContact, BarrierSettings, ContactDescription, PenaltyContact,
};

use super::Assembly;
use crate::error::{SceneError, SceneErrors};
use crate::spec::{self, Scene, Source};

/// Width of a wire in mean lengths of its edges: its contact area for each metre of its length.
const WIRE_WIDTH_IN_EDGES: f64 = 0.1;
/// Radius of the sphere of a bonded particle in distances to the nearest one. A square of four such spheres leaves no gap for
/// a fifth.
const SPHERE_RADIUS: f64 = 0.4;
/// Contact area of a particle, m².
const PARTICLE_AREA: f64 = 1.0;

/// Contact of a session: what touches, with which settings.
#[derive(Clone, Debug)]
pub struct ContactSetup {
    /// Contact model.
    pub kind: spec::ContactKind,
    /// Surfaces, obstacles, names and settings, as the model has them.
    pub description: ContactDescription,
    /// Number of groups that are bodies.
    pub bodies: usize,
    /// Number of groups that are particles.
    pub particles: usize,
    /// Groups of bodies that wait to appear.
    pub waiting: Vec<u32>,
    /// Names of obstacles that are open surfaces.
    pub shells: Vec<String>,
    /// Estimated duration of a contact of each body and particle, s.
    pub contact_times: Vec<f64>,
    /// What was moved before t = 0; `None` if the start was free.
    pub untangled: Option<Untangled>,
}

/// Relaxation of an overlapping start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Untangled {
    /// Number of nodes that were moved.
    pub nodes: usize,
    /// Largest displacement of a node, m.
    pub largest: f64,
}

impl ContactSetup {
    /// Returns the settings of the barrier.
    pub fn settings(&self) -> &BarrierSettings {
        &self.description.settings
    }

    /// Returns the name of the contact model.
    pub fn model_name(&self) -> &'static str {
        let model = spec::CONTACT_MODELS.iter().find(|m| m.kind == self.kind);
        model.map_or("barrier", |m| m.name)
    }

    /// Returns the name of a group.
    pub fn name(&self, group: u32) -> &str {
        &self.description.names[group as usize]
    }

    /// Returns a key of the scene file and the kind and name of a group: `body[0]`, `body "ball"`.
    fn place_and_title(&self, group: u32) -> (String, String) {
        let number = group as usize;
        let name = self.name(group);
        if number < self.bodies {
            return (format!("body[{number}]"), format!("body \"{name}\""));
        }
        let number = number - self.bodies;
        if number < self.particles {
            return (format!("particle[{number}]"), format!("particle {number}"));
        }
        let number = number - self.particles;
        (
            format!("obstacle[{number}]"),
            format!("obstacle \"{name}\""),
        )
    }

    /// Whether two groups touch, as the barrier decides it.
    fn may_touch(&self, a: u32, b: u32) -> bool {
        if self.waiting.contains(&a) || self.waiting.contains(&b) {
            return false;
        }
        let obstacles = (self.bodies + self.particles) as u32;
        if a == b {
            return self.settings().self_contact && a < obstacles;
        }
        let pair = [a.min(b), a.max(b)];
        (a < obstacles || b < obstacles) && !self.description.ignored.contains(&pair)
    }
}

/// Collision surfaces of all bodies and particles, and sizes from which settings are chosen.
pub(super) struct Bodies {
    surface: CollisionSurface,
    /// Nodes of each body.
    nodes: Vec<std::ops::Range<usize>>,
    /// Least gap at rest between the spheres of bonded particles, m; infinite without bonds.
    sphere_gap: f64,
}

/// Builds the contact of a scene and adds its potential to the assembly. Returns `None` without `[contact]`.
pub(super) fn add(
    scene: &Scene,
    source: &Source,
    all: &mut Assembly,
) -> Result<(Option<ContactSetup>, Vec<ObstacleSurface>), SceneErrors> {
    let bodies = collision_surfaces(scene, all);
    let mut errors = Vec::new();
    let built: Vec<obstacles::Built> = (scene.obstacle.iter().enumerate())
        .filter_map(|(i, o)| obstacles::build(o, i, source, &bodies, all, &mut errors))
        .collect();
    if let Some(errors) = SceneErrors::collect(errors) {
        return Err(errors);
    }
    let surfaces = obstacles::surfaces(&built, all);
    let Some(contact) = &scene.contact else {
        if !scene.obstacle.is_empty() {
            let sentence = "the obstacles have no effect without [contact]; add [contact] with kind = \"barrier\"";
            all.notices.push(sentence.into());
        }
        return Ok((None, surfaces));
    };
    let settings = defaults::settings(scene, contact, &bodies, all)
        .map_err(|(key, sentence)| SceneErrors::from(source.error(key, sentence)))?;
    let mut shells = Vec::new();
    for obstacle in built.iter().filter(|o| o.shell) {
        shells.push(obstacle.name.clone());
        all.notices.push(format!(
            "{}: the surface is open: it is a shell that touches on both sides",
            obstacle.name
        ));
    }
    let sizes = defaults::body_sizes(&bodies, all);
    let setup = setup(scene, contact, bodies, built, settings, shells);
    defaults::check_self_distance(&setup, source, contact.reach.is_some(), &all.parts.rest)
        .map_err(SceneErrors::from)?;
    let mut setup = defaults::with_self_reach(setup, contact, &all.parts.rest);
    let waiting = all.parts.emitted.iter().filter(|b| b.appears > 0.0);
    setup.waiting = waiting.map(|b| b.group).collect();
    setup.contact_times = defaults::contact_times(scene, &sizes, &setup);
    if setup.kind == spec::ContactKind::Corrector {
        setup.contact_times.clear();
        all.notices.push(corrector::notice(scene));
        return Ok((Some(setup), surfaces));
    }
    all.notices.push(setup.notice());
    let (description, rest) = (setup.description.clone(), &all.parts.rest);
    let potential: Box<dyn Potential> = match contact.kind {
        spec::ContactKind::Penalty => {
            let restitution = contact.restitution.unwrap_or(1.0);
            Box::new(PenaltyContact::new(description, restitution, rest))
        }
        _ => Box::new(BarrierContact::new(description, rest)),
    };
    all.parts.potentials.push(potential);
    Ok((Some(setup), surfaces))
}

/// Checks that the start is free of overlaps, or moves nodes until it is if there is something that may move. Returns `true` if
/// nodes were moved.
pub(super) fn free_start(
    setup: &mut ContactSetup,
    source: &Source,
    nodes: &mut [Point],
    movable: Option<&Movable>,
) -> Result<bool, SceneErrors> {
    let mut found = start::overlaps(setup, nodes, 0.0);
    if let Some(movable) = movable.filter(|_| !found.is_empty()) {
        let start = nodes.to_vec();
        found = untangle::untangle(setup, movable, nodes);
        let distances = start.iter().zip(&*nodes).map(|(a, b)| norm(sub(*a, *b)));
        let moved: Vec<f64> = distances.filter(|d| *d > 0.0).collect();
        setup.untangled = Some(Untangled {
            nodes: moved.len(),
            largest: moved.iter().copied().fold(0.0, f64::max),
        });
    }
    let tried = movable.is_some();
    let errors = found
        .into_iter()
        .map(|overlap| start::with_depth(setup, nodes, overlap).error(setup, source, tried))
        .collect::<Vec<SceneError>>();
    match SceneErrors::collect(errors) {
        Some(errors) => Err(errors),
        None => Ok(setup.untangled.is_some()),
    }
}

impl ContactSetup {
    /// Returns the overlaps of surfaces at positions of the nodes, with obstacles at a time.
    pub fn overlaps(&self, nodes: &[Point], t: f64) -> Vec<Overlap> {
        start::overlaps(self, nodes, t)
    }

    /// Returns the least distance of each pair that may touch, obstacles at t = 0.
    pub fn gaps(&self, nodes: &[Point]) -> Vec<PairGap> {
        start::gaps(self, nodes)
    }

    fn notice(&self) -> String {
        let s = self.settings();
        let thickness = match s.thickness > 0.0 {
            true => format!(", thickness {:.3e} m", s.thickness),
            false => String::new(),
        };
        format!(
            "{} contact with reach {:.3e} m and stiffness {:.3e} Pa{thickness}{}",
            self.model_name(),
            s.barrier.reach(),
            s.stiffness,
            friction::notice(&self.description.friction, self.kind)
        )
    }
}

fn setup(
    scene: &Scene,
    contact: &spec::Contact,
    bodies: Bodies,
    built: Vec<obstacles::Built>,
    settings: BarrierSettings,
    shells: Vec<String>,
) -> ContactSetup {
    let mut names: Vec<String> = scene
        .body
        .iter()
        .enumerate()
        .map(|(i, b)| b.name_or_number(i))
        .collect();
    names.extend((0..scene.particle.len()).map(|i| format!("particle-{i}")));
    names.extend(built.iter().map(|o| o.name.clone()));
    let group = |name: &str| names.iter().position(|n| n == name).unwrap_or(0) as u32;
    let pairs = contact.pair.iter().filter(|p| p.ignore);
    let mut ignored: Vec<[u32; 2]> = pairs
        .map(|p| [group(&p.a), group(&p.b)])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    ignored.sort_unstable();
    ignored.dedup();
    let mut surfaces = bodies.surface;
    surfaces
        .rigid
        .resize(surfaces.primitives.groups.len(), false);
    ContactSetup {
        kind: contact.kind,
        description: ContactDescription {
            surfaces,
            obstacles: built.into_iter().map(|o| o.obstacle).collect(),
            friction: friction::settings(scene, contact, &names),
            names,
            ignored,
            settings,
        },
        bodies: scene.body.len(),
        particles: scene.particle.len(),
        waiting: Vec::new(),
        shells,
        contact_times: Vec::new(),
        untangled: None,
    }
}

/// Extracts the collision surfaces of all bodies, at rest, and adds the particles.
fn collision_surfaces(scene: &Scene, all: &Assembly) -> Bodies {
    let mut surface = CollisionSurface::default();
    let (mut ranges, mut sphere_gap) = (Vec::new(), f64::INFINITY);
    let particles = all.parts.rest.len() - scene.particle.len();
    for (body, written) in scene.body.iter().enumerate() {
        let first = all.first[body] as usize;
        let end = all.first.get(body + 1).map_or(particles, |e| *e as usize);
        ranges.push(first..end);
        if written.bonds.is_some() {
            let own = bonded_spheres(&all.parts.rest[first..end], &mut sphere_gap);
            surface.append(&own, first as u32, body as u32);
            continue;
        }
        let mesh = body_mesh(all, body as u32, first..end);
        let edges = mesh::edges(&mesh);
        let length = |[a, b]: [u32; 2]| {
            let [a, b] = [a, b].map(|i| mesh.points[i as usize]);
            mesh::vector::norm(mesh::vector::sub(a, b))
        };
        let mean = edges.iter().map(|e| length(*e)).sum::<f64>() / edges.len().max(1) as f64;
        let sizes = CodimensionalSizes {
            wire_width: WIRE_WIDTH_IN_EDGES * mean,
            particle_area: PARTICLE_AREA,
        };
        surface.append(
            &CollisionSurface::from_mesh(&mesh, &sizes),
            first as u32,
            body as u32,
        );
    }
    let sizes = CodimensionalSizes {
        wire_width: 0.0,
        particle_area: PARTICLE_AREA,
    };
    for i in 0..scene.particle.len() {
        let point = Mesh::with_points(vec![all.parts.rest[particles + i]]);
        let group = (scene.body.len() + i) as u32;
        let one = CollisionSurface::from_mesh(&point, &sizes);
        surface.append(&one, (particles + i) as u32, group);
    }
    Bodies {
        surface,
        nodes: ranges,
        sphere_gap,
    }
}

/// Makes the collision surface of a body with bonds: a sphere around each particle, with a radius of [`SPHERE_RADIUS`] of the
/// distance to the nearest one, so that the spheres of a body at rest do not touch. Lowers `least_gap` to the least gap
/// between them.
fn bonded_spheres(points: &[Point], least_gap: &mut f64) -> CollisionSurface {
    let nearest = bond::neighbours::nearest_distances(points);
    let shortest = nearest.iter().fold(f64::INFINITY, |a, b| a.min(*b));
    let mean = nearest.iter().sum::<f64>() / nearest.len().max(1) as f64;
    let sizes = CodimensionalSizes {
        wire_width: 0.0,
        particle_area: mean * mean,
    };
    *least_gap = least_gap.min((1.0 - 2.0 * SPHERE_RADIUS) * shortest);
    let mut surface = CollisionSurface::from_mesh(&Mesh::with_points(points.to_vec()), &sizes);
    surface.primitives.radii = nearest.iter().map(|d| SPHERE_RADIUS * d).collect();
    surface
}

/// Mesh of a body, with its own node numbers.
fn body_mesh(all: &Assembly, body: u32, nodes: std::ops::Range<usize>) -> Mesh {
    let mut mesh = Mesh::with_points(all.parts.rest[nodes.clone()].to_vec());
    let output = &all.output_mesh;
    for ((kind, cell), _) in
        (output.mesh.cells().zip(&output.cell_body)).filter(|(_, b)| **b == body)
    {
        let own: Vec<u32> = cell.iter().map(|n| n - nodes.start as u32).collect();
        mesh.push(kind, &own);
    }
    mesh
}

/// Makes a barrier of a shape and a reach.
fn barrier(contact: &spec::Contact, reach: f64) -> Barrier {
    Barrier::new(contact.shape.shape(), reach)
}
