//! Models of several bodies in contact.

use contact::{Barrier, BarrierShape, CodimensionalSizes, CollisionSurface};
use mesh::Mesh;
use solid::mass::MassKind;
use solid::material::Law;
use solid::model::{Model, ModelDescription};
use solid::potential::contact::{
    BarrierContact, BarrierSettings, ContactDescription, FrictionSettings, MovingObstacle,
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
    assemble_with_friction(parts, obstacles, settings, FrictionSettings::default())
}

/// Description of a model of all parts with contact and friction.
pub fn assemble_with_friction(
    parts: &[Part],
    obstacles: Vec<MovingObstacle>,
    settings: BarrierSettings,
    friction: FrictionSettings,
) -> ModelDescription {
    let mut all = ModelDescription::default();
    let surfaces = surfaces(parts);
    for part in parts {
        let first = all.rest.len() as u32;
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
        friction,
    };
    let contact = BarrierContact::new(description, &all.rest);
    all.potentials.push(Box::new(contact));
    all
}

pub fn model(parts: &[Part], obstacles: Vec<MovingObstacle>, settings: BarrierSettings) -> Model {
    Model::new(assemble(parts, obstacles, settings)).unwrap()
}

/// Surfaces of all parts, each a group.
pub fn surfaces(parts: &[Part]) -> CollisionSurface {
    let mut all = CollisionSurface::default();
    let mut first = 0;
    for (group, part) in parts.iter().enumerate() {
        add_surface(&part.body, first, group as u32, &mut all);
        first += part.body.rest.len() as u32;
    }
    all
}

/// Adds the surface of a body.
fn add_surface(body: &Body, first: u32, group: u32, out: &mut CollisionSurface) {
    let mut mesh = Mesh::with_points(body.rest.clone());
    for cell in body.nodes.chunks(body.kind.node_count()) {
        mesh.push(body.kind, cell);
    }
    let surface = CollisionSurface::from_mesh(&mesh, &CodimensionalSizes::default());
    out.append(&surface, first, group);
}
