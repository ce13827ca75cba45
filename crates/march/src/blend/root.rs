//! A root between α = 0 and α = 1 of an error whose ends have opposite signs.

/// False position by the Illinois rule; halving where an end is infinite or the rule is slow.
#[derive(Clone, Copy, Debug)]
pub struct Bracket {
    /// (α, e) of both ends; `weight` is what the Illinois rule made of e.
    ends: [(f64, f64); 2],
    weight: [f64; 2],
    /// Which end moved last.
    moved: Option<usize>,
    looks: u32,
}

/// Looks by false position before halving takes over.
const CLEVER: u32 = 10;
/// Looks in all; halving reaches neighbouring numbers by then.
const LOOKS: u32 = 70;

impl Bracket {
    /// Errors at α = 0 and α = 1, of opposite signs.
    pub fn new(e0: f64, e1: f64) -> Bracket {
        Bracket {
            ends: [(0.0, e0), (1.0, e1)],
            weight: [e0, e1],
            moved: None,
            looks: 0,
        }
    }

    /// Where to look next; nothing when there is nothing left to gain.
    pub fn next(&mut self) -> Option<f64> {
        let [(a, _), (b, _)] = self.ends;
        let middle = 0.5 * (a + b);
        if self.looks == LOOKS || middle <= a || middle >= b {
            return None;
        }
        self.looks += 1;
        let [p, q] = self.weight;
        let between = a - p * ((b - a) / (q - p));
        let clever = self.looks <= CLEVER && between > a && between < b;
        Some(if clever { between } else { middle })
    }

    /// Notes the error at a place inside.
    pub fn narrow(&mut self, alpha: f64, e: f64) {
        let side = usize::from((e > 0.0) != (self.ends[0].1 > 0.0));
        self.ends[side] = (alpha, e);
        self.weight[side] = e;
        if self.moved == Some(side) {
            self.weight[1 - side] *= 0.5;
        }
        self.moved = Some(side);
    }

    /// The end that errs to less energy.
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
                return (x, bracket.looks);
            }
            bracket.narrow(x, f(x));
        }
        (bracket.lower(), bracket.looks)
    }

    #[test]
    fn straight_lines_take_one_look_and_curves_few() {
        assert_eq!(root(|x| 0.25 - x, 1e-12), (0.25, 1));
        let (x, looks) = root(|x| (1.0 - x).powi(4) - 0.6, 1e-10);
        assert!((x - (1.0 - 0.6f64.powf(0.25))).abs() < 1e-9, "{x}");
        assert!(looks <= 9, "{looks}");
    }

    #[test]
    fn infinite_ends_and_jumps_end_on_the_side_of_less_energy() {
        let (x, _) = root(|x| if x < 0.3 { f64::INFINITY } else { -1.0 }, 0.1);
        assert!((0.3..0.3 + 1e-12).contains(&x), "{x}");
        let (x, _) = root(|x| if x < 0.3 { -1.0 } else { f64::INFINITY }, 0.1);
        assert!(x < 0.3 && x > 0.3 - 1e-12, "{x}");
    }
}
