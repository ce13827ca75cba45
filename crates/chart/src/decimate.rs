//! Decimation of points that are too close to be distinguished in the image.

use std::collections::HashSet;

/// The width of a pixel column in pixels; points in one column are not distinguished horizontally.
const COLUMN_WIDTH: f64 = 0.5;

/// Decimates a line: of consecutive points in one column it keeps the first, lowest, highest and last in their order,
/// so peaks keep their height.
pub fn polyline(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    kept_of_line(points)
        .into_iter()
        .map(|k| points[k])
        .collect()
}

/// Returns the indices of the points that [`polyline`] keeps.
pub fn kept_of_line(points: &[(f64, f64)]) -> Vec<usize> {
    let column = |p: &(f64, f64)| (p.0 / COLUMN_WIDTH).floor();
    let (mut kept, mut start) = (Vec::new(), 0);
    for run in points.chunk_by(|a, b| column(a) == column(b)) {
        let by = |a: &usize, b: &usize| run[*a].1.total_cmp(&run[*b].1);
        let low = (0..run.len()).min_by(by).unwrap_or(0);
        let high = (0..run.len()).max_by(by).unwrap_or(0);
        let mut stay = [0, low, high, run.len() - 1];
        stay.sort_unstable();
        let mut last = None;
        for index in stay {
            if last != Some(index) {
                kept.push(start + index);
            }
            last = Some(index);
        }
        start += run.len();
    }
    kept
}

/// Removes markers that are hidden by another one.
pub fn markers(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut seen = HashSet::new();
    let cell = |v: f64| (v / COLUMN_WIDTH).floor() as i64;
    let mut kept = points.to_vec();
    kept.retain(|p| seen.insert((cell(p.0), cell(p.1))));
    kept
}

#[cfg(test)]
mod tests {
    use super::{markers, polyline};

    #[test]
    fn peaks_stay() {
        let mut points: Vec<(f64, f64)> = (0..100_000)
            .map(|k| (f64::from(k) * 0.005, 100.0 + (f64::from(k) * 0.1).sin()))
            .collect();
        points[41_237].1 = 3.0;
        points[70_001].1 = 390.0;
        let kept = polyline(&points);
        assert!(kept.len() <= 4 * 1001, "{} points", kept.len());
        assert!(kept.contains(&points[41_237]) && kept.contains(&points[70_001]));
        assert_eq!((kept.first(), kept.last()), (points.first(), points.last()));
        assert!(kept.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn few_points_are_left_alone() {
        let points = [(0.0, 1.0), (0.1, 2.0), (90.0, 3.0), (90.2, 3.0)];
        assert_eq!(polyline(&points), points);
    }

    #[test]
    fn dots_on_dots_are_one() {
        let points: Vec<(f64, f64)> = (0..900).map(|k| (f64::from(k % 3), 7.0)).collect();
        assert_eq!(markers(&points), [(0.0, 7.0), (1.0, 7.0), (2.0, 7.0)]);
    }
}
