//! Concatenation of meshes.

use super::{Group, Mesh};

/// Concatenates the points and cells of meshes and shifts node and cell numbers accordingly. Groups of the same name
/// become one group, in order of first appearance.
pub fn merge(meshes: &[Mesh]) -> Mesh {
    let mut all = Mesh::with_points(Vec::with_capacity(
        meshes.iter().map(|m| m.points.len()).sum(),
    ));
    for mesh in meshes {
        let points = all.points.len() as u32;
        let cells = all.len() as u32;
        let nodes = all.nodes.len() as u32;
        all.points.extend_from_slice(&mesh.points);
        all.kinds.extend_from_slice(&mesh.kinds);
        all.nodes.extend(mesh.nodes.iter().map(|n| n + points));
        all.starts
            .extend(mesh.starts.iter().skip(1).map(|s| s + nodes));
        for group in &mesh.groups {
            let at = match all.groups.iter().position(|g| g.name == group.name) {
                Some(at) => at,
                None => {
                    all.groups.push(Group {
                        name: group.name.clone(),
                        ..Group::default()
                    });
                    all.groups.len() - 1
                }
            };
            let target = &mut all.groups[at];
            target.cells.extend(group.cells.iter().map(|c| c + cells));
            target
                .points
                .extend(group.points.iter().map(|p| p + points));
        }
    }
    all
}
