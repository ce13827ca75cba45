//! Contents of `compare.json` and `compare.csv`: errors, costs and energies of the compared runs.

use march::ledger::{LedgerEntry, channel_names};
use serde::Serialize;

use crate::pareto::{observed_orders, pareto_front};
use crate::plan::PlannedRun;
use crate::reference::ReferenceRun;
use scene::distance::Distance;
use scene::run::{EnergyReport, Report, Status};

/// Returns the columns of `compare.csv`.
pub fn columns() -> String {
    format!(
        "method,step,status,t,steps,newton,factorizations,solves,wall_seconds,seconds_per_second,error_rms,error_max,error_end_rms,error_end_max,energy_initial,energy_final,energy_min,energy_max,{},front_count,front_seconds,reason",
        channel_names()
    )
}

/// Computational cost of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Cost {
    /// Number of steps.
    pub steps: u64,
    /// Mean number of Newton iterations per step.
    pub newton_mean: f64,
    /// Number of numeric factorizations.
    pub factorizations: u64,
    /// Number of linear solves.
    pub solves: u64,
    /// Wall time, s.
    pub wall_seconds: f64,
    /// Wall time per simulated second.
    pub seconds_per_second: f64,
}

/// Result of one compared run: error, cost and energy of a method with a step.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedRun {
    /// Display name of the method.
    pub method: String,
    /// TOML value of `time.method`.
    #[serde(rename = "words")]
    pub method_toml: String,
    /// Step, s.
    pub step: f64,
    /// How the run ended.
    pub status: Status,
    /// Error message, if the run failed.
    pub reason: Option<String>,
    /// Reasons to doubt the result, as sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Simulated time reached, s.
    pub t: f64,
    /// Output folder, relative to that of the comparison.
    pub folder: String,
    /// Computational cost.
    pub cost: Cost,
    /// Total energy, J.
    pub energy: EnergyReport,
    /// Energy balance by ledger channel, J.
    pub ledger: LedgerEntry,
    /// Numerical dissipation (positive) or gain (negative) in percent of the available energy, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub integrator_percent: Option<f64>,
    /// Distance from the reference.
    pub error: Option<Distance>,
    /// Whether the run is on the Pareto front of factorizations plus solves and final error.
    pub front_count: bool,
    /// Whether the run is on the Pareto front of wall time and final error.
    pub front_seconds: bool,
}

impl ComparedRun {
    /// Creates the result of a planned run from its report, without its error.
    pub fn new(plan: &PlannedRun, report: &Report) -> ComparedRun {
        ComparedRun {
            method: plan.name.clone(),
            method_toml: plan.method.clone(),
            step: plan.step,
            status: report.status,
            reason: report.error.clone(),
            warnings: report.warnings.clone(),
            t: report.t,
            folder: format!("runs/{}", plan.folder),
            cost: Cost {
                steps: report.steps,
                newton_mean: report.newton_mean,
                factorizations: report.factorizations,
                solves: report.solves,
                wall_seconds: report.wall_seconds,
                seconds_per_second: report.wall_seconds / report.t.max(f64::MIN_POSITIVE),
            },
            energy: report.energy,
            ledger: report.ledger,
            integrator_percent: report.integrator_percent,
            error: None,
            front_count: false,
            front_seconds: false,
        }
    }

    /// Returns the RMS distance from the reference at the end, m.
    pub fn end_error(&self) -> Option<f64> {
        self.error.as_ref()?.end_rms
    }

    /// Returns the number of factorizations plus solves.
    pub fn count(&self) -> f64 {
        (self.cost.factorizations + self.cost.solves) as f64
    }

    fn csv(&self) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:?}"));
        let (c, e) = (&self.cost, &self.energy);
        let d = self.error.as_ref();
        let newton = (c.newton_mean * c.steps as f64).round();
        let counts = format!("{},{newton},{},{}", c.steps, c.factorizations, c.solves);
        let numbers = [
            Some(c.wall_seconds),
            Some(c.seconds_per_second),
            d.map(|d| d.rms),
            d.map(|d| d.max),
            d.and_then(|d| d.end_rms),
            d.and_then(|d| d.end_max),
            Some(e.initial),
            Some(e.last),
            Some(e.min),
            Some(e.max),
        ];
        let channels = self.ledger.as_array().map(Some);
        let numbers: Vec<String> = numbers.into_iter().chain(channels).map(number).collect();
        let numbers = numbers.join(",");
        format!(
            "{},{:?},{},{:?},{counts},{numbers},{},{},{}\n",
            quoted(&self.method),
            self.step,
            self.status.name(),
            self.t,
            self.front_count,
            self.front_seconds,
            quoted(self.reason.as_deref().unwrap_or_default())
        )
    }
}

/// Orders of convergence of a method, observed at the end between neighbouring steps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Order {
    /// Display name of the method.
    pub method: String,
    /// Steps, s, the coarsest first.
    pub steps: Vec<f64>,
    /// Observed order between each step and the next.
    #[serde(rename = "seen")]
    pub observed: Vec<Option<f64>>,
}

/// Scene, sizes and program version of a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct ComparisonInfo {
    /// Title of the scene.
    pub scene: String,
    /// End time, s.
    pub until: f64,
    /// Number of free unknowns.
    pub dofs: usize,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of threads shared by the runs.
    pub threads: usize,
    /// Version of Supple.
    pub version: &'static str,
}

/// Contents of `compare.json`: scene, reference, runs and observed orders.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Scene, sizes and program version.
    #[serde(flatten)]
    pub info: ComparisonInfo,
    /// Reference that errors are measured against.
    pub reference: ReferenceRun,
    /// The runs, method by method, the coarsest step first.
    pub runs: Vec<ComparedRun>,
    /// Observed orders of each method.
    pub orders: Vec<Order>,
}

impl Comparison {
    /// Creates a comparison; determines Pareto fronts and observed orders from the errors of the runs.
    pub fn new(
        info: ComparisonInfo,
        reference: ReferenceRun,
        mut runs: Vec<ComparedRun>,
    ) -> Comparison {
        let points = |cost: fn(&ComparedRun) -> f64| -> Vec<(f64, f64)> {
            let point = |r: &ComparedRun| (cost(r), r.end_error().unwrap_or(f64::NAN));
            runs.iter().map(point).collect()
        };
        let (by_count, by_seconds) = (
            pareto_front(&points(ComparedRun::count)),
            pareto_front(&points(|r| r.cost.wall_seconds)),
        );
        by_count.iter().for_each(|&i| runs[i].front_count = true);
        by_seconds
            .iter()
            .for_each(|&i| runs[i].front_seconds = true);
        let of_one = runs.chunk_by(|a, b| a.method == b.method);
        let order = |rows: &[ComparedRun]| {
            let errors: Vec<_> = rows.iter().map(|r| (r.step, r.end_error())).collect();
            Order {
                method: rows[0].method.clone(),
                steps: rows.iter().map(|r| r.step).collect(),
                observed: observed_orders(&errors),
            }
        };
        let orders = of_one.map(order).collect();
        Comparison {
            info,
            reference,
            runs,
            orders,
        }
    }

    /// Returns the text of `compare.csv`.
    pub fn csv(&self) -> String {
        let rows: String = self.runs.iter().map(ComparedRun::csv).collect();
        format!("{}\n{rows}", columns())
    }
}
