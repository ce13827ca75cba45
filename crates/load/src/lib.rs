//! External loads: forces on nodes that do not derive from a potential of the model.
//!
//! A load gives its force f(t, x, v) and the derivatives of that force; the model sums all loads through the [`Load`]
//! trait. Each load has a file of its own.
//!
//! A push of 2 N on two nodes for half a second:
//!
//! ```
//! use load::{ForceSum, Load, LoadState, Push};
//!
//! let push = Push { nodes: vec![0, 2], force: [0.0, 2.0, 0.0], from: 0.0, to: 0.5 };
//! let (x, v) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
//! let mut force = [[0.0; 3]; 3];
//! push.add_force(&LoadState { t: 0.1, x: &x, v: &v }, &mut ForceSum::onto(&mut force));
//! assert_eq!(force.map(|f| f[1]), [1.0, 0.0, 1.0]);
//! assert_eq!(push.next_kink(0.1), 0.5);
//! ```

mod node_forces;
mod push;
mod surface;
mod wind;

pub use motion::TimeCourse;
pub use node_forces::NodeForces;
pub use push::Push;
pub use surface::{DeadTraction, FollowerPressure, SurfaceFaces};
pub use wind::{Wind, WindLoad};

use march::Curvature;

use sparse::blocks::{Block, BlockPattern};

/// The state at which a load is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct LoadState<'a> {
    /// Time, s.
    pub t: f64,
    /// Positions of all nodes, m.
    pub x: &'a [[f64; 3]],
    /// Velocities of all nodes, m/s.
    pub v: &'a [[f64; 3]],
}

/// Sum of the forces of loads on all nodes.
#[derive(Debug)]
pub struct ForceSum<'a> {
    /// Force on each node, N.
    pub nodes: &'a mut [[f64; 3]],
    /// Sum of the squares of all added forces, before forces on one node cancel, N².
    pub squares: f64,
    /// Factor of every force: 1, or the load factor of statics.
    factor: f64,
}

impl<'a> ForceSum<'a> {
    /// Starts a sum on top of the forces in `nodes`, whose squares do not count.
    pub fn onto(nodes: &'a mut [[f64; 3]]) -> ForceSum<'a> {
        ForceSum::scaled_onto(nodes, 1.0)
    }

    /// Starts a sum of forces that are multiplied by a factor.
    pub fn scaled_onto(nodes: &'a mut [[f64; 3]], factor: f64) -> ForceSum<'a> {
        ForceSum {
            nodes,
            squares: 0.0,
            factor,
        }
    }

    /// Adds a force on one node.
    #[inline]
    pub fn add(&mut self, node: u32, force: [f64; 3]) {
        let sum = &mut self.nodes[node as usize];
        for k in 0..3 {
            let force = force[k] * self.factor;
            sum[k] += force;
            self.squares += force * force;
        }
    }
}

/// An external force and its derivatives.
///
/// The force of a dead load depends on time only, and its potential −f·u is exact. Any other load depends on positions or
/// velocities ([`Load::depends_on_state`]). The incremental potential takes it as a dead load with the force of its last
/// evaluation, and [`march::System::has_lagged_potential`] is then `true`.
pub trait Load: Send + Sync {
    /// Returns `false` if the force is always zero; the model then drops the load.
    fn is_active(&self) -> bool {
        true
    }

    /// Returns `true` if the force depends on positions or velocities, `false` for a dead load.
    fn depends_on_state(&self) -> bool;

    /// Adds the force at a state. The power of the load is the product of this force with the velocities.
    fn add_force(&self, at: &LoadState, sum: &mut ForceSum);

    /// Adds ∂f/∂t at a state.
    fn add_force_rate(&self, _at: &LoadState, _rate: &mut [[f64; 3]]) {}

    /// Appends the pairs of different nodes that share a block of [`Load::add_stiffness`] or [`Load::add_damping`].
    fn append_pairs(&self, _pairs: &mut Vec<(u32, u32)>) {}

    /// Looks up the matrix blocks of its pairs. It is called once.
    fn bind(&mut self, _pattern: &BlockPattern) {}

    /// Adds the symmetric part of −∂f/∂x to the blocks, with negative eigenvalues raised to zero if `c` asks for a
    /// definite matrix. A load that omits it, or parts of it, slows Newton's method down and lowers the order of linearised
    /// methods, but does not change the solution of a converged iteration.
    fn add_stiffness(&self, _at: &LoadState, _c: Curvature, _k: &mut [Block]) {}

    /// Returns `true` if the load implements [`Load::add_antisymmetric_stiffness`].
    fn has_antisymmetric_stiffness(&self) -> bool {
        false
    }

    /// Adds the antisymmetric part of −∂f/∂x to the blocks ([`sparse::blocks::add_antisymmetric_block`]). Newton's method
    /// uses it if no potential is minimised and the linear solver is LU.
    fn add_antisymmetric_stiffness(&self, _at: &LoadState, _k: &mut [Block]) {}

    /// Returns `true` if the load implements [`Load::add_damping`].
    fn has_damping(&self) -> bool {
        false
    }

    /// Adds the symmetric part of −∂f/∂v to the blocks.
    fn add_damping(&self, _at: &LoadState, _d: &mut [Block]) {}

    /// Returns the first time after `t` at which the force jumps or has a kink in time, s; infinity if there is none.
    fn next_kink(&self, _t: f64) -> f64 {
        f64::INFINITY
    }
}

/// All loads of a model, sorted into dead and state-dependent ones.
#[derive(Default)]
pub struct Loads {
    /// Loads whose force depends on time only.
    pub dead: Vec<Box<dyn Load>>,
    /// Loads whose force depends on positions or velocities.
    pub state_dependent: Vec<Box<dyn Load>>,
}

impl Loads {
    /// Sorts the loads by [`Load::depends_on_state`] and drops inactive ones.
    pub fn new(loads: Vec<Box<dyn Load>>) -> Loads {
        let active = loads.into_iter().filter(|load| load.is_active());
        let (state_dependent, dead) = active.partition(|load| load.depends_on_state());
        Loads {
            dead,
            state_dependent,
        }
    }

    /// Iterates over all loads: dead ones first, each kind in the given order.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Load> {
        let all = self.dead.iter().chain(&self.state_dependent);
        all.map(|load| load.as_ref())
    }

    /// Looks up the matrix blocks of every load.
    pub fn bind(&mut self, pattern: &BlockPattern) {
        let all = self.dead.iter_mut().chain(&mut self.state_dependent);
        all.for_each(|load| load.bind(pattern));
    }
}
