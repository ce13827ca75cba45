//! Every law of the registry: the stress is the derivative of the energy, the Hessian is the derivative of the stress, and
//! the definite Hessian is the exact one with its negative eigenvalues set to zero.

mod material_support;
use material_support::*;
use solid::material::{Curvature, LAWS, Lame, Law, LawInfo};

fn law(info: &LawInfo, poisson: f64) -> Law {
    Law::new(info.name, 1.7, poisson).unwrap()
}

/// Small and large strains, rotations, nearly equal stretches, and inverted states if the law allows them.
fn states(info: &LawInfo, seed: u64) -> Vec<M> {
    let mut dice = Dice::new(seed);
    let mut all = vec![];
    for _ in 0..8 {
        let g = dice.matrix(0.2);
        all.push(std::array::from_fn(|i| {
            std::array::from_fn(|j| I[i][j] + g[i][j])
        }));
        let s = std::array::from_fn(|_| dice.between(0.2, 3.0));
        all.push(dice.stretched(s));
        let near = dice.between(0.6, 1.8);
        let other = dice.between(0.4, 2.0);
        all.push(dice.stretched([near, near * (1.0 + 1e-7), other]));
        let near = dice.between(0.6, 1.8);
        all.push(dice.stretched([near, near * (1.0 - 1e-9), near]));
        all.push(dice.rotation());
        if info.survives_inversion {
            let s = [
                dice.between(0.8, 2.0),
                dice.between(0.5, 1.5),
                -dice.between(0.1, 0.4),
            ];
            all.push(dice.stretched(s));
            all.push(dice.matrix(1.0));
        }
    }
    // The rotation is discontinuous at σ₂ + σ₃ = 0: no derivative exists there.
    all.retain(|f| {
        let s = solid::small3::svd(&pack([*f; 4])).sigma.map(|s| s.0[0]);
        s[1] + s[2] > 0.15
    });
    if info.name == "corotated" {
        all.extend(rounded(&mut dice));
    }
    all
}

/// States with σ₂ + σ₃ < 0.1, for which `corotated` is smoothed: one, two or all three sums of two stretches are small or
/// zero; σ₁ is below and above the stretch at which the curvature changes sign.
fn rounded(dice: &mut Dice) -> Vec<M> {
    let mut all = vec![];
    for _ in 0..6 {
        for long in [0.5, 2.0, 12.0] {
            let a = long * dice.between(1.0, 1.2);
            let (b, s) = (dice.between(0.3, 0.4), dice.between(0.01, 0.09));
            all.push(dice.stretched([a, b, s - b]));
            all.push(dice.stretched([a, b, -b]));
            // (σ₁ + σ₃) < (0.1 + σ₂ + σ₃)/2: three eigenvalues contribute.
            let (s, t) = (dice.between(0.0, 0.02), dice.between(0.03, 0.04));
            all.push(dice.stretched([a + t, a + s, -a]));
            all.push(dice.stretched([a, a, -a]));
            // Two contribute, and the third nearly does.
            all.push(dice.stretched([a + 0.08, a + s, -a]));
        }
        let s = std::array::from_fn(|_| dice.between(0.0, 0.012));
        all.push(dice.stretched(s));
        all.push([[0.0; 3]; 3]);
    }
    all
}

#[test]
fn corotated_is_the_published_law_outside_its_smoothing_and_smooth_across() {
    let law = Law::new("corotated", 1.7, 0.4).unwrap();
    let Lame { mu, lambda } = Lame::from_young_poisson(1.7, 0.4).unwrap();
    let mut dice = Dice::new(5);
    for _ in 0..20 {
        let (a, b) = (dice.between(2.0, 9.0), dice.between(0.2, 2.0));
        let (u, v) = (dice.rotation(), transpose(&dice.rotation()));
        let state = |s: f64| mul(&mul(&u, &diag([a, b, s - b])), &v);
        let printed = |s: f64| {
            let strain = [a - 1.0, b - 1.0, s - b - 1.0];
            let squares: f64 = strain.iter().map(|e| e * e).sum();
            mu * squares + 0.5 * lambda * strain.iter().sum::<f64>().powi(2)
        };
        for s in [0.1, 0.11, 0.5] {
            let ours = energy(&law, at(&state(s)));
            assert!((ours / printed(s) - 1.0).abs() < 1e-13, "{s}: {ours}");
        }
        // At σ₂ + σ₃ = 0 the smoothed sum is greater by half the range.
        let sum = a + 0.05;
        let square = a * a + 2.0 * b * b;
        let tip = mu * (square - 2.0 * sum + 3.0) + 0.5 * lambda * (sum - 3.0).powi(2);
        let ours = energy(&law, at(&state(0.0)));
        assert!((ours / tip - 1.0).abs() < 1e-13, "{ours} against {tip}");
        let (below, above) = (
            stress(&law, at(&state(0.1 - 1e-9))),
            stress(&law, at(&state(0.1 + 1e-9))),
        );
        assert!(norm(&minus(&below, &above)) < 1e-6 * norm(&above));
    }
}

#[test]
fn stress_is_the_derivative_of_the_energy() {
    for info in LAWS {
        for poisson in [0.3, 0.45, -0.2] {
            let law = law(info, poisson);
            for f in states(info, 1) {
                let a = at(&f);
                let p = stress(&law, a);
                let size = norm(&p) + 1e-3;
                for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
                    let moved = |h: f64| {
                        let mut a = a;
                        a.g[i][j] += h;
                        energy(&law, a)
                    };
                    // Differences of fourth order.
                    let h = 2e-4;
                    let slope = (8.0 * (moved(h) - moved(-h)) - (moved(2.0 * h) - moved(-2.0 * h)))
                        / (12.0 * h);
                    assert!(
                        (slope - p[i][j]).abs() < 2e-8 * size,
                        "{} at {f:?}: P[{i}][{j}] = {}, slope of the energy {slope}",
                        info.name,
                        p[i][j]
                    );
                }
            }
        }
    }
}

#[test]
fn the_hessian_is_the_derivative_of_the_stress_and_symmetric() {
    for info in LAWS {
        for poisson in [0.3, 0.45, -0.2] {
            let law = law(info, poisson);
            for f in states(info, 2) {
                let a = at(&f);
                let k = hessian(&law, a, Curvature::Exact);
                let size = largest(&k);
                for c in 0..9 {
                    let moved = |h: f64| {
                        let mut a = a;
                        a.g[c / 3][c % 3] += h;
                        stress(&law, a)
                    };
                    let h = 2e-4;
                    let (p, m, pp, mm) = (moved(h), moved(-h), moved(2.0 * h), moved(-2.0 * h));
                    for r in 0..9 {
                        let d = |a: &M, b: &M| a[r / 3][r % 3] - b[r / 3][r % 3];
                        let slope = (8.0 * d(&p, &m) - d(&pp, &mm)) / (12.0 * h);
                        assert!(
                            (slope - k[r][c]).abs() < 5e-8 * size,
                            "{} at {f:?}: H[{r}][{c}] = {}, slope of the stress {slope}",
                            info.name,
                            k[r][c]
                        );
                        assert_eq!(k[r][c], k[c][r]);
                    }
                }
            }
        }
    }
}

#[test]
fn the_definite_hessian_is_the_clamped_exact_one() {
    let mut clamped_somewhere = vec![];
    for info in LAWS {
        for poisson in [0.3, 0.45, -0.2] {
            let law = law(info, poisson);
            for f in states(info, 3) {
                let a = at(&f);
                let exact = hessian(&law, a, Curvature::Exact);
                let definite = hessian(&law, a, Curvature::Definite);
                let size = largest(&exact);
                let (w, v) = eigen9(&exact);
                let expected = |r: usize, c: usize| -> f64 {
                    (0..9).map(|m| w[m].max(0.0) * v[r][m] * v[c][m]).sum()
                };
                let lowest = w.iter().fold(0.0f64, |m, x| m.min(*x));
                for r in 0..9 {
                    for c in 0..9 {
                        let (d, e) = (definite[r][c], expected(r, c));
                        assert!(
                            (d - e).abs() < 1e-11 * size,
                            "{} at {f:?}: definite H[{r}][{c}] = {d}, clamped {e}, lowest eigenvalue {lowest}",
                            info.name
                        );
                        assert_eq!(d, definite[c][r]);
                    }
                }
                let (w, _) = eigen9(&definite);
                assert!(
                    w.iter().all(|w| *w >= -1e-12 * size),
                    "{}: {w:?}",
                    info.name
                );
                if lowest < -1e-3 * size {
                    clamped_somewhere.push(info.name);
                }
            }
        }
    }
    for info in LAWS {
        let always_convex = ["linear", "corotated-frozen"].contains(&info.name);
        assert!(
            always_convex || clamped_somewhere.contains(&info.name),
            "{} never needed clamping",
            info.name
        );
    }
}

#[test]
fn definite_is_exact_where_exact_is_definite() {
    for info in LAWS {
        let law = law(info, 0.3);
        let mut dice = Dice::new(4);
        let mut seen = 0;
        for _ in 0..40 {
            let s = std::array::from_fn(|_| dice.between(1.01, 1.3));
            let a = at(&dice.stretched(s));
            let exact = hessian(&law, a, Curvature::Exact);
            if eigen9(&exact).0.iter().all(|w| *w > 1e-9) {
                seen += 1;
                assert_eq!(
                    exact,
                    hessian(&law, a, Curvature::Definite),
                    "{}",
                    info.name
                );
            }
        }
        assert!(seen > 5 || info.name == "linear", "{}: {seen}", info.name);
    }
}
