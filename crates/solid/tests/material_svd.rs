//! Singular values and rotations of 3×3 matrices: random, graded, degenerate, reflected, huge, tiny, and with NaN.

mod material_support;
use material_support::*;
use proptest::prelude::*;
use solid::small3::{mul_transpose, rotation, svd, symmetric_eigen};

/// Checks the factors of each lane: rotations, order, sign, and F = U Σ Vᵀ to `tol` of its size.
fn check(f: [M; 4], tol: f64) {
    let s = svd(&pack(f));
    for l in 0..4 {
        let (u, v) = (lane(&s.u, l), lane(&s.v, l));
        let sigma = [s.sigma[0].0[l], s.sigma[1].0[l], s.sigma[2].0[l]];
        for (name, q) in [("U", u), ("V", v)] {
            let error = norm(&minus(&mul(&q, &transpose(&q)), &I));
            assert!(
                error < 1e-14,
                "{name} of {:?} is off orthogonal by {error:e}",
                f[l]
            );
            assert!(det(&q) > 0.0, "{name} of {:?} is a reflection", f[l]);
        }
        assert!(sigma[0] >= 0.0 && sigma[1] >= 0.0, "{sigma:?}");
        let slack = 1e-15 * sigma[0];
        assert!(
            sigma[0] >= sigma[1] - slack && sigma[1] >= sigma[2].abs() - slack,
            "{sigma:?}"
        );
        let size = f[l].iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
        if size > 0.0 {
            // Scaled: norms of huge matrices would overflow.
            let scaled = |m: &M| m.map(|r| r.map(|x| x / size));
            let back = mul(&mul(&u, &diag(sigma.map(|x| x / size))), &transpose(&v));
            let error = norm(&minus(&back, &scaled(&f[l])));
            assert!(
                error < tol,
                "{:?} comes back off by {error:e} of its size",
                f[l]
            );
            let d = det(&scaled(&f[l]));
            assert!(
                d.abs() < 1e-14 || (d > 0.0) == (sigma[2] > 0.0),
                "sign of {:?}: {sigma:?}",
                f[l]
            );
        }
        let r = lane(&rotation(&pack(f)), l);
        assert!((det(&r) - 1.0).abs() < 1e-14);
    }
}

#[test]
fn random_matrices_and_scales() {
    let mut dice = Dice::new(11);
    for _ in 0..3000 {
        check([(); 4].map(|()| dice.matrix(1.0)), 2e-14);
        check(
            [(); 4].map(|()| {
                let size = 10f64.powf(dice.between(-150.0, 150.0));
                dice.matrix(size)
            }),
            2e-14,
        );
    }
}

#[test]
fn degenerate_and_badly_scaled_matrices() {
    let e = 1e-8;
    let list: Vec<M> = vec![
        [[0.0; 3]; 3],
        I,
        diag([-1.0, -1.0, -1.0]),
        diag([1.0, 1.0, -1.0]),
        diag([-1.0, 1.0, 1.0]),
        diag([0.0, 0.0, 5.0]),
        diag([0.0, -2.0, 0.0]),
        diag([1.0, 0.0, 1.0]),
        diag([2.0, 2.0, 2.0]),
        diag([1.0, 1.0 + f64::EPSILON, 1.0 - f64::EPSILON]),
        diag([1.0, 1e-9, 1e-18]),
        diag([1e-18, 1e-9, 1.0]),
        diag([1.0, 1e-100, 1e-140]),
        diag([1.0, 1e-200, 1e-300]),
        diag([5e-324, 0.0, 0.0]),
        [[1.0; 3]; 3],
        [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
        [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
        [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [3.0, 6.0, 9.0]],
        [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]],
        [[1.0, 1.0, 1.0], [e, 0.0, 0.0], [0.0, e, 0.0]], // Läuchli: squaring loses ε
        [[1.0, 1e6, 0.0], [0.0, 1.0, 1e6], [0.0, 0.0, 1.0]],
        [[0.0, 0.0, 1e150], [0.0, 0.0, 0.0], [1e-150, 0.0, 0.0]],
        [[1e-160; 3]; 3],
        [
            [1e160, -1e160, 1e160],
            [1e160, 1e160, 1e160],
            [0.0, 0.0, 1e160],
        ],
    ];
    for (n, a) in list.iter().enumerate() {
        // Different matrices in the other lanes: lanes must be independent.
        check(
            [
                *a,
                list[(n + 1) % list.len()],
                list[(n + 7) % list.len()],
                I,
            ],
            2e-14,
        );
    }
}

#[test]
fn small_singular_values_keep_relative_accuracy() {
    let mut dice = Dice::new(12);
    for _ in 0..500 {
        // diag(1, 1e-5, 1e-10) times a rotation: the rows are graded, so σ₃ is determined to full relative accuracy.
        let v = dice.rotation();
        for grade in [[1.0, 1e-5, 1e-10], [1.0, 1e-3, -1e-11], [1.0, 0.5, 1e-12]] {
            let s = svd(&pack([mul(&diag(grade), &v); 4]));
            for i in 0..3 {
                let error = (s.sigma[i].0[0] / grade[i] - 1.0).abs();
                assert!(
                    error < 1e-13 / grade[1],
                    "σ{i} of {grade:?}: {:e}, off by {error:e}",
                    s.sigma[i].0[0]
                );
            }
        }
    }
}

#[test]
fn rotation_is_the_nearest_one() {
    let mut dice = Dice::new(13);
    for _ in 0..200 {
        let q = dice.rotation();
        let r = lane(&rotation(&pack([q; 4])), 0);
        assert!(norm(&minus(&r, &q)) < 3e-15);
        let stretch = {
            let v = dice.rotation();
            let s = [
                dice.between(0.1, 3.0),
                dice.between(0.1, 3.0),
                dice.between(0.1, 3.0),
            ];
            mul(&mul(&v, &diag(s)), &transpose(&v))
        };
        let r = lane(&rotation(&pack([mul(&q, &stretch); 4])), 0);
        assert!(norm(&minus(&r, &q)) < 2e-14);
        // A reflection: no random rotation is nearer.
        let f = mul(
            &mul(&q, &diag([1.3, 0.9, -0.4])),
            &transpose(&dice.rotation()),
        );
        let r = lane(&rotation(&pack([f; 4])), 0);
        for _ in 0..20 {
            assert!(norm(&minus(&f, &dice.rotation())) >= norm(&minus(&f, &r)) - 1e-12);
        }
    }
}

/// Compressed, flat and inverted matrices: the rotation is that of the SVD, and lanes are independent.
#[test]
fn rotations_of_strongly_deformed_matrices_are_those_of_the_svd() {
    let mut dice = Dice::new(17);
    let mut inside_out = 0;
    for _ in 0..3000 {
        let f = [(); 4].map(|()| {
            let s = [
                dice.between(0.05, 3.0),
                dice.between(0.05, 3.0),
                dice.between(-3.0, 3.0),
            ];
            mul(&mul(&dice.rotation(), &diag(s)), &dice.rotation())
        });
        let together = rotation(&pack(f));
        let s = svd(&pack(f));
        let wanted = mul_transpose(&s.u, &s.v);
        for l in 0..4 {
            let r = lane(&together, l);
            assert_eq!(r, lane(&rotation(&pack([f[l]; 4])), 0), "{:?}", f[l]);
            // The condition number of the rotation is 1/(σ₂ + σ₃).
            let firm = s.sigma[1].0[l] + s.sigma[2].0[l];
            let error = norm(&minus(&r, &lane(&wanted, l)));
            assert!(error * firm < 2e-13, "{:?}: {error:e}", f[l]);
            inside_out += u32::from(s.sigma[2].0[l] < 0.0);
        }
    }
    assert!(inside_out > 5000, "{inside_out}");
}

#[test]
fn nan_and_infinity_terminate_and_stay_in_their_lane() {
    let good: M = [[1.0, 0.2, 0.0], [0.1, 0.9, 0.3], [0.0, -0.2, 1.1]];
    let alone = svd(&pack([good; 4]));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX] {
        let mut broken = good;
        broken[1][2] = bad;
        let s = svd(&pack([broken, good, [[bad; 3]; 3], good]));
        for l in [1, 3] {
            assert_eq!(lane(&s.u, l), lane(&alone.u, 0));
            assert_eq!(lane(&s.v, l), lane(&alone.v, 0));
            assert_eq!(s.sigma.map(|x| x.0[l]), alone.sigma.map(|x| x.0[0]));
        }
    }
}

#[test]
fn symmetric_eigenpairs() {
    let mut dice = Dice::new(14);
    for n in 0..2000 {
        let q = dice.rotation();
        let w = match n % 4 {
            0 => [1.0, 1.0, -2.0],
            1 => [3.0, 3.0, 3.0],
            2 => [0.0, 1e-9, 1.0],
            _ => [
                dice.between(-2.0, 2.0),
                dice.between(-2.0, 2.0),
                dice.between(-2.0, 2.0),
            ],
        };
        let a = mul(&mul(&q, &diag(w)), &transpose(&q));
        let a: M = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (a[i][j] + a[j][i])));
        let (found, v) = symmetric_eigen(&pack([a; 4]));
        let (found, v) = (found.map(|x| x.0[0]), lane(&v, 0));
        let back = mul(&mul(&v, &diag(found)), &transpose(&v));
        assert!(norm(&minus(&back, &a)) < 1e-14);
        assert!(norm(&minus(&mul(&v, &transpose(&v)), &I)) < 1e-14 && det(&v) > 0.0);
        let (mut found, mut w) = (found, w);
        found.sort_by(f64::total_cmp);
        w.sort_by(f64::total_cmp);
        assert!(
            (0..3).all(|i| (found[i] - w[i]).abs() < 1e-14),
            "{found:?} {w:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(15), failure_persistence: None, ..ProptestConfig::with_cases(2000) })]
    #[test]
    fn any_matrix_of_awkward_entries(entries in proptest::array::uniform9(prop_oneof![
        Just(0.0), Just(1.0), Just(-1.0), Just(1.0 + 1e-15), Just(1e-8), Just(1e-16), -3.0..3.0f64, Just(1e-155)
    ])) {
        let f: M = std::array::from_fn(|i| std::array::from_fn(|j| entries[3 * i + j]));
        check([f, transpose(&f), I, f], 2e-14);
    }
}
