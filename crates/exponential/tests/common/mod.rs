//! Small dense mechanical systems.

use exponential::SecondOrder;
use exponential::dense::DenseLu;

/// Dense matrices of a linear system, by rows.
pub struct DenseSystem {
    pub n: usize,
    pub mass: Vec<f64>,
    pub stiffness: Vec<f64>,
    pub damping: Vec<f64>,
    factor: DenseLu,
}

pub fn times(n: usize, a: &[f64], x: &[f64], y: &mut [f64]) {
    for i in 0..n {
        y[i] = (0..n).map(|j| a[i * n + j] * x[j]).sum();
    }
}

impl DenseSystem {
    /// Creates a chain of springs of growing stiffness between a wall and a free end, with the consistent masses of bar
    /// elements, Rayleigh damping and one damper between two masses.
    pub fn chain(n: usize, stiffness: f64, rayleigh: [f64; 2], damper: f64) -> DenseSystem {
        let (mut m, mut k) = (vec![0.0; n * n], vec![0.0; n * n]);
        for e in 0..n {
            let c = stiffness * (1.0 + e as f64 / n as f64);
            let ends: &[usize] = if e == 0 { &[0] } else { &[e - 1, e] };
            for &i in ends {
                for &j in ends {
                    m[i * n + j] += if i == j { 1.0 / 3.0 } else { 1.0 / 6.0 };
                    k[i * n + j] += if i == j { c } else { -c };
                }
            }
        }
        let mut d: Vec<f64> = m
            .iter()
            .zip(&k)
            .map(|(m, k)| rayleigh[0] * m + rayleigh[1] * k)
            .collect();
        if damper != 0.0 {
            let (i, j) = (n / 3, n / 3 + 1);
            for (a, b, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
                d[a * n + b] += sign * damper;
            }
        }
        DenseSystem::new(n, m, k, d)
    }

    pub fn new(n: usize, mass: Vec<f64>, stiffness: Vec<f64>, damping: Vec<f64>) -> DenseSystem {
        let mut factor = DenseLu::default();
        assert!(factor.factor(n, &mass));
        DenseSystem {
            n,
            mass,
            stiffness,
            damping,
            factor,
        }
    }
}

impl SecondOrder for DenseSystem {
    type Error = std::convert::Infallible;

    fn stiffness_times(&mut self, x: &[f64], y: &mut [f64]) {
        times(self.n, &self.stiffness, x, y);
    }

    fn damping_times(&mut self, x: &[f64], y: &mut [f64]) {
        times(self.n, &self.damping, x, y);
    }

    fn mass_times(&mut self, x: &[f64], y: &mut [f64]) {
        times(self.n, &self.mass, x, y);
    }

    fn solve_mass(&mut self, x: &mut [f64]) -> Result<(), Self::Error> {
        self.factor.solve(x);
        Ok(())
    }
}
