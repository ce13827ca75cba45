//! Smoothed Coulomb law: the friction force over its bound as a function of the sliding speed.
//!
//! s(y; ε) = 2y/ε − y²/ε² below the slip speed ε and 1 above it [Ascher et al. 2021, eq. 31 with E21 of docs/references.md].
//! It is continuously differentiable, and so is the dissipation function S with S′ = s:
//! S(y) = y²/ε − y³/(3ε²) below ε and y − ε/3 above. A body that sticks creeps: a load of the fraction q of the bound moves
//! it with the speed at which s = q, ε(1 − √(1 − q)). On a slope of the angle θ that is q = tan θ/μ.

/// The law with its slip speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothedCoulomb {
    /// Slip speed ε, m/s.
    pub slip_speed: f64,
}

impl Default for SmoothedCoulomb {
    /// The law with a slip speed of 1 mm/s.
    fn default() -> SmoothedCoulomb {
        SmoothedCoulomb { slip_speed: 1e-3 }
    }
}

impl SmoothedCoulomb {
    /// Dissipation function S over the bound of the force, m/s.
    pub fn dissipation(&self, speed: f64) -> f64 {
        let e = self.slip_speed;
        if speed >= e {
            return speed - e / 3.0;
        }
        speed * speed / e * (1.0 - speed / (3.0 * e))
    }

    /// Force over its bound, s.
    pub fn force(&self, speed: f64) -> f64 {
        speed * self.force_over_speed(speed)
    }

    /// Force over its bound and over the speed, s/y, s/m; finite at rest.
    pub fn force_over_speed(&self, speed: f64) -> f64 {
        let e = self.slip_speed;
        if speed >= e {
            return 1.0 / speed;
        }
        (2.0 - speed / e) / e
    }

    /// Derivative s′ of the force over its bound, s/m.
    pub fn slope(&self, speed: f64) -> f64 {
        let e = self.slip_speed;
        if speed >= e {
            return 0.0;
        }
        2.0 * (1.0 - speed / e) / e
    }

    /// Speed at which the force is the fraction q < 1 of its bound, m/s: the creep of a sticking body under that load.
    pub fn creep(&self, fraction: f64) -> f64 {
        self.slip_speed * (1.0 - (1.0 - fraction).sqrt())
    }
}
