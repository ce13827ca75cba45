//! A few masses in a field of force with a potential: M a = −∇E(u).

use march::ledger::{Energy, Powers};
use march::{At, Curvature, StateMeasures, System, Weights};
use sparse::{Matrix, Pattern};

/// A potential of a few unknowns.
pub trait Law {
    /// E(u).
    fn energy(&self, u: &[f64]) -> f64;

    /// ∂E/∂uᵢ.
    fn slope(&self, u: &[f64], i: usize) -> f64;

    /// ∂²E/∂uᵢ∂uⱼ, or of the nearest convex function.
    fn curvature(&self, u: &[f64], i: usize, j: usize, c: Curvature) -> f64;
}

/// Masses in the field of a law.
pub struct Field<L> {
    mass: Matrix,
    stiffness: Matrix,
    /// The law.
    pub law: L,
    scale: f64,
}

impl<L: Law> Field<L> {
    /// Masses coupled by a full symmetric matrix.
    pub fn new(n: usize, mass: impl Fn(usize, usize) -> f64, law: L) -> Field<L> {
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let mut matrix = Matrix::new(Pattern::new(n, pairs));
        fill(&mut matrix, mass);
        Field {
            stiffness: matrix.clone(),
            mass: matrix,
            law,
            scale: 0.0,
        }
    }

    /// ½ vᵀM v + E(u).
    pub fn hamiltonian(&self, u: &[f64], v: &[f64]) -> f64 {
        0.5 * self.mass.quadratic(v, v) + self.law.energy(u)
    }
}

fn fill(matrix: &mut Matrix, value: impl Fn(usize, usize) -> f64) {
    for i in 0..matrix.n() {
        for j in 0..=i {
            if let Some(k) = matrix.pattern().find(i, j) {
                matrix.values_mut()[k] = value(i, j);
            }
        }
    }
}

impl<L: Law> System for Field<L> {
    fn dofs(&self) -> usize {
        self.mass.n()
    }

    fn mass(&self) -> &Matrix {
        &self.mass
    }

    fn force(&mut self, at: At, f: &mut [f64]) {
        for (i, f) in f.iter_mut().enumerate() {
            *f = -self.law.slope(at.u, i);
        }
        self.scale = f.iter().map(|f| f * f).sum::<f64>().sqrt();
    }

    fn tangent(&mut self, at: At, w: Weights, c: Curvature, out: &mut Matrix) {
        let law = &self.law;
        fill(&mut self.stiffness, |i, j| law.curvature(at.u, i, j, c));
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
        Some(self.law.energy(u))
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

impl<L: Law> StateMeasures for Field<L> {
    fn energy_at(&mut self, at: At) -> Energy {
        Energy {
            kinetic: 0.5 * self.mass.quadratic(at.v, at.v),
            strain: self.law.energy(at.u),
            ..Energy::default()
        }
    }

    fn powers(&mut self, at: At, a: &[f64]) -> Powers {
        let slope = (0..at.u.len()).map(|i| self.law.slope(at.u, i) * at.v[i]);
        let gradient: f64 = slope.sum();
        Powers {
            residual: self.mass.quadratic(a, at.v) + gradient,
            ..Powers::default()
        }
    }
}
