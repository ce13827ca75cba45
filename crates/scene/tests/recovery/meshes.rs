//! Recovery of a scattered armadillo mesh, if its file is available.

use super::{finish, simulation};

const STEP: f64 = 0.005;

fn armadillo(method: &str) -> Option<String> {
    let file = testdata::shared("data/meshes/generated/armadillo_1000.msh")?;
    Some(format!(
        r#"
gravity = [0.0, 0.0, 0.0]
[time]
method = "{method}"
step = {STEP}
until = 1.2
fps = 1.0
[[body]]
name = "armadillo"
mesh = {{ file = {file:?} }}
material = {{ law = "stable-neo-hookean", young = 1e6, poisson = 0.4, density = 1000 }}
damping = {{ mass = 10.0, stiffness = 0.001 }}
disturb = {{ scatter = 1.0, seed = 2 }}
"#
    ))
}

#[test]
fn a_scattered_armadillo_recovers() {
    for method in ["backward-euler", "bdf2"] {
        let Some(text) = armadillo(method) else {
            return;
        };
        let dir = tempfile::tempdir().unwrap();
        let mut sim = simulation(&text);
        let s = sim.state().clone();
        assert!(sim.model.most_compressed(s.t, &s.u, &s.v).unwrap().j < -100.0);
        let report = finish(&mut sim, dir.path()).unwrap();
        let s = sim.state().clone();
        let worst = sim.model.most_compressed(s.t, &s.u, &s.v).unwrap();
        assert!(worst.j > 0.999, "{method}: volume ratio {}", worst.j);
        assert!(
            report.shortest_step >= 0.999 * STEP / 16.0,
            "{method}: {} s",
            report.shortest_step
        );
        assert_eq!(report.newton_unconverged, 0, "{method}");
        // Upper bound of the energy of strains below 1e-3.
        let volume = sim.model.node_mass().iter().sum::<f64>() / 1000.0;
        let stored = sim.model.energies(s.t, &s.u, &s.v).strain;
        assert!(
            stored < 0.5 * 1e6 * 1e-6 * volume,
            "{method}: {stored} J stored"
        );
    }
}
