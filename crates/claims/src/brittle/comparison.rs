//! The comparison of fixed and adaptive steps that give the same damage.
//!
//! Neither the fixed step nor the tolerance is chosen: the fixed step is the largest of the 1–2–5 series whose damage agrees with
//! that of its own half step as well as the adaptive run must agree with the reference.

use super::{Impact, ImpactRun, LENGTH, Steps, WAVE_SPEED, correlations};
use crate::PaperError;
use crate::finding::Cell;

/// Fixed steps, s: the 1–2–5 series.
pub const SERIES: [f64; 6] = [5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4];
/// Tolerances of adaptive runs, m.
pub const TOLERANCES: [f64; 7] = [2e-1, 1e-1, 5e-2, 2e-2, 1e-2, 5e-3, 2e-3];
/// How much lower than the noise floor a correlation may be.
pub const MARGIN: f64 = 0.05;
/// Longest of the finest steps, in times in which a wave passes one spacing.
const FINEST: f64 = 1.05;

/// Fixed and adaptive steps that give the same damage, and their cost.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The name of the scene.
    pub scene: &'static str,
    /// Cells along the block.
    pub cells: u32,
    /// Correlation of the damage under the finest step and its half, at the frames.
    pub floor: [f64; 2],
    /// Fixed step, s.
    pub step: f64,
    /// Tolerance of the adaptive run, m.
    pub tolerance: f64,
    /// Run with the fixed step.
    pub fixed: ImpactRun,
    /// Adaptive run.
    pub adaptive: ImpactRun,
    /// Correlations of both with the reference, which is the half of the finest step.
    pub agreement: [[f64; 2]; 2],
    /// Energy of the reference at the end over that at the start.
    pub energy: f64,
}

/// Runs that start shortly before contact, each done once.
struct ShortRuns<'a> {
    impact: &'a Impact,
    cells: u32,
    done: Vec<(f64, ImpactRun)>,
    note: &'a dyn Fn(&str),
}

impl ShortRuns<'_> {
    /// Returns the run with a fixed step.
    fn fixed(&mut self, h: f64) -> Result<&ImpactRun, PaperError> {
        let same = |d: &(f64, ImpactRun)| (d.0 / h - 1.0).abs() < 1e-9;
        let at = match self.done.iter().position(same) {
            Some(at) => at,
            None => {
                let run = self.impact.run_shortly(self.cells, Steps::Fixed(h))?;
                (self.note)(&format!(
                    "fixed step {h} s from frame 28.5: {:.1} s",
                    run.seconds
                ));
                self.done.push((h, run));
                self.done.len() - 1
            }
        };
        Ok(&self.done[at].1)
    }

    /// Returns the correlations of the damage under a step and its half; zero if the step is unstable.
    fn against_half(&mut self, h: f64) -> Result<[f64; 2], PaperError> {
        let run = self.fixed(h)?.clone();
        if run.damage[1].is_empty() {
            return Ok([0.0; 2]);
        }
        Ok(correlations(&run, self.fixed(0.5 * h)?))
    }
}

/// Returns whether correlations at both frames reach the floor less the margin.
fn agrees(found: [f64; 2], floor: [f64; 2]) -> bool {
    (0..2).all(|k| found[k] >= floor[k] - MARGIN)
}

impl Comparison {
    /// Finds the fixed step and the tolerance for a block with this number of cells, and runs both. `note` receives what is done.
    pub fn compute(
        impact: &Impact,
        cells: u32,
        note: &dyn Fn(&str),
    ) -> Result<Comparison, PaperError> {
        let transit = LENGTH / f64::from(cells) / WAVE_SPEED;
        let resolved = SERIES.into_iter().find(|h| *h <= FINEST * transit);
        let finest = resolved.unwrap_or(SERIES[SERIES.len() - 1]);
        let mut short = ShortRuns {
            impact,
            cells,
            done: Vec::new(),
            note,
        };
        let floor = short.against_half(finest)?;
        let reference = short.fixed(0.5 * finest)?.clone();
        let mut step = finest;
        for h in SERIES.into_iter().filter(|h| *h > finest) {
            if agrees(short.against_half(h)?, floor) {
                step = h;
                break;
            }
        }
        // Whole runs: an adaptive flight takes few steps.
        let mut adaptive = (f64::NAN, ImpactRun::default());
        for tolerance in TOLERANCES {
            adaptive = (tolerance, impact.run(cells, Steps::Adaptive(tolerance))?);
            note(&format!(
                "tolerance {tolerance} m: {:.1} s",
                adaptive.1.seconds
            ));
            if agrees(correlations(&adaptive.1, &reference), floor) {
                break;
            }
        }
        let (tolerance, adaptive) = adaptive;
        let fixed = impact.run(cells, Steps::Fixed(step))?;
        Ok(Comparison {
            scene: impact.name,
            cells,
            floor,
            step,
            tolerance,
            agreement: [&fixed, &adaptive].map(|run| correlations(run, &reference)),
            energy: reference.energy,
            fixed,
            adaptive,
        })
    }

    /// Linear solves of the fixed run over those of the adaptive run.
    pub fn solves_ratio(&self) -> f64 {
        self.fixed.solves as f64 / self.adaptive.solves as f64
    }

    /// Seconds of the fixed run over those of the adaptive run.
    pub fn seconds_ratio(&self) -> f64 {
        self.fixed.seconds / self.adaptive.seconds
    }

    /// Names of the cells of a row.
    pub const COLUMNS: [&'static str; 23] = [
        "scene",
        "cells",
        "particles",
        "floor_30",
        "floor_35",
        "step_s",
        "tolerance_m",
        "fixed_steps",
        "adaptive_steps",
        "rejected",
        "fixed_solves",
        "adaptive_solves",
        "solves_ratio",
        "fixed_seconds",
        "adaptive_seconds",
        "seconds_ratio",
        "fixed_30",
        "fixed_35",
        "adaptive_30",
        "adaptive_35",
        "reference_energy",
        "fixed_energy",
        "adaptive_energy",
    ];

    /// The numbers as a row of a table.
    pub fn row(&self) -> Vec<Cell> {
        let round = |x: f64| (x * 1e3).round() / 1e3;
        let [fixed, adaptive] = self.agreement;
        let numbers = [
            f64::from(self.cells),
            self.fixed.particles as f64,
            round(self.floor[0]),
            round(self.floor[1]),
            self.step,
            self.tolerance,
            self.fixed.steps as f64,
            self.adaptive.steps as f64,
            self.adaptive.rejected as f64,
            self.fixed.solves as f64,
            self.adaptive.solves as f64,
            round(self.solves_ratio()),
            round(self.fixed.seconds),
            round(self.adaptive.seconds),
            round(self.seconds_ratio()),
            round(fixed[0]),
            round(fixed[1]),
            round(adaptive[0]),
            round(adaptive[1]),
            round(self.energy),
            round(self.fixed.energy),
            round(self.adaptive.energy),
        ];
        let numbers = numbers.map(Cell::from).into_iter();
        std::iter::once(Cell::from(self.scene))
            .chain(numbers)
            .collect()
    }
}
