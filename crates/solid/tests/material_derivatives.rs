//! Every law of the registry: stress is the slope of the energy, curvature the slope of the stress, and the definite
//! curvature is the exact one with its negative eigenvalues removed.

mod material_support;
use material_support::*;
use solid::material::{Curvature, LAWS, Law, LawInfo};

fn law(info: &LawInfo, poisson: f64) -> Law {
    Law::new(info.name, 1.7, poisson).unwrap()
}

/// Gentle, wild, rotated, nearly equal and inverted states; inverted ones only where allowed.
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
    // the rotation jumps where two stretches cancel: no derivative exists there
    all.retain(|f| {
        let s = solid::small3::svd(&pack([*f; 4])).sigma.map(|s| s.0[0]);
        s[1] + s[2] > 0.15
    });
    all
}

#[test]
fn stress_is_the_slope_of_the_energy() {
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
                    // fourth-order differences
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
fn curvature_is_the_slope_of_the_stress_and_symmetric() {
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
fn definite_curvature_is_the_clamped_exact_one() {
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
