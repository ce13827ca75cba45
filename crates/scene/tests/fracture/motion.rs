//! Motion of bodies that break: conservation, ledger, methods, controllers, contact.

use super::{broken, run, session, spinning};

/// Linear momentum, mass and the ledger of a body that breaks in free flight, under every implicit method, with Newton's
/// iteration and with one step of it.
#[test]
fn momentum_is_conserved_and_the_ledger_closes() {
    let implicit = march::methods::names().into_iter().filter(|name| {
        let method = march::find(name).unwrap().method;
        // Tables of scene files have no coefficients here.
        method.is_implicit() && !["dirk", "rosenbrock"].contains(&method.name)
    });
    let methods: Vec<String> = implicit.chain(["symplectic-euler".into()]).collect();
    assert!(methods.len() > 40, "{methods:?}");
    for method in methods {
        let mut session = session(&spinning(&method, "step = 4e-4"));
        let (cut, start) = (broken(&session), *session.row());
        let mass: f64 = session.model.node_mass().iter().sum();
        let mut worst: f64 = 0.0;
        let mut fracture = 0.0;
        run(&mut session, |session| {
            let row = session.row();
            for k in 0..3 {
                let change = row.momentum.linear[k] - start.momentum.linear[k];
                worst = worst.max(change.abs());
            }
            let all = row.entry.as_array();
            let rest = all[1..].iter().fold(row.entry.change, |rest, x| rest - x);
            let scale = start.energies.total();
            assert!(rest.abs() < 1e-10 * scale, "{method}: {rest}");
            fracture += row.entry.fracture;
        });
        let breaks = broken(&session) - cut;
        assert!(breaks > 10, "{method}: {breaks}");
        assert!(fracture < 0.0, "{method}: {fracture}");
        assert!(worst < 1e-8 * mass * 2.0, "{method}: {worst}");
        let after: f64 = session.model.node_mass().iter().sum();
        assert_eq!(mass, after);
    }
}

/// A body of many particles is solved by conjugate gradients, chosen by itself, and its pieces keep their momentum.
#[test]
fn many_particles_are_solved_by_conjugate_gradients() {
    let text = |solver: &str| {
        let many = "cells = [16, 5, 5]";
        let text = spinning("newmark", &format!("step = 2e-4\n{solver}"));
        let text = text.replace("cells = [8, 2, 2]", many);
        text.replace("until = 0.02", "until = 4e-3")
            .replace("horizon = 0.25", "horizon = 0.13")
    };
    let end = |solver: &str| {
        let mut session = session(&text(solver));
        let backend = session.options.linear;
        let start = session.row().momentum.linear;
        run(&mut session, |session| {
            let now = session.row().momentum.linear;
            for k in 0..3 {
                assert!(
                    (now[k] - start[k]).abs() < 1e-8 * start[1].abs(),
                    "{now:?} {start:?}"
                );
            }
        });
        (backend, broken(&session), session.state().u.clone())
    };
    let (backend, breaks, u) = end("");
    assert_eq!(backend, march::Backend::Cg);
    let (direct, same, wanted) = end("[solver]\nlinear = \"cholesky\"");
    assert_eq!(direct, march::Backend::Cholesky);
    assert_eq!(breaks, same);
    let off = u.iter().zip(&wanted).map(|(a, b)| (a - b).abs());
    let off = off.fold(0.0, f64::max);
    assert!(off < 1e-7, "{off}");
    assert_eq!(
        session(&spinning("newmark", "step = 2e-4")).options.linear,
        march::Backend::Auto
    );
}

/// The total of the ledger's column is the energy that the broken bonds had, and no step gains it.
#[test]
fn fracture_is_never_positive_and_explains_the_loss() {
    let mut session = session(&spinning("trapezoid", "step = 5e-5"));
    let start = session.row().energies.total();
    let (mut fracture, mut numerical): (f64, f64) = (0.0, 0.0);
    run(&mut session, |session| {
        let entry = &session.row().entry;
        assert!(entry.fracture <= 0.0);
        fracture += entry.fracture;
        numerical += entry.numerical;
    });
    let lost = session.row().energies.total() - start;
    assert!(lost < 0.0);
    assert!(
        (fracture / lost - 1.0).abs() < 0.02,
        "{fracture} of {lost}, numerical {numerical}"
    );
}

/// Every controller breaks bonds at accepted steps.
#[test]
fn every_controller_breaks_bonds() {
    for kind in [
        "force-error",
        "embedded",
        "speed",
        "stretch",
        "doubling",
        "retreat",
        "fixed",
        "auto",
    ] {
        let tolerance = match kind {
            "retreat" | "fixed" => "",
            "speed" => "tolerance = 5e-3",
            "auto" | "doubling" => "tolerance = 1e-2",
            _ => "tolerance = 1e-4",
        };
        let control = format!("step = 4e-4\n[time.control]\nkind = \"{kind}\"\n{tolerance}");
        let mut session = session(&spinning("newmark", &control));
        let cut = broken(&session);
        run(&mut session, |_| {});
        assert!(broken(&session) > cut + 10, "{kind}");
    }
}

/// With `break-limit` no more bonds break in a step than allowed, unless the step is the shortest.
#[test]
fn a_break_limit_shortens_steps() {
    let most = |limit: &str| {
        let control = format!("step = 5e-4\n[time.control]\nkind = \"retreat\"\n{limit}");
        let mut session = session(&spinning("newmark", &control));
        let (mut most, mut before, mut rejected) = (0, broken(&session), 0);
        run(&mut session, |session| {
            let now = broken(session);
            most = most.max(now - before);
            before = now;
            rejected += session.row().rejected;
        });
        (most, rejected)
    };
    let (unlimited, _) = most("");
    let (limited, rejected) = most("break-limit = 2");
    assert!(
        unlimited > 5 && limited <= 4 && rejected > 0,
        "{unlimited} {limited} {rejected}"
    );
}

/// A plate of bonds falls on a floor and breaks; no particle's sphere enters the floor, and its pieces do not overlap.
#[test]
fn fragments_touch_obstacles_and_each_other() {
    let text = r#"
[time]
method = "newmark"
step = 1e-4
until = 0.012
fps = 1000
[[body]]
mesh = { box = { size = [0.3, 0.1, 0.1], cells = [6, 2, 2] } }
bonds = { horizon = 0.11, young = 1e7, critical-stretch = 0.01, strength-scatter = 0.2 }
velocity = { linear = [0, -5, 0] }
place = { translate = [0, 0.05, 0], rotate-deg = [0, 0, 20] }
[[obstacle]]
plane = { point = [0, 0, 0], normal = [0, 1, 0] }
[contact]
kind = "barrier"
self = true
"#;
    let mut session = session(text);
    let start = session.row().energies.total();
    let thrown = session.row().momentum.linear[1];
    run(&mut session, |session| {
        let (model, state) = session.model_and_state();
        model.expand(state.t, &state.u, &state.v);
        let x: Vec<[f64; 3]> = (0..model.nodes()).map(|i| model.position(i)).collect();
        for i in 0..x.len() {
            // The radius of a particle's sphere is 0.4 spacings.
            assert!(x[i][1] > 0.02, "particle {i} at {:?}", x[i]);
            for j in 0..i {
                let square: f64 = (0..3).map(|k| (x[i][k] - x[j][k]).powi(2)).sum();
                assert!(square.sqrt() > 0.04, "particles {i} and {j}");
            }
        }
    });
    assert!(broken(&session) > 5, "{}", broken(&session));
    let momentum = |s: &scene::session::Session| s.row().momentum.linear[1];
    assert!(
        momentum(&session) > 0.6 * thrown,
        "{} of {thrown}",
        momentum(&session)
    );
    assert!(session.row().energies.total() < 1.02 * start);
}

/// Each of two pieces that spin apart keeps its own momentum.
#[test]
fn each_fragment_keeps_its_momentum() {
    let text = spinning("newmark", "step = 4e-4");
    let (head, _) = text.split_once("disc = ").unwrap();
    let cut = "plane = { point = [0.35, 0, 0], normal = [1, 0, 0] }";
    let sound = ", critical-stretch = 0.004, strength-scatter = 0.3, seed = 4";
    assert!(head.contains(sound));
    let mut session = session(&format!("{}{cut}", head.replace(sound, "")));
    let (mut labels, mut found, mut start) = (Vec::new(), Vec::new(), Vec::new());
    let mut worst: f64 = 0.0;
    run(&mut session, |session| {
        let (model, state) = session.model_and_state();
        model.label_fragments(&mut labels);
        model.fragments([&state.u, &state.v], state.t, &labels, &mut found);
        if start.is_empty() {
            start.clone_from(&found);
        }
        for (now, first) in found.iter().zip(&start) {
            for k in 0..3 {
                let change = now.momentum[k] - first.momentum[k];
                worst = worst.max(change.abs() / (2.0 * first.mass));
            }
        }
    });
    assert_eq!(start.len(), 2);
    assert!(worst < 1e-8, "{worst}");
}

/// The rows of `fragments.csv` of a frame have the whole mass and momentum of the body, and a plane cuts it in two.
#[test]
fn fragments_have_the_mass_and_momentum_of_the_body() {
    let cut = "plane = { point = [0.35, 0, 0], normal = [1, 0, 0] }";
    let text = spinning("newmark", "step = 4e-4");
    let (head, _) = text.split_once("disc = ").unwrap();
    let mut session = session(&format!("{head}{cut}"));
    let out = tempfile::tempdir().unwrap();
    let options = scene::run::RunOptions {
        out: out.path().into(),
        resume: None,
    };
    let report = scene::run::run(&mut session, &options, &mut |_| scene::run::Flow::On).unwrap();
    let table = std::fs::read_to_string(out.path().join("fragments.csv")).unwrap();
    let mut lines = table.lines();
    let wanted = "t,body,fragment,particles,mass,x,y,z,px,py,pz,kinetic,elastic";
    assert_eq!(lines.next(), Some(wanted));
    let mut frames: std::collections::BTreeMap<String, Vec<Vec<f64>>> = Default::default();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[1], "body-0");
        let numbers = cells[2..].iter().map(|x| x.parse().unwrap()).collect();
        frames.entry(cells[0].into()).or_default().push(numbers);
    }
    assert_eq!(frames.len(), 5);
    let mass = 0.8 * 0.2 * 0.2 * 1000.0;
    for (t, rows) in &frames {
        let sum = |k: usize| rows.iter().map(|r| r[k]).sum::<f64>();
        assert!(rows.len() >= 2);
        assert_eq!(sum(1), 81.0, "{t}");
        assert!((sum(2) / mass - 1.0).abs() < 1e-12, "{t}");
        assert!((sum(6) - mass).abs() < 1e-8 * mass, "{t}: {}", sum(6));
        assert!((sum(7) - 2.0 * mass).abs() < 1e-8 * mass, "{t}");
        assert!(sum(8).abs() < 1e-8 * mass, "{t}");
    }
    // Four of nine layers of particles are left of the plane.
    assert_eq!(frames["0.0"].len(), 2);
    assert_eq!(frames["0.0"][0][1], 36.0);
    assert_eq!(report.fragments.len(), frames["0.02"].len());
}
