//! Frequencies of beams and bars, compared with Euler–Bernoulli theory and the wave equation.

mod common;

use common::{Body, STIFFNESS, clamp, rate, tangent};
use march::{At, Curvature, System};
use mesh::CellKind;
use solid::mass::MassKind;
use solid::material::Law;
use solid::model::{Model, ModelDescription, PrescribedNodes};
use solid::motion::Motion;

/// The lowest circular frequencies.
fn frequencies(parts: ModelDescription, count: usize) -> Vec<f64> {
    let mut model = Model::new(parts).unwrap();
    let zero = vec![0.0; model.dofs()];
    let k = tangent(
        &mut model,
        At {
            t: 0.0,
            u: &zero,
            v: &zero,
        },
        STIFFNESS,
        Curvature::Exact,
    );
    sparse::lowest_eigenpairs(&k, model.mass(), count, 1e-9)
        .unwrap()
        .into_iter()
        .map(|(squared, _)| squared.sqrt())
        .collect()
}

/// Roots of cos x cosh x = ±1 by bisection around (n + ½) π.
fn bending_root(clamped_at_both_ends: bool, n: u32) -> f64 {
    let sign = if clamped_at_both_ends { 1.0 } else { -1.0 };
    let f = |x: f64| x.cos() - sign / x.cosh();
    let middle =
        (f64::from(n) + if clamped_at_both_ends { 0.5 } else { -0.5 }) * std::f64::consts::PI;
    let (mut low, mut high) = (middle - 0.4, middle + 0.4);
    for _ in 0..60 {
        let x = 0.5 * (low + high);
        *(if f(x) * f(high) <= 0.0 {
            &mut low
        } else {
            &mut high
        }) = x;
    }
    low
}

/// End conditions of a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ends {
    Clamped,
    ClampedFree,
    Free,
}

/// Bending frequencies of a beam of unit length over those of Euler–Bernoulli theory; a square section has them in pairs.
fn bending(
    kind: CellKind,
    cells: [usize; 3],
    thickness: f64,
    ends: Ends,
    modes: usize,
) -> Vec<f64> {
    let (young, density) = (1e6, 1000.0f64);
    let body = Body::block(kind, cells, [1.0, thickness, thickness]);
    let mut parts = body.parts(
        Law::new("linear", young, 0.0).unwrap(),
        density,
        MassKind::Consistent,
    );
    if ends != Ends::Free {
        parts.prescribed.push(clamp(
            body.nodes_where(|x| x[0] == 0.0 || (ends == Ends::Clamped && x[0] == 1.0)),
        ));
    }
    let rigid = if ends == Ends::Free { 6 } else { 0 };
    let unit = (young * thickness * thickness / (12.0 * density)).sqrt();
    let list = frequencies(parts, rigid + 2 * modes).split_off(rigid);
    for pair in list.chunks(2) {
        assert!(
            (pair[0] - pair[1]).abs() < 1e-7 * pair[0],
            "the frequencies of a square section are not pairs: {list:?}"
        );
    }
    (0..modes)
        .map(|m| {
            list[2 * m] / (unit * bending_root(ends != Ends::ClampedFree, m as u32 + 1).powi(2))
        })
        .collect()
}

#[test]
fn beams_have_the_euler_bernoulli_frequencies() {
    let file = testdata::reference("analytic/beam_frequency_roots.json");
    for (key, both) in [
        ("clamped_clamped_and_free_free", true),
        ("clamped_free", false),
    ] {
        for n in 1..=10 {
            let want: f64 = file[key][n - 1].as_str().unwrap().parse().unwrap();
            assert!(
                (bending_root(both, n as u32) - want).abs() < 1e-13 * want,
                "{key} {n}"
            );
        }
    }
    for ends in [Ends::Clamped, Ends::ClampedFree, Ends::Free] {
        let fine = bending(CellKind::Hex20, [24, 1, 1], 0.04, ends, 3);
        let slender = bending(CellKind::Hex20, [48, 1, 1], 0.02, ends, 3);
        for m in 0..3 {
            let [thick, thin] = [&fine, &slender].map(|x| 1.0 - x[m]);
            let limit = (4.0 * slender[m] - fine[m]) / 3.0;
            let ratio = thick / thin;
            // Shear and rotary inertia lower the frequencies in proportion to the thickness squared.
            assert!(
                thin > 0.0 && (ratio - 4.0).abs() < 0.2,
                "{ends:?} mode {m}: {thick:.2e} and {thin:.2e} below"
            );
            assert!(
                (limit - 1.0).abs() < 5e-4,
                "{ends:?} mode {m}: {limit} of the slender beam's frequency"
            );
        }
        // Eigenvalues converge at twice the rate of gradients if elements are shorter than the thickness of the beam.
        for (kind, across, levels, order) in [
            (CellKind::Hex8, 2, [20, 40, 80], 2.0),
            (CellKind::Hex20, 1, [5, 10, 20], 4.0),
        ] {
            let thickness = 0.2 / f64::from(across);
            let [a, b, c] = levels.map(|n| {
                bending(
                    kind,
                    [n, across as usize, across as usize],
                    thickness,
                    ends,
                    1,
                )[0]
            });
            let measured = rate(a - b, b - c, 2.0);
            assert!(
                (measured - order).abs() < 0.25,
                "{kind:?} {ends:?}: order {measured:.2}"
            );
        }
    }
}

/// Axial waves of a bar with ν = 0: linear elements have a known dispersion relation and converge with order two.
#[test]
fn bars_have_the_frequencies_of_linear_elements() {
    let (young, density, length) = (1e6, 1000.0f64, 2.0);
    let speed = (young / density).sqrt();
    let axial = |mass: MassKind, cells: usize| {
        let body = Body::block(CellKind::Hex8, [cells, 1, 1], [length, 0.1, 0.1]);
        let mut parts = body.parts(Law::new("linear", young, 0.0).unwrap(), density, mass);
        parts.prescribed.push(PrescribedNodes {
            nodes: body.nodes_where(|_| true),
            axes: [false, true, true],
            motion: Motion::Still,
        });
        parts
            .prescribed
            .push(clamp(body.nodes_where(|x| x[0] == 0.0)));
        frequencies(parts, 3)
    };
    for mass in [MassKind::Consistent, MassKind::Lumped] {
        let [coarse, fine] = [12, 24].map(|n| axial(mass, n));
        for m in 0..3 {
            let wave = (2.0 * m as f64 + 1.0) * std::f64::consts::FRAC_PI_2 / length;
            for (n, got) in [(12.0, coarse[m]), (24.0, fine[m])] {
                let h: f64 = length / n;
                let c = (wave * h).cos();
                let squared = match mass {
                    MassKind::Consistent => 6.0 * (1.0 - c) / (2.0 + c),
                    MassKind::Lumped => 2.0 * (1.0 - c),
                };
                let want = speed / h * squared.sqrt();
                assert!(
                    (got - want).abs() < 1e-9 * want,
                    "{mass:?} mode {m}: {got} rad/s, linear elements have {want}"
                );
            }
            let order = rate(
                (coarse[m] / (speed * wave) - 1.0).abs(),
                (fine[m] / (speed * wave) - 1.0).abs(),
                2.0,
            );
            assert!(
                (order - 2.0).abs() < 0.1,
                "{mass:?} mode {m} converges with order {order:.2}"
            );
        }
    }
}

/// A free cube has six rigid motions and frequencies in groups of one, two and three, the dimensions of the
/// representations of its symmetry group; a beam with a square section has pairs. All are found with one factorization.
#[test]
fn multiple_frequencies_are_complete_and_cheap() {
    let analyse = |cells: [usize; 3], size: [f64; 3], held: bool, count: usize| {
        let body = Body::block(CellKind::Hex8, cells, size);
        let law = Law::new("linear", 1e5, 0.3).unwrap();
        let mut parts = body.parts(law, 1000.0, MassKind::Consistent);
        if held {
            parts
                .prescribed
                .push(clamp(body.nodes_where(|x| x[0] == 0.0)));
        }
        let mut model = Model::new(parts).unwrap();
        let zero = vec![0.0; model.dofs()];
        let at = At {
            t: 0.0,
            u: &zero,
            v: &zero,
        };
        let k = tangent(&mut model, at, STIFFNESS, Curvature::Exact);
        let found = sparse::counted_eigenpairs(&k, model.mass(), count, 1e-9).unwrap();
        assert_eq!(found.factorizations, 1);
        found
    };
    let groups = |values: &[f64]| -> Vec<usize> {
        let same = |a: &f64, b: &f64| (a - b).abs() < 1e-7 * b;
        values.chunk_by(same).map(<[f64]>::len).collect()
    };
    let values =
        |found: &sparse::Eigenpairs| -> Vec<f64> { found.pairs.iter().map(|p| p.0).collect() };
    let cube = analyse([7; 3], [1.0; 3], false, 23);
    let cube_values = values(&cube);
    assert!(cube_values[5] < 1e-10 * cube_values[6], "{cube_values:?}");
    let found = groups(&cube_values[6..]);
    assert_eq!(found, [2, 3, 3, 2, 1, 3, 3], "{cube_values:?}");
    assert!(cube.solves <= 250, "{} solves", cube.solves);
    let beam = analyse([30, 4, 4], [2.0, 0.3, 0.3], true, 20);
    let found = groups(&values(&beam));
    assert_eq!(found[..4], [2, 2, 1, 1], "{:?}", values(&beam));
    assert!(beam.solves <= 120, "{} solves", beam.solves);
}
