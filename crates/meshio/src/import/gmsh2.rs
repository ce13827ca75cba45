//! Gmsh .msh, versions 1.0, 2.0, 2.1 and 2.2, ascii and binary.
//!
//! Gmsh reference manual, "MSH file format version 2 (Legacy)" and "version 1 (Legacy)". The first tag of an
//! element is its physical group; the others are ignored.

use super::cells::{self, CellType};
use super::draft::Draft;
use super::error::{Fault, ImportError};
use super::gmsh::{Header, expect_end, unknown_node, unknown_type};
use super::scan::{Content, Endian, Scan, f64_at, i32_at, parse_int, shown};
use super::tags::Tags;

/// Reads `$Nodes` (or `$NOD`), the cursor being after that word.
pub(crate) fn nodes(
    scan: &mut Scan,
    head: &Header,
    draft: &mut Draft,
) -> Result<Tags, ImportError> {
    let declared = scan.count("nodes")?;
    let tags = match head.endian {
        None => nodes_ascii(scan, declared, draft)?,
        Some(endian) => nodes_binary(scan, declared, endian, draft)?,
    };
    let end = if head.version < 2.0 {
        "$ENDNOD"
    } else {
        "$EndNodes"
    };
    expect_end(scan, end, "nodes", declared, draft)?;
    Tags::new(&tags).map_err(|i| duplicate_node(scan, tags[i]))
}

pub(crate) fn duplicate_node(scan: &Scan, tag: i64) -> ImportError {
    let fault = Fault::Duplicate {
        what: "node tag",
        tag: tag.to_string(),
    };
    scan.fail(fault, "Every node needs a number of its own.")
}

fn nodes_ascii(scan: &mut Scan, declared: u64, draft: &mut Draft) -> Result<Vec<i64>, ImportError> {
    let room = scan.room(declared, 8);
    let mut tags = Vec::with_capacity(room);
    draft.mesh.points.reserve_exact(room);
    for n in 0..declared {
        let word = scan
            .word()
            .ok_or_else(|| scan.truncated(format!("node {} of {declared}", n + 1)))?;
        if word.starts_with(b"$") {
            return Err(too_few(scan, "nodes", declared, n));
        }
        let tag = scan.int_of(word, || "a node number".to_string())?;
        let mut point = [0.0; 3];
        for (axis, x) in ["x", "y", "z"].iter().zip(&mut point) {
            let Some(word) = scan.word_in_line() else {
                if scan.remaining() == 0 {
                    return Err(scan.truncated(format!("{axis} of node {tag}")));
                }
                let fault = Fault::Unexpected {
                    expected: format!("{axis} of node {tag}"),
                    found: "the end of the line".to_string(),
                };
                return Err(scan.fail(fault, "A node line is: number x y z."));
            };
            *x = scan.float_of(word, || format!("{axis} of node {tag}"))?;
        }
        tags.push(tag);
        draft.mesh.points.push(point);
    }
    Ok(tags)
}

pub(crate) fn too_few(scan: &Scan, what: &str, declared: u64, found: u64) -> ImportError {
    let fault = Fault::Count {
        what: what.to_string(),
        declared: declared.to_string(),
        found: found.to_string(),
    };
    scan.fail(fault, "The count and the list must agree.")
}

fn nodes_binary(
    scan: &mut Scan,
    declared: u64,
    endian: Endian,
    draft: &mut Draft,
) -> Result<Vec<i64>, ImportError> {
    end_line(scan)?;
    let start = scan.pos;
    let records = scan.records(declared, 28, "nodes")?;
    let mut tags = Vec::with_capacity(records.len() / 28);
    draft.mesh.points.reserve_exact(records.len() / 28);
    for (i, r) in records.chunks_exact(28).enumerate() {
        let tag = i64::from(i32_at(r, 0, endian));
        let point = [4, 12, 20].map(|at| f64_at(r, at, endian));
        finite(scan, start + 28 * i, tag, point)?;
        tags.push(tag);
        draft.mesh.points.push(point);
    }
    Ok(tags)
}

/// Refuses a point that is not finite.
pub(crate) fn finite(scan: &Scan, at: usize, tag: i64, point: [f64; 3]) -> Result<(), ImportError> {
    match point.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(k) => {
            let fault = Fault::NotFinite {
                what: format!("coordinate {} of node {tag}", ["x", "y", "z"][k]),
                found: format!("{} (NaN or infinite)", point[k]),
            };
            Err(scan.fail_at(at, fault, ""))
        }
    }
}

/// Binary data begin after the line end of the count.
pub(crate) fn end_line(scan: &mut Scan) -> Result<(), ImportError> {
    scan.skip_inline();
    scan.take(1, "the end of the line").map(|_| ())
}

/// Reads `$Elements` (or `$ELM`), the cursor being after that word.
pub(crate) fn elements(
    scan: &mut Scan,
    head: &Header,
    tags: &Tags,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    let declared = scan.count("elements")?;
    match head.endian {
        None => elements_ascii(scan, head.version, declared, tags, draft)?,
        Some(endian) => {
            scan.content = Content::Binary;
            end_line(scan)?;
            elements_binary(scan, declared, endian, tags, draft)?;
        }
    }
    let end = if head.version < 2.0 {
        "$ENDELM"
    } else {
        "$EndElements"
    };
    expect_end(scan, end, "elements", declared, draft)
}

fn elements_ascii(
    scan: &mut Scan,
    version: f64,
    declared: u64,
    tags: &Tags,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    let room = scan.room(declared, 8);
    // Most files hold one type; tetrahedra are the usual one, and other types grow as they come.
    draft.reserve(room, 4);
    let mut nodes = Vec::new();
    for n in 0..declared {
        let at = scan.pos;
        let word = scan
            .word()
            .ok_or_else(|| scan.truncated(format!("element {} of {declared} (got {n})", n + 1)))?;
        if word.starts_with(b"$") {
            return Err(too_few(scan, "elements", declared, n));
        }
        let id = scan.int_of(word, || "an element number".to_string())?;
        let type_id = in_line(scan, id, "type")?;
        let kind = cells::gmsh(type_id).ok_or_else(|| unknown_type(scan, id, type_id))?;
        let physical = if version < 2.0 {
            let physical = in_line(scan, id, "physical group")?;
            in_line(scan, id, "elementary entity")?;
            let count = in_line(scan, id, "number of nodes")?;
            if count != kind.nodes as i64 {
                return Err(wrong_node_count(scan, id, &kind, count));
            }
            physical
        } else {
            let count = in_line(scan, id, "number of tags")?;
            if count < 0 {
                let fault = Fault::Unexpected {
                    expected: format!("the number of tags of element {id}"),
                    found: count.to_string(),
                };
                return Err(scan.fail(fault, ""));
            }
            let mut physical = 0;
            for k in 0..count {
                let tag = in_line(scan, id, "tag")?;
                if k == 0 {
                    physical = tag;
                }
            }
            physical
        };
        nodes.clear();
        for _ in 0..kind.nodes {
            nodes.push(node_in_line(scan, id, &kind, tags)?);
        }
        if let Some(extra) = scan.word_in_line() {
            let expected = format!("the end of the line of element {id} ({})", kind.name);
            return Err(scan.unexpected(scan.pos - extra.len(), expected, extra));
        }
        let label = || format!("element {id} ({})", kind.name);
        if draft.push(scan, at, label, &kind, &nodes)? && physical != 0 {
            draft.tag_last(physical);
        }
    }
    Ok(())
}

fn wrong_node_count(scan: &Scan, id: i64, kind: &CellType, count: i64) -> ImportError {
    let fault = Fault::Unexpected {
        expected: format!("{} nodes for element {id} ({})", kind.nodes, kind.name),
        found: count.to_string(),
    };
    scan.fail(fault, "")
}

fn too_short(scan: &Scan, id: i64, what: &str) -> ImportError {
    if scan.remaining() == 0 {
        return scan.truncated(format!("the {what} of element {id}"));
    }
    let fault = Fault::Unexpected {
        expected: format!("the {what} of element {id}"),
        found: "the end of the line: the element line is too short".to_string(),
    };
    scan.fail(fault, "")
}

fn in_line(scan: &mut Scan, id: i64, what: &str) -> Result<i64, ImportError> {
    match scan.word_in_line() {
        Some(word) => scan.int_of(word, || format!("the {what} of element {id}")),
        None => Err(too_short(scan, id, what)),
    }
}

fn node_in_line(
    scan: &mut Scan,
    id: i64,
    kind: &CellType,
    tags: &Tags,
) -> Result<u32, ImportError> {
    let Some(word) = scan.word_in_line() else {
        return Err(too_short(scan, id, &format!("{} nodes", kind.nodes)));
    };
    let point = parse_int(word).and_then(|tag| tags.find(tag));
    point.ok_or_else(|| {
        let node = shown(word).trim_matches('"').to_string();
        unknown_node(scan, scan.pos - word.len(), id, node, tags)
    })
}

fn elements_binary(
    scan: &mut Scan,
    declared: u64,
    endian: Endian,
    tags: &Tags,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    let mut done = 0;
    let mut nodes = Vec::new();
    while done < declared {
        let type_id = i64::from(scan.i32(endian, "an element block")?);
        let count = scan.i32(endian, "an element block")?;
        let tag_count = scan.i32(endian, "an element block")?;
        let kind =
            cells::gmsh(type_id).ok_or_else(|| unknown_type(scan, done as i64 + 1, type_id))?;
        let (Ok(count), Ok(tag_count)) = (usize::try_from(count), usize::try_from(tag_count))
        else {
            let fault = Fault::Unexpected {
                expected: "a number of elements and of tags".to_string(),
                found: format!("{count} and {tag_count}"),
            };
            return Err(scan.fail(fault, "Wrong byte order, or damaged."));
        };
        if count == 0 || count as u64 > declared - done {
            let found = format!("a block of {count} after {done}");
            let fault = Fault::Count {
                what: "elements".to_string(),
                declared: declared.to_string(),
                found,
            };
            return Err(scan.fail(fault, ""));
        }
        let width = 4 * (1 + kind.nodes + tag_count);
        let start = scan.pos;
        let records = scan.records(count as u64, width, "elements")?;
        // Gmsh writes a block per element; growing by doubling then costs less than exact room.
        if count > 1 {
            draft.reserve(count, kind.kind.node_count());
        }
        for (i, r) in records.chunks_exact(width).enumerate() {
            let at = start + i * width;
            let id = i64::from(i32_at(r, 0, endian));
            nodes.clear();
            for k in 0..kind.nodes {
                let tag = i64::from(i32_at(r, 4 * (1 + tag_count + k), endian));
                let point = tags.find(tag);
                nodes.push(point.ok_or_else(|| unknown_node(scan, at, id, tag.to_string(), tags))?);
            }
            let label = || format!("element {id} ({})", kind.name);
            if draft.push(scan, at, label, &kind, &nodes)? && tag_count > 0 {
                let physical = i64::from(i32_at(r, 4, endian));
                if physical != 0 {
                    draft.tag_last(physical);
                }
            }
        }
        done += count as u64;
    }
    Ok(())
}
