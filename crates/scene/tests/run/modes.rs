//! Frequencies and names of modes against closed forms.

use scene::check::check;
use scene::modes::{Mode, ModeKind};

use super::simulation;

const YOUNG: f64 = 1e9;
const POISSON: f64 = 0.3;
const DENSITY: f64 = 1000.0;

fn modes(mesh: &str, rest: &str) -> Vec<Mode> {
    let text = format!(
        "[time]\nstep = 0.001\nuntil = 0.01\n[[body]]\nmesh = {mesh}\n\
         material = {{ law = \"linear\", young = {YOUNG:e}, poisson = {POISSON}, density = {DENSITY} }}\n{rest}\n"
    );
    check(&mut simulation(&text)).unwrap().modes
}

fn of_kind(modes: &[Mode], kind: ModeKind, axis: &str) -> Vec<f64> {
    let same = |m: &&Mode| m.kind == kind && m.axis.as_deref() == Some(axis);
    modes.iter().filter(same).map(|m| m.hz).collect()
}

#[track_caller]
fn assert_near(found: f64, wanted: f64, relative: f64) {
    assert!(
        (found / wanted - 1.0).abs() < relative,
        "{found} Hz instead of {wanted} Hz"
    );
}

/// A clamped beam of length 1 m with a section of 0.06 m × 0.08 m.
#[test]
fn a_cantilever_bends_twists_and_stretches() {
    let modes = modes(
        "{ box = { size = [1, 0.06, 0.08], cells = [10, 3, 4], element = \"hex20\" } }",
        "[[body.fix]]\nwhere = { x = 0 }",
    );
    assert_eq!(modes.len(), 10);
    assert!(modes.windows(2).all(|w| w[0].hz <= w[1].hz));
    let roots = testdata::reference("analytic/beam_frequency_roots.json");
    let root = |n: usize| -> f64 { roots["clamped_free"][n].as_str().unwrap().parse().unwrap() };
    let speed = (YOUNG / DENSITY).sqrt();
    for (axis, thickness) in [("y", 0.06f64), ("z", 0.08)] {
        let found = of_kind(&modes, ModeKind::Bending, axis);
        assert!(found.len() >= 3, "{modes:#?}");
        // Shear and rotary inertia lower the higher frequencies of a beam that is not infinitely slender. The clamp, which
        // prevents contraction by Poisson's ratio there, raises the lowest by less than a percent.
        for (n, below) in [0.01, 0.05, 0.1].into_iter().enumerate() {
            let wanted = root(n).powi(2) * speed * thickness / 12f64.sqrt() / std::f64::consts::TAU;
            assert!(
                found[n] < 1.01 * wanted && found[n] > (1.0 - below) * wanted,
                "{axis} {n}: {} {wanted}",
                found[n]
            );
        }
    }
    // Axial: c/4L. Torsion of a rectangle a × b (b ≥ a): J ≈ b a³ (1/3 − 0.21 (a/b) (1 − a⁴/12b⁴)), I_p = ab (a² + b²)/12.
    assert_near(of_kind(&modes, ModeKind::Axial, "x")[0], speed / 4.0, 0.01);
    let (a, b) = (0.06f64, 0.08f64);
    let j = b * a.powi(3) * (1.0 / 3.0 - 0.21 * (a / b) * (1.0 - (a / b).powi(4) / 12.0));
    let polar = a * b * (a * a + b * b) / 12.0;
    let shear = (YOUNG / (2.0 * (1.0 + POISSON)) / DENSITY).sqrt();
    let torsion = of_kind(&modes, ModeKind::Torsion, "x");
    assert_near(torsion[0], shear * (j / polar).sqrt() / 4.0, 0.03);
}

/// A free beam along (1, 1, 0) with a square section: six rigid motions, and bending in pairs along its principal axes.
#[test]
fn a_free_beam_has_six_rigid_motions_and_bends_in_pairs() {
    let modes = modes(
        "{ box = { size = [1, 0.05, 0.05], cells = [16, 1, 1], element = \"hex20\" } }",
        "place = { rotate-deg = [0, 0, 45] }",
    );
    let rigid: Vec<bool> = modes.iter().map(|m| m.kind == ModeKind::Rigid).collect();
    assert_eq!(modes.len(), 16);
    assert!(
        rigid[..6].iter().all(|r| *r) && rigid[6..].iter().all(|r| !r),
        "{modes:#?}"
    );
    let wanted = 4.730_040_744_862_704_f64.powi(2) * (YOUNG / DENSITY).sqrt() * 0.05
        / 12f64.sqrt()
        / std::f64::consts::TAU;
    let pair = &modes[6..8];
    assert!(
        pair.iter()
            .all(|m| m.kind == ModeKind::Bending && m.share > 0.95),
        "{pair:?}"
    );
    pair.iter().for_each(|m| assert_near(m.hz, wanted, 0.02));
    let mut axes: Vec<_> = pair.iter().map(|m| m.axis.clone().unwrap()).collect();
    axes.sort();
    assert!(axes[1] == "z" && axes[0].starts_with('('), "{axes:?}");
}

/// A free cube has the equivoluminal mode of Lamé, f = √(μ/ρ)/(√2 L), in which it stretches along one axis and contracts
/// along another.
#[test]
fn a_free_cube_has_the_modes_of_lame() {
    let modes = modes(
        "{ box = { size = [0.5, 0.5, 0.5], cells = [4, 4, 4], element = \"hex20\" } }",
        "",
    );
    assert_eq!(
        modes.iter().filter(|m| m.kind == ModeKind::Rigid).count(),
        6
    );
    let shear = (YOUNG / (2.0 * (1.0 + POISSON)) / DENSITY).sqrt();
    let wanted = shear / (2f64.sqrt() * 0.5);
    let lame: Vec<_> = modes
        .iter()
        .filter(|m| (m.hz / wanted - 1.0).abs() < 2e-3)
        .collect();
    assert!(
        lame.iter().any(|m| m.kind == ModeKind::Stretching),
        "{wanted}: {modes:#?}"
    );
    assert!(
        modes.iter().any(|m| m.kind == ModeKind::Torsion),
        "{modes:#?}"
    );
}

#[test]
fn bodies_with_few_unknowns_have_fewer_modes() {
    let modes = modes(
        "{ box = { size = [1, 1, 1], cells = [1, 1, 1] } }",
        "[[body.fix]]\nwhere = { min = [-1, -1, -1], max = [2, 2, 0.5] }",
    );
    assert_eq!(modes.len(), 10);
    let text = "[time]\nstep = 0.01\nuntil = 1\n[[particle]]\nposition = [1, 0, 0]\nmass = 1\n\
                [[spring]]\na = 0\nb = [0, 0, 0]\nstiffness = 100\nrest = 0\n";
    let found = check(&mut simulation(text)).unwrap();
    assert_eq!(found.modes.len(), 3);
    assert!(found.modes.iter().all(|m| m.kind == ModeKind::Local));
    assert_near(found.lowest_hz.unwrap(), 10.0 / std::f64::consts::TAU, 1e-6);
}
