//! The energy ledger closes for every scene under every method that it does not refuse. Scenes with contact start where surfaces
//! touch.

use std::path::{Path, PathBuf};

use march::methods::{Family, MethodChoice, Stability, names};
use march::{State, find};
use rayon::prelude::*;
use scene::build::build;
use scene::run::Flow;
use scene::session::Session;
use scene::spec::Source;
use scene::trial::{Row, trial};

/// The number of steps of a run.
const STEPS: u64 = 3;
/// The largest number of steps until surfaces touch.
const APPROACH_STEPS: u64 = 400;

/// Returns keys that coarsen a scene so that it runs in seconds.
fn coarser(name: &str) -> &'static [(&'static str, &'static str)] {
    match name {
        "cloth.toml" => &[("body[0].mesh.box.cells", "[4, 4, 1]")],
        "beam.toml" => &[("body[0].mesh.box.cells", "[8, 1, 1]")],
        "cantilever.toml" => &[("body[0].mesh.box.cells", "[10, 1, 1]")],
        "blob.toml" => &[("body[0].mesh.blob.cells", "12")],
        "jello.toml" => &[
            ("body[0].mesh.mould.cells", "4"),
            ("body[0].mesh.mould.flutes", "0"),
        ],
        "spring-cloth.toml" => &[("body[0].mesh.sheet.cells", "[5, 5]")],
        "falling-cloth.toml" => &[("body[0].mesh.sheet.cells", "[6, 6]")],
        "twist.toml" => &[("body[0].mesh.box.cells", "[12, 1, 4]")],
        "drape.toml" => &[("body[0].mesh.sheet.cells", "[8, 8]")],
        "cactus.toml" | "scattered.toml" => &[("body[0].mesh.blob.cells", "12")],
        "tree.toml" => &[
            ("body[0].mesh.blob.cells", "24"),
            ("body[0].material.young", "1e6"),
        ],
        "struck-block.toml" | "dropped-block.toml" => &[
            ("body[0].mesh.box.cells", "[6, 3, 3]"),
            ("body[0].bonds.horizon", "0.672"),
        ],
        "cube.toml" | "turning-cube.toml" => &[("body[0].mesh.box.cells", "[3, 3, 3]")],
        "plate.toml" => &[
            ("body[0].mesh.box.cells", "[8, 1, 8]"),
            ("body[0].bonds.horizon", "0.113"),
        ],
        "notch.toml" => &[
            ("body[0].mesh.box.cells", "[20, 8, 1]"),
            ("body[0].bonds.horizon", "0.0155"),
        ],
        "shatter.toml" => &[("body[0].mesh.blob.cells", "12")],
        "spheres.toml" | "cube-on-spheres.toml" => &[("body[0].mesh.box.cells", "[3, 3, 3]")],
        "ball.toml" => &[("body[0].mesh.ball.cells", "4")],
        "cube-004.toml" => &[("body[0].mesh.box.cells", "[2, 2, 2]")],
        _ => &[],
    }
}

/// Opens a scene.
fn open(path: &Path) -> Session {
    let mut source = Source::read(path).unwrap_or_else(|e| panic!("{e}"));
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    for (key, value) in coarser(&name) {
        source.set(key, value).unwrap();
    }
    let built = source.scene().and_then(|scene| build(scene, &source));
    built.unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn scenes() -> Vec<PathBuf> {
    let own = ["scenes", "crates/claims/scenes", "crates/papers/scenes"]
        .map(|f| testdata::repository().join(f));
    let folders = own.into_iter().chain(testdata::shared("contract/scenes"));
    let mut files = Vec::new();
    for folder in folders {
        let entries = std::fs::read_dir(folder).unwrap();
        files.extend(entries.map(|e| e.unwrap().path()));
    }
    files.retain(|f| f.extension().is_some_and(|e| e == "toml"));
    files.sort();
    files
}

/// Whether surfaces touch.
fn touches(sim: &Session) -> bool {
    !sim.contacts()[1].is_empty()
}

/// Takes the steps of a scene with contact until surfaces touch.
fn approach(sim: &mut Session, what: &str) {
    if sim.contact.is_none() || touches(sim) {
        return;
    }
    let (until, mut steps) = (sim.scene.time.until, 0);
    sim.run_until(until, &mut |sim, _| {
        steps += 1;
        match touches(sim) || steps >= APPROACH_STEPS {
            true => Flow::Stop,
            false => Flow::On,
        }
    })
    .unwrap_or_else(|e| panic!("{what}: {e}"));
}

/// Whether no step of friction can add energy: impulses never do, and the barrier's powers count with the weights of the method.
fn friction_only_takes(sim: &Session, choice: &MethodChoice) -> bool {
    let barrier = sim
        .contact
        .as_ref()
        .is_some_and(|c| c.model_name() == "barrier");
    match choice.method.family {
        Family::RungeKutta(table) => !barrier || table.b.iter().all(|b| *b >= 0.0),
        Family::Newmark | Family::Bdf2 => true,
        _ => !barrier,
    }
}

/// Runs a scene from a state under a method and compares its ledger with its energies. Returns whether every step succeeded, or
/// `None` if the scene refuses the method.
fn closes(sim: &mut Session, start: &State, what: &str, name: &str) -> Option<bool> {
    sim.set_method(name).ok()?;
    sim.start_from(start);
    let choice = find(name).unwrap();
    let step = sim.scene.time.nominal_step();
    if choice.method.stability == Stability::Conditional {
        sim.scene.time.step = Some(1e-5);
    }
    let mut rows: Vec<Row> = Vec::new();
    let run = trial(sim, &mut |_, row| {
        rows.push(*row);
        if rows.len() as u64 > STEPS {
            Flow::Stop
        } else {
            Flow::On
        }
    });
    sim.scene.time.step = Some(step);
    let scale = rows.iter().fold(0.0_f64, |m, row| {
        let e = &row.energies;
        m.max(e.kinetic + e.strain.abs() + e.gravitational.abs())
    });
    let near = |a: f64, b: f64, claim: &str| {
        assert!(
            (a - b).abs() <= 1e-10 * scale,
            "{what}, {name}: {claim}: {a:e} against {b:e} on a scale of {scale:e} J"
        );
    };
    let mut sum = 0.0;
    for pair in rows.windows(2) {
        let (before, after) = (pair[0].energies.total(), pair[1].energies.total());
        let [change, parts @ ..] = pair[1].entry.as_array();
        near(change, after - before, "change of energy");
        near(parts.iter().sum(), change, "sum of the columns");
        assert!(
            parts.iter().all(|x| x.is_finite()),
            "{what}, {name}: {parts:?}"
        );
        let damping = pair[1].entry.damping;
        assert!(
            damping <= 1e-12 * scale,
            "{what}, {name}: damping gave {damping} J"
        );
        let friction = pair[1].entry.friction;
        assert!(
            friction <= 1e-12 * scale || !friction_only_takes(sim, &choice),
            "{what}, {name}: friction gave {friction} J"
        );
        sum += change;
    }
    let whole = run.last.energies.total() - run.first.energies.total();
    near(sum, whole, "sum of changes");
    near(run.ledger.change, whole, "ledger of the run");
    Some(run.steps == STEPS)
}

#[test]
fn every_ledger_closes_on_every_scene_and_method() {
    let methods: Vec<String> = names()
        .into_iter()
        .filter(|n| !find(n).unwrap().method.parameters.contains(&"b"))
        .collect();
    assert!(methods.len() > 40);
    let files = scenes();
    assert!(files.len() >= 7);
    let counts: Vec<[usize; 3]> = files
        .par_iter()
        .map(|path| {
            let mut sim = open(path);
            let what = path.display().to_string();
            approach(&mut sim, &what);
            let touching = usize::from(touches(&sim));
            let start = sim.state().clone();
            let runs = methods
                .iter()
                .filter_map(|method| closes(&mut sim, &start, &what, method));
            runs.fold([0, 0, touching], |[taken, asked, touching], whole| {
                [taken + usize::from(whole), asked + 1, touching]
            })
        })
        .collect();
    // A failed step has no ledger entry; failures must be rare.
    let [taken, asked, touching] = [0, 1, 2].map(|k| counts.iter().map(|c| c[k]).sum::<usize>());
    assert!(
        20 * taken >= 19 * asked,
        "{taken} of {asked} runs took all steps"
    );
    assert!(asked > 20 * files.len(), "only {asked} runs");
    assert!(touching >= 10, "only {touching} scenes start in contact");
}
