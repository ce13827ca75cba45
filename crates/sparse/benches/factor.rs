//! Factor and solve times of M + h²K-like matrices, three unknowns a vertex, against the figures the project aims at.
//!
//! `cargo bench -p sparse` prints a table; times are the best of several runs on one thread.

#[path = "../tests/common/mod.rs"]
mod common;

use common::elastic_block;
use sparse::{Cholesky, LinearSolver, Order, Ordering};
use std::hint::black_box;
use std::time::Instant;

/// Best of `repeats`, in milliseconds.
fn best(repeats: usize, mut work: impl FnMut()) -> f64 {
    (0..repeats).fold(f64::INFINITY, |best, _| {
        let start = Instant::now();
        work();
        best.min(start.elapsed().as_secs_f64() * 1e3)
    })
}

fn main() {
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
        let amd = Order::of(a.pattern(), Ordering::Amd);
        let dissection = Order::of(a.pattern(), Ordering::Dissection);
        let mut solver = Cholesky::default();
        let first = best(1, || solver.factor(&a).expect("definite"));
        let repeats = if first > 1e3 { 3 } else { 10 };
        let factor = best(repeats, || solver.factor(&a).expect("definite"));
        let mut x = vec![1.0; a.n()];
        let solve = best(repeats, || {
            solver.solve(black_box(&mut x)).expect("factored")
        });
        let flops = solver.order().map_or(0.0, |o| o.flops);
        let taken = solver
            .order()
            .map_or("", |o| if o.by == Ordering::Amd { "AMD" } else { "ND" });
        println!(
            "{name:<22} {:>8} {:>10.2e} {:>10.2e} {taken:>6} {:>9.2e} {:>9.1} {factor:>9.2} {solve:>8.2} {:>7.1} {:>6.2} {:>6.2}",
            a.n(),
            amd.flops,
            dissection.flops,
            solver.stored() as f64,
            first - factor,
            flops / factor * 1e-6,
            factor / aim.0,
            solve / aim.1,
        );
    }
}
