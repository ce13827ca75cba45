//! Adds the elements of a solid, or the springs of a mass–spring network, and their masses.

use mesh::element::Element;
use mesh::{CellKind, Mesh, edges, surface};
use solid::mass::{MassKind, add_masses};
use solid::material::{LAWS, Law};
use solid::potential::{
    DampingRate, ElementError, SolidProperties, Spring, SpringEnd, Springs, StiffnessDamping,
    Viscosity, elastic,
};

use super::Assembly;
use super::body::BodyContext;
use super::particles::law;
use crate::error::SceneError;
use crate::spec::{self, Body, Moduli, suggestion};

/// Adds the elements of a solid body and their masses.
pub fn add_solid(
    all: &mut Assembly,
    body: &Body,
    material: &spec::Material,
    mesh: &Mesh,
    first: u32,
    context: &BodyContext,
) -> Result<(), Vec<SceneError>> {
    let law = find_law(material)
        .map_err(|(key, sentence)| vec![context.error(&format!("material.{key}"), sentence)])?;
    let mass = match body.mass {
        spec::Mass::Consistent => MassKind::Consistent,
        spec::Mass::Lumped => MassKind::Lumped,
    };
    for kind in CellKind::ALL {
        let cells: Vec<usize> = (0..mesh.len()).filter(|&i| mesh.kinds[i] == kind).collect();
        if cells.is_empty() {
            continue;
        }
        let nodes: Vec<u32> = cells
            .iter()
            .flat_map(|&i| mesh.cell(i).iter().map(|n| n + first))
            .collect();
        let properties = SolidProperties {
            law,
            stiffness_damping: stiffness_damping(body),
            viscosity: material
                .viscosity
                .map_or_else(Viscosity::default, |v| Viscosity {
                    shear: v.shear,
                    bulk: v.bulk,
                }),
        };
        let potential = elastic(properties, kind, &nodes, &all.parts.rest).map_err(|e| {
            let e = match e {
                ElementError::Flat { element, jacobian } => ElementError::Flat {
                    element: cells[element],
                    jacobian,
                },
                other => other,
            };
            vec![context.error("mesh", e)]
        })?;
        all.parts.potentials.push(potential);
        let base = all.output_mesh.mesh.len();
        all.element_cells
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

/// Returns the Rayleigh stiffness damping of a body.
///
/// The default is `frozen` for a scattered body. Its stiffness changes abruptly between nearby states: implicit damping
/// then takes many iterations, and methods without algebraic stability such as sdirk3 gain energy from a matrix that
/// differs between stages.
pub fn stiffness_damping(body: &Body) -> StiffnessDamping {
    StiffnessDamping {
        factor: body.damping.stiffness,
        rate: match body.damping.rate {
            Some(spec::DampingRate::Frozen) => DampingRate::Frozen,
            Some(spec::DampingRate::Implicit) => DampingRate::Implicit,
            None if scattered(body) => DampingRate::Frozen,
            None => DampingRate::Implicit,
        },
    }
}

/// Returns whether the initial state of a body is scattered.
fn scattered(body: &Body) -> bool {
    body.disturb.as_ref().is_some_and(|d| d.scatter > 0.0)
}

/// Returns a notice if the stiffness damping of a body is frozen because its initial state is scattered.
pub fn frozen_damping_notice(body: &Body) -> Option<&'static str> {
    let chosen = body.damping.stiffness > 0.0 && body.damping.rate.is_none() && scattered(body);
    chosen.then_some(
        "the initial state is scattered: damping.stiffness is frozen during each step and first-order accurate (damping.rate = \"implicit\" keeps the method's order)",
    )
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

/// Adds springs on the edges of a mesh and the masses of its nodes.
pub fn add_springs(
    all: &mut Assembly,
    body: &Body,
    springs: &spec::Springs,
    mesh: &Mesh,
    first: u32,
    context: &BodyContext,
) -> Result<(), Vec<SceneError>> {
    let list = edges(mesh);
    let rest = |a: u32, b: u32| {
        let (p, q) = (mesh.points[a as usize], mesh.points[b as usize]);
        (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt()
    };
    let spring = |a: u32, b: u32, stiffness: f64| Spring {
        a: first + a,
        b: SpringEnd::Node(first + b),
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
            bending_pairs(&list, mesh.points.len())
                .iter()
                .map(|&[a, b]| spring(a, b, springs.bend)),
        );
    }
    let shares = node_volumes_or_areas(mesh);
    let total: f64 = shares.iter().sum();
    if total <= 0.0 {
        return Err(vec![context.error(
            "mesh",
            "the cells have neither area nor volume, so the body has no mass; use a surface or solid mesh",
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
        .push(Box::new(Springs::new(out, stiffness_damping(body))));
    Ok(())
}

/// Returns the pairs of nodes that bending springs connect: two edges apart and not adjacent, each pair once.
fn bending_pairs(list: &[[u32; 2]], nodes: usize) -> Vec<[u32; 2]> {
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

/// Distributes the volume of each cell, or its area in a mesh without solids, equally over its nodes.
pub fn node_volumes_or_areas(mesh: &Mesh) -> Vec<f64> {
    let mut out = vec![0.0; mesh.points.len()];
    let solid = mesh.kinds.iter().any(|k| k.dimension() == 3);
    if solid {
        for (i, (_, nodes)) in mesh
            .cells()
            .enumerate()
            .filter(|(_, (k, _))| k.dimension() == 3)
        {
            let share = mesh::cell_volume(mesh, i) / nodes.len() as f64;
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
