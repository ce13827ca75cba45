//! Plots position, speed and acceleration of one motion under each ease, as an SVG document on standard output:
//! `cargo run -p supple --example motion_plot > docs/motion.svg`.

use chart::{Axis, Chart, Series, chart_column};
use solid::motion::{Ease, Keyframe, Motion};

fn main() {
    let key = |t: f64, x: f64| Keyframe {
        t,
        translate: [x, 0.0, 0.0],
        rotate: [0.0; 3],
    };
    let eases = [
        ("quintic", Ease::Quintic),
        ("cubic", Ease::Cubic),
        ("linear", Ease::Linear),
    ];
    let motions = eases.map(|(name, ease)| {
        let keys = vec![key(0.0, 0.0), key(1.0, 1.0), key(1.5, 0.5)];
        let pivot = [0.0; 3];
        (name, Motion::Keyframes { keys, pivot, ease })
    });
    let chart = |title: &str, unit: &str, order: usize| {
        let line = |(name, motion): &(&str, Motion)| {
            let times = (-30..=180).map(|i| f64::from(i) / 100.0);
            let point = |t: f64| (t, motion.at(t, [0.0; 3])[order][0]);
            Series::line(*name, times.map(point).collect())
        };
        Chart {
            title: title.into(),
            x: Axis::linear("time, s"),
            y: Axis::linear(unit),
            series: motions.iter().map(line).collect(),
        }
    };
    let charts = [
        chart("Position", "translate, m", 0),
        chart("Speed", "m/s", 1),
        chart("Acceleration", "m/s²", 2),
    ];
    let note = "keys = [{ t = 0 }, { t = 1, translate = [1, 0, 0] }, { t = 1.5, translate = [0.5, 0, 0] }]";
    print!(
        "{}",
        chart_column("Three eases of one motion", note, &charts)
    );
}
