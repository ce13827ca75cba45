//! Files of all recorders, read back by third-party readers (`tools/readback`).
//!
//! Runs if `SUPPLE_READBACK_PYTHON` names a Python with `tools/readback/requirements.txt` installed; the other `record*`
//! tests read the same files with their own readers.

mod record_motion;

use std::path::Path;
use std::process::Command;

use meshio::record::MultiRecorder;
use record_motion::{FPS, Motion};

fn check(script: &str, dir: &Path) {
    let Some(python) = std::env::var_os("SUPPLE_READBACK_PYTHON") else {
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tools/readback")
        .join(script);
    let said = Command::new(python).arg(&script).arg(dir).output().unwrap();
    assert!(
        said.status.success(),
        "{}{}",
        String::from_utf8_lossy(&said.stdout),
        String::from_utf8_lossy(&said.stderr)
    );
}

/// Records four frames in `formats`, the last two after a resume.
fn recorded(formats: &[&str]) -> tempfile::TempDir {
    let motion = Motion::new();
    let dir = tempfile::tempdir().unwrap();
    motion.expect(dir.path(), 4);
    for (from, to) in [(0, 3), (2, 4)] {
        let mut all = MultiRecorder::open(formats, dir.path(), &motion.output_mesh, FPS).unwrap();
        motion.play(&mut all, from, to);
    }
    dir
}

#[test]
fn vtu() {
    check("check_vtu.py", recorded(&["vtu"]).path());
}

#[test]
fn gltf() {
    check("check_gltf.py", recorded(&["gltf"]).path());
}

#[test]
fn usd() {
    check("check_usd.py", recorded(&["usd"]).path());
}

#[test]
fn obj_ply_and_pc2() {
    check("check_skin.py", recorded(&["obj", "ply", "pc2"]).path());
}
