//! Supple: deformable solids under any integrator.
//!
//! ```no_run
//! use supple::{Flow, RunOptions, open};
//!
//! let mut simulation = open("scenes/jello.toml".as_ref(), &[])?;
//! let options = RunOptions { out: "out/jello".into(), resume: None };
//! let report = supple::run(&mut simulation, &options, &mut |progress| {
//!     println!("{:.3} s", progress.t);
//!     Flow::On
//! })?;
//! println!("{} steps, {:.1} J left", report.steps, report.energy.last);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::Path;

pub use march::{METHODS, Method, find as find_method};
pub use scene::build::build;
pub use scene::error::{SceneError, SceneErrors};
pub use scene::observe::{Curves, FilmRecorder, FrameWriter, MotionRecorder, Observer, Tables};
pub use scene::run::{Finished, Progress, Report, RunError, RunOptions, Status, attempt, run};
pub use scene::session::{
    Flow, HandleId, InteractionError, RestoreError, Row, Session, SessionError, Snapshot, Totals,
};
pub use scene::spec::{Scene, Source, parse, schema};
pub use solid::model::{Energy, Model, Momentum};

/// Reads a scene file, sets keys to other values, and builds what it describes.
pub fn open(path: &Path, set: &[(String, String)]) -> Result<Session, SceneErrors> {
    let mut source = Source::read(path)?;
    for (key, value) in set {
        source.set(key, value)?;
    }
    build(source.scene()?, &source)
}
