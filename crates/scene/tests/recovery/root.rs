//! The minimiser of the incremental potential of a stage is the root of its equation [Ascher et al. 2021, eqs. 13, 14].

use march::methods::{Family, METHODS};

use super::simulation;

/// A soft damped bar with a shaken end under a push: all terms of the incremental potential are nonzero.
fn bar(method: &str, newton: &str) -> String {
    format!(
        r#"
[time]
method = "{method}"
step = 0.01
until = 0.1
[solver]
newton = "{newton}"
tolerance = 1e-14
[[body]]
name = "bar"
mesh = {{ box = {{ size = [0.4, 0.1, 0.1], cells = [4, 1, 1], element = "tet4" }} }}
material = {{ law = "stable-neo-hookean", young = 1e5, poisson = 0.4, density = 1000 }}
damping = {{ mass = 0.5, stiffness = 1e-3 }}
velocity = {{ angular = [0.0, 0.0, 4.0] }}
[[body.fix]]
where = {{ x = 0.0 }}
motion = {{ shake = {{ axis = "y", amplitude = 0.02, frequency = 5.0 }} }}
[[body.push]]
where = {{ x = 0.4 }}
force = [0.0, 0.0, 3.0]
"#
    )
}

/// Returns the displacements after a few steps.
fn displacements_after(method: &str, newton: &str) -> Vec<f64> {
    let mut sim = simulation(&bar(method, newton));
    for _ in 0..5 {
        sim.step().unwrap();
    }
    sim.state().u.clone()
}

#[test]
fn the_minimiser_is_the_root_for_every_method() {
    let mut seen = 0;
    for method in METHODS {
        let iterates = !matches!(
            method.family,
            Family::Rosenbrock(_)
                | Family::Additive(..)
                | Family::UserRosenbrock
                | Family::UserRungeKutta
        );
        if !(method.is_implicit() && iterates) {
            continue;
        }
        let minimiser = displacements_after(method.name, "minimise");
        let size = minimiser.iter().fold(0.0, |m: f64, u| m.max(u.abs()));
        assert!(size > 1e-2, "{}: hardly moved", method.name);
        for newton in ["residual", "least-squares"] {
            let root = displacements_after(method.name, newton);
            let difference = minimiser
                .iter()
                .zip(&root)
                .fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            assert!(
                difference < 1e-12 * size,
                "{}, {newton}: {difference:e} m",
                method.name
            );
        }
        seen += 1;
    }
    assert!(seen >= 14, "{seen}");
}
