//! The same frame of every run side by side.

use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use picture::{Picture, Style};
use report::compare::Picture as Shown;
use scene::compare::Comparison;
use scene::results::{CarriedSkin, Seen};
use supple::Session;

use super::{Made, Task};
use crate::render::{EMPTY, Look, include};

/// Size of a picture, px.
const SIZE: (usize, usize) = (640, 400);
/// More pictures than this make a page heavy; the coarsest step is shown then, where methods differ most.
const MOST: usize = 16;

/// The last frame of the finished runs, and its time, s.
pub fn all(task: &Task, c: &Comparison, made: &Made) -> anyhow::Result<Option<(f64, Vec<Shown>)>> {
    let coarsest = report::compare::shown_steps(c)
        .first()
        .copied()
        .unwrap_or(0.0);
    let few = c.runs.len() <= MOST;
    let rows = c.runs.iter().zip(made.own);
    let rows = rows.filter(|(r, _)| r.reason.is_none() && (few || r.step == coarsest));
    let mut frames: Vec<(String, Frame)> = Vec::new();
    let reference = made.motion.and_then(|m| m.frames().last());
    frames.extend(reference.map(|frame| ("reference".to_string(), frame)));
    frames.extend(rows.take(MOST).filter_map(|(row, ran)| {
        let caption = format!("{} at {} s", row.method, row.step);
        Some((caption, ran.motion.frames().last()?))
    }));
    let Some((_, (t, _))) = frames.first() else {
        return Ok(None);
    };
    let (mut min, mut max) = EMPTY;
    match made.motion {
        Some(motion) => motion
            .frames()
            .iter()
            .for_each(|(_, points)| include(&mut min, &mut max, points)),
        None => frames
            .iter()
            .for_each(|(_, (_, points))| include(&mut min, &mut max, points)),
    }
    let look = Look::framing([min, max], SIZE.0 as f64 / SIZE.1 as f64);
    let style = Style::light(SIZE.0, SIZE.1);
    let folder = task.out.join("pictures");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("{} cannot be made", folder.display()))?;
    let mut shown = Vec::new();
    for (k, (caption, frame)) in frames.iter().enumerate() {
        let file = folder.join(format!("{k:02}.png"));
        draw(&look, made.session, frame, &style)?.write_png(&file)?;
        let bytes =
            std::fs::read(&file).with_context(|| format!("{} cannot be read", file.display()))?;
        shown.push(Shown {
            caption: caption.clone(),
            data: format!("data:image/png;base64,{}", STANDARD.encode(bytes)),
        });
    }
    Ok(Some((*t, shown)))
}

/// Time and positions of all nodes.
type Frame<'a> = &'a (f64, Vec<[f64; 3]>);

fn draw(
    look: &Look,
    session: &Session,
    (t, positions): Frame,
    style: &Style,
) -> anyhow::Result<Picture> {
    let seen = Seen::of(&session.subject, *t, positions);
    let carried = session.skin.carried.then(|| {
        let mut skin = Vec::new();
        session.skin.positions(positions, &mut skin);
        CarriedSkin {
            positions: skin,
            triangles: session.subject.triangles.clone(),
            moved: Vec::new(),
        }
    });
    look.draw(&seen, &[], carried.as_ref(), style)
}
