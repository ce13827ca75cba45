//! Forces on single nodes that are set between steps.

use serde::{Deserialize, Serialize};

use super::{ForceSum, Load, LoadState};

/// Constant forces on single nodes, set between steps by user interaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeForces {
    /// Node and force, N, in ascending order of nodes.
    list: Vec<(u32, [f64; 3])>,
}

impl NodeForces {
    /// Sets the force on a node, N; zero removes it.
    pub fn set(&mut self, node: u32, force: [f64; 3]) {
        self.list.retain(|(i, _)| *i != node);
        if force != [0.0; 3] {
            let at = self.list.partition_point(|(i, _)| *i < node);
            self.list.insert(at, (node, force));
        }
    }

    /// Iterates over the nodes on which a force acts.
    pub fn nodes(&self) -> impl Iterator<Item = u32> {
        self.list.iter().map(|(node, _)| *node)
    }
}

impl Load for NodeForces {
    fn is_active(&self) -> bool {
        !self.list.is_empty()
    }

    fn depends_on_state(&self) -> bool {
        false
    }

    fn add_force(&self, _at: &LoadState, sum: &mut ForceSum) {
        for &(node, force) in &self.list {
            sum.add(node, force);
        }
    }
}
