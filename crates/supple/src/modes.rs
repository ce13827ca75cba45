//! `supple modes`: frequencies, effective masses and shapes of the vibration modes of a scene.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use meshio::record::{Frame, MultiRecorder, Recorder};
use picture::{GifWriter, Picture, Style};
use scene::modal_analysis::{ModalAnalysis, ModeShape, analyse};
use scene::modes::ModeKind;
use scene::results::ResultFrame;
use supple::Session;

use crate::Outcome;
use crate::cli::{ModesArgs, parse_settings, print_line};
use crate::render::{EMPTY_BOX, FrameRenderer, extend_box};

/// Largest displacement of a mode in pictures and frames, relative to the diagonal of the scene.
const AMPLITUDE: f64 = 0.12;
/// Frames of one period in a moving picture.
const PERIOD: usize = 16;
/// Frames of a moving picture in a second.
const FPS: f64 = 16.0;
/// Width and height of a moving picture, px.
const SIZE: (usize, usize) = (360, 240);

/// Computes the modes of a scene and writes tables, frames, moving pictures and a page.
pub fn modes(args: &ModesArgs) -> anyhow::Result<Outcome> {
    let mut session = supple::open(&args.scene, &parse_settings(&args.set)?)?;
    let unknowns = session.model.unknowns();
    if args.count == 0 || unknowns == 0 {
        bail!(
            "--count {}: the scene has {unknowns} unknowns; ask for 1 to {unknowns} modes",
            args.count
        );
    }
    let out = args.out.clone().unwrap_or_else(|| default_out(&args.scene));
    let analysis = analyse(&mut session, args.count)?;
    std::fs::create_dir_all(&out).with_context(|| format!("{} cannot be made", out.display()))?;
    base::file::write(&out.join("modes.csv"), analysis.csv().as_bytes())?;
    analysis.write_npz(&out.join("modes.npz"), &session.output_mesh.mesh)?;
    let scaled = scaled_shapes(&mut session, &analysis);
    write_frames(&out, &session, &scaled)?;
    let elastic = (0..analysis.modes.len())
        .filter(|&i| analysis.modes[i].description.kind != ModeKind::Rigid)
        .take(args.pictures);
    let elastic: Vec<usize> = elastic.collect();
    let pictures = draw_modes(&out, &session, &elastic, &scaled)?;
    let page = report::modes::page(&session.name(), &analysis, &pictures);
    base::file::write(&out.join("modes.html"), page.as_bytes())?;
    if !args.quiet {
        print_modes(&analysis, args.count)?;
        print_line(format_args!("{}", out.join("modes.html").display()))?;
    }
    Ok(Outcome::Success)
}

/// Returns the default output folder, `out/<scene name>-modes`.
fn default_out(scene: &Path) -> PathBuf {
    let stem = scene.file_stem().unwrap_or_default().to_string_lossy();
    Path::new("out").join(format!("{stem}-modes"))
}

fn print_modes(analysis: &ModalAnalysis, wanted: usize) -> anyhow::Result<()> {
    let found = analysis.modes.len();
    if found < wanted {
        print_line(format_args!(
            "the scene has only {found} unknowns, and so {found} modes"
        ))?;
    }
    print_line("mode  frequency, Hz  effective mass x, y, z, kg       shape")?;
    for (i, mode) in analysis.modes.iter().enumerate() {
        let [x, y, z] = mode.effective_mass();
        print_line(format_args!(
            "{:>4}  {:>13.6}  {x:>9.3e} {y:>9.3e} {z:>9.3e}  {}",
            i + 1,
            mode.description.hz,
            mode.description
        ))?;
    }
    print_line(format_args!(
        "{} factorization, {} solves",
        analysis.factorizations, analysis.solves
    ))
}

/// Positions of the initial state and the displacements of the modes at the amplitude of pictures.
struct ScaledShapes {
    start: Vec<[f64; 3]>,
    displacements: Vec<Vec<[f64; 3]>>,
}

impl ScaledShapes {
    /// Returns the positions of a mode at a phase, as the sine of its angle.
    fn positions(&self, mode: usize, sine: f64) -> Vec<[f64; 3]> {
        let both = self.start.iter().zip(&self.displacements[mode]);
        both.map(|(x, u)| [0, 1, 2].map(|k| x[k] + sine * u[k]))
            .collect()
    }
}

fn scaled_shapes(session: &mut Session, analysis: &ModalAnalysis) -> ScaledShapes {
    let start = session.positions();
    let (mut min, mut max) = EMPTY_BOX;
    extend_box(&mut min, &mut max, &start);
    let diagonal = (0..3)
        .map(|k| (max[k] - min[k]).powi(2))
        .sum::<f64>()
        .sqrt();
    let scaled = |mode: &ModeShape| {
        let square = |u: &[f64; 3]| u.iter().map(|x| x * x).sum::<f64>();
        let largest = mode.shape.iter().map(square).fold(0.0, f64::max).sqrt();
        let factor = AMPLITUDE * diagonal / largest.max(f64::MIN_POSITIVE);
        mode.shape.iter().map(|u| u.map(|x| factor * x)).collect()
    };
    ScaledShapes {
        displacements: analysis.modes.iter().map(scaled).collect(),
        start,
    }
}

/// Writes the modes as frames: frame 0 is the initial state, frame i is mode i.
fn write_frames(out: &Path, session: &Session, scaled: &ScaledShapes) -> anyhow::Result<()> {
    let zero = vec![[0.0; 3]; scaled.start.len()];
    let mut recorder = MultiRecorder::open(&["vtu"], out, &session.output_mesh, 1.0)?;
    for index in 0..=scaled.displacements.len() {
        let (positions, shape) = match index {
            0 => (scaled.start.clone(), &zero),
            _ => (
                scaled.positions(index - 1, 1.0),
                &scaled.displacements[index - 1],
            ),
        };
        let mut skin = Vec::new();
        session
            .skin
            .positions(&session.model, &positions, &mut skin);
        recorder.frame(&Frame {
            point_scalars: &[],
            index,
            t: index as f64,
            positions: &positions,
            velocities: &zero,
            skin: &skin,
            cell_fields: &[],
            point_fields: &[("mode", shape)],
        })?;
    }
    Ok(recorder.finish()?)
}

/// Writes a moving picture of each of these modes, `mode-N.gif`; returns their numbers and `data:` URLs.
fn draw_modes(
    out: &Path,
    session: &Session,
    elastic: &[usize],
    scaled: &ScaledShapes,
) -> anyhow::Result<Vec<(usize, String)>> {
    let (mut min, mut max) = EMPTY_BOX;
    for &i in elastic {
        for sine in [-1.0, 1.0] {
            extend_box(&mut min, &mut max, &scaled.positions(i, sine));
        }
    }
    let renderer = FrameRenderer::for_box([min, max], SIZE.0 as f64 / SIZE.1 as f64);
    let style = Style::light(SIZE.0, SIZE.1);
    let mut drawn = Vec::new();
    for &i in elastic {
        let path = out.join(format!("mode-{:02}.gif", i + 1));
        let render = |step: usize| -> anyhow::Result<Picture> {
            let sine = (std::f64::consts::TAU * step as f64 / PERIOD as f64).sin();
            let positions = scaled.positions(i, sine);
            let frame = ResultFrame::from_positions(&session.output_mesh, 0.0, &positions);
            renderer.render(&frame, &[], None, &style)
        };
        // The sine passes every value between its extremes twice: a quarter before and a quarter after the first.
        let half: Vec<Picture> = (0..=PERIOD / 2)
            .map(|step| render(step + PERIOD / 4))
            .collect::<anyhow::Result<_>>()?;
        let mut animation = GifWriter::create(&path, FPS, &[&half[0]])?;
        for step in 0..PERIOD {
            animation.add_frame(&half[step.min(PERIOD - step)])?;
        }
        animation.finish()?;
        let bytes =
            std::fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        drawn.push((
            i,
            format!("data:image/gif;base64,{}", STANDARD.encode(bytes)),
        ));
    }
    Ok(drawn)
}
