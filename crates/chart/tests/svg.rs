//! What a chart's text holds.

use chart::{Axis, Chart, Dash, Series, chart_column};

fn chart(y: Axis, series: Vec<Series>) -> Chart {
    Chart {
        title: "energies of <beam> & \"cloth\"".into(),
        x: Axis::linear("time, s"),
        y,
        series,
    }
}

fn polylines(svg: &str) -> Vec<Vec<(f64, f64)>> {
    svg.lines()
        .filter_map(|l| l.strip_prefix("<polyline ")?.split_once(" points=\""))
        .map(|(_, tail)| {
            let pairs = tail.trim_end_matches("\"/>").split(' ');
            pairs
                .map(|p| p.split_once(',').unwrap())
                .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
                .collect()
        })
        .collect()
}

#[test]
fn words_cannot_break_the_markup() {
    let svg = chart(
        Axis::linear("<script>alert(1)</script>"),
        vec![Series::line("a & b", vec![(0.0, 0.0), (1.0, 1.0)])],
    )
    .svg();
    assert!(!svg.contains("<script") && !svg.contains("a & b"));
    assert!(svg.contains("&lt;script&gt;") && svg.contains("a &amp; b"));
    assert!(svg.contains("energies of &lt;beam&gt; &amp; &quot;cloth&quot;"));
}

#[test]
fn what_cannot_be_shown_is_a_gap() {
    let points = vec![
        (0.0, 1.0),
        (1.0, 2.0),
        (2.0, f64::NAN),
        (3.0, 4.0),
        (4.0, 5.0),
        (5.0, 0.0),
    ];
    let linear = chart(Axis::linear(""), vec![Series::line("", points.clone())]).svg();
    let lengths: Vec<usize> = polylines(&linear).iter().map(Vec::len).collect();
    assert_eq!(lengths, [2, 3]);
    let log = chart(Axis::log(""), vec![Series::line("", points)]).svg();
    let lengths: Vec<usize> = polylines(&log).iter().map(Vec::len).collect();
    assert_eq!(lengths, [2, 2]);
}

#[test]
fn a_point_between_gaps_is_a_dot() {
    let points = vec![
        (0.0, f64::NAN),
        (1.0, 2.0),
        (2.0, f64::NAN),
        (3.0, 1.0),
        (4.0, 1.0),
    ];
    let svg = chart(Axis::linear(""), vec![Series::line("", points)]).svg();
    assert_eq!(
        (svg.matches("<circle").count(), polylines(&svg).len()),
        (1, 1)
    );
}

#[test]
fn curves_lie_where_they_should() {
    let y = Axis::linear("").with_range(0.0, 10.0);
    let svg = chart(
        y,
        vec![Series::line("", vec![(0.0, 0.0), (1.0, 5.0), (2.0, 10.0)])],
    )
    .svg();
    let line = &polylines(&svg)[0];
    // The middle of the data is the middle of the plot, and up is up.
    assert!((line[1].0 - 0.5 * (line[0].0 + line[2].0)).abs() < 0.11);
    assert!((line[1].1 - 0.5 * (line[0].1 + line[2].1)).abs() < 0.11);
    assert!(line[0].1 > 250.0 && line[2].1 == 0.0 && line[0].0 == 0.0);
}

#[test]
fn many_points_make_a_small_file_with_its_peak() {
    let mut points: Vec<(f64, f64)> = (0..200_000)
        .map(|k| (f64::from(k), (0.01 * f64::from(k)).sin()))
        .collect();
    points[123_456].1 = 7.0;
    let svg = chart(
        Axis::linear("").with_range(-1.0, 7.0),
        vec![Series::line("", points)],
    )
    .svg();
    assert!(svg.len() < 80_000, "{} bytes", svg.len());
    assert!(polylines(&svg)[0].iter().any(|p| p.1 == 0.0));
}

#[test]
fn the_legend_keeps_clear_of_the_curves() {
    // Falling: the upper right is free. Rising and falling from every corner: none is.
    let falling = Series::line("falling", vec![(0.0, 1.0), (1.0, 0.0)]);
    let svg = chart(Axis::linear(""), vec![falling.clone()]).svg();
    assert_eq!(svg.matches("rx=\"3\"").count(), 1);
    let rising = Series::line("rising", vec![(0.0, 0.0), (1.0, 1.0)]);
    let svg = chart(Axis::linear(""), vec![falling, rising]).svg();
    assert_eq!(svg.matches("rx=\"3\"").count(), 0);
    assert!(svg.contains(">rising<") && svg.contains(">falling<"));
}

#[test]
fn empty_charts_and_columns_are_documents() {
    let empty = Chart::default();
    assert!(empty.svg().ends_with("</svg>\n") && !empty.svg().contains("NaN"));
    assert!(!empty.inline().contains("http"));
    let both = chart_column(
        "two",
        "of them",
        &[empty.clone(), chart(Axis::log("y"), vec![])],
    );
    assert!(both.contains("height=\"856\"") && both.contains(">two<") && !both.contains("NaN"));
}

#[test]
fn dashes_and_colours_are_kept() {
    let line = Series::line_with_markers("", vec![(1.0, 1.0), (2.0, 3.0)])
        .dash(Dash::Dashed)
        .colour(9);
    let svg = chart(Axis::linear(""), vec![line]).svg();
    assert!(svg.contains("stroke-dasharray=\"7 4\"") && svg.contains(chart::PALETTE[1]));
}

#[test]
fn the_ninth_series_does_not_look_like_the_first() {
    let line = |k: usize| Series::line(format!("{k}"), vec![(0.0, k as f64), (1.0, 2.0)]);
    let drawn = |n: usize| chart(Axis::linear(""), (0..n).map(line).collect()).svg();
    assert_eq!(drawn(8).matches("stroke-dasharray").count(), 0);
    // Its curve and its stroke in the legend.
    assert_eq!(drawn(9).matches("stroke-dasharray=\"7 4\"").count(), 2);
}

#[test]
fn programs_get_the_series_as_they_are_drawn() {
    let mut points: Vec<(f64, f64)> = (0..100_000)
        .map(|k| (1e-3 * f64::from(k), f64::from(k % 7)))
        .collect();
    points[60_000].1 = f64::NAN;
    points[61_001].1 = 1e3;
    let dots = Series::markers("dots", vec![(0.0, 1.0), (0.0, 2.0), (f64::NAN, 1.0)]);
    let two = chart(
        Axis::linear(""),
        vec![Series::line("line", points.clone()), dots.colour(2)],
    );
    let [line, dots] = &two.drawn_series()[..] else {
        panic!("two series");
    };
    assert!(line.points.len() < 6000, "{} points", line.points.len());
    assert!(line.points.contains(&points[61_001]));
    assert!(line.points.iter().any(|p| p.0 == 60.0 && p.1.is_nan()));
    assert_eq!(line.points.last(), points.last());
    assert_eq!((dots.name, dots.colour), ("dots", chart::PALETTE[2]));
    assert_eq!(dots.points, [(0.0, 1.0), (0.0, 2.0)]);
}
