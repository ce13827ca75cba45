//! The dual active set and the friction problem against enumeration, optimality conditions and closed forms.

use base::random::Random;
use corrector::{ActiveSet, Delassus, FrictionProblem};

/// A given matrix A; counts the columns that were asked for.
struct Dense {
    n: usize,
    a: Vec<f64>,
    columns: usize,
}

impl Delassus for Dense {
    type Error = std::convert::Infallible;

    fn column(&mut self, j: usize, out: &mut [f64]) -> Result<(), Self::Error> {
        self.columns += 1;
        (0..self.n).for_each(|i| out[i] = self.a[i * self.n + j]);
        Ok(())
    }
}

/// A = G Gᵀ of random rows, some of which are repeated.
fn random(n: usize, unknowns: usize, repeated: usize, random: &mut Random) -> Dense {
    let mut g: Vec<Vec<f64>> = (0..n)
        .map(|_| (0..unknowns).map(|_| random.signed()).collect())
        .collect();
    for k in 0..repeated.min(n / 2) {
        g[n - 1 - k] = g[k].clone();
    }
    let entry = |i: usize, j: usize| g[i].iter().zip(&g[j]).map(|(x, y)| x * y).sum();
    let a = (0..n * n).map(|k| entry(k / n, k % n)).collect();
    Dense { n, a, columns: 0 }
}

/// Solves and returns multipliers; panics unless the optimality conditions hold.
fn check(rows: &mut Dense, b: &[f64], guess: &[usize]) -> (Vec<f64>, u64) {
    let mut set = ActiveSet::default();
    set.begin(rows.n);
    for &row in guess {
        set.activate(rows, row).unwrap();
    }
    let counts = set.solve(rows, b).unwrap();
    assert!(!counts.unfinished && counts.infeasible == 0);
    let lambda = set.multipliers().to_vec();
    let scale = b.iter().fold(0.0f64, |m, b| m.max(b.abs()));
    for i in 0..rows.n {
        let slack: f64 = (0..rows.n)
            .map(|j| rows.a[i * rows.n + j] * lambda[j])
            .sum::<f64>()
            - b[i];
        assert!(lambda[i] >= 0.0);
        assert!(slack > -1e-9 * scale, "row {i} is violated by {slack}");
        assert!(
            (lambda[i] * slack).abs() < 1e-8 * scale * scale,
            "row {i}: {} · {slack}",
            lambda[i]
        );
    }
    (lambda, counts.pivots)
}

#[test]
fn random_programs_satisfy_the_optimality_conditions() {
    let mut draw = Random::new(7);
    for round in 0..300 {
        let n = 2 + draw.below(14);
        let mut rows = random(n, n + 3, 0, &mut draw);
        let b: Vec<f64> = (0..n).map(|_| draw.signed()).collect();
        let (lambda, _) = check(&mut rows, &b, &[]);
        // The solution does not depend on the guess.
        let guess: Vec<usize> = (0..n).filter(|_| draw.coin()).collect();
        let (other, _) = check(&mut rows, &b, &guess);
        for (x, y) in lambda.iter().zip(&other) {
            assert!((x - y).abs() < 1e-6, "round {round}: {x} and {y}");
        }
    }
}

#[test]
fn redundant_rows_are_harmless() {
    let mut draw = Random::new(3);
    for round in 0..200 {
        // More rows than unknowns and repeated ones; b = G x is feasible.
        let (n, unknowns) = (12, 5);
        let g: Vec<Vec<f64>> = (0..n as u64)
            .map(|k| {
                let mut r = Random::new(100 * round + k % 9);
                (0..unknowns).map(|_| r.signed()).collect()
            })
            .collect();
        let x: Vec<f64> = (0..unknowns).map(|_| draw.signed()).collect();
        let dot = |u: &[f64], v: &[f64]| u.iter().zip(v).map(|(a, b)| a * b).sum::<f64>();
        let a = (0..n * n).map(|k| dot(&g[k / n], &g[k % n])).collect();
        let b: Vec<f64> = g.iter().map(|row| dot(row, &x) - draw.unit()).collect();
        check(&mut Dense { n, a, columns: 0 }, &b, &[0, 9, 3]);
    }
}

#[test]
fn a_good_guess_needs_no_pivot_and_unused_rows_no_column() {
    let mut draw = Random::new(11);
    let mut rows = random(12, 20, 0, &mut draw);
    let b: Vec<f64> = (0..12).map(|i| if i < 4 { 1.0 } else { -100.0 }).collect();
    let (lambda, _) = check(&mut rows, &b, &[]);
    let active: Vec<usize> = (0..12).filter(|i| lambda[*i] > 0.0).collect();
    assert!(rows.columns <= 4, "{} columns", rows.columns);
    let (_, pivots) = check(&mut rows, &b, &active);
    assert_eq!(pivots, 0);
}

#[test]
fn rows_that_contradict_each_other_are_counted() {
    // w ≥ 1 and −w ≥ 1.
    let mut rows = Dense {
        n: 2,
        a: vec![1.0, -1.0, -1.0, 1.0],
        columns: 0,
    };
    let mut set = ActiveSet::default();
    set.begin(2);
    let counts = set.solve(&mut rows, &[1.0, 1.0]).unwrap();
    assert_eq!(counts.infeasible, 1);
    assert!(set.multipliers().iter().all(|l| l.is_finite()));
}

#[test]
fn sticking_stops_all_sliding_and_sliding_opposes_the_motion() {
    let block =
        |bound: f64| FrictionProblem::new(vec![2.0, 0.3, 0.3, 1.0], vec![1.0, -0.5], vec![bound]);
    let mut stick = block(10.0);
    assert!(stick.solve());
    let f = &stick.impulses;
    assert!((1.0 + 2.0 * f[0] + 0.3 * f[1]).abs() < 1e-14);
    assert!((-0.5 + 0.3 * f[0] + f[1]).abs() < 1e-14);
    let mut slide = block(0.1);
    assert!(slide.solve());
    let f = &slide.impulses;
    let v = [1.0 + 2.0 * f[0] + 0.3 * f[1], -0.5 + 0.3 * f[0] + f[1]];
    assert!((f[0].hypot(f[1]) - 0.1).abs() < 1e-12);
    // Antiparallel: the cross product vanishes and the dot product is negative.
    assert!((f[0] * v[1] - f[1] * v[0]).abs() < 1e-10);
    assert!(f[0] * v[0] + f[1] * v[1] < 0.0);
}

#[test]
fn friction_of_many_contacts_satisfies_the_optimality_conditions() {
    let mut draw = Random::new(5);
    for _ in 0..40 {
        let contacts = 1 + draw.below(6);
        let n = 2 * contacts;
        let dense = random(n, n + 2, 0, &mut draw);
        let sliding = (0..n).map(|_| draw.signed()).collect();
        let bounds = (0..contacts).map(|_| draw.between(0.0, 0.5)).collect();
        let mut problem = FrictionProblem::new(dense.a, sliding, bounds);
        assert!(problem.solve());
        for c in 0..contacts {
            let v = [2 * c, 2 * c + 1].map(|i| {
                problem.sliding[i]
                    + (0..n)
                        .map(|j| problem.matrix[i * n + j] * problem.impulses[j])
                        .sum::<f64>()
            });
            let f = [problem.impulses[2 * c], problem.impulses[2 * c + 1]];
            let (speed, size) = (v[0].hypot(v[1]), f[0].hypot(f[1]));
            assert!(size <= problem.bounds[c] * (1.0 + 1e-12));
            if size < problem.bounds[c] * (1.0 - 1e-6) {
                assert!(speed < 1e-6, "an impulse inside its disc with {speed} m/s");
            } else {
                assert!(f[0] * v[0] + f[1] * v[1] <= 1e-9 - (1.0 - 1e-6) * size * speed);
            }
        }
    }
}
