//! Collision surfaces of meshes: what can touch, and how much area it stands for.

use mesh::vector::{cross, dot, norm, sub};
use mesh::{CellKind, Mesh};

use crate::Point;
use crate::broad::Primitives;

/// Points, edges and triangles of bodies that can touch, with the areas that they stand for at rest.
///
/// A barrier's energy is a stiffness times an area times a function of the distance. With the **contact area** of a vertex the
/// pressure under a given load does not depend on the mesh. Contact is on one side of a body: at the corner of a box only the
/// triangles of one of its faces count. So the triangles at a vertex are divided into smooth groups, by the edges where their
/// normals differ by more than 45°, and the area of the largest group counts: of each of its triangles the part that is closest
/// to the vertex, so that a rectangle gives the same to its four corners along whichever diagonal it is split.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CollisionSurface {
    /// The primitives. `groups` has an entry for every vertex.
    pub primitives: Primitives,
    /// Contact area of each vertex, m²; 0 for vertices that cannot touch.
    pub vertex_areas: Vec<f64>,
    /// Contact area of each edge, m²: a third of its triangles, or of the larger one if they meet at more than 45°.
    pub edge_areas: Vec<f64>,
    /// Squared length of each edge at rest, m², for the threshold of the [mollifier](crate::mollifier_threshold).
    pub squared_lengths: Vec<f64>,
    /// Whether each vertex belongs to an obstacle.
    pub rigid: Vec<bool>,
    /// Smooth groups of the triangles at vertices on creases, by vertex: where there are several, contact may be on each.
    pub sides: Vec<VertexSide>,
}

/// A smooth group of triangles at a vertex on a crease.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexSide {
    /// The vertex.
    pub vertex: u32,
    /// Contact area of the vertex on this side, m².
    pub area: f64,
    /// The triangles.
    pub triangles: Vec<u32>,
}

/// Sizes of parts without a surface: wires (edges that belong to no triangle) and particles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CodimensionalSizes {
    /// Contact area of a wire for each metre of its length, m.
    pub wire_width: f64,
    /// Contact area of a particle, m².
    pub particle_area: f64,
}

/// Cosine of the largest angle between the normals of neighbouring triangles of a smooth group: 45°.
const CREASE_COSINE: f64 = std::f64::consts::FRAC_1_SQRT_2;

impl CollisionSurface {
    /// Extracts the collision surface of a mesh at rest: the boundary of its solid cells; or its two-dimensional cells, which
    /// touch on both sides; or its lines and vertices, if it has neither. All vertices are in group 0.
    ///
    /// Quadrilaterals and faces of quadratic cells are split into triangles over all their nodes. Points that no cell uses
    /// are particles if the mesh has neither solid nor two-dimensional cells.
    pub fn from_mesh(mesh: &Mesh, sizes: &CodimensionalSizes) -> CollisionSurface {
        let triangles = mesh::surface(mesh).triangles;
        let (mut lines, mut vertices) = (Vec::new(), Vec::new());
        if triangles.is_empty() {
            for (kind, cell) in mesh.cells() {
                match kind {
                    CellKind::Line3 => lines.extend([[cell[0], cell[2]], [cell[2], cell[1]]]),
                    CellKind::Line2 => lines.push([cell[0], cell[1]]),
                    _ => {}
                }
            }
            vertices.extend(0..mesh.points.len() as u32);
        }
        CollisionSurface::new(&mesh.points, triangles, &lines, &vertices, sizes)
    }

    /// Makes the collision surface of triangles, as of an obstacle read from a file. All vertices are in group 0.
    pub fn from_triangles(points: &[Point], triangles: &[[u32; 3]]) -> CollisionSurface {
        let sizes = CodimensionalSizes::default();
        CollisionSurface::new(points, triangles.to_vec(), &[], &[], &sizes)
    }

    fn new(
        points: &[Point],
        triangles: Vec<[u32; 3]>,
        lines: &[[u32; 2]],
        vertices: &[u32],
        sizes: &CodimensionalSizes,
    ) -> CollisionSurface {
        let ordered = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
        let sides = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        let of_triangles = triangles.iter().flat_map(sides).map(ordered);
        let mut edges: Vec<[u32; 2]> = of_triangles
            .chain(lines.iter().copied().map(ordered))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        edges.retain(|[a, b]| a != b);

        let mut uses = vec![Use::None; points.len()];
        vertices
            .iter()
            .for_each(|&v| uses[v as usize] = Use::Particle);
        edges
            .as_flattened()
            .iter()
            .for_each(|&v| uses[v as usize] = Use::Surface);
        let numbered = |wanted: fn(&Use) -> bool| -> Vec<u32> {
            let used = (0u32..).zip(&uses).filter(|(_, u)| wanted(u));
            used.map(|(v, _)| v).collect()
        };
        let mut surface = CollisionSurface {
            primitives: Primitives {
                points: numbered(|u| *u != Use::None),
                particles: numbered(|u| *u == Use::Particle),
                triangles,
                edges,
                wire_edges: Vec::new(),
                groups: vec![0; points.len()],
                radii: Vec::new(),
            },
            vertex_areas: vec![0.0; points.len()],
            rigid: vec![false; points.len()],
            ..CollisionSurface::default()
        };
        surface.measure_triangles(points);
        surface.measure_edges(points, sizes);
        for &v in &surface.primitives.particles {
            surface.vertex_areas[v as usize] = sizes.particle_area;
        }
        surface
    }

    /// Appends another surface whose vertices are numbered from `first_vertex` on, as one group. Vertices must be appended in
    /// ascending order, so that the lists stay sorted.
    pub fn append(&mut self, other: &CollisionSurface, first_vertex: u32, group: u32) {
        let p = &mut self.primitives;
        let q = &other.primitives;
        let first_edge = p.edges.len() as u32;
        let first_triangle = p.triangles.len() as u32;
        self.sides.extend(other.sides.iter().map(|side| VertexSide {
            vertex: side.vertex + first_vertex,
            area: side.area,
            triangles: side.triangles.iter().map(|t| t + first_triangle).collect(),
        }));
        p.points.extend(q.points.iter().map(|v| v + first_vertex));
        p.particles
            .extend(q.particles.iter().map(|v| v + first_vertex));
        p.edges
            .extend(q.edges.iter().map(|e| e.map(|v| v + first_vertex)));
        p.triangles
            .extend(q.triangles.iter().map(|t| t.map(|v| v + first_vertex)));
        p.wire_edges
            .extend(q.wire_edges.iter().map(|e| e + first_edge));
        p.groups.resize(first_vertex as usize, 0);
        p.groups
            .resize(first_vertex as usize + q.groups.len(), group);
        if !(p.radii.is_empty() && q.radii.is_empty()) {
            p.radii.resize(first_vertex as usize, 0.0);
            p.radii.extend_from_slice(&q.radii);
        }
        self.vertex_areas.resize(first_vertex as usize, 0.0);
        self.vertex_areas.extend_from_slice(&other.vertex_areas);
        self.rigid.resize(first_vertex as usize, false);
        self.rigid.extend_from_slice(&other.rigid);
        self.edge_areas.extend_from_slice(&other.edge_areas);
        self.squared_lengths
            .extend_from_slice(&other.squared_lengths);
    }

    /// Contact areas of the vertices of triangles.
    fn measure_triangles(&mut self, points: &[Point]) {
        let triangles = &self.primitives.triangles;
        let corners: Vec<Corner> = triangles.iter().map(|t| Corner::new(points, t)).collect();
        let mut incident: Vec<[u32; 2]> = Vec::with_capacity(3 * triangles.len());
        for (number, t) in (0u32..).zip(triangles) {
            incident.extend(t.map(|v| [v, number]));
        }
        incident.sort_unstable();
        let mut group = Vec::new();
        for at_vertex in incident.chunk_by(|a, b| a[0] == b[0]) {
            let v = at_vertex[0][0];
            // Smallest member of the smooth group of each triangle at the vertex.
            group.clear();
            group.extend(0..at_vertex.len());
            for i in 0..at_vertex.len() {
                for j in 0..i {
                    let [s, t] = [i, j].map(|k| at_vertex[k][1] as usize);
                    let smooth = shared_edge(&triangles[s], &triangles[t], v)
                        .is_some_and(|sign| corners[s].is_smooth(&corners[t], sign));
                    if smooth && group[i] != group[j] {
                        let (from, to) = (group[i].max(group[j]), group[i].min(group[j]));
                        group
                            .iter_mut()
                            .filter(|g| **g == from)
                            .for_each(|g| *g = to);
                    }
                }
            }
            let area = |g: usize| -> f64 {
                let members = (0..at_vertex.len()).filter(|&k| group[k] == g);
                members
                    .map(|k| voronoi_area(points, &triangles[at_vertex[k][1] as usize], v))
                    .sum()
            };
            self.vertex_areas[v as usize] = (0..at_vertex.len()).map(area).fold(0.0, f64::max);
            let first: Vec<usize> = (0..group.len()).filter(|&k| group[k] == k).collect();
            if first.len() > 1 {
                self.sides.extend(first.into_iter().map(|g| {
                    VertexSide {
                        vertex: v,
                        area: area(g),
                        triangles: (0..group.len())
                            .filter(|&k| group[k] == g)
                            .map(|k| at_vertex[k][1])
                            .collect(),
                    }
                }));
            }
        }
    }

    /// Contact areas and lengths of the edges; areas of the vertices of wires.
    fn measure_edges(&mut self, points: &[Point], sizes: &CodimensionalSizes) {
        let p = &mut self.primitives;
        let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * p.triangles.len());
        for (number, t) in (0u32..).zip(&p.triangles) {
            for [a, b] in [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]] {
                sides.push(([a.min(b), a.max(b)], number));
            }
        }
        sides.sort_unstable();
        let mut rest = &sides[..];
        for (number, &edge) in (0u32..).zip(&p.edges) {
            let e = sub(points[edge[1] as usize], points[edge[0] as usize]);
            self.squared_lengths.push(dot(e, e));
            rest = &rest[rest.partition_point(|side| side.0 < edge)..];
            let own = &rest[..rest.partition_point(|side| side.0 == edge)];
            if own.is_empty() {
                let area = sizes.wire_width * norm(e);
                p.wire_edges.push(number);
                self.edge_areas.push(area);
                edge.iter()
                    .for_each(|&v| self.vertex_areas[v as usize] += 0.5 * area);
                continue;
            }
            let corner = |k: usize| Corner::new(points, &p.triangles[own[k].1 as usize]);
            let areas = (0..own.len()).map(|k| corner(k).area / 3.0);
            let smooth = own.len() == 2 && {
                let [s, t] = [0, 1].map(|k| &p.triangles[own[k].1 as usize]);
                shared_edge(s, t, edge[0]).is_some_and(|sign| corner(0).is_smooth(&corner(1), sign))
            };
            let area = if smooth {
                areas.sum()
            } else {
                areas.fold(0.0, f64::max)
            };
            self.edge_areas.push(area);
        }
    }
}

/// Part of a triangle that belongs to a corner: its Voronoi cell, or a half and two quarters of the triangle if that is obtuse
/// [Meyer et al. 2003, section 3.3].
fn voronoi_area(points: &[Point], t: &[u32; 3], corner: u32) -> f64 {
    let k = t.iter().position(|&v| v == corner).unwrap_or(0);
    let [a, b, c] = [0, 1, 2].map(|i| points[t[(k + i) % 3] as usize]);
    let (ab, ac, bc) = (sub(b, a), sub(c, a), sub(c, b));
    let double_area = norm(cross(ab, ac));
    let [at_a, at_b, at_c] = [dot(ab, ac), -dot(ab, bc), dot(ac, bc)];
    if double_area == 0.0 {
        0.0
    } else if at_a < 0.0 {
        0.25 * double_area
    } else if at_b < 0.0 || at_c < 0.0 {
        0.125 * double_area
    } else {
        // |ac|² cot(b) + |ab|² cot(c) over 8.
        0.125 * (dot(ac, ac) * at_b + dot(ab, ab) * at_c) / double_area
    }
}

/// What a vertex of a mesh is part of.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    None,
    Particle,
    Surface,
}

/// Area and unit normal of a triangle.
struct Corner {
    area: f64,
    normal: Point,
}

impl Corner {
    fn new(points: &[Point], t: &[u32; 3]) -> Corner {
        let [a, b, c] = t.map(|v| points[v as usize]);
        let n = cross(sub(b, a), sub(c, a));
        let length = norm(n);
        Corner {
            area: 0.5 * length,
            normal: if length > 0.0 {
                n.map(|n| n / length)
            } else {
                [0.0; 3]
            },
        }
    }

    /// Whether two neighbouring triangles meet at less than 45°; `sign` is −1 if their orientations differ.
    fn is_smooth(&self, other: &Corner, sign: f64) -> bool {
        sign * dot(self.normal, other.normal) >= CREASE_COSINE
    }
}

/// Returns 1 if two triangles at the vertex `v` share an edge at `v` and have the same orientation, −1 if they have opposite
/// orientations, and `None` if they share no edge.
fn shared_edge(s: &[u32; 3], t: &[u32; 3], v: u32) -> Option<f64> {
    let around = |t: &[u32; 3]| {
        let k = t.iter().position(|&w| w == v)?;
        Some([t[(k + 1) % 3], t[(k + 2) % 3]])
    };
    let ([next, last], [other_next, other_last]) = (around(s)?, around(t)?);
    if next == other_last || last == other_next {
        Some(1.0)
    } else if next == other_next || last == other_last {
        Some(-1.0)
    } else {
        None
    }
}
