//! Geomview's OFF, ascii, with colours and normals (`COFF`, `NOFF`, …) read past.

use super::draft::Draft;
use super::error::{Fault, ImportError};
use super::scan::{Scan, parse_int, shown};
use super::{Format, vtk_cells};

/// Reads an OFF file.
pub(crate) fn read(bytes: &[u8], file: &str) -> Result<Draft, ImportError> {
    let mut draft = Draft::new(Format::Off);
    let mut scan = Scan::new(bytes, file);
    scan.comment = b'#';
    header(&mut scan)?;
    let vertices = scan.count("vertices")?;
    let faces = scan.count("faces")?;
    // The number of edges is optional and means nothing.
    while scan.word_in_line().is_some() {}
    scan.section = "vertices";
    draft.mesh.points.reserve_exact(scan.room(vertices, 6));
    for i in 0..vertices {
        let mut point = [0.0; 3];
        for (x, axis) in point.iter_mut().zip(["x", "y", "z"]) {
            *x = scan.float(|| format!("{axis} of vertex {i} of {vertices}"))?;
        }
        while scan.word_in_line().is_some() {}
        draft.mesh.points.push(point);
    }
    scan.section = "faces";
    draft.reserve(scan.room(faces, 8), 3);
    let mut nodes = Vec::new();
    for i in 0..faces {
        face(&mut scan, i, faces, &mut nodes, &mut draft)?;
    }
    if let Some(extra) = scan.word() {
        let fault = Fault::Count {
            what: "faces".to_string(),
            declared: faces.to_string(),
            found: format!("more: {}", shown(extra)),
        };
        return Err(scan.fail(fault, "The counts and the lists must agree."));
    }
    Ok(draft)
}

fn header(scan: &mut Scan) -> Result<(), ImportError> {
    scan.section = "header";
    let Some(word) = scan.peek() else {
        return Err(scan.truncated("OFF: no header"));
    };
    // The keyword is optional.
    if word[0].is_ascii_digit() && parse_int(word).is_some() {
        return Ok(());
    }
    scan.word();
    let at = scan.pos - word.len();
    match word {
        b"OFF" | b"COFF" | b"NOFF" | b"CNOFF" | b"STOFF" | b"STCOFF" | b"STNOFF" | b"STCNOFF" => {}
        b"4OFF" | b"nOFF" | b"4nOFF" | b"C4OFF" | b"N4OFF" => {
            let what = format!("{}: points of other than 3 dimensions", shown(word));
            return Err(scan.fail_at(at, Fault::Unsupported { what }, ""));
        }
        _ => return Err(scan.unexpected(at, "OFF", word)),
    }
    if scan.peek().is_some_and(|w| w == b"BINARY") {
        let what = "binary OFF".to_string();
        return Err(scan.fail(Fault::Unsupported { what }, "Save as ascii OFF or as PLY."));
    }
    Ok(())
}

fn face(
    scan: &mut Scan,
    i: u64,
    faces: u64,
    nodes: &mut Vec<u32>,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    let at = scan.pos;
    let corners = scan.int(|| format!("face {i} of {faces}"))?;
    if corners < 0 {
        let fault = Fault::Unexpected {
            expected: format!("the number of corners of face {i}"),
            found: corners.to_string(),
        };
        return Err(scan.fail(fault, ""));
    }
    nodes.clear();
    for _ in 0..corners {
        let word = scan
            .word()
            .ok_or_else(|| scan.truncated(format!("a corner of face {i} of {faces}")))?;
        let total = draft.mesh.points.len();
        let node = parse_int(word)
            .and_then(|n| usize::try_from(n).ok())
            .filter(|&n| n < total);
        nodes.push(node.ok_or_else(|| {
            let fault = Fault::Reference {
                element: format!("face {i}"),
                node: shown(word).trim_matches('"').to_string(),
                known: format!("the {total} vertices are numbered from 0"),
            };
            scan.fail_at(scan.pos - word.len(), fault, "")
        })? as u32);
    }
    // Colours.
    while scan.word_in_line().is_some() {}
    vtk_cells::polygon(draft, scan, at, || format!("face {i}"), nodes)
}
