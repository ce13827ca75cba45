//! Eigenvalues of very small dense matrices.

/// Complex number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

impl Complex {
    fn new(re: f64, im: f64) -> Complex {
        Complex { re, im }
    }

    fn minus(self, z: Complex) -> Complex {
        Complex::new(self.re - z.re, self.im - z.im)
    }

    fn times(self, z: Complex) -> Complex {
        Complex::new(
            self.re * z.re - self.im * z.im,
            self.re * z.im + self.im * z.re,
        )
    }

    fn over(self, z: Complex) -> Complex {
        let n = z.re * z.re + z.im * z.im;
        Complex::new(
            (self.re * z.re + self.im * z.im) / n,
            (self.im * z.re - self.re * z.im) / n,
        )
    }

    /// Returns |z|.
    pub fn modulus(self) -> f64 {
        self.re.hypot(self.im)
    }

    /// Returns arg z.
    pub fn argument(self) -> f64 {
        self.im.atan2(self.re)
    }
}

/// Returns the eigenvalues of an n×n matrix from its characteristic polynomial (Faddeev–LeVerrier); accurate for n up
/// to about 6.
pub fn eigenvalues(a: &[Vec<f64>]) -> Vec<Complex> {
    let n = a.len();
    let times = |m: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let entry = |i: usize, j: usize| (0..n).map(|k| a[i][k] * m[k][j]).sum();
        (0..n)
            .map(|i| (0..n).map(|j| entry(i, j)).collect())
            .collect()
    };
    // λⁿ + p₁ λⁿ⁻¹ + … + p_n.
    let mut p = Vec::with_capacity(n);
    let mut m = vec![vec![0.0; n]; n];
    let mut last = 1.0;
    for k in 1..=n {
        (0..n).for_each(|i| m[i][i] += last);
        let am = times(&m);
        last = -(0..n).map(|i| am[i][i]).sum::<f64>() / k as f64;
        p.push(last);
        m = am;
    }
    roots(&p)
}

/// Returns the roots of the monic polynomial with these lower coefficients, highest power first (Durand–Kerner).
fn roots(p: &[f64]) -> Vec<Complex> {
    // Zero roots of rank-deficient maps converge slowly, so they are split off.
    let noise = 1e-15 * p.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    let kept = p.iter().rposition(|x| x.abs() > noise).map_or(0, |i| i + 1);
    let zeros = vec![Complex::new(0.0, 0.0); p.len() - kept];
    let p = &p[..kept];
    let [b, c] = match p {
        [] => return zeros,
        [b] => return [zeros, vec![Complex::new(-b, 0.0)]].concat(),
        [b, c] => [*b, *c],
        _ => return [zeros, durand_kerner(p)].concat(),
    };
    let discriminant = 0.25 * b * b - c;
    let pair = if discriminant < 0.0 {
        let im = (-discriminant).sqrt();
        vec![Complex::new(-0.5 * b, im), Complex::new(-0.5 * b, -im)]
    } else {
        // The larger root without cancellation, the other from the product.
        let large = -0.5 * b - discriminant.sqrt().copysign(b);
        let small = if large == 0.0 { 0.0 } else { c / large };
        vec![Complex::new(large, 0.0), Complex::new(small, 0.0)]
    };
    [zeros, pair].concat()
}

fn durand_kerner(p: &[f64]) -> Vec<Complex> {
    let n = p.len();
    let radius = 1.0 + p.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let angle = |k: usize| 0.4 + std::f64::consts::TAU * k as f64 / n as f64;
    let mut z: Vec<Complex> = (0..n)
        .map(|k| Complex::new(radius * angle(k).cos(), radius * angle(k).sin()))
        .collect();
    for _ in 0..2000 {
        let mut moved = 0.0_f64;
        for i in 0..n {
            let value = p.iter().fold(Complex::new(1.0, 0.0), |v, c| {
                let v = v.times(z[i]);
                Complex::new(v.re + c, v.im)
            });
            let others = (0..n)
                .filter(|&j| j != i)
                .fold(Complex::new(1.0, 0.0), |q, j| q.times(z[i].minus(z[j])));
            let step = value.over(others);
            if step.modulus().is_finite() {
                z[i] = z[i].minus(step);
                moved = moved.max(step.modulus());
            }
        }
        if moved <= 1e-17 * radius {
            break;
        }
    }
    z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_of_a_rotation_a_decay_and_a_zero() {
        let (s, c) = 0.3_f64.sin_cos();
        // Rotation block, 0.25, and 0, mixed by shears into a full matrix.
        let block = [
            [c, -s, 0.0, 0.0],
            [s, c, 0.0, 0.0],
            [0.0, 0.0, 0.25, 0.0],
            [0.0, 0.0, 0.0, 0.0],
        ];
        let mut a: Vec<Vec<f64>> = block.iter().map(|r| r.to_vec()).collect();
        for (i, j, x) in [(0, 2, 0.7), (3, 1, -0.4), (2, 3, 0.9)] {
            // S A S⁻¹ with S = I + x e_i e_jᵀ.
            (0..4).for_each(|k| a[i][k] += x * a[j][k]);
            (0..4).for_each(|k| a[k][j] -= x * a[k][i]);
        }
        let mut moduli: Vec<f64> = eigenvalues(&a).iter().map(|z| z.modulus()).collect();
        moduli.sort_by(f64::total_cmp);
        for (found, want) in moduli.iter().zip([0.0, 0.25, 1.0, 1.0]) {
            assert!((found - want).abs() < 1e-13, "{moduli:?}");
        }
        let turned = eigenvalues(&a)
            .iter()
            .map(|z| z.argument())
            .fold(0.0, f64::max);
        assert!((turned - 0.3).abs() < 1e-13);
    }
}
