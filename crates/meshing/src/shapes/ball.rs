//! Ball mesh: a rounded cube as core, and shells of hexahedra around its six faces.

use mesh::{CellKind, Mesh, boundary_mid_edge_nodes, elevate, surface};

use super::disc::{Core, core_and_rings, map_to_boundary, map_to_core};
use super::error::{check_counts, check_lengths, check_total};
use super::grid::grid_cell_nodes;
use super::split::split_hexes;
use super::{ElementKind, ShapeError, curve_mid_edge_nodes, map_points};

/// Ball centred at the origin. Surface nodes lie on the sphere.
///
/// Node order: the grid of the core, x fastest, then shell by shell outwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Radius, m.
    pub radius: f64,
    /// Cells across a diameter.
    pub cells: usize,
    /// Kind of cell.
    pub element: ElementKind,
}

impl Default for Ball {
    fn default() -> Ball {
        Ball {
            radius: 0.5,
            cells: 8,
            element: ElementKind::Tet4,
        }
    }
}

impl Ball {
    /// Generates the mesh.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        check_lengths("ball", &[("radius", self.radius)])?;
        check_counts("ball", &[("cells", self.cells)])?;
        let (m, shells) = core_and_rings(self.cells);
        let parts = if self.element.is_tet() { 5.0 } else { 1.0 };
        let m2 = (m as f64).powi(2);
        check_total("ball", parts * m2 * (m as f64 + 6.0 * shells as f64))?;
        let mut mesh = unit_ball(m, shells);
        if self.element.is_tet()
            && let Some(tets) = split_hexes(&mesh)
        {
            mesh = tets;
        }
        if self.element.is_quadratic() {
            mesh = elevate(&mesh);
            let nodes = boundary_mid_edge_nodes(&mesh, |_| true);
            let on_sphere: Vec<[f64; 3]> = nodes
                .iter()
                .map(|&m| project_onto_sphere(mesh.points[m as usize]))
                .collect();
            curve_mid_edge_nodes(&mut mesh, nodes.into_iter().zip(on_sphere));
        }
        map_points(&mut mesh, |p| p.map(|x| x * self.radius));
        Ok(mesh)
    }
}

fn project_onto_sphere(p: [f64; 3]) -> [f64; 3] {
    let length = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
    p.map(|x| x / length)
}

/// Hexahedra of the unit ball with `m` cells across the core and `shells` shells around it.
fn unit_ball(m: usize, shells: usize) -> Mesh {
    let core = if shells == 0 {
        Core {
            half_width: 1.0,
            roundness: 1.0,
        }
    } else {
        Core {
            half_width: m as f64 / (m + 2 * shells) as f64,
            roundness: 0.5,
        }
    };
    let at = |i: usize| 2.0 * i as f64 / m as f64 - 1.0;
    let mut cube = Vec::with_capacity((m + 1).pow(3));
    for k in 0..=m {
        for j in 0..=m {
            for i in 0..=m {
                cube.push([at(i), at(j), at(k)]);
            }
        }
    }
    let mut mesh = Mesh::with_points(cube.iter().map(|&p| map_to_core(p, core)).collect());
    for k in 0..m {
        for j in 0..m {
            for i in 0..m {
                mesh.push(CellKind::Hex8, &grid_cell_nodes([i, j, k], [m; 3]));
            }
        }
    }
    let faces = surface(&mesh).faces;
    let mut rank = vec![u32::MAX; cube.len()];
    let mut core_boundary: Vec<u32> = faces.iter().flat_map(|f| f.corners).collect();
    core_boundary.sort_unstable();
    core_boundary.dedup();
    for (r, &n) in core_boundary.iter().enumerate() {
        rank[n as usize] = r as u32;
    }
    if shells == 0 {
        for &n in &core_boundary {
            mesh.points[n as usize] = map_to_boundary(cube[n as usize]);
        }
    }
    for shell in 1..=shells {
        let t = shell as f64 / shells as f64;
        for &n in &core_boundary {
            let (a, b) = (mesh.points[n as usize], map_to_boundary(cube[n as usize]));
            // The last shell lies exactly on the sphere.
            mesh.points.push(if shell == shells {
                b
            } else {
                [0, 1, 2].map(|k| a[k] + t * (b[k] - a[k]))
            });
        }
    }
    let node = |shell: usize, n: u32| match shell {
        0 => n,
        _ => (cube.len() + (shell - 1) * core_boundary.len()) as u32 + rank[n as usize],
    };
    for shell in 0..shells {
        for face in &faces {
            let [a, b, c, d] = face.corners;
            let low = [a, b, c, d].map(|n| node(shell, n));
            let high = [a, b, c, d].map(|n| node(shell + 1, n));
            mesh.push(
                CellKind::Hex8,
                &[
                    low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3],
                ],
            );
        }
    }
    mesh
}
