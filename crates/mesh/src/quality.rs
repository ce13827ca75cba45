//! Quality of a mesh: counts, dihedral angles, edge lengths and defects.

use rayon::prelude::*;

use super::topology::{DisjointSets, SurfaceTopology, surface_topology};
use super::vector::{cross, dot, norm, sub};
use super::{CellKind, CellValidity, Mesh, cell_validity, cell_volume, edges, surface};

/// Statistics of the dihedral angles of the solid cells, degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DihedralAngles {
    /// Smallest angle of all cells.
    pub min: f64,
    /// First percentile of the cells' smallest angles.
    pub percentile_1: f64,
    /// Median of the cells' smallest angles.
    pub median: f64,
    /// Largest angle of all cells.
    pub max: f64,
}

/// Statistics of the edge lengths, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeLengths {
    /// Shortest edge.
    pub min: f64,
    /// Mean over all edges.
    pub mean: f64,
    /// Longest edge.
    pub max: f64,
}

/// Counts, quality measures and defects of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// Number of cells of each kind that occurs, in the order of [`CellKind`].
    pub kinds: Vec<(CellKind, usize)>,
    /// Number of points.
    pub points: usize,
    /// Bounding box: least and greatest coordinates, m; `None` without points.
    pub bounds: Option<[[f64; 3]; 2]>,
    /// Sum of the signed volumes of solid cells, m³.
    pub volume: f64,
    /// Dihedral angles; `None` without solid cells.
    pub angles: Option<DihedralAngles>,
    /// Solid cell with the smallest dihedral angle; `None` without solid cells.
    pub worst_cell: Option<u32>,
    /// Edge lengths; `None` without edges.
    pub lengths: Option<EdgeLengths>,
    /// Number of cells whose Jacobian is negative at a corner or Gauss point.
    pub inverted: usize,
    /// First inverted cells, at most eight.
    pub first_inverted: Vec<u32>,
    /// Number of cells whose Jacobian vanishes somewhere: flat cells and cells with a repeated node.
    pub degenerate: usize,
    /// First degenerate cells, at most eight.
    pub first_degenerate: Vec<u32>,
    /// Number of cells with the same corners as an earlier cell of the same dimension.
    pub duplicate_cells: usize,
    /// First duplicate cells, at most eight.
    pub first_duplicates: Vec<u32>,
    /// Number of points that no cell uses.
    pub unreferenced_points: usize,
    /// Number of points that coincide exactly with an earlier point.
    pub duplicate_points: usize,
    /// Number of connected components, connected through shared nodes.
    pub components: usize,
    /// Number of faces that three or more solid cells share.
    pub non_manifold_faces: usize,
    /// Topology of the boundary surface.
    pub surface: SurfaceTopology,
}

/// Most examples of a defect that are listed.
const MAX_EXAMPLES: usize = 8;

/// Measures the quality of a mesh and counts its defects.
pub fn quality(mesh: &Mesh) -> Quality {
    let validity: Vec<CellValidity> = (0..mesh.len())
        .into_par_iter()
        .map(|i| cell_validity(mesh, i))
        .collect();
    let (inverted, first_inverted) = count_and_list(&validity, CellValidity::Inverted);
    let (degenerate, first_degenerate) = count_and_list(&validity, CellValidity::Degenerate);
    let volumes: Vec<f64> = (0..mesh.len())
        .into_par_iter()
        .map(|i| cell_volume(mesh, i))
        .collect();
    let (angles, worst_cell) = dihedral_angles(mesh);
    let boundary = surface(mesh);
    let duplicates = duplicate_cells(mesh);
    Quality {
        kinds: CellKind::ALL
            .iter()
            .map(|&k| (k, mesh.kinds.iter().filter(|&&m| m == k).count()))
            .filter(|(_, n)| *n > 0)
            .collect(),
        points: mesh.points.len(),
        bounds: bounds(&mesh.points),
        volume: volumes.iter().sum(),
        angles,
        worst_cell,
        lengths: lengths(mesh),
        inverted,
        first_inverted,
        degenerate,
        first_degenerate,
        duplicate_cells: duplicates.len(),
        first_duplicates: duplicates.into_iter().take(MAX_EXAMPLES).collect(),
        unreferenced_points: unreferenced(mesh),
        duplicate_points: duplicate_points(&mesh.points),
        components: components(mesh),
        non_manifold_faces: boundary.non_manifold_faces,
        surface: surface_topology(boundary.faces.iter().map(|f| f.nodes())),
    }
}

/// Number of cells of a validity, and the first of them.
fn count_and_list(validity: &[CellValidity], which: CellValidity) -> (usize, Vec<u32>) {
    let all = || (0u32..).zip(validity).filter(|(_, v)| **v == which);
    (
        all().count(),
        all().take(MAX_EXAMPLES).map(|(i, _)| i).collect(),
    )
}

fn bounds(points: &[[f64; 3]]) -> Option<[[f64; 3]; 2]> {
    let first = *points.first()?;
    Some(points.iter().fold([first, first], |[low, high], p| {
        [
            [0, 1, 2].map(|k| low[k].min(p[k])),
            [0, 1, 2].map(|k| high[k].max(p[k])),
        ]
    }))
}

fn lengths(mesh: &Mesh) -> Option<EdgeLengths> {
    let list = edges(mesh);
    let mut l = EdgeLengths {
        min: f64::INFINITY,
        mean: 0.0,
        max: 0.0,
    };
    for e in &list {
        let d = norm(sub(mesh.points[e[0] as usize], mesh.points[e[1] as usize]));
        l.min = l.min.min(d);
        l.max = l.max.max(d);
        l.mean += d / list.len() as f64;
    }
    (!list.is_empty()).then_some(l)
}

/// Smallest and largest dihedral angle of solid cell `i`, degrees, measured between the faces at each corner.
pub fn dihedral_range(mesh: &Mesh, i: usize) -> [f64; 2] {
    let cell = mesh.cell(i);
    let at = |n: u8| mesh.points[cell[n as usize] as usize];
    let mut range = [180.0f64, 0.0f64];
    for t in mesh.kinds[i].triads() {
        let o = at(t[0]);
        let e = [1, 2, 3].map(|k| sub(at(t[k]), o));
        for k in 0..3 {
            let (axis, b, c) = (e[k], e[(k + 1) % 3], e[(k + 2) % 3]);
            let (n, m) = (cross(axis, b), cross(axis, c));
            // |n × m| = |axis| · |axis · (b × c)|: atan2 keeps its digits where acos loses them.
            let sine = norm(axis) * dot(axis, cross(b, c));
            let angle = sine.abs().atan2(dot(n, m)).to_degrees();
            range = [range[0].min(angle), range[1].max(angle)];
        }
    }
    range
}

/// Statistics of the dihedral angles, and the cell with the smallest one.
fn dihedral_angles(mesh: &Mesh) -> (Option<DihedralAngles>, Option<u32>) {
    let solid: Vec<u32> = (0u32..)
        .zip(&mesh.kinds)
        .filter(|(_, k)| k.dimension() == 3)
        .map(|(i, _)| i)
        .collect();
    let ranges: Vec<[f64; 2]> = solid
        .par_iter()
        .map(|&i| dihedral_range(mesh, i as usize))
        .collect();
    let Some(worst) = (0..ranges.len()).min_by(|&a, &b| ranges[a][0].total_cmp(&ranges[b][0]))
    else {
        return (None, None);
    };
    let mut smallest: Vec<f64> = ranges.iter().map(|r| r[0]).collect();
    let mut rank = |k: usize| *smallest.select_nth_unstable_by(k, f64::total_cmp).1;
    let n = ranges.len();
    let angles = DihedralAngles {
        min: ranges[worst][0],
        percentile_1: rank(n / 100),
        median: rank(n / 2),
        max: ranges.iter().map(|r| r[1]).fold(0.0, f64::max),
    };
    (Some(angles), Some(solid[worst]))
}

/// Cells with the corners of an earlier cell of the same dimension, ascending.
fn duplicate_cells(mesh: &Mesh) -> Vec<u32> {
    let mut keyed: Vec<([u32; 8], u8, u32)> = mesh
        .cells()
        .enumerate()
        .map(|(i, (kind, cell))| {
            let mut key = [u32::MAX; 8];
            let n = kind.corner_count();
            key[..n].copy_from_slice(&cell[..n]);
            key.sort_unstable();
            (key, kind.dimension() as u8, i as u32)
        })
        .collect();
    keyed.par_sort_unstable();
    let mut repeats: Vec<u32> = keyed
        .windows(2)
        .filter(|w| w[0].0 == w[1].0 && w[0].1 == w[1].1)
        .map(|w| w[1].2)
        .collect();
    repeats.sort_unstable();
    repeats
}

fn unreferenced(mesh: &Mesh) -> usize {
    let mut used = vec![false; mesh.points.len()];
    for &n in &mesh.nodes {
        used[n as usize] = true;
    }
    used.iter().filter(|u| !**u).count()
}

fn duplicate_points(points: &[[f64; 3]]) -> usize {
    // Adding zero makes −0 and 0 the same point.
    let mut keys: Vec<[u64; 3]> = points
        .iter()
        .map(|p| p.map(|x| (x + 0.0).to_bits()))
        .collect();
    keys.par_sort_unstable();
    keys.windows(2).filter(|w| w[0] == w[1]).count()
}

/// Number of connected components of the cells of the highest dimension, connected through shared nodes.
pub fn components(mesh: &Mesh) -> usize {
    let top = mesh.kinds.iter().map(|k| k.dimension()).max();
    let mut sets = DisjointSets::new(mesh.points.len());
    let mut used = vec![false; mesh.points.len()];
    for (kind, cell) in mesh.cells().filter(|(k, _)| Some(k.dimension()) == top) {
        for &n in &cell[..kind.node_count()] {
            used[n as usize] = true;
            sets.union(cell[0], n);
        }
    }
    (0..mesh.points.len() as u32)
        .filter(|&i| used[i as usize] && sets.root(i) == i)
        .count()
}
