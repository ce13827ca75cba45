//! Reader of TetGen .node and .ele files (TetGen manual, "File formats"). Given either file, the other is read from the
//! same folder. Nodes are numbered from 0 or 1, as the first node says.
//!
//! The mid-edge nodes of 10-node elements are assigned to the edges whose midpoints are nearest, which needs no table
//! of their order.

use std::collections::BTreeMap;
use std::path::Path;

use mesh::{CellKind, Group};

use super::Format;
use super::cells::CellType;
use super::error::{Fault, ImportError};
use super::lexer::{Lexer, parse_float, parse_int};
use super::mesh_builder::MeshBuilder;
use super::tag_map::TagMap;

const TET4: CellType = CellType::of_kind(CellKind::Tet4);
const TET10: CellType = CellType::of_kind(CellKind::Tet10);
/// Edges of the mid-edge nodes 4 to 9 in VTK's order.
const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]];
/// Least number of elements from which the base of node numbers is inferred.
const MIN_ELEMENTS_TO_INFER_BASE: usize = 16;

/// Reads a pair of files of which `bytes` is one; without a path, `bytes` holds .node and .ele concatenated.
pub(crate) fn read(
    bytes: &[u8],
    file: &str,
    path: Option<&Path>,
) -> Result<MeshBuilder, ImportError> {
    let Some(path) = path else {
        let mut lexer = Lexer::new(bytes, file);
        lexer.comment = b'#';
        let mut builder = MeshBuilder::new(Format::Tetgen);
        let tags = nodes(&mut lexer, &mut builder)?;
        elements(&mut lexer, &tags, &mut builder)?;
        expect_end_of_file(&mut lexer, "elements")?;
        return Ok(builder);
    };
    let is_ele = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("ele"));
    let other = path.with_extension(if is_ele { "node" } else { "ele" });
    let other_file = other.display().to_string();
    let other_bytes = std::fs::read(&other).map_err(|e| {
        let hint = format!("A TetGen mesh needs two files: put {other_file} into the same folder.");
        ImportError::whole(file, Fault::Io(e), hint)
    })?;
    let beside = format!("the file next to {file}");
    let given = Lexer {
        comment: b'#',
        ..Lexer::new(bytes, file)
    };
    let found = Lexer {
        comment: b'#',
        section: &beside,
        ..Lexer::new(&other_bytes, &other_file)
    };
    let (mut node, mut ele) = if is_ele {
        (found, given)
    } else {
        (given, found)
    };
    let mut builder = MeshBuilder::new(Format::Tetgen);
    let tags = nodes(&mut node, &mut builder)?;
    expect_end_of_file(&mut node, "nodes")?;
    elements(&mut ele, &tags, &mut builder)?;
    expect_end_of_file(&mut ele, "elements")?;
    Ok(builder)
}

/// Checks that the file ends here; more lines than declared are an error.
fn expect_end_of_file(lexer: &mut Lexer, what: &str) -> Result<(), ImportError> {
    let Some(word) = lexer.word() else {
        return Ok(());
    };
    let fault = Fault::Count {
        what: what.to_string(),
        declared: "fewer".to_string(),
        found: format!("more: {}", super::lexer::quoted(word)),
    };
    Err(lexer.error_at(
        lexer.pos - word.len(),
        fault,
        "The count and the list must agree.",
    ))
}

/// Reads the numbers of a header line; missing ones are 0.
fn header(lexer: &mut Lexer, what: &str) -> Result<[u64; 4], ImportError> {
    let mut counts = [0; 4];
    counts[0] = lexer.count(what)?;
    for count in &mut counts[1..] {
        let Some(word) = lexer.word_in_line() else {
            break;
        };
        let n = lexer.int_of(word, || format!("a count of the {what} header"))?;
        *count = u64::try_from(n).unwrap_or(0);
    }
    Ok(counts)
}

fn nodes(lexer: &mut Lexer, builder: &mut MeshBuilder) -> Result<TagMap, ImportError> {
    let [declared, dimension, attributes, _] = header(lexer, "nodes")?;
    if dimension != 3 && dimension != 0 {
        let what = format!("dimension {dimension}");
        return Err(lexer.error(
            Fault::Unsupported { what },
            "TetGen nodes have 3 coordinates.",
        ));
    }
    let room = lexer.capacity(declared, 8);
    let mut tags = Vec::with_capacity(room);
    builder.mesh.points.reserve_exact(room);
    let mut markers: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
    for n in 0..declared {
        let tag = lexer.int(|| format!("node {} of {declared}", n + 1))?;
        let mut point = [0.0; 3];
        for (x, axis) in point.iter_mut().zip(["x", "y", "z"]) {
            let Some(word) = lexer.word_in_line() else {
                return Err(short_line(lexer, format!("{axis} of node {tag}")));
            };
            *x = lexer.float_of(word, || format!("{axis} of node {tag}"))?;
        }
        let mut rest = 0;
        while let Some(word) = lexer.word_in_line() {
            if rest == attributes
                && let Some(marker @ 1..) = parse_int(word)
            {
                markers.entry(marker).or_default().push(n as u32);
            }
            rest += 1;
        }
        tags.push(tag);
        builder.mesh.points.push(point);
    }
    builder
        .groups
        .extend(markers.into_iter().map(|(m, points)| Group {
            name: format!("marker {m}"),
            cells: Vec::new(),
            points,
        }));
    TagMap::new(&tags).map_err(|i| {
        let tag = tags[i].to_string();
        let what = "node number";
        lexer.error(Fault::Duplicate { what, tag }, "")
    })
}

fn short_line(lexer: &Lexer, expected: String) -> ImportError {
    let found = "the end of the line".to_string();
    lexer.error(Fault::Unexpected { expected, found }, "")
}

fn elements(
    lexer: &mut Lexer,
    tags: &TagMap,
    builder: &mut MeshBuilder,
) -> Result<(), ImportError> {
    let [declared, per_cell, ..] = header(lexer, "elements")?;
    let kind = match per_cell {
        4 | 0 => &TET4,
        10 => &TET10,
        n => {
            let what = format!("an element of {n} nodes");
            return Err(lexer.error(Fault::Unsupported { what }, "TetGen elements have 4 or 10."));
        }
    };
    let start = lexer.clone();
    let mut shift = 0;
    if let Err(e) = element_lines(lexer, kind, declared, tags, 0, builder) {
        // Elements may refer from 0 to nodes that are numbered from 1; accepted only if all elements confirm it.
        let zero_based = matches!(tags, TagMap::Run { first: 1, .. })
            && spans_from_zero(&mut start.clone(), kind, declared, tags);
        if !zero_based {
            return Err(e);
        }
        shift = 1;
    }
    if shift == 1 {
        *lexer = start;
        builder.clear_cells();
        element_lines(lexer, kind, declared, tags, shift, builder)?;
        builder.warn("nodes are numbered from 1, but elements refer to them from 0; their node numbers were shifted by 1");
    }
    Ok(())
}

/// Whether sufficiently many elements, numbered from 0, refer to exactly the nodes 0 to n − 1.
fn spans_from_zero(lexer: &mut Lexer, kind: &CellType, declared: u64, tags: &TagMap) -> bool {
    let TagMap::Run { len, .. } = tags else {
        return false;
    };
    let mut least = i64::MAX;
    let mut greatest = i64::MIN;
    for n in 0..declared {
        if lexer.word().and_then(parse_int) != Some(n as i64) {
            return false;
        }
        for _ in 0..kind.nodes {
            let Some(node) = lexer.word_in_line().and_then(parse_int) else {
                return false;
            };
            least = least.min(node);
            greatest = greatest.max(node);
        }
        while lexer.word_in_line().is_some() {}
    }
    declared as usize >= MIN_ELEMENTS_TO_INFER_BASE && least == 0 && greatest == i64::from(*len) - 1
}

fn element_lines(
    lexer: &mut Lexer,
    kind: &CellType,
    declared: u64,
    tags: &TagMap,
    shift: i64,
    builder: &mut MeshBuilder,
) -> Result<(), ImportError> {
    builder.reserve(lexer.capacity(declared, 2 * kind.nodes), kind.nodes);
    let mut nodes = Vec::with_capacity(kind.nodes);
    for n in 0..declared {
        let at = lexer.pos;
        let id = lexer.int(|| format!("element {} of {declared}", n + 1))?;
        nodes.clear();
        for _ in 0..kind.nodes {
            let Some(word) = lexer.word_in_line() else {
                return Err(short_line(lexer, format!("a node of element {id}")));
            };
            let node = parse_int(word);
            let point = node
                .and_then(|t| t.checked_add(shift))
                .and_then(|t| tags.find(t));
            nodes.push(point.ok_or_else(|| {
                let fault = Fault::Reference {
                    element: format!("element {id}"),
                    node: super::lexer::quoted(word).trim_matches('"').to_string(),
                    known: tags.describe(),
                };
                let hint = "Check that .node and .ele number the nodes from the same base.";
                lexer.error_at(lexer.pos - word.len(), fault, hint)
            })?);
        }
        let region = lexer.word_in_line().and_then(parse_float).unwrap_or(0.0);
        while lexer.word_in_line().is_some() {}
        if kind.nodes == 10 {
            sort_mid_edge_nodes(&mut nodes, builder);
        }
        let label = || format!("element {id}");
        if builder.push(lexer, at, label, kind, &nodes)? && region != 0.0 && region.fract() == 0.0 {
            builder.tag_last(region as i64);
        }
    }
    Ok(())
}

/// Sorts nodes 4 to 9 into VTK's order by the edge whose midpoint is nearest.
fn sort_mid_edge_nodes(nodes: &mut [u32], builder: &MeshBuilder) {
    let point = |n: u32| builder.mesh.points[n as usize];
    for slot in 4..10 {
        let [a, b] = EDGES[slot - 4].map(|k| point(nodes[k]));
        let distance = |n: u32| {
            let p = point(n);
            (0..3)
                .map(|k| (p[k] - (a[k] + b[k]) / 2.0).powi(2))
                .sum::<f64>()
        };
        let nearest = (slot..10).min_by(|&i, &j| distance(nodes[i]).total_cmp(&distance(nodes[j])));
        nodes.swap(slot, nearest.unwrap_or(slot));
    }
}
