//! Writers of Medit, TetGen and Vega FEM files.

use std::io::{self, Write};

use mesh::{CellKind, Mesh};

use super::text::{Point, first_groups, one_line_name};

/// Writes node numbers, counted from `base`.
fn numbers(nodes: &[u32], base: u32, out: &mut dyn Write) -> io::Result<()> {
    nodes.iter().try_for_each(|n| write!(out, " {}", n + base))
}

/// Writes a Medit .mesh file; kinds come in the order of first appearance, groups become reference numbers.
pub(super) fn medit(mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "MeshVersionFormatted 2\nDimension 3\nVertices\n{}",
        mesh.points.len()
    )?;
    for p in &mesh.points {
        writeln!(out, "{} 0", Point(p))?;
    }
    let groups = first_groups(mesh).0;
    let mut kinds: Vec<CellKind> = Vec::new();
    for kind in &mesh.kinds {
        if !kinds.contains(kind) {
            kinds.push(*kind);
        }
    }
    for kind in kinds {
        let n = mesh.kinds.iter().filter(|k| **k == kind).count();
        // `check_supported` refuses kinds without a keyword.
        let keyword = kind.info().medit.first().unwrap_or(&"");
        writeln!(out, "{keyword}\n{n}")?;
        for (i, (_, cell)) in mesh.cells().enumerate().filter(|(_, (k, _))| *k == kind) {
            numbers(cell, 1, out)?;
            let group = groups.get(i).copied().unwrap_or(0);
            writeln!(out, " {}", reference(mesh, group))?;
        }
    }
    writeln!(out, "End")
}

/// Reference number of a group, counted from 1: its name if that is a number, otherwise its position.
fn reference(mesh: &Mesh, group: u32) -> u32 {
    match group {
        0 => 0,
        g => mesh.groups[g as usize - 1].name.parse().unwrap_or(g),
    }
}

/// Writes a TetGen .node file, with nodes numbered from 0.
pub(super) fn tetgen_nodes(mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} 3 0 0", mesh.points.len())?;
    for (i, p) in mesh.points.iter().enumerate() {
        writeln!(out, "{i} {}", Point(p))?;
    }
    Ok(())
}

/// Writes a TetGen .ele file, with elements and nodes numbered from 0.
pub(super) fn tetgen_elements(mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} 4 0", mesh.len())?;
    for (i, (_, cell)) in mesh.cells().enumerate() {
        write!(out, "{i}")?;
        numbers(cell, 0, out)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Writes a Vega .veg file with groups as sets, and with a placeholder material because Vega requires one.
pub(super) fn vega(mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "# Vega mesh file.\n\n*VERTICES\n{} 3 0 0",
        mesh.points.len()
    )?;
    for (i, p) in mesh.points.iter().enumerate() {
        writeln!(out, "{} {}", i + 1, Point(p))?;
    }
    let hex = mesh.kinds.first() == Some(&CellKind::Hex8);
    let (name, nodes) = if hex { ("CUBIC", 8) } else { ("TET", 4) };
    writeln!(out, "\n*ELEMENTS\n{name}\n{} {nodes} 0", mesh.len())?;
    for (i, (_, cell)) in mesh.cells().enumerate() {
        write!(out, "{}", i + 1)?;
        numbers(cell, 1, out)?;
        writeln!(out)?;
    }
    for group in mesh.groups.iter().filter(|g| !g.cells.is_empty()) {
        let name: String = one_line_name(&group.name)
            .split([' ', ','])
            .collect::<Vec<_>>()
            .join("_");
        writeln!(out, "\n*SET {name}")?;
        for line in group.cells.chunks(8) {
            line.iter().try_for_each(|c| write!(out, "{}, ", c + 1))?;
            writeln!(out)?;
        }
    }
    writeln!(
        out,
        "\n# replace by the material of your choice\n*MATERIAL defaultMaterial\nENU, 1000, 1e6, 0.45"
    )?;
    writeln!(out, "\n*REGION\nallElements, defaultMaterial")
}
