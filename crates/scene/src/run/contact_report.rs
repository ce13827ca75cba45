//! Contact in `report.json`.

use serde::Serialize;

use crate::session::Session;

/// Settings, least gap and work of contact.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ContactReport {
    /// Contact model; reach and stiffness are those of a barrier.
    pub kind: crate::spec::ContactKind,
    /// Distance at which contact forces begin, m.
    pub reach: f64,
    /// Pressure at half the reach, Pa.
    pub stiffness: f64,
    /// Distance that is kept between surfaces, m.
    pub thickness: f64,
    /// Least gap at the start and at the ends of steps, m; `None` if nothing came within reach.
    pub least_gap: Option<f64>,
    /// Least gap over reach.
    pub least_gap_over_reach: Option<f64>,
    /// What was moved before t = 0 because it overlapped; `None` if the start was free.
    pub untangled: Option<crate::build::Untangled>,
    /// Number of searches for candidates.
    pub searches: u64,
    /// Number of candidate pairs that they found.
    pub candidates: u64,
    /// Number of paths checked by continuous collision detection.
    pub paths: u64,
    /// Number of symbolic analyses of the system matrix in this run.
    pub analyses: u64,
    /// Friction; `None` if no pair has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<FrictionReport>,
}

/// Law of friction and how it converged.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FrictionReport {
    /// When normal forces are evaluated: `implicit` or `lagged`.
    pub mode: crate::spec::FrictionMode,
    /// Order of accuracy that friction allows: that of the method, or 1 if it lags.
    pub order: u32,
    /// Sliding speed below which friction is smoothed, m/s.
    pub slip_speed: f64,
    /// Number of accepted steps with a stage whose friction did not converge.
    pub unconverged_steps: u64,
    /// Number of these stages, those of rejected attempts included.
    pub unconverged_stages: u64,
}

impl FrictionReport {
    fn new(session: &Session) -> Option<FrictionReport> {
        let friction = &session.contact.as_ref()?.description.friction;
        let mode = session.scene.contact.as_ref()?.friction_mode;
        let totals = session.totals();
        friction.coefficients.any().then_some(FrictionReport {
            mode,
            order: match mode {
                crate::spec::FrictionMode::Implicit => session.method.method.order,
                crate::spec::FrictionMode::Lagged => 1,
            },
            slip_speed: friction.law.slip_speed,
            unconverged_steps: totals.unconverged_friction,
            unconverged_stages: totals.work.lagged_friction,
        })
    }
}

impl ContactReport {
    /// Creates the report of a session; `None` without contact.
    pub fn new(session: &Session) -> Option<ContactReport> {
        let settings = session.contact.as_ref()?.settings();
        let totals = &session.totals().contact;
        let reach = settings.barrier.reach();
        Some(ContactReport {
            kind: session.contact.as_ref()?.kind,
            reach,
            stiffness: settings.stiffness,
            thickness: settings.thickness,
            least_gap: totals.least_gap,
            least_gap_over_reach: totals.least_gap.map(|gap| gap / reach),
            untangled: session.contact.as_ref().and_then(|c| c.untangled),
            searches: totals.searches,
            candidates: totals.candidates,
            paths: totals.paths,
            analyses: session.time_loop().solver().analyses(),
            friction: FrictionReport::new(session),
        })
    }
}
