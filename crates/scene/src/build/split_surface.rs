//! The surface of a body of bonds: its cells, separated along broken bonds.

use bond::{IntactBonds, SplitCells};
use solid::model::Model;
use solid::potential::Bonds;

/// The cells of a body of bonds on the output surface.
#[derive(Clone, Debug)]
pub struct SplitBody {
    /// The cells.
    pub(super) cells: SplitCells,
    /// First node of the body.
    pub(super) first_node: u32,
    /// First vertex of the body on the output surface.
    pub(super) first_vertex: u32,
}

/// The bonds of a body, by particle instead of node.
struct BondsOfBody<'a>(&'a Bonds);

impl IntactBonds for BondsOfBody<'_> {
    fn is_intact(&self, a: u32, b: u32) -> bool {
        let first = self.0.nodes().start;
        self.0.is_intact([a.min(b) + first, a.max(b) + first])
    }

    fn for_each_neighbour(&self, particle: u32, visit: &mut dyn FnMut(u32)) {
        let first = self.0.nodes().start;
        self.0
            .for_each_neighbour(particle + first, &mut |node| visit(node - first));
    }
}

impl SplitBody {
    /// Moves the vertices of cells that broken bonds divide.
    pub(super) fn separate(&self, model: &Model, nodes: &[[f64; 3]], out: &mut [[f64; 3]]) {
        let own = |b: &&Bonds| b.nodes().start == self.first_node;
        if let Some(bonds) = model.bonds().find(own) {
            let range = bonds.nodes();
            let now = &nodes[range.start as usize..range.end as usize];
            let vertices = &mut out[self.first_vertex as usize..];
            self.cells.separate(now, &BondsOfBody(bonds), vertices);
        }
    }
}
