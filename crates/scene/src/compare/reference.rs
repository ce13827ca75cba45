//! Against what errors are measured: a high-order method at a step several times finer than any compared.
//!
//! RODAS4 (order 4, L-stable, one factorization a step) where the tangent is exact. In wind it is not, and Rosenbrock
//! methods lose their order: SDIRK-NC34 (order 4) iterates to the true stage. Where the first fails, SDIRK3 (order 3,
//! L-stable) is tried. A second run at twice the step tells how far the reference itself may be from the truth: for an
//! order p the coarser of the two is 2^p times as wrong, so their distance is almost all the coarser one's error and an
//! upper bound of the reference's own wherever the steps are in the range where order holds.

use std::path::PathBuf;

use serde::Serialize;

use crate::spec::Scene;

/// How many times finer the reference is than the finest compared step; its check is half as fine.
const REFERENCE_REFINEMENT: f64 = 4.0;

/// The fine run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReferenceRun {
    /// Its method, or the folder that was given.
    pub method: String,
    /// Its step, s, where it was run here.
    pub step: Option<f64>,
    /// RMS distance at the end to the same method at twice the step, m: errors below it mean nothing.
    pub own_error: Option<f64>,
    /// The same over all frames, m.
    pub own_error_frames: Option<f64>,
    /// Why there is none, where there is none.
    pub failure: Option<String>,
}

impl ReferenceRun {
    /// The folder of a run that was given as reference. Returns `None` if the reference was run here or there is none.
    pub fn given(&self) -> Option<PathBuf> {
        match (&self.step, self.method.as_str()) {
            (Some(_), _) | (None, "none") => None,
            (None, given) => Some(given.into()),
        }
    }

    /// The reference and its own error in a sentence for the terminal and the page.
    pub fn sentence(&self) -> String {
        match (&self.failure, self.step, self.own_error) {
            (Some(why), ..) => format!("no reference: {why}"),
            (None, Some(step), Some(own)) => format!(
                "reference: {} at a step of {step} s; at twice the step it ends {own:.2e} m away (RMS): smaller errors mean nothing",
                self.method
            ),
            (None, Some(step), None) => format!(
                "reference: {} at a step of {step} s; at twice the step it fails, so its own error is not known",
                self.method
            ),
            (None, None, _) if self.method == "none" => {
                "no reference: errors are not measured".into()
            }
            (None, None, _) => format!("reference: the run in {}", self.method),
        }
    }
}

/// The methods and steps to try, best first, for a scene compared at steps down to `finest`.
pub fn reference_candidates(scene: &Scene, finest: f64) -> Vec<(String, f64)> {
    let first = if scene.wind.is_empty() {
        "rodas4"
    } else {
        "sdirk-nc34"
    };
    let step = finest / REFERENCE_REFINEMENT;
    vec![(first.to_string(), step), ("sdirk3".to_string(), step)]
}
