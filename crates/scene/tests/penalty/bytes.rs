//! Same bytes for any number of threads, after resume, and with forced rejections.

use super::same_bytes::compare_all;
use super::{session, two_cubes};

#[test]
fn threads_resume_and_rejections_do_not_change_the_files() {
    let tracked = "[time.stabilise]\n[solver]\nnewton = \"local-global\"\niterations = 10\n";
    let rough = "friction = 0.4\nrestitution = 0.7\n";
    for (method, contact, more) in [
        ("implicit-midpoint", rough, tracked),
        ("sdirk2", rough, ""),
        ("bdf2", "", ""),
    ] {
        let text = two_cubes(method, contact, more);
        compare_all(|| session(&text), method, &[1, 2, 4], &[12, 1, 21]);
    }
}
