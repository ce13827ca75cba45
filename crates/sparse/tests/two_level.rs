//! Conjugate gradients on blocks with a coarse level, on lattices of springs with dense neighbourhoods.

use sparse::{
    Backend, BlockCg, BlockPreconditioner, Cholesky, FactorError, LinearSolver, Matrix, Pattern,
    Placement, SolveError, solver,
};

mod common;
use common::Random;

/// Springs of stiffness k/r between all points of a lattice within three spacings that `bonded` accepts, plus the mass 1 of each
/// point: M + c K. Axes of points that `held` rejects are unknowns.
fn lattice(
    size: [usize; 3],
    c: f64,
    bonded: impl Fn([f64; 3], [f64; 3]) -> bool,
    held: impl Fn([f64; 3], usize) -> bool,
) -> Matrix {
    lattice_of(3.0, size, c, bonded, held)
}

/// The same with another horizon, in spacings.
fn lattice_of(
    horizon: f64,
    size: [usize; 3],
    c: f64,
    bonded: impl Fn([f64; 3], [f64; 3]) -> bool,
    held: impl Fn([f64; 3], usize) -> bool,
) -> Matrix {
    let [nx, ny, nz] = size;
    let points: Vec<[f64; 3]> = (0..nx * ny * nz)
        .map(|i| [i % nx, i / nx % ny, i / nx / ny].map(|x| x as f64))
        .collect();
    let free: Vec<(usize, usize)> = (0..points.len())
        .flat_map(|i| [0, 1, 2].map(|k| (i, k)))
        .filter(|&(i, k)| !held(points[i], k))
        .collect();
    let mut number = vec![[usize::MAX; 3]; points.len()];
    for (n, &(i, k)) in free.iter().enumerate() {
        number[i][k] = n;
    }
    let mut kept: Vec<usize> = free.iter().map(|f| f.0).collect();
    kept.dedup();
    let group = |i: usize| kept.binary_search(&i).unwrap() as u32;
    let mut entries = Vec::new();
    let mut lengths = Vec::new();
    for i in 0..points.len() {
        for j in 0..i {
            let arm = [0, 1, 2].map(|k| points[i][k] - points[j][k]);
            let square: f64 = arm.iter().map(|x| x * x).sum();
            if square > horizon * horizon + 1e-9 {
                continue;
            }
            lengths.push(square.sqrt());
            let k = match bonded(points[i], points[j]) {
                true => c / square.powf(1.5),
                false => 0.0,
            };
            for a in 0..3 {
                for b in 0..3 {
                    let value = k * arm[a] * arm[b];
                    for (p, q, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0)] {
                        let (row, column) = (number[p][a], number[q][b]);
                        if row != usize::MAX && column != usize::MAX && (p != q || row >= column) {
                            entries.push((row, column, sign * value));
                        }
                    }
                }
            }
        }
    }
    let groups = free.iter().map(|f| group(f.0)).collect();
    let pattern = Pattern::grouped(free.len(), entries.iter().map(|e| (e.0, e.1)), groups);
    let placement = Placement {
        points: kept.iter().map(|&i| points[i]).collect(),
        axes: free.iter().map(|f| f.1 as u8).collect(),
        reach: lengths.iter().sum::<f64>() / lengths.len() as f64,
    };
    let mut a = Matrix::identity(Pattern::placed(pattern, placement));
    for (i, j, value) in entries {
        let at = a.pattern().find(i, j).unwrap();
        a.values_mut()[at] += value;
    }
    a
}

fn solve(solver: &mut dyn LinearSolver, a: &Matrix, b: &[f64]) -> Vec<f64> {
    solver.factor(a).unwrap();
    let mut x = b.to_vec();
    solver.solve(&mut x).unwrap();
    x
}

fn iterations(preconditioner: BlockPreconditioner, a: &Matrix, b: &[f64]) -> u64 {
    let mut cg = BlockCg::with_preconditioner(preconditioner);
    solve(&mut cg, a, b);
    cg.counts().iterations
}

/// A crack at x = 4.5 cuts the block.
fn cut(p: [f64; 3], q: [f64; 3]) -> bool {
    (p[0] < 4.5) == (q[0] < 4.5)
}

#[test]
fn agrees_with_cholesky() {
    let no = |_: [f64; 3], _: usize| false;
    let some = |p: [f64; 3], k: usize| (p[0] == 0.0 && k != 1) || (p[1] == 3.0 && k == 0);
    for (name, a) in [
        ("free", lattice([9, 7, 6], 30.0, |_, _| true, no)),
        ("held", lattice([9, 7, 6], 30.0, |_, _| true, some)),
        ("cut", lattice([9, 7, 6], 1e3, cut, some)),
    ] {
        let b = Random::new(3).vector(a.n());
        let wanted = solve(&mut Cholesky::default(), &a, &b);
        for preconditioner in [
            BlockPreconditioner::Identity,
            BlockPreconditioner::Jacobi,
            BlockPreconditioner::TwoLevel,
            BlockPreconditioner::Auto,
        ] {
            let mut cg = BlockCg::with_preconditioner(preconditioner);
            // Again with other values on the same pattern, and then with the first.
            let mut stiffer = a.clone();
            stiffer.values_mut().iter_mut().for_each(|x| *x *= 2.0);
            solve(&mut cg, &stiffer, &b);
            let found = solve(&mut cg, &a, &b);
            let size = wanted.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            let pairs = found.iter().zip(&wanted);
            let worst = pairs.fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()));
            assert!(worst < 1e-8 * size, "{name} {preconditioner:?}: {worst}");
        }
        assert_eq!(
            solve(&mut *solver(Backend::Cg), &a, &b),
            solve(&mut BlockCg::default(), &a, &b)
        );
    }
}

/// With c as of a step that a wave needs for one spacing, and of a step 30 times as long: at most three times as many
/// iterations, in blocks, plates and blocks in pieces. Without the coarse level there are many more.
#[test]
fn iterations_hardly_grow_with_the_step() {
    let no = |_: [f64; 3], _: usize| false;
    let pieces = |p: [f64; 3], q: [f64; 3]| (0..3).all(|k| (p[k] < 5.5) == (q[k] < 5.5));
    type Bonded = fn([f64; 3], [f64; 3]) -> bool;
    let cases: [(&str, f64, [usize; 3], Bonded); 5] = [
        ("block", 3.0, [14, 12, 12], |_, _| true),
        ("plate", 3.0, [32, 24, 3], |_, _| true),
        ("thin bar", 3.0, [25, 7, 2], |_, _| true),
        ("pieces", 3.0, [14, 12, 12], pieces),
        ("short horizon", 2.0, [26, 14, 14], |_, _| true),
    ];
    for (name, horizon, size, bonded) in cases {
        let count = |c: f64, preconditioner| {
            let a = lattice_of(horizon, size, c, bonded, no);
            iterations(preconditioner, &a, &Random::new(5).vector(a.n()))
        };
        let h2 = 0.02;
        let long = 900.0 * h2;
        let two = [h2, long].map(|c| count(c, BlockPreconditioner::TwoLevel));
        let jacobi = [h2, long].map(|c| count(c, BlockPreconditioner::Jacobi));
        println!("{name}: two-level {two:?}, Jacobi {jacobi:?}");
        assert!(two[1] <= 3 * two[0], "{name}: {two:?}");
        assert!(jacobi[1] > 3 * jacobi[0], "{name}: {jacobi:?}");
        assert!(2 * two[1] < jacobi[1], "{name}: {two:?} {jacobi:?}");
    }
}

/// Resultant forces of a solution are those of the right-hand side, on each piece, even if the tolerance is loose; in short
/// steps and in long ones.
#[test]
fn momentum_is_exact_at_any_tolerance() {
    for c in [0.1, 100.0] {
        let a = lattice([10, 6, 6], c, cut, |_, _| false);
        let b = Random::new(8).vector(a.n());
        let mut cg = BlockCg::default();
        cg.tolerance = 1e-3;
        let x = solve(&mut cg, &a, &b);
        // K has no resultant: that of A x is that of x. A row of ten points is cut after the fifth.
        for (piece, axis) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)] {
            let own = |i: &usize| (i / 3 % 10 < 5) == (piece == 0) && i % 3 == axis;
            let sum = |v: &[f64]| (0..v.len()).filter(own).map(|i| v[i]).sum::<f64>();
            assert!(
                (sum(&x) - sum(&b)).abs() < 1e-11,
                "{c} {piece} {axis}: {} {}",
                sum(&x),
                sum(&b)
            );
        }
    }
}

/// Pieces that fall freely need no iteration, in short steps and in long ones, and other right-hand sides do.
#[test]
fn free_flight_needs_no_iterations() {
    for c in [0.1, 100.0] {
        let a = lattice([10, 6, 6], c, cut, |_, _| false);
        let fall = [0.3, -9.81, 0.0];
        // Each point has the mass 1.
        let mut b: Vec<f64> = (0..a.n()).map(|i| fall[i % 3]).collect();
        let mut cg = BlockCg::default();
        let x = solve(&mut cg, &a, &b);
        assert_eq!(cg.counts().iterations, 0, "{c}");
        let off = x.iter().zip(&b).map(|(x, b)| (x - b).abs());
        assert!(off.fold(0.0, f64::max) < 1e-10, "{c}");
        b[100] += 1e-3;
        solve(&mut cg, &a, &b);
        assert!(cg.counts().iterations > 3, "{c}");
    }
}

/// By default short steps do without the coarse level and long ones have it.
#[test]
fn the_coarse_level_is_for_long_steps() {
    let no = |_: [f64; 3], _: usize| false;
    let count = |c: f64, preconditioner| {
        let a = lattice([14, 12, 12], c, |_, _| true, no);
        iterations(preconditioner, &a, &Random::new(5).vector(a.n()))
    };
    for (c, same) in [
        (0.02, BlockPreconditioner::Jacobi),
        (18.0, BlockPreconditioner::TwoLevel),
    ] {
        let chosen = count(c, BlockPreconditioner::Auto);
        assert_eq!(chosen, count(c, same), "{c}");
        assert!(chosen < 40, "{c}: {chosen}");
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let a = lattice([12, 9, 7], 50.0, cut, |_, _| false);
    let b = Random::new(2).vector(a.n());
    let found = [1, 2, 4].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let run = || solve(&mut BlockCg::default(), &a, &b);
        pool.build().unwrap().install(run)
    });
    assert!(found[0] == found[1] && found[1] == found[2]);
}

#[test]
fn refuses_what_it_cannot_solve() {
    let mut a = lattice([6, 5, 4], 1.0, |_, _| true, |_, _| false);
    for k in 0..a.n() / 2 {
        let at = a.pattern().find(k, k).unwrap();
        a.values_mut()[at] -= 3.0;
    }
    let mut cg = BlockCg::default();
    let mut x = vec![1.0; a.n()];
    match cg.factor(&a).map(|()| cg.solve(&mut x)) {
        Err(FactorError::Indefinite { .. }) | Ok(Err(SolveError::Indefinite { .. })) => {}
        other => panic!("{other:?}"),
    }
    let plain = Matrix::from_diagonal(&[1.0; 3]);
    assert_eq!(
        cg.factor(&plain),
        Err(FactorError::Unplaced { unknowns: 3 })
    );
    assert_eq!(cg.solve(&mut x), Err(SolveError::NotFactored));
}
