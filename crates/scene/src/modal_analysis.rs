//! Free vibrations of small amplitude about the initial state of a scene: K x = ω² M x.
//!
//! K is the stiffness at the initial state, M the mass matrix of the unknowns. Modes have xᵀM x = 1 kg m². The
//! participation factor of mode x in direction d is Γ = xᵀM d, with d the unit translation of all unknowns along the
//! axis; Γ² is the effective mass, and the sum over all modes is dᵀM d, the mass of the moving nodes (Chopra 2012,
//! §13.2). Held components are left out of d.

use march::{Curvature, State, System, Weights};
use mesh::Mesh;
use meshio::npz;
use solid::model::Model;
use sparse::{EigenError, Matrix, counted_eigenpairs};
use std::path::Path;

use crate::modes::{BodyFrame, Mode, ModeKind, describe};
use crate::session::Session;

/// Relative residual of the modes.
const TOLERANCE: f64 = 1e-9;
/// Squared frequency below which a rigid shape is a rigid motion, relative to the mean of kᵢᵢ/mᵢᵢ.
const MAX_RIGID_SQUARE: f64 = 1e-9;

/// A mode with its shape and its part in rigid translations.
#[derive(Clone, Debug)]
pub struct ModeShape {
    /// Squared circular frequency, rad²/s²; 0 for a rigid motion.
    pub square: f64,
    /// Frequency and what the mode looks like.
    pub description: Mode,
    /// ‖K x − λ M x‖ / ‖(K + σM) x‖ of the eigenvector.
    pub residual: f64,
    /// Participation factors Γ along x, y and z, √kg.
    pub participation: [f64; 3],
    /// Displacement of every node, 1/√kg: xᵀM x = 1.
    pub shape: Vec<[f64; 3]>,
}

impl ModeShape {
    /// Returns the effective masses along x, y and z, kg.
    pub fn effective_mass(&self) -> [f64; 3] {
        self.participation.map(|g| g * g)
    }
}

/// The lowest modes of a scene and the work they took.
#[derive(Clone, Debug)]
pub struct ModalAnalysis {
    /// Modes, ascending in frequency.
    pub modes: Vec<ModeShape>,
    /// Masses dᵀM d of the unknowns along x, y and z, kg: the sums of the effective masses of all modes.
    pub moving_mass: [f64; 3],
    /// Number of factorizations.
    pub factorizations: u64,
    /// Number of solves with the factor.
    pub solves: u64,
}

/// Computes the `count` lowest modes of a session about its current state; fewer if it has fewer unknowns.
pub fn analyse(session: &mut Session, count: usize) -> Result<ModalAnalysis, EigenError> {
    let bodies = body_frames(session);
    let (model, state) = session.model_and_state();
    let at = state.at();
    let k = stiffness(model, state);
    let n = model.dofs();
    let found = counted_eigenpairs(&k, model.mass(), count.min(n), TOLERANCE)?;
    let ratios = k.diagonal().zip(model.mass().diagonal());
    let mean_square = ratios.map(|(k, m)| k / m).sum::<f64>() / n.max(1) as f64;
    let zero = vec![0.0; n];
    let directions = [0, 1, 2].map(|axis| {
        let mut unit = [0.0; 3];
        unit[axis] = 1.0;
        model.restrict(&vec![unit; model.nodes()])
    });
    let moving_mass = directions
        .each_ref()
        .map(|d| model.mass().bilinear_form(d, d));
    // The velocities of prescribed components are those of their motion: a mode is the difference from them.
    let held = model.expand(at.t, &zero, &zero).1.to_vec();
    let mut shapes: Vec<(f64, Vec<[f64; 3]>)> = Vec::new();
    for (square, x) in &found.pairs {
        let (_, v) = model.expand(at.t, &zero, x);
        let mode = v.iter().zip(&held);
        let mode = mode.map(|(v, held)| [0, 1, 2].map(|k| v[k] - held[k]));
        shapes.push((*square, mode.collect()));
    }
    let described = describe(&bodies, &mut shapes, MAX_RIGID_SQUARE * mean_square);
    let mass = model.mass();
    let modes = shapes.into_iter().zip(described).zip(found.residuals);
    let modes = modes.map(|(((square, shape), mut description), residual)| {
        let x = model.restrict(&shape);
        let rigid = description.kind == ModeKind::Rigid;
        if rigid {
            description.hz = 0.0;
        }
        ModeShape {
            square: if rigid { 0.0 } else { square },
            description,
            residual,
            participation: directions.each_ref().map(|d| mass.bilinear_form(&x, d)),
            shape,
        }
    });
    Ok(ModalAnalysis {
        modes: modes.collect(),
        moving_mass,
        factorizations: found.factorizations,
        solves: found.solves,
    })
}

/// Returns the stiffness of small motions about a state, projected to be positive semi-definite. Bodies that have not appeared
/// count, but touch nothing.
pub fn stiffness(model: &mut Model, state: &State) -> Matrix {
    let weights = Weights {
        mass: 0.0,
        damping: 0.0,
        stiffness: 1.0,
    };
    model.with_all_potentials(|model| {
        model.prepare(state.at());
        let mut k = model.zero_matrix();
        model.tangent(state.at(), weights, Curvature::Definite, &mut k);
        k
    })
}

/// Measures the bodies of a session in its current state.
pub fn body_frames(session: &mut Session) -> Vec<BodyFrame> {
    let positions = session.positions();
    let mesh = &session.output_mesh;
    let mut nodes = vec![Vec::new(); mesh.bodies.len()];
    for ((_, cell), &body) in mesh.mesh.cells().zip(&mesh.cell_body) {
        if let Some(nodes) = nodes.get_mut(body as usize) {
            nodes.extend_from_slice(cell);
        }
    }
    let mass = session.model.node_mass();
    let frame = |(name, mut nodes): (&String, Vec<u32>)| {
        nodes.sort_unstable();
        nodes.dedup();
        BodyFrame::new(name.clone(), nodes, &positions, mass)
    };
    mesh.bodies.iter().zip(nodes).map(frame).collect()
}

impl ModalAnalysis {
    /// Returns the table `modes.csv`, with 17 significant digits.
    pub fn csv(&self) -> String {
        let axes = |name: &str| ["x", "y", "z"].map(|a| format!("{name}_{a}")).join(",");
        let mut out = format!(
            "mode,frequency_hz,omega,{},{},residual\n",
            axes("participation"),
            axes("effective_mass")
        );
        for (i, mode) in self.modes.iter().enumerate() {
            let hz = mode.description.hz;
            let numbers = [hz, mode.square.max(0.0).sqrt()]
                .into_iter()
                .chain(mode.participation)
                .chain(mode.effective_mass())
                .chain([mode.residual]);
            let numbers: Vec<String> = numbers.map(digits).collect();
            out += &format!("{},{}\n", i + 1, numbers.join(","));
        }
        out
    }

    /// Writes frequencies, participation, effective masses and shapes to a file that NumPy reads.
    pub fn write_npz(&self, path: &Path, mesh: &Mesh) -> std::io::Result<()> {
        let n = self.modes.len();
        let of = |f: &dyn Fn(&ModeShape) -> Vec<f64>| -> Vec<f64> {
            self.modes.iter().flat_map(f).collect()
        };
        let frequency = of(&|m| vec![m.description.hz]);
        let square = of(&|m| vec![m.square]);
        let participation = of(&|m| m.participation.to_vec());
        let mass = of(&|m| m.effective_mass().to_vec());
        let shapes = of(&|m| m.shape.concat());
        let points = mesh.points.concat();
        let array = |name, shape, values| npz::Array {
            name,
            shape,
            values,
        };
        npz::write(
            path,
            &[
                array("frequency_hz", &[n], &frequency),
                array("eigenvalue", &[n], &square),
                array("participation", &[n, 3], &participation),
                array("effective_mass", &[n, 3], &mass),
                array("shape", &[n, mesh.points.len(), 3], &shapes),
                array("points", &[mesh.points.len(), 3], &points),
            ],
        )
    }
}

/// Formats a number with 17 significant digits; zero is 0.
fn digits(x: f64) -> String {
    if x == 0.0 {
        "0".into()
    } else {
        format!("{x:.16e}")
    }
}
