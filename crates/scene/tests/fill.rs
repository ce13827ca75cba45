//! Filling surfaces with tetrahedra.

use std::path::{Path, PathBuf};

use scene::fill::*;
use solid::mesh::quality;

fn hash(mut x: u64) -> f64 {
    x ^= x >> 31;
    x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^= x >> 29;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 32;
    (x >> 11) as f64 / (1u64 << 53) as f64
}

fn noise(p: [f64; 3], seed: u64) -> f64 {
    let key = p
        .iter()
        .fold(seed, |k, x| k.wrapping_mul(0x100_0000_01b3) ^ x.to_bits());
    hash(key)
}

#[test]
fn noise_show() {
    // Random values at lattice vertices: every stencil with every cut.
    for seed in 0..12 {
        let lattice = Lattice::around([0.0; 3], [1.0; 3], 0.03);
        let share = 0.3 + 0.04 * seed as f64;
        let mesh = stuff(&lattice, |p| {
            if p.iter().any(|x| !(0.0..=1.0).contains(x)) {
                return 1.0;
            }
            noise(p, seed) - share
        });
        let q = quality(&mesh);
        println!("{seed} {} {:?} {}", mesh.len(), q.angles, q.inverted);
    }
}

fn shared() -> Option<PathBuf> {
    let p = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).to_path_buf();
    let q = Path::new("/work/shared/data").to_path_buf();
    if p.exists() { Some(p) } else { Some(q) }
}

fn read_obj(path: &Path) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let text = std::fs::read_to_string(path).unwrap();
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let x: Vec<f64> = words.map(|w| w.parse().unwrap()).collect();
                points.push([x[0], x[1], x[2]]);
            }
            Some("f") => {
                let f: Vec<u32> = words
                    .map(|w| w.split('/').next().unwrap().parse::<u32>().unwrap() - 1)
                    .collect();
                for k in 2..f.len() {
                    triangles.push([f[0], f[k - 1], f[k]]);
                }
            }
            _ => {}
        }
    }
    (points, triangles)
}

#[test]
fn show_files() {
    let Some(data) = shared() else { return };
    let mut files: Vec<PathBuf> = Vec::new();
    for dir in ["meshes/surfaces", "bad_meshes/surface"] {
        for e in std::fs::read_dir(data.join(dir)).unwrap() {
            let p = e.unwrap().path();
            if p.extension().is_some_and(|e| e == "obj") {
                files.push(p);
            }
        }
    }
    files.sort();
    for f in files {
        if [
            "continuation",
            "float_index",
            "zero.obj",
            "nan",
            "out_of",
            "two_vert",
            "ok_",
        ]
        .iter()
        .any(|s| f.to_string_lossy().contains(s))
        {
            continue;
        }
        let (points, triangles) = read_obj(&f);
        let low = points
            .iter()
            .fold([f64::INFINITY; 3], |a, p| [0, 1, 2].map(|k| a[k].min(p[k])));
        let high = points.iter().fold([f64::NEG_INFINITY; 3], |a, p| {
            [0, 1, 2].map(|k| a[k].max(p[k]))
        });
        let size = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        let start = std::time::Instant::now();
        match fill(&points, &triangles, size / 30.0) {
            Ok(r) => {
                let t = start.elapsed();
                let q = quality(&r.mesh);
                println!(
                    "{:?} {t:?}: {} tets vol {} {:?} inv {} comps {} open {} crowd {} pinch {} genus {:?} {:?}",
                    f.file_name().unwrap(),
                    r.mesh.len(),
                    q.volume,
                    q.angles,
                    q.inverted,
                    q.components,
                    q.surface.open_edges,
                    q.surface.crowded_edges,
                    q.surface.pinched_vertices,
                    q.surface.genus,
                    r.notices
                );
            }
            Err(e) => println!("{:?} {:?}: {e}", f.file_name().unwrap(), start.elapsed()),
        }
    }
}
