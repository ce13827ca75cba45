//! The ball of the contract under every method of the registry, and the order of the curves of the paper.
//!
//! The registry is walked with 4 cells across the ball instead of 8, because explicit methods take thousands of steps; the two
//! methods of the paper run on the mesh of the contract.

use march::System;
use march::methods::{self, METHODS};
use scene::session::Session;
use sparse::LinearSolver;

use super::{contract_ball, lowest, run, session};

/// Penetration that position rows may leave, in diameters of the ball.
const DEEPEST: f64 = 1e-3;
/// Share of the step limit that `check` prints at which an explicit method runs. The limit is that along the first contact.
const SHARE_OF_LIMIT: f64 = 0.8;

/// The ball on a coarse mesh.
fn coarse(method: &str, step: f64, contact: &str) -> Option<String> {
    let text = contract_ball(method, 1.2, "", contact)?;
    let text = text.replace("step = 0.005", &format!("step = {step:?}"));
    Some(text.replace("cells = 8", "cells = 4"))
}

/// Runs a ball: everything stays finite, nothing sinks in, every row of the ledger is closed.
fn run_checked(name: &str, s: &mut Session) -> f64 {
    let start = s.energies().total();
    let (mut least, mut before) = (f64::INFINITY, start);
    let mut touched = false;
    run(s, |s| {
        let low = lowest(s);
        assert!(
            low > -DEEPEST,
            "{name}: a vertex is at {low} m at {} s",
            s.t()
        );
        least = least.min(low);
        let (e, total) = (s.row().entry, s.energies().total());
        let booked = e.damping + e.friction + e.contact + e.numerical + e.residual + e.work;
        assert!(
            (e.change - (total - before)).abs() < 1e-10 * start,
            "{name}: {e:?}"
        );
        assert!((e.change - booked).abs() < 1e-10 * start, "{name}: {e:?}");
        touched |= e.contact != 0.0;
        before = total;
    });
    assert!(touched, "{name}: the ball never touched");
    before / start
}

/// The step limit that `check` prints, s; `None` if the method has none.
fn step_limit(text: &str) -> Option<f64> {
    let check = scene::check::check(&mut session(text)).unwrap();
    check.step_limit.map(|limit| limit.step)
}

/// The sentence with which a run ends.
fn failure(text: &str) -> String {
    let out = tempfile::tempdir().unwrap();
    let options = scene::run::RunOptions {
        out: out.path().into(),
        resume: None,
    };
    let ended = scene::run::run(&mut session(text), &options, &mut |_| scene::run::Flow::On);
    ended.unwrap_err().to_string()
}

/// Runs the methods of the registry whose number leaves a remainder.
fn walk(remainder: usize) {
    let names = methods::names().into_iter().enumerate();
    for (_, name) in names.filter(|(k, _)| k % 3 == remainder) {
        let choice = methods::find(&name).unwrap();
        if ["dirk", "rosenbrock"].contains(&choice.method.name) {
            // Users' own tables have no numbers here.
            continue;
        }
        let Some(text) = coarse(&name, 0.005, "") else {
            return;
        };
        let Some(limit) = step_limit(&text) else {
            run_checked(&name, &mut session(&text));
            continue;
        };
        if ["forward-euler", "explicit-midpoint"].contains(&name.as_str()) {
            assert_eq!(limit, 0.0, "{name}");
            let sentence = failure(&text.replace("until = 1.2", "until = 40.0"));
            assert!(sentence.contains("grow at any step"), "{name}: {sentence}");
            continue;
        }
        let Some(text) = coarse(&name, SHARE_OF_LIMIT * limit, "") else {
            return;
        };
        let mut s = session(&text);
        run_checked(&name, &mut s);
    }
}

#[test]
fn the_first_third_of_the_registry() {
    walk(0);
}

#[test]
fn the_second_third_of_the_registry() {
    walk(1);
}

#[test]
fn the_last_third_of_the_registry() {
    walk(2);
    assert!(METHODS.len() >= 28);
}

#[test]
fn the_ball_of_the_contract_on_its_own_mesh() {
    for method in ["backward-euler", "sdirk2"] {
        let Some(text) = contract_ball(method, 1.2, "", "") else {
            return;
        };
        let mut s = session(&text);
        let left = run_checked(method, &mut s);
        assert!(left < 1.0 && left > 0.4, "{method} keeps {left}");
    }
}

/// The impact on the mesh of the contract lowers the limit of explicit methods by 31 %: the printed one holds, that of the ball at
/// rest does not, and the run ends with an error.
#[test]
fn the_printed_limit_of_explicit_methods_holds_through_the_impact() {
    let method = "central-difference";
    let Some(text) = contract_ball(method, 1.2, "", "") else {
        return;
    };
    let at = |step: f64| text.replace("step = 0.005", &format!("step = {step:?}"));
    let check = scene::check::check(&mut session(&text)).unwrap();
    let limit = check.step_limit.unwrap();
    assert!((limit.step / limit.at_start - 0.69).abs() < 0.05, "{limit}");
    assert!((limit.contact_at.unwrap() - 0.782).abs() < 0.01, "{limit}");
    run_checked(method, &mut session(&at(SHARE_OF_LIMIT * limit.step)));
    // Its positions leave the range of single precision, in which candidates are found, before they are infinite.
    let beyond = at(SHARE_OF_LIMIT * limit.at_start);
    let mut beyond = session(&beyond.replace(method, "symplectic-euler"));
    let ended = beyond.run_until(1.2, &mut |_, _| scene::session::Flow::On);
    assert!(ended.is_err(), "the motion should blow up in the impact");
}

/// The four curves of the paper: SDIRK2 loses less than backward Euler, and shorter steps lose less.
#[test]
fn the_curves_of_the_paper_are_ordered() {
    let rows = "rows = \"velocity\"\n";
    let mut left = Vec::new();
    for (method, step) in [
        ("backward-euler", 0.005),
        ("sdirk2", 0.005),
        ("backward-euler", 0.0005),
        ("sdirk2", 0.0005),
    ] {
        let Some(text) = coarse(method, step, rows) else {
            return;
        };
        let mut s = session(&text);
        let start = s.energies().total();
        run(&mut s, |_| {});
        left.push(s.energies().total() / start);
    }
    assert!(left[0] < left[1] && left[0] < left[2], "{left:?}");
    assert!(left[1] < left[3] && left[2] < left[3], "{left:?}");
}

/// A step without contact is that of the method, to the bit.
#[test]
fn flight_is_untouched() {
    for rows in ["position", "velocity"] {
        let Some(text) = coarse("sdirk2", 0.005, &format!("rows = \"{rows}\"\n")) else {
            return;
        };
        let (text, free) = (
            text.clone(),
            text.replace("[contact]", "#")
                .replace("kind = \"corrector\"", "")
                .replace(&format!("rows = \"{rows}\""), ""),
        );
        let mut ends = [text, free].map(|text| {
            let mut s = session(&text.replace("until = 1.2", "until = 0.7"));
            run(&mut s, |_| {});
            s.state().clone()
        });
        assert_eq!(ends[0], ends[1]);
        ends[0].t = 0.0;
    }
}

/// Beyond its one factorization of C, a corrected step costs at most two factor-equivalents, counted in multiplications: a solve
/// passes twice over the numbers of the factor. With friction every active vertex needs three solves, and with the printed rows more
/// vertices are active: then it is nearly two.
#[test]
fn the_correction_costs_at_most_two_factor_equivalents() {
    for keys in [
        "",
        "friction = 0.4\n",
        "rows = \"velocity\"\n",
        "rows = \"velocity\"\nfriction = 0.4\n",
    ] {
        let Some(text) = contract_ball("sdirk2", 1.2, "", keys) else {
            return;
        };
        let mut s = session(&text);
        let mut matrix = s.model.zero_matrix();
        let at = s.state().clone();
        let weights = march::Weights {
            mass: 1.0,
            damping: 0.005,
            stiffness: 0.005f64.powi(2),
        };
        s.model
            .tangent(at.at(), weights, march::Curvature::Definite, &mut matrix);
        let mut cholesky = sparse::Cholesky::default();
        cholesky.factor(&matrix).unwrap();
        let factor = cholesky.order().unwrap().flops;
        let solve = 4.0 * cholesky.stored_values() as f64;
        let (mut corrected, mut worst) = (0, 0.0f64);
        run(&mut s, |s| {
            let work = s.row().work;
            if s.row().entry.contact != 0.0 {
                corrected += 1;
                // Newton's iterations solve once each.
                let solves = (work.solves - work.newton) as f64;
                worst = worst.max(solves * solve / factor);
            }
        });
        assert!(corrected > 10, "{corrected} corrected steps");
        assert!(worst <= 2.0, "{keys}: {worst} factor-equivalents in a step");
        println!("{keys}: {corrected} corrected steps, at most {worst:.2} factor-equivalents");
    }
}
