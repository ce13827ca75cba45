//! TetGen's .node and .ele (TetGen manual, "File formats"). Given either file the other is found beside it. Numbers
//! count from 0 or from 1: the first node decides.
//!
//! The mid-edge nodes of 10-node elements are put on the edge whose middle they are nearest to, so no table of
//! their order is needed.

use std::collections::BTreeMap;
use std::path::Path;

use mesh::{Group, Kind};

use super::Format;
use super::cells::CellType;
use super::draft::Draft;
use super::error::{Fault, ImportError};
use super::scan::{Scan, parse_float, parse_int};
use super::tags::Tags;

const TET4: CellType = CellType::plain(Kind::Tet4);
const TET10: CellType = CellType::plain(Kind::Tet10);
/// Edges of the mid-edge nodes 4 to 9 in VTK's order.
const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]];
/// Fewer elements than this do not prove that a file counts from 0.
const PROOF: usize = 16;

/// Reads a pair of files of which `bytes` is one; without a path, .node and .ele follow each other in `bytes`.
pub(crate) fn read(bytes: &[u8], file: &str, path: Option<&Path>) -> Result<Draft, ImportError> {
    let Some(path) = path else {
        let mut scan = Scan::new(bytes, file);
        scan.comment = b'#';
        let mut draft = Draft::new(Format::Tetgen);
        let tags = nodes(&mut scan, &mut draft)?;
        elements(&mut scan, &tags, &mut draft)?;
        nothing_left(&mut scan, "elements")?;
        return Ok(draft);
    };
    let is_ele = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("ele"));
    let other = path.with_extension(if is_ele { "node" } else { "ele" });
    let other_file = other.display().to_string();
    let other_bytes = std::fs::read(&other).map_err(|e| {
        let hint = format!("TetGen meshes are two files: {other_file} must stand beside it.");
        ImportError::whole(file, Fault::Io(e), hint)
    })?;
    let beside = format!("the file beside {file}");
    let given = Scan {
        comment: b'#',
        ..Scan::new(bytes, file)
    };
    let found = Scan {
        comment: b'#',
        section: &beside,
        ..Scan::new(&other_bytes, &other_file)
    };
    let (mut node, mut ele) = if is_ele {
        (found, given)
    } else {
        (given, found)
    };
    let mut draft = Draft::new(Format::Tetgen);
    let tags = nodes(&mut node, &mut draft)?;
    nothing_left(&mut node, "nodes")?;
    elements(&mut ele, &tags, &mut draft)?;
    nothing_left(&mut ele, "elements")?;
    Ok(draft)
}

/// More lines than declared are a mistake somewhere.
fn nothing_left(scan: &mut Scan, what: &str) -> Result<(), ImportError> {
    let Some(word) = scan.word() else {
        return Ok(());
    };
    let fault = Fault::Count {
        what: what.to_string(),
        declared: "fewer".to_string(),
        found: format!("more: {}", super::scan::shown(word)),
    };
    Err(scan.fail_at(
        scan.pos - word.len(),
        fault,
        "The count and the list must agree.",
    ))
}

/// The numbers of a header line; those left out are 0.
fn header(scan: &mut Scan, what: &str) -> Result<[u64; 4], ImportError> {
    let mut counts = [0; 4];
    counts[0] = scan.count(what)?;
    for count in &mut counts[1..] {
        let Some(word) = scan.word_in_line() else {
            break;
        };
        let n = scan.int_of(word, || format!("a count of the {what} header"))?;
        *count = u64::try_from(n).unwrap_or(0);
    }
    Ok(counts)
}

fn nodes(scan: &mut Scan, draft: &mut Draft) -> Result<Tags, ImportError> {
    let [declared, dimension, attributes, _] = header(scan, "nodes")?;
    if dimension != 3 && dimension != 0 {
        let what = format!("dimension {dimension}");
        return Err(scan.fail(
            Fault::Unsupported { what },
            "TetGen nodes have 3 coordinates.",
        ));
    }
    let room = scan.room(declared, 8);
    let mut tags = Vec::with_capacity(room);
    draft.mesh.points.reserve_exact(room);
    let mut markers: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
    for n in 0..declared {
        let tag = scan.int(|| format!("node {} of {declared}", n + 1))?;
        let mut point = [0.0; 3];
        for (x, axis) in point.iter_mut().zip(["x", "y", "z"]) {
            let Some(word) = scan.word_in_line() else {
                return Err(short_line(scan, format!("{axis} of node {tag}")));
            };
            *x = scan.float_of(word, || format!("{axis} of node {tag}"))?;
        }
        let mut rest = 0;
        while let Some(word) = scan.word_in_line() {
            if rest == attributes
                && let Some(marker @ 1..) = parse_int(word)
            {
                markers.entry(marker).or_default().push(n as u32);
            }
            rest += 1;
        }
        tags.push(tag);
        draft.mesh.points.push(point);
    }
    draft
        .groups
        .extend(markers.into_iter().map(|(m, points)| Group {
            name: format!("marker {m}"),
            cells: Vec::new(),
            points,
        }));
    Tags::new(&tags).map_err(|i| {
        let tag = tags[i].to_string();
        let what = "node number";
        scan.fail(Fault::Duplicate { what, tag }, "")
    })
}

fn short_line(scan: &Scan, expected: String) -> ImportError {
    let found = "the end of the line".to_string();
    scan.fail(Fault::Unexpected { expected, found }, "")
}

fn elements(scan: &mut Scan, tags: &Tags, draft: &mut Draft) -> Result<(), ImportError> {
    let [declared, per_cell, ..] = header(scan, "elements")?;
    let kind = match per_cell {
        4 | 0 => &TET4,
        10 => &TET10,
        n => {
            let what = format!("an element of {n} nodes");
            return Err(scan.fail(Fault::Unsupported { what }, "TetGen elements have 4 or 10."));
        }
    };
    let start = scan.clone();
    let mut shift = 0;
    if let Err(e) = element_lines(scan, kind, declared, tags, 0, draft) {
        // Nodes counted from 1, elements from 0: told apart only where the elements leave no doubt.
        let zero_based = matches!(tags, Tags::Run { first: 1, .. })
            && spans_from_zero(&mut start.clone(), kind, declared, tags);
        if !zero_based {
            return Err(e);
        }
        shift = 1;
    }
    if shift == 1 {
        *scan = start;
        draft.clear_cells();
        element_lines(scan, kind, declared, tags, shift, draft)?;
        draft.warn("nodes count from 1 but the elements refer to them from 0; read so");
    }
    Ok(())
}

/// Whether many elements refer to exactly the nodes 0 to n − 1, the element numbers counting from 0 as well.
fn spans_from_zero(scan: &mut Scan, kind: &CellType, declared: u64, tags: &Tags) -> bool {
    let Tags::Run { len, .. } = tags else {
        return false;
    };
    let mut least = i64::MAX;
    let mut greatest = i64::MIN;
    for n in 0..declared {
        if scan.word().and_then(parse_int) != Some(n as i64) {
            return false;
        }
        for _ in 0..kind.nodes {
            let Some(node) = scan.word_in_line().and_then(parse_int) else {
                return false;
            };
            least = least.min(node);
            greatest = greatest.max(node);
        }
        while scan.word_in_line().is_some() {}
    }
    declared as usize >= PROOF && least == 0 && greatest == i64::from(*len) - 1
}

fn element_lines(
    scan: &mut Scan,
    kind: &CellType,
    declared: u64,
    tags: &Tags,
    shift: i64,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    draft.reserve(scan.room(declared, 2 * kind.nodes), kind.nodes);
    let mut nodes = Vec::with_capacity(kind.nodes);
    for n in 0..declared {
        let at = scan.pos;
        let id = scan.int(|| format!("element {} of {declared}", n + 1))?;
        nodes.clear();
        for _ in 0..kind.nodes {
            let Some(word) = scan.word_in_line() else {
                return Err(short_line(scan, format!("a node of element {id}")));
            };
            let node = parse_int(word);
            let point = node
                .and_then(|t| t.checked_add(shift))
                .and_then(|t| tags.find(t));
            nodes.push(point.ok_or_else(|| {
                let fault = Fault::Reference {
                    element: format!("element {id}"),
                    node: super::scan::shown(word).trim_matches('"').to_string(),
                    known: tags.known(),
                };
                let hint = "Do .node and .ele count from the same number?";
                scan.fail_at(scan.pos - word.len(), fault, hint)
            })?);
        }
        let region = scan.word_in_line().and_then(parse_float).unwrap_or(0.0);
        while scan.word_in_line().is_some() {}
        if kind.nodes == 10 {
            onto_edges(&mut nodes, draft);
        }
        let label = || format!("element {id}");
        if draft.push(scan, at, label, kind, &nodes)? && region != 0.0 && region.fract() == 0.0 {
            draft.tag_last(region as i64);
        }
    }
    Ok(())
}

/// Sorts nodes 4 to 9 onto the edges whose middles they are nearest to.
fn onto_edges(nodes: &mut [u32], draft: &Draft) {
    let point = |n: u32| draft.mesh.points[n as usize];
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
