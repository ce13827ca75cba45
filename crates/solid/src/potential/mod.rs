//! Potentials: stored energies with their forces, stiffness and dissipation.

mod bonds;
mod chunks;
pub mod contact;
mod elastic;
mod force_accumulator;
mod foundation;
mod handles;
mod kernels;
mod modes;
mod most_compressed;
mod simd;
mod spring_batches;
mod springs;
mod tether;

pub use bonds::{BondParticles, Bonds, SavedBonds};
pub use elastic::{ElementError, SolidProperties, Viscosity, elastic, inverse_jacobian};
pub use foundation::Foundation;
pub use handles::{Handle, Handles};
pub use most_compressed::{MostCompressedElement, MostCompressedSearch};
pub use springs::{Spring, SpringEnd, SpringLaw, Springs};
pub use tether::Tethers;

use march::Curvature;

use self::contact::{BarrierContact, ContactReport, FrictionPowers, PenaltyContact};
use crate::blocks::{Block, BlockPattern};

/// The configuration of all nodes at a time: rest positions and displacements.
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
    /// Current position of a node, m.
    #[inline(always)]
    pub fn position(&self, i: usize) -> [f64; 3] {
        [0, 1, 2].map(|k| self.rest[i][k] + self.u[i][k])
    }
}

/// Positions at which the matrix of Rayleigh's stiffness damping β K is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DampingRate {
    /// At the positions of the stage: every method keeps its order.
    #[default]
    Implicit,
    /// At the start of the step: every method is first-order accurate under a nonlinear law.
    Frozen,
}

/// Rayleigh's stiffness damping: a force −β K v, with negative eigenvalues of each stencil's K raised to zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StiffnessDamping {
    /// β, s.
    pub factor: f64,
    /// Positions at which K is evaluated.
    pub rate: DampingRate,
}

impl StiffnessDamping {
    /// Returns β if it is positive and has this rate.
    pub fn factor_of(&self, rate: DampingRate) -> Option<f64> {
        (self.factor > 0.0 && self.rate == rate).then_some(self.factor)
    }
}

/// Output quantities of elements, one number per element in the order of construction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ElementMeasures {
    /// Energy density, J/m³.
    pub energy_density: Vec<f64>,
    /// Von Mises stress, Pa.
    pub von_mises: Vec<f64>,
}

/// Search for the element that is the first to reach a forbidden state on a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathSearch {
    /// Number of elements searched so far.
    pub seen: usize,
    /// Smallest admissible fraction of the path over these elements.
    pub fraction: f64,
    /// The element with this fraction, in the order of [`ElementMeasures`]; `None` if the whole path is admissible.
    pub element: Option<usize>,
}

/// Search for the inverted element with the smallest det F.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InversionSearch {
    /// Number of elements searched so far.
    pub seen: usize,
    /// det F of the element found, at the integration point where it is smallest; 0 if there is none.
    pub det_f: f64,
    /// The element, in the order of [`ElementMeasures`]; `None` if det F is positive in all elements so far.
    pub element: Option<usize>,
}

impl InversionSearch {
    /// Returns `true` if det F is not positive and smaller than that of all elements searched so far.
    pub fn is_worse(&self, det_f: f64) -> bool {
        det_f <= 0.0 && (self.element.is_none() || det_f < self.det_f)
    }
}

/// The node pairs that a potential couples, and their matrix blocks.
pub trait Stencils {
    /// Appends the pairs of different nodes whose forces depend on each other. It is not called for a potential that
    /// [changes its stencils](Stencils::changes_stencils).
    fn append_pairs(&self, pairs: &mut Vec<(u32, u32)>);

    /// Looks up its matrix blocks: once, or after every [`Stencils::active_pairs`] if it changes its stencils. The pattern
    /// has all pairs announced since the start of the step.
    fn bind(&mut self, pattern: &BlockPattern);

    /// Looks up the diagonal blocks of its nodes on the static pattern, which has all of them. It is called once, for a
    /// potential that changes its stencils.
    fn bind_diagonal(&mut self, _pattern: &BlockPattern) {}

    /// Returns `true` if its stencils depend on positions. The value is constant.
    fn changes_stencils(&self) -> bool {
        false
    }

    /// Appends the pairs of different nodes whose forces depend on each other at these positions. A superset is allowed,
    /// but every pair costs a block. It is called before every stiffness or damping matrix at the same positions, but not
    /// before energies and forces. For local/global iterations it is called at the start of a step and gives the pairs of
    /// the constant matrix of that step.
    fn active_pairs(&mut self, _x: &Configuration, _pairs: &mut Vec<(u32, u32)>) {}

    /// Appends the edges of its stencils; step control can limit their change of length.
    fn edges(&self, _out: &mut Vec<(u32, SpringEnd)>) {}
}

/// The damping of a potential: Rayleigh's stiffness damping, viscosity, and dampers. All of it may depend on positions and
/// velocities. The default methods are those of a potential without damping.
pub trait Dissipation {
    /// Rayleigh's stiffness damping of the stencils.
    fn stiffness_damping(&self) -> StiffnessDamping {
        StiffnessDamping::default()
    }

    /// Returns `true` if the potential implements [`Dissipation::add_viscosity`].
    fn has_viscosity(&self) -> bool {
        false
    }

    /// Adds the viscosity matrix D at these positions: symmetric, positive semi-definite, with dissipation function
    /// ½ vᵀD v.
    fn add_viscosity(&mut self, _x: &Configuration, _d: &mut [Block]) {}

    /// Returns `true` if the potential has dampers: velocity-dependent forces beside stiffness damping and viscosity.
    fn has_dampers(&self) -> bool {
        false
    }

    /// Returns `true` if its dampers depend on positions. They are then evaluated at the positions of the last
    /// [`march::PositionDamping::update_damping`], which lag inside an iteration.
    fn dampers_depend_on_positions(&self) -> bool {
        false
    }

    /// Dissipation function of its dampers: half the dissipated power if they are linear, W.
    fn dissipation(&mut self, _x: &Configuration, _v: &[[f64; 3]]) -> f64 {
        0.0
    }

    /// Adds the forces of its dampers. Returns the sum of squares of the damper forces, like [`Potential::add_force`].
    fn add_damping_force(
        &mut self,
        _x: &Configuration,
        _v: &[[f64; 3]],
        _f: &mut [[f64; 3]],
    ) -> f64 {
        0.0
    }

    /// Adds −∂f/∂v of its dampers to the blocks.
    fn add_damping(&mut self, _x: &Configuration, _v: &[[f64; 3]], _d: &mut [Block]) {}

    /// Returns `true` if its dampers are friction. Their power is booked as such, and their lag is a state of the potential:
    /// what is evaluated at positions stays that of the last [`Dissipation::lag_dampers`] or
    /// [`Dissipation::freeze_dampers`], whichever it implements.
    fn has_friction(&self) -> bool {
        false
    }

    /// Evaluates at these positions what dampers that depend on positions take from there.
    fn lag_dampers(&mut self, _x: &Configuration) {}

    /// Moves the result of the last [`Dissipation::lag_dampers`] only this fraction of the way from the one before.
    fn relax_dampers(&mut self, _factor: f64) {}

    /// Evaluates at these positions what dampers take from the start of a step. Returns `true` if it implements this.
    fn freeze_dampers(&mut self, _x: &Configuration) -> bool {
        false
    }

    /// Returns the powers of friction at these velocities.
    fn friction_powers(&mut self, _x: &Configuration, _v: &[[f64; 3]]) -> FrictionPowers {
        FrictionPowers::default()
    }
}

/// Force and moment that a support exerts on the nodes that it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reaction {
    /// Force, N.
    pub force: [f64; 3],
    /// Moment about the origin, N m.
    pub moment: [f64; 3],
}

impl Reaction {
    /// Adds the force on a node at this position.
    pub fn add(&mut self, position: [f64; 3], force: [f64; 3]) {
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            self.force[k] += force[k];
            self.moment[k] += position[i] * force[j] - position[j] * force[i];
        }
    }
}

/// A row of a stiffness: the second derivative `stiffness` · c cᵀ with c = `normal` times the weight of each node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeRow {
    /// Nodes and weights; those with weight 0 are unused.
    pub nodes: [(u32, f64); 4],
    /// Unit vector.
    pub normal: [f64; 3],
    /// Stiffness, N/m.
    pub stiffness: f64,
}

/// A potential energy, summed over stencils of nodes, and its derivatives.
pub trait Potential: Stencils + Dissipation + Send + Sync {
    /// Energy, J; +∞ at forbidden states, never NaN for finite positions.
    fn energy(&mut self, x: &Configuration) -> f64;

    /// Returns `true` if some states are forbidden, with energy +∞.
    fn forbids(&self) -> bool {
        false
    }

    /// Returns the largest admissible fraction of the straight path of all nodes between two configurations: no state up to
    /// and including that fraction is forbidden. It is 1 if the whole path is admissible, 0 if its start is forbidden.
    fn max_step(&mut self, _from: &Configuration, _to: &Configuration) -> f64 {
        1.0
    }

    /// Lowers the fraction of the path that each node takes to what this potential allows. Returns `false` if it cannot tell
    /// single nodes or bodies apart.
    fn limit_parts(
        &mut self,
        _from: &Configuration,
        _to: &Configuration,
        _fractions: &mut [f64],
    ) -> bool {
        false
    }

    /// Moves the ends of the paths of nodes near obstacles to where the barrier carries what its linearisation would carry at the end of
    /// the path. `end` holds displacements; `resistance` is that of each node along each axis, N/m. Returns `false` if nothing
    /// was moved.
    fn settle_nodes(
        &mut self,
        _from: &Configuration,
        _end: &mut [[f64; 3]],
        _resistance: &[[f64; 3]],
    ) -> bool {
        false
    }

    /// Returns a distance by which every node can move from here, each in any direction, without reaching a forbidden
    /// state, or 0 if no such distance is known. Paths within this distance need no further check.
    fn free_radius(&mut self, _x: &Configuration) -> f64 {
        if self.forbids() { 0.0 } else { f64::INFINITY }
    }

    /// Updates the search with the element of this potential that inverts first on a path.
    fn find_first_inverted(
        &self,
        _from: &Configuration,
        _to: &Configuration,
        _search: &mut PathSearch,
    ) {
    }

    /// Adds −∂E/∂u to the forces. Returns the sum of squares of the stencil forces, before they cancel at nodes.
    fn add_force(&mut self, x: &Configuration, f: &mut [[f64; 3]]) -> f64;

    /// Adds factor · ∂²E/∂u², exact or definite, to the blocks.
    fn add_stiffness(&mut self, x: &Configuration, factor: f64, c: Curvature, k: &mut [Block]);

    /// Returns `true` if its energy has the form Σ w/2 min_p ‖G x − p‖² of local/global iterations
    /// [Dinev et al. 2018, eq. 26].
    fn is_projective(&self) -> bool {
        false
    }

    /// Adds `stiffness` · w GᵀG of its stencils and `damping` times the same of its dampers, one number per block: both act
    /// on x, y and z in the same way.
    fn add_laplacian(&self, _stiffness: f64, _damping: f64, _l: &mut [f64]) {}

    /// Evaluates what stays constant during a step, such as frozen rotations, at these positions. Returns `true` if this
    /// changed the force.
    fn freeze(&mut self, _x: &Configuration) -> bool {
        false
    }

    /// Returns the change of the energy, J, by the last [`Potential::freeze`] that is booked as contact; 0 for other laws.
    fn energy_change_of_freeze(&self) -> f64 {
        0.0
    }

    /// Appends energy density and von Mises stress of its elements.
    fn element_measures(&self, _x: &Configuration, _out: &mut ElementMeasures) {}

    /// Updates the search with the element of this potential that has the smallest det F.
    fn find_most_compressed(&self, _x: &Configuration, _search: &mut MostCompressedSearch) {}

    /// Updates the search with the element of this potential that has the smallest det F, if that is not positive.
    fn find_most_inverted(&mut self, _x: &Configuration, _search: &mut InversionSearch) {}

    /// Returns the first time after `t` at which the motion of an anchor has a kink, s; infinity if there is none.
    fn next_kink(&self, _t: f64) -> f64 {
        f64::INFINITY
    }

    /// Returns the force and moment that its anchors exert on the nodes; `None` for a potential without anchors.
    fn anchor_reaction(&self, _x: &Configuration) -> Option<Reaction> {
        None
    }

    /// Work of moving anchors between two configurations by the trapezoidal rule, J.
    fn anchor_work(&self, _from: &Configuration, _to: &Configuration) -> f64 {
        0.0
    }

    /// Power of moving anchors: ∂E/∂t at fixed positions, W.
    fn anchor_power(&mut self, _x: &Configuration) -> f64 {
        0.0
    }

    /// Adds ∂f/∂t at fixed positions, due to moving anchors.
    fn add_force_rate(&mut self, _x: &Configuration, _rate: &mut [[f64; 3]]) {}

    /// Returns the bonds, or `None` for another potential.
    fn bonds(&self) -> Option<&Bonds> {
        None
    }

    /// Returns the bonds, or `None` for another potential.
    fn bonds_mut(&mut self) -> Option<&mut Bonds> {
        None
    }

    /// Returns what a contact potential tells, or `None` for another potential.
    fn contact(&mut self) -> Option<&mut dyn ContactReport> {
        None
    }

    /// Returns the barriers, or `None` for another potential.
    fn barrier(&mut self) -> Option<&mut BarrierContact> {
        None
    }

    /// Returns `true` if this is a barrier without friction and something was within its reach at the last evaluation.
    fn frictionless_barrier_acts(&self) -> bool {
        false
    }

    /// Returns the penalty contact, or `None` for another potential.
    fn penalty(&mut self) -> Option<&mut PenaltyContact> {
        None
    }

    /// Appends the rows of its stiffness that act at these positions, if a projective potential adds them to the constant matrix
    /// of local/global iterations instead of [`Potential::add_laplacian`].
    fn stiff_rows(&mut self, _x: &Configuration, _out: &mut Vec<NodeRow>) {}

    /// Returns `true` if its stiffness consists of [`Potential::stiff_rows`].
    fn has_stiff_rows(&self) -> bool {
        false
    }

    /// Excludes a group from contact while its body waits to appear, or includes it; other potentials do nothing.
    fn set_waiting(&mut self, _group: u32, _waits: bool) {}

    /// Appends what the next step depends on beside positions and velocities.
    fn save(&self, _out: &mut Vec<u8>) {}

    /// Restores what [`Potential::save`] wrote at the front of `saved` and removes it; returns `false` if it does not fit.
    fn load(&mut self, _saved: &mut &[u8]) -> bool {
        true
    }
}
