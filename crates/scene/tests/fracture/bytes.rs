//! Same bytes for any number of threads, after resume, and with forced rejections.

use scene::session::Flow;

use super::same_bytes::compare_all;
use super::{broken, session, spinning};

#[test]
fn threads_resume_and_rejections_do_not_change_the_files() {
    let control =
        "step = 1e-4\n[time.control]\nkind = \"force-error\"\ntolerance = 1e-5\nmax = 2e-3";
    let iterative = format!("{control}\n[solver]\nlinear = \"cg\"");
    for (method, time) in [
        ("newmark", control),
        ("newmark", iterative.as_str()),
        ("sdirk2", "step = 5e-4"),
        ("bdf2", "step = 5e-4\n[time.stabilise]\ntolerance = 0.001"),
    ] {
        let text = spinning(method, time);
        let mut whole = session(&text);
        let (cut, until) = (broken(&whole), whole.scene.time.until);
        whole.run_until(until, &mut |_, _| Flow::On).unwrap();
        let breaks = broken(&whole) - cut;
        assert!(breaks > 20, "{method}: {breaks} bonds broke");
        compare_all(|| session(&text), method, &[1, 2, 4], &[12, 1, 25]);
    }
}
