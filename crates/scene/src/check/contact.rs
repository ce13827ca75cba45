//! Contact in `supple check`: settings, gaps at the start, contact time against the step, overlaps of moving obstacles.

use std::fmt;

use contact::broad::Primitives;
use contact::intersect::intersections;
use contact::{CollisionSurface, Point};
use march::methods::Stability;
use mesh::vector::{cross, dot, norm, scale, sub};
use serde::Serialize;

use crate::build::ObstacleSurface;
use crate::session::Session;

/// Contact of a scene before a run.
#[derive(Clone, Debug, Serialize)]
pub struct ContactCheck {
    /// Name of the contact model; the corrector has neither reach nor stiffness.
    pub kind: &'static str,
    /// Distance at which contact forces begin, m.
    pub reach: f64,
    /// Pressure at half the reach, Pa.
    pub stiffness: f64,
    /// Distance that is kept between surfaces, m.
    pub thickness: f64,
    /// Least gap of each pair at the start.
    pub gaps: Vec<GapCheck>,
    /// Shortest estimated duration of a contact, s.
    pub contact_time: Option<f64>,
    /// Obstacles that are open surfaces, which touch on both sides.
    pub shells: Vec<String>,
}

/// Least gap of two bodies, or of a body and an obstacle, at the start.
#[derive(Clone, Debug, Serialize)]
pub struct GapCheck {
    /// One of them.
    pub a: String,
    /// The other one.
    pub b: String,
    /// Least gap, m.
    pub gap: f64,
}

/// Largest number of pairs that are printed.
const MAX_PRINTED: usize = 12;
/// Number of times at which moving obstacles are compared.
const OBSTACLE_TIMES: usize = 33;
/// Largest cosine of the angle between the normals of planes that face each other.
const MAX_OPPOSITE_COSINE: f64 = -0.999;

impl ContactCheck {
    /// Measures the contact of a session at its current state; `None` without contact.
    pub fn new(session: &mut Session) -> Option<ContactCheck> {
        let nodes = session.positions();
        let setup = session.contact.as_ref()?;
        let settings = setup.settings();
        let gap = |g: crate::build::PairGap| GapCheck {
            a: setup.name(g.groups[0]).into(),
            b: setup.name(g.groups[1]).into(),
            gap: g.gap,
        };
        let mut gaps: Vec<GapCheck> = setup.gaps(&nodes).into_iter().map(gap).collect();
        gaps.sort_by(|a, b| a.gap.total_cmp(&b.gap));
        let time = setup.contact_times.iter().copied().reduce(f64::min);
        Some(ContactCheck {
            kind: setup.model_name(),
            reach: settings.barrier.reach(),
            stiffness: settings.stiffness,
            thickness: settings.thickness,
            gaps,
            contact_time: time.filter(|t| t.is_finite()),
            shells: setup.shells.clone(),
        })
    }

    /// Returns warnings about the step and the obstacles.
    pub fn warnings(&self, session: &Session, step: f64) -> Vec<String> {
        let mut out = Vec::new();
        let method = session.method.method;
        // Largest speed after a single bounce over that before it, at h = contact time and at twice that, of the methods with
        // this stability that gain most (tools/bounce_restitution.py --largest).
        let gain = match method.stability {
            Stability::A => Some("1.86 at a step of the contact time, 2.55 at twice that"),
            Stability::L if method.order > 1 => {
                Some("1.12 at a step of the contact time, 1.34 at twice that")
            }
            _ => None,
        };
        if let Some(time) = self.contact_time.filter(|t| step >= 0.5 * t)
            && let Some(gain) = gain
        {
            out.push(format!(
                "a contact lasts about {time:.1e} s and fits into {:.1} steps: single bounces under {} can gain energy (speed times up to {gain}); try a step below {:.1e} s",
                time / step,
                session.method.name(),
                0.25 * time
            ));
        }
        out.extend(overlapping_obstacles(session));
        out
    }
}

/// Returns warnings about obstacles that pass through each other while one of them moves.
fn overlapping_obstacles(session: &Session) -> Vec<String> {
    let all = &session.obstacles;
    let until = session.scene.time.until;
    let mut out = Vec::new();
    for (j, b) in all.iter().enumerate() {
        for (i, a) in all.iter().enumerate().take(j) {
            let moves = [i, j]
                .iter()
                .any(|k| session.scene.obstacle[*k].motion.is_some());
            if !moves {
                continue;
            }
            let times = (0..OBSTACLE_TIMES).map(|k| until * k as f64 / (OBSTACLE_TIMES - 1) as f64);
            if let Some(t) = times.into_iter().find(|t| meet(a, b, *t)) {
                out.push(format!(
                    "obstacles \"{}\" and \"{}\" pass through each other at t = {t:.3} s; a body between them cannot move on",
                    a.name, b.name
                ));
            }
        }
    }
    out
}

/// Whether the surfaces of two obstacles intersect at a time, or an obstacle that is above a plane at the start is below it.
fn meet(a: &ObstacleSurface, b: &ObstacleSurface, t: f64) -> bool {
    if a.plane || b.plane {
        return closed_in(a, b, t) && !closed_in(a, b, 0.0);
    }
    let mut points = Vec::new();
    a.positions(t, &mut points);
    let first = points.len() as u32;
    b.positions(t, &mut points);
    let shifted = b.triangles.iter().map(|t| t.map(|v| v + first));
    let triangles: Vec<[u32; 3]> = a.triangles.iter().copied().chain(shifted).collect();
    let surface = CollisionSurface::from_triangles(&points, &triangles);
    let primitives = Primitives {
        groups: (0..points.len() as u32)
            .map(|v| u32::from(v >= first))
            .collect(),
        ..surface.primitives
    };
    !intersections(&primitives, &points, |a, b| a != b).is_empty()
}

/// Whether no space is left between a plane and an obstacle: two opposite planes have passed each other, or a point of the
/// obstacle is below the plane.
fn closed_in(a: &ObstacleSurface, b: &ObstacleSurface, t: f64) -> bool {
    let (plane, other) = if a.plane { (a, b) } else { (b, a) };
    let (mut points, mut others) = (Vec::new(), Vec::new());
    plane.positions(t, &mut points);
    other.positions(t, &mut others);
    let normal = first_normal(plane, &points);
    let below = |p: &Point| dot(normal, sub(*p, points[0])) < 0.0;
    match other.plane {
        true => {
            dot(normal, first_normal(other, &others)) < MAX_OPPOSITE_COSINE && below(&others[0])
        }
        false => others.iter().any(below),
    }
}

/// Unit normal of the first triangle of a surface.
fn first_normal(surface: &ObstacleSurface, points: &[Point]) -> Point {
    let [a, b, c] = surface.triangles[0].map(|v| points[v as usize]);
    let normal = cross(sub(b, a), sub(c, a));
    scale(1.0 / norm(normal), normal)
}

impl fmt::Display for ContactCheck {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.kind {
            "corrector" => writeln!(
                f,
                "  contact      corrector, thickness {:.3e} m",
                self.thickness
            )?,
            kind => writeln!(
                f,
                "  contact      {kind}, reach {:.3e} m, stiffness {:.3e} Pa, thickness {:.3e} m",
                self.reach, self.stiffness, self.thickness
            )?,
        }
        if let Some(time) = self.contact_time {
            writeln!(f, "  contact time about {time:.2e} s")?;
        }
        for shell in &self.shells {
            writeln!(
                f,
                "  shell        {shell}: open surface, touches on both sides"
            )?;
        }
        for GapCheck { a, b, gap } in self.gaps.iter().take(MAX_PRINTED) {
            writeln!(f, "  gap          {gap:.4e} m between {a} and {b}")?;
        }
        match self.gaps.len().checked_sub(MAX_PRINTED) {
            Some(more @ 1..) => writeln!(f, "  gap          {more} more pairs are farther apart"),
            _ => Ok(()),
        }
    }
}
