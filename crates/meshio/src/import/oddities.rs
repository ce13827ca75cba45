//! Things a mesh may be and people should know: unused and doubled points, doubled cells, pieces that may
//! interpenetrate, and for surfaces open, crowded and pinched places. Counted and named, not repaired.

use mesh::{Kind, Mesh, Shape};

use super::draft::Draft;

/// More pieces than this are not compared with each other.
const MANY: usize = 2000;

/// Tells what is odd about a mesh.
pub(crate) fn tell(draft: &mut Draft) {
    kinds(draft);
    points(draft);
    doubled_cells(draft);
    if !draft.mesh.kinds.iter().any(|k| k.dimension() == 3) {
        surface(draft);
    }
    pieces(draft);
}

fn count(mesh: &Mesh, wanted: impl Fn(Kind) -> bool) -> usize {
    mesh.kinds.iter().filter(|k| wanted(**k)).count()
}

fn kinds(draft: &mut Draft) {
    let mesh = &draft.mesh;
    let solids = count(mesh, |k| k.dimension() == 3);
    let lower = mesh.len() - solids;
    let wedges = count(mesh, |k| k.dimension() == 3 && !k.carries_stress());
    let quadratic = count(mesh, |k| {
        k.dimension() == 3 && k.node_count() > k.corner_count()
    });
    if solids > 0 && lower > 0 {
        draft.note(format!(
            "{lower} points, lines and faces beside {solids} solid cells are used for groups only"
        ));
    }
    if wedges > 0 {
        draft.warn(format!(
            "{wedges} prisms and pyramids: they are kept, but only tetrahedra and hexahedra can be simulated"
        ));
    }
    if quadratic > 0 {
        draft.note(format!(
            "{quadratic} second-order cells keep their mid-side nodes"
        ));
    }
}

fn points(draft: &mut Draft) {
    let mesh = &draft.mesh;
    let mut used = vec![false; mesh.points.len()];
    for &n in &mesh.nodes {
        used[n as usize] = true;
    }
    let unused = used.iter().filter(|u| !**u).count();
    let first = used.iter().position(|u| !u).unwrap_or(0);
    drop(used);
    let mut order: Vec<u32> = (0..mesh.points.len() as u32).collect();
    let compare = |a: u32, b: u32| {
        let (p, q) = (&mesh.points[a as usize], &mesh.points[b as usize]);
        let axes = p.iter().zip(q);
        // Adding zero makes −0 and 0 the same.
        axes.fold(std::cmp::Ordering::Equal, |o, (x, y)| {
            o.then((x + 0.0).total_cmp(&(y + 0.0)))
        })
    };
    order.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
    let pair = order.windows(2).find(|w| compare(w[0], w[1]).is_eq());
    let pair = pair.map(|w| (w[0] + 1, w[1] + 1));
    let doubled = order
        .windows(2)
        .filter(|w| compare(w[0], w[1]).is_eq())
        .count();
    if unused > 0 {
        draft.warn(format!(
            "{unused} points are not used by any cell (the first is point {})",
            first + 1
        ));
    }
    if let Some((a, b)) = pair {
        draft.warn(format!(
            "{doubled} points are duplicates of others (points {a} and {b} coincide)"
        ));
    }
}

/// A number that is the same for the same nodes in any order.
fn signature(nodes: &[u32]) -> u64 {
    nodes
        .iter()
        .map(|&n| {
            let x = (u64::from(n) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
        })
        .fold(0, u64::wrapping_add)
}

fn doubled_cells(draft: &mut Draft) {
    let mesh = &draft.mesh;
    let mut marks: Vec<(u64, u32)> = (0..mesh.len())
        .map(|i| (signature(mesh.cell(i)), i as u32))
        .collect();
    marks.sort_unstable();
    let same = |a: u32, b: u32| {
        let sorted = |i: u32| {
            let mut nodes = mesh.cell(i as usize).to_vec();
            nodes.sort_unstable();
            nodes
        };
        mesh.kinds[a as usize] == mesh.kinds[b as usize] && sorted(a) == sorted(b)
    };
    let pairs = marks
        .windows(2)
        .filter(|w| w[0].0 == w[1].0 && same(w[0].1, w[1].1));
    let (mut n, mut first) = (0, None);
    for w in pairs {
        n += 1;
        let pair = (w[0].1 + 1, w[1].1 + 1);
        first = first.min(Some(pair)).or(Some(pair));
    }
    if let Some((a, b)) = first {
        draft.warn(format!(
            "{n} cells are duplicates of others (cells {a} and {b} have the same nodes)"
        ));
    }
}

/// Representative of a set, halving the path on the way.
fn root(sets: &mut [u32], mut i: u32) -> u32 {
    while sets[i as usize] != i {
        sets[i as usize] = sets[sets[i as usize] as usize];
        i = sets[i as usize];
    }
    i
}

/// The lower root wins, so names of sets do not depend on the order of joining.
fn join(sets: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(sets, a), root(sets, b));
    sets[a.max(b) as usize] = a.min(b);
}

/// An edge of a face: its ends in order, and the face's corners at them.
struct Edge {
    ends: (u32, u32),
    corners: (u32, u32),
    forward: bool,
}

fn edges(mesh: &Mesh) -> (Vec<Edge>, Vec<u32>) {
    let mut edges = Vec::new();
    let mut corners: Vec<u32> = Vec::new();
    for (kind, cell) in mesh.cells() {
        if kind.dimension() != 2 {
            continue;
        }
        let sides = kind.corner_count();
        let base = corners.len() as u32;
        corners.extend_from_slice(&cell[..sides]);
        for k in 0..sides {
            let next = (k + 1) % sides;
            let (a, b) = (cell[k], cell[next]);
            let (ca, cb) = (base + k as u32, base + next as u32);
            edges.push(Edge {
                ends: (a.min(b), a.max(b)),
                corners: if a < b { (ca, cb) } else { (cb, ca) },
                forward: a < b,
            });
        }
    }
    edges.sort_unstable_by_key(|e| (e.ends, e.corners));
    (edges, corners)
}

fn surface(draft: &mut Draft) {
    let mesh = &draft.mesh;
    let (edges, corners) = edges(mesh);
    if edges.is_empty() {
        return;
    }
    let mut fans: Vec<u32> = (0..corners.len() as u32).collect();
    let (mut open, mut crowded, mut turned) = (0, 0, 0);
    let mut first_crowded = None;
    for run in edges.chunk_by(|a, b| a.ends == b.ends) {
        match run {
            [_] => open += 1,
            [a, b] => turned += usize::from(a.forward == b.forward),
            _ => {
                crowded += 1;
                first_crowded.get_or_insert((run[0].ends, run.len()));
            }
        }
        for e in &run[1..] {
            join(&mut fans, run[0].corners.0, e.corners.0);
            join(&mut fans, run[0].corners.1, e.corners.1);
        }
    }
    let mut fan_count = vec![0u8; mesh.points.len()];
    for (i, &p) in corners.iter().enumerate() {
        if fans[i] == i as u32 {
            fan_count[p as usize] = fan_count[p as usize].saturating_add(1);
        }
    }
    let pinched = fan_count.iter().filter(|n| **n > 1).count();
    let first_pinched = fan_count.iter().position(|n| *n > 1).unwrap_or(0);
    let flat = flat_faces(mesh);
    if open > 0 {
        draft.warn(format!("the surface is not closed: {open} boundary edges"));
    }
    if let Some(((a, b), faces)) = first_crowded {
        draft.warn(format!(
            "{crowded} edges are shared by more than two faces (the edge between points {} and {} by {faces}): \
             not manifold",
            a + 1,
            b + 1
        ));
    }
    if pinched > 0 {
        draft.warn(format!(
            "{pinched} points join separate fans of faces (the first is point {}): not manifold",
            first_pinched + 1
        ));
    }
    if turned > 0 {
        draft.warn(format!(
            "{turned} edges lie between faces that are turned opposite ways"
        ));
    }
    if let (n @ 1.., first) = flat {
        draft.warn(format!(
            "{n} faces have no area (the first is cell {})",
            first + 1
        ));
    }
}

/// Triangles without area, relative to their longest edge, and the first of them.
fn flat_faces(mesh: &Mesh) -> (usize, usize) {
    let (mut n, mut first) = (0, 0);
    for (i, (kind, cell)) in mesh.cells().enumerate() {
        if !kind.is(Shape::Triangle) {
            continue;
        }
        let p = [0, 1, 2].map(|k| mesh.points[cell[k] as usize]);
        let e = |a: usize, b: usize| [0, 1, 2].map(|k| p[b][k] - p[a][k]);
        let (u, v, w) = (e(0, 1), e(0, 2), e(1, 2));
        let square = |a: [f64; 3]| a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
        let longest = square(u).max(square(v)).max(square(w));
        let normal = [
            u[1] * v[2] - u[2] * v[1],
            u[2] * v[0] - u[0] * v[2],
            u[0] * v[1] - u[1] * v[0],
        ];
        if square(normal).sqrt() <= 1e-14 * longest {
            first = if n == 0 { i } else { first };
            n += 1;
        }
    }
    (n, first)
}

/// Pieces that are not joined and whose boxes overlap may lie in each other.
fn pieces(draft: &mut Draft) {
    let mesh = &draft.mesh;
    let dimension = mesh.kinds.iter().map(|k| k.dimension()).max().unwrap_or(0);
    if dimension < 2 {
        return;
    }
    let mut sets: Vec<u32> = (0..mesh.points.len() as u32).collect();
    let mut used = vec![false; mesh.points.len()];
    for (kind, cell) in mesh.cells() {
        if kind.dimension() == dimension {
            for &n in cell {
                used[n as usize] = true;
                join(&mut sets, cell[0], n);
            }
        }
    }
    let mut boxes: Vec<([f64; 3], [f64; 3])> = Vec::new();
    let mut number = vec![u32::MAX; mesh.points.len()];
    for i in (0..mesh.points.len()).filter(|&i| used[i]) {
        let r = root(&mut sets, i as u32) as usize;
        if number[r] == u32::MAX {
            number[r] = boxes.len() as u32;
            boxes.push(([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]));
        }
        let (low, high) = &mut boxes[number[r] as usize];
        for k in 0..3 {
            low[k] = low[k].min(mesh.points[i][k]);
            high[k] = high[k].max(mesh.points[i][k]);
        }
    }
    let n = boxes.len();
    if !(2..=MANY).contains(&n) {
        return;
    }
    let overlap = |a: &([f64; 3], [f64; 3]), b: &([f64; 3], [f64; 3])| {
        (0..3).all(|k| a.0[k] < b.1[k] && b.0[k] < a.1[k])
    };
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let mut overlapping = pairs.filter(|&(i, j)| overlap(&boxes[i], &boxes[j]));
    let more = match overlapping.next() {
        Some((i, j)) => format!(
            "; the boxes around {} pairs of them overlap (pieces {} and {}): they may interpenetrate",
            overlapping.count() + 1,
            i + 1,
            j + 1
        ),
        None => String::new(),
    };
    draft.note(format!("the mesh has {n} separate pieces{more}"));
}
