//! Checks of forces, matrices and rates of a model against finite differences of fourth order.

use march::{At, Curvature, System, Weights};
use solid::model::Model;

use super::{DAMPING, MASS, STIFFNESS, force, norm, tangent};

/// Largest relative error of a finite difference.
pub const CLOSE: f64 = 2e-8;
/// A time at which all boundaries move.
pub const NOW: f64 = 0.37;

/// d/ds of a vector at s = 0, to fourth order.
pub fn slope(step: f64, mut f: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|s| f(s * step));
    (0..a.len())
        .map(|i| (8.0 * (c[i] - b[i]) - (d[i] - a[i])) / (12.0 * step))
        .collect()
}

pub fn along(x: &[f64], s: f64, d: &[f64]) -> Vec<f64> {
    x.iter().zip(d).map(|(x, d)| x + s * d).collect()
}

pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    norm(&along(a, -1.0, b))
}

/// A model at a state, with a description for messages.
pub struct Case<'a> {
    pub what: &'a str,
    pub model: &'a mut Model,
    pub u: Vec<f64>,
    pub v: Vec<f64>,
    pub step: f64,
}

impl Case<'_> {
    pub fn check(&self, name: &str, got: &[f64], want: &[f64], scale: f64) {
        let error = distance(got, want) / (scale + norm(want));
        assert!(error < CLOSE, "{}: {name} is off by {error:.2e}", self.what);
    }

    /// −f · d = ∂Π/∂u · d + ∂R/∂v · d.
    pub fn potential(&mut self, d: &[f64]) {
        let (u, v, step) = (self.u.clone(), self.v.clone(), self.step);
        let f = force(
            self.model,
            At {
                t: NOW,
                u: &u,
                v: &v,
            },
        );
        let energy = slope(step, |s| {
            vec![self.model.potential(NOW, &along(&u, s, d)).unwrap()]
        });
        let loss = slope(step, |s| {
            vec![self.model.dissipation(NOW, &along(&v, s, d)).unwrap()]
        });
        let work: f64 = f.iter().zip(d).map(|(f, d)| f * d).sum();
        self.check("force", &[-work], &[energy[0] + loss[0]], norm(&f));
    }

    /// K d = −∂f/∂u d, D d = −∂f/∂v d, and matrix-free products.
    pub fn matrices(&mut self, d: &[f64], stiffness: bool) {
        let (u, v, step) = (self.u.clone(), self.v.clone(), self.step);
        let mut y = vec![0.0; d.len()];
        if stiffness {
            let want = slope(step, |s| {
                force(
                    self.model,
                    At {
                        t: NOW,
                        u: &along(&u, -s, d),
                        v: &v,
                    },
                )
            });
            tangent(
                self.model,
                At {
                    t: NOW,
                    u: &u,
                    v: &v,
                },
                STIFFNESS,
                Curvature::Exact,
            )
            .times(d, &mut y);
            self.check("stiffness", &y, &want, 0.0);
        }
        let want = slope(0.1, |s| {
            force(
                self.model,
                At {
                    t: NOW,
                    u: &u,
                    v: &along(&v, -s, d),
                },
            )
        });
        tangent(
            self.model,
            At {
                t: NOW,
                u: &u,
                v: &v,
            },
            DAMPING,
            Curvature::Exact,
        )
        .times(d, &mut y);
        self.check("damping", &y, &want, 0.0);

        let (at, w) = (
            At {
                t: NOW,
                u: &u,
                v: &v,
            },
            Weights {
                mass: 0.7,
                damping: 0.2,
                stiffness: 0.03,
            },
        );
        let [du, dv] =
            [w.stiffness, w.damping].map(|s| d.iter().map(|d| s * d).collect::<Vec<_>>());
        let mut product = vec![0.0; d.len()];
        tangent(self.model, at, w, Curvature::Exact).times(d, &mut y);
        self.model.tangent_times(&du, &dv, &mut product);
        self.model.mass().add_times(w.mass, d, &mut product);
        self.check("combination", &y, &product, 0.0);
        tangent(self.model, at, MASS, Curvature::Exact).times(d, &mut y);
        self.model.mass().times(d, &mut product);
        self.check("mass", &y, &product, 0.0);
    }

    /// ∂f/∂t at fixed u and v.
    pub fn rate(&mut self) {
        let (u, v) = (self.u.clone(), self.v.clone());
        let want = slope(1e-3, |s| {
            force(
                self.model,
                At {
                    t: NOW + s,
                    u: &u,
                    v: &v,
                },
            )
        });
        let at = At {
            t: NOW,
            u: &u,
            v: &v,
        };
        tangent(self.model, at, STIFFNESS, Curvature::Exact);
        let mut rate = vec![0.0; u.len()];
        self.model.force_rate(at, &mut rate);
        self.check("rate of force", &rate, &want, 1.0);
    }
}

/// Returns `true` if A + shift I is positive definite, by a dense Cholesky factorization.
pub fn definite(a: &sparse::Matrix, shift: f64) -> bool {
    let n = a.n();
    let mut l = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| l[i * n + k] * l[j * n + k]).sum();
            let rest = a.entry(i, j) - sum + if i == j { shift } else { 0.0 };
            if i == j && rest <= 0.0 {
                return false;
            }
            l[i * n + j] = if i == j {
                rest.sqrt()
            } else {
                rest / l[j * n + j]
            };
        }
    }
    true
}
