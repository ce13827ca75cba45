//! Bodies that appear while a scene runs: times, energy, names, occupied places, bytes and refusals.

use march::System;
use scene::run::{RunError, RunOptions, run as run_files};
use scene::session::{Flow, Session};
use sparse::LinearSolver;

use super::same_bytes::compare_all;
use super::{G, run, session, try_session};

/// Balls that appear at (0, `height`, 0) m with `velocity` m/s downwards, every 0.05 s.
fn shower(count: u32, height: f64, velocity: f64, more: &str) -> String {
    format!(
        r#"
[time]
method = "sdirk2"
step = 0.008
until = 0.24
fps = 60.0
[[emit]]
every = 0.05
count = {count}
velocity = {{ linear = [0, {:?}, 0] }}
place = {{ translate = [0, {height:?}, 0] }}
[emit.body]
name = "ball"
mesh = {{ ball = {{ radius = 0.1, cells = 2, element = "tet4" }} }}
material = {{ law = "arap", young = 5e4, poisson = 0.3, density = 1000 }}
{more}
"#,
        -velocity
    )
}

/// Without contact every ball falls freely from its own time on. Before it appears it counts nowhere; the energy that it
/// brings is work, and the ledger closes.
#[test]
fn bodies_appear_at_their_times_with_their_energy_as_work() {
    let (height, v) = (2.0, 1.0);
    let mut s = session(&shower(4, height, v, ""));
    let nodes = s.model.nodes() / 4;
    let mass: f64 = s.model.node_mass()[..nodes].iter().sum();
    let brought = mass * (0.5 * v * v + G * height);
    assert!(
        (s.energies().total() - brought).abs() < 1e-6 * brought,
        "the first ball alone"
    );
    let (mut before, mut work) = (s.energies().total(), 0.0);
    let mut ends = Vec::new();
    run(&mut s, |s| {
        let row = *s.row();
        let e = row.entry;
        let sum = e.damping + e.friction + e.contact + e.numerical + e.residual + e.work;
        assert!(
            (sum - (row.energies.total() - before)).abs() < 1e-10 * brought,
            "{e:?}"
        );
        before = row.energies.total();
        work += e.work;
        ends.push(row.t);
        // The balls that have appeared fall freely, the others do not move.
        let x = s.positions();
        for k in 0..4 {
            let fallen = (row.t - 0.05 * k as f64).max(0.0);
            let own = &x[k * nodes..(k + 1) * nodes];
            let mean = own.iter().map(|x| x[1]).sum::<f64>() / nodes as f64;
            let wanted = height - v * fallen - 0.5 * G * fallen * fallen;
            assert!(
                (mean - wanted).abs() < 1e-6,
                "ball {k} at {}: {mean} {wanted}",
                row.t
            );
        }
    });
    for k in 1..4 {
        assert!(
            ends.contains(&(f64::from(k) * 0.05)),
            "a step ends at {k} · 0.05 s: {ends:?}"
        );
    }
    assert!(
        (work - 3.0 * brought).abs() < 1e-6 * brought,
        "{work} J of {} J",
        3.0 * brought
    );
    let names: Vec<&str> = s.model.emitted().iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["ball-0", "ball-1", "ball-2", "ball-3"]);
}

/// Steps have nothing to do for bodies that wait: Newton's matrix has their diagonal blocks only, and couplings appear with them.
#[test]
fn waiting_bodies_are_not_factored() {
    let work = |s: &mut Session| {
        let state = s.state().clone();
        let mut matrix = s.model.zero_matrix();
        let weights = march::Weights {
            mass: 1.0,
            damping: 0.0,
            stiffness: 1e-4,
        };
        s.model
            .tangent(state.at(), weights, march::Curvature::Definite, &mut matrix);
        let mut cholesky = sparse::Cholesky::default();
        cholesky.factor(&matrix).unwrap();
        (matrix.values().len(), cholesky.order().unwrap().flops)
    };
    for contact in ["", "[contact]\nkind = \"barrier\"\nreach = 0.005\n"] {
        let (entries, flops) = work(&mut session(&shower(1, 2.0, 6.0, contact)));
        let mut s = session(&shower(4, 2.0, 6.0, contact));
        let nodes = s.model.nodes() / 4;
        for appeared in 1..=4 {
            assert_eq!(s.model.appeared(), appeared);
            let (own, waiting) = (appeared * entries, (4 - appeared) * 6 * nodes);
            let (all, cost) = work(&mut s);
            assert_eq!(all, own + waiting);
            let most = appeared as f64 * flops + (4 - appeared) as f64 * (50 * nodes) as f64;
            assert!(cost <= 1.01 * most, "{cost} of {most} with {appeared}");
            // The next ball appears in the step that begins at its time.
            let until = 0.05 * appeared as f64 + 0.004;
            s.run_until(until, &mut |_, _| Flow::On).unwrap();
        }
    }
}

/// Frequencies are those of all bodies.
#[test]
fn frequencies_count_bodies_that_wait() {
    let lowest = |count| {
        let text = shower(count, 2.0, 1.0, "");
        let check = scene::check::check(&mut session(&text)).unwrap();
        let rigid = |m: &&scene::modes::Mode| m.kind == scene::modes::ModeKind::Rigid;
        (
            check.lowest_hz.unwrap(),
            check.modes.iter().filter(rigid).count(),
        )
    };
    let ((one, rigid), (three, all)) = (lowest(1), lowest(3));
    assert!(
        (three / one - 1.0).abs() < 1e-6,
        "{three} Hz, one has {one} Hz"
    );
    assert_eq!((rigid, all), (6, 18));
}

/// Frames have all bodies; those that wait are points.
#[test]
fn waiting_bodies_are_not_drawn() {
    let mut s = session(&shower(2, 2.0, 1.0, ""));
    let nodes = s.model.nodes() / 2;
    let mut x = s.positions();
    s.model.hide_waiting(0.04, &mut x);
    assert!(x[nodes..].iter().all(|p| *p == x[nodes]));
    assert!(x[..nodes].iter().any(|p| *p != x[0]));
    let mut x = s.positions();
    s.model.hide_waiting(0.05, &mut x);
    assert!(x[nodes..].iter().any(|p| *p != x[nodes]));
}

/// Frames with bodies that wait can be read again, for pictures and comparisons.
#[test]
fn frames_with_waiting_bodies_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = session(&shower(2, 2.0, 1.0, "").replace("until = 0.24", "until = 0.1"));
    let options = RunOptions {
        out: dir.path().into(),
        resume: None,
    };
    run_files(&mut s, &options, &mut |_| Flow::On).unwrap();
    let results = scene::results::Results::open(dir.path()).unwrap();
    let nodes = s.model.nodes() / 2;
    for (frame, appeared) in [(0, false), (results.frames.len() - 1, true)] {
        let frame = results.frame(frame).unwrap();
        assert_eq!(frame.mesh.points.len(), 2 * nodes);
        let later = &frame.mesh.points[nodes..];
        assert_eq!(later.iter().any(|x| *x != later[0]), appeared);
    }
    let start = results.positions_and_field(0, Some("speed")).unwrap();
    assert_eq!(start.values.unwrap().len(), 2 * nodes);
}

const FLOOR: &str =
    "[[obstacle]]\nname = \"floor\"\nplane = { point = [0, 0, 0], normal = [0, 1, 0] }\n";

/// Probes and pairs may name bodies that have not appeared; threads, resume and rejections change nothing.
#[test]
fn threads_resume_and_rejections_do_not_change_the_files() {
    let more = format!(
        "{FLOOR}[[probe]]\nname = \"last\"\nbody = \"ball-2\"\nnear = [0, 0.3, 0]\n\
         [contact]\nkind = \"penalty\"\nreach = 0.01\nstiffness = 2e4\nfriction = 0.3\n\
         [[contact.pair]]\na = \"ball-1\"\nb = \"floor\"\nfriction = 0.6\n"
    );
    // Steps 7 and 14 end where a ball appears.
    let text = shower(3, 0.3, 5.0, &more);
    compare_all(|| session(&text), "penalty", &[1, 2, 4], &[10, 7, 14]);
    for (kind, keys) in [
        ("barrier", "reach = 0.005\n"),
        ("corrector", "friction = 0.3\n"),
    ] {
        let more = format!("{FLOOR}[contact]\nkind = \"{kind}\"\n{keys}");
        // The second ball meets the first at about 0.07 s.
        let short = shower(2, 0.3, 6.0, &more).replace("until = 0.24", "until = 0.1");
        compare_all(|| session(&short), kind, &[1, 2, 4], &[7]);
    }
}

/// Bodies that wait touch nothing under barriers either, and fall on each other once they have appeared.
#[test]
fn barriers_ignore_bodies_that_wait() {
    let barrier = format!("{FLOOR}[contact]\nkind = \"barrier\"\nreach = 0.005\n");
    let mut s = session(&shower(2, 0.3, 6.0, &barrier));
    let mut pairs = Vec::new();
    run(&mut s, |s| {
        pairs.extend(s.contacts()[1].iter().map(|p| (s.t() < 0.05, p.groups)));
    });
    assert!(
        pairs.iter().all(|(early, [a, _])| !early || *a == 0),
        "{pairs:?}"
    );
    assert!(
        pairs.contains(&(false, [0, 1])),
        "the second ball falls on the first"
    );
}

/// Under the corrector a body falls freely from a place at which another one waits.
#[test]
fn the_corrector_ignores_bodies_that_wait() {
    let corrected = "[contact]\nkind = \"corrector\"\n";
    let ends = [corrected, ""].map(|more| {
        let mut s = session(&shower(2, 2.0, 6.0, more));
        run(&mut s, |_| {});
        s.state().clone()
    });
    assert_eq!(ends[0], ends[1]);
}

/// A body that finds its place occupied ends the run with a sentence that names both.
#[test]
fn an_occupied_place_ends_the_run() {
    let more = format!("{FLOOR}[contact]\nkind = \"penalty\"\nreach = 0.01\nstiffness = 2e4\n");
    let mut s = session(&shower(2, 0.3, 0.0, &more));
    let end = s.run_until(0.24, &mut |_, _| Flow::On);
    let sentence = end.err().map(|e| e.to_string()).unwrap_or_default();
    for word in ["ball-1", "ball-0", "0.05", "occupies"] {
        assert!(sentence.contains(word), "{sentence}");
    }
    assert_eq!(s.t(), 0.05, "it runs until then");
    // A run says nothing of an iteration that failed, and writes no capsule.
    let dir = tempfile::tempdir().unwrap();
    let options = RunOptions {
        out: dir.path().into(),
        resume: None,
    };
    let mut s = session(&shower(2, 0.3, 0.0, &more));
    let told = run_files(&mut s, &options, &mut |_| Flow::On).unwrap_err();
    assert!(matches!(told, RunError::Occupied { .. }), "{told}");
    assert!(told.to_string().starts_with(&sentence), "{told}");
    assert!(!dir.path().join(scene::run::CAPSULE).exists());
    assert!(dir.path().join(scene::run::CHECKPOINT).exists());
    let inside = shower(2, 0.05, 0.0, &more);
    let Err(sentence) = try_session(&inside) else {
        panic!("the first ball starts inside the floor");
    };
    assert!(
        sentence.contains("ball-0") && sentence.contains("floor"),
        "{sentence}"
    );
}

/// Obstacles in motion count where they are when a body appears.
#[test]
fn a_moving_obstacle_occupies_the_place_where_it_is() {
    let ball_passes = "[[contact.pair]]\na = \"ball-0\"\nb = \"plate\"\nignore = true\n";
    for (x, moved, occupied) in [(2.0, -2.0, true), (0.0, 2.0, false)] {
        let more = format!(
            "[[obstacle]]\nname = \"plate\"\nbox = {{ min = [{:?}, 0.9, -0.2], max = [{:?}, 1.1, 0.2] }}\n\
             motion = {{ keys = [{{ t = 0 }}, {{ t = 0.05, translate = [{moved:?}, 0, 0] }}] }}\n\
             [contact]\nkind = \"penalty\"\nreach = 0.01\nstiffness = 2e4\n{ball_passes}",
            x - 0.2,
            x + 0.2
        );
        let mut s = session(&shower(2, 1.0, 6.0, &more));
        let end = s.run_until(0.24, &mut |_, _| Flow::On);
        let sentence = end.err().map(|e| e.to_string());
        assert_eq!(sentence.is_some(), occupied, "{sentence:?}");
        for word in ["ball-1", "plate", "0.05"] {
            assert!(sentence.iter().all(|s| s.contains(word)), "{sentence:?}");
        }
    }
}

#[test]
fn bad_emitters_are_refused_with_a_sentence() {
    for (from, to, words) in [
        (
            "every = 0.05",
            "every = 0.0",
            ["emit[0].every", "greater than 0"],
        ),
        ("count = 2", "count = 0", ["emit[0].count", "at least 1"]),
        (
            "name = \"ball\"",
            "name = \"ball\"\nfix = [{ where = \"all\" }]",
            ["emit[0].body.fix", "held"],
        ),
        ("young = 5e4", "young = -1.0", ["emit[0].body", "young"]),
    ] {
        let text = shower(2, 2.0, 1.0, "").replace(from, to);
        let Err(sentence) = try_session(&text) else {
            panic!("{to} should be refused");
        };
        for word in words {
            assert!(sentence.contains(word), "{sentence}");
        }
    }
    let taken = "[[body]]\nname = \"ball-1\"\nmesh = { box = { size = [1, 1, 1], cells = [1, 1, 1] } }\nmaterial = { young = 1e5, poisson = 0.3, density = 1000 }\n";
    let Err(sentence) = try_session(&shower(2, 2.0, 1.0, taken)) else {
        panic!("the name of a copy is taken");
    };
    assert!(sentence.contains("ball-1"), "{sentence}");
}
