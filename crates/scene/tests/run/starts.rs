//! Initial states: affine velocities, deformed starting shapes, and the state of an earlier run.

use std::path::Path;

use scene::build::build;
use scene::session::Session;
use scene::spec::parse;

use super::{run_whole, simulation};

const BLOCK: &str = "gravity = [0, 0, 0]\n[time]\nstep = 0.01\nuntil = 0.1\nfps = 100\n[[body]]\nname = \"block\"\n\
    mesh = { box = { size = [0.4, 0.2, 0.1], cells = [4, 2, 1] } }\n\
    material = { law = \"neo-hookean\", young = 1e5, poisson = 0.3, density = 1000 }\n";

fn block(line: &str) -> String {
    format!("{BLOCK}{line}\n")
}

/// Refusal of a scene.
fn refusal(text: &str) -> String {
    match parse("scene.toml", text).and_then(|(scene, source)| build(scene, &source)) {
        Ok(_) => panic!("accepted: {text}"),
        Err(errors) => errors.to_string(),
    }
}

const CENTRE: [f64; 3] = [0.2, 0.1, 0.05];

#[test]
fn velocities_are_an_affine_field_about_the_centre_of_mass() {
    let g = [[1.0, 2.0, 0.0], [0.0, -3.0, 0.5], [0.25, 0.0, 2.0]];
    let text = block(&format!(
        "velocity = {{ linear = [1, 2, 3], angular = [0, 0, 4], gradient = {g:?} }}"
    ));
    let mut sim = simulation(&text);
    let (x, v) = (sim.positions(), sim.velocities());
    for (x, v) in x.iter().zip(&v) {
        let r = [0, 1, 2].map(|k| x[k] - CENTRE[k]);
        let spin = [-4.0 * r[1], 4.0 * r[0], 0.0];
        for k in 0..3 {
            let stretch: f64 = (0..3).map(|j| g[k][j] * r[j]).sum();
            let wanted = [1.0, 2.0, 3.0][k] + spin[k] + stretch;
            assert!((v[k] - wanted).abs() < 1e-12, "{v:?} at {x:?}");
        }
    }
    // A skew gradient is a rotation.
    let turned = |line: &str| simulation(&block(line)).velocities();
    let [a, b] = [
        "velocity = { angular = [0, 0, 4] }",
        "velocity = { gradient = [[0, -4, 0], [4, 0, 0], [0, 0, 0]] }",
    ]
    .map(turned);
    for (a, b) in a.as_flattened().iter().zip(b.as_flattened()) {
        assert!((a - b).abs() < 1e-14);
    }
}

#[test]
fn the_starting_shape_is_deformed_and_the_rest_shape_stays() {
    // Under uniaxial stretch the strain energy is the density of the law times the volume.
    let mut stretched = simulation(&block("stretch = [1.2, 0.9, 1.0]"));
    let deform = "deform = [[1.2, 0, 0], [0, 0.9, 0], [0, 0, 1]]";
    let mut deformed = simulation(&block(deform));
    assert_eq!(stretched.positions(), deformed.positions());
    let rest = simulation(&block("")).positions();
    assert_eq!(stretched.model.rest(), rest);
    for (x, rest) in stretched.positions().iter().zip(&rest) {
        for (k, s) in [1.2, 0.9, 1.0].into_iter().enumerate() {
            let wanted = CENTRE[k] + s * (rest[k] - CENTRE[k]);
            assert!((x[k] - wanted).abs() < 1e-14);
        }
    }
    let (mu, lambda) = (1e5 / 2.6, 1e5 * 0.3 / (1.3 * 0.4));
    let (i1, j) = (1.2f64 * 1.2 + 0.9 * 0.9 + 1.0, 1.2f64 * 0.9);
    let density = 0.5 * mu * (i1 - 3.0) - mu * j.ln() + 0.5 * lambda * j.ln() * j.ln();
    let energy = stretched.energies().strain;
    assert!((energy / (0.008 * density) - 1.0).abs() < 1e-12, "{energy}");
    // A rotation stores nothing; velocities refer to the deformed shape.
    let turn = "deform = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]\nvelocity = { gradient = [[0, 0, 0], [1, 0, 0], [0, 0, 0]] }";
    let mut turned = simulation(&block(turn));
    assert!(turned.energies().strain.abs() < 1e-9);
    let (x, v) = (turned.positions(), turned.velocities());
    for (x, v) in x.iter().zip(&v) {
        assert!((v[1] - (x[0] - CENTRE[0])).abs() < 1e-14 && v[0] == 0.0);
    }
}

#[test]
fn impossible_shapes_are_refused() {
    for (line, words) in [
        (
            "stretch = [1, 1, 1]\ndeform = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]",
            "deform: cannot be combined with \"stretch\"",
        ),
        (
            "stretch = [1, 0, 1]",
            "stretch[1]: must be greater than 0, found 0.0",
        ),
        (
            "stretch = [1, -1, -1]",
            "stretch[1]: must be greater than 0",
        ),
        (
            "deform = [[-1, 0, 0], [0, 1, 0], [0, 0, 1]]",
            "deform: its determinant is -1.000e0, which makes the body flat or turns it inside out",
        ),
        (
            "stretch = [2, 1, 1]\n[[body.fix]]\nwhere = { x = 0 }",
            "stretch: moves held node 0 at (0, 0, 0) to 2.000e-1 m from its prescribed place",
        ),
    ] {
        let found = refusal(&block(line));
        assert!(found.contains(words), "{words} is not in {found}");
    }
    // Nodes that the stretch does not move along their held axes are no obstacle.
    simulation(&block(
        "stretch = [2, 1, 1]\n[[body.fix]]\nwhere = { x = 0 }\naxes = \"yz\"",
    ));
}

fn open(folder: &Path, text: &str) -> Result<Session, String> {
    let name = folder.join("scene.toml").display().to_string();
    let (scene, source) = parse(&name, text).map_err(|e| e.to_string())?;
    build(scene, &source).map_err(|e| e.to_string())
}

const MOVING: &str = "velocity = { linear = [0.1, 0, 0], angular = [0, 0, 20] }";

fn with_start(file: &str, line: &str) -> String {
    format!("start = \"{file}\"\n{}", block(line))
}

#[test]
fn a_frame_and_a_checkpoint_are_starts() {
    let dir = tempfile::tempdir().unwrap();
    run_whole(&block(MOVING), &dir.path().join("out"));
    let mut end = simulation(&block(MOVING));
    end.run_until(0.1, &mut |_, _| scene::run::Flow::On)
        .unwrap();
    let (positions, velocities) = (end.positions(), end.velocities());
    for file in ["out/frames/00010.vtu", "out/checkpoint.supple"] {
        let mut sim = open(dir.path(), &with_start(file, "")).unwrap();
        assert_eq!(sim.t(), 0.0);
        let near = |a: &[[f64; 3]], b: &[[f64; 3]]| {
            let pairs = a.as_flattened().iter().zip(b.as_flattened());
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        assert!(near(&sim.positions(), &positions) < 1e-12, "{file}");
        assert!(near(&sim.velocities(), &velocities) < 1e-10, "{file}");
        assert!((sim.energies().total() / end.energies().total() - 1.0).abs() < 1e-9);
        // The motion goes on as it would have: a method without history, in the same steps.
        sim.step().unwrap();
        let mut on = simulation(&block(MOVING));
        on.run_until(0.11, &mut |_, _| scene::run::Flow::On)
            .unwrap();
        assert!(near(&sim.positions(), &on.positions()) < 1e-9, "{file}");
    }
}

#[test]
fn unsuitable_starts_are_refused_in_sentences() {
    let dir = tempfile::tempdir().unwrap();
    run_whole(&block(MOVING), &dir.path().join("out"));
    let frame = "out/frames/00010.vtu";
    let vtu = std::fs::read(dir.path().join(frame)).unwrap();
    std::fs::write(dir.path().join("cut.vtu"), &vtu[..vtu.len() / 2]).unwrap();
    std::fs::write(
        dir.path().join("mesh.obj"),
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    )
    .unwrap();
    std::fs::write(dir.path().join("old.supple"), "supple checkpoint 2\n").unwrap();
    let finer = |text: &str| text.replace("[4, 2, 1]", "[4, 2, 2]");
    for (text, words) in [
        (
            finer(&with_start(frame, "")),
            "has 30 nodes, this scene has 45",
        ),
        (
            finer(&with_start("out/checkpoint.supple", "")),
            "has 90 unknowns, this scene has 135",
        ),
        (with_start("none.vtu", ""), "none.vtu cannot be read"),
        (with_start("cut.vtu", ""), "start: "),
        (
            with_start("mesh.obj", ""),
            "A start is a frame (.vtu or .vtk) or a checkpoint",
        ),
        (with_start("old.supple", ""), "has format 2"),
        (
            with_start(frame, "[[body.fix]]\nwhere = { x = 0 }"),
            "moves held node 0 at (0, 0, 0) to ",
        ),
        (
            with_start(frame, MOVING),
            "body[0].velocity: has no effect with \"start\"",
        ),
        (
            with_start(frame, "stretch = [1, 1, 2]"),
            "body[0].stretch: has no effect",
        ),
        (
            with_start(frame, "disturb = { scatter = 0.1 }"),
            "body[0].disturb: has no effect",
        ),
    ] {
        let found = match open(dir.path(), &text) {
            Ok(_) => panic!("accepted: {text}"),
            Err(found) => found,
        };
        assert!(found.contains(words), "{words} is not in {found}");
    }
}

#[test]
fn a_frame_without_velocities_starts_at_rest_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let points = simulation(&block("")).positions();
    let text: String = points
        .iter()
        .map(|p| format!("{} {} {}\n", p[0] + 1.0, p[1], p[2]))
        .collect();
    let vtk = format!(
        "# vtk DataFile Version 3.0\nmoved\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {} double\n{text}CELLS 1 2\n1 0\nCELL_TYPES 1\n1\n",
        points.len()
    );
    std::fs::write(dir.path().join("moved.vtk"), vtk).unwrap();
    let mut sim = open(dir.path(), &with_start("moved.vtk", "")).unwrap();
    assert!(sim.velocities().as_flattened().iter().all(|v| *v == 0.0));
    assert!((sim.positions()[0][0] - 1.0).abs() < 1e-15);
    let words = "has no field \"velocity\" with three components: the scene starts at rest";
    assert!(
        sim.notices.iter().any(|n| n.contains(words)),
        "{:?}",
        sim.notices
    );
}
