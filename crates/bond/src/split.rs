//! The surface of a body that is split along broken bonds: every cell of the mesh is drawn by itself, and follows one side.
//!
//! All faces of all cells are drawn, so cuts are closed, and the triangles are the same in all frames. The corners of a cell are
//! particles. As long as intact bonds between its corners connect them all, the cell has their positions, and its inner
//! faces lie on those of its neighbours, where they cannot be seen. If the corners fall into several groups, the cell belongs to
//! the largest one, of several the first. Its other corners are where that group would carry them: at the mean of
//! x_s + F_s (X − X_s) over the particles s of the group, where F_s is the deformation gradient that fits the intact bonds of s
//! best [Silling et al. 2007, eq. 18 with the weights of the bonds equal]. Few bonds that lie almost in a plane determine only a
//! part of F_s, and noise fills the rest; where F_s is far from the rotation that fits these bonds best, this rotation is used.

use mesh::vector::{add, cross, dot, norm, scale, sub};
use mesh::{CellKind, Mesh};

/// Largest number of corners of a cell.
const MAX_CORNERS: usize = 8;

/// The cells of a body, each with vertices of its own.
#[derive(Clone, Debug, Default)]
pub struct SplitCells {
    /// Kind of each cell.
    kinds: Vec<CellKind>,
    /// Corners of all cells, by particle.
    corners: Vec<u32>,
    /// First corner of each cell, and the end.
    starts: Vec<u32>,
    /// First vertex of each cell, and the end.
    vertices: Vec<u32>,
    /// Positions of the particles at rest, m.
    rest: Vec<[f64; 3]>,
}

/// Which bonds of a body are intact.
pub trait IntactBonds {
    /// Returns whether two particles have an intact bond.
    fn is_intact(&self, a: u32, b: u32) -> bool;
    /// Calls `visit` with all particles to which a particle has an intact bond.
    fn for_each_neighbour(&self, particle: u32, visit: &mut dyn FnMut(u32));
}

impl SplitCells {
    /// Takes the solid cells of a mesh.
    pub fn new(mesh: &Mesh) -> SplitCells {
        let mut out = SplitCells {
            starts: vec![0],
            vertices: vec![0],
            rest: mesh.points.clone(),
            ..SplitCells::default()
        };
        for (kind, nodes) in mesh.cells().filter(|(kind, _)| kind.dimension() == 3) {
            out.kinds.push(kind);
            out.corners.extend(&nodes[..kind.corner_count()]);
            out.starts.push(out.corners.len() as u32);
            let of_faces: usize = kind.faces().iter().map(|f| corners_of(kind, f).len()).sum();
            out.vertices
                .push(out.vertices[out.vertices.len() - 1] + of_faces as u32);
        }
        out
    }

    /// Returns the particle of each vertex.
    pub fn vertex_particles(&self) -> Vec<u32> {
        let cell = |c: usize| {
            let own = &self.corners[self.starts[c] as usize..self.starts[c + 1] as usize];
            face_corners(self.kinds[c]).map(|corner| own[corner])
        };
        (0..self.kinds.len()).flat_map(cell).collect()
    }

    /// Returns the triangles by vertex.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let mut out = Vec::new();
        for (kind, &first) in self.kinds.iter().zip(&self.vertices) {
            let mut at = first;
            for face in kind.faces() {
                let count = corners_of(*kind, face).len() as u32;
                out.extend((2..count).map(|k| [at, at + k - 1, at + k]));
                at += count;
            }
        }
        out
    }

    /// Moves the vertices of cells that broken bonds divide. `now` has the positions of the particles, `vertices` those of all
    /// vertices of the body, at their particles, m.
    pub fn separate(&self, now: &[[f64; 3]], bonds: &dyn IntactBonds, vertices: &mut [[f64; 3]]) {
        let mut carriers: Vec<Option<Carrier>> = vec![None; now.len()];
        for c in 0..self.kinds.len() {
            let own = &self.corners[self.starts[c] as usize..self.starts[c + 1] as usize];
            let Some(group) = largest_group(own, bonds) else {
                continue;
            };
            let mut positions = [[0.0; 3]; MAX_CORNERS];
            for (k, &corner) in own.iter().enumerate() {
                positions[k] = now[corner as usize];
                if group >> k & 1 == 1 {
                    continue;
                }
                let members = (0..own.len()).filter(|s| group >> s & 1 == 1);
                let (mut sum, mut count) = ([0.0; 3], 0.0);
                for s in members {
                    let s = own[s] as usize;
                    let carrier =
                        carriers[s].get_or_insert_with(|| self.carrier(s as u32, now, bonds));
                    let carried = carrier.carry(sub(self.rest[corner as usize], self.rest[s]));
                    (0..3).for_each(|i| sum[i] += now[s][i] + carried[i]);
                    count += 1.0;
                }
                positions[k] = sum.map(|x| x / count);
            }
            let own = self.vertices[c] as usize..self.vertices[c + 1] as usize;
            let corners = face_corners(self.kinds[c]);
            for (vertex, corner) in vertices[own].iter_mut().zip(corners) {
                *vertex = positions[corner];
            }
        }
    }

    /// Fits the motion of a particle's intact bonds: F = (Σ y ⊗ X) (Σ X ⊗ X)⁻¹, and the rotation R that minimises Σ |y − R X|².
    fn carrier(&self, particle: u32, now: &[[f64; 3]], bonds: &dyn IntactBonds) -> Carrier {
        let (mut shape, mut moved) = ([0.0; 9], [0.0; 9]);
        bonds.for_each_neighbour(particle, &mut |other| {
            let rest = sub(self.rest[other as usize], self.rest[particle as usize]);
            let y = sub(now[other as usize], now[particle as usize]);
            for i in 0..3 {
                for j in 0..3 {
                    shape[3 * i + j] += rest[i] * rest[j];
                    moved[3 * i + j] += y[i] * rest[j];
                }
            }
        });
        let product = |inverse: [f64; 9]| -> [f64; 9] {
            let entry = |k: usize, m: usize| moved[k / 3 * 3 + m] * inverse[3 * m + k % 3];
            std::array::from_fn(|k| (0..3).map(|m| entry(k, m)).sum())
        };
        let gradient = inverse(&shape).map(product);
        Carrier {
            rotation: nearest_rotation(&moved, gradient.as_ref()),
            gradient,
        }
    }
}

/// Motion of the surroundings of a particle.
#[derive(Clone, Copy, Debug)]
struct Carrier {
    rotation: [f64; 9],
    /// Deformation gradient, if bonds determine one.
    gradient: Option<[f64; 9]>,
}

impl Carrier {
    /// Carries an arm at rest.
    fn carry(&self, arm: [f64; 3]) -> [f64; 3] {
        let turned = apply(&self.rotation, arm);
        let Some(gradient) = &self.gradient else {
            return turned;
        };
        let deformed = apply(gradient, arm);
        match norm(sub(deformed, turned)) < MOST_STRAIN * norm(arm) {
            true => deformed,
            false => turned,
        }
    }
}

/// Returns the corners among the nodes of a face.
fn corners_of(kind: CellKind, face: &'static [u8]) -> &'static [u8] {
    let corners = face
        .iter()
        .take_while(|n| (**n as usize) < kind.corner_count());
    &face[..corners.count()]
}

/// Returns the corner of each vertex of a cell, face by face.
fn face_corners(kind: CellKind) -> impl Iterator<Item = usize> {
    let faces = kind.faces().iter();
    faces.flat_map(move |f| corners_of(kind, f).iter().map(|c| *c as usize))
}

/// Returns the largest group of corners that intact bonds connect, as bits; `None` if they connect all of them.
fn largest_group(corners: &[u32], bonds: &dyn IntactBonds) -> Option<u32> {
    let count = corners.len().min(MAX_CORNERS);
    let all = (1u32 << count) - 1;
    let (mut left, mut best) = (all, 0u32);
    while left != 0 {
        let first = left & left.wrapping_neg();
        let (mut group, mut open) = (first, first);
        while open != 0 {
            let k = open.trailing_zeros() as usize;
            open &= open - 1;
            for other in 0..count {
                let bit = 1 << other;
                if group & bit == 0 && bonds.is_intact(corners[k], corners[other]) {
                    group |= bit;
                    open |= bit;
                }
            }
        }
        if group == all {
            return None;
        }
        left &= !group;
        if group.count_ones() > best.count_ones() {
            best = group;
        }
    }
    Some(best)
}

fn apply(f: &[f64; 9], x: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| f[3 * i] * x[0] + f[3 * i + 1] * x[1] + f[3 * i + 2] * x[2])
}

/// Difference of a deformation gradient from a rotation from which it is not believed: brittle bodies break before.
const MOST_STRAIN: f64 = 0.25;
/// Largest number of iterations for a rotation, and the angle at which they end.
const ROTATION_ITERATIONS: usize = 100;
const ROTATION_END: f64 = 1e-14;

/// Returns the rotation R with the largest tr(Rᵀ A), also of a singular A [Müller et al. 2016]; the iterations start from the
/// orthonormalised columns of `guess`, or from the identity.
fn nearest_rotation(a: &[f64; 9], guess: Option<&[f64; 9]>) -> [f64; 9] {
    let columns = |m: &[f64; 9]| [0, 1, 2].map(|j| [m[j], m[3 + j], m[6 + j]]);
    let start = guess.and_then(|g| {
        let [x, y, _] = columns(g);
        let unit = |v: [f64; 3]| (norm(v) > 0.0).then(|| scale(1.0 / norm(v), v));
        let x = unit(x)?;
        let y = unit(sub(y, scale(dot(x, y), x)))?;
        Some([x, y, cross(x, y)])
    });
    let unturned = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let (mut r, a) = (start.unwrap_or(unturned), columns(a));
    for _ in 0..ROTATION_ITERATIONS {
        let turn = (0..3).fold([0.0; 3], |sum, k| add(sum, cross(r[k], a[k])));
        let weight: f64 = (0..3).map(|k| dot(r[k], a[k])).sum::<f64>().abs();
        let size = norm(turn);
        if size <= ROTATION_END * weight || weight == 0.0 {
            break;
        }
        let (axis, (sin, cos)) = (scale(1.0 / size, turn), (size / weight).sin_cos());
        r = r.map(|v| {
            let along = scale((1.0 - cos) * dot(axis, v), axis);
            add(add(scale(cos, v), scale(sin, cross(axis, v))), along)
        });
    }
    std::array::from_fn(|k| r[k % 3][k / 3])
}

/// Smallest determinant, relative to the cube of the mean diagonal entry, at which a matrix is inverted.
const LEAST_DETERMINANT: f64 = 1e-6;

/// Returns the inverse of a 3×3 matrix; `None` if it is nearly singular.
fn inverse(a: &[f64; 9]) -> Option<[f64; 9]> {
    let minor = |i: usize, j: usize| {
        let [r, s] = [(i + 1) % 3, (i + 2) % 3];
        let [c, d] = [(j + 1) % 3, (j + 2) % 3];
        a[3 * r + c] * a[3 * s + d] - a[3 * r + d] * a[3 * s + c]
    };
    let determinant: f64 = (0..3).map(|j| a[j] * minor(0, j)).sum();
    let size = (a[0] + a[4] + a[8]) / 3.0;
    let sound = determinant.abs() > LEAST_DETERMINANT * size.powi(3) && size > 0.0;
    sound.then(|| std::array::from_fn(|k| minor(k % 3, k / 3) / determinant))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two unit cubes side by side in x, with particles at their 12 corners.
    fn two_cubes() -> Mesh {
        let mut mesh = Mesh {
            starts: vec![0],
            ..Mesh::default()
        };
        for x in 0..3 {
            for [y, z] in [[0, 0], [1, 0], [1, 1], [0, 1]] {
                mesh.points.push([x, y, z].map(f64::from));
            }
        }
        for first in [0, 4] {
            let nodes: Vec<u32> = (first..first + 4)
                .flat_map(|i| [i, i + 4])
                .collect::<Vec<_>>();
            // Bottom face counter-clockwise, then the top face.
            let order = [
                nodes[0], nodes[1], nodes[3], nodes[2], nodes[6], nodes[7], nodes[5], nodes[4],
            ];
            mesh.push(CellKind::Hex8, &order);
        }
        mesh
    }

    /// All bonds except those across the plane x = `cut`.
    struct Cut(Vec<[f64; 3]>, f64);

    impl IntactBonds for Cut {
        fn is_intact(&self, a: u32, b: u32) -> bool {
            (self.0[a as usize][0] < self.1) == (self.0[b as usize][0] < self.1)
        }

        fn for_each_neighbour(&self, particle: u32, visit: &mut dyn FnMut(u32)) {
            let all = 0..self.0.len() as u32;
            all.filter(|i| *i != particle && self.is_intact(particle, *i))
                .for_each(visit);
        }
    }

    fn rotated(p: [f64; 3]) -> [f64; 3] {
        [-p[1] + 5.0, p[0], p[2]]
    }

    #[test]
    fn an_intact_body_has_the_positions_of_its_particles() {
        let mesh = two_cubes();
        let cells = SplitCells::new(&mesh);
        let particles = cells.vertex_particles();
        assert_eq!(particles.len(), 48);
        assert_eq!(cells.triangles().len(), 24);
        let mut vertices: Vec<_> = particles.iter().map(|i| mesh.points[*i as usize]).collect();
        let before = vertices.clone();
        cells.separate(&mesh.points, &Cut(mesh.points.clone(), 9.0), &mut vertices);
        assert_eq!(vertices, before);
    }

    /// A crack through the second cube: the right side turns away, and the cube goes with the left one, unchanged.
    #[test]
    fn a_divided_cell_follows_its_first_side() {
        let mesh = two_cubes();
        let cells = SplitCells::new(&mesh);
        let turned = |p: &[f64; 3]| {
            if p[0] > 1.5 {
                [p[0] + 3.0, p[1], p[2]]
            } else {
                rotated(*p)
            }
        };
        let now: Vec<[f64; 3]> = mesh.points.iter().map(turned).collect();
        let particles = cells.vertex_particles();
        let mut vertices: Vec<_> = particles.iter().map(|i| now[*i as usize]).collect();
        cells.separate(&now, &Cut(mesh.points.clone(), 1.5), &mut vertices);
        for (vertex, particle) in vertices.iter().zip(&particles) {
            let wanted = rotated(mesh.points[*particle as usize]);
            let off = (0..3)
                .map(|k| (vertex[k] - wanted[k]).abs())
                .fold(0.0, f64::max);
            assert!(off < 1e-12, "{particle}: {vertex:?} instead of {wanted:?}");
        }
    }

    /// Bonds that lie in a plane, and almost in one, say nothing about the direction across it: the cell turns with them and keeps
    /// its shape, whatever the noise.
    #[test]
    fn bonds_in_a_plane_do_not_stretch_a_cell() {
        let mesh = two_cubes();
        let cells = SplitCells::new(&mesh);
        for noise in [0.0, 1e-3] {
            let mut rest = mesh.points.clone();
            // The layer x = 2 is alone; its particles are slightly out of a plane at rest, and in one later.
            rest[9][0] += noise;
            let split = SplitCells {
                rest,
                ..cells.clone()
            };
            let now: Vec<[f64; 3]> = mesh.points.iter().map(|p| rotated(*p)).collect();
            let now: Vec<[f64; 3]> = (now.iter().enumerate())
                .map(|(i, p)| [p[0], p[1] + if i == 8 { 20.0 * noise } else { 0.0 }, p[2]])
                .collect();
            // The second cube keeps only the layer x = 2, of which no bond leaves the plane.
            let corners = &cells.corners[8..16];
            let layer = Cut(mesh.points.clone(), 1.5);
            let carrier = split.carrier(9, &now, &layer);
            for corner in corners {
                let arm = sub(split.rest[*corner as usize], split.rest[9]);
                let (before, after) = (norm(arm), norm(carrier.carry(arm)));
                assert!(
                    (after - before).abs() <= 0.26 * before,
                    "{noise}: {before} {after}"
                );
            }
            let arm = carrier.carry([1.0, 0.0, 0.0]);
            let wanted = [0.0, 1.0, 0.0];
            let off = norm(sub(arm, wanted));
            assert!(off < 30.0 * noise + 1e-9, "{noise}: {arm:?}");
        }
    }
}
