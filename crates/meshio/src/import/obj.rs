//! Reader of Wavefront OBJ files: vertices and faces; `g` and `o` define groups. Materials, normals, texture
//! coordinates, lines and points are ignored, and no other file is opened.

use std::collections::BTreeMap;

use mesh::Group;

use super::error::{Fault, ImportError};
use super::lexer::{Lexer, parse_int, quoted};
use super::mesh_builder::MeshBuilder;
use super::{Format, vtk_cells};

/// Reads an OBJ file, in two passes because faces may come before their vertices.
pub(crate) fn read(bytes: &[u8], file: &str) -> Result<MeshBuilder, ImportError> {
    let mut builder = MeshBuilder::new(Format::Obj);
    let mut lexer = Lexer::new(bytes, file);
    lexer.comment = b'#';
    lexer.line_continuation = true;
    vertices(&mut lexer, &mut builder)?;
    lexer.pos = 0;
    faces(&mut lexer, &mut builder)?;
    Ok(builder)
}

/// Skips the rest of a line, including continuation lines.
fn end_line(lexer: &mut Lexer) {
    while lexer.word_in_line().is_some() {}
}

fn vertices(lexer: &mut Lexer, builder: &mut MeshBuilder) -> Result<(), ImportError> {
    let points = &mut builder.mesh.points;
    while let Some(word) = lexer.word() {
        if word == b"v" {
            let n = points.len() + 1;
            let mut point = [0.0; 3];
            for (x, axis) in point.iter_mut().zip(["x", "y", "z"]) {
                let Some(word) = lexer.word_in_line() else {
                    let fault = Fault::Unexpected {
                        expected: format!("{axis} of vertex {n}"),
                        found: "the end of the line".to_string(),
                    };
                    return Err(lexer.error(fault, ""));
                };
                *x = lexer.float_of(word, || format!("{axis} of vertex {n}"))?;
            }
            points.push(point);
        }
        end_line(lexer);
    }
    if points.len() > u32::MAX as usize {
        let what = "more than 4 billion vertices".to_string();
        return Err(lexer.error(Fault::Unsupported { what }, ""));
    }
    Ok(())
}

fn faces(lexer: &mut Lexer, builder: &mut MeshBuilder) -> Result<(), ImportError> {
    let mut seen = 0;
    let mut count = 0;
    let mut nodes = Vec::new();
    let mut ignored: BTreeMap<String, usize> = BTreeMap::new();
    let mut groups: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
    // Current names and the first cell they apply to, for groups and for objects.
    let mut current: [(Vec<String>, u32); 2] = Default::default();
    while let Some(word) = lexer.word() {
        let at = lexer.pos - word.len();
        match word {
            b"v" => seen += 1,
            b"f" | b"fo" => {
                count += 1;
                nodes.clear();
                while let Some(corner) = lexer.word_in_line() {
                    nodes.push(index(lexer, corner, seen, count, builder)?);
                }
                vtk_cells::polygon(builder, lexer, at, || format!("face {count}"), &nodes)?;
            }
            b"g" | b"o" => {
                let slot = usize::from(word == b"o");
                let here = builder.mesh.len() as u32;
                let mut names = Vec::new();
                while let Some(name) = lexer.word_in_line() {
                    names.push(String::from_utf8_lossy(name).into_owned());
                }
                let (old, since) = std::mem::replace(&mut current[slot], (names, here));
                end_groups(&mut groups, old, since, here);
            }
            b"l" | b"p" => {
                *ignored
                    .entry(if word == b"l" { "lines" } else { "points" }.to_string())
                    .or_default() += 1
            }
            b"curv" | b"curv2" | b"surf" => {
                *ignored.entry("curved shapes".to_string()).or_default() += 1
            }
            b"vt" | b"vn" | b"vp" | b"s" | b"usemtl" | b"mtllib" => {}
            _ if word.first().is_some_and(u8::is_ascii_alphabetic) => {}
            _ => return Err(lexer.unexpected(at, "a keyword such as v or f", word)),
        }
        end_line(lexer);
    }
    let end = builder.mesh.len() as u32;
    for (names, since) in current {
        end_groups(&mut groups, names, since, end);
    }
    builder
        .groups
        .extend(groups.into_iter().map(|(name, runs)| Group {
            name,
            cells: runs.into_iter().flat_map(|(a, b)| a..b).collect(),
            points: Vec::new(),
        }));
    for (what, n) in ignored {
        builder.note(format!("{what} were ignored ({n})"));
    }
    Ok(())
}

/// Adds the cells `since..end` to the groups `names`.
fn end_groups(
    groups: &mut BTreeMap<String, Vec<(u32, u32)>>,
    names: Vec<String>,
    since: u32,
    end: u32,
) {
    if since < end {
        for name in names {
            groups.entry(name).or_default().push((since, end));
        }
    }
}

/// Vertex of a corner `v`, `v/vt`, `v//vn` or `v/vt/vn`; negative numbers count back from the last vertex read.
fn index(
    lexer: &Lexer,
    corner: &[u8],
    seen: usize,
    face: usize,
    builder: &MeshBuilder,
) -> Result<u32, ImportError> {
    let at = lexer.pos - corner.len();
    let number = corner.split(|&b| b == b'/').next().unwrap_or_default();
    let Some(i) = parse_int(number) else {
        let expected = format!("an integer vertex number in face {face}");
        return Err(lexer.unexpected(at, expected, corner));
    };
    let total = builder.mesh.points.len();
    let position = if i < 0 {
        (seen as i64).checked_add(i)
    } else {
        Some(i - 1)
    };
    let position = position
        .and_then(|p| usize::try_from(p).ok())
        .filter(|&p| p < total);
    position.map(|p| p as u32).ok_or_else(|| {
        let fault = Fault::Reference {
            element: format!("face {face}"),
            node: quoted(number).trim_matches('"').to_string(),
            known: format!("the {total} vertices are numbered from 1, and back from -1"),
        };
        lexer.error_at(at, fault, "")
    })
}
