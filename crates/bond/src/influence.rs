//! Influence functions ω(r) and the continuum constants of solids made of bonds.
//!
//! A uniaxial strain ε stores ½ · 1.2 E ε² per volume in a solid with Poisson's ratio ¼, and ¼ c ε² ∫ ω n_x⁴ r dV in bonds,
//! with ∫ n_x⁴ over the unit sphere 4π/5. Hence c = 3 E / (π ∫ ω r³ dr), which is 12 E / (π δ⁴) for ω = 1
//! [Silling & Askari 2005, with k = 2E/3]. Separating the halves of a solid breaks all bonds across a plane and needs
//! G = ½ π c s₀² ∫ ω r⁴ dr per area, hence s₀ = √(5 G / (9 k δ)) for ω = 1 [Silling & Askari 2005, eq. 27].

/// How the stiffness of a bond depends on its length at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Influence {
    /// ω = 1 up to the horizon.
    #[default]
    Constant,
    /// ω = 1 − r/δ, which is zero at the horizon.
    Linear,
}

/// Nodes and weights of Gauss–Legendre quadrature with four points on [0, 1].
const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

impl Influence {
    /// Evaluates ω at a distance up to the horizon.
    pub fn at(self, distance: f64, horizon: f64) -> f64 {
        match self {
            Influence::Constant => 1.0,
            Influence::Linear => (1.0 - distance / horizon).max(0.0),
        }
    }

    /// Integrates ω r^power over [0, horizon] by quadrature, exact for polynomials up to degree seven.
    pub fn moment(self, power: i32, horizon: f64) -> f64 {
        let term = |(x, w): (f64, f64)| {
            let r = x * horizon;
            w * horizon * self.at(r, horizon) * r.powi(power)
        };
        GAUSS.iter().map(|&g| term(g)).sum()
    }

    /// Returns the micromodulus c of a solid with this Young's modulus, N/m⁶.
    pub fn micromodulus(self, young: f64, horizon: f64) -> f64 {
        3.0 * young / (std::f64::consts::PI * self.moment(3, horizon))
    }

    /// Returns Young's modulus of a solid with this micromodulus, Pa.
    pub fn young(self, micromodulus: f64, horizon: f64) -> f64 {
        micromodulus * std::f64::consts::PI * self.moment(3, horizon) / 3.0
    }

    /// Returns the energy that separating a solid along a plane needs, J/m², if its bonds break at this stretch.
    pub fn fracture_energy(self, micromodulus: f64, stretch: f64, horizon: f64) -> f64 {
        let c = micromodulus;
        0.5 * std::f64::consts::PI * c * stretch * stretch * self.moment(4, horizon)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn constants_of_the_constant_influence_are_the_closed_forms() {
        let (e, d, g) = (3.0e10, 0.02, 12.0);
        let c = Influence::Constant.micromodulus(e, d);
        assert!((c / (12.0 * e / (PI * d.powi(4))) - 1.0).abs() < 1e-13);
        let bulk = 2.0 * e / 3.0;
        let stretch = (5.0 * g / (9.0 * bulk * d)).sqrt();
        let counted = Influence::Constant.fracture_energy(c, stretch, d);
        assert!((counted / g - 1.0).abs() < 1e-13);
    }

    /// ∫ (1 − r/δ) r³ dr = δ⁴/20 and ∫ (1 − r/δ) r⁴ dr = δ⁵/30.
    #[test]
    fn moments_of_the_linear_influence_are_exact() {
        let d: f64 = 1.7;
        assert!((Influence::Linear.moment(3, d) / (d.powi(4) / 20.0) - 1.0).abs() < 1e-13);
        assert!((Influence::Linear.moment(4, d) / (d.powi(5) / 30.0) - 1.0).abs() < 1e-13);
        let c = Influence::Linear.micromodulus(2.0, d);
        assert!((Influence::Linear.young(c, d) - 2.0).abs() < 1e-12);
    }
}
