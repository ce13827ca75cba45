//! Builder of a mesh during reading: collects points, cells, tags, data arrays and notices.

use std::collections::BTreeMap;

use base::text::counted;
use mesh::{CellKind, Group, Mesh};

use super::cells::CellType;
use super::error::{Fault, ImportError, Notice};
use super::lexer::Lexer;
use super::{DataArray, Format, QuadHandling};

/// Mesh under construction by a reader, with its data arrays and notices.
#[derive(Debug)]
pub(crate) struct MeshBuilder {
    pub format: Format,
    pub mesh: Mesh,
    pub notices: Vec<Notice>,
    pub point_data: Vec<DataArray>,
    pub cell_data: Vec<DataArray>,
    /// Names of physical groups, by dimension and tag.
    pub names: BTreeMap<(usize, i64), String>,
    /// Groups that need no tags.
    pub groups: Vec<Group>,
    /// Number of cells read from the file, including dropped ones.
    pub cells_read: u32,
    /// Number in the file of each cell of the mesh; `None` as long as the two numberings agree.
    pub file_cells: Option<Vec<u32>>,
    /// Number of degenerate cells that were left out, and the first of them.
    dropped: (usize, u32),
    /// Number of faces with fewer than three corners, which were left out.
    pub short_faces: usize,
    /// Numbers of split quadrilaterals and of split larger polygons.
    pub split_faces: [usize; 2],
    /// Tags of ranges of cells.
    pub tag_ranges: Vec<TagRange>,
    /// Number of cells read with fewer nodes and their kind, by the name of their type.
    reduced: BTreeMap<&'static str, (usize, CellKind)>,
}

/// Tag of the cells `first..end`, which all have the same dimension.
#[derive(Debug)]
pub(crate) struct TagRange {
    pub dimension: usize,
    pub tag: i64,
    pub first: u32,
    pub end: u32,
}

impl MeshBuilder {
    /// Creates an empty mesh.
    pub fn new(format: Format) -> MeshBuilder {
        MeshBuilder {
            format,
            mesh: Mesh::with_points(Vec::new()),
            notices: Vec::new(),
            point_data: Vec::new(),
            cell_data: Vec::new(),
            names: BTreeMap::new(),
            groups: Vec::new(),
            cells_read: 0,
            file_cells: None,
            dropped: (0, 0),
            short_faces: 0,
            split_faces: [0, 0],
            tag_ranges: Vec::new(),
            reduced: BTreeMap::new(),
        }
    }

    /// Adds a note.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notices.push(Notice::note(text));
    }

    /// Adds a warning.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.notices.push(Notice::warning(text));
    }

    /// Reserves memory for `n` more cells of `nodes` nodes.
    pub fn reserve(&mut self, n: usize, nodes: usize) {
        self.mesh.kinds.reserve_exact(n);
        self.mesh.starts.reserve_exact(n);
        self.mesh.nodes.reserve_exact(n.saturating_mul(nodes));
    }

    /// Adds the next cell of the file and returns whether it was kept. `label` names it in messages, `at` is its position
    /// in the file. Faces and lines with a repeated node are dropped and counted, solids are refused.
    pub fn push(
        &mut self,
        lexer: &Lexer,
        at: usize,
        label: impl Fn() -> String,
        kind: &CellType,
        nodes: &[u32],
    ) -> Result<bool, ImportError> {
        self.cells_read += 1;
        self.push_part(lexer, at, label, kind, nodes)
    }

    /// Adds one of several cells that the last cell of the file is split into; `cells_read` must include that cell.
    pub fn push_part(
        &mut self,
        lexer: &Lexer,
        at: usize,
        label: impl Fn() -> String,
        kind: &CellType,
        nodes: &[u32],
    ) -> Result<bool, ImportError> {
        let index = self.cells_read - 1;
        if self.mesh.nodes.len() > u32::MAX as usize - 64 || self.cells_read > u32::MAX - 64 {
            let what = "a mesh of more than 4 billion node references".to_string();
            return Err(lexer.error_at(at, Fault::Unsupported { what }, "Split the mesh."));
        }
        let mut buffer = [0; 27];
        let cell = kind.nodes_in_vtk_order(nodes, &mut buffer);
        if let Some(node) = repeated_node(cell) {
            if kind.kind.dimension() < 3 {
                if self.dropped.0 == 0 {
                    self.dropped.1 = index;
                }
                self.dropped.0 += 1;
                return Ok(false);
            }
            let what = format!(
                "{} has zero volume: its node {} is repeated",
                label(),
                1 + nodes.iter().position(|&n| n == node).unwrap_or(0)
            );
            let hint = "Remove or repair the degenerate element.";
            return Err(lexer.error_at(at, Fault::Geometry { what }, hint));
        }
        if kind.is_reduced() {
            self.reduced.entry(kind.name).or_insert((0, kind.kind)).0 += 1;
        }
        if self.file_cells.is_none() && self.mesh.len() != index as usize {
            self.file_cells = Some((0..self.mesh.len() as u32).collect());
        }
        if let Some(file_cells) = &mut self.file_cells {
            file_cells.push(index);
        }
        self.mesh.push(kind.kind, cell);
        Ok(true)
    }

    /// Tags the last cell that was added.
    pub fn tag_last(&mut self, tag: i64) {
        let end = self.mesh.len() as u32;
        if end > 0 {
            self.tag(tag, end - 1, end);
        }
    }

    /// Tags the cells `first..end`, which must all have the same dimension.
    pub fn tag(&mut self, tag: i64, first: u32, end: u32) {
        if first >= end {
            return;
        }
        let dimension = self.mesh.kinds[first as usize].dimension();
        match self.tag_ranges.last_mut() {
            Some(range)
                if range.tag == tag && range.dimension == dimension && range.end == first =>
            {
                range.end = end;
            }
            _ => self.tag_ranges.push(TagRange {
                dimension,
                tag,
                first,
                end,
            }),
        }
    }

    /// Removes all cells, to read them again.
    pub fn clear_cells(&mut self) {
        self.mesh.kinds.clear();
        self.mesh.nodes.clear();
        self.mesh.starts.truncate(1);
        self.tag_ranges.clear();
        self.reduced.clear();
        self.cells_read = 0;
        self.file_cells = None;
        self.dropped = (0, 0);
    }

    /// Adds notices about cells that were read with fewer nodes, dropped or split.
    pub fn report_changes(&mut self) {
        for (name, (n, kind)) in std::mem::take(&mut self.reduced) {
            self.warn(format!(
                "{} read as {} without the other nodes",
                counted(
                    n,
                    &format!("cell of type {name} was"),
                    &format!("cells of type {name} were")
                ),
                kind.name()
            ));
        }
        if self.short_faces > 0 {
            self.warn(format!(
                "{} left out",
                counted(
                    self.short_faces,
                    "face of fewer than three corners was",
                    "faces of fewer than three corners were"
                )
            ));
        }
        if self.split_faces[0] > 0 {
            let quads = counted(self.split_faces[0], "quad was", "quads were");
            self.note(format!("{quads} split into triangles"));
        }
        if self.split_faces[1] > 0 {
            self.note(format!(
                "{} split into fans of triangles",
                counted(
                    self.split_faces[1],
                    "polygon of more than four corners was",
                    "polygons of more than four corners were"
                )
            ));
        }
        if let (n @ 1.., first) = self.dropped {
            self.warn(format!(
                "{} left out (the first is cell {} of the file)",
                counted(
                    n,
                    "degenerate face or line with a repeated node was",
                    "degenerate faces or lines with a repeated node were"
                ),
                first + 1
            ));
        }
    }

    /// Splits the quadrilaterals of surface files into triangles if `quads` says so.
    pub fn split_quads(&mut self, quads: QuadHandling) {
        let surface = matches!(self.format, Format::Obj | Format::Ply | Format::Off);
        let any = self.mesh.kinds.contains(&CellKind::Quad4);
        if quads == QuadHandling::Keep || !surface || !any {
            return;
        }
        let old = std::mem::replace(&mut self.mesh, Mesh::with_points(Vec::new()));
        let file_cells = self.file_cells.take();
        let mut first = Vec::with_capacity(old.len() + 1);
        let mut new_file_cells = Vec::with_capacity(2 * old.len());
        for (i, (kind, cell)) in old.cells().enumerate() {
            first.push(self.mesh.len() as u32);
            let from = file_cells.as_ref().map_or(i as u32, |o| o[i]);
            new_file_cells.push(from);
            if kind == CellKind::Quad4 {
                self.split_faces[0] += 1;
                new_file_cells.push(from);
                self.mesh.push(CellKind::Tri3, &cell[..3]);
                self.mesh.push(CellKind::Tri3, &[cell[0], cell[2], cell[3]]);
            } else {
                self.mesh.push(kind, cell);
            }
        }
        first.push(self.mesh.len() as u32);
        self.file_cells = Some(new_file_cells);
        self.mesh.points = old.points;
        for range in &mut self.tag_ranges {
            (range.first, range.end) = (first[range.first as usize], first[range.end as usize]);
        }
        for group in &mut self.groups {
            let cells = std::mem::take(&mut group.cells);
            let all = cells
                .iter()
                .flat_map(|&c| first[c as usize]..first[c as usize + 1]);
            group.cells = all.collect();
        }
    }

    /// Reorders cell data to the cells of the mesh, if cells were dropped or split.
    pub fn align_cell_data(&mut self) {
        let Some(file_cells) = &self.file_cells else {
            return;
        };
        for array in &mut self.cell_data {
            let c = array.components;
            let tuples = file_cells.iter().map(|&o| o as usize * c);
            array.values = tuples
                .flat_map(|at| array.values[at..at + c].iter().copied())
                .collect();
        }
    }
}

/// First node that occurs a second time. Returns `None` if all nodes differ.
fn repeated_node(nodes: &[u32]) -> Option<u32> {
    nodes
        .iter()
        .enumerate()
        .find(|(i, n)| nodes[..*i].contains(n))
        .map(|(_, n)| *n)
}
