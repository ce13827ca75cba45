//! Models of several bodies in contact.

use contact::collision::ContactSurfaces;
use contact::{Barrier, BarrierShape};
use mesh::{Mesh, surface};
use solid::mass::MassKind;
use solid::material::Law;
use solid::model::{Model, ModelDescription};
use solid::potential::contact::{
    BarrierContact, BarrierSettings, ContactDescription, MovingObstacle,
};
use solid::potential::{SolidProperties, Viscosity, elastic};

use crate::common::{Body, frozen};

/// A body with its material.
pub struct Part {
    pub body: Body,
    pub law: Law,
    pub density: f64,
    pub damping: f64,
}

pub fn settings(reach: f64, stiffness: f64, self_contact: bool) -> BarrierSettings {
    BarrierSettings {
        barrier: Barrier::new(BarrierShape::SquaredLog, reach),
        stiffness,
        thickness: 0.0,
        self_contact,
    }
}

/// Description of a model of all parts with contact.
pub fn assemble(
    parts: &[Part],
    obstacles: Vec<MovingObstacle>,
    settings: BarrierSettings,
) -> ModelDescription {
    let mut all = ModelDescription::default();
    let mut surfaces = ContactSurfaces::default();
    for (group, part) in parts.iter().enumerate() {
        let first = all.rest.len() as u32;
        add_surface(&part.body, first, group as u32, &mut surfaces);
        all.rest.extend_from_slice(&part.body.rest);
        let nodes: Vec<u32> = part.body.nodes.iter().map(|i| i + first).collect();
        let properties = SolidProperties {
            law: part.law,
            stiffness_damping: frozen(part.damping),
            viscosity: Viscosity::default(),
        };
        let element = mesh::element::Element::of(part.body.kind).unwrap();
        solid::mass::add_masses(
            MassKind::Consistent,
            &element,
            &nodes,
            &all.rest,
            part.density,
            &mut all.masses,
        );
        let potential = elastic(properties, part.body.kind, &nodes, &all.rest).unwrap();
        all.potentials.push(potential);
    }
    let names = (0..parts.len()).map(|i| format!("body-{i}"));
    let names = names.chain((0..obstacles.len()).map(|i| format!("obstacle-{i}")));
    let description = ContactDescription {
        surfaces,
        names: names.collect(),
        obstacles,
        ignored: Vec::new(),
        settings,
    };
    let contact = BarrierContact::new(description, &all.rest);
    all.potentials.push(Box::new(contact));
    all
}

pub fn model(parts: &[Part], obstacles: Vec<MovingObstacle>, settings: BarrierSettings) -> Model {
    Model::new(assemble(parts, obstacles, settings)).unwrap()
}

/// Boundary triangles of a body, with a third of their area at each corner.
fn add_surface(body: &Body, first: u32, group: u32, out: &mut ContactSurfaces) {
    let mut mesh = Mesh::with_points(body.rest.clone());
    let cells = body.nodes.chunks(body.kind.node_count());
    for cell in cells {
        mesh.push(body.kind, cell);
    }
    let skin = surface(&mesh).triangles;
    let p = &mut out.primitives;
    p.groups.resize(first as usize + body.rest.len(), group);
    out.rigid.resize(p.groups.len(), false);
    out.vertex_areas.resize(p.groups.len(), 0.0);
    let mut edges = Vec::new();
    for t in &skin {
        let t = t.map(|i| i + first);
        for k in 0..3 {
            edges.push([t[k].min(t[(k + 1) % 3]), t[k].max(t[(k + 1) % 3])]);
            p.points.push(t[k]);
        }
        let at = |i: u32| body.rest[(i - first) as usize];
        let (a, b, c) = (at(t[0]), at(t[1]), at(t[2]));
        let e = [0, 1, 2].map(|k| b[k] - a[k]);
        let f = [0, 1, 2].map(|k| c[k] - a[k]);
        let n =
            [0, 1, 2].map(|k| e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3]);
        let area = 0.5 * n.iter().map(|n| n * n).sum::<f64>().sqrt();
        t.iter()
            .for_each(|&i| out.vertex_areas[i as usize] += area / 3.0);
        p.triangles.push(t);
    }
    p.points.sort_unstable();
    p.points.dedup();
    edges.sort_unstable();
    edges.dedup();
    for e in edges {
        let at = |i: u32| body.rest[(i - first) as usize];
        let (a, b) = (at(e[0]), at(e[1]));
        let length: f64 = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
        p.edges.push(e);
        out.edge_areas.push(length * length / 3.0);
        out.edge_lengths.push(length);
    }
}
