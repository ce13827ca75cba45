//! Same bytes for any number of threads, after resume, and with forced rejections.

use std::collections::BTreeMap;
use std::path::Path;

use base::random::Random;
use scene::run::{Flow, RunOptions, run};

use super::session;

/// A cube that lands on a moving roller and a ledge, and another that lands on it.
const PILE: &str = r#"
[time]
method = "METHOD"
step = 0.004
until = 0.1
fps = 70.0
[[body]]
name = "lower"
mesh = { box = { size = [0.3, 0.3, 0.3], cells = [3, 3, 3], element = "tet4" } }
place = { translate = [0, 0.31, 0] }
material = { young = 1e5, poisson = 0.4, density = 1000 }
velocity = { linear = [0, -1, 0], angular = [0, 0, 1] }
[[body]]
name = "upper"
mesh = { box = { size = [0.3, 0.3, 0.3], cells = [3, 3, 3] } }
place = { translate = [0.05, 0.63, 0.02], rotate-deg = [3, 20, 2] }
material = { young = 1e5, poisson = 0.4, density = 1000 }
velocity = { linear = [0, -1.5, 0] }
[[obstacle]]
name = "roller"
capsule = { a = [0.1, 0.0, -1], b = [0.1, 0.0, 1], radius = 0.28 }
motion = { keys = [{ t = 0 }, { t = 0.1, translate = [0, 0.01, 0], rotate-deg = [0, 5, 0] }] }
[[obstacle]]
box = { min = [0.25, 0, -0.5], max = [1, 0.25, 0.5], rotate-deg = [0, 0, -5] }
[contact]
kind = "barrier"
"#;

/// The pile with more keys of `[contact]`; steps of a method that extrapolates end by closing minimisations.
fn pile(method: &str, contact: &str) -> String {
    let text = PILE.replace("METHOD", method) + contact;
    match method {
        "implicit-midpoint" => text.replace("fps", "control = { kind = \"fixed\" }\nfps"),
        _ => text,
    }
}

fn contents(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(out)
        .unwrap()
        .chain(std::fs::read_dir(out.join("frames")).unwrap())
    {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        // The report has wall times; after resume candidates are searched once more.
        if path.is_file() && !["report.json", "checkpoint.supple"].contains(&name.as_str()) {
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
    files.insert(
        "steps.csv".into(),
        steps.lines().map(cut).collect::<String>().into_bytes(),
    );
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
    let lagged = "friction = 0.5\nfriction-mode = \"lagged\"\n";
    for (method, contact, quick) in [
        ("sdirk2", "friction = 0.4\n", false),
        ("backward-euler", lagged, true),
        ("implicit-midpoint", "", true),
    ] {
        let text = pile(method, contact);
        let whole = tempfile::tempdir().unwrap();
        run_with(&text, whole.path(), false, None, u64::MAX);
        let whole = contents(whole.path());
        let rows = String::from_utf8_lossy(&whole["contacts.csv"])
            .lines()
            .count();
        assert!(rows > 5, "{method}: {rows} rows");
        assert!(whole.contains_key("obstacles.json"));
        for threads in [1, 2, 4].into_iter().filter(|_| !quick) {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let dir = tempfile::tempdir().unwrap();
            pool.install(|| run_with(&text, dir.path(), false, None, u64::MAX));
            assert_same(
                &contents(dir.path()),
                &whole,
                &format!("{method}, {threads} threads"),
            );
        }
        for stop in [1, 9, 16].into_iter().filter(|stop| !quick || *stop == 9) {
            let dir = tempfile::tempdir().unwrap();
            run_with(&text, dir.path(), false, None, stop);
            run_with(&text, dir.path(), true, None, u64::MAX);
            assert_same(
                &contents(dir.path()),
                &whole,
                &format!("{method}, stopped at {stop}"),
            );
        }
        let dir = tempfile::tempdir().unwrap();
        run_with(&text, dir.path(), false, Some(3), u64::MAX);
        let wanted = without_rejections(whole);
        assert_same(
            &without_rejections(contents(dir.path())),
            &wanted,
            &format!("{method}, rejected"),
        );
    }
}
