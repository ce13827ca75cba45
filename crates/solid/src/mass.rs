//! Mass matrices of elements: consistent, ∫ρ N_a N_b, or lumped.

use crate::potential::inverse_jacobian;
use mesh::element::Element;

/// Kind of mass matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MassKind {
    /// The consistent mass matrix ∫ρ N_a N_b, integrated exactly.
    #[default]
    Consistent,
    /// A diagonal mass matrix: the mass of each element is distributed in proportion to its consistent diagonal
    /// [Hinton, Rock & Zienkiewicz 1976]. A linear tetrahedron has a quarter of its mass at each node.
    Lumped,
}

/// Entries (i, j, mass) of a mass matrix with node numbers i ≥ j. Repeated entries are summed.
pub type MassEntries = Vec<(u32, u32, f64)>;

/// Appends the mass matrices of elements; `nodes` lists the nodes element by element.
pub fn add_masses(
    kind: MassKind,
    element: &Element,
    nodes: &[u32],
    rest: &[[f64; 3]],
    density: f64,
    out: &mut MassEntries,
) {
    let n = element.kind.node_count();
    let mut matrix = vec![0.0; n * n];
    for own in nodes.chunks_exact(n) {
        matrix.fill(0.0);
        for p in &element.mass_points {
            let (_, jacobian) = inverse_jacobian(own, rest, &p.dn);
            let w = density * p.weight * jacobian;
            for a in 0..n {
                for b in 0..=a {
                    matrix[a * n + b] += w * p.n[a] * p.n[b];
                }
            }
        }
        match kind {
            MassKind::Consistent => {
                for (a, b) in (0..n).flat_map(|a| (0..=a).map(move |b| (a, b))) {
                    out.push((own[a].max(own[b]), own[a].min(own[b]), matrix[a * n + b]));
                }
            }
            MassKind::Lumped => {
                let total: f64 = (0..n)
                    .flat_map(|a| (0..=a).map(move |b| (a, b)))
                    .map(|(a, b)| matrix[a * n + b] * if a == b { 1.0 } else { 2.0 })
                    .sum();
                let diagonal: f64 = (0..n).map(|a| matrix[a * n + a]).sum();
                out.extend((0..n).map(|a| (own[a], own[a], matrix[a * n + a] * total / diagonal)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mesh::CellKind;

    #[test]
    fn linear_tetrahedron_has_its_closed_form() {
        let rest = [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.1, 0.2, 1.5]];
        let element = Element::of(CellKind::Tet4).unwrap();
        let mut out = Vec::new();
        add_masses(
            MassKind::Consistent,
            &element,
            &[0, 1, 2, 3],
            &rest,
            700.0,
            &mut out,
        );
        let mass = 700.0 * 9.0 / 6.0;
        for (i, j, m) in out {
            let want = mass / 20.0 * if i == j { 2.0 } else { 1.0 };
            assert!((m - want).abs() < 1e-12 * mass, "{i} {j} {m} {want}");
        }
        let mut lumped = Vec::new();
        add_masses(
            MassKind::Lumped,
            &element,
            &[0, 1, 2, 3],
            &rest,
            700.0,
            &mut lumped,
        );
        assert!(
            lumped
                .iter()
                .all(|(_, _, m)| (m - mass / 4.0).abs() < 1e-12 * mass)
        );
    }

    #[test]
    fn cube_of_linear_hexahedra_has_its_closed_form() {
        let corners = [
            [0, 0, 0],
            [1, 0, 0],
            [1, 1, 0],
            [0, 1, 0],
            [0, 0, 1],
            [1, 0, 1],
            [1, 1, 1],
            [0, 1, 1],
        ];
        let rest = corners.map(|c| c.map(f64::from));
        let element = Element::of(CellKind::Hex8).unwrap();
        let mut out = Vec::new();
        add_masses(
            MassKind::Consistent,
            &element,
            &[0, 1, 2, 3, 4, 5, 6, 7],
            &rest,
            1.0,
            &mut out,
        );
        for (i, j, m) in out {
            let apart = (0..3)
                .filter(|&k| corners[i as usize][k] != corners[j as usize][k])
                .count();
            assert!((m - 1.0 / 27.0 * 0.5f64.powi(apart as i32)).abs() < 1e-15);
        }
    }

    #[test]
    fn masses_of_every_element_add_up() {
        for kind in [
            CellKind::Tet4,
            CellKind::Tet10,
            CellKind::Hex8,
            CellKind::Hex20,
            CellKind::Hex27,
        ] {
            let element = Element::of(kind).unwrap();
            let (rest, volume) = match kind {
                CellKind::Tet4 | CellKind::Tet10 => {
                    (mesh::element::reference_nodes(kind).unwrap(), 1.0 / 6.0)
                }
                _ => (mesh::element::reference_nodes(kind).unwrap(), 8.0),
            };
            let nodes: Vec<u32> = (0..rest.len() as u32).collect();
            for mass in [MassKind::Consistent, MassKind::Lumped] {
                let mut out = Vec::new();
                add_masses(mass, &element, &nodes, &rest, 3.0, &mut out);
                let total: f64 = out
                    .iter()
                    .map(|(i, j, m)| if i == j { *m } else { 2.0 * m })
                    .sum();
                assert!(
                    (total - 3.0 * volume).abs() < 1e-13,
                    "{kind:?} {mass:?}: {total}"
                );
                assert!(mass == MassKind::Consistent || out.iter().all(|(_, _, m)| *m > 0.0));
            }
        }
    }
}
