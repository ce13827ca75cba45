//! Resolves node selections (`where`) on a mesh.

use mesh::Mesh;

use crate::spec::{NodeSelection, nearest_name};

/// Tolerance of geometric selections as a fraction of the body's size.
const SELECTION_TOLERANCE: f64 = 1e-6;

/// Returns the selected nodes of a mesh in ascending order. The error is a message if there are none.
pub fn select(place: &NodeSelection, mesh: &Mesh) -> Result<Vec<u32>, String> {
    let (min, max) = bounds(&mesh.points);
    let near = SELECTION_TOLERANCE * (0..3).map(|k| max[k] - min[k]).fold(0.0, f64::max);
    let pick = |wanted: &dyn Fn(&[f64; 3]) -> bool| -> Vec<u32> {
        (0..mesh.points.len() as u32)
            .filter(|&i| wanted(&mesh.points[i as usize]))
            .collect()
    };
    let nodes = match place {
        NodeSelection::All => pick(&|_| true),
        NodeSelection::Corners => corners(min, max)
            .iter()
            .map(|c| nearest_point(&mesh.points, *c))
            .collect(),
        NodeSelection::Planes { x, y, z } => {
            let planes = [*x, *y, *z];
            pick(&|p| (0..3).all(|k| planes[k].is_none_or(|at| (p[k] - at).abs() <= near)))
        }
        NodeSelection::Box { min, max } => {
            pick(&|p| (0..3).all(|k| p[k] >= min[k] - near && p[k] <= max[k] + near))
        }
        NodeSelection::Near(point) => vec![nearest_point(&mesh.points, *point)],
        NodeSelection::Sphere(s) => pick(&|p| distance2(p, &s.center) <= (s.radius + near).powi(2)),
        NodeSelection::Nodes(list) => {
            if let Some(i) = list.iter().find(|&&i| i >= mesh.points.len()) {
                return Err(format!(
                    "there is no node {i}: the body has nodes 0 to {}",
                    mesh.points.len() - 1
                ));
            }
            list.iter().map(|&i| i as u32).collect()
        }
        NodeSelection::Group(name) => group(mesh, name)?,
    };
    let mut nodes = nodes;
    nodes.sort_unstable();
    nodes.dedup();
    if nodes.is_empty() {
        let span = (0..3).map(|k| format!("{} from {} to {}", ["x", "y", "z"][k], min[k], max[k]));
        return Err(format!(
            "matches no node; the body spans {}",
            span.collect::<Vec<_>>().join(", ")
        ));
    }
    Ok(nodes)
}

fn group(mesh: &Mesh, name: &str) -> Result<Vec<u32>, String> {
    match mesh.groups.iter().find(|g| g.name == name) {
        Some(group) => Ok(group.points.clone()),
        None if mesh.groups.is_empty() => Err(format!(
            "there is no group \"{name}\": the mesh has no groups"
        )),
        None => {
            let names = || mesh.groups.iter().map(|g| g.name.as_str());
            let hint = nearest_name(name, names())
                .map(|n| format!("; did you mean \"{n}\"?"))
                .unwrap_or_default();
            Err(format!(
                "there is no group \"{name}\" among {}{hint}",
                names().collect::<Vec<_>>().join(", ")
            ))
        }
    }
}

/// Returns the index of the point nearest to a position; the first of several.
pub fn nearest_point(points: &[[f64; 3]], place: [f64; 3]) -> u32 {
    let mut best = (f64::INFINITY, 0);
    for (i, p) in points.iter().enumerate() {
        let d = distance2(p, &place);
        if d < best.0 {
            best = (d, i as u32);
        }
    }
    best.1
}

fn distance2(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum()
}

/// Returns the lower and upper corner of the bounding box of points.
pub fn bounds(points: &[[f64; 3]]) -> ([f64; 3], [f64; 3]) {
    let mut out = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for p in points {
        for k in 0..3 {
            out.0[k] = out.0[k].min(p[k]);
            out.1[k] = out.1[k].max(p[k]);
        }
    }
    out
}

fn corners(min: [f64; 3], max: [f64; 3]) -> Vec<[f64; 3]> {
    (0..8)
        .map(|c| [0, 1, 2].map(|k| if c >> k & 1 == 0 { min[k] } else { max[k] }))
        .collect()
}
