//! Chain with an internal variable.

use march::ledger::{Energy, Powers};
use march::{
    AdmissiblePaths, At, Change, ConstantMatrix, Curvature, Positions, RepeatedMatrix, State,
    StateMeasures, System, Weights,
};
use problems::Chain;
use sparse::Matrix;

/// Chain whose last mass hangs on an elastic, perfectly plastic spring from the wall.
///
/// The spring has the plastic elongation q of the last committed step. At the displacement u it carries the trial force
/// k (u − q), limited by the yield force Y, and the plastic elongation q′ that corresponds to this force (return
/// mapping). The force is the derivative of the potential ½ k (u − q′)² + Y |q′ − q|, which is convex in u. Only
/// [`System::commit`] makes q′ history.
#[derive(Clone, Debug)]
pub struct ElastoplasticChain {
    chain: Chain,
    /// Stiffness k, N/m.
    stiffness: f64,
    /// Yield force Y, N.
    yield_force: f64,
    /// Plastic elongation q, m.
    pub plastic: f64,
    /// Tangent stiffness of the spring at the last [`System::tangent`].
    slope: f64,
    /// Whether every displacement is forbidden, which makes steps fail.
    pub blocks_paths: bool,
    /// Whether [`System::prepare`] reports no change, a changed force and a changed law in turn, for some time each.
    pub announces_changes: bool,
    /// Rate at which velocities are damped after a step, 1/s; no damping if zero.
    pub velocity_damping: f64,
}

/// Time for which [`System::prepare`] reports the same change, s.
const CHANGE_INTERVAL: f64 = 0.02;

impl ElastoplasticChain {
    /// Creates the chain with the spring at rest.
    pub fn new(chain: Chain) -> ElastoplasticChain {
        ElastoplasticChain {
            chain,
            stiffness: 20.0,
            yield_force: 0.4,
            plastic: 0.0,
            slope: 0.0,
            blocks_paths: false,
            announces_changes: false,
            velocity_damping: 0.0,
        }
    }

    /// Returns the plastic elongation q′ at this displacement of the last mass.
    fn plastic_elongation(&self, u: f64) -> f64 {
        let trial = self.stiffness * (u - self.plastic);
        if trial.abs() <= self.yield_force {
            self.plastic
        } else {
            u - self.yield_force.copysign(trial) / self.stiffness
        }
    }

    fn spring_force(&self, u: &[f64]) -> f64 {
        let u = last(u);
        self.stiffness * (u - self.plastic_elongation(u))
    }

    fn elastic(&self, u: f64) -> f64 {
        0.5 * self.stiffness * (u - self.plastic_elongation(u)).powi(2)
    }
}

fn last(x: &[f64]) -> f64 {
    x[x.len() - 1]
}

/// Adds to the last diagonal entry.
fn add_last(matrix: &mut Matrix, x: f64) {
    let n = matrix.n();
    let index = matrix.pattern().find(n - 1, n - 1).unwrap();
    matrix.values_mut()[index] += x;
}

impl System for ElastoplasticChain {
    fn dofs(&self) -> usize {
        self.chain.dofs()
    }

    fn mass(&self) -> &Matrix {
        self.chain.mass()
    }

    fn force(&mut self, at: At, f: &mut [f64]) {
        self.chain.force(at, f);
        f[at.u.len() - 1] -= self.spring_force(at.u);
    }

    fn tangent(&mut self, at: At, w: Weights, c: Curvature, out: &mut Matrix) {
        self.chain.tangent(at, w, c, out);
        let u = last(at.u);
        self.slope = match self.plastic_elongation(u) == self.plastic {
            true => self.stiffness,
            false => 0.0,
        };
        add_last(out, w.stiffness * self.slope);
    }

    fn zero_matrix(&self) -> Matrix {
        self.chain.zero_matrix()
    }

    fn tangent_times(&mut self, du: &[f64], dv: &[f64], y: &mut [f64]) {
        self.chain.tangent_times(du, dv, y);
        y[du.len() - 1] += self.slope * last(du);
    }

    fn force_rate(&mut self, at: At, ft: &mut [f64]) {
        self.chain.force_rate(at, ft);
    }

    fn potential(&mut self, t: f64, u: &[f64]) -> Option<f64> {
        let slid = self.plastic_elongation(last(u)) - self.plastic;
        let spring = self.elastic(last(u)) + self.yield_force * slid.abs();
        self.chain.potential(t, u).map(|chain| chain + spring)
    }

    fn dissipation(&mut self, t: f64, v: &[f64]) -> Option<f64> {
        self.chain.dissipation(t, v)
    }

    fn force_scale(&self) -> f64 {
        self.chain.force_scale()
    }

    /// Reports changes that do not happen: they cause more work and the same result.
    fn prepare(&mut self, at: At) -> Change {
        let phase = (at.t / CHANGE_INTERVAL + 1e-6).floor() as u64 % 3;
        match (self.announces_changes, phase) {
            (true, 1) => Change::Force,
            (true, 2) => Change::Law,
            _ => self.chain.prepare(at),
        }
    }

    fn apply_velocity_damping(&mut self, h: f64, s: &mut State) -> Option<f64> {
        if self.velocity_damping == 0.0 {
            return None;
        }
        let before = self.energy_at(s.at()).total();
        let factor = (-self.velocity_damping * h).exp();
        s.v.iter_mut().for_each(|v| *v *= factor);
        Some(self.energy_at(s.at()).total() - before)
    }

    fn commit(&mut self, at: At) {
        self.plastic = self.plastic_elongation(last(at.u));
    }

    fn save(&self, out: &mut Vec<u8>) {
        out.extend(self.plastic.to_le_bytes());
    }

    fn load(&mut self, saved: &[u8]) -> bool {
        match saved.try_into() {
            Ok(bytes) => self.plastic = f64::from_le_bytes(bytes),
            Err(_) => return false,
        }
        true
    }

    fn state_measures(&mut self) -> Option<&mut dyn StateMeasures> {
        Some(self)
    }

    fn constant_matrix(&mut self) -> Option<&mut dyn ConstantMatrix> {
        Some(self)
    }

    fn admissible_paths(&mut self) -> Option<&mut dyn AdmissiblePaths> {
        self.blocks_paths
            .then_some(self as &mut dyn AdmissiblePaths)
    }
}

impl StateMeasures for ElastoplasticChain {
    fn energy_at(&mut self, at: At) -> Energy {
        let mut energy = self.chain.energy_at(at);
        energy.strain += self.elastic(last(at.u));
        energy
    }

    fn powers(&mut self, at: At, a: &[f64]) -> Powers {
        let mut powers = self.chain.powers(at, a);
        powers.residual += self.spring_force(at.u) * last(at.v);
        powers
    }
}

impl ConstantMatrix for ElastoplasticChain {
    fn zero_constant_matrix(&self) -> RepeatedMatrix {
        RepeatedMatrix {
            matrix: self.zero_matrix(),
            copies: 1,
        }
    }

    /// Assembles the tangent of a linear chain with the stiffness and damping that this one has at elongations and
    /// rates of 1, with the spring in its elastic state.
    fn constant_tangent(&mut self, w: Weights, out: &mut RepeatedMatrix) {
        let mut bound = self.chain.clone().cubic(0.0, 0.0);
        bound.stiffness += 3.0 * self.chain.hardening;
        bound.damping += 3.0 * self.chain.cubic_damping;
        let rest = vec![0.0; self.dofs()];
        let at = At {
            t: 0.0,
            u: &rest,
            v: &rest,
        };
        bound.tangent(at, w, Curvature::Exact, &mut out.matrix);
        add_last(&mut out.matrix, w.stiffness * self.stiffness);
    }
}

impl AdmissiblePaths for ElastoplasticChain {
    fn max_step(&mut self, from: Positions, to: Positions) -> f64 {
        f64::from(from.u == to.u)
    }
}
