//! Adds particles and the springs between them to the assembly.

use std::ops::Range;

use solid::model::FreeBody;
use solid::potential::{Spring, SpringEnd, SpringLaw, Springs, StiffnessDamping};

use super::Assembly;
use crate::spec::{self, Scene};

/// Adds particles as nodes after those of the bodies, and their springs.
pub(super) fn add(scene: &Scene, all: &mut Assembly) {
    let first = all.parts.rest.len() as u32;
    for (i, particle) in scene.particle.iter().enumerate() {
        let node = first + i as u32;
        all.parts.rest.push(particle.position);
        all.parts.masses.push((node, node, particle.mass));
        all.u.push([0.0; 3]);
        all.v.push(particle.velocity);
        all.output_mesh.mesh.points.push(particle.position);
        all.output_mesh.mesh.push(mesh::CellKind::Vertex, &[node]);
        all.output_mesh.cell_body.push(scene.body.len() as u32);
    }
    if !scene.particle.is_empty() {
        all.output_mesh.bodies.push("particles".into());
    }
    if !all.parts.mass_damping.is_empty() {
        all.parts.mass_damping.resize(all.parts.rest.len(), 0.0);
    }
    let place = |end: &spec::SpringEnd| match end {
        spec::SpringEnd::Particle(i) => scene.particle[*i].position,
        spec::SpringEnd::Point(p) => *p,
    };
    let springs = scene.spring.iter().filter_map(|s| {
        let (a, b) = (place(&s.a), place(&s.b));
        let length = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
        let node = |i: usize| first + i as u32;
        let (a, b) = match (&s.a, &s.b) {
            (spec::SpringEnd::Particle(a), spec::SpringEnd::Particle(b)) => {
                (node(*a), SpringEnd::Node(node(*b)))
            }
            (spec::SpringEnd::Particle(a), spec::SpringEnd::Point(p))
            | (spec::SpringEnd::Point(p), spec::SpringEnd::Particle(a)) => {
                (node(*a), SpringEnd::Point(*p))
            }
            (spec::SpringEnd::Point(_), spec::SpringEnd::Point(_)) => return None,
        };
        Some(Spring {
            a,
            b,
            law: law(s.law),
            stiffness: s.stiffness,
            rest: s.rest.unwrap_or(length),
            damping: s.damping,
        })
    });
    let springs: Vec<Spring> = springs.collect();
    for spring in &springs {
        if let SpringEnd::Node(b) = spring.b {
            all.output_mesh
                .mesh
                .push(mesh::CellKind::Line2, &[spring.a, b]);
            all.output_mesh.cell_body.push(scene.body.len() as u32);
        }
    }
    let nodes = first..all.parts.rest.len() as u32;
    all.parts
        .free_bodies
        .extend(free_particle_body(nodes, &springs));
    if !springs.is_empty() {
        all.parts
            .potentials
            .push(Box::new(Springs::new(springs, StiffnessDamping::default())));
    }
}

pub(super) fn law(law: spec::SpringLaw) -> SpringLaw {
    match law {
        spec::SpringLaw::Hooke => SpringLaw::Hooke,
        spec::SpringLaw::Squared => SpringLaw::Squared,
        spec::SpringLaw::Cubic => SpringLaw::Cubic,
    }
}

/// Returns the particles as one free body if springs connect them all and they are attached to at most one fixed point.
/// Returns `None` otherwise.
fn free_particle_body(nodes: Range<u32>, springs: &[Spring]) -> Option<FreeBody> {
    let point = |s: &Spring| match s.b {
        SpringEnd::Point(p) => Some(p),
        SpringEnd::Node(_) => None,
    };
    let pivot = springs.iter().find_map(point);
    if springs.iter().filter_map(point).any(|p| Some(p) != pivot) {
        return None;
    }
    // Union–find over the springs; the fixed point is one more node.
    let count = nodes.len();
    let mut parent: Vec<usize> = (0..=count).collect();
    let place = |i: u32| (i - nodes.start) as usize;
    for s in springs {
        let b = match s.b {
            SpringEnd::Point(_) => count,
            SpringEnd::Node(b) => place(b),
        };
        let (a, b) = (root(&mut parent, place(s.a)), root(&mut parent, b));
        parent[a] = b;
    }
    if pivot.is_none() && count < 2 {
        // A point has no angular momentum of its own.
        return None;
    }
    let last = if pivot.is_some() {
        count
    } else {
        count.checked_sub(1)?
    };
    let top = root(&mut parent, last);
    let whole = (0..last).all(|i| root(&mut parent, i) == top);
    whole.then_some(FreeBody { nodes, pivot })
}

/// Finds the root of a node's tree, with path halving.
fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}
