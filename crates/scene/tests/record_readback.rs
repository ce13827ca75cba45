//! Everything a recorder writes, read back by readers other people wrote (`tools/readback`).
//!
//! Runs where `SUPPLE_READBACK_PYTHON` names a Python that has `tools/readback/requirements.txt` installed; the other
//! `record*` tests cover the same files with readers of their own.

mod record_motion;

use std::path::Path;
use std::process::Command;

use record_motion::Motion;
use scene::record::vtu::VtuSeries;

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

#[test]
fn vtu() {
    let motion = Motion::new();
    let dir = tempfile::tempdir().unwrap();
    motion.expect(dir.path(), 4);
    motion.play(
        &mut VtuSeries::new(dir.path(), &motion.subject).unwrap(),
        0,
        4,
    );
    check("check_vtu.py", dir.path());
}
