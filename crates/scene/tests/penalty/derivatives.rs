//! Forces and stiffness of the springs of a step, compared with differences of the energy.

use march::{At, Curvature, System, Weights};

use super::{session, two_cubes};

/// Force = −∂Π/∂u and tangent = −∂f/∂u with springs between bodies, a sphere and a box acting.
#[test]
fn forces_and_stiffness_are_derivatives_of_the_energy() {
    let text = two_cubes("backward-euler", "self = false", "");
    let mut s = session(&text);
    while s.t() < 0.06 {
        s.step().unwrap();
    }
    assert!(s.contacts()[1].len() >= 2, "two pairs should touch");
    let state = s.state().clone();
    let t = state.t;
    s.model.prepare(state.at());
    let n = state.u.len();
    let zero = vec![0.0; n];
    let direction: Vec<f64> = (0..n)
        .map(|i| ((i * 7 + 3) % 11) as f64 / 11.0 - 0.5)
        .collect();
    let step = 1e-7;
    let moved = |sign: f64| -> Vec<f64> {
        let both = state.u.iter().zip(&direction);
        both.map(|(u, d)| u + sign * step * d).collect()
    };
    let mut f = vec![0.0; n];
    let (plus, minus) = (moved(1.0), moved(-1.0));
    let energies = [&plus, &minus].map(|u| s.model.potential(t, u).unwrap());
    let at = |u| At { t, u, v: &zero };
    s.model.force(at(&state.u), &mut f);
    let along: f64 = f.iter().zip(&direction).map(|(f, d)| f * d).sum();
    let difference = -(energies[0] - energies[1]) / (2.0 * step);
    assert!(
        (along - difference).abs() < 1e-4 * along.abs(),
        "{along} {difference}"
    );

    let mut k = s.model.zero_matrix();
    let w = Weights {
        mass: 0.0,
        damping: 0.0,
        stiffness: 1.0,
    };
    s.model.tangent(at(&state.u), w, Curvature::Exact, &mut k);
    let mut product = vec![0.0; n];
    s.model.tangent_times(&direction, &zero, &mut product);
    let [mut high, mut low] = [vec![0.0; n], vec![0.0; n]];
    s.model.force(at(&plus), &mut high);
    s.model.force(at(&minus), &mut low);
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    for i in 0..n {
        let difference = -(high[i] - low[i]) / (2.0 * step);
        worst = worst.max((difference - product[i]).abs());
        largest = largest.max(product[i].abs());
    }
    assert!(worst < 1e-5 * largest, "{worst} of {largest}");
}
