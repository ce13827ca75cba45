//! Independent implementation of [Dinev et al. 2018, Algorithm 1] for one particle: closed formulas for the force, Newton
//! with a 3×3 matrix solved by Cramer's rule, and bisection for the blend. It shares no code with the library.

pub type V = [f64; 3];

pub fn add(a: V, s: f64, b: V) -> V {
    [0, 1, 2].map(|k| a[k] + s * b[k])
}

pub fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: V, b: V) -> V {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// A particle of mass m attached to fixed points by springs.
#[derive(Clone)]
pub struct Particle {
    pub mass: f64,
    pub stiffness: f64,
    pub rest: f64,
    /// k/2 (|x|² − rest²)², or else k/2 (|x| − rest)².
    pub squared: bool,
    pub points: Vec<V>,
    /// Whether blends are rotated about the origin to the angular momentum at the start of the step.
    pub keeps_spin: bool,
}

impl Particle {
    pub fn potential(&self, x: V) -> f64 {
        let one = |p: &V| {
            let l2 = dot(add(x, -1.0, *p), add(x, -1.0, *p));
            let s = if self.squared {
                l2 - self.rest * self.rest
            } else {
                l2.sqrt() - self.rest
            };
            0.5 * self.stiffness * s * s
        };
        self.points.iter().map(one).sum()
    }

    pub fn energy(&self, x: V, v: V) -> f64 {
        self.potential(x) + 0.5 * self.mass * dot(v, v)
    }

    pub fn force(&self, x: V) -> V {
        let mut f = [0.0; 3];
        for p in &self.points {
            let d = add(x, -1.0, *p);
            let l = dot(d, d).sqrt();
            let g = if self.squared {
                2.0 * self.stiffness * (l * l - self.rest * self.rest)
            } else {
                self.stiffness * (1.0 - self.rest / l)
            };
            f = add(f, -g, d);
        }
        f
    }

    /// −∂f/∂x.
    fn stiffness(&self, x: V) -> [V; 3] {
        let mut k = [[0.0; 3]; 3];
        for p in &self.points {
            let d = add(x, -1.0, *p);
            let l = dot(d, d).sqrt();
            let (g, r) = if self.squared {
                (
                    2.0 * self.stiffness * (l * l - self.rest * self.rest),
                    4.0 * self.stiffness,
                )
            } else {
                (
                    self.stiffness * (1.0 - self.rest / l),
                    self.stiffness * self.rest / (l * l * l),
                )
            };
            for i in 0..3 {
                for j in 0..3 {
                    k[i][j] += r * d[i] * d[j];
                }
                k[i][i] += g;
            }
        }
        k
    }

    /// Solves m a = f(x₀ + c a) by damped Newton iterations from `a`.
    fn stage(&self, x0: V, c: f64, mut a: V) -> V {
        let residual = |a: V| add(a.map(|a| self.mass * a), -1.0, self.force(add(x0, c, a)));
        let merit = |a: V| 0.5 * self.mass * dot(a, a) + self.potential(add(x0, c, a)) / c;
        for _ in 0..200 {
            let r = residual(a);
            let mut k = self.stiffness(add(x0, c, a)).map(|row| row.map(|x| c * x));
            (0..3).for_each(|i| k[i][i] += self.mass);
            let mut d = cramer(&k, r.map(|r| -r));
            if dot(d, r) > 0.0 {
                d = r.map(|r| -r / self.mass);
            }
            let mut s = 1.0;
            while s > 1e-9 && merit(add(a, s, d)) > merit(a) + 1e-13 * merit(a).abs() {
                s *= 0.5;
            }
            let before = a;
            a = add(a, s, d);
            let size = dot(a, a).sqrt();
            if dot(add(a, -1.0, before), add(a, -1.0, before)).sqrt() <= 1e-15 * size {
                break;
            }
        }
        a
    }

    pub fn midpoint(&self, x: V, v: V, h: f64) -> (V, V) {
        let a = self.stage(add(x, 0.5 * h, v), 0.25 * h * h, [0.0; 3]);
        let v1 = add(v, h, a);
        (add(add(x, 0.5 * h, v), 0.5 * h, v1), v1)
    }

    pub fn backward(&self, x: V, v: V, h: f64, near: V) -> (V, V) {
        let x0 = add(x, h, v);
        let a = self.stage(x0, h * h, add(near, -1.0, x0).map(|d| d / (h * h)));
        let v1 = add(v, h, a);
        (add(x, h, v1), v1)
    }

    /// Takes one step of Algorithm 1 to the energy `target` within `tolerance`; returns the signed blend factor α too.
    pub fn tracked(&self, x: V, v: V, h: f64, target: f64, tolerance: f64) -> (V, V, f64) {
        let (xm, vm) = self.midpoint(x, v, h);
        let e = self.energy(xm, vm) - target;
        if e.abs() <= tolerance {
            return (xm, vm, 0.0);
        }
        let (xp, vp) = if e > 0.0 {
            self.backward(x, v, h, xm)
        } else {
            let a = self.force(x).map(|f| f / self.mass);
            (add(x, h, v), add(v, h, a))
        };
        let mix = |s: f64| {
            let y = [0, 1, 2].map(|k| (1.0 - s) * xm[k] + s * xp[k]);
            let w = [0, 1, 2].map(|k| (1.0 - s) * vm[k] + s * vp[k]);
            if !self.keeps_spin {
                return (y, w);
            }
            let missing = add(cross(x, v), -1.0, cross(y, w));
            (y, add(w, 1.0 / dot(y, y), cross(missing, y)))
        };
        let error = |s: f64| {
            let (x, v) = mix(s);
            self.energy(x, v) - target
        };
        if error(1.0) * e > 0.0 {
            return if e > 0.0 {
                let (x, v) = mix(1.0);
                (x, v, 1.0)
            } else {
                (xm, vm, 0.0)
            };
        }
        let (mut lo, mut hi) = (0.0, 1.0);
        for _ in 0..200 {
            let s = 0.5 * (lo + hi);
            if error(s) * e > 0.0 { lo = s } else { hi = s }
        }
        let (x, v) = mix(0.5 * (lo + hi));
        (x, v, e.signum() * 0.5 * (lo + hi))
    }
}

fn cramer(a: &[V; 3], b: V) -> V {
    let det = |a: &[V; 3]| dot(a[0], cross(a[1], a[2]));
    let whole = det(a);
    [0, 1, 2].map(|j| {
        let mut with = *a;
        (0..3).for_each(|i| with[i][j] = b[i]);
        det(&with) / whole
    })
}
