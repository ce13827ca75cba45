//! Values at the vertices of an embedded surface, from those at the nodes of its body.

use rayon::prelude::*;

/// Number of nodes from which the value at a vertex is taken.
const NEIGHBOURS: usize = 4;

/// The nearest nodes of each vertex at the start, with weights that sum to one.
#[derive(Debug)]
pub struct SkinValues {
    neighbours: Vec<[(u32, f64); NEIGHBOURS]>,
}

impl SkinValues {
    /// Finds the nearest nodes of vertices. The weights are inverse squares of the distances. Returns `None` if there are fewer
    /// nodes than neighbours.
    pub fn new(vertices: &[[f64; 3]], nodes: &[[f64; 3]]) -> Option<SkinValues> {
        if nodes.len() < NEIGHBOURS {
            return None;
        }
        let neighbours = vertices.par_iter().map(|vertex| nearest(vertex, nodes));
        Some(SkinValues {
            neighbours: neighbours.collect(),
        })
    }

    /// Interpolates nodal values at the vertices.
    pub fn interpolate(&self, values: &[f64]) -> Vec<f32> {
        let at = |near: &[(u32, f64); NEIGHBOURS]| {
            let terms = near.iter();
            let sum: f64 = terms.map(|(n, weight)| weight * values[*n as usize]).sum();
            sum as f32
        };
        self.neighbours.iter().map(at).collect()
    }
}

fn nearest(vertex: &[f64; 3], nodes: &[[f64; 3]]) -> [(u32, f64); NEIGHBOURS] {
    // Pairs of node and squared distance, the nearest first.
    let mut found = [(0, f64::INFINITY); NEIGHBOURS];
    for (n, node) in nodes.iter().enumerate() {
        let distance: f64 = (0..3).map(|k| (node[k] - vertex[k]).powi(2)).sum();
        if distance < found[NEIGHBOURS - 1].1 {
            found[NEIGHBOURS - 1] = (n as u32, distance);
            found.sort_by(|a, b| a.1.total_cmp(&b.1));
        }
    }
    // A vertex on a node has its value.
    let least = 1e-12 * found[NEIGHBOURS - 1].1 + f64::MIN_POSITIVE;
    let weights = found.map(|(n, distance)| (n, 1.0 / (distance + least)));
    let sum: f64 = weights.iter().map(|w| w.1).sum();
    weights.map(|(n, weight)| (n, weight / sum))
}

#[cfg(test)]
mod tests {
    use super::SkinValues;

    #[test]
    fn vertices_have_the_values_of_near_nodes() {
        let corner = |k: usize| [k & 1, (k >> 1) & 1, k >> 2].map(|x| x as f64);
        let nodes: Vec<[f64; 3]> = (0..8).map(corner).collect();
        let values: Vec<f64> = nodes.iter().map(|p| 10.0 * p[0]).collect();
        let skin = SkinValues::new(&[[0.0; 3], [1.0, 1.0, 0.0], [0.5, 0.5, 0.0]], &nodes).unwrap();
        let found = skin.interpolate(&values);
        for (found, wanted) in found.iter().zip([0.0, 10.0, 5.0]) {
            assert!((found - wanted).abs() < 1e-5, "{found} for {wanted}");
        }
        assert!(SkinValues::new(&[[0.0; 3]], &nodes[..3]).is_none());
    }
}
