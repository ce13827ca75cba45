//! Writers of legacy VTK files (layout of version 4.2, which every reader supports) and of VTK XML unstructured grids.
//!
//! Groups become arrays `group:<name>` of 0 and 1 on cells, or on points for groups without cells.

use std::io::{self, Write};

use mesh::{Group, Mesh};

use super::Encoding;
use super::text::{Point, one_line_name};

/// Membership of all cells or points in a group: 1 for members, 0 for others.
fn marks(n: usize, members: &[u32]) -> Vec<u8> {
    let mut marks = vec![0; n];
    for &m in members {
        marks[m as usize] = 1;
    }
    marks
}

/// Groups of cells or groups of points, with their membership arrays.
fn groups(mesh: &Mesh, of_cells: bool) -> Vec<(&Group, Vec<u8>)> {
    let wanted = mesh
        .groups
        .iter()
        .filter(|g| g.cells.is_empty() != of_cells);
    wanted
        .map(|g| {
            let marks = if of_cells {
                marks(mesh.len(), &g.cells)
            } else {
                marks(mesh.points.len(), &g.points)
            };
            (g, marks)
        })
        .collect()
}

/// Writes a legacy VTK file.
pub(super) fn write_legacy(mesh: &Mesh, encoding: Encoding, out: &mut dyn Write) -> io::Result<()> {
    let binary = encoding == Encoding::Binary;
    let mode = if binary { "BINARY" } else { "ASCII" };
    writeln!(
        out,
        "# vtk DataFile Version 4.2\nmesh\n{mode}\nDATASET UNSTRUCTURED_GRID"
    )?;
    writeln!(out, "POINTS {} double", mesh.points.len())?;
    for p in &mesh.points {
        if binary {
            p.iter().try_for_each(|x| out.write_all(&x.to_be_bytes()))?;
        } else {
            writeln!(out, "{}", Point(p))?;
        }
    }
    if binary {
        writeln!(out)?;
    }
    writeln!(
        out,
        "CELLS {} {}",
        mesh.len(),
        mesh.len() + mesh.nodes.len()
    )?;
    for (_, cell) in mesh.cells() {
        if binary {
            out.write_all(&(cell.len() as i32).to_be_bytes())?;
            cell.iter()
                .try_for_each(|n| out.write_all(&n.to_be_bytes()))?;
        } else {
            write!(out, "{}", cell.len())?;
            cell.iter().try_for_each(|n| write!(out, " {n}"))?;
            writeln!(out)?;
        }
    }
    if binary {
        writeln!(out)?;
    }
    writeln!(out, "CELL_TYPES {}", mesh.len())?;
    for kind in &mesh.kinds {
        if binary {
            out.write_all(&i32::from(kind.info().vtk).to_be_bytes())?;
        } else {
            writeln!(out, "{}", kind.info().vtk)?;
        }
    }
    if binary {
        writeln!(out)?;
    }
    legacy_groups(
        "POINT_DATA",
        mesh.points.len(),
        &groups(mesh, false),
        binary,
        out,
    )?;
    legacy_groups("CELL_DATA", mesh.len(), &groups(mesh, true), binary, out)
}

fn legacy_groups(
    section: &str,
    n: usize,
    groups: &[(&Group, Vec<u8>)],
    binary: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    if groups.is_empty() {
        return Ok(());
    }
    writeln!(out, "{section} {n}")?;
    for (group, marks) in groups {
        // Names are single words; VTK percent-encodes blanks and other special characters.
        let mut name = String::new();
        for b in one_line_name(&group.name).bytes() {
            if b.is_ascii_graphic() && b != b'%' && b != b'"' {
                name.push(b as char);
            } else {
                name.push_str(&format!("%{b:02X}"));
            }
        }
        writeln!(
            out,
            "SCALARS group:{name} unsigned_char 1\nLOOKUP_TABLE default"
        )?;
        if binary {
            out.write_all(marks)?;
            writeln!(out)?;
        } else {
            marks.iter().try_for_each(|m| writeln!(out, "{m}"))?;
        }
    }
    Ok(())
}

/// Function that writes the numbers of an array.
type Writer<'a> = Box<dyn Fn(&mut dyn Write) -> io::Result<()> + 'a>;

/// DataArray element of the XML format.
struct Array<'a> {
    name: String,
    kind: &'static str,
    components: usize,
    bytes: usize,
    text: Writer<'a>,
    raw: Writer<'a>,
}

/// Escapes the special characters of XML attributes.
fn xml_escaped(name: &str) -> String {
    name.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// All arrays in file order: points, connectivity, offsets, types, then groups.
fn arrays(mesh: &Mesh) -> Vec<Array<'_>> {
    let of_bytes = |name: &str, values: Vec<u8>| {
        let copy = values.clone();
        Array {
            name: name.to_string(),
            kind: "UInt8",
            components: 1,
            bytes: values.len(),
            text: Box::new(move |out| values.iter().try_for_each(|b| writeln!(out, "{b}"))),
            raw: Box::new(move |out| out.write_all(&copy)),
        }
    };
    let kinds: Vec<u8> = mesh.kinds.iter().map(|k| k.info().vtk).collect();
    let mut all = vec![
        Array {
            name: "Points".to_string(),
            kind: "Float64",
            components: 3,
            bytes: 24 * mesh.points.len(),
            text: Box::new(|out| {
                mesh.points
                    .iter()
                    .try_for_each(|p| writeln!(out, "{}", Point(p)))
            }),
            raw: Box::new(|out| {
                let all = mesh.points.iter().flatten();
                all.copied()
                    .try_for_each(|x| out.write_all(&x.to_le_bytes()))
            }),
        },
        Array {
            name: "connectivity".to_string(),
            kind: "Int64",
            components: 1,
            bytes: 8 * mesh.nodes.len(),
            text: Box::new(|out| {
                mesh.cells().try_for_each(|(_, cell)| {
                    cell.iter().try_for_each(|n| write!(out, "{n} "))?;
                    writeln!(out)
                })
            }),
            raw: Box::new(|out| {
                mesh.nodes
                    .iter()
                    .try_for_each(|&n| out.write_all(&i64::from(n).to_le_bytes()))
            }),
        },
        Array {
            name: "offsets".to_string(),
            kind: "Int64",
            components: 1,
            bytes: 8 * mesh.len(),
            text: Box::new(|out| {
                mesh.starts
                    .iter()
                    .skip(1)
                    .try_for_each(|n| writeln!(out, "{n}"))
            }),
            raw: Box::new(|out| {
                let ends = mesh.starts.iter().skip(1);
                ends.copied()
                    .try_for_each(|n| out.write_all(&i64::from(n).to_le_bytes()))
            }),
        },
        of_bytes("types", kinds),
    ];
    for of_cells in [false, true] {
        for (group, marks) in groups(mesh, of_cells) {
            let name = format!("group:{}", one_line_name(&group.name));
            all.push(of_bytes(&name, marks));
        }
    }
    all
}

/// Writes a VTK XML file, as text or with raw appended data.
pub(super) fn write_xml(mesh: &Mesh, encoding: Encoding, out: &mut dyn Write) -> io::Result<()> {
    let arrays = arrays(mesh);
    let point_groups = mesh.groups.iter().filter(|g| g.cells.is_empty()).count();
    let (points, cells) = (mesh.points.len(), mesh.len());
    writeln!(
        out,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <UnstructuredGrid>\n<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">"
    )?;
    let mut offset = 0;
    let mut section = |name: &str, arrays: &[Array], out: &mut dyn Write| -> io::Result<()> {
        writeln!(out, "<{name}>")?;
        for a in arrays {
            let head = format!(
                "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"",
                a.kind,
                xml_escaped(&a.name),
                a.components
            );
            match encoding {
                Encoding::Text => {
                    writeln!(out, "{head} format=\"ascii\">")?;
                    (a.text)(out)?;
                    writeln!(out, "</DataArray>")?;
                }
                Encoding::Binary => {
                    writeln!(out, "{head} format=\"appended\" offset=\"{offset}\"/>")?;
                    offset += 8 + a.bytes;
                }
            }
        }
        writeln!(out, "</{name}>")
    };
    section("Points", &arrays[..1], out)?;
    section("Cells", &arrays[1..4], out)?;
    section("PointData", &arrays[4..4 + point_groups], out)?;
    section("CellData", &arrays[4 + point_groups..], out)?;
    writeln!(out, "</Piece>\n</UnstructuredGrid>")?;
    if encoding == Encoding::Binary {
        write!(out, "<AppendedData encoding=\"raw\">\n_")?;
        for a in &arrays {
            out.write_all(&(a.bytes as u64).to_le_bytes())?;
            (a.raw)(out)?;
        }
        writeln!(out, "\n</AppendedData>")?;
    }
    writeln!(out, "</VTKFile>")
}
