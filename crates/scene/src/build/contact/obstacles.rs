//! Obstacles of a scene: smooth shapes, their points and edges, meshes, and surfaces for pictures.

use std::path::Path;

use ::contact::CollisionSurface;
use ::contact::Point;
use ::contact::obstacle::{Frame, Obstacle, height_field, triangulate};
use mesh::vector::{add, norm, scale, sub};
use serde::{Deserialize, Serialize};

use solid::potential::contact::{MovingObstacle, ObstacleShape};

use super::Bodies;
use crate::build::Assembly;
use crate::build::mesh::apply_placement;
use crate::build::motion::motion_about;
use crate::build::select::bounds;
use crate::error::SceneError;
use crate::spec::{self, Source};

/// Contact area of a point or edge of a box or mesh in mean areas of the vertices of bodies, which carry the pressure.
const OBSTACLE_AREA_SHARE: f64 = 0.02;
/// Radius in longest edges of the bodies below which a sphere or capsule could pass between their vertices.
const SMALL_RADIUS_IN_EDGES: f64 = 2.0;
/// Number of edges around spheres and capsules in pictures.
const DRAWN_SEGMENTS: u32 = 32;
/// Half side of the square that is drawn for a plane, in extents of the scene.
const PLANE_HALF_SIDE: f64 = 1.5;

/// An obstacle of a scene.
pub struct Built {
    pub name: String,
    pub obstacle: MovingObstacle,
    /// Whether it is an open surface.
    pub shell: bool,
    written: Option<spec::Motion>,
    pivot: Point,
}

/// Surface of an obstacle for pictures, and its motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObstacleSurface {
    /// Name.
    pub name: String,
    /// Height of the obstacle if it is a horizontal plane at rest that faces upwards (along y), m.
    pub floor: Option<f64>,
    /// Whether it is a plane, of which a square is drawn.
    pub plane: bool,
    /// Points at rest, m.
    pub points: Vec<Point>,
    /// Triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    motion: Option<spec::Motion>,
    pivot: Point,
}

impl ObstacleSurface {
    /// Computes the positions of the points at a time, m.
    pub fn positions(&self, t: f64, out: &mut Vec<Point>) {
        let motion = motion_about(&self.motion, || self.pivot);
        out.extend(self.points.iter().map(|p| add(*p, motion.at(t, *p)[0])));
    }
}

/// Builds an obstacle. Returns `None` after adding an error.
pub fn build(
    written: &spec::Obstacle,
    number: usize,
    source: &Source,
    bodies: &Bodies,
    all: &mut Assembly,
    errors: &mut Vec<SceneError>,
) -> Option<Built> {
    let name = written.name_or_number(number);
    let mut obstacle = match geometry(written, source, bodies, &name, &mut all.notices) {
        Ok(obstacle) => obstacle,
        Err((key, sentence)) => {
            errors.push(source.error(&format!("obstacle[{number}].{key}"), sentence));
            return None;
        }
    };
    let pivot = match &obstacle.shape {
        Some(shape) => shape.frame.origin,
        None => centroid(&obstacle.points),
    };
    obstacle.motion = motion_about(&written.motion, || pivot);
    // Points with a radius are those of spheres and capsules between vertices, which cannot carry the pressure there.
    let share = match obstacle.radius > 0.0 {
        true => 1.0,
        false => OBSTACLE_AREA_SHARE,
    };
    obstacle.area = share * bodies.mean_vertex_area();
    let shell = obstacle.shape.is_none() && !is_closed(&obstacle.triangles);
    Some(Built {
        name,
        obstacle,
        shell,
        written: written.motion.clone(),
        pivot,
    })
}

/// Key of an obstacle and the error message for its value.
type KeyedMessage = (&'static str, String);

fn geometry(
    written: &spec::Obstacle,
    source: &Source,
    bodies: &Bodies,
    name: &str,
    notices: &mut Vec<String>,
) -> Result<MovingObstacle, KeyedMessage> {
    let smooth = |shape: Obstacle, frame: Frame| MovingObstacle {
        shape: Some(ObstacleShape { shape, frame }),
        ..MovingObstacle::default()
    };
    let small = |radius: f64| radius < SMALL_RADIUS_IN_EDGES * bodies.longest_edge();
    Ok(match &written.shape {
        spec::ObstacleShape::Plane(p) => smooth(Obstacle::Plane, Frame::along(p.point, p.normal)),
        spec::ObstacleShape::Sphere(s) => {
            let frame = Frame {
                origin: s.center,
                ..Frame::IDENTITY
            };
            let mut out = smooth(Obstacle::Sphere { radius: s.radius }, frame);
            if small(s.radius) {
                (out.points, out.radius) = (vec![s.center], s.radius);
            }
            out
        }
        spec::ObstacleShape::Capsule(c) => {
            let (axis, middle) = (sub(c.b, c.a), scale(0.5, add(c.a, c.b)));
            let length = norm(axis);
            let direction = if length > 0.0 { axis } else { [0.0, 0.0, 1.0] };
            let shape = Obstacle::Capsule {
                half_length: 0.5 * length,
                radius: c.radius,
            };
            let mut out = smooth(shape, Frame::along(middle, direction));
            if small(c.radius) {
                (out.points, out.radius) = (vec![c.a, c.b], c.radius);
                out.edges = vec![[0, 1]];
            }
            out
        }
        spec::ObstacleShape::Box(b) => oriented_box(b),
        spec::ObstacleShape::File { path, place } => {
            let (points, triangles) = surface_file(path, source, name, notices)?;
            mesh_obstacle(points, triangles, place)
        }
        spec::ObstacleShape::HeightField(field) => {
            let rows = heights(field, source)?;
            let (columns, depth) = (rows[0].len(), rows.len());
            // The local x axis is the world's z axis and the local y axis its x axis, so that z is up along y.
            let frame = Frame {
                origin: [0.0; 3],
                axes: [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            };
            let list: Vec<f64> = (0..columns)
                .flat_map(|i| rows.iter().map(move |row| row[i]))
                .collect();
            let [x, z] = field.size;
            let spacing = [z / (depth - 1) as f64, x / (columns - 1) as f64];
            let (points, triangles) = height_field(&frame, &list, depth, spacing);
            mesh_obstacle(points, triangles, &field.place)
        }
    })
}

/// A box with its corners and edges, which keep the triangles of bodies away.
fn oriented_box(b: &spec::BoxBounds) -> MovingObstacle {
    let half = scale(0.5, sub(b.max, b.min));
    let mut axes = Frame::IDENTITY.axes;
    let turn = spec::Placement {
        rotate_deg: b.rotate_deg,
        ..spec::Placement::default()
    };
    apply_placement(&mut axes, &turn);
    let frame = Frame {
        origin: scale(0.5, add(b.min, b.max)),
        axes,
    };
    let corner = |i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 1 { half[k] } else { -half[k] });
    let points = (0..8).map(|i| frame.to_world(corner(i))).collect();
    let edges = (0..8u32).flat_map(|i| {
        let up = (0..3).filter(move |k| i >> k & 1 == 0);
        up.map(move |k| [i, i | 1 << k])
    });
    MovingObstacle {
        shape: Some(ObstacleShape {
            shape: Obstacle::OrientedBox { half_extents: half },
            frame,
        }),
        points,
        edges: edges.collect(),
        ..MovingObstacle::default()
    }
}

fn mesh_obstacle(
    mut points: Vec<Point>,
    triangles: Vec<[u32; 3]>,
    place: &spec::Placement,
) -> MovingObstacle {
    apply_placement(&mut points, place);
    let surface = CollisionSurface::from_triangles(&points, &triangles);
    MovingObstacle {
        points,
        edges: surface.primitives.edges,
        triangles,
        ..MovingObstacle::default()
    }
}

fn folder(source: &Source) -> &Path {
    Path::new(&source.name).parent().unwrap_or(Path::new(""))
}

/// Reads the surface of a mesh file: its points and triangles.
fn surface_file(
    path: &str,
    source: &Source,
    name: &str,
    notices: &mut Vec<String>,
) -> Result<(Vec<Point>, Vec<[u32; 3]>), KeyedMessage> {
    let loaded =
        meshio::import::read(&folder(source).join(path)).map_err(|e| ("file", e.to_string()))?;
    notices.extend(loaded.notices.iter().map(|n| format!("{name}: {n}")));
    let skin = mesh::surface(&loaded.mesh);
    if skin.triangles.is_empty() {
        return Err((
            "file",
            "the mesh has neither faces nor solid cells; an obstacle needs a surface".into(),
        ));
    }
    let mut number = vec![u32::MAX; loaded.mesh.points.len()];
    let mut points = Vec::new();
    let mut renumber = |i: u32| {
        let at = &mut number[i as usize];
        if *at == u32::MAX {
            *at = points.len() as u32;
            points.push(loaded.mesh.points[i as usize]);
        }
        *at
    };
    let triangles = skin
        .triangles
        .iter()
        .map(|t| t.map(&mut renumber))
        .collect();
    Ok((points, triangles))
}

/// Rows of heights, at least two of at least two, all of the same length.
fn heights(field: &spec::HeightField, source: &Source) -> Result<Vec<Vec<f64>>, KeyedMessage> {
    if let Some(rows) = &field.heights {
        return Ok(rows.clone());
    }
    let path = folder(source).join(field.file.as_deref().unwrap_or_default());
    let fail = |why: String| ("height-field.file", format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(&path).map_err(|e| fail(e.to_string()))?;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for (i, line) in text
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.trim().is_empty())
    {
        let words = line.split(|c: char| c == ',' || c.is_whitespace());
        let numbers = words.filter(|w| !w.is_empty()).map(|w| {
            let number = w.parse::<f64>().ok().filter(|x| x.is_finite());
            number.ok_or_else(|| fail(format!("line {}: \"{w}\" is not a height", i + 1)))
        });
        let row = numbers.collect::<Result<Vec<f64>, _>>()?;
        if rows.first().is_some_and(|first| first.len() != row.len()) {
            let (found, first) = (row.len(), rows[0].len());
            return Err(fail(format!(
                "line {} has {found} heights, the first has {first}",
                i + 1
            )));
        }
        rows.push(row);
    }
    match rows.len() >= 2 && rows[0].len() >= 2 {
        true => Ok(rows),
        false => Err(fail("needs at least two lines of two heights".into())),
    }
}

fn centroid(points: &[Point]) -> Point {
    let sum = points.iter().fold([0.0; 3], |sum, p| add(sum, *p));
    scale(1.0 / points.len().max(1) as f64, sum)
}

/// Whether every edge belongs to exactly two triangles.
fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let sides = triangles
        .iter()
        .flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
    let mut sides: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    sides.sort_unstable();
    sides.chunk_by(|a, b| a == b).all(|same| same.len() == 2)
}

impl Bodies {
    /// Length of the longest edge of the surfaces, m; 0 without edges.
    pub fn longest_edge(&self) -> f64 {
        let squares = self.surface.squared_lengths.iter();
        squares.fold(0.0f64, |most, s| most.max(*s)).sqrt()
    }

    /// Length of the shortest edge of the surfaces, m; infinite without edges.
    pub fn shortest_edge(&self) -> f64 {
        let squares = self.surface.squared_lengths.iter();
        squares.fold(f64::INFINITY, |least, s| least.min(*s)).sqrt()
    }

    /// Mean contact area of the vertices that can touch, m².
    fn mean_vertex_area(&self) -> f64 {
        let points = &self.surface.primitives.points;
        let areas = points
            .iter()
            .map(|&i| self.surface.vertex_areas[i as usize]);
        areas.sum::<f64>() / points.len().max(1) as f64
    }
}

/// Makes the surfaces of obstacles for pictures.
pub fn surfaces(built: &[Built], all: &Assembly) -> Vec<ObstacleSurface> {
    let mut points = all.parts.rest.clone();
    points.extend(built.iter().flat_map(|o| o.obstacle.points.iter().copied()));
    points.extend(
        built
            .iter()
            .filter_map(|o| Some(o.obstacle.shape?.frame.origin)),
    );
    let (low, high) = bounds(&points);
    let extent = PLANE_HALF_SIDE * norm(sub(high, low)).max(1e-3);
    let (low, high) = bounds(&all.parts.rest);
    let centre = scale(0.5, add(low, high));
    built
        .iter()
        .map(|o| surface_of(o, extent, centre))
        .collect()
}

fn surface_of(built: &Built, extent: f64, centre: Point) -> ObstacleSurface {
    let (mut floor, mut plane) = (None, false);
    let (points, triangles) = match &built.obstacle.shape {
        None => (
            built.obstacle.points.clone(),
            built.obstacle.triangles.clone(),
        ),
        Some(ObstacleShape { shape, frame }) => {
            let mut frame = *frame;
            if *shape == Obstacle::Plane {
                plane = true;
                let up = frame.axes[2][1] > 1.0 - 1e-9 && !built.obstacle.motion.moves();
                floor = up.then_some(frame.origin[1]);
                // The square is below the bodies.
                let mut local = frame.to_local(centre);
                local[2] = 0.0;
                frame.origin = frame.to_world(local);
            }
            triangulate(shape, &frame, DRAWN_SEGMENTS, extent)
        }
    };
    ObstacleSurface {
        name: built.name.clone(),
        floor,
        plane,
        points,
        triangles,
        motion: built.written.clone(),
        pivot: built.pivot,
    }
}
