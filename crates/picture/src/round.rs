//! Balls and rods as triangles, as many as their size in the picture asks for.

use std::f64::consts::TAU;

use crate::camera::View;
use crate::colour::Rgb;
use crate::shot::{Ball, Paint, Rod, Surface};
use crate::space::{V3, add, beside, cross, finite, norm, scale, sub, unit_or};

/// Triangles of balls and rods, with a colour for each.
#[derive(Default)]
pub(crate) struct Round {
    positions: Vec<V3>,
    triangles: Vec<[u32; 3]>,
    colours: Vec<Rgb>,
}

impl Round {
    pub(crate) fn new(balls: &[Ball], rods: &[Rod], view: &View) -> Round {
        let mut round = Round::default();
        let spheres: Vec<Sphere> = (1..6).map(Sphere::new).collect();
        for ball in balls {
            round.ball(ball, view, &spheres);
        }
        for rod in rods {
            round.rod(rod, view, &spheres);
        }
        round
    }

    pub(crate) fn surface(&self) -> Surface<'_> {
        let mut surface = Surface::new(
            &self.positions,
            &self.triangles,
            Paint::Triangles(&self.colours),
        );
        surface.crease_deg = 70.0;
        surface
    }

    fn ball(&mut self, ball: &Ball, view: &View, spheres: &[Sphere]) {
        if !finite(ball.centre) || !ball.radius.is_finite() || ball.radius <= 0.0 {
            return;
        }
        let pixels = view.focal * ball.radius / view.local(ball.centre)[2].max(ball.radius);
        let fine = [3.0, 10.0, 40.0, 150.0]
            .iter()
            .filter(|&&p| pixels > p)
            .count();
        let first = self.positions.len() as u32;
        let sphere = &spheres[fine];
        self.positions.extend(
            sphere
                .points
                .iter()
                .map(|&p| add(ball.centre, scale(ball.radius, p))),
        );
        self.triangles
            .extend(sphere.triangles.iter().map(|t| t.map(|v| v + first)));
        self.colours.resize(self.triangles.len(), ball.colour);
    }

    fn rod(&mut self, rod: &Rod, view: &View, spheres: &[Sphere]) {
        let along = sub(rod.b, rod.a);
        if !finite(along) || norm(along) == 0.0 || !rod.radius.is_finite() || rod.radius <= 0.0 {
            return;
        }
        const SIDES: u32 = 16;
        let (u, v) = beside(unit_or(along, [0.0, 1.0, 0.0]));
        let first = self.positions.len() as u32;
        for k in 0..SIDES {
            let (s, c) = (TAU * f64::from(k) / f64::from(SIDES)).sin_cos();
            let out = scale(rod.radius, add(scale(c, u), scale(s, v)));
            self.positions.extend([add(rod.a, out), add(rod.b, out)]);
            let (a, b) = (first + 2 * k, first + 2 * ((k + 1) % SIDES));
            self.triangles.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
        }
        self.colours.resize(self.triangles.len(), rod.colour);
        for centre in [rod.a, rod.b] {
            self.ball(
                &Ball {
                    centre,
                    radius: rod.radius,
                    colour: rod.colour,
                },
                view,
                spheres,
            );
        }
    }
}

/// The unit sphere: an octahedron, each edge halved `fine` times.
struct Sphere {
    points: Vec<V3>,
    triangles: Vec<[u32; 3]>,
}

impl Sphere {
    fn new(fine: u32) -> Sphere {
        let n = 1u32 << fine;
        let axes: [V3; 6] = [
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0],
            [-1.0, 0.0, 0.0],
            [0.0, -1.0, 0.0],
            [0.0, 0.0, -1.0],
        ];
        let (mut points, mut triangles) = (Vec::new(), Vec::new());
        let mut number = std::collections::HashMap::new();
        for octant in 0..8u32 {
            let pick = |i: usize| axes[i + if octant >> i & 1 == 1 { 3 } else { 0 }];
            let face = [pick(0), pick(1), pick(2)];
            let mut vertex = |i: u32, j: u32| {
                let k = n - i - j;
                let [a, b, c] = [i, j, k].map(|x| f64::from(x) / f64::from(n));
                let p = add(add(scale(a, face[0]), scale(b, face[1])), scale(c, face[2]));
                let key = p.map(|x| (x * f64::from(n)).round() as i64);
                *number.entry(key).or_insert_with(|| {
                    points.push(unit_or(p, face[0]));
                    points.len() as u32 - 1
                })
            };
            for i in 0..n {
                for j in 0..n - i {
                    triangles.push([vertex(i, j), vertex(i + 1, j), vertex(i, j + 1)]);
                    if i + j + 1 < n {
                        triangles.push([vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)]);
                    }
                }
            }
        }
        // Outwards, whatever the octant's handedness.
        for t in &mut triangles {
            let [a, b, c] = t.map(|v: u32| points[v as usize]);
            if crate::space::dot(cross(sub(b, a), sub(c, a)), a) < 0.0 {
                t.swap(1, 2);
            }
        }
        Sphere { points, triangles }
    }
}
