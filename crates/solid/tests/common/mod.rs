//! Blocks of every kind of element, models of them and a Newton solver for equilibria; shared by the tests of bodies.
#![allow(dead_code)] // each test file uses its own part

pub mod differences;
pub mod marching;

use std::collections::HashMap;

use march::{At, Curvature, System, Weights};
use mesh::element::Element;
use mesh::{CellKind, Mesh, elevate};
use solid::load::SurfaceFaces;
use solid::mass::{MassKind, add_masses};
use solid::material::Law;
use solid::model::{Model, ModelDescription, PrescribedNodes};
use solid::motion::{Keyframe, Motion};
use solid::potential::{DampingRate, SolidProperties, StiffnessDamping, Viscosity, elastic};
use sparse::{Backend, Matrix, solver};

pub const KINDS: [CellKind; 5] = [
    CellKind::Tet4,
    CellKind::Hex8,
    CellKind::Tet10,
    CellKind::Hex20,
    CellKind::Hex27,
];

/// Weights that select one matrix of the tangent.
pub const MASS: Weights = Weights {
    mass: 1.0,
    damping: 0.0,
    stiffness: 0.0,
};
pub const DAMPING: Weights = Weights {
    mass: 0.0,
    damping: 1.0,
    stiffness: 0.0,
};
pub const STIFFNESS: Weights = Weights {
    mass: 0.0,
    damping: 0.0,
    stiffness: 1.0,
};

/// A mesh of elements of one kind.
pub struct Body {
    pub kind: CellKind,
    pub rest: Vec<[f64; 3]>,
    pub nodes: Vec<u32>,
}

impl Body {
    /// A box with a corner at the origin and this number of cells along each axis.
    pub fn block(kind: CellKind, cells: [usize; 3], size: [f64; 3]) -> Body {
        Body::shaped(kind, cells, |x| [0, 1, 2].map(|k| x[k] * size[k]))
    }

    /// The cells of the unit cube with corners displaced by a map, converted to the given kind; edges stay straight.
    pub fn shaped(
        kind: CellKind,
        cells: [usize; 3],
        mut map: impl FnMut([f64; 3]) -> [f64; 3],
    ) -> Body {
        let [nx, ny, nz] = cells;
        let number = |i: usize, j: usize, k: usize| ((k * (ny + 1) + j) * (nx + 1) + i) as u32;
        let mut points = Vec::new();
        for k in 0..=nz {
            for j in 0..=ny {
                for i in 0..=nx {
                    points.push(map([
                        i as f64 / nx as f64,
                        j as f64 / ny as f64,
                        k as f64 / nz as f64,
                    ]));
                }
            }
        }
        let mut mesh = Mesh::with_points(points);
        for (i, j, k) in
            (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| (i, j, k))))
        {
            let at = |d: [usize; 3]| number(i + d[0], j + d[1], k + d[2]);
            let bottom = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]];
            match kind {
                CellKind::Tet4 | CellKind::Tet10 => {
                    // Kuhn triangulation: one tetrahedron for each order of the axes on the way between opposite corners.
                    for [a, b, c] in [
                        [0, 1, 2],
                        [1, 2, 0],
                        [2, 0, 1],
                        [0, 2, 1],
                        [1, 0, 2],
                        [2, 1, 0],
                    ] {
                        let step =
                            |axes: &[usize]| at([0, 1, 2].map(|k| usize::from(axes.contains(&k))));
                        let even = (b + 3 - a) % 3 == 1;
                        let (p, q) = (step(&[a]), step(&[a, b]));
                        let [p, q] = if even { [p, q] } else { [q, p] };
                        mesh.push(CellKind::Tet4, &[at([0; 3]), p, q, step(&[a, b, c])]);
                    }
                }
                _ => {
                    let own: Vec<u32> = bottom
                        .iter()
                        .map(|d| at(*d))
                        .chain(bottom.iter().map(|d| at([d[0], d[1], 1])))
                        .collect();
                    mesh.push(CellKind::Hex8, &own);
                }
            }
        }
        Body::raised(kind, mesh)
    }

    fn raised(kind: CellKind, mesh: Mesh) -> Body {
        let mesh = if matches!(kind, CellKind::Tet4 | CellKind::Hex8) {
            mesh
        } else {
            elevate(&mesh)
        };
        if kind != CellKind::Hex27 {
            return Body {
                kind,
                rest: mesh.points,
                nodes: mesh.nodes,
            };
        }
        // Corners of the faces with nodes 20 to 25, and of the cell with node 26.
        let groups: [&[usize]; 7] = [
            &[0, 3, 4, 7],
            &[1, 2, 5, 6],
            &[0, 1, 4, 5],
            &[2, 3, 6, 7],
            &[0, 1, 2, 3],
            &[4, 5, 6, 7],
            &[0, 1, 2, 3, 4, 5, 6, 7],
        ];
        let (mut rest, mut nodes) = (mesh.points.clone(), Vec::new());
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        for (_, cell) in mesh.cells() {
            nodes.extend_from_slice(cell);
            for group in groups {
                let mut corners: Vec<u32> = group.iter().map(|&a| cell[a]).collect();
                corners.sort_unstable();
                let middle = [0, 1, 2].map(|k| {
                    corners
                        .iter()
                        .map(|&i| mesh.points[i as usize][k])
                        .sum::<f64>()
                        / corners.len() as f64
                });
                nodes.push(*known.entry(corners).or_insert_with(|| {
                    rest.push(middle);
                    rest.len() as u32 - 1
                }));
            }
        }
        Body { kind, rest, nodes }
    }

    /// Description of an undamped model of the body.
    pub fn parts(&self, law: Law, density: f64, mass: MassKind) -> ModelDescription {
        self.damped_parts(law, density, mass, 0.0)
    }

    /// Description of a model with Rayleigh's stiffness damping, frozen at the start of the step.
    pub fn damped_parts(
        &self,
        law: Law,
        density: f64,
        mass: MassKind,
        stiffness_damping: f64,
    ) -> ModelDescription {
        let stiffness_damping = frozen(stiffness_damping);
        self.parts_of(
            SolidProperties {
                law,
                stiffness_damping,
                viscosity: Viscosity::default(),
            },
            density,
            mass,
        )
    }

    /// Description of a model with these material properties.
    pub fn parts_of(
        &self,
        properties: SolidProperties,
        density: f64,
        mass: MassKind,
    ) -> ModelDescription {
        let element = Element::of(self.kind).unwrap();
        let mut parts = ModelDescription {
            rest: self.rest.clone(),
            ..ModelDescription::default()
        };
        add_masses(
            mass,
            &element,
            &self.nodes,
            &self.rest,
            density,
            &mut parts.masses,
        );
        parts
            .potentials
            .push(elastic(properties, self.kind, &self.nodes, &self.rest).unwrap());
        parts
    }

    /// The body as a mesh.
    pub fn mesh(&self) -> Mesh {
        let mut mesh = Mesh::with_points(self.rest.clone());
        let cells = self.nodes.chunks_exact(self.kind.node_count());
        cells.for_each(|cell| mesh.push(self.kind, cell));
        mesh
    }

    /// The boundary faces all of whose nodes have a rest position that satisfies a predicate.
    pub fn faces_where(&self, pick: impl Fn([f64; 3]) -> bool) -> SurfaceFaces {
        SurfaceFaces::of_boundary(&self.mesh(), 0, |node| pick(self.rest[node as usize]))
    }

    /// The nodes whose rest position satisfies a predicate.
    pub fn nodes_where(&self, pick: impl Fn([f64; 3]) -> bool) -> Vec<u32> {
        (0..self.rest.len() as u32)
            .filter(|&i| pick(self.rest[i as usize]))
            .collect()
    }
}

/// Rayleigh's stiffness damping, frozen at the start of the step.
pub fn frozen(factor: f64) -> StiffnessDamping {
    StiffnessDamping {
        factor,
        rate: DampingRate::Frozen,
    }
}

/// Nodes fixed along all axes.
pub fn clamp(nodes: Vec<u32>) -> PrescribedNodes {
    PrescribedNodes {
        nodes,
        axes: [true; 3],
        motion: Motion::Still,
    }
}

/// Nodes with a constant prescribed displacement along some axes.
pub fn moved(nodes: Vec<u32>, axes: [bool; 3], translate: [f64; 3]) -> PrescribedNodes {
    let keys = vec![Keyframe {
        t: 0.0,
        translate,
        rotate: [0.0; 3],
    }];
    PrescribedNodes {
        nodes,
        axes,
        motion: Motion::Keyframes {
            keys,
            pivot: [0.0; 3],
            ease: Default::default(),
        },
    }
}

pub fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

pub fn force(model: &mut Model, at: At) -> Vec<f64> {
    let mut f = vec![0.0; model.dofs()];
    model.force(at, &mut f);
    f
}

pub fn tangent(model: &mut Model, at: At, w: Weights, c: Curvature) -> Matrix {
    let mut k = model.zero_matrix();
    model.tangent(at, w, c, &mut k);
    k
}

/// Minimises the potential by Newton's method until the increment is as small as rounding.
pub fn equilibrium(model: &mut Model, start: &[f64]) -> Vec<f64> {
    let (mut u, v) = (start.to_vec(), vec![0.0; start.len()]);
    let mut cholesky = solver(Backend::Cholesky);
    for _ in 0..400 {
        let f = force(
            model,
            At {
                t: 0.0,
                u: &u,
                v: &v,
            },
        );
        let mut d = f.clone();
        let exact = tangent(
            model,
            At {
                t: 0.0,
                u: &u,
                v: &v,
            },
            STIFFNESS,
            Curvature::Exact,
        );
        if cholesky.factor(&exact).is_err() {
            let mut definite = tangent(
                model,
                At {
                    t: 0.0,
                    u: &u,
                    v: &v,
                },
                STIFFNESS,
                Curvature::Definite,
            );
            definite.add_diagonal(1e-10 * definite.norm_inf());
            cholesky.factor(&definite).unwrap();
        }
        cholesky.solve(&mut d).unwrap();
        let slope: f64 = f.iter().zip(&d).map(|(f, d)| f * d).sum();
        let before = model.potential(0.0, &u).unwrap();
        let mut s = 1.0;
        loop {
            let trial: Vec<f64> = u.iter().zip(&d).map(|(u, d)| u + s * d).collect();
            let after = model.potential(0.0, &trial).unwrap();
            if after <= before - 1e-4 * s * slope + 1e-13 * before.abs() || s < 1e-10 {
                u = trial;
                break;
            }
            s *= 0.5;
        }
        if s == 1.0 && norm(&d) <= 1e-13 * (norm(&u) + 1e-3) {
            return u;
        }
    }
    panic!("no equilibrium found");
}

/// Convergence rate between two meshes or step lengths whose sizes have this ratio.
pub fn rate(coarse: f64, fine: f64, ratio: f64) -> f64 {
    (coarse / fine).ln() / ratio.ln()
}
