//! Writers of surface files: OBJ, PLY, STL and OFF.

use std::io::{self, Write};

use mesh::Mesh;

use super::Encoding;
use super::text::{Point, one_line_name};

/// Writes an OBJ file; a `g` line precedes the faces of each set of groups.
pub(super) fn obj(mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    for p in &mesh.points {
        writeln!(out, "v {}", Point(p))?;
    }
    let mut sets: Vec<Vec<usize>> = vec![
        Vec::new();
        if mesh.groups.is_empty() {
            0
        } else {
            mesh.len()
        }
    ];
    for (g, group) in mesh.groups.iter().enumerate() {
        for &c in &group.cells {
            sets[c as usize].push(g);
        }
    }
    let none = Vec::new();
    let mut current = &none;
    for (i, (_, cell)) in mesh.cells().enumerate() {
        let set = sets.get(i).unwrap_or(&none);
        if set != current {
            write!(out, "g")?;
            for &g in set {
                // Group names of OBJ files are single words.
                let name = one_line_name(&mesh.groups[g].name).replace([' ', '#', '\\'], "_");
                write!(out, " {name}")?;
            }
            writeln!(out)?;
            current = set;
        }
        write!(out, "f")?;
        cell.iter().try_for_each(|n| write!(out, " {}", n + 1))?;
        writeln!(out)?;
    }
    Ok(())
}

/// Writes an OFF file.
pub(super) fn off(mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "OFF\n{} {} 0", mesh.points.len(), mesh.len())?;
    for p in &mesh.points {
        writeln!(out, "{}", Point(p))?;
    }
    for (_, cell) in mesh.cells() {
        write!(out, "{}", cell.len())?;
        cell.iter().try_for_each(|n| write!(out, " {n}"))?;
        writeln!(out)?;
    }
    Ok(())
}

/// Writes a PLY file in double precision, as text or little-endian binary.
pub(super) fn ply(mesh: &Mesh, encoding: Encoding, out: &mut dyn Write) -> io::Result<()> {
    let format = match encoding {
        Encoding::Text => "ascii",
        Encoding::Binary => "binary_little_endian",
    };
    writeln!(
        out,
        "ply\nformat {format} 1.0\nelement vertex {}",
        mesh.points.len()
    )?;
    for axis in ["x", "y", "z"] {
        writeln!(out, "property double {axis}")?;
    }
    writeln!(
        out,
        "element face {}\nproperty list uchar int vertex_indices\nend_header",
        mesh.len()
    )?;
    for p in &mesh.points {
        match encoding {
            Encoding::Text => writeln!(out, "{}", Point(p))?,
            Encoding::Binary => p.iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?,
        }
    }
    for (_, cell) in mesh.cells() {
        match encoding {
            Encoding::Text => {
                write!(out, "{}", cell.len())?;
                cell.iter().try_for_each(|n| write!(out, " {n}"))?;
                writeln!(out)?;
            }
            Encoding::Binary => {
                out.write_all(&[cell.len() as u8])?;
                cell.iter()
                    .try_for_each(|n| out.write_all(&n.to_le_bytes()))?;
            }
        }
    }
    Ok(())
}

/// Unit normal of a triangle; zero for a degenerate one.
fn normal(mesh: &Mesh, cell: &[u32]) -> [f64; 3] {
    let p = |i: usize| mesh.points[cell[i] as usize];
    let (a, b, c) = (p(0), p(1), p(2));
    let u = [0, 1, 2].map(|k| b[k] - a[k]);
    let v = [0, 1, 2].map(|k| c[k] - a[k]);
    let n = [
        u[1] * v[2] - u[2] * v[1],
        u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0],
    ];
    let length = n.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 {
        n.map(|x| x / length)
    } else {
        [0.0; 3]
    }
}

/// Writes an STL file, as text or binary (single precision).
pub(super) fn stl(mesh: &Mesh, encoding: Encoding, out: &mut dyn Write) -> io::Result<()> {
    match encoding {
        Encoding::Text => writeln!(out, "solid")?,
        Encoding::Binary => {
            out.write_all(&[b' '; 80])?;
            out.write_all(&(mesh.len() as u32).to_le_bytes())?;
        }
    }
    for (_, cell) in mesh.cells() {
        let n = normal(mesh, cell);
        match encoding {
            Encoding::Text => {
                writeln!(out, "facet normal {}\nouter loop", Point(&n))?;
                for &i in cell {
                    writeln!(out, "vertex {}", Point(&mesh.points[i as usize]))?;
                }
                writeln!(out, "endloop\nendfacet")?;
            }
            Encoding::Binary => {
                let corners = cell.iter().map(|&i| &mesh.points[i as usize]);
                for x in std::iter::once(&n).chain(corners).flatten() {
                    out.write_all(&(*x as f32).to_le_bytes())?;
                }
                out.write_all(&[0, 0])?;
            }
        }
    }
    if encoding == Encoding::Text {
        writeln!(out, "endsolid")?;
    }
    Ok(())
}
