//! Nodes and elements of Gmsh .msh files, versions 1.0, 2.0, 2.1 and 2.2, text and binary.
//!
//! Gmsh reference manual, "MSH file format version 2 (Legacy)" and "version 1 (Legacy)". The first tag of an
//! element is its physical group; the others are ignored.

use super::cells::{self, CellType};
use super::error::{Fault, ImportError};
use super::gmsh::{Header, expect_end, unknown_node, unknown_type};
use super::lexer::{Content, Endian, Lexer, f64_at, i32_at, parse_int, quoted};
use super::mesh_builder::MeshBuilder;
use super::tag_map::TagMap;

/// Reads `$Nodes` (or `$NOD`), starting after that word.
pub(crate) fn nodes(
    lexer: &mut Lexer,
    head: &Header,
    builder: &mut MeshBuilder,
) -> Result<TagMap, ImportError> {
    let declared = lexer.count("nodes")?;
    let tags = match head.endian {
        None => nodes_ascii(lexer, declared, builder)?,
        Some(endian) => nodes_binary(lexer, declared, endian, builder)?,
    };
    let end = if head.version < 2.0 {
        "$ENDNOD"
    } else {
        "$EndNodes"
    };
    expect_end(lexer, end, "nodes", declared, builder)?;
    TagMap::new(&tags).map_err(|i| duplicate_node(lexer, tags[i]))
}

/// Error for a repeated node tag.
pub(crate) fn duplicate_node(lexer: &Lexer, tag: i64) -> ImportError {
    let fault = Fault::Duplicate {
        what: "node tag",
        tag: tag.to_string(),
    };
    lexer.error(fault, "Node tags must be unique.")
}

fn nodes_ascii(
    lexer: &mut Lexer,
    declared: u64,
    builder: &mut MeshBuilder,
) -> Result<Vec<i64>, ImportError> {
    let room = lexer.capacity(declared, 8);
    let mut tags = Vec::with_capacity(room);
    builder.mesh.points.reserve_exact(room);
    for n in 0..declared {
        let word = lexer
            .word()
            .ok_or_else(|| lexer.truncated(format!("node {} of {declared}", n + 1)))?;
        if word.starts_with(b"$") {
            return Err(wrong_count(lexer, "nodes", declared, n));
        }
        let tag = lexer.int_of(word, || "a node number".to_string())?;
        let mut point = [0.0; 3];
        for (axis, x) in ["x", "y", "z"].iter().zip(&mut point) {
            let Some(word) = lexer.word_in_line() else {
                if lexer.remaining() == 0 {
                    return Err(lexer.truncated(format!("{axis} of node {tag}")));
                }
                let fault = Fault::Unexpected {
                    expected: format!("{axis} of node {tag}"),
                    found: "the end of the line".to_string(),
                };
                return Err(lexer.error(fault, "A node line is: number x y z."));
            };
            *x = lexer.float_of(word, || format!("{axis} of node {tag}"))?;
        }
        tags.push(tag);
        builder.mesh.points.push(point);
    }
    Ok(tags)
}

/// Error for a list that is shorter or longer than declared.
pub(crate) fn wrong_count(lexer: &Lexer, what: &str, declared: u64, found: u64) -> ImportError {
    let fault = Fault::Count {
        what: what.to_string(),
        declared: declared.to_string(),
        found: found.to_string(),
    };
    lexer.error(fault, "The count and the list must agree.")
}

fn nodes_binary(
    lexer: &mut Lexer,
    declared: u64,
    endian: Endian,
    builder: &mut MeshBuilder,
) -> Result<Vec<i64>, ImportError> {
    end_line(lexer)?;
    let start = lexer.pos;
    let records = lexer.records(declared, 28, "nodes")?;
    let mut tags = Vec::with_capacity(records.len() / 28);
    builder.mesh.points.reserve_exact(records.len() / 28);
    for (i, r) in records.chunks_exact(28).enumerate() {
        let tag = i64::from(i32_at(r, 0, endian));
        let point = [4, 12, 20].map(|at| f64_at(r, at, endian));
        finite(lexer, start + 28 * i, tag, point)?;
        tags.push(tag);
        builder.mesh.points.push(point);
    }
    Ok(tags)
}

/// Checks that the coordinates of a point are finite.
pub(crate) fn finite(
    lexer: &Lexer,
    at: usize,
    tag: i64,
    point: [f64; 3],
) -> Result<(), ImportError> {
    match point.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(k) => {
            let fault = Fault::NotFinite {
                what: format!("coordinate {} of node {tag}", ["x", "y", "z"][k]),
                found: format!("{} (NaN or infinite)", point[k]),
            };
            Err(lexer.error_at(at, fault, ""))
        }
    }
}

/// Skips the rest of a line, after which binary data begin.
pub(crate) fn end_line(lexer: &mut Lexer) -> Result<(), ImportError> {
    lexer.skip_inline();
    lexer.take(1, "the end of the line").map(|_| ())
}

/// Reads `$Elements` (or `$ELM`), starting after that word.
pub(crate) fn elements(
    lexer: &mut Lexer,
    head: &Header,
    tags: &TagMap,
    builder: &mut MeshBuilder,
) -> Result<(), ImportError> {
    let declared = lexer.count("elements")?;
    match head.endian {
        None => elements_ascii(lexer, head.version, declared, tags, builder)?,
        Some(endian) => {
            lexer.content = Content::Binary;
            end_line(lexer)?;
            elements_binary(lexer, declared, endian, tags, builder)?;
        }
    }
    let end = if head.version < 2.0 {
        "$ENDELM"
    } else {
        "$EndElements"
    };
    expect_end(lexer, end, "elements", declared, builder)
}

fn elements_ascii(
    lexer: &mut Lexer,
    version: f64,
    declared: u64,
    tags: &TagMap,
    builder: &mut MeshBuilder,
) -> Result<(), ImportError> {
    let room = lexer.capacity(declared, 8);
    // Most files hold tetrahedra only; the arrays grow for other types.
    builder.reserve(room, 4);
    let mut nodes = Vec::new();
    for n in 0..declared {
        let at = lexer.pos;
        let word = lexer
            .word()
            .ok_or_else(|| lexer.truncated(format!("element {} of {declared} (got {n})", n + 1)))?;
        if word.starts_with(b"$") {
            return Err(wrong_count(lexer, "elements", declared, n));
        }
        let id = lexer.int_of(word, || "an element number".to_string())?;
        let type_id = in_line(lexer, id, "type")?;
        let kind = cells::from_gmsh(type_id).ok_or_else(|| unknown_type(lexer, id, type_id))?;
        let physical = if version < 2.0 {
            let physical = in_line(lexer, id, "physical group")?;
            in_line(lexer, id, "elementary entity")?;
            let count = in_line(lexer, id, "number of nodes")?;
            if count != kind.nodes as i64 {
                return Err(wrong_node_count(lexer, id, &kind, count));
            }
            physical
        } else {
            let count = in_line(lexer, id, "number of tags")?;
            if count < 0 {
                let fault = Fault::Unexpected {
                    expected: format!("the number of tags of element {id}"),
                    found: count.to_string(),
                };
                return Err(lexer.error(fault, ""));
            }
            let mut physical = 0;
            for k in 0..count {
                let tag = in_line(lexer, id, "tag")?;
                if k == 0 {
                    physical = tag;
                }
            }
            physical
        };
        nodes.clear();
        for _ in 0..kind.nodes {
            nodes.push(node_in_line(lexer, id, &kind, tags)?);
        }
        if let Some(extra) = lexer.word_in_line() {
            let expected = format!("the end of the line of element {id} ({})", kind.name);
            return Err(lexer.unexpected(lexer.pos - extra.len(), expected, extra));
        }
        let label = || format!("element {id} ({})", kind.name);
        if builder.push(lexer, at, label, &kind, &nodes)? && physical != 0 {
            builder.tag_last(physical);
        }
    }
    Ok(())
}

fn wrong_node_count(lexer: &Lexer, id: i64, kind: &CellType, count: i64) -> ImportError {
    let fault = Fault::Unexpected {
        expected: format!("{} nodes for element {id} ({})", kind.nodes, kind.name),
        found: count.to_string(),
    };
    lexer.error(fault, "")
}

fn too_short(lexer: &Lexer, id: i64, what: &str) -> ImportError {
    if lexer.remaining() == 0 {
        return lexer.truncated(format!("the {what} of element {id}"));
    }
    let fault = Fault::Unexpected {
        expected: format!("the {what} of element {id}"),
        found: "the end of the line: the element line is too short".to_string(),
    };
    lexer.error(fault, "")
}

fn in_line(lexer: &mut Lexer, id: i64, what: &str) -> Result<i64, ImportError> {
    match lexer.word_in_line() {
        Some(word) => lexer.int_of(word, || format!("the {what} of element {id}")),
        None => Err(too_short(lexer, id, what)),
    }
}

fn node_in_line(
    lexer: &mut Lexer,
    id: i64,
    kind: &CellType,
    tags: &TagMap,
) -> Result<u32, ImportError> {
    let Some(word) = lexer.word_in_line() else {
        return Err(too_short(lexer, id, &format!("{} nodes", kind.nodes)));
    };
    let point = parse_int(word).and_then(|tag| tags.find(tag));
    point.ok_or_else(|| {
        let node = quoted(word).trim_matches('"').to_string();
        unknown_node(lexer, lexer.pos - word.len(), id, node, tags)
    })
}

fn elements_binary(
    lexer: &mut Lexer,
    declared: u64,
    endian: Endian,
    tags: &TagMap,
    builder: &mut MeshBuilder,
) -> Result<(), ImportError> {
    let mut done = 0;
    let mut nodes = Vec::new();
    while done < declared {
        let type_id = i64::from(lexer.i32(endian, "an element block")?);
        let count = lexer.i32(endian, "an element block")?;
        let tag_count = lexer.i32(endian, "an element block")?;
        let kind = cells::from_gmsh(type_id)
            .ok_or_else(|| unknown_type(lexer, done as i64 + 1, type_id))?;
        let (Ok(count), Ok(tag_count)) = (usize::try_from(count), usize::try_from(tag_count))
        else {
            let fault = Fault::Unexpected {
                expected: "a number of elements and of tags".to_string(),
                found: format!("{count} and {tag_count}"),
            };
            return Err(lexer.error(fault, "The byte order is wrong or the file is damaged."));
        };
        if count == 0 || count as u64 > declared - done {
            let found = format!("a block of {count} after {done}");
            let fault = Fault::Count {
                what: "elements".to_string(),
                declared: declared.to_string(),
                found,
            };
            return Err(lexer.error(fault, ""));
        }
        let width = 4 * (1 + kind.nodes + tag_count);
        let start = lexer.pos;
        let records = lexer.records(count as u64, width, "elements")?;
        // Gmsh writes one block per element; growing by doubling then costs less than exact reservations.
        if count > 1 {
            builder.reserve(count, kind.kind.node_count());
        }
        for (i, r) in records.chunks_exact(width).enumerate() {
            let at = start + i * width;
            let id = i64::from(i32_at(r, 0, endian));
            nodes.clear();
            for k in 0..kind.nodes {
                let tag = i64::from(i32_at(r, 4 * (1 + tag_count + k), endian));
                let point = tags.find(tag);
                nodes
                    .push(point.ok_or_else(|| unknown_node(lexer, at, id, tag.to_string(), tags))?);
            }
            let label = || format!("element {id} ({})", kind.name);
            if builder.push(lexer, at, label, &kind, &nodes)? && tag_count > 0 {
                let physical = i64::from(i32_at(r, 4, endian));
                if physical != 0 {
                    builder.tag_last(physical);
                }
            }
        }
        done += count as u64;
    }
    Ok(())
}
