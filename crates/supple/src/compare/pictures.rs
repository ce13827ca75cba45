//! The same frame of every run side by side.

use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use picture::Style;
use scene::compare::{Comparison, Row};
use scene::results::Results;

use super::{Task, charts, fine};
use crate::render::Look;

/// Size of a picture, px.
const SIZE: (usize, usize) = (640, 400);
/// More pictures than this make a page heavy; the coarsest step is shown then, where methods differ most.
const MOST: usize = 16;

/// A picture and what it shows.
pub struct Shown {
    /// Words below it.
    pub caption: String,
    /// `data:image/png;base64,…`.
    pub data: String,
}

/// The last frame that all finished runs have, and its time, s.
pub fn all(task: &Task, c: &Comparison) -> anyhow::Result<Option<(f64, Vec<Shown>)>> {
    let coarsest = charts::shown_steps(c).first().copied().unwrap_or(0.0);
    let few = c.runs.len() <= MOST;
    let rows: Vec<&Row> = c
        .runs
        .iter()
        .filter(|r| r.reason.is_none() && (few || r.step == coarsest))
        .take(MOST)
        .collect();
    let mut open = Vec::new();
    if let Some(folder) =
        fine::folder(&c.reference, &task.out).filter(|_| c.reference.failure.is_none())
    {
        open.push(("reference".to_string(), Results::open(&folder)?));
    }
    for row in rows {
        let caption = format!("{} at {} s", row.method, row.step);
        open.push((caption, Results::open(&task.out.join(&row.folder))?));
    }
    let Some(frame) = open.iter().map(|(_, r)| r.frames.len() - 1).min() else {
        return Ok(None);
    };
    let look = Look::over(&open[0].1, None, SIZE.0 as f64 / SIZE.1 as f64)?;
    let style = Style::paper(SIZE.0, SIZE.1);
    let folder = task.out.join("pictures");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("{} cannot be made", folder.display()))?;
    let mut shown = Vec::new();
    for (k, (caption, results)) in open.iter().enumerate() {
        let file = folder.join(format!("{k:02}.png"));
        look.picture(results, frame, &style)?.write_png(&file)?;
        let bytes =
            std::fs::read(&file).with_context(|| format!("{} cannot be read", file.display()))?;
        shown.push(Shown {
            caption: caption.clone(),
            data: format!("data:image/png;base64,{}", STANDARD.encode(bytes)),
        });
    }
    Ok(Some((open[0].1.frames[frame].0, shown)))
}
