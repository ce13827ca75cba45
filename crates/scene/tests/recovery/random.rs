//! Random small bodies, laws, methods and steps over four decades: no panics and no frames with NaN. With L-stable methods
//! and damping the energy never exceeds the initial energy plus work; if the first stage is explicit, it is at most ten
//! times as large and only briefly.

use march::methods::{Family, METHODS, Method, Stability};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use scene::run::RunError;

use super::{finish, simulation};

const LAWS: [&str; 7] = [
    "stable-neo-hookean",
    "neo-hookean",
    "stvk",
    "linear",
    "corotated",
    "arap",
    "mooney-rivlin",
];

fn implicit() -> Vec<&'static str> {
    let own = |name: &str| matches!(name, "dirk" | "rosenbrock");
    METHODS
        .iter()
        .filter(|m| m.is_implicit() && !own(m.name))
        .map(|m| m.name)
        .collect()
}

/// Returns whether the first stage of a method is explicit, as in TR-BDF2.
fn starts_explicitly(m: &Method) -> bool {
    matches!(m.family, Family::RungeKutta(table) if table.a[0] == [0.0])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, rng_seed: RngSeed::Fixed(20), ..ProptestConfig::default() })]

    #[test]
    fn random_bodies_finish_or_report_an_error(
        law in 0..LAWS.len(),
        method in 0..implicit().len(),
        decade in -4.0..0.0f64,
        cells in (1..3u32, 1..3u32, 1..3u32),
        poisson in 0.0..0.49f64,
        spin in -5.0..5.0f64,
        scatter in prop_oneof![Just(0.0), 0.0..0.5f64],
    ) {
        let (name, law) = (implicit()[method], LAWS[law]);
        let h = 10f64.powf(decade);
        let text = format!(
            r#"
gravity = [0.0, 0.0, 0.0]
[time]
method = "{name}"
step = {h:e}
until = {until:e}
fps = {fps:e}
[[body]]
name = "b"
mesh = {{ box = {{ size = [0.3, 0.2, 0.2], cells = [{}, {}, {}], element = "tet4" }} }}
material = {{ law = "{law}", young = 1e5, poisson = {poisson}, density = 1000 }}
damping = {{ mass = 0.5, stiffness = 0.001 }}
velocity = {{ angular = [0.0, {spin}, 1.0] }}
disturb = {{ scatter = {scatter}, seed = 5 }}
"#,
            cells.0, cells.1, cells.2, until = 5.0 * h, fps = 1.0 / h,
        );
        let dir = tempfile::tempdir().unwrap();
        let mut sim = simulation(&text);
        match finish(&mut sim, dir.path()) {
            Ok(report) => {
                prop_assert!(report.energy.last.is_finite());
                let m = sim.method.method;
                // Exponentials of the modes conserve the energy of linear forces only.
                let linearised = matches!(m.family, Family::Rosenbrock(_) | Family::Additive(..));
                // `linear` is not invariant under rotation, but its energy is still quadratic.
                if m.stability == Stability::L && !linearised {
                    let allowed = report.energy.initial * 1.01 + 1e-9;
                    let between = if starts_explicitly(m) { 10.0 * allowed } else { allowed };
                    prop_assert!(report.energy.last <= allowed, "{name}, {law}, {h:e} s: {:?}", report.energy);
                    prop_assert!(report.energy.max <= between, "{name}, {law}, {h:e} s: {:?}", report.energy);
                }
            }
            Err(RunError::Step { sentence, .. }) => prop_assert!(!sentence.is_empty()),
            Err(other) => prop_assert!(false, "{other}"),
        }
        prop_assert!(sim.state().u.iter().chain(&sim.state().v).all(|x| x.is_finite()));
    }
}
