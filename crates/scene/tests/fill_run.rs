//! Closed surfaces are filled with tetrahedra and simulated for a second.

use std::path::Path;

use scene::build::build;
use scene::run::{Flow, RunOptions, run};
use scene::spec::parse;

/// Fills a surface file, hangs it from its top by a tether, and simulates a second; returns the number of tetrahedra.
fn hang(file: &Path, cell: f64) -> Result<usize, String> {
    let text = format!(
        "[time]\nmethod = \"backward-euler\"\nstep = 0.05\nuntil = 1.0\nfps = 2\n[output]\nformats = [\"vtu\"]\n\
         [[body]]\nmesh = {{ file = {:?}, fill = {{ cell = {cell} }} }}\n\
         material = {{ young = 1e5, poisson = 0.4, density = 1000 }}\n\
         [[body.tether]]\nwhere = \"all\"\nstiffness = 10.0\n",
        file.display().to_string()
    );
    let (scene, source) = parse("fill.toml", &text).map_err(|e| e.to_string())?;
    let mut simulation = build(scene, &source).map_err(|e| e.to_string())?;
    let out = tempfile::tempdir().map_err(|e| e.to_string())?;
    let options = RunOptions {
        out: out.path().to_path_buf(),
        resume: None,
    };
    run(&mut simulation, &options, &mut |_| Flow::On).map_err(|e| e.to_string())?;
    let (u, _) = simulation.expanded();
    assert!(u.iter().flatten().all(|x| x.is_finite()));
    assert!(
        out.path().join("skin.pc2").exists(),
        "the surface is embedded"
    );
    Ok(simulation.output_mesh.mesh.len())
}

/// An octahedron as OBJ text.
fn octahedron() -> String {
    let points = [
        "v 1 0 0", "v -1 0 0", "v 0 1 0", "v 0 -1 0", "v 0 0 1", "v 0 0 -1",
    ];
    let faces = [
        "f 1 3 5", "f 3 2 5", "f 2 4 5", "f 4 1 5", "f 3 1 6", "f 2 3 6", "f 4 2 6", "f 1 4 6",
    ];
    format!("{}\n{}\n", points.join("\n"), faces.join("\n"))
}

#[test]
fn a_small_surface_fills_and_simulates() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("octahedron.obj");
    std::fs::write(&file, octahedron()).unwrap();
    assert!(hang(&file, 0.4).unwrap() > 50);
}

#[test]
fn an_open_surface_is_refused_with_its_open_edges() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("open.obj");
    std::fs::write(&file, octahedron().replace("f 1 4 6\n", "")).unwrap();
    let error = hang(&file, 0.4).unwrap_err();
    assert!(
        error.contains("3 open edges") || error.contains("3 edges"),
        "{error}"
    );
}

#[test]
fn shared_surfaces_fill_and_simulate() {
    let closed = [
        "oded_bunny.obj",
        "oded_armadillo.obj",
        "oded_spot_low_resolution.obj",
        "bullet_duck.obj",
        "cgal_cactus.off",
        "sofa_Bunny.stl",
    ];
    let Some(folder) = testdata::shared("data/meshes/surfaces") else {
        return;
    };
    for file in closed.map(|name| folder.join(name)) {
        let points = meshio::import::read(&file).unwrap().mesh.points;
        let (min, max) = scene::build::bounds(&points);
        let size = (0..3).map(|k| max[k] - min[k]).fold(0.0, f64::max);
        if let Err(error) = hang(&file, size / 12.0) {
            assert!(
                error.contains("open edges") || error.contains("cross"),
                "{}: {error}",
                file.display()
            );
        }
    }
}
