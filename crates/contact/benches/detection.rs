//! Detection on one thread: `cargo bench -p supple-contact --bench detection`.
//!
//! A stack of wavy sheets with about 317 000 swept candidates at 20 000 vertices. Prints milliseconds of static and swept
//! candidates and of continuous collision detection, their ratios to what IPC Toolkit 1.6.1 takes for as many vertices and
//! candidates (80, 58 and 153 ms on one thread), and the exponent of the time from 1000 to 50 000 vertices.

use std::time::Instant;

use contact::broad::{BroadPhase, Candidates};
use contact::ccd::{self, CcdOptions};
use contact::{CollisionSurface, Point};

/// Milliseconds of IPC Toolkit 1.6.1 on one thread: static and swept candidates of 20 000 vertices, CCD of 317 000 pairs.
const PEER: [f64; 3] = [80.0, 58.0, 153.0];
const PEER_PAIRS: f64 = 317_000.0;

/// Sheets of `side` × `side` vertices at unit distances above each other, half an edge apart.
fn sheets(count: usize, side: usize) -> (CollisionSurface, Vec<Point>, Vec<Point>) {
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

/// Best time of several runs, ms.
fn best(mut work: impl FnMut()) -> f64 {
    work();
    let once = |_| {
        let started = Instant::now();
        work();
        started.elapsed().as_secs_f64() * 1e3
    };
    (0..9).map(once).fold(f64::INFINITY, f64::min)
}

/// Times of static candidates, swept candidates, CCD of all swept pairs, and the number of swept pairs.
fn measure(count: usize, side: usize) -> [f64; 4] {
    let (surface, start, end) = sheets(count, side);
    let p = &surface.primitives;
    let mut broad = BroadPhase::new();
    let (mut near, mut swept) = (Candidates::default(), Candidates::default());
    let inflation = 0.1;
    let statics = best(|| broad.static_candidates(p, &start, inflation, |_, _| true, &mut near));
    let sweeps =
        best(|| broad.swept_candidates(p, &start, &end, 0.25 * inflation, |_, _| true, &mut swept));
    let options = CcdOptions::default();
    let blocking = best(|| {
        std::hint::black_box(ccd::free_fraction(p, &swept, &start, &end, &options));
    });
    println!(
        "{:6} vertices: {:7} static candidates {statics:7.2} ms, {:7} swept {sweeps:7.2} ms, CCD {blocking:7.2} ms",
        start.len(),
        near.len(),
        swept.len(),
    );
    [statics, sweeps, blocking, swept.len() as f64]
}

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.expect("a thread starts").install(|| {
        let small = measure(4, 16);
        let [statics, sweeps, blocking, pairs] = measure(8, 50);
        let large = measure(20, 50);
        let blocking = blocking * PEER_PAIRS / pairs;
        println!(
            "static + swept: {:.2} of IPC Toolkit (asked: 0.5)",
            (statics + sweeps) / (PEER[0] + PEER[1])
        );
        println!(
            "CCD of 317 000 candidates: {blocking:.1} ms, {:.2} of IPC Toolkit (asked: 0.5)",
            blocking / PEER[2]
        );
        let exponent =
            ((large[0] + large[1]) / (small[0] + small[1])).ln() / (50_000.0f64 / 1024.0).ln();
        println!("exponent from 1024 to 50 000 vertices: {exponent:.2} (asked: 1.15)");
    });
}
