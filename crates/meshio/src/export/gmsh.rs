//! Writers of Gmsh .msh files, versions 2.2 and 4.1.
//!
//! In 4.1 physical groups belong to entities: each set of groups that cells of one dimension share becomes an entity,
//! and cells in several groups stay in all of them.

use std::collections::BTreeMap;
use std::io::{self, Write};

use mesh::{CellKind, Mesh};

use super::Encoding;
use super::text::{Point, ShortestDecimal, first_groups, one_line_name};
use crate::import::cells::{self, CellType};

/// Gmsh's type id of a kind, and its node order.
fn gmsh_type(kind: CellKind) -> (i32, CellType) {
    (i32::from(kind.info().gmsh), cells::to_gmsh(kind))
}

/// Dimensions of the cells of a group, ascending.
fn dimensions(mesh: &Mesh, cells: &[u32]) -> Vec<usize> {
    let mut all: Vec<usize> = cells
        .iter()
        .map(|&c| mesh.kinds[c as usize].dimension())
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn header(version: &str, encoding: Encoding, out: &mut dyn Write) -> io::Result<()> {
    let mode = i32::from(encoding == Encoding::Binary);
    write!(out, "$MeshFormat\n{version} {mode} 8\n")?;
    if encoding == Encoding::Binary {
        out.write_all(&1i32.to_le_bytes())?;
        writeln!(out)?;
    }
    writeln!(out, "$EndMeshFormat")
}

fn physical_names(mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = Vec::new();
    for (g, group) in mesh.groups.iter().enumerate() {
        for dimension in dimensions(mesh, &group.cells) {
            lines.push((dimension, g + 1, one_line_name(&group.name)));
        }
    }
    if lines.is_empty() {
        return Ok(());
    }
    lines.sort();
    writeln!(out, "$PhysicalNames\n{}", lines.len())?;
    for (dimension, tag, name) in lines {
        writeln!(out, "{dimension} {tag} \"{name}\"")?;
    }
    writeln!(out, "$EndPhysicalNames")
}

/// Writes version 2.2, which holds one group per cell.
pub(super) fn write22(mesh: &Mesh, encoding: Encoding, out: &mut dyn Write) -> io::Result<()> {
    header("2.2", encoding, out)?;
    physical_names(mesh, out)?;
    writeln!(out, "$Nodes\n{}", mesh.points.len())?;
    for (i, p) in mesh.points.iter().enumerate() {
        match encoding {
            Encoding::Text => writeln!(out, "{} {}", i + 1, Point(p))?,
            Encoding::Binary => {
                out.write_all(&(i as i32 + 1).to_le_bytes())?;
                doubles(p, out)?;
            }
        }
    }
    if encoding == Encoding::Binary {
        writeln!(out)?;
    }
    writeln!(out, "$EndNodes\n$Elements\n{}", mesh.len())?;
    let groups = first_groups(mesh).0;
    let physical = |i: usize| groups.get(i).copied().unwrap_or(0);
    let mut i = 0;
    while i < mesh.len() {
        let run = mesh.kinds[i..]
            .iter()
            .take_while(|k| **k == mesh.kinds[i])
            .count();
        let (id, cell) = gmsh_type(mesh.kinds[i]);
        if encoding == Encoding::Binary {
            for n in [id, run as i32, 2] {
                out.write_all(&n.to_le_bytes())?;
            }
        }
        for e in i..i + run {
            let mut buffer = [0; 27];
            let nodes = cell.nodes_in_file_order(mesh.cell(e), &mut buffer);
            // Gmsh requires an elementary entity: it gets the number of the group.
            let tag = physical(e);
            let entity = tag.max(1);
            if encoding == Encoding::Text {
                write!(out, "{} {id} 2 {tag} {entity}", e + 1)?;
                for n in nodes {
                    write!(out, " {}", n + 1)?;
                }
                writeln!(out)?;
            } else {
                for n in [e as u32 + 1, tag, entity] {
                    out.write_all(&n.to_le_bytes())?;
                }
                for n in nodes {
                    out.write_all(&(n + 1).to_le_bytes())?;
                }
            }
        }
        i += run;
    }
    if encoding == Encoding::Binary {
        writeln!(out)?;
    }
    writeln!(out, "$EndElements")
}

fn doubles(values: &[f64], out: &mut dyn Write) -> io::Result<()> {
    values
        .iter()
        .try_for_each(|x| out.write_all(&x.to_le_bytes()))
}

/// Tags of the entities by dimension and set of groups, and the entity tag of each cell.
struct Entities {
    tags: BTreeMap<(usize, Vec<u32>), u32>,
    of_cell: Vec<u32>,
}

fn entities(mesh: &Mesh) -> Entities {
    let mut sets: Vec<Vec<u32>> = vec![
        Vec::new();
        if mesh.groups.is_empty() {
            0
        } else {
            mesh.len()
        }
    ];
    for (g, group) in mesh.groups.iter().enumerate() {
        for &c in &group.cells {
            sets[c as usize].push(g as u32 + 1);
        }
    }
    let mut tags = BTreeMap::new();
    let mut next = [0; 4];
    let mut of_cell = Vec::with_capacity(mesh.len());
    for (i, kind) in mesh.kinds.iter().enumerate() {
        let dimension = kind.dimension();
        let set = sets.get_mut(i).map(std::mem::take).unwrap_or_default();
        let tag = *tags.entry((dimension, set)).or_insert_with(|| {
            next[dimension] += 1;
            next[dimension]
        });
        of_cell.push(tag);
    }
    Entities { tags, of_cell }
}

/// Writer of the numbers of version 4.1, as text or binary.
struct NumberWriter<'a> {
    out: &'a mut dyn Write,
    encoding: Encoding,
}

impl NumberWriter<'_> {
    fn int(&mut self, n: i32) -> io::Result<()> {
        match self.encoding {
            Encoding::Text => write!(self.out, "{n} "),
            Encoding::Binary => self.out.write_all(&n.to_le_bytes()),
        }
    }

    fn size(&mut self, n: usize) -> io::Result<()> {
        match self.encoding {
            Encoding::Text => write!(self.out, "{n} "),
            Encoding::Binary => self.out.write_all(&(n as u64).to_le_bytes()),
        }
    }

    fn double(&mut self, x: f64) -> io::Result<()> {
        match self.encoding {
            Encoding::Text => write!(self.out, "{} ", ShortestDecimal(x)),
            Encoding::Binary => self.out.write_all(&x.to_le_bytes()),
        }
    }

    fn end_line(&mut self) -> io::Result<()> {
        match self.encoding {
            Encoding::Text => writeln!(self.out),
            Encoding::Binary => Ok(()),
        }
    }

    fn end(&mut self, section: &str) -> io::Result<()> {
        if self.encoding == Encoding::Binary {
            writeln!(self.out)?;
        }
        writeln!(self.out, "$End{section}")
    }
}

/// Writes version 4.1.
pub(super) fn write41(mesh: &Mesh, encoding: Encoding, out: &mut dyn Write) -> io::Result<()> {
    header("4.1", encoding, out)?;
    physical_names(mesh, out)?;
    let entities = entities(mesh);
    let mut to = NumberWriter { out, encoding };
    write_entities(mesh, &entities, &mut to)?;
    write_nodes(mesh, &entities, &mut to)?;
    write_elements(mesh, &entities, &mut to)
}

fn write_entities(mesh: &Mesh, entities: &Entities, to: &mut NumberWriter) -> io::Result<()> {
    let mut low = [f64::INFINITY; 3];
    let mut high = [f64::NEG_INFINITY; 3];
    for p in &mesh.points {
        for k in 0..3 {
            low[k] = low[k].min(p[k]);
            high[k] = high[k].max(p[k]);
        }
    }
    if mesh.points.is_empty() {
        (low, high) = ([0.0; 3], [0.0; 3]);
    }
    writeln!(to.out, "$Entities")?;
    for dimension in 0..4 {
        to.size(
            entities
                .tags
                .keys()
                .filter(|(d, _)| *d == dimension)
                .count(),
        )?;
    }
    to.end_line()?;
    for ((dimension, groups), &tag) in &entities.tags {
        to.int(tag as i32)?;
        let corners: &[[f64; 3]] = if *dimension == 0 {
            &[low]
        } else {
            &[low, high]
        };
        for x in corners.iter().flatten() {
            to.double(*x)?;
        }
        to.size(groups.len())?;
        for &g in groups {
            to.int(g as i32)?;
        }
        if *dimension > 0 {
            to.size(0)?;
        }
        to.end_line()?;
    }
    to.end("Entities")
}

fn write_nodes(mesh: &Mesh, entities: &Entities, to: &mut NumberWriter) -> io::Result<()> {
    let n = mesh.points.len();
    writeln!(to.out, "$Nodes")?;
    for count in [1, n, 1, n] {
        to.size(count)?;
    }
    to.end_line()?;
    // All nodes belong to the first entity of the highest dimension.
    let dimension = entities.tags.keys().map(|(d, _)| *d).max().unwrap_or(3);
    to.int(dimension as i32)?;
    to.int(1)?;
    to.int(0)?;
    to.size(n)?;
    to.end_line()?;
    for i in 1..=n {
        to.size(i)?;
        to.end_line()?;
    }
    for p in &mesh.points {
        for &x in p {
            to.double(x)?;
        }
        to.end_line()?;
    }
    to.end("Nodes")
}

fn write_elements(mesh: &Mesh, entities: &Entities, to: &mut NumberWriter) -> io::Result<()> {
    let n = mesh.len();
    let same = |i: usize, j: usize| {
        mesh.kinds[i] == mesh.kinds[j] && entities.of_cell[i] == entities.of_cell[j]
    };
    let blocks = (0..n).filter(|&i| i == 0 || !same(i - 1, i)).count();
    writeln!(to.out, "$Elements")?;
    for count in [blocks, n, 1, n] {
        to.size(count)?;
    }
    to.end_line()?;
    let mut i = 0;
    while i < n {
        let end = (i..n).find(|&j| !same(i, j)).unwrap_or(n);
        let (id, cell) = gmsh_type(mesh.kinds[i]);
        to.int(mesh.kinds[i].dimension() as i32)?;
        to.int(entities.of_cell[i] as i32)?;
        to.int(id)?;
        to.size(end - i)?;
        to.end_line()?;
        for e in i..end {
            let mut buffer = [0; 27];
            to.size(e + 1)?;
            for &node in cell.nodes_in_file_order(mesh.cell(e), &mut buffer) {
                to.size(node as usize + 1)?;
            }
            to.end_line()?;
        }
        i = end;
    }
    to.end("Elements")
}
