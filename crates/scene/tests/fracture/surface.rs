//! The surface of bodies that can break, as pictures and pages read it.

use std::collections::BTreeMap;

use scene::results::Results;
use scene::run::{Flow, RunOptions, run};

use super::{session, spinning};

/// Triangles that are read back belong to the bodies they were written for.
#[test]
fn triangles_know_their_bodies() {
    let more = r#"
[[body]]
name = "anvil"
mesh = { box = { size = [0.3, 0.3, 0.3], cells = [2, 2, 2] } }
place = { translate = [0, 2, 0] }
material = { young = 1e6, poisson = 0.3, density = 1000 }
[[body]]
name = "after"
mesh = { box = { size = [0.3, 0.2, 0.2], cells = [3, 2, 2] } }
place = { translate = [0, 3, 0] }
bonds = { horizon = 0.25, young = 1e6, critical-stretch = 0.1 }
"#;
    let text = spinning("newmark", "step = 1e-3").replace("until = 0.02", "until = 5e-3") + more;
    let mut session = session(&text);
    let out = tempfile::tempdir().unwrap();
    let options = RunOptions {
        out: out.path().into(),
        resume: None,
    };
    run(&mut session, &options, &mut |_| Flow::On).unwrap();
    let mesh = &session.output_mesh;
    let written = mesh.triangles.iter().zip(&mesh.triangle_body);
    let written: BTreeMap<[u32; 3], u32> = written.map(|(t, b)| (*t, *b)).collect();
    assert!((0..3).all(|b| mesh.triangle_body.contains(&b)));
    let surface = Results::open(out.path())
        .unwrap()
        .embedded_surface(1)
        .unwrap();
    assert_eq!(surface.triangles.len(), mesh.triangles.len());
    for (triangle, body) in surface.triangles.iter().zip(&surface.bodies) {
        assert_eq!(written.get(triangle), Some(body), "{triangle:?}");
    }
}
