//! `supple render`: renders frames of a run to PNGs or an animated GIF.

use std::path::Path;

use anyhow::{Context, bail};
use picture::{
    Animation, Ball, Bar, Camera, ColourMap, Paint, Picture, Rgb, Rod, Scale, Shot, Style, Surface,
    body_colour, render,
};
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
    let style = Style::paper(width, height);
    match (&args.video, args.frame) {
        (Some(file), _) => {
            let fps = if count > 1 {
                1.0 / (results.frames[1].0 - results.frames[0].0)
            } else {
                1.0
            };
            let sample = renderer.render_frame(&results, count / 2, &style)?;
            let mut animation = Animation::create(file, fps, &[&sample])?;
            for i in 0..count {
                animation.frame(&renderer.render_frame(&results, i, &style)?)?;
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
    field: Option<(String, Scale, String)>,
    thickness: f64,
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
                Scale::over(ColourMap::Ember, &range),
                label.to_string(),
            )
        });
        Ok(FrameRenderer {
            field,
            ..FrameRenderer::for_box([min, max], aspect)
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
        }
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
            Some((_, scale, _)) => Paint::VertexField(values, *scale),
            None => Paint::Triangles(&colours),
        };
        let surface = match (surface, &self.field) {
            (Some(skin), None) => {
                let paint = Paint::Plain(body_colour(0));
                Surface::new(&skin.positions, &skin.triangles, paint)
            }
            (Some(skin), Some((_, scale, _))) => {
                let paint = Paint::VertexField(&skin.displacement, *scale);
                Surface::new(&skin.positions, &skin.triangles, paint)
            }
            (None, _) => Surface::new(&frame.mesh.points, &frame.triangles, paint),
        };
        let shot = Shot {
            surfaces: vec![surface],
            balls: self.balls(frame),
            rods: self.rods(frame),
            ground: Some(self.ground),
            title: String::new(),
            bar: self.field.as_ref().map(|(_, scale, label)| Bar {
                scale: *scale,
                label: label.clone(),
            }),
        };
        Ok(render(&shot, &self.camera, style)?)
    }

    fn balls(&self, frame: &ResultFrame) -> Vec<Ball> {
        let ball = |&n: &u32| Ball {
            centre: frame.mesh.points[n as usize],
            radius: 3.0 * self.thickness,
            colour: body_colour(0),
        };
        frame.particles.iter().map(ball).collect()
    }

    fn rods(&self, frame: &ResultFrame) -> Vec<Rod> {
        let point = |n: u32| frame.mesh.points[n as usize];
        let rod = |&[a, b]: &[u32; 2]| Rod {
            a: point(a),
            b: point(b),
            radius: self.thickness,
            colour: body_colour(1),
        };
        frame.lines.iter().map(rod).collect()
    }
}
