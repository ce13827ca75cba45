//! `supple render`: renders frames of a run to PNGs or an animated GIF.

use std::path::Path;

use anyhow::{Context, bail};
use mesh::vector::{cross, dot, sub};
use picture::{
    Camera, Capsule, ColourBar, ColourMap, ColourScale, Colouring, GifWriter, Picture, Rgb, Sphere,
    Style, Surface, View, body_colour, render,
};
use scene::build::ObstacleSurface;
use scene::results::{EmbeddedSurface, FIELDS, ResultFrame, Results};

use crate::Outcome;
use crate::cli::{RenderArgs, print_line};

/// Renders the frames of a run that the arguments ask for.
pub fn run(args: &RenderArgs) -> anyhow::Result<Outcome> {
    let results = Results::open(&args.out)?;
    let (width, height) = parse_size(&args.size)?;
    let count = results.frames.len();
    let renderer = FrameRenderer::for_results(
        &results,
        args.color.as_deref(),
        width as f64 / height as f64,
    )?;
    let style = Style::light(width, height);
    match (&args.video, args.frame) {
        (Some(file), _) => {
            let fps = if count > 1 {
                1.0 / (results.frames[1].0 - results.frames[0].0)
            } else {
                1.0
            };
            let sample = renderer.render_frame(&results, count / 2, &style)?;
            let mut animation = GifWriter::create(file, fps, &[&sample])?;
            for i in 0..count {
                animation.add_frame(&renderer.render_frame(&results, i, &style)?)?;
            }
            animation.finish()?;
            print_line(format_args!("{}", file.display()))?;
        }
        (None, Some(i)) => {
            if i >= count {
                bail!("--frame {i}: the run has frames 0 to {}", count - 1);
            }
            write_picture(&renderer.render_frame(&results, i, &style)?, &args.out, i)?;
        }
        (None, None) => {
            for i in 0..count {
                write_picture(&renderer.render_frame(&results, i, &style)?, &args.out, i)?;
            }
        }
    }
    Ok(Outcome::Success)
}

fn write_picture(picture: &Picture, out: &Path, i: usize) -> anyhow::Result<()> {
    let folder = out.join("pictures");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("{} cannot be made", folder.display()))?;
    let file = folder.join(format!("{i:05}.png"));
    picture.write_png(&file)?;
    print_line(format_args!("{}", file.display()))?;
    Ok(())
}

fn parse_size(text: &str) -> anyhow::Result<(usize, usize)> {
    let parsed = text
        .split_once('x')
        .and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    match parsed {
        Some((w @ 16..=8192, h @ 16..=8192)) => Ok((w, h)),
        _ => bail!(
            "--size {text}: expected WIDTHxHEIGHT from 16x16 to 8192x8192, for example 960x540"
        ),
    }
}

/// Colour of obstacles.
const OBSTACLE_COLOUR: Rgb = [0.55, 0.57, 0.6];

/// Corners of an empty bounding box.
pub const EMPTY_BOX: ([f64; 3], [f64; 3]) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);

/// Enlarges a bounding box, given by its corners, until it contains points.
pub fn extend_box(min: &mut [f64; 3], max: &mut [f64; 3], points: &[[f64; 3]]) {
    for p in points {
        for k in 0..3 {
            (min[k], max[k]) = (min[k].min(p[k]), max[k].max(p[k]));
        }
    }
}

/// Renders frames of a run with one camera, ground plane and colour scale.
pub struct FrameRenderer {
    camera: Camera,
    ground: f64,
    field: Option<(String, ColourScale, String)>,
    thickness: f64,
    obstacles: Vec<ObstacleSurface>,
}

impl FrameRenderer {
    /// Fits the camera to all frames of a run, and the colour scale to the values of a field.
    pub fn for_results(
        results: &Results,
        color: Option<&str>,
        aspect: f64,
    ) -> anyhow::Result<FrameRenderer> {
        let (mut min, mut max) = EMPTY_BOX;
        let mut range = [f64::INFINITY, f64::NEG_INFINITY];
        for i in 0..results.frames.len() {
            let frame = results.frame(i)?;
            extend_box(&mut min, &mut max, &frame.mesh.points);
            for obstacle in results.obstacles.iter().filter(|o| !o.plane) {
                let mut points = Vec::new();
                obstacle.positions(frame.t, &mut points);
                extend_box(&mut min, &mut max, &points);
            }
            if let Some(field) = color {
                for x in results.field(i, &frame, field)? {
                    range = [range[0].min(x), range[1].max(x)];
                }
            }
        }
        let field = color.map(|name| {
            let label = FIELDS
                .iter()
                .find(|(n, _, _)| *n == name)
                .map_or(name, |(_, _, label)| label);
            (
                name.to_string(),
                ColourScale::spanning(ColourMap::Ember, &range),
                label.to_string(),
            )
        });
        Ok(FrameRenderer {
            field,
            ..FrameRenderer::for_box([min, max], aspect).with_obstacles(&results.obstacles)
        })
    }

    /// Fits the camera to a bounding box; each body has its own colour.
    pub fn for_box([mut min, mut max]: [[f64; 3]; 2], aspect: f64) -> FrameRenderer {
        let size = (0..3)
            .map(|k| max[k] - min[k])
            .fold(0.0, f64::max)
            .max(1e-9);
        for k in 0..3 {
            let missing = 0.02 * size - (max[k] - min[k]);
            if missing > 0.0 {
                (min[k], max[k]) = (min[k] - missing / 2.0, max[k] + missing / 2.0);
            }
        }
        FrameRenderer {
            camera: Camera::framing(min, max, Camera::THREE_QUARTER, aspect),
            ground: min[1],
            field: None,
            thickness: 0.01 * size,
            obstacles: Vec::new(),
        }
    }

    /// Draws obstacles too. A horizontal plane at rest that faces upwards is the ground.
    pub fn with_obstacles(mut self, obstacles: &[ObstacleSurface]) -> FrameRenderer {
        let floor = obstacles.iter().find_map(|o| o.floor);
        self.ground = floor.unwrap_or(self.ground);
        let drawn = obstacles.iter().filter(|o| o.floor.is_none());
        self.obstacles = drawn.cloned().collect();
        self
    }

    /// Reads a frame of a run and renders it.
    pub fn render_frame(
        &self,
        results: &Results,
        i: usize,
        style: &Style,
    ) -> anyhow::Result<Picture> {
        let frame = results.frame(i)?;
        let values = match &self.field {
            Some((name, _, _)) => results.field(i, &frame, name)?,
            None => Vec::new(),
        };
        // An embedded surface is shown instead of the tetrahedra; only displacement is known on it.
        let surface = match &self.field {
            None => results.embedded_surface(i),
            Some((name, _, _)) if name == "displacement" => results.embedded_surface(i),
            Some(_) => None,
        };
        self.render(&frame, &values, surface.as_ref(), style)
    }

    /// Renders a frame with nodal values of the colour field and the embedded surface, if there is one.
    pub fn render(
        &self,
        frame: &ResultFrame,
        values: &[f64],
        surface: Option<&EmbeddedSurface>,
        style: &Style,
    ) -> anyhow::Result<Picture> {
        let colours: Vec<Rgb> = frame.bodies().into_iter().map(body_colour).collect();
        let paint = match &self.field {
            Some((_, scale, _)) => Colouring::VertexField(values, *scale),
            None => Colouring::PerTriangle(&colours),
        };
        let skin_bodies = surface.iter().flat_map(|skin| &skin.bodies);
        let skin_colours: Vec<Rgb> = skin_bodies.map(|b| body_colour(*b as usize)).collect();
        let surface = match (surface, &self.field) {
            (Some(skin), None) => {
                let paint = Colouring::PerTriangle(&skin_colours);
                Surface::new(&skin.positions, &skin.triangles, paint)
            }
            (Some(skin), Some((_, scale, _))) => {
                let paint = Colouring::VertexField(&skin.displacement, *scale);
                Surface::new(&skin.positions, &skin.triangles, paint)
            }
            (None, _) => Surface::new(&frame.mesh.points, &frame.triangles, paint),
        };
        let drawn = self.drawn_obstacles(frame.t);
        let obstacles = drawn.iter().map(|(o, points)| {
            Surface::new(points, &o.triangles, Colouring::Uniform(OBSTACLE_COLOUR))
        });
        let view = View {
            surfaces: std::iter::once(surface).chain(obstacles).collect(),
            spheres: self.spheres(frame),
            capsules: self.capsules(frame),
            ground: Some(self.ground),
            title: String::new(),
            colour_bar: self.field.as_ref().map(|(_, scale, label)| ColourBar {
                scale: *scale,
                label: label.clone(),
            }),
        };
        Ok(render(&view, &self.camera, style)?)
    }

    /// Returns the obstacles and the positions of their points at a time, without planes that are seen from behind: they would hide
    /// the bodies.
    fn drawn_obstacles(&self, t: f64) -> Vec<(&ObstacleSurface, Vec<[f64; 3]>)> {
        let placed = self.obstacles.iter().map(|o| {
            let mut points = Vec::new();
            o.positions(t, &mut points);
            (o, points)
        });
        let is_in_front = |(o, points): &(&ObstacleSurface, Vec<[f64; 3]>)| {
            !o.plane
                || o.triangles.first().is_none_or(|t| {
                    let [a, b, c] = t.map(|i| points[i as usize]);
                    dot(cross(sub(b, a), sub(c, a)), sub(self.camera.eye, a)) > 0.0
                })
        };
        placed.filter(is_in_front).collect()
    }

    fn spheres(&self, frame: &ResultFrame) -> Vec<Sphere> {
        let ball = |&n: &u32| Sphere {
            centre: frame.mesh.points[n as usize],
            radius: 3.0 * self.thickness,
            colour: body_colour(0),
        };
        frame.particles.iter().map(ball).collect()
    }

    fn capsules(&self, frame: &ResultFrame) -> Vec<Capsule> {
        let point = |n: u32| frame.mesh.points[n as usize];
        let rod = |&[a, b]: &[u32; 2]| Capsule {
            a: point(a),
            b: point(b),
            radius: self.thickness,
            colour: body_colour(1),
        };
        frame.lines.iter().map(rod).collect()
    }
}
