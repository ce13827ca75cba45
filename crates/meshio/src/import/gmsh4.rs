//! Gmsh .msh version 4.1, ascii and binary (Gmsh reference manual, "MSH file format").
//!
//! Nodes and elements come in blocks, one for each geometric entity; physical groups belong to entities.

use std::collections::BTreeMap;

use super::cells;
use super::draft::Draft;
use super::error::{Fault, ImportError};
use super::gmsh::{Header, expect_end, unknown_node, unknown_type};
use super::gmsh2::{duplicate_node, end_line, finite, too_few};
use super::scan::{Content, Endian, Scan, parse_int, shown, u32_at};
use super::tags::Tags;

/// Physical groups of each entity, by dimension and tag.
pub(crate) type Entities = BTreeMap<(i64, i64), Vec<i64>>;

/// Numbers in either encoding.
struct Numbers<'s, 'a> {
    scan: &'s mut Scan<'a>,
    endian: Option<Endian>,
    size: usize,
}

impl<'s, 'a> Numbers<'s, 'a> {
    fn new(scan: &'s mut Scan<'a>, head: &Header) -> Result<Self, ImportError> {
        if head.endian.is_some() {
            end_line(scan)?;
            scan.content = Content::Binary;
        }
        Ok(Numbers {
            scan,
            endian: head.endian,
            size: head.size,
        })
    }

    fn int(&mut self, what: &str) -> Result<i64, ImportError> {
        match self.endian {
            None => self.scan.int(|| what.to_string()),
            Some(endian) => Ok(i64::from(self.scan.i32(endian, what)?)),
        }
    }

    fn size(&mut self, what: &str) -> Result<u64, ImportError> {
        match self.endian {
            None => self.scan.count(what),
            Some(endian) if self.size == 4 => {
                Ok(u64::from(u32_at(self.scan.take(4, what)?, 0, endian)))
            }
            Some(endian) => self.scan.u64(endian, what),
        }
    }

    fn double(&mut self, what: impl Fn() -> String) -> Result<f64, ImportError> {
        match self.endian {
            None => self.scan.float(what),
            Some(endian) => self.scan.f64(endian, "a coordinate"),
        }
    }

    /// Whether the section ends here, though blocks are still due.
    fn at_end(&self) -> bool {
        self.endian.is_none() && self.scan.peek().is_some_and(|w| w.starts_with(b"$"))
    }

    /// Bytes the file spends at least on `sizes` sizes and `doubles` doubles.
    fn least(&self, sizes: usize, doubles: usize) -> usize {
        match self.endian {
            None => 2 * (sizes + doubles),
            Some(_) => self.size * sizes + 8 * doubles,
        }
    }
}

/// Reads `$Entities`, the cursor being after that word.
pub(crate) fn entities(scan: &mut Scan, head: &Header) -> Result<Entities, ImportError> {
    let mut read = Numbers::new(scan, head)?;
    let mut counts = [0; 4];
    for (n, what) in counts
        .iter_mut()
        .zip(["points", "curves", "surfaces", "volumes"])
    {
        *n = read.size(what)?;
    }
    let mut entities = Entities::new();
    for (dimension, &n) in counts.iter().enumerate() {
        for k in 0..n {
            if read.at_end() {
                return Err(too_few(read.scan, "entities", n, k));
            }
            let tag = read.int("an entity tag")?;
            for _ in 0..if dimension == 0 { 3 } else { 6 } {
                read.double(|| format!("the bounding box of entity {tag}"))?;
            }
            let mut physical = Vec::new();
            for _ in 0..read.size("physical tags")? {
                physical.push(read.int("a physical tag")?);
            }
            if dimension > 0 {
                for _ in 0..read.size("bounding entities")? {
                    read.int("a bounding entity")?;
                }
            }
            if !physical.is_empty() {
                entities.insert((dimension as i64, tag), physical);
            }
        }
    }
    Ok(entities)
}

/// Reads `$Nodes`, the cursor being after that word.
pub(crate) fn nodes(
    scan: &mut Scan,
    head: &Header,
    draft: &mut Draft,
) -> Result<Tags, ImportError> {
    let mut read = Numbers::new(scan, head)?;
    let blocks = read.size("entity blocks")?;
    let declared = read.size("nodes")?;
    read.size("the least node tag")?;
    read.size("the greatest node tag")?;
    let room = read.scan.room(declared, read.least(1, 3));
    let mut tags: Vec<i64> = Vec::with_capacity(room);
    draft.mesh.points.reserve_exact(room);
    for block in 0..blocks {
        if read.at_end() {
            return Err(too_few(read.scan, "entity blocks", blocks, block));
        }
        let dimension = read.int("the dimension of an entity")?;
        read.int("the tag of an entity")?;
        let parametric = read.int("the parametric flag")?;
        let n = read.size("nodes in a block")?;
        if n > declared - tags.len() as u64 {
            let found = n.saturating_add(tags.len() as u64);
            return Err(too_few(read.scan, "nodes", declared, found));
        }
        let parameters = if parametric == 0 {
            0
        } else {
            dimension.clamp(0, 3)
        };
        let first = tags.len();
        for k in 0..n {
            if read.at_end() {
                return Err(too_few(read.scan, "node tags in a block", n, k));
            }
            let tag = read.size("a node tag")?;
            tags.push(tag.min(i64::MAX as u64) as i64);
        }
        for i in first..tags.len() {
            let tag = tags[i];
            let at = read.scan.pos;
            let mut point = [0.0; 3];
            for (x, axis) in point.iter_mut().zip(["x", "y", "z"]) {
                *x = read.double(|| format!("{axis} of node {tag}"))?;
            }
            finite(read.scan, at, tag, point)?;
            for _ in 0..parameters {
                read.double(|| format!("a parameter of node {tag}"))?;
            }
            draft.mesh.points.push(point);
        }
    }
    if (tags.len() as u64) < declared {
        return Err(too_few(scan, "nodes", declared, tags.len() as u64));
    }
    expect_end(scan, "$EndNodes", "nodes", declared, draft)?;
    Tags::new(&tags).map_err(|i| duplicate_node(scan, tags[i]))
}

/// Reads `$Elements`, the cursor being after that word.
pub(crate) fn elements(
    scan: &mut Scan,
    head: &Header,
    tags: &Tags,
    entities: &Entities,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    let mut read = Numbers::new(scan, head)?;
    let blocks = read.size("entity blocks")?;
    let declared = read.size("elements")?;
    read.size("the least element tag")?;
    read.size("the greatest element tag")?;
    let mut done = 0;
    for block in 0..blocks {
        if read.at_end() {
            return Err(too_few(read.scan, "entity blocks", blocks, block));
        }
        let dimension = read.int("the dimension of an entity")?;
        let entity = read.int("the tag of an entity")?;
        let type_id = read.int("an element type")?;
        let n = read.size("elements in a block")?;
        if n > declared - done {
            return Err(too_few(
                read.scan,
                "elements",
                declared,
                n.saturating_add(done),
            ));
        }
        let first = draft.mesh.len() as u32;
        element_block(&mut read, type_id, n, tags, draft)?;
        let end = draft.mesh.len() as u32;
        for &physical in entities.get(&(dimension, entity)).into_iter().flatten() {
            // A negative tag means the group sees the entity reversed; it is the same group.
            draft.tag(physical.abs(), first, end);
        }
        done += n;
    }
    if done < declared {
        return Err(too_few(scan, "elements", declared, done));
    }
    expect_end(scan, "$EndElements", "elements", declared, draft)
}

fn element_block(
    read: &mut Numbers,
    type_id: i64,
    n: u64,
    tags: &Tags,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    let kind = cells::gmsh(type_id).ok_or_else(|| unknown_type(read.scan, 0, type_id))?;
    let room = read.scan.room(n, read.least(1 + kind.nodes, 0));
    draft.reserve(room, kind.kind.node_count());
    let mut nodes = Vec::with_capacity(kind.nodes);
    for k in 0..n {
        if read.at_end() {
            return Err(too_few(read.scan, "elements in a block", n, k));
        }
        let at = read.scan.pos;
        let id = read.size("an element tag")? as i64;
        nodes.clear();
        for _ in 0..kind.nodes {
            nodes.push(node(read, id, tags)?);
        }
        let label = || format!("element {id} ({})", kind.name);
        draft.push(read.scan, at, label, &kind, &nodes)?;
    }
    Ok(())
}

fn node(read: &mut Numbers, id: i64, tags: &Tags) -> Result<u32, ImportError> {
    let at = read.scan.pos;
    if read.endian.is_some() {
        let tag = read.size("a node tag")?;
        let point = i64::try_from(tag).ok().and_then(|t| tags.find(t));
        return point.ok_or_else(|| unknown_node(read.scan, at, id, tag.to_string(), tags));
    }
    // On the element's own line: a line too short must not borrow from the next.
    let Some(word) = read.scan.word_in_line() else {
        let fault = Fault::Unexpected {
            expected: format!("a node of element {id}"),
            found: "the end of the line: the element line is too short".to_string(),
        };
        return Err(read.scan.fail(fault, ""));
    };
    let point = parse_int(word).and_then(|tag| tags.find(tag));
    point.ok_or_else(|| {
        let node = shown(word).trim_matches('"').to_string();
        unknown_node(read.scan, at, id, node, tags)
    })
}
