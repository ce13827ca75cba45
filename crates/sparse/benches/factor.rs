//! Factor and solve times of M + h²K-like matrices, three unknowns a vertex, against the figures the project aims at.
//!
//! `cargo bench -p supple-sparse` prints a table; times are the best of several runs on one thread.

#[path = "../tests/common/mod.rs"]
mod common;

use common::elastic_block;
use sparse::{Cg, Cholesky, EliminationOrder, LinearSolver, Ordering, Preconditioner};
use std::hint::black_box;
use std::time::Instant;

/// CPU time of this thread in seconds where the system tells it, else wall time: other programs then do not count.
fn clock(origin: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|s| s.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| origin.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

/// Best of `repeats`, in milliseconds; what is shorter than the clock's grain is done many times over.
fn best(repeats: usize, mut work: impl FnMut()) -> f64 {
    let origin = Instant::now();
    let sample = |times: usize, work: &mut dyn FnMut()| {
        let start = clock(origin);
        (0..times).for_each(|_| work());
        (clock(origin) - start) * 1e3 / times as f64
    };
    let first = sample(1, &mut work);
    let times = if repeats == 1 {
        return first;
    } else {
        (20.0 / first.max(0.1)).ceil() as usize
    };
    (1..repeats).fold(f64::INFINITY, |best, _| best.min(sample(times, &mut work)))
}

/// Gflop/s of a dense Cholesky of 1000 unknowns through the same door: what this machine can do at best.
fn dense_rate() -> f64 {
    let n = 1000;
    let pattern = sparse::Pattern::new(n, (0..n).flat_map(|i| (0..i).map(move |j| (i, j))));
    let mut a = sparse::Matrix::new(pattern);
    a.fill(-0.5);
    a.add_diagonal(n as f64);
    let mut solver = Cholesky::default();
    let time = best(10, || solver.factor(&a).expect("definite"));
    (n as f64).powi(3) / 3.0 / time * 1e-6
}

fn conjugate_gradients(a: &sparse::Matrix) {
    for preconditioner in [
        Preconditioner::BlockJacobi,
        Preconditioner::IncompleteCholesky,
    ] {
        let mut cg = Cg::with_preconditioner(preconditioner);
        cg.factor(a).expect("definite");
        let build = best(3, || cg.factor(a).expect("definite"));
        for tolerance in [1e-6, 1e-10] {
            cg.tolerance = tolerance;
            let before = cg.counts().iterations;
            let mut x = vec![1.0; a.n()];
            let solve = best(1, || cg.solve(&mut x).expect("definite"));
            let iterations = cg.counts().iterations - before;
            println!(
                "    {preconditioner:?} to {tolerance:e}: built in {build:.1} ms, {iterations} iterations in {solve:.1} ms"
            );
        }
    }
}

fn main() {
    let dense = dense_rate();
    println!("a dense Cholesky of 1000 unknowns: {dense:.1} Gflop/s on one thread");
    println!(
        "{:<22} {:>8} {:>10} {:>10} {:>6} {:>9} {:>9} {:>9} {:>8} {:>7} {:>13}",
        "body",
        "unknowns",
        "AMD flop",
        "ND flop",
        "taken",
        "entries",
        "analyse",
        "factor",
        "solve",
        "Gflop/s",
        "× aim (f, s)"
    );
    for (name, size, aim) in [
        ("beam 33×5×5", (33, 5, 5), (3.0, 0.24)),
        ("block 19³ (7k)", (19, 19, 19), (252.0, 17.0)),
        ("sheet 97×97×2", (97, 97, 2), (215.0, 27.0)),
        ("block 27³ (20k)", (27, 27, 27), (1750.0, 78.0)),
    ] {
        let a = elastic_block(size.0, size.1, size.2, 10.0);
        let amd = EliminationOrder::compute(a.pattern(), Ordering::Amd);
        let dissection = EliminationOrder::compute(a.pattern(), Ordering::NestedDissection);
        let mut solver = Cholesky::default();
        let first = best(1, || solver.factor(&a).expect("definite"));
        let repeats = if first > 1e3 { 3 } else { 10 };
        let factor = best(repeats, || solver.factor(&a).expect("definite"));
        let mut x = vec![1.0; a.n()];
        let solve = best(repeats, || {
            solver.solve(black_box(&mut x)).expect("factored")
        });
        let flops = solver.order().map_or(0.0, |o| o.flops);
        let taken = solver.order().map_or("", |o| {
            if o.method == Ordering::Amd {
                "AMD"
            } else {
                "ND"
            }
        });
        println!(
            "{name:<22} {:>8} {:>10.2e} {:>10.2e} {taken:>6} {:>9.2e} {:>9.1} {factor:>9.2} {solve:>8.2} {:>7.1} {:>6.2} {:>6.2}",
            a.n(),
            amd.flops,
            dissection.flops,
            solver.stored_values() as f64,
            first - factor,
            flops / factor * 1e-6,
            factor / aim.0,
            solve / aim.1,
        );
        if a.n() > 50_000 {
            let mut y = vec![0.0; a.n()];
            let product = best(5, || a.times(black_box(&x), &mut y));
            println!("    product {product:.2} ms");
            conjugate_gradients(&a);
        }
    }
}
