//! The matrix of the corrector, its factor, and the responses of all unknowns to impulses at points of contact.
//!
//! C = M + h D + h² K(uᵖ) with K projected to positive semi-definite [Löschner et al. 2020, eqs. 19, 20] is factored after
//! the scaling of section 4.1: P^½ C P^½ with P = diag(C)⁻¹. Each row is divided by its largest entry, E = 1/max |G|.

use march::{ContactPoint, Counts, Curvature, NO_UNKNOWN, State, StepContext, StepError, Weights};
use sparse::{Backend, FactorError, LinearSolver, Matrix, solver};

use crate::active_set::Delassus;

/// Index of a response that is not known yet.
const UNKNOWN: u32 = u32::MAX;

/// Factored matrix of a corrected step with the responses to its impulses.
pub(crate) struct ContactFactor {
    matrix: Option<Matrix>,
    solver: Box<dyn LinearSolver + Send>,
    /// P^½.
    scaling: Vec<f64>,
    /// Responses C⁻¹ gᵀ, one after another, and the number of the response of each point and axis.
    responses: Vec<f64>,
    response_of: Vec<[u32; 3]>,
    t: f64,
    /// Work since the last [`ContactFactor::take_counts`].
    counts: Counts,
}

impl Default for ContactFactor {
    fn default() -> ContactFactor {
        ContactFactor {
            matrix: None,
            solver: solver(Backend::Cholesky),
            scaling: Vec::new(),
            responses: Vec::new(),
            response_of: Vec::new(),
            t: 0.0,
            counts: Counts::default(),
        }
    }
}

impl ContactFactor {
    /// Assembles and factors the matrix of a step of length `h` to this state; `damped` includes h D.
    pub fn factor(
        &mut self,
        cx: &mut StepContext,
        end: &State,
        h: f64,
        damped: bool,
    ) -> Result<(), StepError> {
        let weights = Weights {
            mass: 1.0,
            damping: if damped { h } else { 0.0 },
            stiffness: h * h,
        };
        let matrix = self.matrix.get_or_insert_with(|| cx.system.zero_matrix());
        cx.system
            .tangent(end.at(), weights, Curvature::Definite, matrix);
        matrix.make_symmetric();
        self.counts.assemblies += 1;
        self.counts.projections += 1;
        self.t = end.t;
        scale_symmetric(matrix, &mut self.scaling);
        self.counts.factorizations += 1;
        let factored = self.solver.factor(matrix);
        factored.map_err(|why| blown_up(end.t, why))
    }

    /// Begins with these points: known responses are forgotten.
    pub fn begin(&mut self, points: usize) {
        self.responses.clear();
        self.response_of.clear();
        self.response_of.resize(points, [UNKNOWN; 3]);
    }

    /// Returns the response of all unknowns to a unit impulse at a point along one of its axes.
    pub fn response(
        &mut self,
        points: &[ContactPoint],
        point: usize,
        axis: usize,
    ) -> Result<&[f64], StepError> {
        let n = self.scaling.len();
        let mut number = self.response_of[point][axis];
        if number == UNKNOWN {
            number = (self.responses.len() / n) as u32;
            let begin = self.responses.len();
            self.responses.resize(begin + n, 0.0);
            let x = &mut self.responses[begin..];
            add_impulse(&points[point], axis, 1.0, x);
            x.iter_mut().zip(&self.scaling).for_each(|(x, p)| *x *= p);
            self.counts.solves += 1;
            let solved = self.solver.solve(x);
            solved.map_err(|why| StepError::Solve { t: self.t, why })?;
            x.iter_mut().zip(&self.scaling).for_each(|(x, p)| *x *= p);
            self.response_of[point][axis] = number;
        }
        let begin = number as usize * n;
        Ok(&self.responses[begin..begin + n])
    }

    /// Adds the response to an impulse; the responses of its components must be known unless they are zero.
    pub fn add_response(&self, point: usize, impulse: [f64; 3], x: &mut [f64]) {
        let n = self.scaling.len();
        for axis in (0..3).filter(|a| impulse[*a] != 0.0) {
            let begin = self.response_of[point][axis] as usize * n;
            let response = &self.responses[begin..begin + n];
            for (x, r) in x.iter_mut().zip(response) {
                *x += impulse[axis] * r;
            }
        }
    }

    /// Returns the number of unknowns of the matrix factored last.
    pub fn unknowns(&self) -> usize {
        self.scaling.len()
    }

    /// Returns the work since the last call.
    pub fn take_counts(&mut self) -> Counts {
        std::mem::take(&mut self.counts)
    }
}

/// Returns the error of a matrix that is not positive definite: C ≥ M in exact arithmetic, so the mass is lost in the rounding of
/// an enormous stiffness, as when a motion blows up.
fn blown_up(t: f64, why: FactorError) -> StepError {
    match why {
        FactorError::Indefinite { column, pivot, .. } => StepError::NotFinite {
            t,
            what: "pivot of the contact matrix",
            dof: column,
            value: pivot,
        },
        why => StepError::Factor { t, why },
    }
}

/// Scales a symmetric matrix to a unit diagonal, P^½ C P^½, and writes P^½. A matrix with entries off its pattern stays as it
/// is.
fn scale_symmetric(matrix: &mut Matrix, scaling: &mut Vec<f64>) {
    scaling.clear();
    if !matrix.off_pattern().is_empty() {
        scaling.resize(matrix.n(), 1.0);
        return;
    }
    let inverse = |d: f64| if d > 0.0 { 1.0 / d.sqrt() } else { 1.0 };
    scaling.extend(matrix.diagonal().map(inverse));
    let pattern = matrix.pattern().clone();
    let (starts, rows) = (pattern.column_starts(), pattern.row_indices());
    let values = matrix.values_mut();
    for j in 0..scaling.len() {
        for at in starts[j]..starts[j + 1] {
            values[at] *= scaling[rows[at]] * scaling[j];
        }
    }
}

/// Returns a component of the relative velocity at a point due to the unknowns.
pub(crate) fn relative(point: &ContactPoint, axis: usize, x: &[f64]) -> f64 {
    let direction = point.axes[axis];
    let mut sum = 0.0;
    for (unknowns, weight) in point.unknowns.iter().zip(point.weights) {
        for k in 0..3 {
            if unknowns[k] != NO_UNKNOWN {
                sum += weight * direction[k] * x[unknowns[k] as usize];
            }
        }
    }
    sum
}

/// Adds an impulse along an axis of a point to the unknowns: a multiple of its row.
pub(crate) fn add_impulse(point: &ContactPoint, axis: usize, impulse: f64, x: &mut [f64]) {
    let direction = point.axes[axis];
    for (unknowns, weight) in point.unknowns.iter().zip(point.weights) {
        for k in 0..3 {
            if unknowns[k] != NO_UNKNOWN {
                x[unknowns[k] as usize] += impulse * weight * direction[k];
            }
        }
    }
}

/// Returns the factor of a normal row that makes its largest entry 1, E of [Löschner et al. 2020, section 4.1]; 1 for a
/// row without unknowns.
pub(crate) fn row_scale(point: &ContactPoint) -> f64 {
    let mut largest: f64 = 0.0;
    for (unknowns, weight) in point.unknowns.iter().zip(point.weights) {
        for k in (0..3).filter(|k| unknowns[*k] != NO_UNKNOWN) {
            largest = largest.max((weight * point.axes[0][k]).abs());
        }
    }
    if largest > 0.0 { 1.0 / largest } else { 1.0 }
}

/// Normal rows of all points, scaled.
pub(crate) struct NormalRows<'a> {
    pub factor: &'a mut ContactFactor,
    pub points: &'a [ContactPoint],
    pub scales: &'a [f64],
}

impl Delassus for NormalRows<'_> {
    type Error = StepError;

    fn column(&mut self, j: usize, out: &mut [f64]) -> Result<(), StepError> {
        let response = self.factor.response(self.points, j, 0)?;
        for ((out, point), scale) in out.iter_mut().zip(self.points).zip(self.scales) {
            *out = scale * self.scales[j] * relative(point, 0, response);
        }
        Ok(())
    }
}
