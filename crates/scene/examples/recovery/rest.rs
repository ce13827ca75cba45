//! Describes the equilibrium of a body that did not recover its shape.
//!
//! If K + κ M has a Cholesky factorization, no motion grows faster than by a factor e in 1/√κ seconds: with κ = 1/s² the
//! body is practically in a minimum of its energy, which no damping integrator leaves. `corotated` is smoothed where two
//! principal stretches cancel; their smallest sum shows whether an element is there.

use march::{At, Curvature, System, Weights};
use scene::session::Session;
use solid::lanes::Lanes;
use solid::small3::{determinant, mat3, svd};
use sparse::{Cholesky, LinearSolver};

/// Shift κ, 1/s².
const SHIFT: f64 = 1.0;

/// Describes energy, stability and inverted elements of the current state.
pub fn describe(sim: &mut Session) -> String {
    let stretches = stretches(sim);
    let count = stretches.len();
    let inverted = stretches.iter().filter(|s| s[2] < 0.0).count();
    let least = |of: fn(&[f64; 3]) -> f64| {
        let all = stretches.iter().map(of);
        all.fold(f64::INFINITY, f64::min)
    };
    let worst = stretches.iter().min_by(|a, b| a[2].total_cmp(&b[2]));
    let [a, b, c] = worst.copied().unwrap_or([f64::NAN; 3]);
    let s = sim.state().clone();
    let (t, u, v) = (s.t, s.u.clone(), s.v.clone());
    let energies = sim.model.energies(t, &u, &v);
    let at = At { t, u: &u, v: &v };
    let weights = Weights {
        mass: SHIFT,
        damping: 0.0,
        stiffness: 1.0,
    };
    let mut matrix = sim.model.zero_matrix();
    sim.model
        .tangent(at, weights, Curvature::Exact, &mut matrix);
    let minimum = match Cholesky::default().factor(&matrix) {
        Ok(()) => "a minimum of the energy",
        Err(_) => "not a minimum of the energy",
    };
    format!(
        "stored {:.4} J, kinetic {:.1e} J, {minimum}; {inverted} of {count} elements inverted, the worst stretched by {a:.3}, {b:.3}, {c:.3}; least sum of two stretches {:.3}",
        energies.strain,
        energies.kinetic,
        least(|s| s[1] + s[2])
    )
}

/// Principal stretches of every tetrahedron, the smallest with the sign of its volume.
fn stretches(sim: &Session) -> Vec<[f64; 3]> {
    let rest = sim.model.rest();
    let u = sim.state().u.as_chunks::<3>().0;
    let sides = |at: &dyn Fn(u32) -> [f64; 3], cell: &[u32]| {
        mat3(|i, j| Lanes::splat(at(cell[j + 1])[i] - at(cell[0])[i]))
    };
    let before = |n: u32| rest[n as usize];
    let now = |n: u32| [0, 1, 2].map(|k| rest[n as usize][k] + u[n as usize][k]);
    let cells = sim.output_mesh.mesh.cells().filter(|(_, c)| c.len() == 4);
    cells
        .map(|(_, cell)| {
            let (x, y) = (sides(&before, cell), sides(&now, cell));
            let f = solid::small3::mul(&y, &inverse(&x));
            svd(&f).sigma.map(|s| s.0[0])
        })
        .collect()
}

fn inverse(a: &solid::lanes::Mat3) -> solid::lanes::Mat3 {
    let c = solid::small3::cofactor(a);
    let det = determinant(a);
    mat3(|i, j| c[j][i] / det)
}
