//! Supple: deformable solids under any integrator.
//!
//! A [`Session`] is a scene at work. It takes steps, can be asked for everything and changed between steps:
//!
//! ```
//! use supple::{Flow, Session};
//!
//! # let scene = std::env::temp_dir().join("supple-session-example.toml");
//! # std::fs::write(&scene, "[time]\nmethod = \"sdirk2\"\nstep = 0.01\nuntil = 1.0\n[[body]]\nmesh = { box = { size = [1.0, 0.2, 0.2], cells = [5, 1, 1], element = \"hex8\" } }\nmaterial = { law = \"stable-neo-hookean\", young = 1e5, poisson = 0.4, density = 1000 }\n[[body.fix]]\nwhere = { x = 0.0 }\n")?;
//! let mut session: Session = supple::open(&scene, &[])?;
//! let row = *session.step()?;                            // one step: energies, momenta, work, the ledger's row
//! println!("{} s: {} J, of which the integrator took {} J", row.t, row.energies.total(), -row.entry.numerical);
//! let tip = session.positions()[20];                     // all nodes now; velocities() likewise
//! let between = session.positions_at(row.t - 0.005);     // anywhere inside the last step
//! assert_eq!(between.len(), session.velocities().len());
//!
//! let before = session.save();                           // everything that the rest depends on
//! let handle = session.grab(20, 500.0)?;                 // pull a node by a spring of 500 N/m …
//! session.move_handle(handle, [tip[0], tip[1] + 0.1, tip[2]])?;
//! session.push(21, [0.0, 0.0, 2.0])?;                    // … and push another with 2 N; all work is booked
//! session.set_method("bdf2")?;                           // another method, another step
//! session.set_step(0.005)?;
//! session.run_until(0.1, &mut |session, row| {
//!     if row.energies.kinetic > 1e3 { Flow::Stop } else { Flow::On }
//! })?;
//! session.restore(&before)?;                             // as if nothing had happened, to the bit
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`run`] drives a session to the end of its scene and writes everything that `supple run` writes; files, frames and
//! records are [`Observer`]s, which anyone can add:
//!
//! ```no_run
//! use supple::{Flow, RunOptions};
//!
//! let mut session = supple::open("scenes/jello.toml".as_ref(), &[])?;
//! let options = RunOptions { out: "out/jello".into(), resume: None };
//! let report = supple::run(&mut session, &options, &mut |progress| {
//!     println!("{:.3} s", progress.t);
//!     Flow::On
//! })?;
//! println!("{} steps, {:.1} J left", report.steps, report.energy.last);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::Path;

pub use march::{METHODS, Method, find as find_method};
pub use report::run::{attempt, run};
pub use scene::build::build;
pub use scene::error::{SceneError, SceneErrors};
pub use scene::observe::{Curves, FilmRecorder, FrameWriter, MotionRecorder, Observer, Tables};
pub use scene::run::{Progress, Report, RunError, RunOptions, RunOutcome, Status};
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
