//! Nodes and elements of Gmsh .msh files, version 4.1, text and binary (Gmsh reference manual, "MSH file format").
//!
//! Nodes and elements come in blocks, one for each geometric entity; physical groups belong to entities.

use std::collections::BTreeMap;

use super::cells;
use super::error::{Fault, ImportError};
use super::gmsh::{Header, expect_end, unknown_node, unknown_type};
use super::gmsh2::{duplicate_node, end_line, finite, wrong_count};
use super::lexer::{Content, Endian, Lexer, parse_int, quoted, u32_at};
use super::mesh_builder::MeshBuilder;
use super::tag_map::TagMap;

/// Physical groups of each entity, by dimension and tag.
pub(crate) type Entities = BTreeMap<(i64, i64), Vec<i64>>;

/// Reader of numbers in either encoding.
struct NumberReader<'s, 'a> {
    lexer: &'s mut Lexer<'a>,
    endian: Option<Endian>,
    size: usize,
}

impl<'s, 'a> NumberReader<'s, 'a> {
    fn new(lexer: &'s mut Lexer<'a>, head: &Header) -> Result<Self, ImportError> {
        if head.endian.is_some() {
            end_line(lexer)?;
            lexer.content = Content::Binary;
        }
        Ok(NumberReader {
            lexer,
            endian: head.endian,
            size: head.size,
        })
    }

    fn int(&mut self, what: &str) -> Result<i64, ImportError> {
        match self.endian {
            None => self.lexer.int(|| what.to_string()),
            Some(endian) => Ok(i64::from(self.lexer.i32(endian, what)?)),
        }
    }

    fn size(&mut self, what: &str) -> Result<u64, ImportError> {
        match self.endian {
            None => self.lexer.count(what),
            Some(endian) if self.size == 4 => {
                Ok(u64::from(u32_at(self.lexer.take(4, what)?, 0, endian)))
            }
            Some(endian) => self.lexer.u64(endian, what),
        }
    }

    fn double(&mut self, what: impl Fn() -> String) -> Result<f64, ImportError> {
        match self.endian {
            None => self.lexer.float(what),
            Some(endian) => self.lexer.f64(endian, "a coordinate"),
        }
    }

    /// Whether the next word is an end marker.
    fn at_end(&self) -> bool {
        self.endian.is_none() && self.lexer.peek().is_some_and(|w| w.starts_with(b"$"))
    }

    /// Least number of bytes of `sizes` sizes and `doubles` doubles.
    fn min_bytes(&self, sizes: usize, doubles: usize) -> usize {
        match self.endian {
            None => 2 * (sizes + doubles),
            Some(_) => self.size * sizes + 8 * doubles,
        }
    }
}

/// Reads `$Entities`, starting after that word.
pub(crate) fn entities(lexer: &mut Lexer, head: &Header) -> Result<Entities, ImportError> {
    let mut read = NumberReader::new(lexer, head)?;
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
                return Err(wrong_count(read.lexer, "entities", n, k));
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

/// Reads `$Nodes`, starting after that word.
pub(crate) fn nodes(
    lexer: &mut Lexer,
    head: &Header,
    builder: &mut MeshBuilder,
) -> Result<TagMap, ImportError> {
    let mut read = NumberReader::new(lexer, head)?;
    let blocks = read.size("entity blocks")?;
    let declared = read.size("nodes")?;
    read.size("the least node tag")?;
    read.size("the greatest node tag")?;
    let room = read.lexer.capacity(declared, read.min_bytes(1, 3));
    let mut tags: Vec<i64> = Vec::with_capacity(room);
    builder.mesh.points.reserve_exact(room);
    for block in 0..blocks {
        if read.at_end() {
            return Err(wrong_count(read.lexer, "entity blocks", blocks, block));
        }
        let dimension = read.int("the dimension of an entity")?;
        read.int("the tag of an entity")?;
        let parametric = read.int("the parametric flag")?;
        let n = read.size("nodes in a block")?;
        if n > declared - tags.len() as u64 {
            let found = n.saturating_add(tags.len() as u64);
            return Err(wrong_count(read.lexer, "nodes", declared, found));
        }
        let parameters = if parametric == 0 {
            0
        } else {
            dimension.clamp(0, 3)
        };
        let first = tags.len();
        for k in 0..n {
            if read.at_end() {
                return Err(wrong_count(read.lexer, "node tags in a block", n, k));
            }
            let tag = read.size("a node tag")?;
            tags.push(tag.min(i64::MAX as u64) as i64);
        }
        for i in first..tags.len() {
            let tag = tags[i];
            let at = read.lexer.pos;
            let mut point = [0.0; 3];
            for (x, axis) in point.iter_mut().zip(["x", "y", "z"]) {
                *x = read.double(|| format!("{axis} of node {tag}"))?;
            }
            finite(read.lexer, at, tag, point)?;
            for _ in 0..parameters {
                read.double(|| format!("a parameter of node {tag}"))?;
            }
            builder.mesh.points.push(point);
        }
    }
    if (tags.len() as u64) < declared {
        return Err(wrong_count(lexer, "nodes", declared, tags.len() as u64));
    }
    expect_end(lexer, "$EndNodes", "nodes", declared, builder)?;
    TagMap::new(&tags).map_err(|i| duplicate_node(lexer, tags[i]))
}

/// Reads `$Elements`, starting after that word.
pub(crate) fn elements(
    lexer: &mut Lexer,
    head: &Header,
    tags: &TagMap,
    entities: &Entities,
    builder: &mut MeshBuilder,
) -> Result<(), ImportError> {
    let mut read = NumberReader::new(lexer, head)?;
    let blocks = read.size("entity blocks")?;
    let declared = read.size("elements")?;
    read.size("the least element tag")?;
    read.size("the greatest element tag")?;
    let mut done = 0;
    for block in 0..blocks {
        if read.at_end() {
            return Err(wrong_count(read.lexer, "entity blocks", blocks, block));
        }
        let dimension = read.int("the dimension of an entity")?;
        let entity = read.int("the tag of an entity")?;
        let type_id = read.int("an element type")?;
        let n = read.size("elements in a block")?;
        if n > declared - done {
            return Err(wrong_count(
                read.lexer,
                "elements",
                declared,
                n.saturating_add(done),
            ));
        }
        let first = builder.mesh.len() as u32;
        element_block(&mut read, type_id, n, tags, builder)?;
        let end = builder.mesh.len() as u32;
        for &physical in entities.get(&(dimension, entity)).into_iter().flatten() {
            // A negative tag means that the group contains the entity with reversed orientation.
            builder.tag(physical.abs(), first, end);
        }
        done += n;
    }
    if done < declared {
        return Err(wrong_count(lexer, "elements", declared, done));
    }
    expect_end(lexer, "$EndElements", "elements", declared, builder)
}

fn element_block(
    read: &mut NumberReader,
    type_id: i64,
    n: u64,
    tags: &TagMap,
    builder: &mut MeshBuilder,
) -> Result<(), ImportError> {
    let kind = cells::from_gmsh(type_id).ok_or_else(|| unknown_type(read.lexer, 0, type_id))?;
    let room = read.lexer.capacity(n, read.min_bytes(1 + kind.nodes, 0));
    builder.reserve(room, kind.kind.node_count());
    let mut nodes = Vec::with_capacity(kind.nodes);
    for k in 0..n {
        if read.at_end() {
            return Err(wrong_count(read.lexer, "elements in a block", n, k));
        }
        let at = read.lexer.pos;
        let id = read.size("an element tag")? as i64;
        nodes.clear();
        for _ in 0..kind.nodes {
            nodes.push(node(read, id, tags)?);
        }
        let label = || format!("element {id} ({})", kind.name);
        builder.push(read.lexer, at, label, &kind, &nodes)?;
    }
    Ok(())
}

fn node(read: &mut NumberReader, id: i64, tags: &TagMap) -> Result<u32, ImportError> {
    let at = read.lexer.pos;
    if read.endian.is_some() {
        let tag = read.size("a node tag")?;
        let point = i64::try_from(tag).ok().and_then(|t| tags.find(t));
        return point.ok_or_else(|| unknown_node(read.lexer, at, id, tag.to_string(), tags));
    }
    // Nodes must be on the line of their element: a short line must not take numbers from the next one.
    let Some(word) = read.lexer.word_in_line() else {
        let fault = Fault::Unexpected {
            expected: format!("a node of element {id}"),
            found: "the end of the line: the element line is too short".to_string(),
        };
        return Err(read.lexer.error(fault, ""));
    };
    let point = parse_int(word).and_then(|tag| tags.find(tag));
    point.ok_or_else(|| {
        let node = quoted(word).trim_matches('"').to_string();
        unknown_node(read.lexer, at, id, node, tags)
    })
}
