//! Networks of bonds: all pairs of particles within the horizon, with the stiffness of their springs.

use base::random::Random;
use mesh::vector::{norm, sub};

use crate::Influence;
use crate::calibration::{calibrate, elasticity_error};
use crate::neighbours::{mean_spacing, pairs_within};

/// A bond between two particles: a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bond {
    /// The particles, the smaller number first.
    pub ends: [u32; 2],
    /// Length at rest, m.
    pub rest: f64,
    /// Stiffness of the spring, N/m.
    pub stiffness: f64,
}

impl Bond {
    /// Energy of the bond at a stretch, J.
    pub fn energy(&self, stretch: f64) -> f64 {
        0.5 * self.stiffness * (stretch * self.rest).powi(2)
    }
}

/// Settings of a network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BondSettings {
    /// Largest length of a bond at rest, m.
    pub horizon: f64,
    /// Micromodulus of the continuum, N/m⁶.
    pub micromodulus: f64,
    /// How the stiffness depends on the length.
    pub influence: Influence,
    /// Whether bonds are corrected such that sums over particles give the elasticity of the continuum.
    pub calibrated: bool,
}

impl BondSettings {
    /// Returns Young's modulus of the continuum, Pa.
    pub fn young(&self) -> f64 {
        self.influence.young(self.micromodulus, self.horizon)
    }
}

/// Error of [`Network::new`].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum NetworkError {
    /// A body of one particle has no bonds.
    #[error(
        "{count} particle is not enough: bonds connect at least two; use a finer mesh, or a [[particle]]"
    )]
    TooFew {
        /// Number of particles.
        count: usize,
    },
    /// The horizon is below the spacing.
    #[error(
        "the horizon {horizon:.3e} m is below the spacing of the particles, {spacing:.3e} m, so there are no bonds; take about three spacings, {:.3e} m",
        3.0 * spacing
    )]
    HorizonBelowSpacing {
        /// The horizon, m.
        horizon: f64,
        /// The mean distance of nearest particles, m.
        spacing: f64,
    },
    /// A particle has no bonds.
    #[error(
        "no other particle is within the horizon {horizon:.3e} m of particle {particle} at ({:.3}, {:.3}, {:.3}); take a larger horizon or a more even mesh", at[0], at[1], at[2]
    )]
    Loose {
        /// The particle.
        particle: usize,
        /// Its position, m.
        at: [f64; 3],
        /// The horizon, m.
        horizon: f64,
    },
    /// Two particles are at one place.
    #[error("particles {a} and {b} are at the same place; merge the nodes of the mesh")]
    Coincident {
        /// The first particle.
        a: u32,
        /// The second particle.
        b: u32,
    },
}

/// The bonds of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Mean distance of nearest particles, m.
    pub spacing: f64,
    /// The bonds, sorted by their ends.
    pub bonds: Vec<Bond>,
    /// Largest relative error of the moduli of well-surrounded particles before calibration.
    pub uncalibrated_error: f64,
    /// Relative error of the energy of the whole body under a strain along its longest axis, with its sides held.
    pub error: f64,
}

/// Relative error of the energy of a strain along the longest axis, ½ (λ + 2μ) e² = 0.6 E e² per volume.
fn energy_error(points: &[[f64; 3]], volumes: &[f64], bonds: &[Bond], young: f64) -> f64 {
    let extent = |k: usize| {
        let along = points.iter().map(|p| p[k]);
        let (low, high) = along.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
        high - low
    };
    let extents = [0, 1, 2].map(extent);
    let longest = (0..3).fold(0, |a, b| if extents[b] > extents[a] { b } else { a });
    let energy = |b: &Bond| {
        let [p, q] = b.ends.map(|i| points[i as usize][longest]);
        let stretch = ((q - p) / b.rest).powi(2);
        b.energy(stretch)
    };
    let wanted = 0.6 * young * volumes.iter().sum::<f64>();
    bonds.iter().map(energy).sum::<f64>() / wanted - 1.0
}

impl Network {
    /// Bonds particles with these positions (m) and volumes (m³).
    ///
    /// The particles near the horizon lie partly outside it. A bond longer than δ − Δx/2 counts with the share
    /// (δ + Δx/2 − r)/Δx of the volume [Parks et al. 2008], where Δx is the spacing.
    pub fn new(
        points: &[[f64; 3]],
        volumes: &[f64],
        settings: &BondSettings,
    ) -> Result<Network, NetworkError> {
        let count = points.len();
        if count < 2 {
            return Err(NetworkError::TooFew { count });
        }
        let (horizon, spacing) = (settings.horizon, mean_spacing(points));
        // A horizon of whole spacings includes the particles at this distance, whatever the rounding.
        let radius = horizon * (1.0 + 1e-9);
        if radius < spacing {
            return Err(NetworkError::HorizonBelowSpacing { horizon, spacing });
        }
        let mut bonds = Vec::new();
        let mut bonded = vec![false; count];
        for ends in pairs_within(points, radius) {
            let [a, b] = ends.map(|i| i as usize);
            let rest = norm(sub(points[a], points[b]));
            if rest == 0.0 {
                let [a, b] = ends;
                return Err(NetworkError::Coincident { a, b });
            }
            let share = ((horizon - rest) / spacing + 0.5).clamp(0.0, 1.0);
            let weight = settings.influence.at(rest, horizon) * share;
            (bonded[a], bonded[b]) = (true, true);
            if weight > 0.0 {
                bonds.push(Bond {
                    ends,
                    rest,
                    stiffness: settings.micromodulus * weight * volumes[a] * volumes[b] / rest,
                });
            }
        }
        if let Some(particle) = bonded.iter().position(|b| !b) {
            let at = points[particle];
            return Err(NetworkError::Loose {
                particle,
                at,
                horizon,
            });
        }
        let young = settings.young();
        let uncalibrated_error = elasticity_error(points, volumes, &bonds, young);
        if settings.calibrated {
            calibrate(points, volumes, young, &mut bonds);
        }
        let error = energy_error(points, volumes, &bonds, young);
        Ok(Network {
            spacing,
            bonds,
            uncalibrated_error,
            error,
        })
    }

    /// Returns the energy per area that separating the particles along a plane through the middle of the body needs if bonds
    /// break at a stretch of 1, J/m²; G of the body is this times s₀².
    ///
    /// The bonds across planes at all places within one horizon of the middle are counted, and the mean over the axes is
    /// taken along which the body is longer than four horizons; over all axes if there is none.
    pub fn unit_fracture_energy(
        &self,
        points: &[[f64; 3]],
        volumes: &[f64],
        horizon: f64,
    ) -> Option<f64> {
        let bounds = |k: usize| {
            let values = points.iter().map(|p| p[k]);
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
                [low.min(x), high.max(x)]
            })
        };
        let extents = [0, 1, 2].map(bounds);
        let long = |k: &usize| extents[*k][1] - extents[*k][0] > 4.0 * horizon;
        let all = !(0..3).any(|k| long(&k));
        let (mut sum, mut axes) = (0.0, 0);
        for k in (0..3).filter(|k| all || long(k)) {
            let [low, high] = extents[k];
            let half = horizon.min(0.5 * (high - low));
            if half <= 0.0 {
                continue;
            }
            let middle = 0.5 * (low + high);
            let slab = [middle - half, middle + half];
            let overlap = |a: f64, b: f64| (a.max(b).min(slab[1]) - a.min(b).max(slab[0])).max(0.0);
            let crossing = |b: &Bond| {
                let [p, q] = b.ends.map(|i| points[i as usize][k]);
                b.energy(1.0) * overlap(p, q)
            };
            let inside = |(p, v): (&[f64; 3], &f64)| {
                let x = p[k];
                let share = overlap(x - 0.5 * self.spacing, x + 0.5 * self.spacing);
                v * share / self.spacing
            };
            let volume: f64 = points.iter().zip(volumes).map(inside).sum();
            sum += self.bonds.iter().map(crossing).sum::<f64>() / volume;
            axes += 1;
        }
        (axes > 0 && sum > 0.0).then(|| sum / f64::from(axes))
    }

    /// Returns the critical stretch of each bond: `mean`, changed at random by up to the share `scatter` of it.
    pub fn critical_stretches(&self, mean: f64, scatter: f64, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        let mut one = || mean * (1.0 + scatter * random.signed());
        self.bonds.iter().map(|_| one()).collect()
    }
}
