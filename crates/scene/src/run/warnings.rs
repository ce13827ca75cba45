//! Reasons to doubt the result of a run: inverted elements, a large share of the integrator in the energy, lagged damping
//! and friction, and defects of the mesh.

use base::text::counted;
use serde::Serialize;

use super::{ContactReport, Report};
use crate::session::{InvertedCell, Session};

/// Share of the integrator in the available energy above which a result is suspect, percent. It exceeds 100 by rounding
/// if a method dissipates all energy.
const MAX_INTEGRATOR_PERCENT: f64 = 100.0 + 1e-6;

/// Accepted steps with inverted elements, in `report.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InversionReport {
    /// Number of accepted steps after which an element is inverted.
    pub steps: u64,
    /// Whether the result is suspect: elements were turned inside out by a step, or still are at the end. It is `false` if
    /// only the initial state was inverted and all its elements became upright.
    pub suspect: bool,
    /// Worst cell of the initial state, if it has inverted elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial: Option<CellReport>,
    /// Worst cell of the first of these steps.
    pub first: CellReport,
    /// Worst cell of all these steps.
    pub worst: CellReport,
    /// Whether elements are inverted at the end.
    pub at_end: bool,
}

/// An inverted cell: when, where, and by how much.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellReport {
    /// Time, s.
    pub t: f64,
    /// Name of the body.
    pub body: String,
    /// Number of the cell in the frames, from 0.
    pub cell: u32,
    /// Smallest det F of its integration points.
    pub det_f: f64,
}

impl InversionReport {
    /// Creates the report of a session. Returns `None` if no accepted step has inverted elements.
    pub fn new(session: &Session) -> Option<InversionReport> {
        let seen = &session.totals().inversions;
        let named = |cell: InvertedCell| {
            let mesh = &session.output_mesh;
            let body = mesh.cell_body.get(cell.cell as usize);
            let body = body.and_then(|&b| mesh.bodies.get(b as usize));
            CellReport {
                t: cell.t,
                body: body.cloned().unwrap_or_default(),
                cell: cell.cell,
                det_f: cell.det_f,
            }
        };
        Some(InversionReport {
            steps: seen.steps,
            suspect: seen.is_suspect(),
            initial: seen.initial.map(named),
            first: named(seen.first?),
            worst: named(seen.worst?),
            at_end: seen.now,
        })
    }

    fn sentence(&self, steps: u64) -> String {
        let CellReport {
            t,
            body,
            cell,
            det_f,
        } = &self.first;
        let first = format!(
            "at t = {t:.6} s in cell {cell} of \"{body}\" (det F = {})",
            short(*det_f)
        );
        let worst = match self.worst == self.first {
            true => String::new(),
            false => {
                let CellReport {
                    t,
                    body,
                    cell,
                    det_f,
                } = &self.worst;
                format!(
                    ", the worst at t = {t:.6} s in cell {cell} of \"{body}\" (det F = {})",
                    short(*det_f)
                )
            }
        };
        let end = match self.at_end {
            true => "they are still inverted at the end",
            false => "they are upright again at the end",
        };
        format!(
            "the result is suspect: elements are inverted (det F ≤ 0) after {} of {steps}, the first {first}{worst}; \
             {end}. Try shorter steps, a finer mesh, or a law that resists inversion such as stable-neo-hookean or neo-hookean",
            counted(self.steps, "accepted step", "accepted steps")
        )
    }
}

/// Formats det F with three decimals, in scientific notation if it is large.
fn short(det_f: f64) -> String {
    match det_f.abs() < 1e4 {
        true => format!("{det_f:.3}"),
        false => format!("{det_f:.2e}"),
    }
}

/// Returns a warning if friction did not converge in some steps.
fn friction_warning(contact: ContactReport) -> Option<String> {
    let friction = contact.friction?;
    (friction.unconverged_steps > 0).then(|| {
        format!(
            "friction did not converge in {}: {} used the normal forces of nearby positions; try shorter steps or a \
             smaller coefficient",
            counted(friction.unconverged_steps, "step", "steps"),
            counted(friction.unconverged_stages, "stage", "stages")
        )
    })
}

/// Returns the warnings of a report, the most serious first; `of_scene` are those of the scene.
pub fn run_warnings(report: &Report, of_scene: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(percent) = report.integrator_percent
        && percent.abs() > MAX_INTEGRATOR_PERCENT
    {
        let share = report.integrator_share();
        let size = share.percent.flatten().unwrap_or_default();
        let (joules, name) = (share.joules, share.name);
        out.push(format!(
            "the result is suspect: {name} of {joules:.4e} J is {size} of the energy that was available to the motion. Try \
             shorter steps, step control, or another method"
        ));
    }
    if let Some(inverted) = report.inverted.as_ref().filter(|i| i.suspect) {
        out.push(inverted.sentence(report.steps));
    }
    if report.lagged_damping > 0 {
        out.push(format!(
            "the position-dependent damping of {} did not converge and uses the matrix of nearby positions; try shorter \
             steps or damping.rate = \"frozen\"",
            counted(report.lagged_damping, "stage", "stages")
        ));
    }
    out.extend(report.contact.and_then(friction_warning));
    out.extend_from_slice(of_scene);
    out
}
