//! Settings of the iteration on a stage.

use sparse::Backend;

use crate::Curvature;

/// Nonlinear iteration that solves a stage equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Newton {
    /// Minimises the incremental potential Φ to convergence; falls back on [`Newton::Residual`] if the forces have no
    /// potential.
    Minimise,
    /// Decreases the norm of the residual to convergence [Löschner et al. 2020, §3.2.1].
    Residual,
    /// Decreases ½‖B r‖² to convergence, with B the inverse of the matrix that gives the direction ([Ascher et al.
    /// 2021, eq. 12] with the square of docs/references.md, E9; the paper scales by one matrix per step). It does not
    /// depend on the units of the unknowns and suits forces without potential.
    LeastSquares,
    /// Takes one Newton iteration from the nearby state without a convergence check: the semi-implicit methods [Ascher
    /// et al. 2021, eq. 6].
    SingleIteration,
    /// Takes a fixed number of local/global iterations from the inertial state [Dinev et al. 2018, §4.2].
    LocalGlobal {
        /// Iterations per stage.
        iterations: u64,
    },
    /// Takes one local/global iteration from the nearby state.
    SingleLocalGlobal,
}

impl Newton {
    /// Returns the iteration for a stage that starts near its solution: one local/global iteration is enough [Dinev et
    /// al. 2018, §4.2].
    pub fn for_near_start(self) -> Newton {
        match self {
            Newton::LocalGlobal { .. } => Newton::SingleLocalGlobal,
            other => other,
        }
    }
}

/// When element Hessians are projected to positive semi-definite, if Φ is minimised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HessianProjection {
    /// Only if the exact Hessian gives no descent direction, alternating with a multiple of the diagonal.
    #[default]
    OnDemand,
    /// In every iteration, stencil by stencil.
    Always,
    /// Never; a multiple of the diagonal is added if Cholesky fails.
    Never,
}

/// How long factors of Newton's matrix are reused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FactorLifetime {
    /// Over steps, while the next step is expected to be cheaper with them than with new ones.
    #[default]
    WhileCheaper,
    /// Within the step that computed them; the cost of a step is then that of the method itself.
    WithinStep,
}

/// Early termination of the iteration at a fraction of the error of the step itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// Fraction of the error of the step at which the iteration may stop.
    pub share: f64,
    /// Order of the method.
    pub order: u32,
}

/// Settings of the nonlinear and linear solvers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Nonlinear iteration of methods without the prefix `s-`.
    pub newton: Newton,
    /// Tolerance of the residual force, relative to the force scale of the stage.
    pub tolerance: f64,
    /// Early termination if the error of the step itself allows it.
    pub accuracy: Option<Accuracy>,
    /// Early termination in stages where barriers act, also if the Taylor series of the motion gives no information.
    pub contact_accuracy: Option<Accuracy>,
    /// Whether Newton steps may end where barriers balance what they carry; not for methods that extrapolate from their stages.
    pub settled_steps: bool,
    /// When element Hessians are projected.
    pub projection: HessianProjection,
    /// How long factors are reused.
    pub factor_lifetime: FactorLifetime,
    /// Number of matrices of different weights whose factors are kept; more than one if the step length changes.
    pub factor_slots: usize,
    /// Whether a converged solution is refined to round-off; for systems of a few unknowns.
    pub to_roundoff: bool,
    /// Newton iterations without progress before the iteration fails.
    pub max_iterations: u64,
    /// Linear solver.
    pub linear: Backend,
}

impl Options {
    /// Returns the kind of the exact tangent if no potential is minimised: with the antisymmetric part under LU, which is
    /// the only solver of unsymmetric matrices, otherwise without.
    pub(super) fn exact_curvature(&self) -> Curvature {
        match self.linear {
            Backend::Lu => Curvature::Unsymmetric,
            Backend::Auto | Backend::Cholesky | Backend::Cg => Curvature::Exact,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            newton: Newton::Minimise,
            tolerance: 1e-8,
            accuracy: None,
            contact_accuracy: None,
            settled_steps: true,
            projection: HessianProjection::OnDemand,
            factor_lifetime: FactorLifetime::WhileCheaper,
            factor_slots: 1,
            to_roundoff: false,
            max_iterations: 50,
            linear: Backend::Auto,
        }
    }
}
