//! Elastic moduli of isotropic solids, and errors of material parameters.

use thiserror::Error;

/// Lamé's moduli: stress = 2μ ε + λ (tr ε) I at small strain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// Shear modulus μ, Pa.
    pub mu: f64,
    /// Lamé's first modulus λ, Pa.
    pub lambda: f64,
}

impl Lame {
    /// Moduli from Young's modulus E, Pa, and Poisson's ratio ν: μ = E/(2(1 + ν)), λ = Eν/((1 + ν)(1 − 2ν)).
    pub fn from_young_poisson(young: f64, poisson: f64) -> Result<Lame, MaterialError> {
        if !(young > 0.0 && young.is_finite()) {
            return Err(MaterialError::Young { young });
        }
        if !(poisson > -1.0 && poisson < 0.5) {
            return Err(MaterialError::Poisson { poisson });
        }
        Ok(Lame {
            mu: young / (2.0 * (1.0 + poisson)),
            lambda: young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
        })
    }

    /// Young's modulus E = μ (3λ + 2μ)/(λ + μ), Pa.
    pub fn young(self) -> f64 {
        self.mu * (3.0 * self.lambda + 2.0 * self.mu) / (self.lambda + self.mu)
    }

    /// Poisson's ratio ν = λ/(2 (λ + μ)).
    pub fn poisson(self) -> f64 {
        self.lambda / (2.0 * (self.lambda + self.mu))
    }

    /// Bulk modulus κ = λ + 2/3 μ, Pa.
    pub fn bulk(self) -> f64 {
        self.lambda + 2.0 / 3.0 * self.mu
    }

    /// P-wave modulus λ + 2μ, Pa: pressure waves travel at √((λ + 2μ)/ρ).
    pub fn p_wave(self) -> f64 {
        self.lambda + 2.0 * self.mu
    }
}

/// Error in the parameters of a material.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MaterialError {
    /// Young's modulus is not a positive number.
    #[error(
        "young = {young} Pa is not valid: Young's modulus must be positive and finite. Rubber has about 1e6, jelly 1e4, steel 2e11."
    )]
    Young {
        /// What was given.
        young: f64,
    },
    /// Poisson's ratio is outside (−1, ½).
    #[error(
        "poisson = {poisson} is not valid: Poisson's ratio must be above -1 and below 0.5 (exactly incompressible). Try 0.3, or 0.45 for rubber."
    )]
    Poisson {
        /// What was given.
        poisson: f64,
    },
    /// The Mooney–Rivlin coefficients give no positive shear or bulk modulus.
    #[error(
        "c10 = {c10} Pa, c01 = {c01} Pa, kappa = {kappa} Pa make no stable rubber: all must be finite, c10 + c01 \
         (half the shear modulus) and kappa (the bulk modulus) positive. Try c10 = 3e5, c01 = 1e5, kappa = 1e7."
    )]
    Coefficients {
        /// Coefficient of the first invariant.
        c10: f64,
        /// Coefficient of the second invariant.
        c01: f64,
        /// Bulk modulus, Pa.
        kappa: f64,
    },
    /// No law has this name.
    #[error("there is no material law \"{name}\"; use one of {known}")]
    Unknown {
        /// What was given.
        name: String,
        /// All names, comma-separated.
        known: String,
    },
}
