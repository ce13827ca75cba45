//! The constant matrix of local/global iterations, M + c_v D + c_u L (004 §4.2, L = Σ w GᵀG).
//!
//! Every term acts on x, y and z alike. Where nodes are wholly free or wholly held the matrix is therefore one scalar
//! matrix over the free nodes, three times: a ninth of the numbers. Where a node is held along some axes only, it is
//! spread over the unknowns.

use march::{Repeated, Weights};
use sparse::{Matrix, Pattern};

use super::Model;
use crate::potential::Potential;

impl Model {
    /// Whether all forces fit local/global iterations. Winds and pushes do not disturb them.
    pub fn projective(&self) -> bool {
        self.potentials.iter().all(|p| p.projective())
    }

    /// First unknown of each node whose axes are all free, `None` where one is held; nothing where a node is held by
    /// halves.
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

    /// Blocks of the lower triangle between free nodes, column by column.
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

    pub(super) fn constant_pattern(&self) -> Option<Repeated> {
        if !self.projective() {
            return None;
        }
        let Some(numbers) = self.whole_nodes() else {
            return Some(Repeated {
                matrix: Matrix::new(self.free_pattern.clone()),
                copies: 1,
            });
        };
        let places = self.free_blocks(&numbers).map(|(i, j, _)| (i, j));
        let pattern = Pattern::new(self.free.len() / 3, places.filter(|(i, j)| i != j));
        Some(Repeated {
            matrix: Matrix::new(pattern),
            copies: 3,
        })
    }

    pub(super) fn fill_constant(&self, w: Weights, out: &mut Repeated) {
        let mut blocks: Vec<f64> = self.mass.iter().map(|m| w.mass * m).collect();
        for (x, d) in blocks.iter_mut().zip(&self.mass_damping) {
            *x += w.damping * d;
        }
        for potential in &self.potentials {
            potential.add_laplacian(w.stiffness, w.damping, &mut blocks);
        }
        self.handles
            .add_laplacian(w.stiffness, w.damping, &mut blocks);
        if out.copies == 1 {
            for (x, &place) in out.matrix.values_mut().iter_mut().zip(&self.gather) {
                let (block, at) = (place as usize / 9, place as usize % 9);
                *x = if at % 4 == 0 { blocks[block] } else { 0.0 };
            }
            return;
        }
        let Some(numbers) = self.whole_nodes() else {
            return;
        };
        let sources = self.free_blocks(&numbers).map(|(_, _, block)| block);
        for (x, block) in out.matrix.values_mut().iter_mut().zip(sources) {
            *x = blocks[block];
        }
    }
}
