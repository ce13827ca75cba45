//! `report.json`: counts, energies, momenta and energy balance of a run.

use std::io::{self, Write};
use std::path::Path;

use march::System;
use march::ledger::LedgerEntry;
use serde::Serialize;
use solid::model::Momentum;

use super::warnings::{InversionReport, run_warnings};
use super::{ContactReport, ControlReport, FragmentReport, StaticsReport};
use crate::session::Session;
use meshio::record::write_atomically;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The run reached its end time.
    Finished,
    /// The callback stopped the run; a checkpoint was written.
    Interrupted,
    /// A step failed.
    Failed,
}

impl Status {
    /// Returns the name used in `report.json`.
    pub fn name(self) -> &'static str {
        match self {
            Status::Finished => "finished",
            Status::Interrupted => "interrupted",
            Status::Failed => "failed",
        }
    }
}

/// Contents of `report.json`.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// How the run ended.
    pub status: Status,
    /// Error message, if the run failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Reasons to doubt the result, as sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Accepted steps with inverted elements; `None` if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inverted: Option<InversionReport>,
    /// Title of the scene, or the name of its file if it has none.
    pub scene: String,
    /// Name of the method.
    pub method: String,
    /// Number of free unknowns.
    pub dofs: usize,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of cells.
    pub cells: usize,
    /// Simulated time reached, s.
    pub t: f64,
    /// Number of accepted steps.
    pub steps: u64,
    /// Number of rejected attempts.
    pub rejected: u64,
    /// Shortest accepted step, s.
    pub shortest_step: f64,
    /// Number of frames written.
    pub frames: u64,
    /// Wall time of this run, without the runs it resumed, s.
    pub wall_seconds: f64,
    /// Mean number of Newton iterations per step.
    pub newton_mean: f64,
    /// Number of stages accepted without convergence of a converging iteration; always 0.
    pub newton_unconverged: u64,
    /// Largest residual before the last local/global iteration of a stage, relative to the forces: an upper bound of
    /// their distance from the converged solution.
    pub gap: f64,
    /// Number of steps in which `[time.stabilise]` missed its tolerance of the energy.
    pub energy_missed: u64,
    /// Number of stages whose position-dependent damping did not converge and uses the matrix of nearby positions.
    pub lagged_damping: u64,
    /// Number of numeric factorizations, including those of rejected attempts.
    pub factorizations: u64,
    /// Number of linear solves, including those of rejected attempts.
    pub solves: u64,
    /// Number of assembled tangents.
    pub assemblies: u64,
    /// Number of matrix–vector products of error estimates.
    pub products: u64,
    /// Number of tangents that were projected to positive definite.
    pub projections: u64,
    /// Number of trial points rejected by line searches.
    pub backtracks: u64,
    /// Work of rejected attempts, and of repeating factorizations that they had replaced.
    pub rejected_work: RejectedWork,
    /// Steps and errors of step control, if the scene has `[time.control]` of a kind that measures errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<ControlReport>,
    /// Settings, least gap and work of contact, if the scene has `[contact]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<ContactReport>,
    /// Fragments of the bodies with bonds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fragments: Vec<FragmentReport>,
    /// Total energy, J.
    pub energy: EnergyReport,
    /// Energy balance by ledger channel, J: the sums of `ledger.csv`.
    pub ledger: LedgerEntry,
    /// Numerical dissipation in percent of the available energy (negative for numerical gain), which is the initial energy
    /// above the smallest potential energy of the run plus all positive work. It can exceed 100. `None` if no energy was
    /// available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub integrator_percent: Option<f64>,
    /// Initial and final momenta.
    pub momentum: MomentumReport,
    /// Equilibrium, reactions and stability at the end, if the scene is static.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statics: Option<StaticsReport>,
    /// Version of Supple.
    pub version: &'static str,
    /// Number of threads.
    pub threads: usize,
    /// Seed of the scene.
    pub seed: u64,
}

/// Computational work of rejected attempts.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RejectedWork {
    /// Number of Newton iterations.
    pub newton: u64,
    /// Number of numeric factorizations.
    pub factorizations: u64,
    /// Number of linear solves.
    pub solves: u64,
}

/// Initial, final, smallest and largest total energy, J.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct EnergyReport {
    /// Initial energy.
    pub initial: f64,
    /// Final energy.
    #[serde(rename = "final")]
    pub last: f64,
    /// Smallest energy.
    pub min: f64,
    /// Largest energy.
    pub max: f64,
}

/// Numerical dissipation or gain of a run, formatted for the terminal and the page.
#[derive(Clone, Debug, PartialEq)]
pub struct IntegratorShare {
    /// "numerical dissipation" or "numerical gain".
    pub name: &'static str,
    /// Magnitude, J.
    pub joules: f64,
    /// Magnitude in percent of the available energy, with its percent sign, also above 100 %; `None` if no energy was
    /// available, and `Some(None)` if it is below 0.005 %.
    pub percent: Option<Option<String>>,
}

/// Initial and final linear and angular momenta about the origin.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MomentumReport {
    /// Initial linear momentum, kg m/s.
    pub linear_initial: [f64; 3],
    /// Final linear momentum, kg m/s.
    pub linear_final: [f64; 3],
    /// Initial angular momentum, kg m²/s.
    pub angular_initial: [f64; 3],
    /// Final angular momentum, kg m²/s.
    pub angular_final: [f64; 3],
}

impl Report {
    /// Creates the report of a session at its current state.
    pub fn new(session: &mut Session, frames: u64, status: Status) -> Report {
        let statics = StaticsReport::new(session);
        let fragments = FragmentReport::all(session);
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
        let mut report = Report {
            status,
            error: None,
            warnings: Vec::new(),
            inverted: InversionReport::new(session),
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
            contact: ContactReport::new(session),
            fragments,
            energy: EnergyReport {
                initial: e.initial,
                last: e.last,
                min: e.min,
                max: e.max,
            },
            ledger: totals.ledger,
            integrator_percent: match statics.is_some() {
                true => None,
                false => totals.integrator_percent(),
            },
            momentum: MomentumReport {
                linear_initial: p0,
                linear_final: p1,
                angular_initial: l0,
                angular_final: l1,
            },
            statics,
            version: env!("CARGO_PKG_VERSION"),
            threads: rayon::current_num_threads(),
            seed: session.scene.seed,
        };
        report.warnings = run_warnings(&report, &session.warnings);
        report
    }

    /// Returns the numerical dissipation or gain of the run: that of the integrator and of iterations that were not converged.
    pub fn integrator_share(&self) -> IntegratorShare {
        let percent = |percent: f64| match percent.abs() {
            0.0..0.005 => None,
            size if size < 1.0 => Some(format!("{size:.2} %")),
            size if size < 1e6 => Some(format!("{size:.0} %")),
            size => Some(format!("{size:.1e} %")),
        };
        let joules = self.ledger.numerical + self.ledger.residual;
        let name = match joules < 0.0 {
            true => "numerical dissipation",
            false => "numerical gain",
        };
        IntegratorShare {
            name,
            joules: joules.abs(),
            percent: self.integrator_percent.map(percent),
        }
    }

    /// Writes `report.json`.
    pub fn write(&self, out: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        write_atomically(&out.join("report.json"), |file| writeln!(file, "{text}"))
    }
}
