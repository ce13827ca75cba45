//! The reference solution of a comparison: a high-order method with a step several times finer than any compared step.
//!
//! It is RODAS4 (order 4, L-stable, one factorization per step) if the tangent is exact. In wind it is not, and Rosenbrock
//! methods lose their order; SDIRK-NC34 (order 4), which iterates to the exact stage, is used instead. If the first method
//! fails, SDIRK3 (order 3, L-stable) is tried. A second run with twice the step estimates the error of the reference: at
//! order p its error is 2^p times as large, so the distance of the two is almost all of the coarser error and an upper
//! bound of the finer one, provided that the steps are in the asymptotic range.

use std::path::PathBuf;

use serde::Serialize;

use scene::spec::Scene;

/// Ratio of the finest compared step to the step of the reference; the run that estimates its error has twice that step.
const REFERENCE_REFINEMENT: f64 = 4.0;

/// Reference solution of a comparison and its own error.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReferenceRun {
    /// Method of the reference, or the folder of an earlier run.
    pub method: String,
    /// Step, s; `None` for an earlier run.
    pub step: Option<f64>,
    /// RMS distance at the end from the same method with twice the step, m: smaller errors are not significant.
    pub own_error: Option<f64>,
    /// RMS distance over all frames from the same method with twice the step, m.
    pub own_error_frames: Option<f64>,
    /// Error message, if no reference could be computed.
    pub failure: Option<String>,
    /// Why no errors can be measured although the runs finished, if there is no frame after t = 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_frames: Option<String>,
}

/// Returns a sentence if a scene ends before its first frame after t = 0, so that the motions of runs cannot be compared.
pub fn no_frame_to_compare(scene: &Scene) -> Option<String> {
    let interval = f64::from(scene.output.every_frame) / scene.time.fps;
    let until = scene.time.until;
    (until < interval * (1.0 - 1e-9)).then(|| {
        format!(
            "there is no frame after t = 0 to compare: the scene ends at t = {until} s and frames are {interval} s apart; \
             give a larger time.fps or --until"
        )
    })
}

impl ReferenceRun {
    /// Returns the folder of an earlier run that is the reference. Returns `None` if it was computed here or there is none.
    pub fn given(&self) -> Option<PathBuf> {
        match (&self.step, self.method.as_str()) {
            (Some(_), _) | (None, "none") => None,
            (None, given) => Some(given.into()),
        }
    }

    /// Describes the reference and its own error in a sentence for the terminal and the page.
    pub fn sentence(&self) -> String {
        if let (Some(why), Some(step)) = (&self.no_frames, self.step) {
            return format!("reference: {} at a step of {step} s; {why}", self.method);
        }
        match (&self.failure, self.step, self.own_error) {
            (Some(why), ..) => format!("no reference: {why}"),
            (None, Some(step), Some(own)) => format!(
                "reference: {} at a step of {step} s; with twice the step it ends {own:.2e} m away (RMS): smaller errors are not significant",
                self.method
            ),
            (None, Some(step), None) => format!(
                "reference: {} at a step of {step} s; with twice the step it fails, so its own error is not known",
                self.method
            ),
            (None, None, _) if self.method == "none" => {
                "no reference: errors are not measured".into()
            }
            (None, None, _) => format!("reference: the run in {}", self.method),
        }
    }
}

/// Returns the methods and steps to try for the reference, in order, if `finest` is the finest compared step.
pub fn reference_candidates(scene: &Scene, finest: f64) -> Vec<(String, f64)> {
    let first = if scene.wind.is_empty() {
        "rodas4"
    } else {
        "sdirk-nc34"
    };
    let step = finest / REFERENCE_REFINEMENT;
    vec![(first.to_string(), step), ("sdirk3".to_string(), step)]
}
