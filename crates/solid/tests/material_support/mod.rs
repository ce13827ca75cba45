//! Random states, scalar 3×3 and 9×9 algebra, and evaluation of a law at one state; shared by the material tests.
#![allow(dead_code)] // each test file uses its own part

use base::random::Random;
use solid::lanes::{Lanes, Mat3};
use solid::material::{Curvature, Hessian, Law, LawVisitor, Material, Strain};
use solid::small3;

pub type M = [[f64; 3]; 3];
pub type H = [[f64; 9]; 9];
pub const I: M = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

pub struct Dice(Random);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(Random::new(seed))
    }
    /// Uniform in [a, b).
    pub fn between(&mut self, a: f64, b: f64) -> f64 {
        self.0.between(a, b)
    }
    pub fn matrix(&mut self, size: f64) -> M {
        std::array::from_fn(|_| std::array::from_fn(|_| self.between(-size, size)))
    }
    pub fn rotation(&mut self) -> M {
        loop {
            let q: [f64; 4] = std::array::from_fn(|_| self.between(-1.0, 1.0));
            let n: f64 = q.iter().map(|x| x * x).sum();
            if n > 0.01 && n < 1.0 {
                let [w, x, y, z] = q.map(|c| c / n.sqrt());
                return [
                    [
                        1.0 - 2.0 * (y * y + z * z),
                        2.0 * (x * y - w * z),
                        2.0 * (x * z + w * y),
                    ],
                    [
                        2.0 * (x * y + w * z),
                        1.0 - 2.0 * (x * x + z * z),
                        2.0 * (y * z - w * x),
                    ],
                    [
                        2.0 * (x * z - w * y),
                        2.0 * (y * z + w * x),
                        1.0 - 2.0 * (x * x + y * y),
                    ],
                ];
            }
        }
    }
    /// U diag(σ) Vᵀ with random rotations.
    pub fn stretched(&mut self, s: [f64; 3]) -> M {
        let (u, v) = (self.rotation(), self.rotation());
        mul(&mul(&u, &diag(s)), &transpose(&v))
    }
}

pub fn diag(s: [f64; 3]) -> M {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { s[i] } else { 0.0 }))
}
pub fn mul(a: &M, b: &M) -> M {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}
pub fn transpose(a: &M) -> M {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}
pub fn minus(a: &M, b: &M) -> M {
    std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] - b[i][j]))
}
pub fn det(a: &M) -> f64 {
    (0..3)
        .map(|j| {
            a[0][j]
                * (a[1][(j + 1) % 3] * a[2][(j + 2) % 3] - a[1][(j + 2) % 3] * a[2][(j + 1) % 3])
        })
        .sum()
}
pub fn norm(a: &M) -> f64 {
    a.iter().flatten().map(|x| x * x).sum::<f64>().sqrt()
}
pub fn largest(h: &H) -> f64 {
    h.iter().flatten().fold(0.0, |m, x| x.abs().max(m))
}

pub fn pack(m: [M; 4]) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| Lanes(std::array::from_fn(|l| m[l][i][j]))))
}
pub fn lane(m: &Mat3, l: usize) -> M {
    std::array::from_fn(|i| std::array::from_fn(|j| m[i][j].0[l]))
}

/// A state at which a law is evaluated: displacement gradient and frozen rotation.
#[derive(Clone, Copy)]
pub struct MaterialPoint {
    pub g: M,
    pub frozen: M,
}

pub fn at(f: &M) -> MaterialPoint {
    MaterialPoint {
        g: minus(f, &I),
        frozen: lane(&small3::rotation(&pack([*f; 4])), 0),
    }
}

/// A state with given g, which keeps small strains exact.
pub fn near_rest(g: &M) -> MaterialPoint {
    MaterialPoint { g: *g, frozen: I }
}

struct Energy(MaterialPoint);
struct Stress(MaterialPoint);
struct SecondDerivative(MaterialPoint, Curvature);

/// Calls `ask` with the same state in all lanes.
fn in_all_lanes<T>(a: &MaterialPoint, ask: impl Fn(&Strain) -> T) -> T {
    ask(&Strain {
        g: pack([a.g; 4]),
        frozen: &pack([a.frozen; 4]),
    })
}
impl LawVisitor for Energy {
    type Output = f64;
    fn visit<L: Material>(self, law: L) -> f64 {
        in_all_lanes(&self.0, |e| law.energy(e)).0[0]
    }
}
impl LawVisitor for Stress {
    type Output = M;
    fn visit<L: Material>(self, law: L) -> M {
        lane(&in_all_lanes(&self.0, |e| law.stress(e)), 0)
    }
}
impl LawVisitor for SecondDerivative {
    type Output = H;
    fn visit<L: Material>(self, law: L) -> H {
        let h: Hessian = in_all_lanes(&self.0, |e| law.hessian(e, self.1));
        std::array::from_fn(|i| std::array::from_fn(|j| h[i][j].0[0]))
    }
}
pub fn energy(law: &Law, a: MaterialPoint) -> f64 {
    law.visit(Energy(a))
}
pub fn stress(law: &Law, a: MaterialPoint) -> M {
    law.visit(Stress(a))
}
pub fn hessian(law: &Law, a: MaterialPoint, c: Curvature) -> H {
    law.visit(SecondDerivative(a, c))
}

/// Eigenvalues and vectors (columns) of a symmetric 9×9 matrix by classical cyclic Jacobi.
pub fn eigen9(a: &H) -> ([f64; 9], H) {
    let mut a = *a;
    let mut v: H = std::array::from_fn(|i| std::array::from_fn(|j| (i == j) as u8 as f64));
    for _ in 0..60 {
        for p in 0..9 {
            for q in p + 1..9 {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..9 {
                    let (x, y) = (a[k][p], a[k][q]);
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                }
                for k in 0..9 {
                    let (x, y) = (a[p][k], a[q][k]);
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                    let (x, y) = (v[k][p], v[k][q]);
                    v[k][p] = c * x - s * y;
                    v[k][q] = s * x + c * y;
                }
            }
        }
    }
    (std::array::from_fn(|i| a[i][i]), v)
}
