//! Medit's .mesh, ascii (P. Frey, "MEDIT: an interactive mesh visualization software", INRIA RT-0253, and the GMF
//! format of libMeshb). Numbers count from 1; a reference number that is not 0 makes a group.

use mesh::{CELLS, Kind};

use super::Format;
use super::cells::CellType;
use super::draft::Draft;
use super::error::{Fault, ImportError};
use super::scan::{Scan, parse_int, shown};

/// The 27 nodes of Q2 hexahedra come in an order of their own: they are read by their corners.
const HEXAHEDRA_Q2: (&str, CellType) = (
    "HexahedraQ2",
    CellType {
        name: "HexahedraQ2",
        nodes: 27,
        kind: Kind::Hex8,
        order: &[],
    },
);

/// The cells a keyword announces, and the keyword as it is usually spelled. Edge nodes of P2 cells come as in VTK.
fn keyword(word: &[u8]) -> Option<(&'static str, CellType)> {
    let own = CELLS.iter().flat_map(|c| {
        let named = |name: &&'static str| (*name, CellType::plain(c.kind));
        c.medit.iter().map(named)
    });
    own.chain([HEXAHEDRA_Q2])
        .find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes()))
}

/// Reads a Medit file.
pub(crate) fn read(bytes: &[u8], file: &str) -> Result<Draft, ImportError> {
    let mut draft = Draft::new(Format::Medit);
    let mut scan = Scan::new(bytes, file);
    scan.comment = b'#';
    scan.section = "header";
    header(&mut scan)?;
    let mut vertices = None;
    let mut postponed = Vec::new();
    while let Some(word) = scan.word() {
        scan.section = "";
        if word.eq_ignore_ascii_case(b"End") {
            break;
        }
        let cells = keyword(word);
        if word.eq_ignore_ascii_case(b"Dimension") {
            dimension(&mut scan)?;
        } else if word.eq_ignore_ascii_case(b"Vertices") {
            if vertices.is_some() {
                let (what, tag) = ("section", "Vertices".to_string());
                return Err(scan.fail(Fault::Duplicate { what, tag }, ""));
            }
            vertices = Some(points(&mut scan, &mut draft)?);
        } else if let Some((name, kind)) = cells {
            scan.section = name;
            match vertices {
                Some(n) => self::cells(&mut scan, &kind, n, &mut draft)?,
                None => {
                    postponed.push((scan.pos, name, kind));
                    skip(&mut scan);
                }
            }
        } else if word.first().is_some_and(u8::is_ascii_alphabetic) {
            skip(&mut scan);
        } else {
            return Err(scan.unexpected(scan.pos - word.len(), "a keyword such as Vertices", word));
        }
    }
    let Some(n) = vertices else {
        let what = "the Vertices section is".to_string();
        return Err(scan.fail(Fault::Missing { what }, ""));
    };
    for (pos, name, kind) in postponed {
        scan.pos = pos;
        scan.section = name;
        cells(&mut scan, &kind, n, &mut draft)?;
    }
    Ok(draft)
}

fn header(scan: &mut Scan) -> Result<(), ImportError> {
    let start = scan.pos;
    let first = scan.clone().line().unwrap_or_default();
    let Some(word) = scan.word() else {
        return Err(scan.truncated("MeshVersionFormatted: no header"));
    };
    if !word.eq_ignore_ascii_case(b"MeshVersionFormatted") {
        let mut e = scan.unexpected(start, "MeshVersionFormatted", first);
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
    scan.int(|| "the version".to_string())?;
    Ok(())
}

fn dimension(scan: &mut Scan) -> Result<(), ImportError> {
    let n = scan.int(|| "the dimension".to_string())?;
    if n == 3 {
        return Ok(());
    }
    let what = format!("Dimension {n}");
    let hint = "Only meshes in three dimensions are read.";
    Err(scan.fail(Fault::Unsupported { what }, hint))
}

/// Skips the numbers of a section we have no use for.
fn skip(scan: &mut Scan) {
    while scan.peek().is_some_and(|w| !w[0].is_ascii_alphabetic()) {
        scan.word();
    }
}

fn too_few(scan: &Scan, what: &str, declared: u64, found: u64) -> ImportError {
    let fault = Fault::Count {
        what: what.to_string(),
        declared: declared.to_string(),
        found: found.to_string(),
    };
    scan.fail(fault, "The count and the list must agree.")
}

fn points(scan: &mut Scan, draft: &mut Draft) -> Result<usize, ImportError> {
    scan.section = "Vertices";
    let declared = scan.count("vertices")?;
    draft.mesh.points.reserve_exact(scan.room(declared, 8));
    for i in 1..=declared {
        let mut point = [0.0; 3];
        for (k, x) in point.iter_mut().enumerate() {
            let word = scan
                .word()
                .ok_or_else(|| scan.truncated(format!("vertex {i} of {declared}")))?;
            if k == 0 && is_keyword(word) {
                return Err(too_few(scan, "vertices", declared, i - 1));
            }
            *x = scan.float_of(word, || format!("{} of vertex {i}", ["x", "y", "z"][k]))?;
        }
        scan.int(|| format!("the reference of vertex {i} of {declared}"))?;
        draft.mesh.points.push(point);
    }
    Ok(declared as usize)
}

/// "nan" and "inf" are bad numbers rather than keywords.
fn is_keyword(word: &[u8]) -> bool {
    word[0].is_ascii_uppercase() && word.len() > 3 && word.iter().all(u8::is_ascii_alphanumeric)
}

fn cells(
    scan: &mut Scan,
    kind: &CellType,
    vertices: usize,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    let declared = scan.count("cells")?;
    let section = scan.section;
    draft.reserve(scan.room(declared, 2 * kind.nodes), kind.kind.node_count());
    let mut nodes = Vec::with_capacity(kind.nodes);
    for i in 1..=declared {
        let at = scan.pos;
        nodes.clear();
        for k in 0..kind.nodes {
            let word = scan
                .word()
                .ok_or_else(|| scan.truncated(format!("cell {i} of {declared}")))?;
            if k == 0 && is_keyword(word) {
                return Err(too_few(scan, section, declared, i - 1));
            }
            let node = parse_int(word)
                .and_then(|n| usize::try_from(n).ok())
                .filter(|n| (1..=vertices).contains(n));
            let Some(node) = node else {
                let fault = Fault::Reference {
                    element: format!("number {i} of {section}"),
                    node: shown(word).trim_matches('"').to_string(),
                    known: format!("the {vertices} vertices are numbered from 1"),
                };
                return Err(scan.fail_at(scan.pos - word.len(), fault, ""));
            };
            nodes.push(node as u32 - 1);
        }
        let reference = scan.int(|| format!("the reference of number {i} of {section}"))?;
        let label = || format!("number {i} of {section}");
        if draft.push(scan, at, label, kind, &nodes)? && reference != 0 {
            draft.tag_last(reference);
        }
    }
    Ok(())
}
