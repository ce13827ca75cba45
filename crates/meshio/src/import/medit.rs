//! Reader of Medit .mesh text files (P. Frey, "MEDIT: an interactive mesh visualization software", INRIA RT-0253, and the
//! GMF format of libMeshb). Vertices are numbered from 1; cells of a nonzero reference number form a group.

use mesh::{CELL_KINDS, CellKind};

use super::Format;
use super::cells::CellType;
use super::error::{Fault, ImportError};
use super::lexer::{Lexer, parse_int, quoted};
use super::mesh_builder::MeshBuilder;

/// Q2 hexahedra have their own order of 27 nodes and are read by their corners.
const HEXAHEDRA_Q2: (&str, CellType) = (
    "HexahedraQ2",
    CellType {
        name: "HexahedraQ2",
        nodes: 27,
        kind: CellKind::Hex8,
        order: &[],
    },
);

/// Cell type of a keyword, with the usual spelling of the keyword. Edge nodes of P2 cells are in VTK's order.
fn keyword(word: &[u8]) -> Option<(&'static str, CellType)> {
    let own = CELL_KINDS.iter().flat_map(|c| {
        let named = |name: &&'static str| (*name, CellType::of_kind(c.kind));
        c.medit.iter().map(named)
    });
    own.chain([HEXAHEDRA_Q2])
        .find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes()))
}

/// Reads a Medit file.
pub(crate) fn read(bytes: &[u8], file: &str) -> Result<MeshBuilder, ImportError> {
    let mut builder = MeshBuilder::new(Format::Medit);
    let mut lexer = Lexer::new(bytes, file);
    lexer.comment = b'#';
    lexer.section = "header";
    header(&mut lexer)?;
    let mut vertices = None;
    let mut postponed = Vec::new();
    while let Some(word) = lexer.word() {
        lexer.section = "";
        if word.eq_ignore_ascii_case(b"End") {
            break;
        }
        let cells = keyword(word);
        if word.eq_ignore_ascii_case(b"Dimension") {
            dimension(&mut lexer)?;
        } else if word.eq_ignore_ascii_case(b"Vertices") {
            if vertices.is_some() {
                let (what, tag) = ("section", "Vertices".to_string());
                return Err(lexer.error(Fault::Duplicate { what, tag }, ""));
            }
            vertices = Some(points(&mut lexer, &mut builder)?);
        } else if let Some((name, kind)) = cells {
            lexer.section = name;
            match vertices {
                Some(n) => self::cells(&mut lexer, &kind, n, &mut builder)?,
                None => {
                    postponed.push((lexer.pos, name, kind));
                    skip(&mut lexer);
                }
            }
        } else if word.first().is_some_and(u8::is_ascii_alphabetic) {
            skip(&mut lexer);
        } else {
            return Err(lexer.unexpected(
                lexer.pos - word.len(),
                "a keyword such as Vertices",
                word,
            ));
        }
    }
    let Some(n) = vertices else {
        let what = "the Vertices section is".to_string();
        return Err(lexer.error(Fault::Missing { what }, ""));
    };
    for (pos, name, kind) in postponed {
        lexer.pos = pos;
        lexer.section = name;
        cells(&mut lexer, &kind, n, &mut builder)?;
    }
    Ok(builder)
}

fn header(lexer: &mut Lexer) -> Result<(), ImportError> {
    let start = lexer.pos;
    let first = lexer.clone().line().unwrap_or_default();
    let Some(word) = lexer.word() else {
        return Err(lexer.truncated("MeshVersionFormatted: no header"));
    };
    if !word.eq_ignore_ascii_case(b"MeshVersionFormatted") {
        let mut e = lexer.unexpected(start, "MeshVersionFormatted", first);
        e.hint = if first.starts_with(b"MFEM") {
            "Not a Medit file: it starts with \"MFEM mesh\"; convert it with MFEM or Gmsh."
                .to_string()
        } else if word.first().is_some_and(|&b| b < 32) {
            "Binary Medit (.meshb) is not read: save as ascii .mesh.".to_string()
        } else {
            "Not a Medit file.".to_string()
        };
        return Err(e);
    }
    lexer.int(|| "the version".to_string())?;
    Ok(())
}

fn dimension(lexer: &mut Lexer) -> Result<(), ImportError> {
    let n = lexer.int(|| "the dimension".to_string())?;
    if n == 3 {
        return Ok(());
    }
    let what = format!("Dimension {n}");
    let hint = "Only meshes in three dimensions are read.";
    Err(lexer.error(Fault::Unsupported { what }, hint))
}

/// Skips the numbers of a section that is not used.
fn skip(lexer: &mut Lexer) {
    while lexer.peek().is_some_and(|w| !w[0].is_ascii_alphabetic()) {
        lexer.word();
    }
}

fn wrong_count(lexer: &Lexer, what: &str, declared: u64, found: u64) -> ImportError {
    let fault = Fault::Count {
        what: what.to_string(),
        declared: declared.to_string(),
        found: found.to_string(),
    };
    lexer.error(fault, "The count and the list must agree.")
}

fn points(lexer: &mut Lexer, builder: &mut MeshBuilder) -> Result<usize, ImportError> {
    lexer.section = "Vertices";
    let declared = lexer.count("vertices")?;
    builder
        .mesh
        .points
        .reserve_exact(lexer.capacity(declared, 8));
    for i in 1..=declared {
        let mut point = [0.0; 3];
        for (k, x) in point.iter_mut().enumerate() {
            let word = lexer
                .word()
                .ok_or_else(|| lexer.truncated(format!("vertex {i} of {declared}")))?;
            if k == 0 && is_keyword(word) {
                return Err(wrong_count(lexer, "vertices", declared, i - 1));
            }
            *x = lexer.float_of(word, || format!("{} of vertex {i}", ["x", "y", "z"][k]))?;
        }
        lexer.int(|| format!("the reference of vertex {i} of {declared}"))?;
        builder.mesh.points.push(point);
    }
    Ok(declared as usize)
}

/// Whether a word looks like a keyword; "nan" and "inf" are numbers.
fn is_keyword(word: &[u8]) -> bool {
    word[0].is_ascii_uppercase() && word.len() > 3 && word.iter().all(u8::is_ascii_alphanumeric)
}

fn cells(
    lexer: &mut Lexer,
    kind: &CellType,
    vertices: usize,
    builder: &mut MeshBuilder,
) -> Result<(), ImportError> {
    let declared = lexer.count("cells")?;
    let section = lexer.section;
    builder.reserve(
        lexer.capacity(declared, 2 * kind.nodes),
        kind.kind.node_count(),
    );
    let mut nodes = Vec::with_capacity(kind.nodes);
    for i in 1..=declared {
        let at = lexer.pos;
        nodes.clear();
        for k in 0..kind.nodes {
            let word = lexer
                .word()
                .ok_or_else(|| lexer.truncated(format!("cell {i} of {declared}")))?;
            if k == 0 && is_keyword(word) {
                return Err(wrong_count(lexer, section, declared, i - 1));
            }
            let node = parse_int(word)
                .and_then(|n| usize::try_from(n).ok())
                .filter(|n| (1..=vertices).contains(n));
            let Some(node) = node else {
                let fault = Fault::Reference {
                    element: format!("number {i} of {section}"),
                    node: quoted(word).trim_matches('"').to_string(),
                    known: format!("the {vertices} vertices are numbered from 1"),
                };
                return Err(lexer.error_at(lexer.pos - word.len(), fault, ""));
            };
            nodes.push(node as u32 - 1);
        }
        let reference = lexer.int(|| format!("the reference of number {i} of {section}"))?;
        let label = || format!("number {i} of {section}");
        if builder.push(lexer, at, label, kind, &nodes)? && reference != 0 {
            builder.tag_last(reference);
        }
    }
    Ok(())
}
