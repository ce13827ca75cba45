//! Uniaxial stress, uniaxial strain and equibiaxial stress of every law, compared with closed forms in principal stretches
//! and with published and high-precision values.

mod material_support;
use material_support::*;
use serde_json::Value;
use solid::material::{LAWS, Lame, Law};

/// Solves for the common stretch of the directions in `free` at which their stress is zero.
fn solve_free_stretches(law: &Law, mut s: [f64; 3], free: &[usize]) -> [f64; 3] {
    // Bisection on the free stretch; the stress increases with it around the solution.
    let p = |x: f64, s: &[f64; 3]| {
        let mut s = *s;
        free.iter().for_each(|i| s[*i] = x);
        stress(law, frozen_at_identity(s))[free[0]][free[0]]
    };
    let (mut low, mut high) = (1.0, 1.0);
    while p(low, &s) > 0.0 {
        low *= 0.99;
    }
    while p(high, &s) < 0.0 {
        high *= 1.01;
    }
    for _ in 0..200 {
        let mid = 0.5 * (low + high);
        if p(mid, &s) < 0.0 {
            low = mid
        } else {
            high = mid
        }
    }
    free.iter().for_each(|i| s[*i] = 0.5 * (low + high));
    s
}

/// Material point with these principal stretches; its rotation is the identity.
fn frozen_at_identity(s: [f64; 3]) -> MaterialPoint {
    near_rest(&minus(&diag(s), &I))
}

/// ∂Ψ/∂σ₁ of each law from its formula in principal stretches, independent of the tested code.
fn principal_stress(name: &str, lame: Lame, s: [f64; 3]) -> f64 {
    let (mu, la) = (lame.mu, lame.lambda);
    let (i1, j) = (s[0] * s[0] + s[1] * s[1] + s[2] * s[2], s[0] * s[1] * s[2]);
    let tr = s[0] + s[1] + s[2] - 3.0;
    match name {
        "stable-neo-hookean" => {
            let (m, l) = (4.0 / 3.0 * mu, la + 5.0 / 6.0 * mu);
            let a = 1.0 + m / l - m / (4.0 * l);
            m * s[0] + l * (j - a) * s[1] * s[2] - m * s[0] / (i1 + 1.0)
        }
        "neo-hookean" => mu * (s[0] - 1.0 / s[0]) + la * j.ln() / s[0],
        "stvk" => s[0] * (mu * (s[0] * s[0] - 1.0) + la / 2.0 * (i1 - 3.0)),
        "linear" | "corotated" | "corotated-frozen" => 2.0 * mu * (s[0] - 1.0) + la * tr,
        "arap" => 2.0 * mu * (s[0] - 1.0),
        "mooney-rivlin" => {
            let (c10, c01, kappa) = (3.0 / 8.0 * mu, mu / 8.0, la + 2.0 / 3.0 * mu);
            let i2 = (s[0] * s[1]).powi(2) + (s[1] * s[2]).powi(2) + (s[2] * s[0]).powi(2);
            let (p, q) = (j.powf(-2.0 / 3.0), j.powf(-4.0 / 3.0));
            c10 * p * (2.0 * s[0] - 2.0 / 3.0 * i1 / s[0])
                + c01 * q * (2.0 * s[0] * (s[1] * s[1] + s[2] * s[2]) - 4.0 / 3.0 * i2 / s[0])
                + kappa * (j - 1.0) * s[1] * s[2]
        }
        other => panic!("write the principal stress of {other}"),
    }
}

#[test]
fn principal_stresses_agree_with_their_formulas() {
    let lame = Lame::from_young_poisson(1e5, 0.4).unwrap();
    let mut dice = Dice::new(31);
    for info in LAWS {
        let law = Law::new(info.name, 1e5, 0.4).unwrap();
        for _ in 0..100 {
            let s = [
                dice.between(0.3, 2.5),
                dice.between(0.3, 2.5),
                dice.between(0.3, 2.5),
            ];
            let p = stress(&law, frozen_at_identity(s));
            for i in 0..3 {
                let turned = [s[i], s[(i + 1) % 3], s[(i + 2) % 3]];
                let expected = principal_stress(info.name, lame, turned);
                let scale = 1e-12 * (norm(&p) + 1e5);
                assert!(
                    (p[i][i] - expected).abs() < scale,
                    "{}: P{i} = {}, formula {expected}",
                    info.name,
                    p[i][i]
                );
                assert!(p[i][(i + 1) % 3].abs() < scale);
            }
        }
    }
}

/// Laws with a closed form of uniaxial stress: the lateral strain is −ν times the axial one for linear and corotated,
/// 1 − λ₂² = ν (λ² − 1) with P = E λ (λ² − 1)/2 for stvk, and zero for arap.
#[test]
fn uniaxial_curves_in_closed_form() {
    let (young, poisson) = (1e5f64, 0.4f64);
    let mu = young / (2.0 * (1.0 + poisson));
    for stretch in [0.7f64, 0.9, 1.1, 1.5] {
        for (name, side, p) in [
            (
                "linear",
                1.0 - poisson * (stretch - 1.0),
                young * (stretch - 1.0),
            ),
            (
                "corotated",
                1.0 - poisson * (stretch - 1.0),
                young * (stretch - 1.0),
            ),
            ("arap", 1.0, 2.0 * mu * (stretch - 1.0)),
            (
                "stvk",
                (1.0 - poisson * (stretch * stretch - 1.0)).sqrt(),
                young * stretch * (stretch * stretch - 1.0) / 2.0,
            ),
        ] {
            let law = Law::new(name, young, poisson).unwrap();
            let s = solve_free_stretches(&law, [stretch, 1.0, 1.0], &[1, 2]);
            assert!((s[1] - side).abs() < 1e-12, "{name}: {} not {side}", s[1]);
            let found = stress(&law, frozen_at_identity(s))[0][0];
            assert!((found - p).abs() < 1e-8 * young, "{name}: {found} not {p}");
        }
    }
}

fn number(v: &Value) -> f64 {
    v.as_str()
        .map_or_else(|| v.as_f64().unwrap(), |s| s.parse().unwrap())
}

/// Name in the reference file, our law, and the energy at rest of the reference law.
fn known_models() -> Vec<(&'static str, Law, f64)> {
    let law = |name| Law::new(name, 1e5, 0.4).unwrap();
    let mu = 1e5f64 / 2.8;
    let (m, l) = (4.0 / 3.0 * mu, mu * 4.0 + 5.0 / 6.0 * mu);
    let rest = 0.5 * l * (0.75 * m / l).powi(2) - 0.5 * m * 4f64.ln();
    vec![
        ("neo_hookean_log", law("neo-hookean"), 0.0),
        ("stable_neo_hookean_SDGK18", law("stable-neo-hookean"), rest),
        ("stvk", law("stvk"), 0.0),
        ("corotated_linear", law("corotated"), 0.0),
        ("corotated_linear", law("corotated-frozen"), 0.0),
    ]
}

#[test]
fn homogeneous_curves_of_the_reference_file() {
    let data = testdata::reference("analytic/hyperelastic_homogeneous_curves.json");
    let close = |what: &str, a: f64, b: f64, size: f64| {
        assert!((a - b).abs() < 1e-10 * size, "{what}: {a} not {b}")
    };
    for (theirs, law, rest) in known_models() {
        let model = &data["models"][theirs];
        let rows = |kind: &str| -> Vec<Vec<f64>> {
            let rows = model[kind].as_array().unwrap();
            // A stretch without solution (the lateral stretch of stvk would be imaginary) is a row of nulls.
            rows.iter()
                .map(|r| r.as_array().unwrap())
                .filter(|r| !r.iter().any(Value::is_null))
                .map(|r| r.iter().map(number).collect())
                .collect()
        };
        for r in rows("uniaxial_stress") {
            // The given lateral stretch is stress-free, and stress and energy are the given ones.
            let a = frozen_at_identity([r[0], r[1], r[1]]);
            let p = stress(&law, a);
            close(theirs, p[0][0], r[2], 1e5);
            close(theirs, p[1][1], 0.0, 1e5);
            close(theirs, energy(&law, a), r[4] - rest, 1e5);
            let s = solve_free_stretches(&law, [r[0], 1.0, 1.0], &[1, 2]);
            close(theirs, s[1], r[1], 10.0);
        }
        for r in rows("uniaxial_strain") {
            let p = stress(&law, frozen_at_identity([r[0], 1.0, 1.0]));
            close(theirs, p[0][0], r[1], 1e5);
            close(theirs, p[1][1], r[2], 1e5);
            close(theirs, p[2][2], r[2], 1e5);
        }
        for r in rows("equibiaxial_stress") {
            let p = stress(&law, frozen_at_identity([r[0], r[0], r[1]]));
            close(theirs, p[0][0], r[2], 1e6);
            close(theirs, p[2][2], 0.0, 1e6);
        }
    }
}

/// The Mooney–Rivlin law of the file has the volume term κ/2 (ln J)², ours κ/2 (J − 1)²: the curves agree if the stress
/// κ ln J/λ of its volume term is replaced by κ (J − 1) J/λ.
#[test]
fn mooney_rivlin_curves_of_the_reference_file() {
    let data = testdata::reference("analytic/hyperelastic_homogeneous_curves.json");
    let kappa = 2e5;
    let law = Law::mooney_rivlin(7692.0, 2000.0, kappa).unwrap();
    let model = &data["models"]["mooney_rivlin_isochoric"];
    // Columns of the three stretches, and of the stresses along the first and the last axis.
    for (kind, sides, stresses) in [
        ("uniaxial_stress", [0, 1, 1], [Some(2), None]),
        ("uniaxial_strain", [0, 9, 9], [Some(1), Some(2)]),
        ("equibiaxial_stress", [0, 0, 1], [Some(2), None]),
    ] {
        for row in model[kind].as_array().unwrap() {
            let column = |i: usize| row.get(i).map_or(1.0, number);
            let stretch = sides.map(column);
            let j: f64 = stretch.iter().product();
            let p = stress(&law, frozen_at_identity(stretch));
            for (axis, theirs) in [(0, stresses[0]), (2, stresses[1])] {
                let theirs = theirs.map_or(0.0, column);
                let want = theirs + kappa * ((j - 1.0) * j - j.ln()) / stretch[axis];
                let found = p[axis][axis];
                assert!(
                    (found - want).abs() < 1e-4,
                    "{kind} {stretch:?}: {found} not {want}"
                );
            }
        }
    }
}

#[test]
fn cauchy_stresses_of_finetools() {
    let data = testdata::reference("peer_tests/finetools_material_points.json");
    let (young, poisson) = (number(&data["E"]), number(&data["nu"]));
    for (theirs, ours) in [("neo_hookean", "neo-hookean"), ("stvk", "stvk")] {
        let law = Law::new(ours, young, poisson).unwrap();
        for case in data[theirs]["cases"].as_array().unwrap() {
            let f: M = std::array::from_fn(|i| std::array::from_fn(|j| number(&case["F"][i][j])));
            let p = mul(&stress(&law, at(&f)), &transpose(&f));
            let sigma = p.map(|row| row.map(|x| x / det(&f)));
            for (k, (i, j)) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
                .into_iter()
                .enumerate()
            {
                let expected = number(&case["sigma"][k]);
                let error = (sigma[i][j] - expected).abs();
                assert!(
                    error < number(&case["tol"]),
                    "{ours} at {f:?}: σ{i}{j} = {}, not {expected}",
                    sigma[i][j]
                );
            }
        }
    }
}
