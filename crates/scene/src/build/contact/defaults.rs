//! Reach and stiffness of the barrier: defaults from the bodies, and refusals of values that cannot work.

use ::contact::Point;
use ::contact::broad::{BroadPhase, Candidates};
use ::contact::distance;
use ::contact::penalty::Repulsion;
use mesh::vector::norm;
use solid::potential::contact::BarrierSettings;

use super::{Bodies, ContactSetup, barrier};
use crate::build::Assembly;
use crate::build::select::bounds;
use crate::error::SceneError;
use crate::spec::{self, Matter, Moduli, Scene, Source};

/// Largest default reach in extents of the smallest body.
const REACH_IN_EXTENTS: f64 = 0.01;
/// Largest default reach in lengths of the shortest edge of a surface.
const REACH_IN_EDGES: f64 = 0.25;
/// Largest default reach in gaps between the spheres of bonded particles.
const REACH_IN_SPHERE_GAPS: f64 = 0.5;
/// Distance within which `check` looks for pairs under the corrector in scenes without bodies, m.
const DEFAULT_CORRECTOR_REACH: f64 = 1e-3;
/// Default stiffness in the least Young's modulus of the bodies.
const STIFFNESS_IN_YOUNG: f64 = 0.1;
/// Default stiffness in the pressure under the heaviest body.
const STIFFNESS_IN_WEIGHT: f64 = 2.0;
/// Least extent of a body along an axis, in its largest one, for the area of its smallest side.
const MIN_FLATNESS: f64 = 0.01;

/// A key of the scene and the error message for its value.
type KeyedMessage = (&'static str, String);

/// Chooses the settings of the barrier, or refuses those that are written.
pub fn settings(
    scene: &Scene,
    contact: &spec::Contact,
    bodies: &Bodies,
    all: &Assembly,
) -> Result<BarrierSettings, KeyedMessage> {
    let sizes = body_sizes(bodies, all);
    let smallest = sizes.iter().fold(f64::INFINITY, |s, b| s.min(b.extent));
    let without_bodies = |key: &'static str, unit: &str| {
        (
            key,
            format!(
                "missing key; without bodies there is nothing to choose it from: give contact.{} ({unit})",
                key.trim_start_matches("contact.")
            ),
        )
    };
    let corrector = contact.kind == spec::ContactKind::Corrector;
    let reach = match contact.reach {
        Some(reach) => reach,
        // The corrector has no reach; this is the distance within which `check` looks for pairs.
        None if sizes.is_empty() && corrector => DEFAULT_CORRECTOR_REACH,
        None if sizes.is_empty() => return Err(without_bodies("contact.reach", "m")),
        None => (REACH_IN_EXTENTS * smallest)
            .min(REACH_IN_EDGES * bodies.shortest_edge())
            .min(REACH_IN_SPHERE_GAPS * bodies.sphere_gap),
    };
    if !(reach > 0.0 && reach.is_finite()) {
        return Err((
            "contact.reach",
            format!("must be greater than 0, found {reach:?}"),
        ));
    }
    let thickness = contact.thickness;
    if reach + thickness >= smallest {
        let key = match reach >= smallest {
            true => "contact.reach",
            false => "contact.thickness",
        };
        return Err((
            key,
            format!(
                "reach {reach:?} m and thickness {thickness:?} m together are not smaller than the smallest body, {smallest:.4} m; try a reach of {:.1e} m",
                REACH_IN_EXTENTS * smallest
            ),
        ));
    }
    let stiffness = match contact.stiffness {
        Some(stiffness) => stiffness,
        None if corrector => 1.0,
        None if sizes.is_empty() => return Err(without_bodies("contact.stiffness", "Pa")),
        None => default_stiffness(scene, &sizes),
    };
    if !(stiffness > 0.0 && stiffness.is_finite()) {
        return Err((
            "contact.stiffness",
            format!("must be greater than 0, found {stiffness:?}"),
        ));
    }
    Ok(BarrierSettings {
        barrier: barrier(contact, reach),
        stiffness,
        thickness,
        self_contact: contact.self_contact,
    })
}

/// Sizes of a body from which settings are chosen.
pub struct BodySize {
    /// Largest extent, m.
    extent: f64,
    /// Volume of its bounding box, m³.
    volume: f64,
    /// Area of the smallest side of its bounding box, m².
    side: f64,
    /// Mass, kg.
    mass: f64,
    /// Mean length of the edges of its surface, m.
    mean_edge: f64,
}

/// Measures all bodies.
pub fn body_sizes(bodies: &Bodies, all: &Assembly) -> Vec<BodySize> {
    let mut mass = vec![0.0; all.parts.rest.len()];
    for &(i, j, m) in &all.parts.masses {
        mass[i as usize] += m;
        if i != j {
            mass[j as usize] += m;
        }
    }
    let surface = &bodies.surface;
    let size = |nodes: &std::ops::Range<usize>| {
        let (low, high) = bounds(&all.parts.rest[nodes.clone()]);
        let mut extents = [0, 1, 2].map(|k| high[k] - low[k]);
        extents.sort_by(f64::total_cmp);
        let extent = extents[2];
        let [a, b] = [extents[0], extents[1]].map(|x| x.max(MIN_FLATNESS * extent));
        let edges = surface
            .primitives
            .edges
            .iter()
            .zip(&surface.squared_lengths);
        let own = edges.filter(|(e, _)| nodes.contains(&(e[0] as usize)));
        let (sum, count) = own.fold((0.0, 0.0), |(s, n), (_, square)| {
            (s + square.sqrt(), n + 1.0)
        });
        BodySize {
            extent,
            volume: a * b * extent,
            side: a * b,
            mass: mass[nodes.clone()].iter().sum(),
            mean_edge: sum / f64::max(count, 1.0),
        }
    };
    bodies.nodes.iter().map(size).collect()
}

fn default_stiffness(scene: &Scene, sizes: &[BodySize]) -> f64 {
    let young = (scene.body.iter().zip(sizes)).map(|(body, size)| young_modulus(body, size));
    let least = young.fold(f64::INFINITY, f64::min);
    let g = norm(scene.gravity);
    let heaviest = sizes
        .iter()
        .map(|s| s.mass * g / s.side)
        .fold(0.0, f64::max);
    let elastic = if least.is_finite() {
        STIFFNESS_IN_YOUNG * least
    } else {
        0.0
    };
    elastic.max(STIFFNESS_IN_WEIGHT * heaviest)
}

/// Young's modulus of a body, or what corresponds to it, Pa.
fn young_modulus(body: &spec::Body, size: &BodySize) -> f64 {
    match body.matter() {
        Some(Matter::Solid(material)) => match material.moduli {
            Moduli::Young { young, .. } => young,
            Moduli::Rivlin { c10, c01, kappa } => {
                let shear = 2.0 * (c10 + c01);
                9.0 * kappa * shear / (3.0 * kappa + shear)
            }
        },
        // Springs along the edges of a grid with the spacing l have the modulus k/l.
        Some(Matter::Springs(springs)) => springs.stiffness / size.mean_edge.max(1e-300),
        Some(Matter::Bonds(bonds)) => crate::build::bonds::young_modulus(bonds),
        None => f64::INFINITY,
    }
}

/// Estimates how long a contact of each body and particle lasts, s: half a period of its mass on the barrier at half the
/// reach, or the time in which an elastic wave passes it twice, if that is longer.
pub fn contact_times(scene: &Scene, sizes: &[BodySize], setup: &ContactSetup) -> Vec<f64> {
    let s = setup.settings();
    let curvature = match setup.kind {
        spec::ContactKind::Penalty => Repulsion::new(s.barrier.reach()).derivatives(0.0)[2],
        _ => s.barrier.derivatives(0.5 * s.barrier.reach())[2],
    };
    let on_barrier = |mass: f64, area: f64| {
        std::f64::consts::PI * (mass / (s.stiffness * area * curvature)).sqrt()
    };
    let body = |(body, size): (&spec::Body, &BodySize)| {
        let density = match body.matter() {
            Some(Matter::Solid(m)) => m.density,
            _ => size.mass / size.volume,
        };
        let wave = 2.0 * size.extent * (density / young_modulus(body, size)).sqrt();
        on_barrier(size.mass, size.side).max(wave)
    };
    let bodies = scene.body.iter().zip(sizes).map(body);
    let particles = scene.particle.iter();
    let particles = particles.map(|p| on_barrier(p.mass, super::PARTICLE_AREA));
    bodies.chain(particles).collect()
}

/// Least distance at rest of two parts of the surface of one body that share no vertex, with its group; considers distances up
/// to a limit.
fn least_self_distance(setup: &ContactSetup, rest: &[Point], limit: f64) -> Option<(u32, f64)> {
    let p = &setup.description.surfaces.primitives;
    let mut found = Candidates::default();
    let same = |a, b| a == b && setup.may_touch(a, b);
    BroadPhase::new().static_candidates(p, rest, 0.5 * limit, same, &mut found);
    let mut least: Option<(u32, f64)> = None;
    let mut note = |vertex: u32, d: f64| {
        if least.is_none_or(|(_, l)| d < l) {
            least = Some((p.groups[vertex as usize], d));
        }
    };
    let at = |v: u32| rest[v as usize];
    for c in &found.point_triangle {
        let v = c.vertices(p);
        note(v[0], distance::point_triangle(&v.map(at)).1.sqrt());
    }
    for c in &found.edge_edge {
        let v = c.vertices(p);
        note(v[0], distance::edge_edge(&v.map(at)).1.sqrt());
    }
    for c in &found.point_point {
        let [a, b] = c.points;
        let radii = p.radius([a]) + p.radius([b]);
        note(a, norm(mesh::vector::sub(at(a), at(b))) - radii);
    }
    least.filter(|(_, d)| *d <= limit)
}

/// Refuses a written reach with which a body at rest would touch itself.
pub fn check_self_distance(
    setup: &ContactSetup,
    source: &Source,
    written: bool,
    rest: &[Point],
) -> Result<(), SceneError> {
    let s = setup.settings();
    let (reach, thickness) = (s.barrier.reach(), s.thickness);
    if !s.self_contact || !written {
        return Ok(());
    }
    let Some((group, d)) = least_self_distance(setup, rest, 2.0 * (reach + thickness)) else {
        return Ok(());
    };
    let name = setup.name(group);
    let largest = 0.5 * d - thickness;
    let sentence = if largest > 0.0 {
        format!(
            "{reach:?} m is too large for self-contact of body \"{name}\": parts of its surface are {d:.3e} m apart at rest, so the largest reach that works is {largest:.3e} m"
        )
    } else {
        format!(
            "no reach works for self-contact of body \"{name}\": parts of its surface are {d:.3e} m apart at rest, thickness is {thickness:?} m; use a better mesh or a smaller thickness, or leave contact.self out"
        )
    };
    Err(source.error("contact.reach", sentence))
}

/// Reduces a chosen reach until no body at rest touches itself.
pub fn with_self_reach(
    mut setup: ContactSetup,
    contact: &spec::Contact,
    rest: &[Point],
) -> ContactSetup {
    let s = *setup.settings();
    if !s.self_contact || contact.reach.is_some() {
        return setup;
    }
    let limit = 2.0 * (s.barrier.reach() + s.thickness);
    if let Some((_, d)) = least_self_distance(&setup, rest, limit) {
        let reach = 0.5 * d - s.thickness;
        if reach > 0.0 {
            setup.description.settings.barrier = barrier(contact, reach);
        }
    }
    setup
}
