//! A stack of wavy sheets, and a clock, for benchmarks of contact.

use std::time::Instant;

use contact::{CollisionSurface, Point};

/// Sheets of `side` × `side` vertices at unit distances above each other, half an edge apart.
pub fn sheets(count: usize, side: usize) -> (CollisionSurface, Vec<Point>, Vec<Point>) {
    let mut surface = CollisionSurface::default();
    let (mut start, mut end) = (Vec::new(), Vec::new());
    let mut random = base::random::Random::new(1);
    for layer in 0..count {
        let mut points = Vec::new();
        for k in 0..side * side {
            let (x, y) = ((k % side) as f64, (k / side) as f64);
            let wave = 0.4 * (0.3 * x).sin() * (0.2 * y).cos();
            points.push([x + 0.1 * random.signed(), y, 0.5 * layer as f64 + wave]);
        }
        let at = |i: usize, j: usize| (j * side + i) as u32;
        let cell = |k: usize| {
            let (i, j) = (k % (side - 1), k / (side - 1));
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        };
        let triangles: Vec<_> = (0..(side - 1) * (side - 1)).flat_map(cell).collect();
        let sheet = CollisionSurface::from_triangles(&points, &triangles);
        surface.append(&sheet, start.len() as u32, layer as u32);
        for p in points {
            end.push(p.map(|x| x + 0.1 * random.signed()));
            start.push(p);
        }
    }
    (surface, start, end)
}

/// Milliseconds that this thread has run, without the time that other programs took; wall time where Linux does not say.
fn milliseconds(since: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|n| n.parse::<f64>().ok());
    nanoseconds.map_or(since.elapsed().as_secs_f64() * 1e3, |n| n * 1e-6)
}

/// Best time of several runs of `repeat` calls each, ms a call. A run must be long enough for the clock of 4 ms.
pub fn best(repeat: u32, mut work: impl FnMut()) -> f64 {
    work();
    let run = |_| {
        let since = Instant::now();
        let before = milliseconds(since);
        (0..repeat).for_each(|_| work());
        (milliseconds(since) - before) / f64::from(repeat)
    };
    (0..7).map(run).fold(f64::INFINITY, f64::min)
}
