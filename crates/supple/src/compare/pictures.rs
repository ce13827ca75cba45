//! Renders the last frame of every run of a comparison.

use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use comparison::Comparison;
use picture::{Picture, Style};
use report::compare::Picture as Shown;
use report::player::Playable;
use scene::observe::FilmRecorder;
use scene::results::{EmbeddedSurface, ResultFrame};
use serde_json::Value;
use supple::Session;

use super::{CompareJob, CompareResults};
use crate::render::{EMPTY_BOX, FrameRenderer, extend_box};

/// Width and height of a picture, px.
const SIZE: (usize, usize) = (640, 400);
/// Largest number of pictures on a page. If there are more runs, only those with the coarsest step are shown, because
/// methods differ most there.
const MAX_PICTURES: usize = 16;

/// Renders the last frame of the finished runs; returns its time (s) and the pictures.
pub fn render_last_frames(
    job: &CompareJob,
    c: &Comparison,
    made: &CompareResults,
) -> anyhow::Result<Option<(f64, Vec<Shown>)>> {
    let coarsest = report::compare::shown_steps(c)
        .first()
        .copied()
        .unwrap_or(0.0);
    let few = c.runs.len() <= MAX_PICTURES;
    let rows = c.runs.iter().zip(made.own);
    let rows = rows.filter(|(r, _)| r.reason.is_none() && (few || r.step == coarsest));
    let mut frames: Vec<(String, Frame)> = Vec::new();
    let reference = made.motion.and_then(|m| m.frames().last());
    frames.extend(reference.map(|frame| ("reference".to_string(), frame)));
    frames.extend(rows.take(MAX_PICTURES).filter_map(|(row, ran)| {
        let caption = format!("{} at {} s", row.method, row.step);
        Some((caption, ran.motion.frames().last()?))
    }));
    let Some((_, (t, _))) = frames.first() else {
        return Ok(None);
    };
    let (mut min, mut max) = EMPTY_BOX;
    match made.motion {
        Some(motion) => motion
            .frames()
            .iter()
            .for_each(|(_, points)| extend_box(&mut min, &mut max, points)),
        None => frames
            .iter()
            .for_each(|(_, (_, points))| extend_box(&mut min, &mut max, points)),
    }
    let renderer = FrameRenderer::for_box([min, max], SIZE.0 as f64 / SIZE.1 as f64)
        .with_obstacles(&made.session.obstacles);
    let style = Style::light(SIZE.0, SIZE.1);
    let folder = job.out.join("pictures");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("{} cannot be made", folder.display()))?;
    let mut shown = Vec::new();
    for (k, (caption, frame)) in frames.iter().enumerate() {
        let file = folder.join(format!("{k:02}.png"));
        draw(&renderer, made.session, frame, &style)?.write_png(&file)?;
        let bytes =
            std::fs::read(&file).with_context(|| format!("{} cannot be read", file.display()))?;
        shown.push(Shown {
            caption: caption.clone(),
            data: format!("data:image/png;base64,{}", STANDARD.encode(bytes)),
        });
    }
    Ok(Some((*t, shown)))
}

/// Largest number of motions on a page, the reference included.
const MAX_MOTIONS: usize = 4;
/// Largest number of frames of a motion on a page.
const MAX_FRAMES: usize = 90;

/// Returns the motions of the reference, of which the energy may be known, and of the first finished runs with the coarsest
/// step, with the curves of the runs.
pub fn motions(
    c: &Comparison,
    made: &CompareResults,
    reference_energy: Option<&[(f64, f64)]>,
) -> Vec<Playable> {
    let steps = report::compare::shown_steps(c);
    let coarsest = steps.first().copied().unwrap_or(0.0);
    let reference = made.motion.and_then(|motion| {
        Some(Playable {
            name: String::new(),
            method: "reference".into(),
            film: FilmRecorder::of_frames(made.session, motion.frames(), MAX_FRAMES).film()?,
            curves: reference_energy.map_or(Value::Null, report::player::energy_curve),
            colour: Some(report::compare::REFERENCE_COLOUR),
        })
    });
    let rows = c.runs.iter().zip(made.own);
    let rows = rows.filter(|(r, _)| r.reason.is_none() && r.step == coarsest);
    // Large runs keep only their last frame in memory.
    let rows = rows.filter(|(_, ran)| ran.motion.frames().len() > 1);
    let runs = rows.filter_map(|(row, ran)| {
        let recorded = FilmRecorder::of_frames(made.session, ran.motion.frames(), MAX_FRAMES);
        Some(Playable {
            name: String::new(),
            method: row.method.clone(),
            film: recorded.film()?,
            curves: report::player::curves(&ran.curves.steps, &ran.curves.ledger),
            colour: Some(report::compare::colour_code(c, &row.method)),
        })
    });
    reference
        .into_iter()
        .chain(runs)
        .take(MAX_MOTIONS)
        .collect()
}

/// Time and positions of all nodes.
type Frame<'a> = &'a (f64, Vec<[f64; 3]>);

fn draw(
    renderer: &FrameRenderer,
    session: &Session,
    (t, positions): Frame,
    style: &Style,
) -> anyhow::Result<Picture> {
    let frame = ResultFrame::from_positions(&session.output_mesh, *t, positions);
    let surface = session.skin.embedded.then(|| {
        let mut skin = Vec::new();
        session.skin.positions(&session.model, positions, &mut skin);
        EmbeddedSurface {
            positions: skin,
            triangles: session.output_mesh.triangles.clone(),
            displacement: Vec::new(),
            bodies: session.output_mesh.triangle_body.clone(),
        }
    });
    renderer.render(&frame, &[], surface.as_ref(), style)
}
