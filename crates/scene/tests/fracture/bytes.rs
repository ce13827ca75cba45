//! Same bytes for any number of threads, after resume, and with forced rejections.

use std::collections::BTreeMap;
use std::path::Path;

use base::random::Random;
use scene::run::{Flow, RunOptions, run};

use super::{broken, session, spinning};

fn contents(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let folders = [out.to_path_buf(), out.join("frames")];
    let entries = folders.iter().flat_map(|f| std::fs::read_dir(f).unwrap());
    let mut found = BTreeMap::new();
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        // The reports have wall times.
        if path.is_file() && !name.starts_with("report") {
            found.insert(name, std::fs::read(&path).unwrap());
        }
    }
    found
}

/// Runs a scene up to `stop` steps, rejecting about half of the attempts if a seed is given. Returns the number of bonds that
/// broke, and the files.
fn run_with(
    text: &str,
    out: &Path,
    resume: bool,
    seed: Option<u64>,
    stop: u64,
) -> (usize, BTreeMap<String, Vec<u8>>) {
    let mut session = session(text);
    let cut = broken(&session);
    session.set_veto(seed.map(|seed| {
        let mut random = Random::new(seed);
        Box::new(move |_: &_| random.coin()) as Box<march::Veto>
    }));
    let options = RunOptions {
        out: out.into(),
        resume: resume.then(|| out.join("checkpoint.supple")),
    };
    run(&mut session, &options, &mut |p| match p.steps >= stop {
        true => Flow::Stop,
        false => Flow::On,
    })
    .unwrap_or_else(|e| panic!("{e}"));
    (broken(&session) - cut, contents(out))
}

/// Removes the counts of rejections from the table of steps, and the checkpoint, which has the same counts.
fn without_counts(mut files: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    files.remove("checkpoint.supple");
    let steps = String::from_utf8(files.remove("steps.csv").unwrap()).unwrap();
    let cut = |line: &str| {
        let mut cells: Vec<&str> = line.split(',').collect();
        cells.remove(16);
        cells.join(",") + "\n"
    };
    let steps: String = steps.lines().map(cut).collect();
    files.insert("steps.csv".into(), steps.into_bytes());
    files
}

#[track_caller]
fn assert_same(found: &BTreeMap<String, Vec<u8>>, wanted: &BTreeMap<String, Vec<u8>>, what: &str) {
    let names = wanted.keys().chain(found.keys());
    let wrong: Vec<&String> = names.filter(|n| found.get(*n) != wanted.get(*n)).collect();
    assert!(wrong.is_empty(), "{what}: {wrong:?} differ");
}

#[test]
fn threads_resume_and_rejections_do_not_change_the_files() {
    let folder = || tempfile::tempdir().unwrap();
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
        let (breaks, whole) = run_with(&text, folder().path(), false, None, u64::MAX);
        assert!(breaks > 20, "{method}: {breaks} bonds broke");
        for threads in [1, 2, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let dir = folder();
            let run = || run_with(&text, dir.path(), false, None, u64::MAX).1;
            let found = pool.build().unwrap().install(run);
            assert_same(&found, &whole, &format!("{method}, {threads} threads"));
        }
        for stop in [1, 12, 25] {
            let dir = folder();
            run_with(&text, dir.path(), false, None, stop);
            let (_, found) = run_with(&text, dir.path(), true, None, u64::MAX);
            assert_same(&found, &whole, &format!("{method}, stopped at {stop}"));
        }
        let (_, found) = run_with(&text, folder().path(), false, Some(3), u64::MAX);
        let what = format!("{method}, rejected");
        assert_same(&without_counts(found), &without_counts(whole), &what);
    }
}
