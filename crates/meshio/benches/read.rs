//! Benchmark of reading a million tetrahedra in each fast format: MB/s, and peak memory relative to the file size.
//! Run `cargo bench -p supple-meshio --bench read`; `-- N` sets the number of cells along an edge of the cube. Each file
//! is read by a process of its own because peak memory is measured per process.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use mesh::{CellKind, Mesh};
use meshio::export::{Encoding, write_as};
use meshio::import::{self, Format};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, path] = arguments.as_slice()
        && first == "--read"
    {
        return measure(Path::new(path));
    }
    let n = arguments.iter().find_map(|a| a.parse().ok()).unwrap_or(56);
    let mesh = cube(n);
    println!("{} tetrahedra, {} points", mesh.len(), mesh.points.len());
    println!(
        "{:<22} {:>8} {:>8} {:>8} {:>12}",
        "file", "MB", "s", "MB/s", "memory/file"
    );
    let folder = std::env::temp_dir().join(format!("supple-read-{}", std::process::id()));
    let run = || -> std::io::Result<()> {
        std::fs::create_dir_all(&folder)?;
        for (name, format, encoding) in [
            ("binary22.msh", Format::Msh22, Encoding::Binary),
            ("binary41.msh", Format::Msh41, Encoding::Binary),
            ("binary.vtu", Format::Vtu, Encoding::Binary),
            ("binary.vtk", Format::Vtk, Encoding::Binary),
            ("text22.msh", Format::Msh22, Encoding::Text),
            ("text.vtu", Format::Vtu, Encoding::Text),
            ("text.mesh", Format::Medit, Encoding::Text),
        ] {
            let path = folder.join(name);
            if let Err(e) = write_as(&path, &mesh, format, encoding) {
                println!("{e}");
                continue;
            }
            Command::new(std::env::current_exe()?)
                .arg("--read")
                .arg(&path)
                .status()?;
        }
        Ok(())
    };
    if let Err(e) = run() {
        println!("{e}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}

fn measure(path: &Path) {
    let before = peak_memory();
    let start = Instant::now();
    let loaded = match import::read(path) {
        Ok(loaded) => loaded,
        Err(e) => return println!("{e}"),
    };
    let seconds = start.elapsed().as_secs_f64();
    let size = std::fs::metadata(path).map_or(0, |m| m.len()) as f64 / 1e6;
    let memory = match (before, peak_memory()) {
        (Some(a), Some(b)) => format!("{:.2}", (b - a) * 1.024e-3 / size),
        _ => "?".to_string(),
    };
    let name = path
        .file_name()
        .map_or(String::new(), |n| n.to_string_lossy().into_owned());
    println!(
        "{name:<22} {size:>8.1} {seconds:>8.3} {:>8.0} {memory:>12}",
        size / seconds
    );
    assert!(loaded.mesh.len() > 5);
}

/// Peak resident memory of the process, kB. Returns `None` if the system does not report it.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Cube of n³ grid cells of six tetrahedra each.
fn cube(n: usize) -> Mesh {
    let m = n + 1;
    let at = |i: usize, j: usize, k: usize| (i + m * (j + m * k)) as u32;
    let place = |p: usize| [p % m, p / m % m, p / m / m].map(|x| x as f64 / n as f64);
    let mut mesh = Mesh::with_points((0..m * m * m).map(place).collect());
    for k in 0..n {
        for j in 0..n {
            for i in 0..n {
                let ring = |k: usize| {
                    [
                        at(i, j, k),
                        at(i + 1, j, k),
                        at(i + 1, j + 1, k),
                        at(i, j + 1, k),
                    ]
                };
                let c = [ring(k), ring(k + 1)].concat();
                for [a, b] in [[1, 2], [2, 3], [3, 7], [7, 4], [4, 5], [5, 1]] {
                    mesh.push(CellKind::Tet4, &[c[0], c[a], c[b], c[6]]);
                }
            }
        }
    }
    mesh
}
