//! Groups of cells and points from tags and from data arrays of VTK files.

use std::collections::{BTreeMap, BTreeSet};

use mesh::{Group, Mesh};

use super::DataArray;
use super::error::Notice;
use super::mesh_builder::MeshBuilder;

/// Prefix of the names of membership arrays, as our writers use it.
const MEMBERSHIP_PREFIX: &str = "group:";
/// Names of arrays in which other writers store group numbers.
const GROUP_NUMBER_ARRAYS: [&str; 3] = ["gmsh:physical", "medit:ref", "CellEntityIds"];
/// An array with more distinct numbers than this is not read as groups.
const MAX_NUMBERED_GROUPS: usize = 4096;

impl MeshBuilder {
    /// Turns tags into groups, named by their physical name or their number. If a number is used in several dimensions,
    /// the highest dimension keeps the plain number and the others get a prefix such as "surface".
    pub fn collect_groups(&mut self) {
        let mut by_tag: BTreeMap<(usize, i64), Vec<u32>> = BTreeMap::new();
        for range in std::mem::take(&mut self.tag_ranges) {
            by_tag
                .entry((range.dimension, range.tag))
                .or_default()
                .extend(range.first..range.end);
        }
        for (key, name) in &self.names {
            if !by_tag.contains_key(key) {
                let text = format!("the group \"{name}\" is empty");
                self.notices.push(Notice::note(text));
            }
        }
        let keys: Vec<_> = by_tag.keys().copied().collect();
        let mut groups = std::mem::take(&mut self.groups);
        for ((dimension, tag), cells) in by_tag {
            let name = self.names.get(&(dimension, tag)).cloned();
            let name = name.unwrap_or_else(|| {
                let higher = keys.iter().any(|&(d, t)| t == tag && d > dimension);
                let prefix = ["point ", "line ", "surface ", ""][dimension];
                format!("{}{tag}", if higher { prefix } else { "" })
            });
            groups.push(Group {
                name,
                cells,
                points: Vec::new(),
            });
        }
        self.groups = merged(groups, &self.mesh);
    }

    /// Turns membership arrays and arrays of group numbers into groups; `cell_data` must be in the order of the mesh.
    pub fn groups_from_data(&mut self) {
        let (marks, data) = std::mem::take(&mut self.cell_data)
            .into_iter()
            .partition(is_membership);
        self.cell_data = data;
        let (point_marks, data) = std::mem::take(&mut self.point_data)
            .into_iter()
            .partition(is_membership);
        self.point_data = data;
        let cells: Vec<DataArray> = marks;
        let points: Vec<DataArray> = point_marks;
        for (arrays, of_cells) in [(cells, true), (points, false)] {
            for array in arrays {
                // Arrays of damaged files may be longer than the mesh.
                let count = if of_cells {
                    self.mesh.len()
                } else {
                    self.mesh.points.len()
                };
                let known = array.values.iter().take(count);
                let marked = known.zip(0..).filter(|(v, _)| **v != 0.0);
                let members: Vec<u32> = marked.map(|(_, i)| i).collect();
                let (cells, points) = if of_cells {
                    (members, Vec::new())
                } else {
                    (Vec::new(), members)
                };
                let name = array.name[MEMBERSHIP_PREFIX.len()..].to_string();
                self.groups.push(Group {
                    name,
                    cells,
                    points,
                });
            }
        }
        let numbers = self
            .cell_data
            .iter()
            .find(|a| GROUP_NUMBER_ARRAYS.contains(&a.name.as_str()) && a.components == 1);
        let Some(numbers) = numbers else { return };
        let tags: Vec<i64> = numbers.values.iter().map(|v| *v as i64).collect();
        let whole = numbers
            .values
            .iter()
            .all(|v| v.fract() == 0.0 && v.abs() < 1e9);
        let distinct: BTreeSet<i64> = tags.iter().copied().take(100_000).collect();
        if whole && distinct.len() <= MAX_NUMBERED_GROUPS {
            for (tag, i) in tags.into_iter().take(self.mesh.len()).zip(0..) {
                if tag != 0 {
                    self.tag(tag, i, i + 1);
                }
            }
        }
    }
}

/// Whether an array marks the members of a group.
fn is_membership(array: &DataArray) -> bool {
    let named = array.name.len() > MEMBERSHIP_PREFIX.len();
    named && array.name.starts_with(MEMBERSHIP_PREFIX) && array.components == 1
}

/// Merges groups of the same name and adds the points of their cells.
fn merged(groups: Vec<Group>, mesh: &Mesh) -> Vec<Group> {
    let mut out: Vec<Group> = Vec::new();
    let mut index: BTreeMap<String, usize> = BTreeMap::new();
    for group in groups {
        match index.get(&group.name) {
            Some(&i) => {
                out[i].cells.extend(group.cells);
                out[i].points.extend(group.points);
            }
            None => {
                index.insert(group.name.clone(), out.len());
                out.push(group);
            }
        }
    }
    for group in &mut out {
        group.cells.sort_unstable();
        group.cells.dedup();
        add_points_of_cells(group, mesh);
    }
    out
}

fn add_points_of_cells(group: &mut Group, mesh: &Mesh) {
    // One flag per point for large groups: a list of all their nodes would take more memory than the mesh.
    if group.cells.len() > mesh.points.len() / 8 {
        let mut used = vec![false; mesh.points.len()];
        let listed = group.points.iter().copied();
        let of_cells = group.cells.iter().flat_map(|&c| mesh.cell(c as usize));
        for p in listed.chain(of_cells.copied()) {
            used[p as usize] = true;
        }
        let n = used.iter().filter(|&&u| u).count();
        group.points = Vec::with_capacity(n);
        group.points.extend(
            used.iter()
                .enumerate()
                .filter(|(_, u)| **u)
                .map(|(i, _)| i as u32),
        );
    } else {
        for &c in &group.cells {
            group.points.extend_from_slice(mesh.cell(c as usize));
        }
        group.points.sort_unstable();
        group.points.dedup();
    }
}
