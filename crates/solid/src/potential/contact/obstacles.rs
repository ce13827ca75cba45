//! Obstacles in motion: smooth shapes by their signed distance, meshes by their vertices.
//!
//! A smooth shape keeps the vertices of bodies outside. Where its own corners, edges or a small radius could pass between
//! vertices, it also has points and edges that take part in contact like those of a mesh ([`MovingObstacle::points`]).

use std::ops::Range as Span;

use contact::collision::{EDGE_SHARE, Range};
use contact::obstacle::{Frame, Obstacle};
use contact::{CollisionSurface, Point};
use march::Curvature;
use mesh::vector::dot;

use crate::blocks::Block;
use crate::motion::Motion;

/// Smooth shape of an obstacle and its frame at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObstacleShape {
    /// Shape in its frame.
    pub shape: Obstacle,
    /// Frame before the motion.
    pub frame: Frame,
}

/// An obstacle with its motion.
#[derive(Clone, Debug, Default)]
pub struct MovingObstacle {
    /// Smooth shape; `None` for a mesh.
    pub shape: Option<ObstacleShape>,
    /// Points of the mesh, or points of the shape that keep the triangles of bodies away, m.
    pub points: Vec<Point>,
    /// Edges between the points.
    pub edges: Vec<[u32; 2]>,
    /// Triangles between the points.
    pub triangles: Vec<[u32; 3]>,
    /// Radius of the points and edges, m.
    pub radius: f64,
    /// Area with which a point or an edge counts, m².
    pub area: f64,
    /// Motion.
    pub motion: Motion,
}

/// A node near a smooth obstacle.
#[derive(Clone, Copy, Debug)]
pub struct SmoothContact {
    /// The node.
    pub node: u32,
    /// Group of the obstacle.
    pub group: u32,
    /// Area of the node, m².
    pub weight: f64,
    /// Signed distance minus thickness, m.
    pub gap: f64,
    /// Outward normal of the obstacle at the node.
    pub normal: Point,
    /// Second derivative of the signed distance, 1/m.
    pub curvature: [[f64; 3]; 3],
}

impl SmoothContact {
    /// Second derivative of weight · B, exact or definite, where B has these derivatives at the gap.
    pub fn stiffness(&self, [_, b1, b2]: [f64; 3], c: Curvature) -> Block {
        let bend = match c {
            Curvature::Exact | Curvature::Unsymmetric => b1,
            // The distance from a convex obstacle is convex and B′ ≤ 0, so this term is never positive.
            Curvature::Definite => 0.0,
        };
        let n = self.normal;
        std::array::from_fn(|e| {
            let (i, j) = (e / 3, e % 3);
            self.weight * (b2 * n[i] * n[j] + bend * self.curvature[i][j])
        })
    }
}

/// A smooth obstacle at work.
struct SmoothObstacle {
    group: u32,
    shape: ObstacleShape,
    motion: Motion,
    frame: Frame,
}

/// Points of an obstacle at work.
struct ObstaclePoints {
    /// Their numbers.
    span: Span<usize>,
    rest: Vec<Point>,
    motion: Motion,
}

/// All obstacles of a model.
pub struct Obstacles {
    smooth: Vec<SmoothObstacle>,
    points: Vec<ObstaclePoints>,
    moving: bool,
    placed: Option<f64>,
}

/// Frame of a rigid motion applied to a frame at rest, and its rate of change.
fn moved(motion: &Motion, rest: &Frame, t: f64) -> [Frame; 2] {
    let image = |p: Point| {
        let [u, v, ..] = motion.at(t, p);
        [[0, 1, 2].map(|k| p[k] + u[k]), v]
    };
    let [origin, velocity] = image(rest.origin);
    let tips = rest
        .axes
        .map(|axis| image([0, 1, 2].map(|k| rest.origin[k] + axis[k])));
    let axes = |of: usize, from: Point| tips.map(|tip| [0, 1, 2].map(|k| tip[of][k] - from[k]));
    [
        Frame {
            origin,
            axes: axes(0, origin),
        },
        Frame {
            origin: velocity,
            axes: axes(1, velocity),
        },
    ]
}

impl Obstacles {
    /// Adds the points, edges and triangles of the obstacles to the surfaces, after those of the bodies. The group of an
    /// obstacle is its number plus that of the bodies.
    pub fn new(
        list: Vec<MovingObstacle>,
        nodes: usize,
        surfaces: &mut CollisionSurface,
    ) -> Obstacles {
        let bodies = surfaces
            .primitives
            .groups
            .iter()
            .map(|g| g + 1)
            .max()
            .unwrap_or(0);
        let moving = list.iter().any(|o| o.motion.moves());
        let (mut smooth, mut points) = (Vec::new(), Vec::new());
        assert_eq!(
            surfaces.primitives.groups.len(),
            nodes,
            "a group for each node"
        );
        for (number, obstacle) in list.into_iter().enumerate() {
            let group = bodies + number as u32;
            if let Some(shape) = obstacle.shape {
                smooth.push(SmoothObstacle {
                    group,
                    shape,
                    motion: obstacle.motion.clone(),
                    frame: shape.frame,
                });
            }
            if !obstacle.points.is_empty() {
                points.push(add_points(obstacle, group, surfaces));
            }
        }
        Obstacles {
            smooth,
            points,
            moving,
            placed: None,
        }
    }

    /// Returns `true` if an obstacle moves at some time.
    pub fn move_at_all(&self) -> bool {
        self.moving
    }

    /// Returns the first time after `t` at which a motion has a kink.
    pub fn next_kink(&self, t: f64) -> f64 {
        let smooth = self.smooth.iter().map(|o| &o.motion);
        let motions = smooth.chain(self.points.iter().map(|o| &o.motion));
        motions.fold(f64::INFINITY, |first, m| first.min(m.next_kink(t)))
    }

    /// Moves the obstacles to their places at a time; their points are in `x` behind the nodes.
    pub fn place(&mut self, t: f64, x: &mut [Point]) {
        if self.placed == Some(t) || (self.placed.is_some() && !self.moving) {
            return;
        }
        self.placed = Some(t);
        self.points_at(t, x);
        for o in &mut self.smooth {
            o.frame = moved(&o.motion, &o.shape.frame, t)[0];
        }
    }

    /// Writes the positions of all obstacle points at a time.
    pub fn points_at(&self, t: f64, x: &mut [Point]) {
        for o in &self.points {
            for (x, rest) in x[o.span.clone()].iter_mut().zip(&o.rest) {
                let u = o.motion.at(t, *rest)[0];
                *x = [0, 1, 2].map(|k| rest[k] + u[k]);
            }
        }
    }

    /// Writes the velocities of all obstacle points at a time.
    pub fn point_velocities(&self, t: f64, v: &mut [Point]) {
        for o in &self.points {
            for (v, rest) in v[o.span.clone()].iter_mut().zip(&o.rest) {
                *v = o.motion.at(t, *rest)[1];
            }
        }
    }

    /// Iterates over the smooth obstacles: group, shape and frames at two times.
    pub fn smooth_between(
        &self,
        from: f64,
        to: f64,
    ) -> impl Iterator<Item = (u32, Obstacle, [Frame; 2])> + '_ {
        self.smooth.iter().map(move |o| {
            let frame = |t| moved(&o.motion, &o.shape.frame, t)[0];
            (o.group, o.shape.shape, [frame(from), frame(to)])
        })
    }

    /// Velocity of a smooth obstacle at a place, and the rate of a direction that turns with it.
    pub fn smooth_velocity(&self, group: u32, t: f64, x: Point, direction: Point) -> [Point; 2] {
        let Some(o) = self.smooth.iter().find(|o| o.group == group) else {
            return [[0.0; 3]; 2];
        };
        let [frame, rate] = moved(&o.motion, &o.shape.frame, t);
        let turn = |d: Point| rate.direction_to_world(frame.axes.map(|axis| dot(axis, d)));
        let turned = turn([0, 1, 2].map(|k| x[k] - frame.origin[k]));
        let velocity = [0, 1, 2].map(|k| rate.origin[k] + turned[k]);
        [velocity, turn(direction)]
    }

    /// Outward normal of a smooth obstacle at a time and a place.
    pub fn smooth_normal(&self, group: u32, t: f64, x: Point) -> Point {
        let of = self.smooth.iter().find(|o| o.group == group);
        of.map_or([0.0; 3], |o| {
            let frame = moved(&o.motion, &o.shape.frame, t)[0];
            o.shape.shape.derivatives(&frame, x, None).1
        })
    }

    /// Finds the vertices within reach of smooth obstacles.
    pub fn collect(
        &self,
        surfaces: &CollisionSurface,
        x: &[Point],
        range: Range,
        ignored: impl Fn(u32, u32) -> bool,
        out: &mut Vec<SmoothContact>,
    ) {
        out.clear();
        for o in &self.smooth {
            for &i in &surfaces.primitives.points {
                let node = i as usize;
                if surfaces.rigid[node] || ignored(surfaces.primitives.groups[node], o.group) {
                    continue;
                }
                let offset = range.thickness + surfaces.primitives.radius([i]);
                let place = x[node];
                if o.shape.shape.signed_distance(&o.frame, place) - offset >= range.reach {
                    continue;
                }
                let mut curvature = [[0.0; 3]; 3];
                let (distance, normal) =
                    o.shape
                        .shape
                        .derivatives(&o.frame, place, Some(&mut curvature));
                out.push(SmoothContact {
                    node: i,
                    group: o.group,
                    weight: surfaces.vertex_areas[node],
                    gap: distance - offset,
                    normal,
                    curvature,
                });
            }
        }
    }

    /// Calls `visit` with every vertex of a body, its signed distance from each smooth obstacle and the normal there.
    pub fn each_vertex(
        &self,
        surfaces: &CollisionSurface,
        x: &[Point],
        mut visit: impl FnMut(u32, f64, Point),
    ) {
        for o in &self.smooth {
            let points = surfaces.primitives.points.iter();
            for &i in points.filter(|&&i| !surfaces.rigid[i as usize]) {
                let place = x[i as usize];
                let (distance, normal) = o.shape.shape.derivatives(&o.frame, place, None);
                visit(i, distance, normal);
            }
        }
    }

    /// Signed distance of a place from a smooth obstacle where it was placed last, m.
    pub fn gap_of(&self, group: u32, x: Point) -> f64 {
        let of = self.smooth.iter().find(|o| o.group == group);
        of.map_or(f64::INFINITY, |o| {
            o.shape.shape.signed_distance(&o.frame, x)
        })
    }

    /// Least signed distance of a vertex from the smooth obstacles, thickness subtracted, m.
    pub fn least_gap(&self, surfaces: &CollisionSurface, x: &[Point], range: Range) -> f64 {
        let mut least = f64::INFINITY;
        for o in &self.smooth {
            let points = surfaces.primitives.points.iter();
            for &i in points.filter(|&&i| !surfaces.rigid[i as usize]) {
                let distance = o.shape.shape.signed_distance(&o.frame, x[i as usize]);
                least = least.min(distance - range.thickness - surfaces.primitives.radius([i]));
            }
        }
        least
    }
}

fn add_points(
    obstacle: MovingObstacle,
    group: u32,
    surfaces: &mut CollisionSurface,
) -> ObstaclePoints {
    let p = &mut surfaces.primitives;
    let first = p.groups.len() as u32;
    let end = first as usize + obstacle.points.len();
    p.groups.resize(end, group);
    p.radii.resize(first as usize, 0.0);
    p.radii.resize(end, obstacle.radius);
    p.points.extend(first..end as u32);
    surfaces.vertex_areas.resize(end, obstacle.area);
    surfaces.rigid.resize(first as usize, false);
    surfaces.rigid.resize(end, true);
    // Pairs of edges of triangulated surfaces count with a share of their area; the area of obstacles has it already.
    let edge_area = match obstacle.triangles.is_empty() {
        true => obstacle.area,
        false => obstacle.area / EDGE_SHARE,
    };
    for [a, b] in &obstacle.edges {
        let (q, r) = (obstacle.points[*a as usize], obstacle.points[*b as usize]);
        let square: f64 = (0..3).map(|k| (q[k] - r[k]).powi(2)).sum();
        p.edges.push([a.min(b) + first, a.max(b) + first]);
        surfaces.edge_areas.push(edge_area);
        surfaces.squared_lengths.push(square);
    }
    let triangles = obstacle.triangles.iter().map(|t| t.map(|i| i + first));
    p.triangles.extend(triangles);
    ObstaclePoints {
        span: first as usize..end,
        rest: obstacle.points,
        motion: obstacle.motion,
    }
}
