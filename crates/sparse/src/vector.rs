//! Sums and norms of vectors.

/// Computes out = x + c y.
pub fn combine(out: &mut [f64], x: &[f64], c: f64, y: &[f64]) {
    for ((o, x), y) in out.iter_mut().zip(x).zip(y) {
        *o = x + c * y;
    }
}

/// Computes y ← y + c x.
pub fn add(y: &mut [f64], c: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += c * x;
    }
}

/// Returns x · y, summed in a fixed order.
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (xs, ys) = (x.chunks_exact(4), y.chunks_exact(4));
    let tail: f64 = xs
        .remainder()
        .iter()
        .zip(ys.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in xs.zip(ys) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}

/// Returns the Euclidean norm.
pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// Returns the largest absolute entry.
pub fn max_abs(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, v| v.abs().max(m))
}

/// Returns the largest absolute difference of two vectors of the same length.
pub fn max_abs_difference(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len(), "vectors of the same length");
    x.iter().zip(y).fold(0.0, |m, (x, y)| (x - y).abs().max(m))
}

/// Returns index and value of the first entry that is infinite or NaN, or `None` if all are finite.
pub fn not_finite(x: &[f64]) -> Option<(usize, f64)> {
    x.iter().position(|v| !v.is_finite()).map(|i| (i, x[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_of_any_length() {
        for n in 0..11 {
            let x: Vec<f64> = (0..n).map(|i| i as f64 + 1.0).collect();
            let want: f64 = x.iter().map(|x| x * x).sum();
            assert_eq!(dot(&x, &x), want);
        }
    }

    #[test]
    fn first_bad_entry_is_named() {
        assert!(matches!(not_finite(&[1.0, f64::NAN, f64::INFINITY]), Some((1, v)) if v.is_nan()));
        assert_eq!(not_finite(&[1.0, -2.0]), None);
    }
}
