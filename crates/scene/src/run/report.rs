//! `report.json`: the run in numbers.

use std::io::{self, Write};
use std::path::Path;

use march::System;
use march::ledger::Entry;
use serde::Serialize;
use solid::model::Momentum;

use super::ControlReport;
use crate::record::write_atomically;
use crate::session::Session;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// At `until`.
    Finished,
    /// Stopped by the person watching; a checkpoint is there.
    Interrupted,
    /// A step could not be taken.
    Failed,
}

impl Status {
    /// As reports write it.
    pub fn name(self) -> &'static str {
        match self {
            Status::Finished => "finished",
            Status::Interrupted => "interrupted",
            Status::Failed => "failed",
        }
    }
}

/// What `report.json` holds.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// How the run ended.
    pub status: Status,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Title of the scene, or the name of its file if it has none.
    pub scene: String,
    /// Name of the method.
    pub method: String,
    /// Free unknowns.
    pub dofs: usize,
    /// Nodes.
    pub nodes: usize,
    /// Cells.
    pub cells: usize,
    /// Simulated time reached, s.
    pub t: f64,
    /// Steps accepted.
    pub steps: u64,
    /// Attempts that were rejected.
    pub rejected: u64,
    /// Shortest step accepted, s.
    pub shortest_step: f64,
    /// Frames written.
    pub frames: u64,
    /// Seconds this run took, not counting runs it resumed.
    pub wall_seconds: f64,
    /// Newton iterations a step.
    pub newton_mean: f64,
    /// Stages of a converging iteration accepted without convergence: none, ever.
    pub newton_unconverged: u64,
    /// Largest residual that was left before the last local/global iteration of a stage, relative to the forces: no less
    /// than their gap to the converged solution.
    pub gap: f64,
    /// Steps whose energy could not be brought within the tolerance of `[time.stabilise]`.
    pub energy_missed: u64,
    /// Stages whose damping by positions did not settle, so that it is that of positions nearby.
    pub lagged_damping: u64,
    /// Numeric factorizations, those of rejected attempts included.
    pub factorizations: u64,
    /// Linear solves, those of rejected attempts included.
    pub solves: u64,
    /// Tangents assembled.
    pub assemblies: u64,
    /// Matrix–vector products of error estimates.
    pub products: u64,
    /// Tangents that had to be projected.
    pub projections: u64,
    /// Trial points the line search rejected.
    pub backtracks: u64,
    /// Work of rejected attempts, and of making factors again which they had replaced.
    pub rejected_work: RejectedWork,
    /// Steps and errors, if the scene has `[time.control]` of a kind that measures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<ControlReport>,
    /// Total energy, J.
    pub energy: EnergyReport,
    /// Where the change of total energy went, J: the sums of `ledger.csv`.
    pub ledger: Entry,
    /// Percent of the energy there was to lose that the integrator itself removed (added, where negative): the energy at
    /// the start above the least potential energy of the run, and all work put in. None where that is not meaningful.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub integrator_percent: Option<f64>,
    /// Momenta at the start and the end.
    pub momentum: MomentumReport,
    /// Version of Supple.
    pub version: &'static str,
    /// Threads that shared the work.
    pub threads: usize,
    /// Seed of the scene.
    pub seed: u64,
}

/// Work that led to no step.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RejectedWork {
    /// Newton iterations.
    pub newton: u64,
    /// Numeric factorizations.
    pub factorizations: u64,
    /// Linear solves.
    pub solves: u64,
}

/// How the total energy developed, J.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct EnergyReport {
    /// At the start.
    pub initial: f64,
    /// At the end.
    #[serde(rename = "final")]
    pub last: f64,
    /// Least.
    pub min: f64,
    /// Greatest.
    pub max: f64,
}

/// What the integrator itself did to the energy, as the terminal and the page say it.
#[derive(Clone, Debug, PartialEq)]
pub struct IntegratorShare {
    /// "removed" or "added".
    pub verb: &'static str,
    /// How much, J; not negative.
    pub joules: f64,
    /// Share of the energy there was to lose, not negative, with its percent sign; `None` if it is not meaningful, and
    /// `Some(None)` if it is nothing in two digits.
    pub percent: Option<Option<String>>,
}

/// Momenta about the origin.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MomentumReport {
    /// Linear at the start, kg m/s.
    pub linear_initial: [f64; 3],
    /// Linear at the end, kg m/s.
    pub linear_final: [f64; 3],
    /// Angular at the start, kg m²/s.
    pub angular_initial: [f64; 3],
    /// Angular at the end, kg m²/s.
    pub angular_final: [f64; 3],
}

impl Report {
    /// The report of a run as it stands.
    pub fn new(session: &Session, frames: u64, status: Status) -> Report {
        let totals = session.totals();
        let [
            Momentum {
                linear: p0,
                angular: l0,
            },
            Momentum {
                linear: p1,
                angular: l1,
            },
        ] = totals.momentum;
        let e = totals.energy;
        Report {
            status,
            error: None,
            scene: session.name(),
            method: session.method.name(),
            dofs: session.model.dofs(),
            nodes: session.model.nodes(),
            cells: session.output_mesh.mesh.len(),
            t: session.t(),
            steps: totals.steps,
            rejected: totals.rejected,
            shortest_step: totals.shortest_step,
            frames,
            wall_seconds: 0.0,
            newton_mean: totals.work.newton as f64 / totals.steps.max(1) as f64,
            newton_unconverged: 0,
            gap: totals.local_global_residual,
            energy_missed: totals.tolerance_missed,
            lagged_damping: totals.work.lagged_damping,
            factorizations: totals.work.factorizations,
            solves: totals.work.solves,
            assemblies: totals.work.assemblies,
            products: totals.work.products,
            projections: totals.work.projections,
            backtracks: totals.work.backtracks,
            rejected_work: RejectedWork {
                newton: totals.rejected_work.newton,
                factorizations: totals.rejected_work.factorizations,
                solves: totals.rejected_work.solves,
            },
            control: ControlReport::new(session),
            energy: EnergyReport {
                initial: e.initial,
                last: e.last,
                min: e.min,
                max: e.max,
            },
            ledger: totals.ledger,
            integrator_percent: totals.integrator_percent(),
            momentum: MomentumReport {
                linear_initial: p0,
                linear_final: p1,
                angular_initial: l0,
                angular_final: l1,
            },
            version: env!("CARGO_PKG_VERSION"),
            threads: rayon::current_num_threads(),
            seed: session.scene.seed,
        }
    }

    /// What the integrator itself did to the energy.
    pub fn integrator_share(&self) -> IntegratorShare {
        let percent = |percent: f64| match percent.abs() {
            0.0..0.005 => None,
            size if size < 1.0 => Some(format!("{size:.2} %")),
            size => Some(format!("{size:.0} %")),
        };
        IntegratorShare {
            verb: if self.ledger.numerical < 0.0 {
                "removed"
            } else {
                "added"
            },
            joules: self.ledger.numerical.abs(),
            percent: self.integrator_percent.map(percent),
        }
    }

    /// Writes `report.json`.
    pub fn write(&self, out: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        write_atomically(&out.join("report.json"), |file| writeln!(file, "{text}"))
    }
}
