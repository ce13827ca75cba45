//! Warnings appear when they matter: inverted elements, a large share of the integrator, meshes that are not conforming.

use scene::check::check;
use scene::run::Flow;
use testdata::repository;

use super::{run_whole, simulation};

/// A block under a law, squeezed at a rate that only inertia and stiffness resist.
fn squeezed(law: &str, rate: f64) -> String {
    format!(
        "gravity = [0, 0, 0]\n[time]\nmethod = \"implicit-midpoint\"\nstep = 0.005\nuntil = 0.2\n[[body]]\nname = \"strip\"\n\
         mesh = {{ box = {{ size = [1, 0.5, 0.5], cells = [4, 1, 1] }} }}\n\
         material = {{ law = \"{law}\", young = 1e3, poisson = 0.3, density = 1000 }}\n\
         velocity = {{ gradient = [[{rate}, 0, 0], [0, 0, 0], [0, 0, 0]] }}\ndisturb = {{ scatter = 0.01, seed = 2 }}\n"
    )
}

#[test]
fn inverted_elements_are_counted_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let report = run_whole(&squeezed("stvk", -15.0), dir.path());
    let inverted = report.inverted.clone().expect("inverted elements");
    assert!(inverted.steps > 3 && inverted.suspect && inverted.initial.is_none());
    assert!(inverted.steps < report.steps, "{inverted:?}");
    assert_eq!(inverted.worst.body, "strip");
    assert!(inverted.worst.det_f < inverted.first.det_f && inverted.first.det_f <= 0.0);
    assert!(inverted.worst.cell < 4);
    let warning = &report.warnings[0];
    for words in [
        "the result is suspect: elements are inverted",
        &format!("cell {} of \"strip\"", inverted.first.cell),
        &format!("det F = {:.3}", inverted.worst.det_f),
    ] {
        assert!(warning.contains(words), "{words} is not in {warning}");
    }
    let json = std::fs::read_to_string(dir.path().join("report.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["inverted"]["steps"], inverted.steps);
    assert_eq!(json["inverted"]["first"]["body"], "strip");
    assert_eq!(json["warnings"][0], *warning);

    // The first one is that of a search through all elements, step by step.
    let mut sim = simulation(&squeezed("stvk", -15.0));
    let mut seen = None;
    sim.run_until(0.2, &mut |sim, row| {
        let state = sim.state().clone();
        let worst = sim.model.most_compressed(state.t, &state.u, &state.v);
        let worst = worst.unwrap();
        if worst.j <= 0.0 && seen.is_none() {
            seen = Some((row.t, sim.element_cells[worst.element], worst.j));
        }
        Flow::On
    })
    .unwrap();
    let (t, cell, det_f) = seen.unwrap();
    let first = &inverted.first;
    assert_eq!((first.t, first.cell), (t, cell));
    assert!((first.det_f - det_f).abs() < 1e-12);
}

#[test]
fn upright_elements_give_no_warning() {
    let dir = tempfile::tempdir().unwrap();
    for (law, rate) in [("stvk", -1.0), ("neo-hookean", -15.0)] {
        let report = run_whole(&squeezed(law, rate), dir.path());
        assert_eq!(
            (report.inverted, report.warnings),
            (None, Vec::new()),
            "{law}"
        );
    }
}

#[test]
fn a_scattered_start_that_recovers_is_reported_without_a_warning() {
    let text = "[time]\nmethod = \"sdirk2\"\nstep = 0.01\nuntil = 1.0\n[[body]]\n\
                mesh = { ball = { radius = 0.5, cells = 2, element = \"tet4\" } }\n\
                material = { young = 1e5, poisson = 0.4, density = 1000 }\n\
                damping = { stiffness = 0.05 }\ndisturb = { scatter = 0.5, seed = 3 }\n";
    let dir = tempfile::tempdir().unwrap();
    let report = run_whole(text, dir.path());
    let inverted = report.inverted.expect("the start is inverted");
    assert!(
        inverted.initial.is_some() && !inverted.at_end,
        "{inverted:?}"
    );
    assert_eq!(inverted.suspect, !report.warnings.is_empty());
}

#[test]
fn a_gain_above_100_percent_is_the_first_warning() {
    let text = "gravity = [0, 0, 0]\n[time]\nmethod = \"forward-euler\"\nstep = 0.1\nuntil = 1.0\n\
                [[particle]]\nposition = [1, 0, 0]\nmass = 1\n\
                [[spring]]\na = 0\nb = [0, 0, 0]\nstiffness = 100\nrest = 0.0\n";
    let dir = tempfile::tempdir().unwrap();
    let report = run_whole(text, dir.path());
    // Each step multiplies the energy of a linear oscillator with hω = 1 by 1 + (hω)² = 2; here E(0) is available.
    let percent = report.integrator_percent.expect("a share");
    assert!(
        (percent / (-100.0 * 1023.0) - 1.0).abs() < 1e-9,
        "{percent}"
    );
    assert_eq!(
        report.integrator_share().percent,
        Some(Some("102300 %".into()))
    );
    let warning = &report.warnings[0];
    assert!(
        warning.contains("numerical gain") && warning.contains("102300 %"),
        "{warning}"
    );
}

/// Two cubes of which the second hangs on the middle of a face of the first, as a Gmsh file.
const HANGING: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n16\n\
    1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n\
    9 1 0.25 0.25\n10 1.5 0.25 0.25\n11 1.5 0.75 0.25\n12 1 0.75 0.25\n13 1 0.25 0.75\n14 1.5 0.25 0.75\n15 1.5 0.75 0.75\n16 1 0.75 0.75\n\
    $EndNodes\n$Elements\n2\n1 5 2 0 1 1 2 3 4 5 6 7 8\n2 5 2 0 1 9 10 11 12 13 14 15 16\n$EndElements\n";

#[test]
fn a_mesh_that_is_not_conforming_is_reported_by_check_and_run() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("hanging.msh"), HANGING).unwrap();
    let name = dir.path().join("scene.toml").display().to_string();
    let text = "[time]\nstep = 0.01\nuntil = 0.02\n[[body]]\nname = \"pair\"\nmesh = { file = \"hanging.msh\" }\n\
                material = { young = 1e5, poisson = 0.3, density = 1000 }\n[[body.fix]]\nwhere = { x = 0 }\n";
    let (scene, source) = scene::spec::parse(&name, text).unwrap();
    let mut sim = scene::build::build(scene, &source).unwrap();
    let words = "pair: the mesh is not conforming: 4 nodes lie on a face of a cell without being its node (first: node 8 on cell 0)";
    let found = check(&mut sim).unwrap();
    assert!(
        found.warnings.iter().any(|w| w.contains(words)),
        "{:?}",
        found.warnings
    );
    assert!(
        sim.warnings.iter().any(|w| w.contains(words)),
        "{:?}",
        sim.warnings
    );
    // Notes carry no second label.
    for line in sim.notices.iter().chain(&sim.warnings) {
        assert!(
            !line.contains("note:") && !line.contains("warning:"),
            "{line}"
        );
    }
    let report = scene::run::Report::new(&mut sim, 0, scene::run::Status::Finished);
    assert!(report.warnings.iter().any(|w| w.contains(words)));
}

#[test]
fn the_shipped_scenes_have_no_false_warnings() {
    let folder = std::fs::read_dir(repository().join("scenes")).unwrap();
    let mut files: Vec<_> = folder.map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "toml"));
    files.sort();
    for path in files {
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        let mut sim = super::scenes::open(&path, super::scenes::coarser(&name)).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let options = scene::run::RunOptions {
            out: dir.path().into(),
            resume: None,
        };
        let report = scene::run::run(&mut sim, &options, &mut |p| match p.steps >= 12 {
            true => Flow::Stop,
            false => Flow::On,
        });
        let report = report.unwrap();
        if name == "spring-004.toml" {
            // The midpoint rule gains energy on this stiff spring, which is what the scene shows.
            let gains = |w: &String| w.contains("numerical gain of");
            assert!(report.warnings.len() == 1 && gains(&report.warnings[0]));
            continue;
        }
        assert_eq!(report.warnings, Vec::<String>::new(), "{name}");
        assert_eq!(report.inverted, None, "{name}");
        let mut sim = super::scenes::open(&path, super::scenes::coarser(&name)).unwrap();
        assert_eq!(
            check(&mut sim).unwrap().warnings,
            Vec::<String>::new(),
            "{name}"
        );
    }
}
