//! Adds the peridynamic bonds of a body: the nodes of its mesh are the particles.

use bond::{BondSettings, Crack, Influence, Network, label_fragments};
use mesh::Mesh;
use mesh::vector::{norm, sub};
use solid::potential::{BondParticles, Bonds, StiffnessDamping};

use super::Assembly;
use super::body::BodyContext;
use super::matter::{node_volumes_or_areas, stiffness_damping};
use crate::error::SceneError;
use crate::spec::{self, Body};

/// Relative error of the stiffness of a calibrated body from which it is reported. At three spacings a bar of 10 × 4 × 4 particles
/// has 4 %, and a plate of two layers of particles 13 %.
const LARGE_ERROR: f64 = 0.15;
/// Share of the horizon within which a node counts as on a crack's plane.
const ON_CRACK: f64 = 1e-6;

/// Adds the bonds of a body and the masses of its particles.
pub fn add_bonds(
    all: &mut Assembly,
    body: &Body,
    bonds: &spec::Bonds,
    mesh: &Mesh,
    first: u32,
    name: &str,
    context: &BodyContext,
) -> Result<(), Vec<SceneError>> {
    let volumes = node_volumes_or_areas(mesh);
    let settings = settings(bonds);
    let network = Network::new(&mesh.points, &volumes, &settings)
        .map_err(|e| vec![context.error("bonds.horizon", e)])?;
    check_connection(&network, mesh, bonds.horizon)
        .map_err(|e| vec![context.error("bonds.horizon", e)])?;
    let strength = Strength::new(bonds, &network, mesh, &volumes, &settings);
    let mut warn = |sentence: String| all.warnings.push(format!("{name}: {sentence}"));
    if bonds.calibrate && network.error.abs() > LARGE_ERROR {
        warn(imperfect_calibration(&network, bonds.horizon));
    }
    let cut = cut_bonds(body, &network, mesh, settings.horizon, &mut warn);
    all.notices
        .push(notice(name, &network, &settings, &strength));
    let masses = (first..).zip(&volumes);
    let masses = masses.map(|(i, v)| (i, i, bonds.density * v));
    all.parts.masses.extend(masses);
    let seed = bonds.seed.unwrap_or(context.seed);
    let scatter = bonds.strength_scatter.unwrap_or(0.0);
    let parts = BondParticles {
        nodes: first..first + mesh.points.len() as u32,
        ends: (network.bonds.iter())
            .map(|b| b.ends.map(|i| i + first))
            .collect(),
        rest: network.bonds.iter().map(|b| b.rest).collect(),
        stiffness: network.bonds.iter().map(|b| b.stiffness).collect(),
        critical: network.critical_stretches(strength.critical_stretch, scatter, seed),
        cut,
    };
    let damping: StiffnessDamping = stiffness_damping(body);
    all.parts
        .potentials
        .push(Box::new(Bonds::new(parts, damping)));
    Ok(())
}

/// Checks that bonds hold the particles of each cell together. They do not if the horizon is longer than the short edges of the
/// cells and shorter than the long ones.
fn check_connection(network: &Network, mesh: &Mesh, horizon: f64) -> Result<(), String> {
    let mut labels = Vec::new();
    let ends = network.bonds.iter().map(|b| b.ends);
    label_fragments(mesh.points.len(), ends, &mut labels);
    let torn = |nodes: &[u32]| {
        nodes
            .iter()
            .any(|n| labels[*n as usize] != labels[nodes[0] as usize])
    };
    let Some((kind, nodes)) = mesh.cells().find(|(_, nodes)| torn(nodes)) else {
        return Ok(());
    };
    let length = |[a, b]: &[u8; 2]| {
        let [p, q] = [a, b].map(|k| mesh.points[nodes[*k as usize] as usize]);
        norm(sub(p, q))
    };
    let longest = kind.edges().iter().map(length).fold(0.0, f64::max);
    Err(format!(
        "the horizon {horizon:.3e} m is too short to hold the cells of the mesh together, whose edges are up to {longest:.3e} m long; take about three of them, {:.3e} m, or cells with edges of the same length",
        3.0 * longest
    ))
}

/// Describes what calibration left: it changes bonds by factors of 0.1 to 8 only.
fn imperfect_calibration(network: &Network, horizon: f64) -> String {
    let error = 100.0 * network.error;
    let side = if error < 0.0 { "soft" } else { "stiff" };
    format!(
        "the calibrated body is still {:.0} % too {side}, because its particles have few neighbours within the horizon {horizon:.3e} m, or its sides are shorter than that; take about three spacings, {:.3e} m, and a body with sides of several spacings",
        error.abs(),
        3.0 * network.spacing
    )
}

/// Resolves the micromodulus and the influence function.
fn settings(bonds: &spec::Bonds) -> BondSettings {
    let influence = match bonds.influence {
        spec::Influence::Constant => Influence::Constant,
        spec::Influence::Linear => Influence::Linear,
    };
    let of_young = |young: f64| influence.micromodulus(young, bonds.horizon);
    let micromodulus = bonds.micromodulus.or(bonds.young.map(of_young));
    BondSettings {
        horizon: bonds.horizon,
        // The parser requires one of the two.
        micromodulus: micromodulus.unwrap_or(0.0),
        influence,
        calibrated: bonds.calibrate,
    }
}

/// Young's modulus of bonds, Pa.
pub fn young_modulus(bonds: &spec::Bonds) -> f64 {
    settings(bonds).young()
}

/// Strength of bonds.
struct Strength {
    /// Stretch at which bonds break; infinite if they never do.
    critical_stretch: f64,
    /// Energy per area of a crack, counted over bonds, J/m².
    fracture_energy: f64,
}

impl Strength {
    /// Computes the critical stretch from the fracture energy, or the reverse.
    fn new(
        bonds: &spec::Bonds,
        network: &Network,
        mesh: &Mesh,
        volumes: &[f64],
        settings: &BondSettings,
    ) -> Strength {
        let (c, horizon) = (settings.micromodulus, settings.horizon);
        let continuum = settings.influence.fracture_energy(c, 1.0, horizon);
        let counted = network.unit_fracture_energy(&mesh.points, volumes, horizon);
        let counted = counted.unwrap_or(continuum);
        let unit = if bonds.calibrate { counted } else { continuum };
        let critical_stretch = match (bonds.critical_stretch, bonds.fracture_energy) {
            (Some(stretch), _) => stretch,
            (None, Some(energy)) => (energy / unit).sqrt(),
            (None, None) => f64::INFINITY,
        };
        Strength {
            critical_stretch,
            fracture_energy: counted * critical_stretch * critical_stretch,
        }
    }
}

/// Finds the bonds that cross a crack. Warns of a crack that cuts none.
fn cut_bonds(
    body: &Body,
    network: &Network,
    mesh: &Mesh,
    horizon: f64,
    warn: &mut impl FnMut(String),
) -> Vec<bool> {
    let mut cut = vec![false; network.bonds.len()];
    for (i, written) in body.crack.iter().enumerate() {
        let Some(crack) = resolve(written) else {
            continue;
        };
        let mut any = false;
        for (cut, bond) in cut.iter_mut().zip(&network.bonds) {
            let [p, q] = bond.ends.map(|i| mesh.points[i as usize]);
            if crack.cuts(p, q, ON_CRACK * horizon) {
                (*cut, any) = (true, true);
            }
        }
        if !any {
            warn(format!(
                "crack[{i}] cuts no bond; move it into the body, whose placement is applied first"
            ));
        }
    }
    cut
}

fn resolve(crack: &spec::Crack) -> Option<Crack> {
    let plane = crack.plane.as_ref().map(|p| {
        let mut crack = Crack::plane(p.point, p.normal);
        let [low, high] = crack.bounds;
        crack.bounds = [p.min.unwrap_or(low), p.max.unwrap_or(high)];
        crack
    });
    let disc = crack.disc.as_ref();
    plane.or(disc.map(|d| Crack::disc(d.center, d.normal, d.radius)))
}

/// Describes the bonds: their number, what plain sums would miss, and the strength.
fn notice(name: &str, network: &Network, settings: &BondSettings, strength: &Strength) -> String {
    let error = 100.0 * network.uncalibrated_error;
    let side = if error < 0.0 { "soft" } else { "stiff" };
    let off = format!("{:.1} % too {side}", error.abs());
    let calibration = match settings.calibrated {
        true => format!("calibrated: plain sums would be {off}"),
        false => format!("not calibrated: {off}"),
    };
    let strength = match strength.critical_stretch.is_finite() {
        true => format!(
            "break at a stretch of {:.3e} (fracture energy {:.3e} J/m²)",
            strength.critical_stretch, strength.fracture_energy
        ),
        false => "never break".into(),
    };
    format!(
        "{name}: {} bonds within {:.2} spacings of {:.3e} m, Young's modulus {:.3e} Pa, Poisson's ratio 1/4; {calibration}; bonds {strength}",
        network.bonds.len(),
        settings.horizon / network.spacing,
        network.spacing,
        settings.young(),
    )
}
