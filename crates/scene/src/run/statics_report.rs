//! Statics in `report.json`: load, residual, stability, reactions, and bodies that are not held.

use std::fmt;

use serde::Serialize;

use crate::session::{Session, SupportReaction};

/// Equilibrium of a static run at its last load step.
#[derive(Clone, Debug, Serialize)]
pub struct StaticsReport {
    /// Load factor, 1 at the full loads.
    pub load: f64,
    /// Largest residual of a load step: the norm of the forces that do not balance, relative to those that do.
    pub largest_residual: f64,
    /// Number of negative pivots of the tangent stiffness at the last equilibrium; `None` if the tangent is singular up to
    /// rounding.
    pub negative_pivots: Option<u64>,
    /// Largest number of negative pivots of a load step.
    pub most_negative_pivots: u64,
    /// Stability of the last equilibrium in words.
    pub stability: String,
    /// Largest displacement of a node, m.
    pub displacement: f64,
    /// Force and moment about the origin of every support.
    pub reactions: Vec<SupportReaction>,
    /// Bodies that are not held and rest on a foundation.
    pub unheld: Vec<UnheldReport>,
}

/// A body that is not held: the foundation that holds it instead and the displacement that this allows.
#[derive(Clone, Debug, Serialize)]
pub struct UnheldReport {
    /// Name of the body.
    pub body: String,
    /// Number of rigid motions that its supports allow.
    pub free_motions: usize,
    /// Stiffness of the foundation, N/m.
    pub foundation: f64,
    /// Mean displacement of the body at the end, m: the rigid displacement that the foundation allows, where the loads do
    /// not balance.
    pub mean_displacement: [f64; 3],
}

impl StaticsReport {
    /// Creates the report of a session at its current state; `None` if it is not static.
    pub fn new(session: &mut Session) -> Option<StaticsReport> {
        let step = session.row().load_step?;
        let statics = session.totals().statics;
        // A reaction that cannot be computed has failed in the table before.
        let reactions = session.reactions().unwrap_or_default();
        let bodies = session.unheld.clone();
        let (u, _) = session.expanded();
        let unheld = bodies.iter().map(|(name, body)| UnheldReport {
            body: name.clone(),
            free_motions: body.free_motions,
            foundation: body.stiffness * body.mass,
            mean_displacement: body.mean_displacement(u),
        });
        Some(StaticsReport {
            load: step.load,
            largest_residual: statics.largest_residual,
            negative_pivots: step.negative_pivots,
            most_negative_pivots: statics.most_negative_pivots,
            stability: stability(step.load, step.negative_pivots),
            displacement: step.displacement,
            unheld: unheld.collect(),
            reactions,
        })
    }

    /// Returns the warnings about stability and bodies that are not held.
    pub fn warnings(&self) -> Vec<String> {
        let unheld = self.unheld.iter().map(|b| {
            let size = b.mean_displacement.iter().map(|u| u * u).sum::<f64>().sqrt();
            format!(
                "{} is not held ({} free rigid motions): a foundation of {:.3e} N/m holds it, and it moved by {size:.3e} m as a whole; fix it if that matters",
                b.body, b.free_motions, b.foundation
            )
        });
        let mut all: Vec<String> = unheld.collect();
        if self.negative_pivots != Some(0) && self.load > 0.0 {
            all.push(self.stability.clone());
        } else if self.most_negative_pivots > 0 {
            all.push(format!(
                "an equilibrium on the way had {}; see negative_pivots in steps.csv",
                pivots(self.most_negative_pivots)
            ));
        }
        all
    }
}

fn pivots(n: u64) -> String {
    match n {
        1 => "1 negative pivot".into(),
        n => format!("{n} negative pivots"),
    }
}

/// Describes the stability of an equilibrium.
fn stability(load: f64, negative_pivots: Option<u64>) -> String {
    match negative_pivots {
        _ if load == 0.0 => "no load step was taken".into(),
        Some(0) => "stable".into(),
        Some(n) => format!("{}: unstable equilibrium (buckling)", pivots(n)),
        None => "the tangent is singular up to rounding: a critical point, or a mechanism".into(),
    }
}

impl fmt::Display for StaticsReport {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "load factor {}, largest residual {:.1e} of the forces, largest displacement {:.6e} m, {}",
            self.load, self.largest_residual, self.displacement, self.stability
        )
    }
}
