//! The ball of the contract with a barrier, under every method that carries one, and energy tracking in contact.

use super::{ball, refusal, run, session};
use scene::session::Session;

const ENDS_ON_STAGE: [&str; 8] = [
    "backward-euler",
    "trapezoid",
    "newmark",
    "bdf2",
    "sdirk2",
    "sdirk3",
    "tr-bdf2",
    "tr-bdf2-bathe",
];

const EXTRAPOLATES: [&str; 9] = [
    "implicit-midpoint",
    "sdirk-ncs23",
    "sdirk-nc34",
    "sdirk-3345",
    "sdirk-4347",
    "sdirk-4447",
    "ilddirk22",
    "hht-alpha",
    "generalized-alpha",
];

/// Time at which a fall of 3 m has almost ended, s.
const IN_FLIGHT: f64 = 0.75;

/// The contract's ball with a barrier and these keys of `[time]`, or `None` without the contract.
fn contract_ball(method: &str, keys: &str) -> Option<Session> {
    let file = testdata::shared("contract/scenes/ball.toml")?;
    let text = std::fs::read_to_string(file).unwrap();
    let text = text
        .replace(
            "method = \"sdirk2\"",
            &format!("method = \"{method}\"\n{keys}"),
        )
        .replace("until = 10.0", "until = 1.2")
        .replace("\"corrector\"", "\"barrier\"");
    Some(session(&text))
}

fn lowest(s: &mut Session) -> f64 {
    let heights = s.positions().into_iter().map(|x| x[1]);
    heights.fold(f64::INFINITY, f64::min)
}

/// What a run of the ball lost: in flight and in all, relative to the start, and what the ledger booked as contact, J.
struct Losses {
    flight: f64,
    all: f64,
    contact: f64,
    rejected: u64,
}

/// Runs a ball; every step must be free and every row of the ledger closed.
fn run_free(name: &str, ball: &mut Session) -> Losses {
    let start = ball.energies().total();
    let (mut flight, mut contact) = (0.0, 0.0);
    let (mut least, mut before) = (f64::INFINITY, start);
    run(ball, |s| {
        let low = lowest(s);
        assert!(low > 0.0, "{name}: a vertex is at {low} m at {} s", s.t());
        least = least.min(low);
        let (e, total) = (s.row().entry, s.energies().total());
        let booked = e.damping + e.friction + e.contact + e.numerical + e.residual + e.work;
        assert!(
            (e.change - (total - before)).abs() < 1e-10 * start,
            "{name}: {e:?}"
        );
        assert!((e.change - booked).abs() < 1e-10 * start, "{name}: {e:?}");
        before = total;
        contact += e.contact;
        if s.t() <= IN_FLIGHT {
            flight = (start - total) / start;
        }
    });
    assert!(
        least < 0.01,
        "{name}: the ball stays {least} m above the floor"
    );
    Losses {
        flight,
        all: (start - before) / start,
        contact,
        rejected: ball.totals().rejected,
    }
}

#[test]
fn the_ball_of_the_contract_under_methods_that_end_on_a_stage() {
    let mut found = Vec::new();
    for method in ENDS_ON_STAGE {
        let Some(mut ball) = contract_ball(method, "") else {
            return;
        };
        let losses = run_free(method, &mut ball);
        assert!(
            losses.all < 0.7 && losses.all > -0.1,
            "{method}: {}",
            losses.all
        );
        found.push(losses);
    }
    let (euler, sdirk2) = (&found[0], &found[4]);
    assert!(
        sdirk2.flight < 0.01 * euler.flight,
        "{} {}",
        sdirk2.flight,
        euler.flight
    );
    let bounce = |l: &Losses| l.all - l.flight;
    assert!(
        bounce(sdirk2) < 0.5 * bounce(euler),
        "{} {}",
        bounce(sdirk2),
        bounce(euler)
    );
}

/// Shorter steps by default; under a fixed step the end is moved out of contact, booked as `contact`. `ilddirk22` has no dissipation
/// and gains energy in impacts without bound at some lengths of steps (docs/contact.md), so it runs with energy tracking.
#[test]
fn the_ball_of_the_contract_under_methods_that_extrapolate() {
    for method in EXTRAPOLATES {
        let tracking = match method {
            "ilddirk22" => "stabilise = { kind = \"blend\" }\n",
            _ => "",
        };
        let Some(mut ball) = contract_ball(method, tracking) else {
            return;
        };
        let shortened = run_free(method, &mut ball);
        assert!(shortened.rejected > 0, "{method}");
        assert!(shortened.all.abs() < 0.7, "{method}: {}", shortened.all);
        let fixed = format!("{tracking}control = {{ kind = \"fixed\" }}");
        let Some(mut ball) = contract_ball(method, &fixed) else {
            return;
        };
        let closed = run_free(method, &mut ball);
        assert_eq!(ball.totals().steps, 240, "{method}");
        assert!(
            closed.contact.abs() > 10.0,
            "{method}: {} J",
            closed.contact
        );
        assert!(closed.all.abs() < 0.5, "{method}: {}", closed.all);
    }
}

/// The impulse of a closing minimisation acts along the normal of the floor and keeps the other momenta.
#[test]
fn a_closing_minimisation_keeps_the_momentum_of_free_bodies() {
    let text = r#"
gravity = [0, 0, 0]
[time]
method = "implicit-midpoint"
step = 0.02
until = 0.4
control = { kind = "fixed" }
[[body]]
name = "left"
mesh = { box = { size = [0.2, 0.2, 0.2], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
velocity = { linear = [1.5, 0, 0] }
[[body]]
name = "right"
mesh = { box = { size = [0.2, 0.2, 0.2], cells = [2, 2, 2], element = "tet4" } }
place = { translate = [0.29, 0.03, -0.05], rotate-deg = [10, 20, 30] }
material = { young = 1e5, poisson = 0.3, density = 500 }
velocity = { linear = [-0.5, 0.1, 0] }
[contact]
kind = "barrier"
"#;
    let mut pair = session(text);
    let start = pair.row().momentum.linear;
    let mut contact = 0.0;
    run(&mut pair, |s| contact += s.row().entry.contact.abs());
    assert!(contact > 0.1, "contact {contact} J");
    let end = pair.row().momentum.linear;
    for k in 0..3 {
        assert!(
            (end[k] - start[k]).abs() < 1e-10 * 12.0,
            "{start:?} {end:?}"
        );
    }
}

#[test]
fn stages_outside_the_step_and_moving_obstacles_are_refused_together() {
    let motion = "motion = { shake = { axis = \"y\", amplitude = 0.03, frequency = 4 } }";
    let refused = refusal(&ball("sdirk-nc34", 3.5, motion));
    for words in ["time.method", "1.069 of the step", "obstacle[0]", "sdirk2"] {
        assert!(refused.contains(words), "{refused}");
    }
    session(&ball("sdirk-ncs23", 3.5, motion));
}

/// A bouncing ball with energy tracking; returns the largest error of the energy that is kept, relative to the start, and
/// the last positions.
fn tracked(method: &str, keys: &str, counts_contact: bool) -> (f64, Vec<[f64; 3]>) {
    let text = ball(method, 1.5, "").replace(
        "[[body]]",
        &format!("[time.stabilise]\ntolerance = 0.01\n{keys}\n[[body]]"),
    );
    let mut ball = session(&text);
    let start = ball.energies().total();
    let mut worst = 0.0f64;
    let mut touched = false;
    run(&mut ball, |s| {
        let (e, low) = (s.energies(), lowest(s));
        assert!(low > 0.0, "{method} {keys}: {low} m");
        touched |= e.contact > 0.0;
        let kept = if counts_contact {
            e.total()
        } else {
            e.total() - e.contact
        };
        if !s.row().tolerance_missed {
            worst = worst.max((kept - start).abs() / start);
        }
    });
    assert!(touched, "{method}: no step ends in contact");
    (worst, ball.positions())
}

#[test]
fn energy_tracking_counts_the_energy_of_contact_unless_told_otherwise() {
    let mut ends = Vec::new();
    for method in ["backward-euler", "implicit-midpoint", "sdirk2"] {
        let (worst, end) = tracked(method, "", true);
        assert!(worst < 0.011, "{method}: {worst}");
        let (worst, other) = tracked(method, "contact-energy = \"exclude\"", false);
        assert!(worst < 0.011, "{method} without contact energy: {worst}");
        ends.push(end != other);
    }
    assert!(ends.contains(&true), "the key has no effect");
    let text = ball("sdirk2", 1.5, "").replace(
        "[[body]]",
        "[time.stabilise]\nkind = \"project\"\ncontact-energy = \"exclude\"\n[[body]]",
    );
    assert!(refusal(&text).contains("time.stabilise.contact-energy"));
}
