//! Same bytes for any number of threads, after resume, and with forced rejections; refusals.

use std::collections::BTreeMap;
use std::path::Path;

use base::random::Random;
use scene::build::build;
use scene::run::{Flow, RunOptions, run};
use scene::spec::parse;

use super::session;

/// A cube that lands on a moving roller and a ledge, and a ball that lands on it.
const PILE: &str = r#"
[time]
method = "METHOD"
step = 0.004
until = 0.12
fps = 70.0
[[body]]
name = "lower"
mesh = { box = { size = [0.3, 0.3, 0.3], cells = [3, 3, 3], element = "tet4" } }
place = { translate = [0, 0.31, 0] }
material = { young = 1e5, poisson = 0.4, density = 1000 }
velocity = { linear = [0, -1, 0], angular = [0, 0, 1] }
[[body]]
name = "upper"
mesh = { ball = { radius = 0.15, cells = 4, element = "tet4" } }
place = { translate = [0.15, 0.79, 0.13] }
material = { young = 1e5, poisson = 0.4, density = 1000 }
velocity = { linear = [0, -2.5, 0] }
[[obstacle]]
name = "roller"
capsule = { a = [0.1, 0.0, -1], b = [0.1, 0.0, 1], radius = 0.28 }
motion = { keys = [{ t = 0 }, { t = 0.2, translate = [0, 0.01, 0], rotate-deg = [0, 5, 0] }] }
[[obstacle]]
box = { min = [0.25, 0, -0.5], max = [1, 0.25, 0.5], rotate-deg = [0, 0, -5] }
[contact]
kind = "corrector"
KEYS
"#;

fn contents(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let files = std::fs::read_dir(out).unwrap();
    for entry in files.chain(std::fs::read_dir(out.join("frames")).unwrap()) {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        if path.is_file()
            && !["report.json", "checkpoint.supple", "steps.csv"].contains(&name.as_str())
        {
            found.insert(name, std::fs::read(&path).unwrap());
        }
    }
    // Column 16 counts rejections.
    let steps = std::fs::read_to_string(out.join("steps.csv")).unwrap();
    let cut = |line: &str| {
        let mut cells: Vec<&str> = line.split(',').collect();
        cells.remove(16);
        cells.join(",") + "\n"
    };
    found.insert(
        "steps.csv".into(),
        steps.lines().map(cut).collect::<String>().into_bytes(),
    );
    found
}

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

#[track_caller]
fn assert_same(found: &BTreeMap<String, Vec<u8>>, wanted: &BTreeMap<String, Vec<u8>>, what: &str) {
    let names = wanted.keys().chain(found.keys());
    let wrong: Vec<&String> = names.filter(|n| found.get(*n) != wanted.get(*n)).collect();
    assert!(wrong.is_empty(), "{what}: {wrong:?} differ");
}

#[test]
fn threads_resume_and_rejections_do_not_change_the_files() {
    for (method, keys) in [
        ("sdirk2", "friction = 0.4"),
        ("bdf2", "rows = \"velocity\""),
        ("newmark", "iterations = 4"),
    ] {
        let text = PILE.replace("METHOD", method).replace("KEYS", keys);
        let folders = [(); 5].map(|()| tempfile::tempdir().unwrap());
        let [one, two, four, resumed, rejected] = [0, 1, 2, 3, 4].map(|k| folders[k].path());
        for (threads, out) in [(1, one), (2, two), (4, four)] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| run_with(&text, out, false, None, u64::MAX));
        }
        run_with(&text, resumed, false, None, 21);
        run_with(&text, resumed, true, None, u64::MAX);
        run_with(&text, rejected, false, Some(5), 19);
        run_with(&text, rejected, true, Some(6), u64::MAX);
        let wanted = contents(one);
        let contacts = String::from_utf8(wanted["contacts.csv"].clone()).unwrap();
        assert!(contacts.lines().count() > 3, "{method} {keys}: {contacts}");
        assert!(
            contacts.contains("lower,upper,"),
            "{method} {keys}: {contacts}"
        );
        for (out, what) in [
            (two, "2 threads"),
            (four, "4 threads"),
            (resumed, "resume"),
            (rejected, "rejections"),
        ] {
            assert_same(&contents(out), &wanted, &format!("{method} {keys}, {what}"));
        }
    }
}

#[test]
fn keys_without_effect_and_impossible_combinations_are_refused() {
    let refusal = |text: &str| match parse("scene.toml", text) {
        Err(errors) => errors.to_string(),
        Ok((scene, source)) => match build(scene, &source) {
            Err(errors) => errors.to_string(),
            Ok(_) => panic!("the scene should be refused:\n{text}"),
        },
    };
    let with = |keys: &str| PILE.replace("METHOD", "sdirk2").replace("KEYS", keys);
    for (text, words) in [
        (with("reach = 0.01"), ["contact.reach", "barrier"]),
        (with("stiffness = 1e5"), ["contact.stiffness", "barrier"]),
        (with("self = true"), ["contact.self", "barrier"]),
        (with("slip-speed = 0.01"), ["contact.slip-speed", "Coulomb"]),
        (with("friction = -0.1"), ["contact.friction", "0"]),
        (with("iterations = 0"), ["contact.iterations", "1"]),
        (with("rows = \"sideways\""), ["contact.rows", "position"]),
        (
            with("[[contact.pair]]\na = \"lower\"\nb = \"nobody\""),
            ["contact.pair[0].b", "nobody"],
        ),
        (
            with("[time.stabilise]\nkind = \"blend\""),
            ["time.stabilise", "corrector"],
        ),
        (
            with("rows = \"velocity\"\niterations = 4"),
            ["contact.iterations", "position"],
        ),
        (
            with("rows = \"velocity\"").replace("\"corrector\"", "\"barrier\""),
            ["contact.rows", "corrector"],
        ),
        (
            with("").replace(
                "translate = [0.15, 0.79, 0.13]",
                "translate = [0.15, 0.65, 0.13]",
            ),
            ["overlaps", "body[0]"],
        ),
    ] {
        let found = refusal(&text);
        for word in words {
            assert!(found.contains(word), "{word} in: {found}");
        }
    }
}
