//! A mesh while it is being read: points by tag, cells as they come, groups as runs of cells.

use std::collections::BTreeMap;

use mesh::{Group, Kind, Mesh};

use super::cells::CellType;
use super::error::{Fault, ImportError, Notice};
use super::scan::Scan;
use super::{DataArray, Format, Quads};

/// A mesh being read.
#[derive(Debug)]
pub(crate) struct Draft {
    pub format: Format,
    pub mesh: Mesh,
    pub notices: Vec<Notice>,
    pub point_data: Vec<DataArray>,
    pub cell_data: Vec<DataArray>,
    /// Names of physical groups, by dimension and tag.
    pub names: BTreeMap<(usize, i64), String>,
    /// Groups that are complete already.
    pub groups: Vec<Group>,
    /// Cells of the file seen so far, dropped ones included.
    pub seen: u32,
    /// The file's number of each cell, from where the two first differ; `None` while they agree.
    pub origin: Option<Vec<u32>>,
    /// Number and first of the file's cells that were left out.
    dropped: (usize, u32),
    /// Faces of fewer than three corners, left out.
    pub thin: usize,
    /// Quadrilaterals and larger polygons that were split.
    pub split: [usize; 2],
    pub runs: Vec<Run>,
    reduced: BTreeMap<&'static str, (usize, Kind)>,
}

/// Cells `first..end` carry `tag`.
#[derive(Debug)]
pub(crate) struct Run {
    pub dimension: usize,
    pub tag: i64,
    pub first: u32,
    pub end: u32,
}

impl Draft {
    pub fn new(format: Format) -> Draft {
        Draft {
            format,
            mesh: Mesh::with_points(Vec::new()),
            notices: Vec::new(),
            point_data: Vec::new(),
            cell_data: Vec::new(),
            names: BTreeMap::new(),
            groups: Vec::new(),
            seen: 0,
            origin: None,
            dropped: (0, 0),
            thin: 0,
            split: [0, 0],
            runs: Vec::new(),
            reduced: BTreeMap::new(),
        }
    }

    pub fn note(&mut self, text: impl Into<String>) {
        self.notices.push(Notice::note(text));
    }

    pub fn warn(&mut self, text: impl Into<String>) {
        self.notices.push(Notice::warning(text));
    }

    /// Makes room for `n` more cells of `nodes` nodes.
    pub fn reserve(&mut self, n: usize, nodes: usize) {
        self.mesh.kinds.reserve_exact(n);
        self.mesh.starts.reserve_exact(n);
        self.mesh.nodes.reserve_exact(n.saturating_mul(nodes));
    }

    /// Adds the next cell of the file; true where it was kept. `label` names it in messages, `at` is where it
    /// stands in the file. Faces and lines with a node twice are dropped and counted, solids are refused.
    pub fn push(
        &mut self,
        scan: &Scan,
        at: usize,
        label: impl Fn() -> String,
        kind: &CellType,
        nodes: &[u32],
    ) -> Result<bool, ImportError> {
        self.seen += 1;
        self.push_part(scan, at, label, kind, nodes)
    }

    /// Adds one of several cells that the file's last cell becomes (`seen` counts it already).
    pub fn push_part(
        &mut self,
        scan: &Scan,
        at: usize,
        label: impl Fn() -> String,
        kind: &CellType,
        nodes: &[u32],
    ) -> Result<bool, ImportError> {
        let index = self.seen - 1;
        if self.mesh.nodes.len() > u32::MAX as usize - 64 || self.seen > u32::MAX - 64 {
            let what = "a mesh of more than 4 billion node references".to_string();
            return Err(scan.fail_at(at, Fault::Unsupported { what }, "Split the mesh."));
        }
        let mut arranged = [0; 27];
        let cell = kind.arrange(nodes, &mut arranged);
        if let Some(node) = repeated(cell) {
            if kind.kind.dimension() < 3 {
                if self.dropped.0 == 0 {
                    self.dropped.1 = index;
                }
                self.dropped.0 += 1;
                return Ok(false);
            }
            let what = format!(
                "{} has a repeated node (its node {} comes twice) and so zero volume",
                label(),
                1 + nodes.iter().position(|&n| n == node).unwrap_or(0)
            );
            let hint = "Remove or repair the degenerate element.";
            return Err(scan.fail_at(at, Fault::Geometry { what }, hint));
        }
        if kind.is_reduced() {
            self.reduced.entry(kind.name).or_insert((0, kind.kind)).0 += 1;
        }
        if self.origin.is_none() && self.mesh.len() != index as usize {
            self.origin = Some((0..self.mesh.len() as u32).collect());
        }
        if let Some(origin) = &mut self.origin {
            origin.push(index);
        }
        self.mesh.push(kind.kind, cell);
        Ok(true)
    }

    /// The last cell pushed carries `tag`.
    pub fn tag_last(&mut self, tag: i64) {
        let end = self.mesh.len() as u32;
        if end > 0 {
            self.tag(tag, end - 1, end);
        }
    }

    /// Cells `first..end`, all of the dimension of `first`, carry `tag`.
    pub fn tag(&mut self, tag: i64, first: u32, end: u32) {
        if first >= end {
            return;
        }
        let dimension = self.mesh.kinds[first as usize].dimension();
        match self.runs.last_mut() {
            Some(run) if run.tag == tag && run.dimension == dimension && run.end == first => {
                run.end = end;
            }
            _ => self.runs.push(Run {
                dimension,
                tag,
                first,
                end,
            }),
        }
    }

    /// Forgets the cells, to read them again.
    pub fn clear_cells(&mut self) {
        self.mesh.kinds.clear();
        self.mesh.nodes.clear();
        self.mesh.starts.truncate(1);
        self.runs.clear();
        self.reduced.clear();
        self.seen = 0;
        self.origin = None;
        self.dropped = (0, 0);
    }

    /// Says what was reduced to fewer nodes and what was dropped.
    pub fn report(&mut self) {
        for (name, (n, kind)) in std::mem::take(&mut self.reduced) {
            self.warn(format!(
                "{n} cells of type {name} were read as {} by their corners; their other nodes stay unused",
                kind.name()
            ));
        }
        if self.thin > 0 {
            self.warn(format!(
                "{} faces of fewer than three corners were left out",
                self.thin
            ));
        }
        if self.split[0] > 0 {
            self.note(format!("{} quads were split into triangles", self.split[0]));
        }
        if self.split[1] > 0 {
            self.note(format!(
                "{} polygons of more than four corners were split into fans of triangles",
                self.split[1]
            ));
        }
        if let (n @ 1.., first) = self.dropped {
            self.warn(format!(
                "{n} degenerate faces or lines with a node twice were left out (the first is cell {} of the file)",
                first + 1
            ));
        }
    }

    /// Splits quadrilateral faces of surface files where that is wanted; solids keep their faces as groups.
    pub fn split(&mut self, quads: Quads) {
        let surface = matches!(self.format, Format::Obj | Format::Ply | Format::Off);
        let any = self.mesh.kinds.contains(&Kind::Quad4);
        if quads == Quads::Keep || !surface || !any {
            return;
        }
        let old = std::mem::replace(&mut self.mesh, Mesh::with_points(Vec::new()));
        let origin = self.origin.take();
        let mut first = Vec::with_capacity(old.len() + 1);
        let mut new_origin = Vec::with_capacity(2 * old.len());
        for (i, (kind, cell)) in old.cells().enumerate() {
            first.push(self.mesh.len() as u32);
            let from = origin.as_ref().map_or(i as u32, |o| o[i]);
            new_origin.push(from);
            if kind == Kind::Quad4 {
                self.split[0] += 1;
                new_origin.push(from);
                self.mesh.push(Kind::Tri3, &cell[..3]);
                self.mesh.push(Kind::Tri3, &[cell[0], cell[2], cell[3]]);
            } else {
                self.mesh.push(kind, cell);
            }
        }
        first.push(self.mesh.len() as u32);
        self.origin = Some(new_origin);
        self.mesh.points = old.points;
        for run in &mut self.runs {
            (run.first, run.end) = (first[run.first as usize], first[run.end as usize]);
        }
        for group in &mut self.groups {
            let cells = std::mem::take(&mut group.cells);
            let all = cells
                .iter()
                .flat_map(|&c| first[c as usize]..first[c as usize + 1]);
            group.cells = all.collect();
        }
    }

    /// Cell data in the order of our cells, where some were dropped or split.
    pub fn align_cell_data(&mut self) {
        let Some(origin) = &self.origin else {
            return;
        };
        for array in &mut self.cell_data {
            let c = array.components;
            let tuples = origin.iter().map(|&o| o as usize * c);
            array.values = tuples
                .flat_map(|at| array.values[at..at + c].iter().copied())
                .collect();
        }
    }
}

/// A node that occurs twice.
fn repeated(nodes: &[u32]) -> Option<u32> {
    nodes
        .iter()
        .enumerate()
        .find(|(i, n)| nodes[..*i].contains(n))
        .map(|(_, n)| *n)
}
