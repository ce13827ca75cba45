//! Tick positions and labels: multiples of 1, 2 or 5 times a power of ten, or decades.

use crate::text::{number, power};

/// A tick of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// The value at which the tick lies.
    pub at: f64,
    /// The label; empty for a minor tick.
    pub label: String,
}

/// The ticks of an axis and the common factor of their labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticks {
    /// The ticks in ascending order.
    pub marks: Vec<Tick>,
    /// The common factor `×10ⁿ` of the labels, if there is one.
    pub factor: Option<String>,
}

/// Returns about `wanted` ticks of a linear axis, spaced by 1, 2 or 5 times a power of ten.
pub fn linear([low, high]: [f64; 2], wanted: usize) -> Ticks {
    let step = step_of((high - low) / wanted.max(1) as f64);
    let first = (low / step - 1e-9).ceil();
    let count = ((high / step + 1e-9).floor() - first).max(0.0) as usize;
    let size = low.abs().max(high.abs());
    // Numbers from 0.001 to 99999 are written out; others get a common factor 10³ⁿ.
    let scale = size.log10().floor() as i32;
    let shift = if (-3..5).contains(&scale) {
        0
    } else {
        3 * scale.div_euclid(3)
    };
    let decimals = (f64::from(shift) - step.log10() - 1e-9).ceil().max(0.0) as usize;
    let marks = (0..=count)
        .map(|k| {
            // Adding zero turns −0 into 0.
            let at = (first + k as f64) * step + 0.0;
            Tick {
                at,
                label: number(at / 10.0_f64.powi(shift), decimals),
            }
        })
        .collect();
    Ticks {
        marks,
        factor: (shift != 0).then(|| format!("×{}", power(shift))),
    }
}

/// Returns the smallest of 1, 2, 5 × 10ⁿ that is not below `least`.
fn step_of(least: f64) -> f64 {
    let ten = 10.0_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    let leading = steps.iter().find(|s| **s * ten >= least * (1.0 - 1e-9));
    leading.unwrap_or(&10.0) * ten
}

/// Returns the ticks of a logarithmic axis: labelled decades with minor ticks at 2 … 9, or labels at 1-2-5 if the axis
/// is short. An axis of less than half a decade gets linear ticks.
pub fn log([low, high]: [f64; 2], wanted: usize) -> Ticks {
    let decades = (high / low).log10();
    if decades < 0.5 {
        return linear([low, high], wanted);
    }
    let first = (low.log10() - 1e-9).floor() as i32;
    let last = (high.log10() + 1e-9).floor() as i32;
    let stride = ((decades / wanted.max(1) as f64).ceil() as i32).max(1);
    let fine: &[i32] = match decades {
        d if d < 1.5 => &[1, 2, 5],
        d if d < 2.5 => &[1, 3],
        _ => &[1],
    };
    let plain = first >= -4 && last <= 4;
    let mut marks = Vec::new();
    for n in first..=last {
        for leading in 1..10 {
            let at = f64::from(leading) * 10.0_f64.powi(n);
            let inside = at >= low * (1.0 - 1e-9) && at <= high * (1.0 + 1e-9);
            if !inside || (stride > 1 && leading > 1) {
                continue;
            }
            let label = if fine.contains(&leading) && n.rem_euclid(stride) == 0 {
                written(leading, n, plain)
            } else {
                String::new()
            };
            marks.push(Tick { at, label });
        }
    }
    Ticks {
        marks,
        factor: None,
    }
}

fn written(leading: i32, n: i32, plain: bool) -> String {
    match (plain, leading) {
        (true, _) => number(f64::from(leading) * 10.0_f64.powi(n), (-n).max(0) as usize),
        (_, 1) => power(n),
        (_, leading) => format!("{leading}·{}", power(n)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Ticks, linear, log, step_of};

    fn labels(ticks: &Ticks) -> Vec<&str> {
        let labels = ticks.marks.iter().map(|t| t.label.as_str());
        labels.filter(|l| !l.is_empty()).collect()
    }

    #[test]
    fn steps_are_one_two_five() {
        for (least, step) in [(0.7, 1.0), (1.0, 1.0), (1.1, 2.0), (2.1, 5.0), (5.1, 10.0)] {
            for n in -12..12 {
                let ten = 10.0_f64.powi(n);
                assert!((step_of(least * ten) / (step * ten) - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn linear_labels() {
        assert_eq!(
            labels(&linear([0.0, 1.0], 6)),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(
            labels(&linear([-0.3, 0.12], 5)),
            ["−0.3", "−0.2", "−0.1", "0.0", "0.1"]
        );
        let small = linear([0.0, 3.2e-7], 4);
        assert_eq!(labels(&small), ["0", "100", "200", "300"]);
        assert_eq!(small.factor.as_deref(), Some("×10⁻⁹"));
        let large = linear([0.0, 2.5e6], 6);
        assert_eq!(labels(&large), ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5"]);
        assert_eq!(large.factor.as_deref(), Some("×10⁶"));
        // A small change of a large number keeps its digits.
        assert_eq!(
            labels(&linear([99.999, 100.001], 2)),
            ["99.999", "100.000", "100.001"]
        );
    }

    #[test]
    fn decades() {
        assert_eq!(
            labels(&log([0.01, 100.0], 8)),
            ["0.01", "0.1", "1", "10", "100"]
        );
        assert_eq!(
            labels(&log([1e-9, 1e-6], 8)),
            ["10⁻⁹", "10⁻⁸", "10⁻⁷", "10⁻⁶"]
        );
        assert_eq!(labels(&log([0.9, 12.0], 8)), ["1", "2", "5", "10"]);
        // Fourteen decades in five labels: every third is written, and there are no marks between.
        let wide = log([1e-14, 1.0], 5);
        assert_eq!(labels(&wide), ["10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "10⁰"]);
        assert_eq!(wide.marks.len(), 15);
        assert_eq!(
            labels(&log([1.0, 1.5], 5)),
            ["1.0", "1.1", "1.2", "1.3", "1.4", "1.5"]
        );
    }
}
