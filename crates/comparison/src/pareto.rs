//! Pareto fronts of cost and error, and observed orders of convergence.

/// Returns the Pareto front of (cost, error): indices of the runs that no other run dominates, the cheapest first. Runs
/// with a cost or error that is not finite are ignored.
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

/// Returns the observed orders log(e₁/e₂)/log(h₁/h₂) between neighbouring entries of (step, error), sorted by step. An
/// order is `None` if an error is missing or zero.
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
    fn dominated_runs_are_not_on_the_front() {
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
    fn observed_order_of_a_second_order_sequence_is_two() {
        let seen = observed_orders(&[(0.1, Some(4e-2)), (0.05, Some(1e-2)), (0.025, None)]);
        assert!((seen[0].unwrap() - 2.0).abs() < 1e-12 && seen[1].is_none());
    }
}
