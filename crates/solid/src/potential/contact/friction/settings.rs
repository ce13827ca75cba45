//! Coefficients of friction of pairs, and how friction follows the normal force.

use super::SmoothedCoulomb;

/// When normal forces and sliding directions of friction are evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionMode {
    /// At the positions of the stage, by a fixed-point iteration: every method keeps its order.
    #[default]
    Implicit,
    /// At the start of the step: every method is first-order accurate in sliding contact.
    Lagged,
}

/// Coefficients of friction of all pairs of groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrictionCoefficients {
    /// Coefficient of pairs without one of their own.
    pub default: f64,
    /// Coefficients of bodies, particles and obstacles, by group; `None` if not given.
    pub groups: Vec<Option<f64>>,
    /// First group that is an obstacle.
    pub obstacles: u32,
    /// Coefficients of pairs of groups, ascending in each pair.
    pub pairs: Vec<([u32; 2], f64)>,
}

impl FrictionCoefficients {
    /// Returns the coefficient of two groups: that of the pair, that of the obstacle, the larger one of the bodies, or the
    /// default, whichever is given first.
    pub fn of(&self, a: u32, b: u32) -> f64 {
        let pair = [a.min(b), a.max(b)];
        if let Some((_, friction)) = self.pairs.iter().find(|(p, _)| *p == pair) {
            return *friction;
        }
        let own = |group: u32| self.groups.get(group as usize).copied().flatten();
        let [low, high] = pair.map(own);
        let given = match pair[1] >= self.obstacles {
            true => high.or(low),
            false => match (low, high) {
                (Some(low), Some(high)) => Some(low.max(high)),
                (one, other) => one.or(other),
            },
        };
        given.unwrap_or(self.default)
    }

    /// Returns `true` if some pair has friction.
    pub fn any(&self) -> bool {
        let groups = self.groups.iter().flatten();
        let pairs = self.pairs.iter().map(|(_, friction)| friction);
        self.default > 0.0 || groups.chain(pairs).any(|f| *f > 0.0)
    }
}

/// Settings of friction; no pair has any by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrictionSettings {
    /// Coefficients.
    pub coefficients: FrictionCoefficients,
    /// When normal forces are evaluated.
    pub mode: FrictionMode,
    /// Smoothed Coulomb law.
    pub law: SmoothedCoulomb,
}
