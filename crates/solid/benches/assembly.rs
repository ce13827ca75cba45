//! Element kernels with assembly, one thread: `cargo bench -p supple-solid --bench assembly`.
//!
//! Prints nanoseconds per element for energy, force, exact and projected stiffness of stable neo-Hookean elements, and
//! their ratio to the times of an early prototype: tet4 15, 29, 130, 355; hex8 90, 130, 1300, 3500.

use std::time::Instant;

use march::Curvature;
use mesh::CellKind;
use solid::blocks::BlockPattern;
use solid::material::Law;
use solid::potential::{
    Configuration, Potential, SolidProperties, StiffnessDamping, Viscosity, elastic,
};

/// Nodes of an n³ grid of cells, and its hexahedra.
fn grid(n: u32) -> (Vec<[f64; 3]>, Vec<[u32; 8]>) {
    let at = |i: u32, j: u32, k: u32| i + (n + 1) * (j + (n + 1) * k);
    let side = 0..=n;
    let mut points = Vec::new();
    for (k, j) in side.clone().flat_map(|k| side.clone().map(move |j| (k, j))) {
        points.extend(
            side.clone()
                .map(|i| [i, j, k].map(|x| f64::from(x) / f64::from(n))),
        );
    }
    let mut cells = Vec::new();
    for (k, j) in (0..n).flat_map(|k| (0..n).map(move |j| (k, j))) {
        cells.extend((0..n).map(|i| {
            let ring = |k: u32| {
                [
                    at(i, j, k),
                    at(i + 1, j, k),
                    at(i + 1, j + 1, k),
                    at(i, j + 1, k),
                ]
            };
            let (low, high) = (ring(k), ring(k + 1));
            [
                low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3],
            ]
        }));
    }
    (points, cells)
}

/// Six tetrahedra around the diagonal of each hexahedron.
fn tets(cells: &[[u32; 8]]) -> Vec<u32> {
    let split = [
        [0, 1, 2, 6],
        [0, 2, 3, 6],
        [0, 3, 7, 6],
        [0, 7, 4, 6],
        [0, 4, 5, 6],
        [0, 5, 1, 6],
    ];
    cells
        .iter()
        .flat_map(|c| split.iter().flat_map(|t| t.map(|i| c[i])))
        .collect()
}

/// Best time of several runs, nanoseconds per element.
fn best(elements: usize, mut work: impl FnMut()) -> f64 {
    work();
    let once = |_| {
        let started = Instant::now();
        work();
        started.elapsed().as_secs_f64()
    };
    (0..15).map(once).fold(f64::INFINITY, f64::min) * 1e9 / elements as f64
}

fn measure(kind: CellKind, nodes: &[u32], rest: &[[f64; 3]], prototype: [f64; 4]) {
    let elements = nodes.len() / kind.node_count();
    let law = Law::new("stable-neo-hookean", 1e5, 0.4).expect("moduli are fine");
    let mut potential: Box<dyn Potential> = elastic(
        SolidProperties {
            law,
            stiffness_damping: StiffnessDamping::default(),
            viscosity: Viscosity::default(),
        },
        kind,
        nodes,
        rest,
    )
    .expect("cells are fine");
    let mut pairs = Vec::new();
    potential.append_pairs(&mut pairs);
    let pattern = BlockPattern::new(rest.len(), pairs.into_iter());
    potential.bind(&pattern);
    // A small bend and twist: no entry is zero.
    let u: Vec<[f64; 3]> = rest
        .iter()
        .map(|[x, y, z]| [0.1 * y * z, -0.1 * x * z, 0.05 * x * x])
        .collect();
    let placed = Configuration {
        t: 0.0,
        rest,
        u: &u,
    };
    let mut f = vec![[0.0; 3]; rest.len()];
    let mut k = vec![[0.0; 9]; pattern.len()];
    let times = [
        best(elements, || {
            std::hint::black_box(potential.energy(&placed));
        }),
        best(elements, || {
            std::hint::black_box(potential.add_force(&placed, &mut f));
        }),
        best(elements, || {
            potential.add_stiffness(&placed, 1.0, Curvature::Exact, &mut k)
        }),
        best(elements, || {
            potential.add_stiffness(&placed, 1.0, Curvature::Definite, &mut k)
        }),
    ];
    println!("{} × {elements}", kind.name());
    for ((what, time), prototype) in ["energy", "force", "stiffness", "projected"]
        .iter()
        .zip(times)
        .zip(prototype)
    {
        println!(
            "  {what:10} {time:8.1} ns per element, {:.2} of the prototype's {prototype}",
            time / prototype
        );
    }
}

fn main() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a thread");
    pool.install(|| {
        let (rest, cells) = grid(26);
        measure(
            CellKind::Tet4,
            &tets(&cells),
            &rest,
            [15.0, 29.0, 130.0, 355.0],
        );
        let nodes: Vec<u32> = cells.iter().flatten().copied().collect();
        measure(CellKind::Hex8, &nodes, &rest, [90.0, 130.0, 1300.0, 3500.0]);
    });
}
