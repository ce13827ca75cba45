//! Detection on one thread: `cargo bench -p supple-contact --bench detection`.
//!
//! A stack of wavy sheets of 20 000 vertices with about 331 000 static and 205 000 swept candidates. Prints milliseconds of
//! processor time of static and swept candidates and of continuous collision detection, and their ratios to what IPC Toolkit
//! 1.6.1 took on one thread for a scene of as many vertices (80 and 58 ms) and for 317 000 candidates (153 ms, to which ours
//! is scaled). These are recorded figures of another scene, not a run beside ours. Prints also the exponents of the time from
//! 1024 to 50 000 vertices, in the number of vertices and in that of candidates, and nanoseconds of derivatives. A vertex of
//! the large stack has 1.27 times the candidates, because fewer sheets are outermost and fewer vertices are at edges.

mod common;

use contact::broad::{BroadPhase, Candidates};
use contact::ccd::{self, CcdOptions};
use contact::{Point, distance};

use common::{best, sheets};

/// Milliseconds of IPC Toolkit 1.6.1 on one thread: static and swept candidates of 20 000 vertices, CCD of 317 000 pairs.
const PEER: [f64; 3] = [80.0, 58.0, 153.0];
const PEER_PAIRS: f64 = 317_000.0;

/// Times of static candidates, swept candidates and CCD of all swept pairs, and the numbers of static and swept pairs.
fn measure(count: usize, side: usize) -> [f64; 5] {
    let (surface, start, end) = sheets(count, side);
    let p = &surface.primitives;
    let mut broad = BroadPhase::new();
    let (mut near, mut swept) = (Candidates::default(), Candidates::default());
    let inflation = 0.2;
    let repeat = (100_000 / start.len()) as u32;
    let statics = best(repeat, || {
        broad.static_candidates(p, &start, inflation, |_, _| true, &mut near)
    });
    let sweeps = best(repeat, || {
        broad.swept_candidates(p, &start, &end, 0.65 * inflation, |_, _| true, &mut swept)
    });
    let options = CcdOptions::default();
    let blocking = best(repeat, || {
        std::hint::black_box(ccd::free_fraction(p, &swept, &start, &end, &options));
    });
    println!(
        "{:6} vertices: {:7} static candidates {statics:7.2} ms, {:7} swept {sweeps:7.2} ms, CCD {blocking:7.2} ms",
        start.len(),
        near.len(),
        swept.len(),
    );
    [
        statics,
        sweeps,
        blocking,
        near.len() as f64,
        swept.len() as f64,
    ]
}

/// Nanoseconds of the gradient, and of the gradient and Hessian, of a squared distance and its closest feature.
fn measure_derivatives() {
    let mut random = base::random::Random::new(2);
    let mut stencil = || [(); 4].map(|()| [(); 3].map(|()| random.signed()));
    let stencils: Vec<[Point; 4]> = (0..20_000).map(|_| stencil()).collect();
    let mut sum = 0.0;
    let gradients = best(5, || {
        for x in &stencils {
            let feature = distance::edge_edge(x).0;
            sum += distance::derivatives(feature, x, None).1[4];
        }
    });
    let mut hessian = [[0.0; 12]; 12];
    let hessians = best(5, || {
        for x in &stencils {
            let feature = distance::edge_edge(x).0;
            sum += distance::derivatives(feature, x, Some(&mut hessian)).1[4] + hessian[3][7];
        }
    });
    std::hint::black_box(sum);
    let each = 1e6 / stencils.len() as f64;
    println!(
        "edge–edge feature and gradient {:.0} ns, with Hessian {:.0} ns",
        gradients * each,
        hessians * each
    );
}

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.expect("a thread starts").install(|| {
        measure_derivatives();
        let small = measure(4, 16);
        let [statics, sweeps, blocking, _, pairs] = measure(8, 50);
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
        let growth = ((large[0] + large[1]) / (small[0] + small[1])).ln();
        let of_vertices = growth / (50_000.0f64 / 1024.0).ln();
        let of_candidates = growth / ((large[3] + large[4]) / (small[3] + small[4])).ln();
        println!(
            "exponent from 1024 to 50 000 vertices: {of_vertices:.2} (asked: 1.15), in the number of candidates {of_candidates:.2}"
        );
    });
}
