//! Same bytes for any number of threads, after resume, and with forced rejections.

use std::collections::BTreeMap;
use std::path::Path;

use base::random::Random;
use scene::run::{Flow, RunOptions, run};

use super::{session, two_cubes};

fn contents(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let folders = [out.to_path_buf(), out.join("frames")];
    let files = folders.iter().flat_map(|f| std::fs::read_dir(f).unwrap());
    let mut found = BTreeMap::new();
    for path in files
        .map(|entry| entry.unwrap().path())
        .filter(|p| p.is_file())
    {
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        // The report has wall times.
        if !["report.json", "checkpoint.supple"].contains(&name.as_str()) {
            found.insert(name, std::fs::read(&path).unwrap());
        }
    }
    found
}

/// Runs a scene up to `stop` steps, rejecting about half of the attempts if a seed is given.
fn run_with(text: &str, out: &Path, resume: bool, seed: Option<u64>, stop: u64) {
    let mut session = session(text);
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
}

fn without_rejections(mut files: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    let steps = String::from_utf8(files.remove("steps.csv").unwrap()).unwrap();
    let cut = |line: &str| {
        let mut cells: Vec<&str> = line.split(',').collect();
        cells.remove(16);
        cells.join(",") + "\n"
    };
    let lines = steps.lines().map(cut).collect::<String>();
    files.insert("steps.csv".into(), lines.into_bytes());
    files
}

#[track_caller]
fn assert_same(found: &BTreeMap<String, Vec<u8>>, wanted: &BTreeMap<String, Vec<u8>>, what: &str) {
    let names = wanted.keys().chain(found.keys());
    let wrong: Vec<&String> = names.filter(|n| found.get(*n) != wanted.get(*n)).collect();
    assert!(wrong.is_empty(), "{what}: {wrong:?} differ");
}

/// Compares runs with 1, 2 and 4 threads, runs that were stopped after these steps and resumed, and runs with rejected attempts.
pub fn compare_all(text: &str, what: &str, stops: &[u64]) {
    let whole = tempfile::tempdir().unwrap();
    run_with(text, whole.path(), false, None, u64::MAX);
    let whole = contents(whole.path());
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let dir = tempfile::tempdir().unwrap();
        let pool = pool.build().unwrap();
        pool.install(|| run_with(text, dir.path(), false, None, u64::MAX));
        assert_same(
            &contents(dir.path()),
            &whole,
            &format!("{what}, {threads} threads"),
        );
    }
    for &stop in stops {
        let dir = tempfile::tempdir().unwrap();
        run_with(text, dir.path(), false, None, stop);
        run_with(text, dir.path(), true, None, u64::MAX);
        assert_same(
            &contents(dir.path()),
            &whole,
            &format!("{what}, stopped at {stop}"),
        );
    }
    let dir = tempfile::tempdir().unwrap();
    run_with(text, dir.path(), false, Some(3), u64::MAX);
    let (found, wanted) = (
        without_rejections(contents(dir.path())),
        without_rejections(whole),
    );
    assert_same(&found, &wanted, &format!("{what}, rejected"));
}

#[test]
fn threads_resume_and_rejections_do_not_change_the_files() {
    let tracked = "[time.stabilise]\n[solver]\nnewton = \"local-global\"\niterations = 10\n";
    let rough = "friction = 0.4\nrestitution = 0.7\n";
    for (method, contact, more) in [
        ("implicit-midpoint", rough, tracked),
        ("sdirk2", rough, ""),
        ("bdf2", "", ""),
    ] {
        compare_all(&two_cubes(method, contact, more), method, &[1, 12, 21]);
    }
}
