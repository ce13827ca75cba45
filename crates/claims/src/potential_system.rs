//! A mechanical system of a few unknowns with a potential energy, M a = −∇E(u), for results with closed forms.

use march::ledger::{Energy, Powers};
use march::{At, Curvature, StateMeasures, System, Weights};
use sparse::{Matrix, Pattern};

/// The potential energy of a few unknowns with its derivatives.
pub trait PotentialEnergy {
    /// Returns E(u).
    fn energy(&self, u: &[f64]) -> f64;

    /// Returns ∂E/∂uᵢ.
    fn derivative(&self, u: &[f64], i: usize) -> f64;

    /// Returns ∂²E/∂uᵢ∂uⱼ, or that of the nearest convex function for [`Curvature::Definite`].
    fn second_derivative(&self, u: &[f64], i: usize, j: usize, c: Curvature) -> f64;
}

/// A system M a = −∇E(u) with a full mass matrix.
pub struct PotentialSystem<L> {
    mass: Matrix,
    stiffness: Matrix,
    /// The potential energy.
    pub potential: L,
    scale: f64,
}

impl<L: PotentialEnergy> PotentialSystem<L> {
    /// Creates a system with the given entries of the mass matrix.
    pub fn new(n: usize, mass: impl Fn(usize, usize) -> f64, potential: L) -> PotentialSystem<L> {
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let mut matrix = Matrix::new(Pattern::new(n, pairs));
        fill(&mut matrix, mass);
        PotentialSystem {
            stiffness: matrix.clone(),
            mass: matrix,
            potential,
            scale: 0.0,
        }
    }

    /// Returns the total energy ½ vᵀM v + E(u).
    pub fn hamiltonian(&self, u: &[f64], v: &[f64]) -> f64 {
        0.5 * self.mass.bilinear_form(v, v) + self.potential.energy(u)
    }
}

/// Sets the entries of a full symmetric matrix.
fn fill(matrix: &mut Matrix, value: impl Fn(usize, usize) -> f64) {
    for i in 0..matrix.n() {
        for j in 0..=i {
            if let Some(k) = matrix.pattern().find(i, j) {
                matrix.values_mut()[k] = value(i, j);
            }
        }
    }
}

impl<L: PotentialEnergy> System for PotentialSystem<L> {
    fn dofs(&self) -> usize {
        self.mass.n()
    }

    fn mass(&self) -> &Matrix {
        &self.mass
    }

    fn force(&mut self, at: At, f: &mut [f64]) {
        for (i, f) in f.iter_mut().enumerate() {
            *f = -self.potential.derivative(at.u, i);
        }
        self.scale = f.iter().map(|f| f * f).sum::<f64>().sqrt();
    }

    fn tangent(&mut self, at: At, w: Weights, c: Curvature, out: &mut Matrix) {
        let potential = &self.potential;
        fill(&mut self.stiffness, |i, j| {
            potential.second_derivative(at.u, i, j, c)
        });
        let both = self.mass.values().iter().zip(self.stiffness.values());
        for (x, (m, k)) in out.values_mut().iter_mut().zip(both) {
            *x = w.mass * m + w.stiffness * k;
        }
    }

    fn zero_matrix(&self) -> Matrix {
        Matrix::new(self.mass.pattern().clone())
    }

    fn tangent_times(&mut self, du: &[f64], _dv: &[f64], y: &mut [f64]) {
        self.stiffness.times(du, y);
    }

    fn potential(&mut self, _t: f64, u: &[f64]) -> Option<f64> {
        Some(self.potential.energy(u))
    }

    fn dissipation(&mut self, _t: f64, _v: &[f64]) -> Option<f64> {
        Some(0.0)
    }

    fn force_scale(&self) -> f64 {
        self.scale
    }

    fn state_measures(&mut self) -> Option<&mut dyn StateMeasures> {
        Some(self)
    }
}

impl<L: PotentialEnergy> StateMeasures for PotentialSystem<L> {
    fn energy_at(&mut self, at: At) -> Energy {
        Energy {
            kinetic: 0.5 * self.mass.bilinear_form(at.v, at.v),
            strain: self.potential.energy(at.u),
            ..Energy::default()
        }
    }

    fn powers(&mut self, at: At, a: &[f64]) -> Powers {
        let slope = (0..at.u.len()).map(|i| self.potential.derivative(at.u, i) * at.v[i]);
        let gradient: f64 = slope.sum();
        Powers {
            residual: self.mass.bilinear_form(a, at.v) + gradient,
            ..Powers::default()
        }
    }
}
