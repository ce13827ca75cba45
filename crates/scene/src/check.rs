//! `supple check`: sizes, frequencies, cost and warnings of a scene before a run.

mod contact;
mod step_limit;

pub use contact::{ContactCheck, GapCheck};
pub use step_limit::{StepLimit, grows_at_any_step};

use std::fmt;
use std::time::Instant;

use base::text::counted;
use march::{FixedSteps, StepError, System};
use mesh::quality;
use serde::Serialize;
use sparse::{highest_eigenvalue, lowest_eigenpairs};

use crate::build::SurfaceLoadSummary;
use crate::modes::{Mode, ModeKind, describe};
use crate::session::Session;
use crate::spec::{Body, Matter, Moduli};

/// Result of `supple check`: sizes, frequencies, cost and warnings of a scene.
#[derive(Clone, Debug, Serialize)]
pub struct SceneCheck {
    /// Title of the scene, or the name of its file if it has none.
    pub scene: String,
    /// Name of the method.
    pub method: String,
    /// Time step, s.
    pub step: f64,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of cells.
    pub cells: usize,
    /// Number of free unknowns.
    pub dofs: usize,
    /// Total mass, kg.
    pub mass: f64,
    /// Volume of all solids, m³.
    pub volume: f64,
    /// Lower and upper corner of the bounding box of the scene, m.
    pub bounds: [[f64; 3]; 2],
    /// Smallest and largest dihedral angle, degrees.
    pub dihedral_deg: Option<[f64; 2]>,
    /// Lowest elastic eigenfrequency at the initial state, Hz.
    pub lowest_hz: Option<f64>,
    /// The rigid motions of free bodies and the lowest elastic modes, at most ten, at the initial state.
    pub modes: Vec<Mode>,
    /// Highest eigenfrequency at the initial state, Hz.
    pub highest_hz: Option<f64>,
    /// Step times lowest and highest angular eigenfrequency, hω; none in statics.
    pub h_omega: [Option<f64>; 2],
    /// Step limit, if the method is explicit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_limit: Option<StepLimit>,
    /// Pressures and tractions on faces.
    pub surface_loads: Vec<SurfaceLoadSummary>,
    /// Wall time per simulated second, measured in the first steps.
    pub seconds_per_simulated_second: Option<f64>,
    /// Notices about the scene.
    pub notices: Vec<String>,
    /// Contact, if the scene has `[contact]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<ContactCheck>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Checks a session: measures its sizes and frequencies, takes three steps to measure their cost, and collects warnings.
pub fn check(session: &mut Session) -> Result<SceneCheck, StepError> {
    let step = session.scene.time.nominal_step();
    let q = quality(&session.output_mesh.mesh);
    let (low, high) = crate::build::bounds(&session.output_mesh.mesh.points);
    let mut warnings = session.warnings.clone();
    warnings.extend(unit_warnings(session, &low, &high));
    if q.inverted > 0 || q.degenerate > 0 {
        warnings.push(format!(
            "{} inverted and {} degenerate",
            counted(q.inverted, "cell is", "cells are"),
            q.degenerate
        ));
    }
    let unheld = session.unheld.iter().map(crate::build::unheld_notice);
    warnings.extend(unheld);
    let (modes, highest_hz) = frequencies(session);
    let elastic = modes.iter().find(|m| m.kind != ModeKind::Rigid);
    let lowest_hz = elastic.map(|m| m.hz);
    let moves = !session.method.is_static();
    let h_omega = [lowest_hz, highest_hz].map(|f| {
        f.filter(|_| moves)
            .map(|f| std::f64::consts::TAU * f * step)
    });
    let step_limit = StepLimit::measure(session, lowest_hz)?;
    let limited = step_limit.as_ref();
    warnings.extend(limited.and_then(|limit| limit.warning(&session.method.name(), step)));
    let angles = q.angles.as_ref().map(|a| [a.min, a.max]);
    if let Some([min, _]) = angles.filter(|a| a[0] < 3.0) {
        warnings.push(format!("the smallest dihedral angle is {min:.2} degrees: steps are stiff and badly conditioned; try a better mesh"));
    }
    let contact = ContactCheck::new(session);
    if let Some(contact) = &contact {
        warnings.extend(contact.warnings(session, step));
    } else if !session.obstacles.is_empty() {
        warnings.push("the obstacles have no effect without [contact]".into());
    }
    Ok(SceneCheck {
        scene: session.name(),
        method: session.method.name(),
        step,
        nodes: session.model.nodes(),
        cells: session.output_mesh.mesh.len(),
        dofs: session.model.dofs(),
        mass: session.model.node_mass().iter().sum(),
        // An empty sum is −0.
        volume: q.volume.max(0.0),
        bounds: [low, high],
        dihedral_deg: angles,
        lowest_hz,
        modes,
        highest_hz,
        h_omega,
        step_limit,
        surface_loads: session.surface_loads.clone(),
        seconds_per_simulated_second: measure_cost(session, step),
        notices: session.notices.clone(),
        contact,
        warnings,
    })
}

/// Returns the rigid motions and the lowest elastic modes of small motions about the initial state, and the highest
/// frequency, Hz.
fn frequencies(session: &mut Session) -> (Vec<Mode>, Option<f64>) {
    let bodies = crate::modal_analysis::body_frames(session);
    let free = session.scene.body.iter().filter(|b| can_move_rigidly(b));
    // Two more, as pairs of equal frequency are aligned together.
    let wanted = SHOWN_MODES + 2 + 6 * free.count().min(MAX_FREE_BODIES);
    let (model, state) = session.model_and_state();
    let at = state.at();
    let k = crate::modal_analysis::stiffness(model, state);
    let m = model.mass();
    let top = highest_eigenvalue(&k, m).ok();
    let modes = lowest_eigenpairs(&k, m, wanted.min(m.n()), 1e-6).unwrap_or_default();
    let zero = vec![0.0; m.n()];
    // The velocities of prescribed components are those of their motion: a mode is the difference from them.
    let held = model.expand(at.t, &zero, &zero).1.to_vec();
    let mut modes: Vec<(f64, Vec<[f64; 3]>)> = modes
        .into_iter()
        .map(|(square, u)| {
            let (_, v) = model.expand(at.t, &zero, &u);
            let mode = v.iter().zip(&held);
            let mode = mode.map(|(v, held)| [0, 1, 2].map(|k| v[k] - held[k]));
            (square, mode.collect())
        })
        .collect();
    let mut modes = describe(&bodies, &mut modes, MAX_RIGID_SQUARE * top.unwrap_or(0.0));
    let rigid = modes.iter().filter(|m| m.kind == ModeKind::Rigid).count();
    modes.truncate(rigid + SHOWN_MODES);
    let hertz = |square: f64| square.max(0.0).sqrt() / std::f64::consts::TAU;
    (modes, top.map(hertz))
}

/// Largest number of elastic modes that are shown.
const SHOWN_MODES: usize = 10;
/// Largest number of free bodies whose rigid motions are computed.
const MAX_FREE_BODIES: usize = 6;
/// Squared frequency below which a rigid shape is a rigid motion, relative to the highest: the rounding error of a zero.
const MAX_RIGID_SQUARE: f64 = 1e-9;

/// Returns whether a body may have rigid motions: no nodes are held along all axes or tethered.
fn can_move_rigidly(body: &Body) -> bool {
    body.tether.is_empty() && !body.fix.iter().any(|f| f.axes.0 == [true; 3])
}

/// Measures the wall time per simulated second in the second and third step; the first includes symbolic analysis.
fn measure_cost(session: &mut Session, step: f64) -> Option<f64> {
    session.set_controller(Box::new(FixedSteps::from(session.t(), step)));
    let mut take = || session.step().map(|_| ()).ok();
    take()?;
    let started = Instant::now();
    take()?;
    take()?;
    Some(started.elapsed().as_secs_f64() / (2.0 * step))
}

/// Returns warnings about values that suggest wrong units.
fn unit_warnings(session: &Session, low: &[f64; 3], high: &[f64; 3]) -> Vec<String> {
    let mut out = Vec::new();
    for (i, body) in session.scene.body.iter().enumerate() {
        let name = body.name_or_number(i);
        let Some(Matter::Solid(m)) = body.matter() else {
            continue;
        };
        if m.density < 20.0 {
            out.push(format!("{name}: density {} kg/m³ is that of a gas or a feather; water is 1000. Is it in g/cm³?", m.density));
        } else if m.density > 30_000.0 {
            out.push(format!(
                "{name}: density {} kg/m³ is above every element's (osmium: 22 600)",
                m.density
            ));
        }
        if let Moduli::Young { young, .. } = m.moduli {
            if young < 100.0 {
                out.push(format!("{name}: Young's modulus {young} Pa is softer than any jelly (about 1e3 to 1e5). Is it in MPa or GPa?"));
            } else if young > 2e12 {
                out.push(format!(
                    "{name}: Young's modulus {young:e} Pa is stiffer than diamond (1.2e12)"
                ));
            }
        }
    }
    let size = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    if size > 100.0 {
        out.push(format!("the scene is {size:.0} m in extent. Is the mesh in millimetres? `scale = 0.001` converts it to metres"));
    } else if size < 1e-3 && size > 0.0 {
        out.push(format!(
            "the scene is {size:.1e} m in extent, less than a millimetre"
        ));
    }
    let g = session
        .scene
        .gravity
        .iter()
        .map(|g| g * g)
        .sum::<f64>()
        .sqrt();
    if g > 100.0 {
        out.push(format!("gravity is {g:.0} m/s²; the Earth's is 9.81"));
    }
    out
}

/// Formats a number with six significant digits.
fn shown(x: f64) -> String {
    match x.abs() {
        a if a == 0.0 || (1e-3..1e6).contains(&a) => {
            let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
            format!("{rounded}")
        }
        _ => format!("{x:.5e}"),
    }
}

impl SceneCheck {
    /// Writes the lowest frequencies, one line each.
    fn write_modes(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let rigid = self.modes.iter().filter(|m| m.kind == ModeKind::Rigid);
        let rigid = rigid.count();
        let several = self.modes.iter().any(|m| m.body != self.modes[0].body);
        let mut label = "modes";
        if rigid > 0 {
            let motions = counted(rigid, "rigid motion", "rigid motions");
            writeln!(f, "  {label:<13}{:>12} Hz  {motions}", 0)?;
            label = "";
        }
        for mode in self.modes.iter().filter(|m| m.kind != ModeKind::Rigid) {
            write!(f, "  {label:<13}{:>12.4} Hz  {mode}", mode.hz)?;
            match &mode.body {
                Some(body) if several => writeln!(f, " of {body}")?,
                _ => writeln!(f)?,
            }
            label = "";
        }
        Ok(())
    }
}

impl fmt::Display for SceneCheck {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let c = self;
        writeln!(f, "{}", c.scene)?;
        writeln!(
            f,
            "  size         {}, {}, {}",
            counted(c.nodes, "node", "nodes"),
            counted(c.cells, "cell", "cells"),
            counted(c.dofs, "unknown", "unknowns")
        )?;
        match c.volume > 0.0 {
            true => writeln!(f, "  matter       {:.6} kg in {:.6} m³", c.mass, c.volume)?,
            false => writeln!(f, "  matter       {:.6} kg in points", c.mass)?,
        }
        let [a, b] = &c.bounds;
        let span = |k: usize| format!("{:.4} to {:.4}", a[k], b[k]);
        writeln!(
            f,
            "  extent       x {}, y {}, z {} m",
            span(0),
            span(1),
            span(2)
        )?;
        if let Some([min, max]) = c.dihedral_deg {
            writeln!(
                f,
                "  cells        dihedral angles {min:.1} to {max:.1} degrees"
            )?;
        }
        for (what, hz, hw) in [
            ("lowest", c.lowest_hz, c.h_omega[0]),
            ("highest", c.highest_hz, c.h_omega[1]),
        ] {
            match (hz, hw) {
                (Some(hz), Some(hw)) => {
                    writeln!(f, "  {what:<8}     {hz:.4} Hz, step × ω = {hw:.4}")?
                }
                (Some(hz), None) => writeln!(f, "  {what:<8}     {hz:.4} Hz")?,
                (None, _) => {}
            }
        }
        if let Some(limit) = &c.step_limit {
            writeln!(f, "  step limit   {limit}")?;
        }
        for load in &c.surface_loads {
            let faces = if load.faces == 1 { "face" } else { "faces" };
            let [x, y, z] = load.force.map(shown);
            writeln!(
                f,
                "  load         {}: {} {faces}, {} m², total force ({x}, {y}, {z}) N at rest",
                load.load,
                load.faces,
                shown(load.area)
            )?;
        }
        self.write_modes(f)?;
        if c.method == march::methods::STATIC.name {
            writeln!(f, "  method       static, load steps of {} s", c.step)?;
        } else {
            writeln!(f, "  method       {} at {} s", c.method, c.step)?;
        }
        match c.seconds_per_simulated_second {
            Some(s) if s < 0.01 => {
                writeln!(f, "  cost         less than 0.01 s per simulated second")?
            }
            Some(s) => writeln!(f, "  cost         about {s:.2} s per simulated second")?,
            None => writeln!(
                f,
                "  cost         unknown: the first steps do not converge at this step"
            )?,
        }
        if let Some(contact) = &c.contact {
            write!(f, "{contact}")?;
        }
        for notice in &c.notices {
            writeln!(f, "  note         {notice}")?;
        }
        for warning in &c.warnings {
            writeln!(f, "  warning      {warning}")?;
        }
        Ok(())
    }
}
