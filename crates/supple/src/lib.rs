//! Supple simulates deformable solids with any time integrator and a complete energy balance.
//!
//! A [`Session`] simulates a scene. It takes steps; between them it can be queried and modified:
//!
//! ```
//! use supple::{Flow, Session};
//!
//! # let scene = std::env::temp_dir().join("supple-session-example.toml");
//! # std::fs::write(&scene, "[time]\nmethod = \"sdirk2\"\nstep = 0.01\nuntil = 1.0\n[[body]]\nmesh = { box = { size = [1.0, 0.2, 0.2], cells = [5, 1, 1], element = \"hex8\" } }\nmaterial = { law = \"stable-neo-hookean\", young = 1e5, poisson = 0.4, density = 1000 }\n[[body.fix]]\nwhere = { x = 0.0 }\n")?;
//! let mut session: Session = supple::open(&scene, &[])?;
//! let row = *session.step()?;                            // one step: energies, momenta, work, ledger entry
//! println!("{} s: {} J, numerical dissipation {} J", row.t, row.energies.total(), -row.entry.numerical);
//! let tip = session.positions()[20];                     // positions of all nodes; velocities() likewise
//! let between = session.positions_at(row.t - 0.005);     // dense output inside the last step
//! assert_eq!(between.len(), session.velocities().len());
//!
//! let before = session.save();                           // complete state, kept in memory
//! let handle = session.grab(20, 500.0)?;                 // pull a node with a spring of 500 N/m
//! session.move_handle(handle, [tip[0], tip[1] + 0.1, tip[2]])?;
//! session.push(21, [0.0, 0.0, 2.0])?;                    // apply 2 N to another; the ledger books the work
//! session.set_method("bdf2")?;                           // change the method and the step
//! session.set_step(0.005)?;
//! session.run_until(0.1, &mut |session, row| {
//!     if row.energies.kinetic > 1e3 { Flow::Stop } else { Flow::On }
//! })?;
//! session.restore(&before)?;                             // later steps repeat bit for bit
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`run`] runs a session to the end of its scene and writes all files of `supple run`. Tables, frames and other outputs
//! are [`Observer`]s; a program can add its own:
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
//! println!("{} steps, final energy {:.1} J", report.steps, report.energy.last);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::Path;

pub use march::{METHODS, Method, find as find_method};
pub use report::run::{attempt, run};
pub use scene::build::build;
pub use scene::error::{SceneError, SceneErrors};
pub use scene::observe::{Curves, FilmRecorder, FrameWriter, MotionRecorder, Observer, Tables};
pub use scene::run::{Progress, Report, RunError, RunOptions, RunOutcome, StaticsReport, Status};
pub use scene::session::{
    Flow, HandleId, InteractionError, LoadStep, RestoreError, Row, Session, SessionError, Snapshot,
    SupportReaction, Totals,
};
pub use scene::spec::{Scene, Source, parse, schema};
pub use solid::model::{Energy, Model, Momentum};

/// Reads a scene file, overrides the given keys and builds a session.
pub fn open(path: &Path, set: &[(String, String)]) -> Result<Session, SceneErrors> {
    let mut source = Source::read(path)?;
    for (key, value) in set {
        source.set(key, value)?;
    }
    build(source.scene()?, &source)
}

/// Reads a scene file, overrides the given keys and builds a session that finds its static equilibrium. Returns also the
/// keys of the scene that have no effect in statics; they are left out.
pub fn open_static(
    path: &Path,
    set: &[(String, String)],
) -> Result<(Session, Vec<String>), SceneErrors> {
    let mut source = Source::read(path)?;
    let unused = source.set_static()?;
    for (key, value) in set {
        source.set(key, value)?;
    }
    Ok((build(source.scene()?, &source)?, unused))
}
