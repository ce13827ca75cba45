//! [`Chain`]: masses on nonlinear springs and dampers, with the load that makes a given motion exact.

use march::ledger::{Energy, Powers};
use march::vector::dot;
use march::{At, Curvature, State, StateMeasures, System, Weights};
use sparse::{Matrix, Pattern};

/// Chain of masses between a wall and a free end, with a coupled mass matrix, hardening springs, linear and cubic
/// dampers, and the load that makes u_i(t) = A_i sin(w_i t + p_i) the exact motion.
///
/// Spring j has the elongation s = u_j − u_(j−1) and the force k s + k₃ s³; its damper has the force c ṡ + c₃ ṡ³. The
/// mass matrix is that of linear bar elements, 4/6 on and 1/6 beside the diagonal. With k ≫ 1 it is a mechanical
/// Prothero–Robinson problem [Prothero & Robinson 1974], which shows order reduction.
#[derive(Clone, Debug)]
pub struct Chain {
    mass: Matrix,
    /// Linear stiffness k, N/m.
    pub stiffness: f64,
    /// Hardening k₃, N/m³.
    pub hardening: f64,
    /// Linear damping c, N s/m.
    pub damping: f64,
    /// Cubic damping c₃, N s³/m³.
    pub cubic_damping: f64,
    /// Amplitude, angular frequency and phase of each mass; no load acts if it is empty.
    pub motion: Vec<[f64; 3]>,
    tangent: [Matrix; 2],
    scale: f64,
}

impl Chain {
    /// Creates a chain of `n` unit masses at unit stiffness without damping, hardening or load.
    pub fn new(n: usize) -> Chain {
        let pattern = Pattern::new(n, (1..n).map(|i| (i, i - 1)));
        let mut mass = Matrix::new(pattern.clone());
        for i in 0..n {
            add_entry(&mut mass, i, i, if n == 1 { 1.0 } else { 4.0 / 6.0 });
            if i > 0 {
                add_entry(&mut mass, i, i - 1, 1.0 / 6.0);
            }
        }
        let tangent = [Matrix::new(pattern.clone()), Matrix::new(pattern)];
        Chain {
            mass,
            stiffness: 1.0,
            hardening: 0.0,
            damping: 0.0,
            cubic_damping: 0.0,
            motion: Vec::new(),
            tangent,
            scale: 0.0,
        }
    }

    /// Creates one mass on a spring with angular frequency `w`: q̈ + w² q = 0 ([Ascher et al. 2021, eq. 10], corrected:
    /// docs/references.md, E9).
    pub fn oscillator(w: f64) -> Chain {
        Chain {
            stiffness: w * w,
            ..Chain::new(1)
        }
    }

    /// Creates the forced, damped, nonlinear chain with coupled masses on which work is counted.
    pub fn forced() -> Chain {
        Chain {
            stiffness: 4.0,
            hardening: 12.0,
            damping: 0.3,
            cubic_damping: 1.5,
            motion: vec![[0.7, 1.1, 0.3], [-0.5, 1.7, 1.0], [0.9, 0.8, -0.4]],
            ..Chain::new(3)
        }
    }

    /// Creates the chain on which orders are measured: like [`Chain::forced`] with lower stiffness and damping, which makes
    /// errors asymptotic at steps well above round-off.
    pub fn mild() -> Chain {
        Chain {
            stiffness: 1.0,
            ..Chain::forced().damped(0.1).cubic(4.0, 0.2)
        }
    }

    /// Creates the linear chain of this stiffness that shows order reduction.
    pub fn stiff(stiffness: f64) -> Chain {
        Chain {
            stiffness,
            hardening: 0.0,
            damping: 0.0,
            cubic_damping: 0.0,
            ..Chain::forced()
        }
    }

    /// Replaces the linear damping.
    pub fn damped(self, damping: f64) -> Chain {
        Chain { damping, ..self }
    }

    /// Replaces the cubic terms of springs and dampers; the chain is linear if both are zero.
    pub fn cubic(self, hardening: f64, cubic_damping: f64) -> Chain {
        Chain {
            hardening,
            cubic_damping,
            ..self
        }
    }

    /// Returns the exact state of a forced chain.
    pub fn exact(&self, t: f64) -> State {
        State {
            t,
            u: self.derivative(t, 0),
            v: self.derivative(t, 1),
        }
    }

    /// Returns the k-th time derivative of the exact motion.
    fn derivative(&self, t: f64, k: i32) -> Vec<f64> {
        let quarter = std::f64::consts::FRAC_PI_2;
        self.motion
            .iter()
            .map(|[a, w, p]| a * w.powi(k) * (w * t + p + f64::from(k) * quarter).sin())
            .collect()
    }

    /// Adds the force of every spring to `y`; `law` gives the force of an elongation.
    fn add_spring_forces(u: &[f64], y: &mut [f64], law: impl Fn(f64) -> f64) {
        for j in 0..u.len() {
            let p = law(elongation(u, j));
            y[j] -= p;
            if j > 0 {
                y[j - 1] += p;
            }
        }
    }

    /// Returns the load that makes the motion exact.
    fn load_at(&self, t: f64) -> Vec<f64> {
        let (u, v, a) = (
            self.derivative(t, 0),
            self.derivative(t, 1),
            self.derivative(t, 2),
        );
        let mut g = vec![0.0; u.len()];
        self.mass.times(&a, &mut g);
        let mut inner = vec![0.0; u.len()];
        self.internal_forces(&u, &v, &mut inner);
        g.iter_mut().zip(&inner).for_each(|(g, f)| *g -= f);
        g
    }

    fn internal_forces(&self, u: &[f64], v: &[f64], y: &mut [f64]) {
        Chain::add_spring_forces(u, y, |s| self.stiffness * s + self.hardening * s * s * s);
        Chain::add_spring_forces(v, y, |s| self.damping * s + self.cubic_damping * s * s * s);
    }
}

fn elongation(u: &[f64], j: usize) -> f64 {
    if j == 0 { u[0] } else { u[j] - u[j - 1] }
}

fn add_entry(m: &mut Matrix, i: usize, j: usize, x: f64) {
    if let Some(k) = m.pattern().find(i, j) {
        m.values_mut()[k] += x;
    }
}

impl Chain {
    /// Returns the total energy: kinetic energy plus strain energy of the springs.
    pub fn energy(&self, s: &State) -> f64 {
        let mut mv = vec![0.0; s.v.len()];
        self.mass.times(&s.v, &mut mv);
        0.5 * dot(&mv, &s.v) + self.strain_energy(&s.u)
    }

    fn strain_energy(&self, u: &[f64]) -> f64 {
        let squares = (0..u.len()).map(|j| elongation(u, j).powi(2));
        squares
            .map(|s2| 0.5 * self.stiffness * s2 + 0.25 * self.hardening * s2 * s2)
            .sum()
    }
}

impl System for Chain {
    fn dofs(&self) -> usize {
        self.mass.n()
    }

    fn mass(&self) -> &Matrix {
        &self.mass
    }

    fn force(&mut self, at: At, f: &mut [f64]) {
        f.fill(0.0);
        self.internal_forces(at.u, at.v, f);
        self.scale = dot(f, f).sqrt();
        if !self.motion.is_empty() {
            f.iter_mut()
                .zip(self.load_at(at.t))
                .for_each(|(f, g)| *f += g);
        }
    }

    fn tangent(&mut self, at: At, w: Weights, _c: Curvature, out: &mut Matrix) {
        let laws = [
            (at.u, self.stiffness, self.hardening),
            (at.v, self.damping, self.cubic_damping),
        ];
        for (matrix, (x, linear, cubic)) in self.tangent.iter_mut().zip(laws) {
            matrix.values_mut().fill(0.0);
            for j in 0..x.len() {
                let slope = linear + 3.0 * cubic * elongation(x, j).powi(2);
                add_entry(matrix, j, j, slope);
                if j > 0 {
                    add_entry(matrix, j - 1, j - 1, slope);
                    add_entry(matrix, j, j - 1, -slope);
                }
            }
        }
        let [stiffness, damping] = &self.tangent;
        out.ensure_pattern(self.mass.pattern());
        for (k, x) in out.values_mut().iter_mut().enumerate() {
            *x = w.mass * self.mass.values()[k]
                + w.damping * damping.values()[k]
                + w.stiffness * stiffness.values()[k];
        }
    }

    fn zero_matrix(&self) -> Matrix {
        Matrix::new(self.mass.pattern().clone())
    }

    fn tangent_times(&mut self, du: &[f64], dv: &[f64], y: &mut [f64]) {
        let [stiffness, damping] = &self.tangent;
        stiffness.times(du, y);
        damping.add_times(1.0, dv, y);
    }

    fn force_rate(&mut self, at: At, ft: &mut [f64]) {
        ft.fill(0.0);
        if self.motion.is_empty() {
            return;
        }
        let [u, v, a, jerk] = [0, 1, 2, 3].map(|k| self.derivative(at.t, k));
        self.mass.times(&jerk, ft);
        for (x, rate, linear, cubic) in [
            (&u, &v, self.stiffness, self.hardening),
            (&v, &a, self.damping, self.cubic_damping),
        ] {
            for j in 0..x.len() {
                let p = (linear + 3.0 * cubic * elongation(x, j).powi(2)) * elongation(rate, j);
                ft[j] += p;
                if j > 0 {
                    ft[j - 1] -= p;
                }
            }
        }
    }

    fn potential(&mut self, t: f64, u: &[f64]) -> Option<f64> {
        let load = if self.motion.is_empty() {
            0.0
        } else {
            dot(&self.load_at(t), u)
        };
        Some(self.strain_energy(u) - load)
    }

    fn dissipation(&mut self, _t: f64, v: &[f64]) -> Option<f64> {
        let dampers = (0..v.len())
            .map(|j| elongation(v, j).powi(2))
            .map(|s2| 0.5 * self.damping * s2 + 0.25 * self.cubic_damping * s2 * s2);
        Some(dampers.sum())
    }

    fn force_scale(&self) -> f64 {
        self.scale
    }

    fn state_measures(&mut self) -> Option<&mut dyn StateMeasures> {
        Some(self)
    }
}

impl StateMeasures for Chain {
    fn energy_at(&mut self, at: At) -> Energy {
        Energy {
            kinetic: 0.5 * self.mass.bilinear_form(at.v, at.v),
            strain: self.strain_energy(at.u),
            ..Energy::default()
        }
    }

    fn powers(&mut self, at: At, a: &[f64]) -> Powers {
        let n = self.dofs();
        let (mut f, mut ma, mut damped) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        self.force(at, &mut f);
        self.mass.times(a, &mut ma);
        Chain::add_spring_forces(at.v, &mut damped, |s| {
            self.damping * s + self.cubic_damping * s * s * s
        });
        let residual = dot(&ma, at.v) - dot(&f, at.v);
        let work = if self.motion.is_empty() {
            0.0
        } else {
            dot(&self.load_at(at.t), at.v)
        };
        Powers {
            damping: dot(&damped, at.v),
            work,
            residual,
            ..Powers::default()
        }
    }
}
