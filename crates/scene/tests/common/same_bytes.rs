//! Compares the files of runs with other numbers of threads, of resumed runs, and of runs with forced rejections.

use std::collections::BTreeMap;
use std::path::Path;

use base::random::Random;
use scene::run::{Flow, RunOptions, run};
use scene::session::Session;

/// Files by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Reads all files of a run, frames and checkpoint included, but not the report, which has wall times.
fn contents(out: &Path) -> Files {
    let folders = [out.to_path_buf(), out.join("frames")];
    let entries = folders.iter().flat_map(|f| std::fs::read_dir(f).unwrap());
    let paths = entries.map(|e| e.unwrap().path()).filter(|p| p.is_file());
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_string();
    let kept = paths.filter(|path| !name(path).starts_with("report"));
    kept.map(|path| (name(&path), std::fs::read(&path).unwrap()))
        .collect()
}

/// Runs a session up to `stop` steps, rejecting about half of the attempts if a seed is given.
fn run_to(mut session: Session, out: &Path, resume: bool, seed: Option<u64>, stop: u64) -> Files {
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
    contents(out)
}

/// Removes the counts of rejected attempts: a column of the table of steps, and the checkpoint, which has the same counts.
fn without_counts(mut files: Files) -> Files {
    files.remove("checkpoint.supple");
    let steps = String::from_utf8(files.remove("steps.csv").unwrap()).unwrap();
    let column = steps.lines().next().unwrap().split(',');
    let column = column.into_iter().position(|c| c == "rejected").unwrap();
    let cut = |line: &str| {
        let mut cells: Vec<&str> = line.split(',').collect();
        cells.remove(column);
        cells.join(",") + "\n"
    };
    let steps: String = steps.lines().map(cut).collect();
    files.insert("steps.csv".into(), steps.into_bytes());
    files
}

#[track_caller]
fn assert_same(found: &Files, wanted: &Files, what: &str) {
    let names = wanted.keys().chain(found.keys());
    let wrong: Vec<&String> = names.filter(|n| found.get(*n) != wanted.get(*n)).collect();
    assert!(wrong.is_empty(), "{what}: {wrong:?} differ");
}

/// Compares the files of a run with those of runs with these numbers of threads, of runs that were stopped after these steps
/// and resumed, and of a run with rejected attempts. Returns the files.
#[track_caller]
pub fn compare_all(
    session: impl Fn() -> Session + Sync,
    what: &str,
    threads: &[usize],
    stops: &[u64],
) -> Files {
    let folder = || tempfile::tempdir().unwrap();
    let whole = run_to(session(), folder().path(), false, None, u64::MAX);
    for &threads in threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let dir = folder();
        let run = || run_to(session(), dir.path(), false, None, u64::MAX);
        let found = pool.build().unwrap().install(run);
        assert_same(&found, &whole, &format!("{what}, {threads} threads"));
    }
    for &stop in stops {
        let dir = folder();
        run_to(session(), dir.path(), false, None, stop);
        let found = run_to(session(), dir.path(), true, None, u64::MAX);
        assert_same(&found, &whole, &format!("{what}, stopped at {stop}"));
    }
    let dir = folder();
    run_to(session(), dir.path(), false, Some(3), stops[0]);
    let found = run_to(session(), dir.path(), true, Some(6), u64::MAX);
    let (found, wanted) = (without_counts(found), without_counts(whole.clone()));
    assert_same(&found, &wanted, &format!("{what}, rejected"));
    whole
}
