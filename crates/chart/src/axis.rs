//! An axis: what it shows, how it is divided, and where a number lies on it.

use crate::ticks::{self, Ticks};

/// How an axis is divided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal factors; shows positive numbers only.
    Log,
}

impl Scale {
    fn shows(self, value: f64) -> bool {
        value.is_finite() && (self == Scale::Linear || value > 0.0)
    }
}

/// One axis of a chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Axis {
    /// What it shows, with its unit.
    pub label: String,
    /// How it is divided.
    pub scale: Scale,
    /// From where to where; from the points where none is given.
    pub range: Option<[f64; 2]>,
}

impl Axis {
    /// A linear axis as long as its points ask for.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis {
            label: label.into(),
            ..Axis::default()
        }
    }

    /// A logarithmic axis as long as its points ask for.
    pub fn log(label: impl Into<String>) -> Axis {
        Axis {
            scale: Scale::Log,
            ..Axis::linear(label)
        }
    }

    /// The same axis from `low` to `high`.
    pub fn over(self, low: f64, high: f64) -> Axis {
        Axis {
            range: Some([low, high]),
            ..self
        }
    }

    /// Whether a number has a place on this axis.
    pub(crate) fn shows(&self, value: f64) -> bool {
        self.scale.shows(value)
    }

    /// From where to where the axis goes to show `values`, with a margin of a part `room` of its length.
    pub(crate) fn span(&self, values: impl Iterator<Item = f64>, room: f64) -> Span {
        let given = self
            .range
            .filter(|[low, high]| low < high && self.shows(*low) && self.shows(*high));
        let range = given.unwrap_or_else(|| {
            let none = [f64::INFINITY, f64::NEG_INFINITY];
            let [low, high] = values
                .filter(|v| self.shows(*v))
                .fold(none, |[a, b], v| [a.min(v), b.max(v)]);
            match self.scale {
                Scale::Linear => linear(low, high, room),
                Scale::Log => log(low, high, room),
            }
        });
        Span {
            scale: self.scale,
            range,
        }
    }
}

fn linear(low: f64, high: f64, room: f64) -> [f64; 2] {
    if low > high {
        return [0.0, 1.0];
    }
    let size = low.abs().max(high.abs());
    // Apart by round-off only: a constant.
    if high - low <= 1e-10 * size || size == 0.0 {
        let around = if size == 0.0 { 1.0 } else { 0.1 * size };
        return [low - around, high + around];
    }
    let margin = (room * (high - low)).min(f64::MAX);
    // Amounts that are never negative do not get a negative axis.
    let from = if low >= 0.0 {
        (low - margin).max(0.0)
    } else {
        low - margin
    };
    let to = if high <= 0.0 {
        (high + margin).min(0.0)
    } else {
        high + margin
    };
    [from.max(f64::MIN), to.min(f64::MAX)]
}

fn log(low: f64, high: f64, room: f64) -> [f64; 2] {
    if low > high {
        return [0.1, 10.0];
    }
    // A lone value stands between two decades.
    let margin = (room * (high / low).ln()).max(if high / low < 1.01 { 3.0_f64.ln() } else { 0.0 });
    [
        (low * (-margin).exp()).max(f64::MIN_POSITIVE),
        (high * margin.exp()).min(f64::MAX),
    ]
}

/// An axis with its ends fixed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Span {
    scale: Scale,
    pub(crate) range: [f64; 2],
}

impl Span {
    /// Whether a number has a place here.
    pub(crate) fn shows(&self, value: f64) -> bool {
        self.scale.shows(value)
    }

    /// Where a number lies: 0 at the low end, 1 at the high end.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let [low, high] = self.range;
        let place = match self.scale {
            // Halves, as the ends may be further apart than the largest number.
            Scale::Linear => (0.5 * value - 0.5 * low) / (0.5 * high - 0.5 * low),
            Scale::Log => (value.ln() - low.ln()) / (high.ln() - low.ln()),
        };
        // Far outside is as good as infinitely far: numbers stay short and the slope right.
        place.clamp(-20.0, 21.0)
    }

    /// Its marks.
    pub(crate) fn ticks(&self, wanted: usize) -> Ticks {
        match self.scale {
            Scale::Linear => ticks::linear(self.range, wanted),
            Scale::Log => ticks::log(self.range, wanted),
        }
    }

    /// Whether zero is an inner point that deserves a line.
    pub(crate) fn crosses_zero(&self) -> bool {
        self.scale == Scale::Linear && self.range[0] < 0.0 && self.range[1] > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::Axis;

    #[test]
    fn ranges_come_from_what_can_be_shown() {
        let values = [3.0, f64::NAN, 5.0, f64::INFINITY, -1.0];
        let span = Axis::linear("").span(values.into_iter(), 0.0);
        assert_eq!(span.range, [-1.0, 5.0]);
        let span = Axis::log("").span(values.into_iter(), 0.0);
        assert!((span.range[0] - 3.0).abs() < 1e-12 && (span.range[1] - 5.0).abs() < 1e-12);
        assert!((span.place(15.0_f64.sqrt()) - 0.5).abs() < 1e-12);
        let span = Axis::linear("").span([0.0, 1.0].into_iter(), 0.05);
        assert_eq!(span.range, [0.0, 1.05]);
    }

    #[test]
    fn nothing_and_constants_have_a_range() {
        for axis in [Axis::linear(""), Axis::log("")] {
            for values in [
                vec![],
                vec![0.0],
                vec![2.0, 2.0],
                vec![-4.0],
                vec![1e308, -1e308],
            ] {
                let [low, high] = axis.span(values.into_iter(), 0.05).range;
                assert!(low < high && axis.shows(low), "{low} {high}");
            }
        }
    }
}
