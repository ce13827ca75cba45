//! The constant matrix of local/global iterations, M + c_v D + c_u L with L = Σ w GᵀG
//! [Dinev et al. 2018, §4.2; docs/references.md, E14].
//!
//! Every term acts on x, y and z in the same way. If every node is free or prescribed along all axes, the matrix is
//! therefore one scalar matrix over the free nodes, used three times, with a ninth of the entries. If a node is prescribed
//! along some axes only, the matrix is stored over the unknowns.

use march::{At, ConstantMatrix, RepeatedMatrix, Weights};
use sparse::stiff_rows::StiffRow;
use sparse::{Matrix, Pattern};

use super::Model;
use super::unknowns::unknown_numbers;
use crate::blocks::{BlockPattern, NO_UNKNOWN};
use crate::potential::NodeRow;

impl ConstantMatrix for Model {
    fn zero_constant_matrix(&self) -> RepeatedMatrix {
        self.constant_pattern()
    }

    fn constant_tangent(&mut self, w: Weights, out: &mut RepeatedMatrix) {
        self.fill_constant(w, out);
    }

    fn constant_stamp(&self) -> Option<u64> {
        self.constant_pairs_stamp()
    }

    fn stiff_rows(&mut self, at: At, out: &mut Vec<StiffRow>) {
        let contacts = self.potentials.iter().any(|p| p.has_stiff_rows());
        if !contacts && self.handles.list.is_empty() {
            return;
        }
        self.place_positions(at.positions());
        let mut rows = std::mem::take(&mut self.work.rows);
        rows.clear();
        self.for_each_potential(|p, x, _| p.stiff_rows(x, &mut rows));
        let numbers = self
            .unknowns
            .get_or_init(|| unknown_numbers(&self.free, self.rest.len()));
        out.extend(rows.iter().map(|row| stiff_row(row, numbers)));
        self.work.rows = rows;
    }
}

/// Row over the unknowns; prescribed components have none.
fn stiff_row(row: &NodeRow, numbers: &[[u32; 3]]) -> StiffRow {
    let mut out = StiffRow {
        stiffness: row.stiffness,
        ..StiffRow::default()
    };
    let mut entries = out.entries.iter_mut();
    for &(node, weight) in row.nodes.iter().filter(|(_, w)| *w != 0.0) {
        for (k, &unknown) in numbers[node as usize].iter().enumerate() {
            if unknown != NO_UNKNOWN
                && let Some(entry) = entries.next()
            {
                *entry = (unknown, weight * row.normal[k]);
            }
        }
    }
    out
}

impl Model {
    /// Returns `true` if local/global iterations can solve the model: all potentials are projective. Loads do not matter.
    pub fn is_projective(&self) -> bool {
        self.potentials.iter().all(|p| p.is_projective())
    }

    /// Returns `true` if the constant matrix of local/global iterations is stored over the unknowns.
    pub(super) fn has_constant_unknowns(&self) -> bool {
        self.is_projective() && self.whole_nodes().is_none()
    }

    /// Number of each node among the free ones, `None` for prescribed nodes. Returns `None` if a node is prescribed along
    /// some axes only.
    fn whole_nodes(&self) -> Option<Vec<Option<u32>>> {
        let mut out = vec![None; self.nodes()];
        for (number, triple) in self.free.chunks(3).enumerate() {
            match triple {
                [(i, 0), (j, 1), (k, 2)] if i == j && j == k => {
                    out[*i as usize] = Some(number as u32)
                }
                _ => return None,
            }
        }
        Some(out)
    }

    /// Blocks of the lower triangle between free nodes, column by column: row, column and index.
    fn free_blocks<'a>(
        &'a self,
        numbers: &'a [Option<u32>],
    ) -> impl Iterator<Item = (usize, usize, usize)> + 'a {
        (0..self.nodes()).flat_map(move |j| {
            self.pattern.column(j).filter_map(move |block| {
                let i = self.pattern.rows[block] as usize;
                Some((numbers[i]? as usize, numbers[j]? as usize, block))
            })
        })
    }

    fn constant_pattern(&self) -> RepeatedMatrix {
        let numbers = self.whole_nodes();
        let fixed = || match &numbers {
            None => self.free_pattern.clone(),
            Some(numbers) => {
                let places = self.free_blocks(numbers).map(|(i, j, _)| (i, j));
                Pattern::new(self.free.len() / 3, places.filter(|(i, j)| i != j))
            }
        };
        let pattern = match self.constant_dynamic() {
            None => fixed(),
            Some(dynamic) => {
                let base = dynamic.constant.get_or_init(fixed);
                let pairs = self.dynamic_places(&dynamic.pairs.blocks, &numbers);
                Pattern::extended(base, pairs.into_iter().map(|(i, j, _)| (i, j)), Some(base))
            }
        };
        RepeatedMatrix {
            matrix: Matrix::new(pattern),
            copies: if numbers.is_some() { 3 } else { 1 },
        }
    }

    /// Row, column and index of the dynamic blocks in the constant matrix; for each axis if nodes are partly prescribed.
    fn dynamic_places(
        &self,
        blocks: &BlockPattern,
        numbers: &Option<Vec<Option<u32>>>,
    ) -> Vec<(usize, usize, usize)> {
        let axes = unknown_numbers(&self.free, self.nodes());
        let mut out = Vec::new();
        for j in 0..blocks.nodes() {
            for k in blocks.column(j) {
                let (i, index) = (blocks.rows[k] as usize, blocks.first as usize + k);
                match numbers {
                    Some(numbers) => {
                        let both = numbers[i].zip(numbers[j]);
                        out.extend(both.map(|(i, j)| (i as usize, j as usize, index)));
                    }
                    None => {
                        let both = (0..3).map(|axis| (axes[i][axis], axes[j][axis]));
                        let free = both.filter(|&(i, j)| i != NO_UNKNOWN && j != NO_UNKNOWN);
                        out.extend(free.map(|(i, j)| (i as usize, j as usize, index)));
                    }
                }
            }
        }
        out
    }

    fn fill_constant(&self, w: Weights, out: &mut RepeatedMatrix) {
        let mut blocks: Vec<f64> = self.mass.iter().map(|m| w.mass * m).collect();
        for (x, d) in blocks.iter_mut().zip(&self.mass_damping) {
            *x += w.damping * d;
        }
        let dynamic = self.constant_dynamic().map(|d| d.pairs.blocks.as_ref());
        blocks.resize(
            self.pattern.len() + dynamic.map_or(0, BlockPattern::len),
            0.0,
        );
        for potential in &self.potentials {
            potential.add_laplacian(w.stiffness, w.damping, &mut blocks);
        }
        let numbers = self.whole_nodes();
        let Some(dynamic) = dynamic else {
            let values = out.matrix.values_mut();
            match &numbers {
                None => self.fill_by_axes(&blocks, values),
                Some(numbers) => self.fill_by_nodes(numbers, &blocks, values),
            }
            return;
        };
        // Entries of the larger pattern are looked up one by one, which costs far less than a factorization.
        let mut fixed = Matrix::new(match self.constant_dynamic() {
            Some(d) => d.constant.get().unwrap_or(out.matrix.pattern()).clone(),
            None => out.matrix.pattern().clone(),
        });
        match &numbers {
            None => self.fill_by_axes(&blocks, fixed.values_mut()),
            Some(numbers) => self.fill_by_nodes(numbers, &blocks, fixed.values_mut()),
        }
        out.matrix.fill(0.0);
        out.matrix.add_scaled(1.0, &fixed);
        for (i, j, index) in self.dynamic_places(dynamic, &numbers) {
            let entry = out.matrix.pattern().find(i, j);
            // The pattern was built for these blocks by `blank_constant`.
            if let Some(k) = entry {
                out.matrix.values_mut()[k] += blocks[index];
            }
        }
    }

    /// Fills the static entries over the unknowns, for partly prescribed nodes.
    fn fill_by_axes(&self, blocks: &[f64], values: &mut [f64]) {
        assert_eq!(
            values.len(),
            self.gather.len(),
            "a matrix on another pattern"
        );
        for (x, &place) in values.iter_mut().zip(&self.gather) {
            let (block, at) = (place as usize / 9, place as usize % 9);
            *x = if at % 4 == 0 { blocks[block] } else { 0.0 };
        }
    }

    /// Fills the static entries over the free nodes, if every node is free or prescribed along all axes.
    fn fill_by_nodes(&self, numbers: &[Option<u32>], blocks: &[f64], values: &mut [f64]) {
        let mut sources = self.free_blocks(numbers).map(|(_, _, block)| block);
        let mut entries = values.iter_mut();
        for (x, block) in entries.by_ref().zip(sources.by_ref()) {
            *x = blocks[block];
        }
        let rest = entries.len() + sources.count();
        assert_eq!(rest, 0, "a matrix on another pattern");
    }
}
