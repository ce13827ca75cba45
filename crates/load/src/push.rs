//! A constant force on nodes during a time interval.

use super::{ForceSum, Load, LoadState};

/// A constant force during a time interval, distributed equally over its nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Push {
    /// The nodes.
    pub nodes: Vec<u32>,
    /// Total force, N.
    pub force: [f64; 3],
    /// Start of the interval, s.
    pub from: f64,
    /// End of the interval, s; the force is zero from then on.
    pub to: f64,
}

impl Push {
    /// Force on each node at a time, N.
    fn share(&self, t: f64) -> [f64; 3] {
        let on = t >= self.from && t < self.to;
        self.force
            .map(|f| if on { f / self.nodes.len() as f64 } else { 0.0 })
    }
}

impl Load for Push {
    fn is_active(&self) -> bool {
        !self.nodes.is_empty()
    }

    fn depends_on_state(&self) -> bool {
        false
    }

    fn add_force(&self, at: &LoadState, sum: &mut ForceSum) {
        let share = self.share(at.t);
        for &node in &self.nodes {
            sum.add(node, share);
        }
    }

    fn next_kink(&self, t: f64) -> f64 {
        let ends = [self.from, self.to].into_iter();
        ends.filter(|&kink| kink > t).fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_acts_from_its_start_until_before_its_end() {
        let push = Push {
            nodes: vec![0, 2],
            force: [4.0, 0.0, -6.0],
            from: 1.0,
            to: 2.0,
        };
        let force = |t: f64| {
            let mut f = vec![[0.0; 3]; 3];
            let at = LoadState { t, x: &[], v: &[] };
            let mut sum = ForceSum::onto(&mut f);
            push.add_force(&at, &mut sum);
            (sum.squares, f)
        };
        assert_eq!(force(0.5), (0.0, vec![[0.0; 3]; 3]));
        let share = [2.0, 0.0, -3.0];
        assert_eq!(force(1.0), (26.0, vec![share, [0.0; 3], share]));
        assert_eq!(force(2.0), (0.0, vec![[0.0; 3]; 3]));
        assert_eq!(push.next_kink(0.0), 1.0);
        assert_eq!(push.next_kink(1.0), 2.0);
        assert_eq!(push.next_kink(2.0), f64::INFINITY);
    }
}
