//! Reader of Geomview OFF text files; colours and normals (`COFF`, `NOFF`, …) are skipped.

use super::error::{Fault, ImportError};
use super::lexer::{Lexer, parse_int, quoted};
use super::mesh_builder::MeshBuilder;
use super::{Format, vtk_cells};

/// Reads an OFF file.
pub(crate) fn read(bytes: &[u8], file: &str) -> Result<MeshBuilder, ImportError> {
    let mut builder = MeshBuilder::new(Format::Off);
    let mut lexer = Lexer::new(bytes, file);
    lexer.comment = b'#';
    header(&mut lexer)?;
    let vertices = lexer.count("vertices")?;
    let faces = lexer.count("faces")?;
    // The number of edges is optional and not used.
    while lexer.word_in_line().is_some() {}
    lexer.section = "vertices";
    builder
        .mesh
        .points
        .reserve_exact(lexer.capacity(vertices, 6));
    for i in 0..vertices {
        let mut point = [0.0; 3];
        for (x, axis) in point.iter_mut().zip(["x", "y", "z"]) {
            *x = lexer.float(|| format!("{axis} of vertex {i} of {vertices}"))?;
        }
        while lexer.word_in_line().is_some() {}
        builder.mesh.points.push(point);
    }
    lexer.section = "faces";
    builder.reserve(lexer.capacity(faces, 8), 3);
    let mut nodes = Vec::new();
    for i in 0..faces {
        face(&mut lexer, i, faces, &mut nodes, &mut builder)?;
    }
    if let Some(extra) = lexer.word() {
        let fault = Fault::Count {
            what: "faces".to_string(),
            declared: faces.to_string(),
            found: format!("more: {}", quoted(extra)),
        };
        return Err(lexer.error(fault, "The counts and the lists must agree."));
    }
    Ok(builder)
}

fn header(lexer: &mut Lexer) -> Result<(), ImportError> {
    lexer.section = "header";
    let Some(word) = lexer.peek() else {
        return Err(lexer.truncated("OFF: no header"));
    };
    // The keyword is optional.
    if word[0].is_ascii_digit() && parse_int(word).is_some() {
        return Ok(());
    }
    lexer.word();
    let at = lexer.pos - word.len();
    match word {
        b"OFF" | b"COFF" | b"NOFF" | b"CNOFF" | b"STOFF" | b"STCOFF" | b"STNOFF" | b"STCNOFF" => {}
        b"4OFF" | b"nOFF" | b"4nOFF" | b"C4OFF" | b"N4OFF" => {
            let what = format!("{}: points of other than 3 dimensions", quoted(word));
            return Err(lexer.error_at(at, Fault::Unsupported { what }, ""));
        }
        _ => return Err(lexer.unexpected(at, "OFF", word)),
    }
    if lexer.peek().is_some_and(|w| w == b"BINARY") {
        let what = "binary OFF".to_string();
        return Err(lexer.error(Fault::Unsupported { what }, "Save as ascii OFF or as PLY."));
    }
    Ok(())
}

fn face(
    lexer: &mut Lexer,
    i: u64,
    faces: u64,
    nodes: &mut Vec<u32>,
    builder: &mut MeshBuilder,
) -> Result<(), ImportError> {
    let at = lexer.pos;
    let corners = lexer.int(|| format!("face {i} of {faces}"))?;
    if corners < 0 {
        let fault = Fault::Unexpected {
            expected: format!("the number of corners of face {i}"),
            found: corners.to_string(),
        };
        return Err(lexer.error(fault, ""));
    }
    nodes.clear();
    for _ in 0..corners {
        let word = lexer
            .word()
            .ok_or_else(|| lexer.truncated(format!("a corner of face {i} of {faces}")))?;
        let total = builder.mesh.points.len();
        let node = parse_int(word)
            .and_then(|n| usize::try_from(n).ok())
            .filter(|&n| n < total);
        nodes.push(node.ok_or_else(|| {
            let fault = Fault::Reference {
                element: format!("face {i}"),
                node: quoted(word).trim_matches('"').to_string(),
                known: format!("the {total} vertices are numbered from 0"),
            };
            lexer.error_at(lexer.pos - word.len(), fault, "")
        })? as u32);
    }
    // Skip colours.
    while lexer.word_in_line().is_some() {}
    vtk_cells::polygon(builder, lexer, at, || format!("face {i}"), nodes)
}
