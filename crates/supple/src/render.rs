//! `supple render`.

use std::path::Path;

use anyhow::{Context, bail};
use picture::{
    Camera, Capsule, ColourBar, ColourMap, ColourScale, Colouring, GifWriter, Picture, Rgb, Sphere,
    Style, Surface, View, body_colour, render,
};
use scene::results::{CarriedSkin, FIELDS, Results, Seen};

use crate::Outcome;
use crate::cli::{RenderArgs, say};

/// Draws frames of a run.
pub fn run(args: &RenderArgs) -> anyhow::Result<Outcome> {
    let results = Results::open(&args.out)?;
    let (width, height) = size(&args.size)?;
    let count = results.frames.len();
    let look = Look::over(
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
            let sample = look.picture(&results, count / 2, &style)?;
            let mut animation = GifWriter::create(file, fps, &[&sample])?;
            for i in 0..count {
                animation.add_frame(&look.picture(&results, i, &style)?)?;
            }
            animation.finish()?;
            say(format_args!("{}", file.display()))?;
        }
        (None, Some(i)) => {
            if i >= count {
                bail!("--frame {i}: the run has frames 0 to {}", count - 1);
            }
            write(&look.picture(&results, i, &style)?, &args.out, i)?;
        }
        (None, None) => {
            for i in 0..count {
                write(&look.picture(&results, i, &style)?, &args.out, i)?;
            }
        }
    }
    Ok(Outcome::Fine)
}

fn write(picture: &Picture, out: &Path, i: usize) -> anyhow::Result<()> {
    let folder = out.join("pictures");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("{} cannot be made", folder.display()))?;
    let file = folder.join(format!("{i:05}.png"));
    picture.write_png(&file)?;
    say(format_args!("{}", file.display()))?;
    Ok(())
}

fn size(text: &str) -> anyhow::Result<(usize, usize)> {
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

/// Corners of nothing.
pub const EMPTY: ([f64; 3], [f64; 3]) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);

/// Moves corners apart until points lie between them.
pub fn include(min: &mut [f64; 3], max: &mut [f64; 3], points: &[[f64; 3]]) {
    for p in points {
        for k in 0..3 {
            (min[k], max[k]) = (min[k].min(p[k]), max[k].max(p[k]));
        }
    }
}

/// What all pictures of a run share.
pub struct Look {
    camera: Camera,
    ground: f64,
    field: Option<(String, ColourScale, String)>,
    thickness: f64,
}

impl Look {
    /// Frames the whole motion and finds the range of the colours.
    pub fn over(results: &Results, color: Option<&str>, aspect: f64) -> anyhow::Result<Look> {
        let (mut min, mut max) = EMPTY;
        let mut range = [f64::INFINITY, f64::NEG_INFINITY];
        for i in 0..results.frames.len() {
            let seen = results.frame(i)?;
            include(&mut min, &mut max, &seen.mesh.points);
            if let Some(field) = color {
                for x in results.field(i, &seen, field)? {
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
        Ok(Look {
            field,
            ..Look::framing([min, max], aspect)
        })
    }

    /// Frames what lies between two corners; bodies in their own colours.
    pub fn framing([mut min, mut max]: [[f64; 3]; 2], aspect: f64) -> Look {
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
        Look {
            camera: Camera::framing(min, max, Camera::THREE_QUARTER, aspect),
            ground: min[1],
            field: None,
            thickness: 0.01 * size,
        }
    }

    /// One frame as a picture.
    pub fn picture(&self, results: &Results, i: usize, style: &Style) -> anyhow::Result<Picture> {
        let seen = results.frame(i)?;
        let values = match &self.field {
            Some((name, _, _)) => results.field(i, &seen, name)?,
            None => Vec::new(),
        };
        // A carried surface is what people want to see; only displacement is known on it.
        let carried = match &self.field {
            None => results.carried(i),
            Some((name, _, _)) if name == "displacement" => results.carried(i),
            Some(_) => None,
        };
        self.draw(&seen, &values, carried.as_ref(), style)
    }

    /// A frame with the values of its field and the surface it carries along, if any, as a picture.
    pub fn draw(
        &self,
        seen: &Seen,
        values: &[f64],
        carried: Option<&CarriedSkin>,
        style: &Style,
    ) -> anyhow::Result<Picture> {
        let colours: Vec<Rgb> = seen.bodies().into_iter().map(body_colour).collect();
        let paint = match &self.field {
            Some((_, scale, _)) => Colouring::VertexField(values, *scale),
            None => Colouring::PerTriangle(&colours),
        };
        let surface = match (carried, &self.field) {
            (Some(skin), None) => {
                let paint = Colouring::Uniform(body_colour(0));
                Surface::new(&skin.positions, &skin.triangles, paint)
            }
            (Some(skin), Some((_, scale, _))) => {
                let paint = Colouring::VertexField(&skin.moved, *scale);
                Surface::new(&skin.positions, &skin.triangles, paint)
            }
            (None, _) => Surface::new(&seen.mesh.points, &seen.triangles, paint),
        };
        let view = View {
            surfaces: vec![surface],
            spheres: self.spheres(seen),
            capsules: self.capsules(seen),
            ground: Some(self.ground),
            title: String::new(),
            colour_bar: self.field.as_ref().map(|(_, scale, label)| ColourBar {
                scale: *scale,
                label: label.clone(),
            }),
        };
        Ok(render(&view, &self.camera, style)?)
    }

    fn spheres(&self, seen: &Seen) -> Vec<Sphere> {
        let ball = |&n: &u32| Sphere {
            centre: seen.mesh.points[n as usize],
            radius: 3.0 * self.thickness,
            colour: body_colour(0),
        };
        seen.particles.iter().map(ball).collect()
    }

    fn capsules(&self, seen: &Seen) -> Vec<Capsule> {
        let point = |n: u32| seen.mesh.points[n as usize];
        let rod = |&[a, b]: &[u32; 2]| Capsule {
            a: point(a),
            b: point(b),
            radius: self.thickness,
            colour: body_colour(1),
        };
        seen.lines.iter().map(rod).collect()
    }
}
