//! What pulls on nodes: stored energies, each with its force and stiffness.

mod chunks;
mod elastic;
mod force_accumulator;
mod handles;
mod kernels;
mod modes;
mod most_compressed;
mod simd;
mod springs;
mod tether;

pub use elastic::{ElementError, SolidProperties, Viscosity, elastic, inverse_jacobian};
pub use handles::{Handle, Handles};
pub use most_compressed::{MostCompressed, MostCompressedSearch};
pub use springs::{Spring, SpringEnd, SpringLaw, Springs};
pub use tether::Tethers;

// Names that `paths.rs` and `inversion.rs` still use.
pub(crate) use Configuration as Placed;
use simd as wide;

use march::Curvature;

use crate::blocks::{Block, BlockPattern};

/// Where all nodes are.
#[derive(Clone, Copy, Debug)]
pub struct Configuration<'a> {
    /// Time, s.
    pub t: f64,
    /// Rest positions, m.
    pub rest: &'a [[f64; 3]],
    /// Displacements, m.
    pub u: &'a [[f64; 3]],
}

impl Configuration<'_> {
    /// Current position of a node.
    #[inline(always)]
    pub fn position(&self, i: usize) -> [f64; 3] {
        [0, 1, 2].map(|k| self.rest[i][k] + self.u[i][k])
    }
}

/// Which positions the matrix of Rayleigh's stiffness damping β K belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DampingRate {
    /// Those of the stage: a method keeps its order.
    #[default]
    Implicit,
    /// Those at the start of the step: first-order accurate under a nonlinear law, whatever the method.
    Frozen,
}

/// Rayleigh's stiffness damping: a force −β K v, with negative eigenvalues of each stencil's K raised to zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StiffnessDamping {
    /// β, s.
    pub factor: f64,
    /// Which positions K belongs to.
    pub rate: DampingRate,
}

impl StiffnessDamping {
    /// β if it is positive and of this rate.
    pub fn factor_of(&self, rate: DampingRate) -> Option<f64> {
        (self.factor > 0.0 && self.rate == rate).then_some(self.factor)
    }
}

/// Numbers a person may want to see, one for each element in the order of construction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ElementMeasures {
    /// Energy density, J/m³.
    pub energy_density: Vec<f64>,
    /// Von Mises stress, Pa.
    pub von_mises: Vec<f64>,
}

/// The search for the element that is the first to reach a forbidden state on a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathSearch {
    /// Elements seen so far.
    pub seen: usize,
    /// Least fraction of the path that is free for one of them.
    pub fraction: f64,
    /// That element, in the order of [`ElementMeasures`]; `None` if the path is free.
    pub element: Option<usize>,
}

/// Which nodes a potential couples, and where the blocks of these pairs are.
pub trait Stencils {
    /// Appends the pairs of different nodes whose forces depend on each other. Not asked of a potential that
    /// [changes its stencils](Stencils::changes_stencils).
    fn append_pairs(&self, pairs: &mut Vec<(u32, u32)>);

    /// Learns where its blocks are in the matrix: once, or after every [`Stencils::active_pairs`] if it changes its
    /// stencils. The pattern has the pairs announced last and all others announced since the step began.
    fn bind(&mut self, pattern: &BlockPattern);

    /// Whether its stencils come and go with the positions. The answer never changes.
    fn changes_stencils(&self) -> bool {
        false
    }

    /// Appends the pairs of different nodes whose forces depend on each other at these positions; more may be named, but
    /// every one costs a block. It is asked before every matrix of stiffness or damping at the same positions; energies
    /// and forces are asked for without it. A potential of local/global iterations is asked at the start of a step, and
    /// names the pairs that are part of its constant matrix in that step.
    fn active_pairs(&mut self, _x: &Configuration, _pairs: &mut Vec<(u32, u32)>) {}

    /// Appends the edges of its stencils, whose change of length a step may be limited by.
    fn edges(&self, _out: &mut Vec<(u32, SpringEnd)>) {}
}

/// How a potential takes energy away: damping by its own stiffness, viscosity, and dampers of its own. All of it sees
/// positions and velocities. The defaults are those of a potential without any.
pub trait Dissipation {
    /// Rayleigh's stiffness damping of these stencils.
    fn stiffness_damping(&self) -> StiffnessDamping {
        StiffnessDamping::default()
    }

    /// Whether [`Dissipation::add_viscosity`] adds anything.
    fn has_viscosity(&self) -> bool {
        false
    }

    /// Adds the symmetric, positive semi-definite matrix D of its viscosity at these positions, whose dissipation
    /// function is ½ vᵀD v.
    fn add_viscosity(&mut self, _x: &Configuration, _d: &mut [Block]) {}

    /// Whether dampers of its own act on velocities.
    fn has_dampers(&self) -> bool {
        false
    }

    /// Whether those dampers depend on positions. The positions they are given are then those of the last update of
    /// damping ([`march::PositionDamping::update_damping`]), lagged inside an iteration.
    fn dampers_depend_on_positions(&self) -> bool {
        false
    }

    /// Rayleigh's dissipation function of its own dampers, W/2.
    fn dissipation(&self, _x: &Configuration, _v: &[[f64; 3]]) -> f64 {
        0.0
    }

    /// Adds the forces of its own dampers; answers as [`Potential::add_force`] does.
    fn add_damping_force(&self, _x: &Configuration, _v: &[[f64; 3]], _f: &mut [[f64; 3]]) -> f64 {
        0.0
    }

    /// Adds the derivative of its own dampers' forces, negated, to the blocks.
    fn add_damping(&self, _x: &Configuration, _v: &[[f64; 3]], _d: &mut [Block]) {}
}

/// A sum of energies over stencils of nodes, and its derivatives.
pub trait Potential: Stencils + Dissipation + Send + Sync {
    /// Energy, J; +∞ where a stencil forbids its state, never NaN for finite positions.
    fn energy(&mut self, x: &Configuration) -> f64;

    /// Whether some states are forbidden: whether the energy is +∞ there.
    fn forbids(&self) -> bool {
        false
    }

    /// Largest fraction, at most 1, of the straight path of all nodes from one placement to another on which no state is
    /// forbidden, its end included; 1 if all of it is free, 0 if it starts at a forbidden state.
    fn max_step(&mut self, _from: &Configuration, _to: &Configuration) -> f64 {
        1.0
    }

    /// A distance by which every node may move from here, each in any direction, without reaching a forbidden state: for
    /// paths to be called free at no cost. 0 if no such distance is known.
    fn free_radius(&mut self, _x: &Configuration) -> f64 {
        if self.forbids() { 0.0 } else { f64::INFINITY }
    }

    /// Looks for an element that reaches a forbidden state sooner on a path than all so far.
    fn find_first_inverted(
        &self,
        _from: &Configuration,
        _to: &Configuration,
        _search: &mut PathSearch,
    ) {
    }

    /// Adds −∂E/∂u to the forces; answers the sum of squares of the stencils' own forces, before they balance.
    fn add_force(&mut self, x: &Configuration, f: &mut [[f64; 3]]) -> f64;

    /// Adds factor · ∂²E/∂u² to the blocks.
    fn add_stiffness(&mut self, x: &Configuration, factor: f64, c: Curvature, k: &mut [Block]);

    /// Whether its energy is Σ w/2 min ‖G x − p‖² over projections p, so that its forces fit local/global iterations.
    fn is_projective(&self) -> bool {
        false
    }

    /// Adds w GᵀG of its stencils, times `stiffness`, and of its dampers, times `damping`, to one number a block: both
    /// act on x, y and z alike.
    fn add_laplacian(&self, _stiffness: f64, _damping: f64, _l: &mut [f64]) {}

    /// Takes over what is frozen for a step; whether the force at this state changed by it.
    fn freeze(&mut self, _x: &Configuration) -> bool {
        false
    }

    /// Appends measures of its elements, if it has any.
    fn element_measures(&self, _x: &Configuration, _out: &mut ElementMeasures) {}

    /// Looks for an element worse off than all so far, if it has any.
    fn find_most_compressed(&self, _x: &Configuration, _search: &mut MostCompressedSearch) {}

    /// The first time after `t` at which the motion of an anchor has a kink, s; infinity if there is none.
    fn next_kink(&self, _t: f64) -> f64 {
        f64::INFINITY
    }

    /// ∂E/∂t at fixed positions, W, where anchors move.
    fn anchor_power(&self, _x: &Configuration) -> f64 {
        0.0
    }

    /// Rate ∂f/∂t at fixed positions, where anchors move.
    fn add_force_rate(&self, _x: &Configuration, _rate: &mut [[f64; 3]]) {}
}
