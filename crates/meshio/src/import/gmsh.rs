//! Reader of Gmsh .msh files of all versions: header and sections `$Section … $EndSection`, in any order.

use super::error::{Fault, ImportError};
use super::lexer::{Content, Endian, Lexer, find, i32_at, parse_float, quoted};
use super::mesh_builder::MeshBuilder;
use super::tag_map::TagMap;
use super::{Format, gmsh2, gmsh4};

/// Content of `$MeshFormat`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub version: f64,
    /// Byte order of binary files; `None` for text.
    pub endian: Option<Endian>,
    /// Size of a `size_t` in binary files, bytes.
    pub size: usize,
}

const VERSIONS: &str =
    "Versions 1.0, 2.0 to 2.2 and 4.1 are read: export from Gmsh with -format msh41 or msh22.";

/// Reads any .msh file.
pub(crate) fn read(bytes: &[u8], file: &str) -> Result<MeshBuilder, ImportError> {
    let mut builder = MeshBuilder::new(Format::Msh41);
    let mut lexer = Lexer::new(bytes, file);
    let head = header(&mut lexer)?;
    builder.format = if head.version < 4.0 {
        Format::Msh22
    } else {
        Format::Msh41
    };
    let mut state = State::default();
    while let Some(section) = next_section(&mut lexer, &state, &mut builder)? {
        read_section(&mut lexer, section, &head, &mut state, &mut builder)?;
    }
    if let Some(pos) = state.postponed {
        let Some(tags) = state.tags.take() else {
            return Err(missing(&lexer, "the $Nodes section is"));
        };
        builder.note("the elements come before the nodes");
        lexer.pos = pos;
        lexer.section = "$Elements";
        elements(&mut lexer, &head, &tags, &state, &mut builder)?;
        state.tags = Some(tags);
        state.elements = true;
    }
    if state.tags.is_none() {
        return Err(missing(&lexer, "the $Nodes section is"));
    }
    if !state.elements {
        return Err(missing(&lexer, "the $Elements section is"));
    }
    Ok(builder)
}

/// Progress of reading the sections.
#[derive(Default)]
struct State {
    /// Node tags, once `$Nodes` is read.
    tags: Option<TagMap>,
    entities: gmsh4::Entities,
    /// Whether `$Elements` is read.
    elements: bool,
    /// Position of `$Elements` if it comes before `$Nodes`.
    postponed: Option<usize>,
}

fn missing(lexer: &Lexer, what: &str) -> ImportError {
    let what = what.to_string();
    let mut lexer = lexer.clone();
    lexer.section = "";
    lexer.error_at(lexer.bytes.len(), Fault::Missing { what }, "")
}

fn header(lexer: &mut Lexer) -> Result<Header, ImportError> {
    while lexer.peek() == Some(b"$Comments") {
        let end = b"$EndComments";
        let after = find(lexer.bytes, end, lexer.pos).map(|at| at + end.len());
        lexer.pos = after.ok_or_else(|| lexer.truncated("$EndComments"))?;
    }
    match lexer.peek() {
        Some(b"$NOD") => {
            return Ok(Header {
                version: 1.0,
                endian: None,
                size: 8,
            });
        }
        Some(b"$MeshFormat") => {
            lexer.word();
        }
        Some(word) => {
            return Err(lexer.unexpected(lexer.pos, "$MeshFormat on the first line", word));
        }
        None => return Err(lexer.truncated("$MeshFormat: no header")),
    }
    lexer.section = "$MeshFormat";
    let word = lexer.required_word("a version")?;
    let version = parse_float(word).filter(|v| v.is_finite());
    let version = version.ok_or_else(|| lexer.unexpected(lexer.pos, "a version", word))?;
    if !((2.0..2.3).contains(&version) || version == 4.1) {
        let what = format!("MSH version {}", quoted(word).trim_matches('"'));
        return Err(lexer.error(Fault::Unsupported { what }, VERSIONS));
    }
    let mode = lexer.int(|| "the file type (0 ascii, 1 binary)".to_string())?;
    let size = lexer.int(|| "the data size".to_string())?;
    let endian = match mode {
        0 => None,
        1 => Some(byte_order(lexer)?),
        _ => {
            let what = format!("file type {mode}");
            return Err(lexer.error(
                Fault::Unsupported { what },
                "It is 0 (ascii) or 1 (binary).",
            ));
        }
    };
    if endian.is_some() && size != 8 && !(version >= 4.0 && size == 4) {
        let what = format!("data size {size}");
        return Err(lexer.error(Fault::Unsupported { what }, "Doubles have 8 bytes."));
    }
    let word = lexer.required_word("$EndMeshFormat")?;
    if word != b"$EndMeshFormat" {
        let mut e = lexer.unexpected(lexer.pos - word.len(), "$EndMeshFormat", word);
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

/// Reads the byte order mark: the integer 1 in the byte order of the file.
fn byte_order(lexer: &mut Lexer) -> Result<Endian, ImportError> {
    gmsh2::end_line(lexer)?;
    lexer.content = Content::Binary;
    let at = lexer.pos;
    let one = lexer.take(4, "the byte order mark")?;
    match (i32_at(one, 0, Endian::Little), i32_at(one, 0, Endian::Big)) {
        (1, _) => Ok(Endian::Little),
        (_, 1) => Ok(Endian::Big),
        (n, _) => {
            let fault = Fault::Unexpected {
                expected: "the endianness marker 1".to_string(),
                found: n.to_string(),
            };
            Err(lexer.error_at(at, fault, "Bad endianness marker: the file is damaged."))
        }
    }
}

/// Reads the name of the next section. Returns `None` at the end, or after a note if other bytes follow the last
/// section.
fn next_section<'a>(
    lexer: &mut Lexer<'a>,
    state: &State,
    builder: &mut MeshBuilder,
) -> Result<Option<&'a [u8]>, ImportError> {
    let Some(word) = lexer.word() else {
        return Ok(None);
    };
    let at = lexer.pos - word.len();
    if word.starts_with(b"$") && word.len() > 1 && !word.starts_with(b"$End") {
        return Ok(Some(word));
    }
    if state.elements && state.tags.is_some() {
        builder.note(format!(
            "the bytes after the last section ({}) were ignored",
            lexer.bytes.len() - at
        ));
        lexer.pos = lexer.bytes.len();
        return Ok(None);
    }
    lexer.section = "";
    let mut e = lexer.unexpected(at, "a section such as $Nodes", word);
    e.hint = "No $Nodes section begins here.".to_string();
    Err(e)
}

fn read_section(
    lexer: &mut Lexer,
    section: &[u8],
    head: &Header,
    state: &mut State,
    builder: &mut MeshBuilder,
) -> Result<(), ImportError> {
    lexer.content = match head.endian {
        None => Content::Text,
        Some(_) => Content::Binary,
    };
    match section {
        b"$Nodes" | b"$NOD" => {
            lexer.section = "$Nodes";
            if state.tags.is_some() {
                return Err(duplicate_section(lexer, "$Nodes"));
            }
            state.tags = Some(if head.version < 4.0 {
                gmsh2::nodes(lexer, head, builder)?
            } else {
                gmsh4::nodes(lexer, head, builder)?
            });
        }
        b"$Elements" | b"$ELM" => {
            lexer.section = "$Elements";
            if state.elements || state.postponed.is_some() {
                return Err(duplicate_section(lexer, "$Elements"));
            }
            match &state.tags {
                Some(tags) => {
                    elements(lexer, head, tags, state, builder)?;
                    state.elements = true;
                }
                None => {
                    state.postponed = Some(lexer.pos);
                    skip(lexer, section, builder)?;
                }
            }
        }
        b"$PhysicalNames" => {
            lexer.section = "$PhysicalNames";
            physical_names(lexer, builder)?;
        }
        b"$Entities" if head.version >= 4.0 => {
            lexer.section = "$Entities";
            state.entities = gmsh4::entities(lexer, head)?;
            expect_end(lexer, "$EndEntities", "entities", 0, builder)?;
        }
        _ => skip(lexer, section, builder)?,
    }
    lexer.section = "";
    Ok(())
}

fn duplicate_section(lexer: &Lexer, section: &str) -> ImportError {
    let (what, tag) = ("section", section.to_string());
    lexer.error(Fault::Duplicate { what, tag }, "")
}

fn elements(
    lexer: &mut Lexer,
    head: &Header,
    tags: &TagMap,
    state: &State,
    builder: &mut MeshBuilder,
) -> Result<(), ImportError> {
    if head.version < 4.0 {
        gmsh2::elements(lexer, head, tags, builder)
    } else {
        gmsh4::elements(lexer, head, tags, &state.entities, builder)
    }
}

/// Skips a section that is not used.
fn skip(lexer: &mut Lexer, section: &[u8], builder: &mut MeshBuilder) -> Result<(), ImportError> {
    let mut end = if section == b"$ELM" {
        b"$END".to_vec()
    } else {
        b"$End".to_vec()
    };
    end.extend_from_slice(&section[1..]);
    match find(lexer.bytes, &end, lexer.pos) {
        Some(at) => lexer.pos = at + end.len(),
        None => {
            let name = quoted(section);
            builder.warn(format!("the section {name} is never closed"));
            lexer.pos = lexer.bytes.len();
        }
    }
    Ok(())
}

fn physical_names(lexer: &mut Lexer, builder: &mut MeshBuilder) -> Result<(), ImportError> {
    let declared = lexer.count("physical names")?;
    for n in 0..declared {
        if lexer.peek().is_some_and(|w| w.starts_with(b"$")) {
            return Err(gmsh2::wrong_count(lexer, "physical names", declared, n));
        }
        let dimension = lexer.int(|| "the dimension of a physical name".to_string())?;
        let tag = lexer.int(|| "the tag of a physical name".to_string())?;
        let line = lexer
            .line()
            .ok_or_else(|| lexer.truncated("a physical name"))?;
        let name = line.strip_prefix(b"\"").unwrap_or(line);
        let name = name.strip_suffix(b"\"").unwrap_or(name);
        let name = String::from_utf8_lossy(name).into_owned();
        if let (Ok(dimension @ 0..=3), false) = (usize::try_from(dimension), name.is_empty()) {
            builder.names.insert((dimension, tag), name);
        }
    }
    expect_end(
        lexer,
        "$EndPhysicalNames",
        "physical names",
        declared,
        builder,
    )
}

/// Reads the end marker of a section; a file that ends just before it is accepted with a warning.
pub(crate) fn expect_end(
    lexer: &mut Lexer,
    end: &str,
    what: &str,
    declared: u64,
    builder: &mut MeshBuilder,
) -> Result<(), ImportError> {
    match lexer.word() {
        Some(word) if word == end.as_bytes() => Ok(()),
        Some(word) => {
            let at = lexer.pos - word.len();
            let fault = Fault::Count {
                what: what.to_string(),
                declared: declared.to_string(),
                found: format!("more: {} instead of {end}", quoted(word)),
            };
            Err(lexer.error_at(at, fault, "The count and the list must agree."))
        }
        None => {
            builder.warn(format!("the file ends without {end}: it may be truncated"));
            Ok(())
        }
    }
}

/// Error for an unknown element type.
pub(crate) fn unknown_type(lexer: &Lexer, id: i64, type_id: i64) -> ImportError {
    let what = format!("unknown element type {type_id} (element {id})");
    let hint = "Points, lines, triangles, quadrangles, tetrahedra, hexahedra, prisms and pyramids are read.";
    lexer.error(Fault::Unsupported { what }, hint)
}

/// Error for an element that refers to an unknown node.
pub(crate) fn unknown_node(
    lexer: &Lexer,
    at: usize,
    id: i64,
    node: String,
    tags: &TagMap,
) -> ImportError {
    let fault = Fault::Reference {
        element: format!("element {id}"),
        node,
        known: tags.describe(),
    };
    lexer.error_at(at, fault, "")
}
