//! Which runs nothing beats, and how fast errors fall.

/// The Pareto front of (cost, error): indices of the runs for which no other is at most as costly and at most as wrong,
/// and better in one of the two; the cheapest first. What is not finite takes no part.
pub fn pareto_front(runs: &[(f64, f64)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..runs.len())
        .filter(|&i| runs[i].0.is_finite() && runs[i].1.is_finite())
        .collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (runs[a], runs[b]);
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    let mut best = f64::INFINITY;
    order.retain(|&i| {
        let better = runs[i].1 < best;
        best = best.min(runs[i].1);
        better
    });
    order
}

/// Orders seen between neighbouring steps, log(e₁/e₂)/log(h₁/h₂), for (step, error) sorted by step; nothing where an
/// error is missing or zero.
pub fn observed_orders(errors: &[(f64, Option<f64>)]) -> Vec<Option<f64>> {
    let order = |pair: &[(f64, Option<f64>)]| {
        let [(h1, Some(e1)), (h2, Some(e2))] = [pair[0], pair[1]] else {
            return None;
        };
        let order = (e1 / e2).ln() / (h1 / h2).ln();
        order.is_finite().then_some(order)
    };
    errors.windows(2).map(order).collect()
}

#[cfg(test)]
mod tests {
    use super::{observed_orders, pareto_front};

    #[test]
    fn what_is_beaten_is_not_on_the_front() {
        let runs = [
            (4.0, 1.0),
            (1.0, 9.0),
            (2.0, 9.0),
            (2.0, 3.0),
            (5.0, 1.0),
            (0.1, f64::NAN),
        ];
        assert_eq!(pareto_front(&runs), [1, 3, 0]);
        assert!(pareto_front(&[]).is_empty());
    }

    #[test]
    fn slopes() {
        let seen = observed_orders(&[(0.1, Some(4e-2)), (0.05, Some(1e-2)), (0.025, None)]);
        assert!((seen[0].unwrap() - 2.0).abs() < 1e-12 && seen[1].is_none());
    }
}
