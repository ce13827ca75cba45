//! Axes: label, linear or logarithmic scale, range, and the position of a value.

use crate::ticks::{self, Ticks};

/// The scale of an axis: linear or logarithmic.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AxisScale {
    /// A linear scale.
    #[default]
    Linear,
    /// A logarithmic scale, for positive values only.
    Log,
}

impl AxisScale {
    fn can_show(self, value: f64) -> bool {
        value.is_finite() && (self == AxisScale::Linear || value > 0.0)
    }
}

/// An axis of a chart: label, scale and range.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Axis {
    /// The name of the quantity with its unit.
    pub label: String,
    /// The scale.
    pub scale: AxisScale,
    /// The range; `None` takes it from the data.
    pub range: Option<[f64; 2]>,
}

impl Axis {
    /// Creates a linear axis that takes its range from the data.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis {
            label: label.into(),
            ..Axis::default()
        }
    }

    /// Creates a logarithmic axis that takes its range from the data.
    pub fn log(label: impl Into<String>) -> Axis {
        Axis {
            scale: AxisScale::Log,
            ..Axis::linear(label)
        }
    }

    /// Returns the axis with the fixed range `low` to `high`.
    pub fn with_range(self, low: f64, high: f64) -> Axis {
        Axis {
            range: Some([low, high]),
            ..self
        }
    }

    /// Returns whether the axis can show a value.
    pub(crate) fn can_show(&self, value: f64) -> bool {
        self.scale.can_show(value)
    }

    /// Returns the range of the axis for `values`, with a margin of the fraction `relative_margin` of its length.
    pub(crate) fn range_of(
        &self,
        values: impl Iterator<Item = f64>,
        relative_margin: f64,
    ) -> AxisRange {
        let given = self
            .range
            .filter(|[low, high]| low < high && self.can_show(*low) && self.can_show(*high));
        let range = given.unwrap_or_else(|| {
            let none = [f64::INFINITY, f64::NEG_INFINITY];
            let [low, high] = values
                .filter(|v| self.can_show(*v))
                .fold(none, |[a, b], v| [a.min(v), b.max(v)]);
            match self.scale {
                AxisScale::Linear => linear(low, high, relative_margin),
                AxisScale::Log => log(low, high, relative_margin),
            }
        });
        AxisRange {
            scale: self.scale,
            range,
        }
    }
}

fn linear(low: f64, high: f64, relative_margin: f64) -> [f64; 2] {
    if low > high {
        return [0.0, 1.0];
    }
    let size = low.abs().max(high.abs());
    // Values that differ by rounding only are a constant.
    if high - low <= 1e-10 * size || size == 0.0 {
        let around = if size == 0.0 { 1.0 } else { 0.1 * size };
        return [low - around, high + around];
    }
    let margin = (relative_margin * (high - low)).min(f64::MAX);
    // The axis of non-negative data does not start below zero.
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

fn log(low: f64, high: f64, relative_margin: f64) -> [f64; 2] {
    if low > high {
        return [0.1, 10.0];
    }
    // A single value is centred in about two decades.
    let margin = (relative_margin * (high / low).ln()).max(if high / low < 1.01 {
        3.0_f64.ln()
    } else {
        0.0
    });
    [
        (low * (-margin).exp()).max(f64::MIN_POSITIVE),
        (high * margin.exp()).min(f64::MAX),
    ]
}

/// An axis with a fixed range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AxisRange {
    scale: AxisScale,
    /// The low and high end.
    pub(crate) range: [f64; 2],
}

impl AxisRange {
    /// Returns whether the axis can show a value.
    pub(crate) fn can_show(&self, value: f64) -> bool {
        self.scale.can_show(value)
    }

    /// Returns the position of a value: 0 at the low end, 1 at the high end.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let [low, high] = self.range;
        let place = match self.scale {
            // Halved, because the length of the range may overflow.
            AxisScale::Linear => (0.5 * value - 0.5 * low) / (0.5 * high - 0.5 * low),
            AxisScale::Log => (value.ln() - low.ln()) / (high.ln() - low.ln()),
        };
        // Clamped far outside the plot, so that coordinates stay short and slopes right.
        place.clamp(-20.0, 21.0)
    }

    /// Returns about `wanted` ticks.
    pub(crate) fn ticks(&self, wanted: usize) -> Ticks {
        match self.scale {
            AxisScale::Linear => ticks::linear(self.range, wanted),
            AxisScale::Log => ticks::log(self.range, wanted),
        }
    }

    /// Returns whether zero lies strictly inside the range of a linear axis.
    pub(crate) fn crosses_zero(&self) -> bool {
        self.scale == AxisScale::Linear && self.range[0] < 0.0 && self.range[1] > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::Axis;

    #[test]
    fn ranges_come_from_what_can_be_shown() {
        let values = [3.0, f64::NAN, 5.0, f64::INFINITY, -1.0];
        let span = Axis::linear("").range_of(values.into_iter(), 0.0);
        assert_eq!(span.range, [-1.0, 5.0]);
        let span = Axis::log("").range_of(values.into_iter(), 0.0);
        assert!((span.range[0] - 3.0).abs() < 1e-12 && (span.range[1] - 5.0).abs() < 1e-12);
        assert!((span.place(15.0_f64.sqrt()) - 0.5).abs() < 1e-12);
        let span = Axis::linear("").range_of([0.0, 1.0].into_iter(), 0.05);
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
                let [low, high] = axis.range_of(values.into_iter(), 0.05).range;
                assert!(low < high && axis.can_show(low), "{low} {high}");
            }
        }
    }
}
