//! Wavefront OBJ: vertices and faces; `g` and `o` make groups. Materials, normals, texture coordinates, lines and
//! points are ignored, and no other file is ever opened.

use std::collections::BTreeMap;

use mesh::Group;

use super::draft::Draft;
use super::error::{Fault, ImportError};
use super::scan::{Scan, parse_int, shown};
use super::{Format, vtk_cells};

/// Reads an OBJ file. Two passes: faces may come before the vertices they name.
pub(crate) fn read(bytes: &[u8], file: &str) -> Result<Draft, ImportError> {
    let mut draft = Draft::new(Format::Obj);
    let mut scan = Scan::new(bytes, file);
    scan.comment = b'#';
    scan.continued = true;
    vertices(&mut scan, &mut draft)?;
    scan.pos = 0;
    faces(&mut scan, &mut draft)?;
    Ok(draft)
}

/// Skips the rest of a line, continued ones included.
fn end_line(scan: &mut Scan) {
    while scan.word_in_line().is_some() {}
}

fn vertices(scan: &mut Scan, draft: &mut Draft) -> Result<(), ImportError> {
    let points = &mut draft.mesh.points;
    while let Some(word) = scan.word() {
        if word == b"v" {
            let n = points.len() + 1;
            let mut point = [0.0; 3];
            for (x, axis) in point.iter_mut().zip(["x", "y", "z"]) {
                let Some(word) = scan.word_in_line() else {
                    let fault = Fault::Unexpected {
                        expected: format!("{axis} of vertex {n}"),
                        found: "the end of the line".to_string(),
                    };
                    return Err(scan.fail(fault, ""));
                };
                *x = scan.float_of(word, || format!("{axis} of vertex {n}"))?;
            }
            points.push(point);
        }
        end_line(scan);
    }
    if points.len() > u32::MAX as usize {
        let what = "more than 4 billion vertices".to_string();
        return Err(scan.fail(Fault::Unsupported { what }, ""));
    }
    Ok(())
}

fn faces(scan: &mut Scan, draft: &mut Draft) -> Result<(), ImportError> {
    let mut seen = 0;
    let mut count = 0;
    let mut nodes = Vec::new();
    let mut ignored: BTreeMap<String, usize> = BTreeMap::new();
    let mut groups: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
    // Names in force since a cell, for groups and for objects.
    let mut current: [(Vec<String>, u32); 2] = Default::default();
    while let Some(word) = scan.word() {
        let at = scan.pos - word.len();
        match word {
            b"v" => seen += 1,
            b"f" | b"fo" => {
                count += 1;
                nodes.clear();
                while let Some(corner) = scan.word_in_line() {
                    nodes.push(index(scan, corner, seen, count, draft)?);
                }
                vtk_cells::polygon(draft, scan, at, || format!("face {count}"), &nodes)?;
            }
            b"g" | b"o" => {
                let slot = usize::from(word == b"o");
                let here = draft.mesh.len() as u32;
                let mut names = Vec::new();
                while let Some(name) = scan.word_in_line() {
                    names.push(String::from_utf8_lossy(name).into_owned());
                }
                let (old, since) = std::mem::replace(&mut current[slot], (names, here));
                close(&mut groups, old, since, here);
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
            _ => return Err(scan.unexpected(at, "a keyword such as v or f", word)),
        }
        end_line(scan);
    }
    let end = draft.mesh.len() as u32;
    for (names, since) in current {
        close(&mut groups, names, since, end);
    }
    draft
        .groups
        .extend(groups.into_iter().map(|(name, runs)| Group {
            name,
            cells: runs.into_iter().flat_map(|(a, b)| a..b).collect(),
            points: Vec::new(),
        }));
    for (what, n) in ignored {
        draft.note(format!("{n} {what} were ignored"));
    }
    Ok(())
}

fn close(groups: &mut BTreeMap<String, Vec<(u32, u32)>>, names: Vec<String>, since: u32, end: u32) {
    if since < end {
        for name in names {
            groups.entry(name).or_default().push((since, end));
        }
    }
}

/// `v`, `v/vt`, `v//vn` or `v/vt/vn`; negative numbers count back from the last vertex read.
fn index(
    scan: &Scan,
    corner: &[u8],
    seen: usize,
    face: usize,
    draft: &Draft,
) -> Result<u32, ImportError> {
    let at = scan.pos - corner.len();
    let number = corner.split(|&b| b == b'/').next().unwrap_or_default();
    let Some(i) = parse_int(number) else {
        let expected = format!("an integer vertex number in face {face}");
        return Err(scan.unexpected(at, expected, corner));
    };
    let total = draft.mesh.points.len();
    let place = if i < 0 {
        (seen as i64).checked_add(i)
    } else {
        Some(i - 1)
    };
    let place = place
        .and_then(|p| usize::try_from(p).ok())
        .filter(|&p| p < total);
    place.map(|p| p as u32).ok_or_else(|| {
        let fault = Fault::Reference {
            element: format!("face {face}"),
            node: shown(number).trim_matches('"').to_string(),
            known: format!("the {total} vertices are numbered from 1, and back from -1"),
        };
        scan.fail_at(at, fault, "")
    })
}
