//! What the page of results plays: the scenes of results in motion, under the integrators that they compare.
//!
//! These runs are separate from those that are measured: short, at a size that a page can hold. Each has the method, step and
//! solver of its result.

use report::papers::Motions;
use report::player::{self, Playable};
use scene::observe::{Curves, FilmRecorder, MotionRecorder};
use scene::run::Flow;
use scene::session::Session;
use scene::trial::trial;

use crate::PaperError;
use crate::integrators::{
    BACKWARD_EULER, BAR, BDF2, CUBE, HORNS, IntegratorSetup, MIDPOINT, NOSE, SPRING_CLOTH, SWING,
    TRACKED_MIDPOINT,
};
use crate::results::cube_on_spheres::CUBE_ON_SPHERES;
use crate::results::figure_on_spheres::FIGURE_ON_SPHERES;
use crate::results::nose::pull_nose;
use crate::results::sliding_figure::SLIDING_FIGURE;
use crate::scenes::{BEAM, CACTUS, CLOTH, JELLO, SCATTERED};

/// Size of the positions of a motion, in bytes: a page holds dozens of motions.
const MOTION_BYTES: usize = 400_000;
/// Number of bytes of a vertex in a frame.
const VERTEX_BYTES: usize = 6;

/// A scene of a result and the integrators under which it is played.
struct PlayedScene {
    /// Id of the result.
    id: &'static str,
    scene: &'static str,
    integrators: &'static [IntegratorSetup],
    set: &'static [(&'static str, &'static str)],
    prepare: fn(&mut Session),
}

/// Creates an integrator without energy tracking that is named as in the registry.
const fn method(name: &'static str) -> IntegratorSetup {
    IntegratorSetup {
        name,
        method: name,
        tolerance: None,
    }
}

/// Creates an entry of the table below.
const fn played(
    id: &'static str,
    scene: &'static str,
    integrators: &'static [IntegratorSetup],
    set: &'static [(&'static str, &'static str)],
) -> PlayedScene {
    PlayedScene {
        id,
        scene,
        integrators,
        set,
        prepare: |_| {},
    }
}

const EULER_AND_SDIRK2: &[IntegratorSetup] = &[method("backward-euler"), method("sdirk2")];
const EULER_AND_TRACKED: &[IntegratorSetup] = &[BACKWARD_EULER, TRACKED_MIDPOINT];
const FIGURE_CELLS: &str = "body.figure.mesh.blob.cells";
const UNTIL: &str = "time.until";

#[rustfmt::skip]
static PLAYED: &[PlayedScene] = &[
    played("000-fig3", BEAM, EULER_AND_SDIRK2, &[("body.beam.mesh.box.cells", "[16, 2, 2]"), ("time.step", "0.033"), (UNTIL, "4")]),
    played("000-table1-jello", JELLO, EULER_AND_SDIRK2, &[("body.jello.mesh.mould.cells", "6"), (UNTIL, "1.5")]),
    played("000-table1-cloth", CLOTH, EULER_AND_SDIRK2, &[("body.cloth.mesh.box.cells", "[12, 12, 1]"), (UNTIL, "2")]),
    played("000-fig7", SCATTERED, EULER_AND_SDIRK2, &[("body.figure.mesh.blob.cells", "12"), (UNTIL, "1")]),
    played("004-fig7", CACTUS, &[TRACKED_MIDPOINT, MIDPOINT], &[("body.cactus.mesh.blob.cells", "12"), (UNTIL, "6.6")]),
    played("004-fig5", CUBE, &[BACKWARD_EULER, BDF2, MIDPOINT, TRACKED_MIDPOINT], &[("body.cube.disturb.scatter", "0.05"), (UNTIL, "8")]),
    played("004-fig8", BAR, EULER_AND_TRACKED, &[(UNTIL, "6.6")]),
    played("004-fig9", SWING, EULER_AND_TRACKED, &[(UNTIL, "5")]),
    played("004-fig10", SPRING_CLOTH, &[BACKWARD_EULER, BDF2, TRACKED_MIDPOINT], &[("body.cloth.mesh.sheet.cells", "[24, 24]"), ("body.cloth.springs.stiffness", "48"), (UNTIL, "5")]),
    PlayedScene { prepare: pull_nose, ..played("004-fig11", NOSE, &[BACKWARD_EULER, BDF2, TRACKED_MIDPOINT], &[(UNTIL, "4")]) },
    played("004-fig13", FIGURE_ON_SPHERES, &[TRACKED_MIDPOINT, BACKWARD_EULER], &[(FIGURE_CELLS, "12"), (UNTIL, "1.2")]),
    played("004-fig14", SLIDING_FIGURE, &[TRACKED_MIDPOINT], &[(FIGURE_CELLS, "12"), (UNTIL, "2")]),
    played("004-fig15", CUBE_ON_SPHERES, EULER_AND_TRACKED, &[("body.cube.mesh.box.cells", "[4, 4, 4]"), (UNTIL, "2")]),
    played("004-fig16", HORNS, &[BACKWARD_EULER, MIDPOINT, TRACKED_MIDPOINT], &[(FIGURE_CELLS, "12"), (UNTIL, "4")]),
];

/// Computes what the page plays for a result; `None` if it has no moving scene.
pub fn motions_of(id: &str) -> Result<Option<Motions>, PaperError> {
    let Some(entry) = PLAYED.iter().find(|p| p.id == id) else {
        return Ok(None);
    };
    let (mut runs, mut words) = (Vec::new(), String::new());
    for way in entry.integrators {
        let set = entry.set.iter().map(|(k, v)| (*k, v.to_string()));
        let mut session = way.open(entry.scene, &set.collect::<Vec<_>>())?;
        (entry.prepare)(&mut session);
        words = format!(
            "{}, {} nodes, at a step of {} ms.",
            session.name(),
            session.model.nodes(),
            (1e6 * session.scene.time.nominal_step()).round() / 1e3,
        );
        runs.extend(play(&mut session, way.name));
    }
    Ok((!runs.is_empty()).then_some(Motions { words, runs }))
}

/// Runs a session to its end, or to a failure, and returns its motion.
fn play(session: &mut Session, name: &str) -> Option<Playable> {
    // Observers that keep everything in memory do not fail.
    session.observe(Box::new(Curves::new())).ok()?;
    session.observe(Box::<MotionRecorder>::default()).ok()?;
    trial(session, &mut |_, _| Flow::On);
    let motion = session.take_observer::<MotionRecorder>()?.into_motion();
    let curves = session.take_observer::<Curves>()?;
    let vertices = motion.frames().first().map_or(1, |f| f.1.len().max(1));
    let count = (MOTION_BYTES / (VERTEX_BYTES * vertices)).max(2);
    Some(Playable {
        name: String::new(),
        method: name.into(),
        film: FilmRecorder::of_frames(session, motion.frames(), count).film()?,
        curves: player::curves(&curves.steps, &curves.ledger),
        colour: None,
    })
}

#[cfg(test)]
mod tests {
    use super::{PLAYED, motions_of};

    #[test]
    fn played_scenes_belong_to_results_and_are_opened_with_their_keys() {
        for entry in PLAYED {
            assert!(crate::find(entry.id).is_ok(), "{}", entry.id);
            for way in entry.integrators {
                let set = entry.set.iter().map(|(k, v)| (*k, v.to_string()));
                let opened = way.open(entry.scene, &set.collect::<Vec<_>>());
                assert!(opened.is_ok(), "{}: {:?}", entry.id, opened.err());
            }
        }
    }

    #[test]
    fn a_result_is_played_under_each_integrator() {
        let played = motions_of("004-fig15").unwrap().unwrap();
        let names: Vec<&str> = played.runs.iter().map(|r| r.method.as_str()).collect();
        assert_eq!(names, ["backward Euler", "tracked midpoint"]);
        for run in &played.runs {
            assert!(run.curves["t"].as_array().unwrap().len() > 10);
            let film = serde_json::to_value(&run.film).unwrap();
            assert!(film["times"].as_array().unwrap().len() > 20);
        }
        assert!(played.words.contains("a step of 10 ms"), "{}", played.words);
        assert!(motions_of("002-stiff-equation").unwrap().is_none());
    }
}
