//! Root finding between α = 0 and α = 1 for a function with opposite signs at both ends.

/// Bracketed root search by the Illinois rule [Dowell & Jarratt 1971], and by bisection if an end is infinite or the
/// rule is slow.
#[derive(Clone, Copy, Debug)]
pub struct Bracket {
    /// (α, e) at both ends. `weight` is e as changed by the Illinois rule.
    ends: [(f64, f64); 2],
    weight: [f64; 2],
    /// Index of the end that moved last.
    moved: Option<usize>,
    evaluations: u32,
}

/// Evaluations by the Illinois rule before bisection takes over.
const MAX_FALSE_POSITION: u32 = 10;
/// Largest number of evaluations; bisection reaches neighbouring numbers by then.
const MAX_EVALUATIONS: u32 = 70;

impl Bracket {
    /// Creates a bracket from the errors at α = 0 and α = 1, which must have opposite signs.
    pub fn new(e0: f64, e1: f64) -> Bracket {
        Bracket {
            ends: [(0.0, e0), (1.0, e1)],
            weight: [e0, e1],
            moved: None,
            evaluations: 0,
        }
    }

    /// Returns the next α to evaluate, or `None` once the bracket cannot be narrowed further.
    pub fn next(&mut self) -> Option<f64> {
        let [(a, _), (b, _)] = self.ends;
        let middle = 0.5 * (a + b);
        if self.evaluations == MAX_EVALUATIONS || middle <= a || middle >= b {
            return None;
        }
        self.evaluations += 1;
        let [p, q] = self.weight;
        let between = a - p * ((b - a) / (q - p));
        let inside = self.evaluations <= MAX_FALSE_POSITION && between > a && between < b;
        Some(if inside { between } else { middle })
    }

    /// Narrows the bracket by the error at an α inside it.
    pub fn narrow(&mut self, alpha: f64, e: f64) {
        let side = usize::from((e > 0.0) != (self.ends[0].1 > 0.0));
        self.ends[side] = (alpha, e);
        self.weight[side] = e;
        if self.moved == Some(side) {
            self.weight[1 - side] *= 0.5;
        }
        self.moved = Some(side);
    }

    /// Returns the α of the end with the negative error, that is, too little energy.
    pub fn lower(&self) -> f64 {
        let side = usize::from(self.ends[0].1 > 0.0);
        self.ends[side].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(f: impl Fn(f64) -> f64, tolerance: f64) -> (f64, u32) {
        let mut bracket = Bracket::new(f(0.0), f(1.0));
        while let Some(x) = bracket.next() {
            if f(x).abs() <= tolerance {
                return (x, bracket.evaluations);
            }
            bracket.narrow(x, f(x));
        }
        (bracket.lower(), bracket.evaluations)
    }

    #[test]
    fn straight_lines_take_one_evaluation_and_curves_few() {
        assert_eq!(root(|x| 0.25 - x, 1e-12), (0.25, 1));
        let (x, evaluations) = root(|x| (1.0 - x).powi(4) - 0.6, 1e-10);
        assert!((x - (1.0 - 0.6f64.powf(0.25))).abs() < 1e-9, "{x}");
        assert!(evaluations <= 9, "{evaluations}");
    }

    #[test]
    fn infinite_ends_and_jumps_end_on_the_side_of_less_energy() {
        let (x, _) = root(|x| if x < 0.3 { f64::INFINITY } else { -1.0 }, 0.1);
        assert!((0.3..0.3 + 1e-12).contains(&x), "{x}");
        let (x, _) = root(|x| if x < 0.3 { -1.0 } else { f64::INFINITY }, 0.1);
        assert!(x < 0.3 && x > 0.3 - 1e-12, "{x}");
    }
}
