//! Independent checks of a state: exact edge–triangle intersections and signed distances.

use contact::Point;
use contact::broad::Primitives;
use contact::intersect::intersections;
use contact::obstacle::Frame;
use mesh::vector::{add, sub};
use scene::session::Session;
use solid::motion::Motion;

/// Surfaces of the bodies and obstacles of a session, for checks of its states.
pub struct Watch {
    primitives: Primitives,
    /// First group that is an obstacle.
    obstacles: u32,
    self_contact: bool,
}

/// What the checks found in a state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Findings {
    /// Edges that pass through triangles.
    pub intersections: usize,
    /// Vertices inside smooth obstacles.
    pub inside: usize,
}

impl Watch {
    /// Collects the surfaces of a session; `None` without contact.
    pub fn new(session: &Session) -> Option<Watch> {
        let setup = session.contact.as_ref()?;
        let d = &setup.description;
        let obstacles = (setup.bodies + setup.particles) as u32;
        let mut p = d.surfaces.primitives.clone();
        for (number, o) in (0u32..).zip(&d.obstacles) {
            let first = p.groups.len() as u32;
            let end = p.groups.len() + o.points.len();
            p.groups.resize(end, obstacles + number);
            p.radii.resize(end, 0.0);
            p.points.extend(first..end as u32);
            p.edges.extend(o.edges.iter().map(|e| e.map(|v| v + first)));
            p.triangles
                .extend(o.triangles.iter().map(|t| t.map(|v| v + first)));
        }
        Some(Watch {
            primitives: p,
            obstacles,
            self_contact: d.settings.self_contact,
        })
    }

    /// Checks the current state of the session.
    pub fn check(&self, session: &mut Session) -> Findings {
        let mut x = session.positions();
        let t = session.t();
        let Some(setup) = &session.contact else {
            return Findings::default();
        };
        let nodes = x.len();
        for o in &setup.description.obstacles {
            x.extend(o.points.iter().map(|p| moved(&o.motion, t, *p)));
        }
        let touch = |a: u32, b: u32| a.min(b) < self.obstacles && (a != b || self.self_contact);
        let found = intersections(&self.primitives, &x, touch);
        let mut inside = 0;
        for o in &setup.description.obstacles {
            let Some(shape) = &o.shape else { continue };
            let frame = moved_frame(&o.motion, t, &shape.frame);
            let own = self.primitives.points.iter().map(|v| *v as usize);
            inside += own
                .filter(|v| *v < nodes && shape.shape.signed_distance(&frame, x[*v]) <= 0.0)
                .count();
        }
        Findings {
            intersections: found.len(),
            inside,
        }
    }
}

fn moved(motion: &Motion, t: f64, p: Point) -> Point {
    add(p, motion.at(t, p)[0])
}

fn moved_frame(motion: &Motion, t: f64, frame: &Frame) -> Frame {
    let origin = moved(motion, t, frame.origin);
    let tip = |axis: Point| sub(moved(motion, t, add(frame.origin, axis)), origin);
    Frame {
        origin,
        axes: frame.axes.map(tip),
    }
}
