//! The frame of Gmsh's .msh files, all versions: `$Section … $EndSection`, read in whatever order they come.

use super::draft::Draft;
use super::error::{Fault, ImportError};
use super::scan::{Content, Endian, Scan, find, i32_at, parse_float, shown};
use super::tags::Tags;
use super::{Format, gmsh2, gmsh4};

/// What `$MeshFormat` says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub version: f64,
    /// Byte order of binary files.
    pub endian: Option<Endian>,
    /// Bytes of a size in binary files.
    pub size: usize,
}

const VERSIONS: &str =
    "Versions 1.0, 2.0 to 2.2 and 4.1 are read: export from Gmsh with -format msh41 or msh22.";

/// Reads any .msh file.
pub(crate) fn read(bytes: &[u8], file: &str) -> Result<Draft, ImportError> {
    let mut draft = Draft::new(Format::Msh41);
    let mut scan = Scan::new(bytes, file);
    let head = header(&mut scan)?;
    draft.format = if head.version < 4.0 {
        Format::Msh22
    } else {
        Format::Msh41
    };
    let mut state = State::default();
    while let Some(section) = next_section(&mut scan, &state, &mut draft)? {
        read_section(&mut scan, section, &head, &mut state, &mut draft)?;
    }
    if let Some(pos) = state.postponed {
        let Some(tags) = state.tags.take() else {
            return Err(missing(&scan, "the $Nodes section is"));
        };
        draft.note("the elements stand before the nodes");
        scan.pos = pos;
        scan.section = "$Elements";
        elements(&mut scan, &head, &tags, &state, &mut draft)?;
        state.tags = Some(tags);
        state.elements = true;
    }
    if state.tags.is_none() {
        return Err(missing(&scan, "the $Nodes section is"));
    }
    if !state.elements {
        return Err(missing(&scan, "the $Elements section is"));
    }
    Ok(draft)
}

/// What has been read so far.
#[derive(Default)]
struct State {
    tags: Option<Tags>,
    entities: gmsh4::Entities,
    elements: bool,
    postponed: Option<usize>,
}

fn missing(scan: &Scan, what: &str) -> ImportError {
    let what = what.to_string();
    let mut scan = scan.clone();
    scan.section = "";
    scan.fail_at(scan.bytes.len(), Fault::Missing { what }, "")
}

fn header(scan: &mut Scan) -> Result<Header, ImportError> {
    while scan.peek() == Some(b"$Comments") {
        let end = b"$EndComments";
        let after = find(scan.bytes, end, scan.pos).map(|at| at + end.len());
        scan.pos = after.ok_or_else(|| scan.truncated("$EndComments"))?;
    }
    match scan.peek() {
        Some(b"$NOD") => {
            return Ok(Header {
                version: 1.0,
                endian: None,
                size: 8,
            });
        }
        Some(b"$MeshFormat") => {
            scan.word();
        }
        Some(word) => {
            return Err(scan.unexpected(scan.pos, "$MeshFormat on the first line", word));
        }
        None => return Err(scan.truncated("$MeshFormat: no header")),
    }
    scan.section = "$MeshFormat";
    let word = scan.need("a version")?;
    let version = parse_float(word).filter(|v| v.is_finite());
    let version = version.ok_or_else(|| scan.unexpected(scan.pos, "a version", word))?;
    if !((2.0..2.3).contains(&version) || version == 4.1) {
        let what = format!("MSH version {}", shown(word).trim_matches('"'));
        return Err(scan.fail(Fault::Unsupported { what }, VERSIONS));
    }
    let mode = scan.int(|| "the file type (0 ascii, 1 binary)".to_string())?;
    let size = scan.int(|| "the data size".to_string())?;
    let endian = match mode {
        0 => None,
        1 => Some(probe(scan)?),
        _ => {
            let what = format!("file type {mode}");
            return Err(scan.fail(
                Fault::Unsupported { what },
                "It is 0 (ascii) or 1 (binary).",
            ));
        }
    };
    if endian.is_some() && size != 8 && !(version >= 4.0 && size == 4) {
        let what = format!("data size {size}");
        return Err(scan.fail(Fault::Unsupported { what }, "Doubles have 8 bytes."));
    }
    let word = scan.need("$EndMeshFormat")?;
    if word != b"$EndMeshFormat" {
        let mut e = scan.unexpected(scan.pos - word.len(), "$EndMeshFormat", word);
        let binary = endian.is_none() && word.iter().any(|b| *b < 9);
        e.hint = if binary {
            "The header says ascii, but the content is binary: the file type should be 1."
                .to_string()
        } else {
            "Malformed section: every $Section ends with $EndSection.".to_string()
        };
        return Err(e);
    }
    let size = size as usize;
    Ok(Header {
        version,
        endian,
        size,
    })
}

/// The integer 1 in the byte order of the file.
fn probe(scan: &mut Scan) -> Result<Endian, ImportError> {
    gmsh2::end_line(scan)?;
    scan.content = Content::Binary;
    let at = scan.pos;
    let one = scan.take(4, "the byte order mark")?;
    match (i32_at(one, 0, Endian::Little), i32_at(one, 0, Endian::Big)) {
        (1, _) => Ok(Endian::Little),
        (_, 1) => Ok(Endian::Big),
        (n, _) => {
            let fault = Fault::Unexpected {
                expected: "the endianness marker 1".to_string(),
                found: n.to_string(),
            };
            Err(scan.fail_at(at, fault, "Bad endianness marker: the file is damaged."))
        }
    }
}

/// The name of the next section; `None` at the end. What follows the last section is not the mesh's.
fn next_section<'a>(
    scan: &mut Scan<'a>,
    state: &State,
    draft: &mut Draft,
) -> Result<Option<&'a [u8]>, ImportError> {
    let Some(word) = scan.word() else {
        return Ok(None);
    };
    let at = scan.pos - word.len();
    if word.starts_with(b"$") && word.len() > 1 && !word.starts_with(b"$End") {
        return Ok(Some(word));
    }
    if state.elements && state.tags.is_some() {
        draft.note(format!(
            "{} bytes after the last section were ignored",
            scan.bytes.len() - at
        ));
        scan.pos = scan.bytes.len();
        return Ok(None);
    }
    scan.section = "";
    let mut e = scan.unexpected(at, "a section such as $Nodes", word);
    e.hint = "No $Nodes section begins here.".to_string();
    Err(e)
}

fn read_section(
    scan: &mut Scan,
    section: &[u8],
    head: &Header,
    state: &mut State,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    scan.content = match head.endian {
        None => Content::Text,
        Some(_) => Content::Binary,
    };
    match section {
        b"$Nodes" | b"$NOD" => {
            scan.section = "$Nodes";
            if state.tags.is_some() {
                return Err(twice(scan, "$Nodes"));
            }
            state.tags = Some(if head.version < 4.0 {
                gmsh2::nodes(scan, head, draft)?
            } else {
                gmsh4::nodes(scan, head, draft)?
            });
        }
        b"$Elements" | b"$ELM" => {
            scan.section = "$Elements";
            if state.elements || state.postponed.is_some() {
                return Err(twice(scan, "$Elements"));
            }
            match &state.tags {
                Some(tags) => {
                    elements(scan, head, tags, state, draft)?;
                    state.elements = true;
                }
                None => {
                    state.postponed = Some(scan.pos);
                    skip(scan, section, draft)?;
                }
            }
        }
        b"$PhysicalNames" => {
            scan.section = "$PhysicalNames";
            physical_names(scan, draft)?;
        }
        b"$Entities" if head.version >= 4.0 => {
            scan.section = "$Entities";
            state.entities = gmsh4::entities(scan, head)?;
            expect_end(scan, "$EndEntities", "entities", 0, draft)?;
        }
        _ => skip(scan, section, draft)?,
    }
    scan.section = "";
    Ok(())
}

fn twice(scan: &Scan, section: &str) -> ImportError {
    let (what, tag) = ("section", section.to_string());
    scan.fail(Fault::Duplicate { what, tag }, "")
}

fn elements(
    scan: &mut Scan,
    head: &Header,
    tags: &Tags,
    state: &State,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    if head.version < 4.0 {
        gmsh2::elements(scan, head, tags, draft)
    } else {
        gmsh4::elements(scan, head, tags, &state.entities, draft)
    }
}

/// Skips a section we have no use for.
fn skip(scan: &mut Scan, section: &[u8], draft: &mut Draft) -> Result<(), ImportError> {
    let mut end = if section == b"$ELM" {
        b"$END".to_vec()
    } else {
        b"$End".to_vec()
    };
    end.extend_from_slice(&section[1..]);
    match find(scan.bytes, &end, scan.pos) {
        Some(at) => scan.pos = at + end.len(),
        None => {
            let name = shown(section);
            draft.warn(format!("the section {name} is never closed"));
            scan.pos = scan.bytes.len();
        }
    }
    Ok(())
}

fn physical_names(scan: &mut Scan, draft: &mut Draft) -> Result<(), ImportError> {
    let declared = scan.count("physical names")?;
    for n in 0..declared {
        if scan.peek().is_some_and(|w| w.starts_with(b"$")) {
            return Err(gmsh2::too_few(scan, "physical names", declared, n));
        }
        let dimension = scan.int(|| "the dimension of a physical name".to_string())?;
        let tag = scan.int(|| "the tag of a physical name".to_string())?;
        let line = scan
            .line()
            .ok_or_else(|| scan.truncated("a physical name"))?;
        let name = line.strip_prefix(b"\"").unwrap_or(line);
        let name = name.strip_suffix(b"\"").unwrap_or(name);
        let name = String::from_utf8_lossy(name).into_owned();
        if let (Ok(dimension @ 0..=3), false) = (usize::try_from(dimension), name.is_empty()) {
            draft.names.insert((dimension, tag), name);
        }
    }
    expect_end(scan, "$EndPhysicalNames", "physical names", declared, draft)
}

/// The closing word; a file that stops right before it is complete all the same.
pub(crate) fn expect_end(
    scan: &mut Scan,
    end: &str,
    what: &str,
    declared: u64,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    match scan.word() {
        Some(word) if word == end.as_bytes() => Ok(()),
        Some(word) => {
            let at = scan.pos - word.len();
            let fault = Fault::Count {
                what: what.to_string(),
                declared: declared.to_string(),
                found: format!("more: {} stands where {end} should", shown(word)),
            };
            Err(scan.fail_at(at, fault, "The count and the list must agree."))
        }
        None => {
            draft.warn(format!("the file ends without {end}: was it cut?"));
            Ok(())
        }
    }
}

/// An element of a type nobody defined.
pub(crate) fn unknown_type(scan: &Scan, id: i64, type_id: i64) -> ImportError {
    let what = format!("unknown element type {type_id} (element {id})");
    let hint = "Points, lines, triangles, quadrangles, tetrahedra, hexahedra, prisms and pyramids are read.";
    scan.fail(Fault::Unsupported { what }, hint)
}

/// An element with a node that is not there.
pub(crate) fn unknown_node(
    scan: &Scan,
    at: usize,
    id: i64,
    node: String,
    tags: &Tags,
) -> ImportError {
    let fault = Fault::Reference {
        element: format!("element {id}"),
        node,
        known: tags.known(),
    };
    scan.fail_at(at, fault, "")
}
