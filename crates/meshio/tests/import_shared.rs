//! Tests of readers with the collected valid and defective meshes of the shared data folder, if it is present.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use mesh::CellKind;
use meshio::import::{self, ImportedMesh};
use serde_json::Value;

fn listing(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    json["files"].as_array().unwrap().clone()
}

/// Cell kind of a type in the listing; orders 3 and 4 are read by their corners.
fn kind(name: &str) -> &'static str {
    match name {
        "vertex" => "vertex",
        "line" | "line5" => "line2",
        "line3" => "line3",
        "triangle" | "triangle15" => "tri3",
        "triangle6" => "tri6",
        "tetra" | "tetra20" | "tetra35" => "tet4",
        "tetra10" => "tet10",
        "hexahedron" => "hex8",
        "hexahedron27" => "hex27",
        "wedge" => "prism6",
        "pyramid" => "pyramid5",
        other => panic!("no kind for {other}"),
    }
}

fn counts(loaded: &ImportedMesh) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::new();
    for k in &loaded.mesh.kinds {
        *counts.entry(k.name()).or_default() += 1;
    }
    counts
}

/// Six times the volume of a tetrahedron.
fn volume(loaded: &ImportedMesh, cell: &[u32]) -> f64 {
    let p = |i: usize| loaded.mesh.points[cell[i] as usize];
    let e = |i: usize| [0, 1, 2].map(|k| p(i)[k] - p(0)[k]);
    let (a, b, c) = (e(1), e(2), e(3));
    a[0] * (b[1] * c[2] - b[2] * c[1])
        + a[1] * (b[2] * c[0] - b[0] * c[2])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

#[test]
fn collected_meshes_read_with_their_counts() {
    let Some(root) = testdata::shared("data/meshes") else {
        return;
    };
    let mut wrong = Vec::new();
    for entry in listing(&root.join("expected_counts.json")) {
        let name = entry["file"].as_str().unwrap();
        let loaded = match import::read(&root.join(name)) {
            Ok(loaded) => loaded,
            // One file has no counts: its header, sizes and types are all wrong.
            Err(_) if entry["verts"].is_null() => continue,
            Err(e) => {
                wrong.push(format!("{name}: {e}"));
                continue;
            }
        };
        if entry["verts"].is_null() {
            continue;
        }
        let mut expected = BTreeMap::new();
        for (k, n) in entry["cells"].as_object().unwrap() {
            *expected.entry(kind(k)).or_default() += n.as_u64().unwrap();
        }
        let points = loaded.mesh.points.len() as u64;
        if points != entry["verts"].as_u64().unwrap() || counts(&loaded) != expected {
            wrong.push(format!("{name}: {points} points, {:?}", counts(&loaded)));
        }
        wrong.extend(geometry_difference(&entry, &loaded).map(|e| format!("{name}: {e}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Compares volume, bounding box and notices of inverted tetrahedra with the listing. Returns the first difference.
fn geometry_difference(entry: &Value, loaded: &ImportedMesh) -> Option<String> {
    let tets: Vec<f64> = loaded
        .mesh
        .cells()
        .filter(|(k, _)| *k == CellKind::Tet4)
        .map(|(_, c)| volume(loaded, c) / 6.0)
        .collect();
    if tets.iter().any(|v| *v <= 0.0) {
        return Some("a tetrahedron is still inverted".to_string());
    }
    let negative = entry["negative_tets"].as_u64().unwrap_or(0);
    let reported = loaded
        .notices
        .iter()
        .any(|n| n.text.contains("orientation") || n.text.contains("inverted"));
    if negative > 0 && !reported {
        return Some(format!("{negative} negative tetrahedra and no notice"));
    }
    if let (Some(expected), 0) = (entry["volume"].as_f64(), negative) {
        let found: f64 = tets.iter().sum();
        if (found - expected).abs() > 1e-6 * expected.abs() {
            return Some(format!("volume {found}, expected {expected}"));
        }
    }
    for (end, pick) in [(0, f64::min as fn(f64, f64) -> f64), (1, f64::max)] {
        for axis in 0..3 {
            let Some(expected) = entry["bbox"][end][axis].as_f64() else {
                continue;
            };
            let all = loaded.mesh.points.iter().map(|p| p[axis]);
            let found = all.reduce(pick).unwrap_or(0.0);
            if (found - expected).abs() > 1.1e-5 * expected.abs().max(1.0) {
                return Some(format!("box {found} on axis {axis}, expected {expected}"));
            }
        }
    }
    None
}

#[test]
fn defective_meshes_get_the_documented_result_within_two_seconds() {
    let Some(root) = testdata::shared("data/bad_meshes") else {
        return;
    };
    let mut wrong = Vec::new();
    for entry in listing(&root.join("manifest.json")) {
        let name = entry["file"].as_str().unwrap();
        let start = Instant::now();
        let result = import::read(&root.join(name));
        if start.elapsed().as_secs_f64() > 2.0 {
            wrong.push(format!("{name}: took {:?}", start.elapsed()));
        }
        println!("{}", summary(&entry, &result));
        match (&result, entry["expect"].as_str().unwrap()) {
            (Ok(_), "reject") => wrong.push(format!("{name}: read")),
            (Err(e), "accept") => wrong.push(format!("{name}: refused: {e}")),
            (Ok(l), "warn_or_reject") if l.notices.is_empty() => {
                wrong.push(format!("{name}: read without a notice"));
            }
            _ => {}
        }
        if let Ok(loaded) = &result {
            for (key, found) in [
                ("verts", Some(loaded.mesh.points.len() as u64)),
                ("tets", counts(loaded).get("tet4").copied()),
                ("tris", counts(loaded).get("tri3").copied()),
            ] {
                if let Some(expected) = entry[key].as_u64()
                    && found != Some(expected)
                {
                    wrong.push(format!("{name}: {key} {found:?}, expected {expected}"));
                }
            }
        }
        if let Err(e) = &result {
            let text = e.to_string();
            if text.contains('\n') || text.len() > 600 || !text.contains(name) {
                wrong.push(format!(
                    "{name}: not one short line naming the file: {text}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Actual and documented result of a file, for the output of the test.
fn summary(entry: &Value, result: &Result<ImportedMesh, import::ImportError>) -> String {
    let wanted = entry["answer"].as_str().unwrap();
    let wanted = wanted.split(" Non-zero exit").next().unwrap();
    match result {
        Ok(l) => {
            let notices: Vec<_> = l.notices.iter().map(|n| n.to_string()).collect();
            let points = l.mesh.points.len();
            format!(
                "{}: {points} points {:?} {notices:?}   [{wanted}]",
                entry["file"],
                counts(l)
            )
        }
        Err(e) => {
            let text = e.to_string();
            let text = text.rsplit_once("bad_meshes/").map_or("", |t| t.1);
            format!("{text}   [{wanted}]")
        }
    }
}
