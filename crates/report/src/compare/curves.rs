//! Charts of a comparison. A method has the same colour in all charts.

use chart::{Axis, AxisScale, Chart, Dash, PALETTE, Series, SeriesStyle};
use comparison::{ComparedRun, Comparison};

use super::ComparisonExhibits;
use crate::modal_energy::at_both_ends;
use crate::page::number;

/// Palette indices of the colours of methods; the reference is black.
const COLOURS: [usize; 7] = [0, 1, 2, 3, 4, 5, 7];
const BLACK: usize = 6;
/// Colour of the reference as an SVG colour code.
pub const REFERENCE_COLOUR: &str = PALETTE[BLACK];

/// Returns the palette index of a method's colour.
pub fn colour(comparison: &Comparison, method: &str) -> usize {
    let at = comparison.orders.iter().position(|o| o.method == method);
    COLOURS[at.unwrap_or(0) % COLOURS.len()]
}

/// Returns the colour of a method as an SVG colour code.
pub fn colour_code(comparison: &Comparison, method: &str) -> &'static str {
    PALETTE[colour(comparison, method)]
}

/// Returns the dash pattern of a method: methods beyond the number of colours are distinguished by dashes.
fn dash(comparison: &Comparison, method: &str) -> Dash {
    let at = comparison.orders.iter().position(|o| o.method == method);
    Dash::ALL[at.unwrap_or(0) / COLOURS.len() % Dash::ALL.len()]
}

/// Returns a series with markers for each method, one point per run.
fn by_method(c: &Comparison, point: impl Fn(&ComparedRun) -> (f64, f64)) -> Vec<Series> {
    c.orders
        .iter()
        .map(|o| {
            let own = c.runs.iter().filter(|r| r.method == o.method);
            Series::line_with_markers(&*o.method, own.map(&point).collect())
                .colour(colour(c, &o.method))
                .dash(dash(c, &o.method))
        })
        .collect()
}

fn error(row: &ComparedRun) -> f64 {
    row.end_error().unwrap_or(f64::NAN)
}

/// Returns the chart of error against cost, with the Pareto front.
pub fn cost(
    c: &Comparison,
    label: &str,
    cost: fn(&ComparedRun) -> f64,
    on: fn(&ComparedRun) -> bool,
) -> Chart {
    let mut front: Vec<(f64, f64)> = c
        .runs
        .iter()
        .filter(|r| on(r))
        .map(|r| (cost(r), error(r)))
        .collect();
    front.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut series = vec![Series {
        name: "Pareto front".into(),
        points: front,
        style: SeriesStyle::Line,
        dash: Dash::Dotted,
        colour: Some(BLACK),
    }];
    series.extend(by_method(c, |r| (cost(r), error(r))));
    Chart {
        title: format!("Error at the end and {label}"),
        x: Axis::log(label),
        y: Axis::log("RMS position error, m"),
        series,
    }
}

/// Returns the chart of error against step length; slopes are orders of convergence.
pub fn convergence(c: &Comparison) -> Chart {
    let mut series = by_method(c, |r| (r.step, error(r)));
    let steps: Vec<f64> = c.runs.iter().map(|r| r.step).collect();
    let [low, high] = steps
        .iter()
        .fold([f64::INFINITY, 0.0], |[a, b]: [f64; 2], h| {
            [a.min(*h), b.max(*h)]
        });
    if let Some(own) = c.reference.own_error.filter(|e| *e > 0.0) {
        let floor = Series::line("error of the reference", vec![(low, own), (high, own)]);
        series.push(floor.dash(Dash::Dotted).colour(BLACK));
    }
    Chart {
        title: "Error at the end over the step".into(),
        x: Axis::log("step, s"),
        y: Axis::log("RMS position error, m"),
        series,
    }
}

/// Returns the longest and the shortest step of the comparison, or the only one.
pub fn shown_steps(c: &Comparison) -> Vec<f64> {
    let mut steps: Vec<f64> = c.runs.iter().map(|r| r.step).collect();
    steps.sort_by(|a, b| b.total_cmp(a));
    steps.dedup();
    match steps[..] {
        [first, .., last] => vec![first, last],
        _ => steps,
    }
}

/// Returns a line for each run with this step length.
fn with_step(
    c: &Comparison,
    step: f64,
    points: impl Fn(usize, &ComparedRun) -> Vec<(f64, f64)>,
) -> Vec<Series> {
    let own = c.runs.iter().enumerate().filter(|(_, r)| r.step == step);
    own.map(|(k, r)| {
        let line = Series::line(&*r.method, points(k, r));
        line.colour(colour(c, &r.method)).dash(dash(c, &r.method))
    })
    .collect()
}

/// Returns the chart of total energy over time at one step length.
pub fn energy(c: &Comparison, shown: &ComparisonExhibits, step: f64) -> Chart {
    let mut series = with_step(c, step, |k, _| shown.curves[k].steps.points("t", "total"));
    if let Some(points) = &shown.reference_energy {
        let line = Series::line("reference", points.clone());
        series.push(line.dash(Dash::Dotted).colour(BLACK));
    }
    let mut y = Axis::linear("total energy, J");
    y.range = range_without_outliers(&series);
    Chart {
        title: format!("Energy at a step of {step} s"),
        x: Axis::linear("time, s").with_range(0.0, c.info.until),
        y,
        series,
    }
}

/// Returns the chart of the energies of the modes at the end of the runs with one step length, and at the start.
pub fn modal_energy(c: &Comparison, shown: &ComparisonExhibits, step: f64) -> Chart {
    let mut series = by_method(c, |_| (f64::NAN, f64::NAN));
    for (line, order) in series.iter_mut().zip(&c.orders) {
        let own = |r: &ComparedRun| r.method == order.method && r.step == step;
        let run = c.runs.iter().position(own);
        line.points = run.map_or(Vec::new(), |k| {
            let [_, end] = at_both_ends(&shown.curves[k].modes);
            end
        });
    }
    if let Some(first) = shown.curves.first() {
        let [start, _] = at_both_ends(&first.modes);
        series.push(
            Series::line("start", start)
                .dash(Dash::Dotted)
                .colour(BLACK),
        );
    }
    Chart {
        title: format!("Energy of the modes at a step of {step} s"),
        x: Axis::linear("mode"),
        y: Axis::log("energy, J"),
        series,
    }
}

/// Returns an axis range without outliers, so that a run that blows up does not flatten the others; `None` if there are
/// no outliers.
fn range_without_outliers(series: &[Series]) -> Option<[f64; 2]> {
    let mut spans: Vec<[f64; 2]> = series
        .iter()
        .map(|s| {
            let finite = s.points.iter().map(|p| p.1).filter(|y| y.is_finite());
            finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], y| {
                [a.min(y), b.max(y)]
            })
        })
        .filter(|[low, high]| low <= high)
        .collect();
    spans.sort_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])));
    let [low, high] = *spans.get(spans.len() / 2)?;
    let usual = high - low;
    let kept = spans.iter().filter(|[a, b]| b - a <= 4.0 * usual);
    let [low, high] = kept.fold([low, high], |[x, y], [a, b]| [x.min(*a), y.max(*b)]);
    let wild = spans.iter().any(|[a, b]| b - a > 4.0 * usual);
    let margin = 0.08 * (high - low);
    (wild && margin > 0.0).then_some([low - margin, high + margin])
}

/// Names the curves that leave a chart at its top or bottom, with their extremes; empty if none does.
pub fn curves_beyond(chart: &Chart) -> String {
    let Some([low, high]) = chart.y.range else {
        return String::new();
    };
    let mut beyond = Vec::new();
    for series in &chart.series {
        // Zero is no point of a logarithmic axis, so nothing goes beyond it there.
        let on_axis = |y: &f64| chart.y.scale == AxisScale::Linear || *y > 0.0;
        let values = || series.points.iter().map(|p| p.1).filter(on_axis);
        let (least, most) = (
            values().fold(f64::INFINITY, f64::min),
            values().fold(f64::NEG_INFINITY, f64::max),
        );
        if most > high {
            beyond.push(format!("{} (up to {})", series.name, number(most)));
        } else if least < low {
            beyond.push(format!("{} (down to {})", series.name, number(least)));
        }
    }
    match beyond.is_empty() {
        true => String::new(),
        false => format!(" Beyond the axis: {}.", beyond.join(", ")),
    }
}

/// Returns the chart of error over time at one step length.
pub fn error_over_time(c: &Comparison, step: f64) -> Chart {
    let points = |_, r: &ComparedRun| {
        let curve = r.error.iter().flat_map(|d| d.times.iter().zip(&d.curve));
        curve.map(|(t, e)| (*t, *e)).collect()
    };
    let series = with_step(c, step, points);
    // A run that blows up leaves the chart at the top.
    let finished = c
        .runs
        .iter()
        .filter(|r| r.step == step && r.reason.is_none());
    let errors = finished.flat_map(|r| r.error.iter().flat_map(|d| &d.curve));
    let positive = errors.copied().filter(|e| *e > 0.0);
    let [low, high] = positive.fold([f64::INFINITY, 0.0], |[a, b]: [f64; 2], e| {
        [a.min(e), b.max(e)]
    });
    let mut y = Axis::log("RMS position error, m");
    y.range = (low <= high).then_some([low / 2.0, high * 3.0]);
    Chart {
        title: format!("Error over time at a step of {step} s"),
        x: Axis::linear("time, s").with_range(0.0, c.info.until),
        y,
        series,
    }
}

/// Returns the chart of Newton iterations per step.
pub fn newton(c: &Comparison, shown: &ComparisonExhibits, step: f64) -> Chart {
    let series = with_step(c, step, |k, _| {
        let points = shown.curves[k].steps.points("t", "newton");
        // The first row is the start, not a step.
        points.into_iter().skip(1).collect()
    });
    let counts = series.iter().flat_map(|s| s.points.iter().map(|p| p.1));
    let most = counts.fold(1.0, f64::max) * 1.1;
    Chart {
        title: format!("Newton iterations per step, at {step} s"),
        x: Axis::linear("time, s").with_range(0.0, c.info.until),
        y: Axis::linear("iterations").with_range(0.0, most),
        series,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_that_leave_the_axis_are_named() {
        let line = |name: &str, y: f64| Series::line(name, vec![(0.0, 1.0), (1.0, y)]);
        let chart = |range| Chart {
            title: String::new(),
            x: Axis::linear(""),
            y: Axis {
                range,
                ..Axis::linear("")
            },
            series: vec![line("a", 2.0), line("wild", 1e9), line("low", -5.0)],
        };
        let named = curves_beyond(&chart(Some([0.0, 3.0])));
        assert_eq!(
            named,
            " Beyond the axis: wild (up to 1.000e9), low (down to -5)."
        );
        assert_eq!(curves_beyond(&chart(None)), "");
        let mut log = chart(Some([0.5, 3.0]));
        log.y.scale = AxisScale::Log;
        assert_eq!(
            curves_beyond(&log),
            " Beyond the axis: wild (up to 1.000e9)."
        );
    }
}
